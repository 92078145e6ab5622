"""Functions, operators and casts of Spark in DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp
from sqlglot.dialects.databricks import Databricks

from tla2py.query.allowed import check_cast
from tla2py.query.casts import Node, call, cast_value, json_path
from tla2py.query.parse import NotTranslated


def _number(value: int) -> Node:
    return exp.Literal.number(value)


def _explode(node: Node) -> Node:
    return call("unnest", node.this)


def _anonymous(node: Node) -> Node:
    assert isinstance(node, exp.Anonymous)
    name, given = node.name.lower(), node.expressions
    if name in ("bigint", "double", "string", "boolean") and len(given) == 1:
        return cast_value(exp.cast(given[0], name, dialect="spark"))
    if name in ("isnull", "isnotnull") and len(given) == 1:
        test = exp.Paren(this=exp.Is(this=given[0], expression=exp.Null()))
        return test if name == "isnull" else exp.Paren(this=exp.Not(this=test))
    if name == "cardinality" and len(given) == 1:
        return call("len", *given)
    if name in ("every", "some") and len(given) == 1:
        return call("bool_and" if name == "every" else "bool_or", *given)
    if name == "forall" and len(given) == 2:
        return call("spark_all", call("list_transform", *given))
    if name == "array_union" and len(given) == 2:
        return call("spark_union", *given)
    if name == "variant_get" and len(given) == 3 and all(isinstance(each, exp.Literal) for each in given[1:]):
        kind = exp.DataType.build(given[2].this, dialect="databricks")
        path = Databricks().to_json_path(given[1])
        cast = exp.Cast(this=exp.JSONExtract(this=given[0], expression=path), to=kind)
        check_cast(cast)
        cast.set("this", json_path(cast.this))
        return cast_value(cast)
    if name.startswith("spark_") or name in _OWN:
        return node
    raise NotTranslated(f"{name}() with these arguments")


_OWN = {"unnest", "range", "len", "json_extract"}


def _as_date(node: Node) -> Node:
    return exp.Cast(this=node.copy(), to=exp.DataType.build("DATE"))


def _column(node: Node) -> Node:
    """A field of an array of structs as an array."""
    if node.text("table").lower() != "violated":
        return node
    array = exp.column("violated", table=node.text("db") or None, quoted=True)
    each = exp.to_identifier("each", quoted=True)
    field = call("struct_extract", each.copy(), exp.Literal.string(node.name))
    return call("list_transform", array, exp.Lambda(this=field, expressions=[each]))


def _item(node: Node) -> Node:
    assert isinstance(node, exp.Bracket)
    key = node.expressions[0]
    if key.is_string:
        return exp.Bracket(this=node.this, expressions=[key])
    place = int(key.this) - int(node.args.get("offset") or 0)
    if place < 0:
        raise NotTranslated("this index")
    return call("spark_item", node.this, _number(place))


def _like(node: Node) -> Node:
    """LIKE with Spark's escape; DuckDB has none by default."""
    if isinstance(node, exp.ILike):
        node.set("this", call("spark_letters", node.this.copy()))
        node.set("expression", call("spark_letters", node.expression.copy()))
    if isinstance(node.parent, exp.Escape):
        return node
    negate = node.args.pop("negate", None)
    escaped: Node = exp.Escape(this=node.copy(), expression=exp.Literal.string("\\"))
    return exp.Paren(this=exp.Not(this=exp.Paren(this=escaped))) if negate else escaped


def _concat(node: Node) -> Node:
    if any(
        isinstance(each, exp.Array | exp.ArrayAgg | exp.ArrayFilter | exp.Transform)
        for each in node.expressions
    ):
        raise NotTranslated("concat() of arrays")
    found: Node = call("spark_string", node.expressions[0])
    for each in node.expressions[1:]:
        found = exp.DPipe(this=found, expression=call("spark_string", each))
    return exp.Paren(this=found)


