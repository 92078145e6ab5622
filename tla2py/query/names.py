"""The names that Spark gives to columns of a result without AS."""

from __future__ import annotations

from sqlglot import exp

from tla2py.query.parse import NotTranslated

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.EQ: "=", exp.LT: "<", exp.LTE: "<=",
    exp.GT: ">", exp.GTE: ">=", exp.And: "AND", exp.Or: "OR",
}  # fmt: skip
# Functions that print as they are written; others print arguments that they were not given.
_PLAIN = (
    exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Upper, exp.Lower, exp.Length, exp.Coalesce, exp.ArraySize, exp.Abs, exp.Substring,
    exp.Concat, exp.Left, exp.Right, exp.Count, exp.ArrayUniqueAgg, exp.ArrayAgg, exp.MapKeys,
)  # fmt: skip


def name_columns(tree: exp.Query, statement: str) -> None:
    """Give every column of every SELECT the name that Spark gives it. Raises NotTranslated if it is not known."""
    for select in list(tree.find_all(exp.Select)):
        if isinstance(select.parent, exp.Exists | exp.In):
            continue
        named: list[exp.Expr] = []
        for each in select.expressions:
            if isinstance(each, exp.Alias | exp.Aliases | exp.Star) or _is_star(each):
                named.append(each)
            elif isinstance(each, exp.Explode):
                named.append(exp.alias_(each, "col", quoted=True))
            elif isinstance(each, exp.Posexplode):
                named.append(each)
            else:
                named.append(exp.alias_(each.copy(), _name(each, statement), quoted=True))
        select.set("expressions", named)


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Star)


def _name(node: exp.Expr, statement: str) -> str:
    """The name of a column of a result."""
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.JSONExtract | exp.Column):
        node = node.this
    if isinstance(node, exp.JSONExtract):
        last = node.expression.expressions[-1]
        if isinstance(last, exp.JSONPathKey) and str(last.this).isidentifier():
            return str(last.this)
    elif isinstance(node, exp.Column):
        return node.name
    elif isinstance(node, exp.Dot):
        return str(node.expression.name)
    else:
        return _text(node, statement)
    raise NotTranslated("an expression without AS")


def _text(node: exp.Expr, statement: str) -> str:
    """An expression as Spark prints it."""
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Literal):
        return str(node.this)
    if isinstance(node, exp.Null):
        return "NULL"
    if isinstance(node, exp.Boolean):
        return "true" if node.this else "false"
    if isinstance(node, exp.Paren):
        return _text(node.this, statement)
    if isinstance(node, exp.Neg):
        inner = _text(node.this, statement)
        return f"-{inner}" if isinstance(node.this, exp.Literal) else f"(- {inner})"
    if isinstance(node, exp.Not):
        return f"(NOT {_text(node.this, statement)})"
    if type(node) in _OPERATORS:
        return f"({_text(node.this, statement)} {_OPERATORS[type(node)]} {_text(node.expression, statement)})"
    if type(node) is exp.Cast and node.to.this in (
        exp.DType.TEXT,
        exp.DType.INT,
        exp.DType.BIGINT,
        exp.DType.DOUBLE,
    ):
        return f"CAST({_text(node.this, statement)} AS {node.to.sql('spark')})"
    if isinstance(node, _PLAIN):
        return _call(node, statement)
    raise NotTranslated("an expression without AS")


def _call(node: exp.Func, statement: str) -> str:
    start, end = node.meta.get("start"), node.meta.get("end")
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
        return "count(1)"
    name = node.sql_name().lower() if start is None or end is None else statement[start : end + 1].lower()
    arguments: list[exp.Expr] = []
    for part in node.arg_types:
        value = node.args.get(part)
        arguments += value if isinstance(value, list) else [value] if isinstance(value, exp.Expr) else []
    distinct = ""
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        distinct, arguments = "DISTINCT ", arguments[0].expressions
    return f"{name}({distinct}{', '.join(_text(each, statement) for each in arguments)})"
