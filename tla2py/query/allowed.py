"""The constructs that DuckDB may answer: classes of sqlglot's tree, each with the parts it may have.

Tests compare the rows of every construct with Spark's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from tla2py.query.parse import NotTranslated, written
from tla2py.tables.schema import TABLE_NAMES

# The parts, and the classes that may have only these.
_TABLE = {
    "": "Boolean JSONPathRoot Null RowNumber Star",
    "this": """Abs All Any Ascii AnyValue Boolean Ceil CountIf CTE CumeDist Date Day DayOfMonth DayOfWeek DenseRank Distinct
        Explode FirstValue Flatten From Having Hour JSONPathSubscript LastDay LastValue Length LogicalAnd LogicalOr Lower
        MapKeys Median Minute Month Neg Not Ntile Paren PercentRank Posexplode Qualify Quarter Rank RawString
        Second Sign Sqrt Upper Var WeekOfYear Where Year ArraySize ArrayMax ArrayMin ArrayDistinct ArrayCompact
        ArrayUniqueAgg Avg Max Min Sum TsOrDsToDate Reverse""",
    "expression": "Limit Offset",
    "this expression": """Add AddMonths And ArgMax ArgMin ArrayContains ArrayExcept ArrayPosition ArrayToString
        Contains Div Dot EndsWith EQ Escape Exists Filter GT GTE ILike IntDiv Is Left LT LTE Mod Mul NEQ
        Nullif NullSafeEQ NullSafeNEQ Or PropertyEQ RegexpLike RegexpSplit Right StartsWith Sub ArrayFilter Transform""",
    "expressions": "Array ArrayIntersect Cube GroupingSets Rollup Struct Tuple JSONPath Distinct With",
    "this expressions": "Aliases Coalesce Lambda",
    "this alias": "Alias CTE Subquery Table TableAlias Values",
    "this expressions ignore_nulls": "Greatest Least",
    "this expressions offset safe": "Bracket",
    "this expressions big_int": "Count",
    "this expression null_propagation": "ArrayAppend",
    "this nulls_excluded": "ArrayAgg",
    "this nulls_first asc": "ArraySort",
    "this start end is_length": "ArraySlice",
    "this low high": "Between",
    "this ifs default": "Case",
    "this true false": "If Nvl2",
    "this to safe": "Cast TryCast",
    "this table db": "Column",
    "expressions safe coalesce flatten": "Concat ConcatWs",
    "this expression safe": "DPipe",
    "this expressions nested": "DataType",
    "this expression unit": "DateDiff TsOrDsAdd",
    "this expression distinct with_ order limit offset": "Except Intersect Union",
    "start end": "GenerateSeries",
    "expressions all": "Group",
    "this quoted": "Identifier JSONPathKey",
    "this expressions query": "In",
    "this expression variant_extract": "JSONExtract",
    "this side kind on using": "Join",
    "this offset default": "Lag Lead",
    "this alias view outer": "Lateral",
    "this expression negate": "Like",
    "this is_string": "Literal",
    "this expressions siblings": "Order",
    "this desc nulls_first": "Ordered",
    "this expression fill_pattern is_left": "Pad",
    "this initial merge": "Reduce",
    "this expression group null_if_pos_overflow": "RegexpExtract RegexpExtractAll",
    "this expression replacement": "RegexpReplace Replace",
    "this times": "Repeat",
    "this decimals": "Floor Round",
    "expressions distinct from_ joins laterals where group having qualify windows with_ order limit offset": "Select",
    "this substr": "StrPosition",
    "this start length": "Substring",
    "this alias with_": "Subquery",
    "this columns": "TableAlias",
    "this unit": "TimestampTrunc",
    "this from_ to": "Translate",
    "this position": "Trim",
    "this alias expressions": "Values",
    "keys values": "VarMap Map",
    "this partition_by order spec alias over": "Window",
    "kind start start_side end end_side": "WindowSpec",
    "this expressions alias": "JSONKeys Anonymous",
}
FUNCTIONS = frozenset(
    [
        "array_union",
        "bigint",
        "boolean",
        "cardinality",
        "double",
        "every",
        "forall",
        "isnotnull",
        "isnull",
        "some",
        "string",
        "variant_get",
    ]
)
"""The functions, among those without a class of their own, that DuckDB may answer."""


def _classes() -> dict[type[exp.Expr], frozenset[str]]:
    found: dict[type[exp.Expr], frozenset[str]] = {}
    for parts, names in _TABLE.items():
        for name in names.split():
            kind = getattr(exp, name)
            found[kind] = found.get(kind, frozenset()) | set(parts.split())
    return found


ALLOWED = _classes()
"""The classes that DuckDB may answer, each with the parts it may have."""

_TYPES = {
    exp.DType.TEXT,
    exp.DType.INT,
    exp.DType.BIGINT,
    exp.DType.DOUBLE,
    exp.DType.BOOLEAN,
    exp.DType.DATE,
    exp.DType.TIMESTAMPTZ,
    exp.DType.TIMESTAMP,
}
_OF_VARIANTS = {exp.DType.TEXT, exp.DType.INT, exp.DType.BIGINT, exp.DType.VARIANT}
# The columns with which tables begin.
_FIRST = {
    **dict.fromkeys(TABLE_NAMES, ("run_id",)),
    **dict.fromkeys(("traces", "states", "changes"), ("run_id", "trace")),
}
_TRIED = {exp.DType.TEXT, exp.DType.INT, exp.DType.BIGINT}
# No lookaround, flags, backreferences, classes in classes and possessive repetition; escapes that Java and RE2 share.
_PATTERN = re.compile(
    r"(?:[^\\(\[*+?}]|\\[dwsDWS.\[\](){}+*?|^$\\/\-\"' ]|\((?!\?)|\(\?:|\[\^?\]?(?:[^\\\[\]&]|\\[dwsDWS.\[\](){}+*?|^$\\/\-])*\]"
    r"|[*+?}](?!\+))*"
)


# Parts that a query writes in other words.
_CLAUSES = {
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "sort": "SORT BY",
    "except_": "* EXCEPT",
    "method": "NATURAL JOIN",
    "pivots": "PIVOT",
    "sample": "TABLESAMPLE",
}


def check(tree: exp.Query) -> None:
    """Raise NotTranslated for the first construct of a query that DuckDB may not answer."""
    for node in tree.walk():
        parts = ALLOWED.get(type(node))
        if parts is None:
            raise NotTranslated(written(node))
        for part, value in node.args.items():
            if value is not None and value is not False and value != [] and value != "" and part not in parts:
                raise NotTranslated(
                    _CLAUSES.get(part) or f"{written(node)} with {part.strip('_').replace('_', ' ')}"
                )
        for reason in _reasons(node):
            raise NotTranslated(reason)


def _reasons(node: exp.Expr) -> Iterator[str]:
    """Why a node of an allowed class is not allowed."""
    if isinstance(node, exp.Anonymous) and node.name.lower() not in FUNCTIONS:
        yield written(node)
    elif isinstance(node, exp.Cast):
        yield from _cast_reasons(node)
    elif isinstance(node, exp.Select):
        yield from _star_reasons(node)
    elif isinstance(node, exp.Join):
        if node.kind not in ("", "INNER", "OUTER", "CROSS", "SEMI", "ANTI"):
            yield f"{node.kind} JOIN"
    elif isinstance(node, exp.Explode | exp.Posexplode):
        if not isinstance(node.parent, exp.Alias | exp.Aliases | exp.Select | exp.Lateral):
            yield f"{written(node)} within an expression"
    elif isinstance(node, exp.Lateral):
        if not node.args.get("view") or not isinstance(node.this, exp.Explode | exp.Posexplode):
            yield "LATERAL"
    elif isinstance(node, exp.Lambda):
        if len(node.expressions) > 1 and not isinstance(node.parent, exp.Reduce):
            yield "a lambda function of two parameters"
    elif isinstance(node, exp.ArrayUniqueAgg):
        if not isinstance(node.parent, exp.ArraySort | exp.ArraySize):
            yield "collect_set() without sort_array()"
    elif isinstance(node, exp.Count):
        if node.expressions or (isinstance(node.this, exp.Distinct) and len(node.this.expressions) > 1):
            yield "count() of several columns"
    elif isinstance(node, exp.Values):
        if not node.args["alias"] or not node.args["alias"].columns:
            yield "VALUES without names of columns"
    elif isinstance(node, exp.Window):
        if isinstance(node.this, exp.ArrayAgg | exp.ArrayUniqueAgg):
            yield "an array over a window"
    elif isinstance(node, exp.Bracket):
        if len(node.expressions) != 1 or not isinstance(node.expressions[0], exp.Literal):
            yield "an index that is not a number or a key"
    elif isinstance(node, exp.Literal) and not node.is_string:
        if not re.fullmatch(r"\d{1,18}|\d+\.\d+", node.this):
            yield f"the number {node.this}"
    elif isinstance(node, exp.Is):
        if not isinstance(node.expression, exp.Null):
            yield "IS with a value"
    elif isinstance(
        node, exp.RegexpLike | exp.RegexpSplit | exp.RegexpExtract | exp.RegexpExtractAll | exp.RegexpReplace
    ):
        yield from _pattern_reasons(node)


def _star_reasons(select: exp.Select) -> Iterator[str]:
    """Spark shows the columns of USING first, DuckDB where the first table has them: at the beginning in a store's tables."""
    using = [join for join in select.args.get("joins") or [] if join.args.get("using")]
    if not using or not any(isinstance(each, exp.Star) for each in select.expressions):
        return
    source = select.args["from_"].this
    own = {each.alias.lower() for each in select.root().find_all(exp.CTE)}
    first = _FIRST.get(source.name.lower(), ()) if isinstance(source, exp.Table) else ()
    for join in using:
        names = tuple(name.name.lower() for name in join.args["using"])
        if names != first[: len(names)] or source.name.lower() in own or join.side in ("RIGHT", "FULL"):
            yield "SELECT * with this USING"