def _sort(node: Node) -> Node:
    if node.args.get("asc") is not None and not isinstance(node.args["asc"], exp.Boolean):
        raise NotTranslated("sort_array() in an order that is not a literal")
    down = isinstance(node.args.get("asc"), exp.Boolean) and not node.args["asc"].this
    flag = node.args.get("nulls_first")
    # sort_array puts nulls first, and last if it sorts downwards; array_sort always last.
    first = isinstance(flag, exp.Boolean) and bool(flag.this) and not down
    return call(
        "list_sort",
        node.this,
        exp.Literal.string("DESC" if down else "ASC"),
        exp.Literal.string("NULLS FIRST" if first else "NULLS LAST"),
    )


def _collected(distinct: bool) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        inner: Node = exp.Distinct(expressions=[node.this]) if distinct else node.this
        kept = exp.Filter(
            this=call("list", inner),
            expression=exp.Where(this=exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))),
        )
        if isinstance(node.parent, exp.Filter):
            raise NotTranslated("a filtered array")
        return call("coalesce", kept, exp.Array(expressions=[]))

    return change


def _exists(node: Node) -> Node:
    if not isinstance(node.args.get("expression"), exp.Lambda):
        return node
    return call("spark_any", call("list_transform", node.this, node.expression))


def _reduce(node: Node) -> Node:
    return call("list_reduce", node.this, node.args["merge"], node.args["initial"])


def _round(node: Node) -> Node:
    digits = node.args.get("decimals")
    if digits is None:
        return call("spark_round0", node.this)
    if not isinstance(digits, exp.Literal) or int(digits.this) > 15:
        raise NotTranslated("round() to this number of digits")
    guarded = call("spark_round0", node.this.copy())
    kind = exp.DataType.build(f"DECIMAL(38, {digits.this})", dialect="duckdb")
    text = exp.Cast(this=node.this, to=exp.DataType.build("VARCHAR", dialect="duckdb"))
    exact = exp.Cast(this=exp.Cast(this=text, to=kind), to=exp.DataType.build("DOUBLE", dialect="duckdb"))
    # The first only checks the type.
    return exp.Case(
        ifs=[exp.If(this=exp.Is(this=guarded, expression=exp.Null()), true=exp.Null())], default=exact
    )


def _named(name: str, *parts: str) -> Callable[[Node], Node]:
    """A call of ``name`` with some parts of the node."""
    return lambda node: call(name, *(node.args[part] for part in parts))


def _matching(name: str) -> Callable[..., Node]:
    """A call of a function on regular expressions. Those of Java treat more characters as ends of lines."""
    return lambda node, *more: call(name, call("spark_line", node.this), node.expression, *more)


def _guarded(macro: str) -> Callable[[Node], Node]:
    """The node on an operand that the macro lets pass."""

    def change(node: Node) -> Node:
        node.set("this", call(macro, node.this.copy()))
        return node

    return change


