"""Casts of Spark, and paths into a VARIANT, in DuckDB."""

from __future__ import annotations

from sqlglot import exp

from tla2py.query.parse import NotTranslated

Node = exp.Expr


def call(name: str, *arguments: Node) -> exp.Anonymous:
    """A call of a DuckDB function or macro."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def cast_value(node: Node) -> Node:
    """A cast as Spark does it."""
    assert isinstance(node, exp.Cast)
    kind, value = node.to.this, node.this
    tried = isinstance(node, exp.TryCast)
    if kind == exp.DType.TEXT:
        return call("spark_string", value)
    if kind in (exp.DType.INT, exp.DType.BIGINT):
        macro = "spark_try_integer" if tried else "spark_integer"
        made = exp.TryCast if tried else exp.Cast
        return made(this=call(macro, value), to=exp.DataType.build(kind.value))
    if kind == exp.DType.DOUBLE:
        node.set("this", call("spark_double", value.copy()))
        return node
    if kind == exp.DType.DATE:
        return call("spark_date", value)
    if kind in (exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMP):
        return call("spark_timestamp", value)
    if kind == exp.DType.VARIANT:
        return exp.Cast(this=value, to=exp.DataType.build("JSON", dialect="duckdb"))
    if kind == exp.DType.ARRAY:
        element = node.to.expressions[0].this
        if element == exp.DType.TEXT:
            return call("spark_texts", value)
        name = {exp.DType.VARIANT: "JSON"}.get(element, element.value)
        return exp.Cast(this=value, to=exp.DataType.build(f"{name}[]", dialect="duckdb"))
    return node


def json_path(node: Node) -> Node:
    """A path as JSON; its keys are quoted."""
    assert isinstance(node, exp.JSONExtract)
    text = "$"
    if not isinstance(node.expression, exp.JSONPath):
        raise NotTranslated("this path")
    for part in node.expression.expressions:
        if isinstance(part, exp.JSONPathKey):
            text += f'."{part.this}"'
        elif isinstance(part, exp.JSONPathSubscript):
            text += f"[{part.this}]"
    return call("json_extract", node.this, exp.Literal.string(text))