def check_cast(node: exp.Cast) -> None:
    """Raise NotTranslated for a cast that DuckDB may not do."""
    for reason in _cast_reasons(node):
        raise NotTranslated(reason)


def _cast_reasons(node: exp.Cast) -> Iterator[str]:
    kind = node.to
    if kind.this == exp.DType.ARRAY:
        if (
            not kind.expressions
            or kind.expressions[0].this not in _OF_VARIANTS
            or isinstance(node, exp.TryCast)
        ):
            yield f"a cast to {kind.sql('spark')}"
    elif kind.this == exp.DType.VARIANT and not isinstance(node.this, exp.JSONExtract):
        # DuckDB would read a text as JSON.
        yield "a cast to VARIANT"
    elif kind.this not in (_TRIED if isinstance(node, exp.TryCast) else _TYPES | {exp.DType.VARIANT}):
        yield f"a cast to {kind.sql('spark')}"


def _pattern_reasons(node: exp.Expr) -> Iterator[str]:
    pattern = node.args["expression"]
    if not isinstance(pattern, exp.Literal | exp.RawString):
        yield "a regular expression that is not a literal"
    elif not pattern.this or not _PATTERN.fullmatch(pattern.this):
        yield f"the regular expression {pattern.this!r}"
    group = node.args.get("group")
    if group is not None and not (
        isinstance(group, exp.Literal) and int(group.this) <= _groups(pattern.this)
    ):
        yield "a group that the regular expression does not have"
    replacement = node.args.get("replacement")
    if replacement is not None and (
        not isinstance(replacement, exp.Literal) or re.search(r"[\\$]", replacement.this)
    ):
        yield "this replacement"


def _groups(pattern: str) -> int:
    """The number of groups of a regular expression on the list."""
    return len(re.findall(r"\((?!\?)", re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]])*\]", "", pattern)))