_BINARY = ("this", "expression")
CHANGES: Mapping[type[Node], Callable[[Node], Node]] = {
    exp.Anonymous: _anonymous,
    exp.Cast: cast_value,
    exp.TryCast: cast_value,
    exp.JSONExtract: json_path,
    exp.JSONKeys: lambda node: call("spark_keys", _unquoted(node.this)),
    exp.Bracket: _item,
    exp.Explode: _explode,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Concat: _concat,
    exp.DPipe: lambda node: exp.DPipe(
        this=call("spark_string", node.this), expression=call("spark_string", node.expression)
    ),
    exp.ConcatWs: lambda node: call(
        "concat_ws", node.expressions[0], *(call("spark_string", each) for each in node.expressions[1:])
    ),
    exp.Upper: _guarded("spark_letters"),
    exp.Lower: _guarded("spark_letters"),
    exp.Div: _named("spark_div", *_BINARY),
    exp.Sub: _guarded("spark_no_date"),
    exp.IntDiv: _named("spark_intdiv", *_BINARY),
    exp.Mod: _named("spark_mod", *_BINARY),
    exp.Round: _round,
    exp.Floor: lambda node: call("spark_floor", node.this),
    exp.Ceil: lambda node: call("spark_ceil", node.this),
    exp.Sign: lambda node: call("spark_sign", node.this),
    exp.Avg: _guarded("spark_plain"),
    exp.Median: _guarded("spark_exact"),
    exp.CountIf: lambda node: exp.Count(this=exp.Case(ifs=[exp.If(this=node.this, true=_number(1))])),
    exp.ArgMax: _named("arg_max_null", *_BINARY),
    exp.ArgMin: _named("arg_min_null", *_BINARY),
    exp.ArrayAgg: _collected(distinct=False),
    exp.ArrayUniqueAgg: _collected(distinct=True),
    exp.ArraySize: _named("len", "this"),
    exp.ArraySort: _sort,
    exp.ArrayContains: _named("spark_contains", *_BINARY),
    exp.ArrayPosition: _named("spark_position", *_BINARY),
    exp.ArrayDistinct: _named("spark_distinct", "this"),
    exp.ArrayCompact: _named("spark_compact", "this"),
    exp.ArrayAppend: _named("list_append", *_BINARY),
    exp.ArrayMax: _named("list_max", "this"),
    exp.ArrayMin: _named("list_min", "this"),
    exp.ArrayExcept: _named("spark_except", *_BINARY),
    exp.ArrayIntersect: lambda node: call("spark_intersect", *node.expressions),
    exp.ArraySlice: _named("spark_sublist", "this", "start", "end"),
    exp.ArrayToString: _named("spark_join", *_BINARY),
    exp.Flatten: lambda node: call("flatten", call("spark_full", node.this)),
    exp.GenerateSeries: _named("spark_sequence", "start", "end"),
    exp.Transform: _named("list_transform", *_BINARY),
    exp.ArrayFilter: _named("list_filter", *_BINARY),
    exp.Exists: _exists,
    exp.Reduce: _reduce,
    exp.Substring: lambda node: call(
        "spark_substring", node.this, node.args["start"], node.args.get("length") or _number(1 << 30)
    ),
    exp.Left: lambda node: call("spark_substring", node.this, _number(1), node.expression),
    exp.Right: _named("spark_right", *_BINARY),
    exp.Trim: lambda node: call(
        {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(node.text("position").upper(), "trim"),
        node.this,
        exp.Literal.string(" "),
    ),
    exp.Length: _named("length", "this"),
    exp.Reverse: _named("reverse", "this"),
    exp.Pad: lambda node: call(
        "lpad" if node.args.get("is_left") else "rpad",
        node.this,
        node.expression,
        node.args.get("fill_pattern") or exp.Literal.string(" "),
    ),
    exp.StrPosition: _named("strpos", "this", "substr"),
    exp.Contains: _named("contains", *_BINARY),
    exp.StartsWith: _named("starts_with", *_BINARY),
    exp.EndsWith: _named("ends_with", *_BINARY),
    exp.Replace: lambda node: call(
        "replace", node.this, node.expression, node.args.get("replacement") or exp.Literal.string("")
    ),
    exp.Translate: _named("translate", "this", "from_", "to"),
    exp.RegexpLike: _matching("regexp_matches"),
    exp.RegexpSplit: _matching("regexp_split_to_array"),
    exp.RegexpExtract: lambda node: _matching("regexp_extract")(node, node.args.get("group") or _number(1)),
    exp.RegexpExtractAll: lambda node: _matching("regexp_extract_all")(
        node, node.args.get("group") or _number(1)
    ),
    exp.RegexpReplace: lambda node: _matching("regexp_replace")(
        node, node.args["replacement"], exp.Literal.string("g")
    ),
    exp.TsOrDsAdd: _as_date,
    exp.AddMonths: _as_date,
    exp.Column: _column,
    exp.RawString: lambda node: exp.Literal.string(node.this),
    exp.DayOfWeek: lambda node: exp.Paren(
        this=exp.Add(this=call("dayofweek", _unwrapped(node.this)), expression=_number(1))
    ),
}
"""What becomes of the nodes of a class; their children have been changed before."""


def _unwrapped(node: Node) -> Node:
    inner: Node = node.this
    return inner if isinstance(node, exp.TsOrDsToDate) else node


def _unquoted(node: Node) -> Node:
    """The operand of a conversion to text, which reading JSON does not need."""
    converted = isinstance(node, exp.Anonymous) and node.name == "spark_string"
    found: Node = node.expressions[0] if converted else node
    return found
