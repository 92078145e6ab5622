"""SQL over the tables of a store: Spark's dialect, answered by DuckDB in this process or by Spark.

DuckDB answers a query if every construct in it is on a list of constructs that give the same rows in both.
"""

from __future__ import annotations

import difflib
import json
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.errors import SqlglotError
from sqlglot.parser import Parser
from sqlglot.parsers.databricks import DatabricksParser
from sqlglot.tokenizer_core import Token, TokenType

from tla2py.errors import InputError, ToolchainError
from tla2py.spark.choice import has_pyspark, require_pyspark
from tla2py.store.schema import TABLE_NAMES, TABLES, runs_columns
from tla2py.store.store import Store
from tla2py.store.write import table_files

if TYPE_CHECKING:
    from duckdb.sqltypes import DuckDBPyType


class Engine(StrEnum):
    """What answers a query."""

    SPARK = "spark"
    DUCKDB = "duckdb"


class NotTranslated(Exception):  # noqa: N818 - not an error: Spark answers then
    """A construct outside the list, named by the message."""


class NotRead(NotTranslated):
    """Syntax that the parser does not know, which may be wrong or only Spark's."""


# What stands before DISTINCT as a keyword; after anything else, or before what begins no expression, it is the column.
_BEFORE_DISTINCT = {
    TokenType.SELECT,
    TokenType.UNION,
    TokenType.INTERSECT,
    TokenType.EXCEPT,
    TokenType.L_PAREN,
}
_AFTER_COLUMN = {
    TokenType.R_PAREN, TokenType.COMMA, TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE,
    TokenType.SLASH, TokenType.MOD, TokenType.DPIPE, TokenType.AND, TokenType.OR, TokenType.IS, TokenType.IN, TokenType.BETWEEN,
    TokenType.LIKE, TokenType.ALIAS, TokenType.DIV, TokenType.NULLSAFE_EQ, TokenType.DCOLON,
}  # fmt: skip
# After SELECT Spark reads a word as the column that DISTINCT is about.
_WORDS = {
    TokenType.AND, TokenType.OR, TokenType.IS, TokenType.IN, TokenType.BETWEEN, TokenType.LIKE, TokenType.ALIAS, TokenType.DIV,
}  # fmt: skip
_BEFORE_SIGN = {TokenType.SELECT, TokenType.COMMA, TokenType.L_PAREN}
# Escapes that both dialects read alike, or that a pattern keeps.
_ESCAPES = re.compile(r"\\[\\'\"ntrb0%_]")


def _noting(name: str, parse: Callable[[Parser], exp.Expr | None]) -> Callable[[Parser], exp.Expr | None]:
    """A parser of a function with a syntax of its own, with the name noted in the tree."""

    def parsed(parser: Parser) -> exp.Expr | None:
        node = parse(parser)
        if isinstance(node, exp.Func):
            node.meta["function"] = name
        return node

    return parsed


class _Parser(DatabricksParser):
    FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., exp.Expr | None]]] = {
        name: _noting(name.lower(), parse) for name, parse in DatabricksParser.FUNCTION_PARSERS.items()
    }


def parse_query(statement: str) -> exp.Query:
    """The tree of a statement. Raises NotTranslated if it is not one query that sqlglot reads."""
    dialect = Databricks()
    # It warns of statements that it does not parse.
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    try:
        tokens = list(_mended(statement, dialect.tokenize(statement)))
        trees = _Parser(dialect=dialect).parse(tokens, statement)
    except SqlglotError as error:
        raise NotRead(f"this syntax: {_place(error)}") from error
    except (LookupError, ValueError) as error:
        # What makes some nodes counts on the right number of arguments.
        raise NotTranslated("a function with this number of arguments") from error
    except RecursionError as error:
        raise NotTranslated("so deep an expression") from error
    if len(trees) != 1 or trees[0] is None:
        raise NotTranslated("several statements")
    if not isinstance(trees[0], exp.Query):
        raise NotTranslated(statement.split(maxsplit=1)[0].upper())
    for node in trees[0].walk():
        # The parser knows several names of one function.
        end = node.meta.get("end")
        if end is not None and statement[end + 1 :].lstrip().startswith("("):
            node.meta["function"] = statement[node.meta["start"] : end + 1].lower()
    return trees[0]


_SYMBOLS: dict[type[exp.Expr], str] = {
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseNot: "~",
    exp.Collate: "COLLATE",
    exp.HexString: "X'...'",
    exp.Subquery: "a subquery",
    exp.Not: "IS NOT NULL",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
    exp.Literal: "this literal",
}


def written(node: exp.Expr) -> str:
    """A construct in the words of the query."""
    if "function" in node.meta:
        return f"{node.meta['function']}()"
    if type(node) in _SYMBOLS:
        return _SYMBOLS[type(node)]
    if isinstance(node, exp.Func) and not isinstance(node, exp.Binary):
        return f"{node.sql_name().lower()}()"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


def _place(error: SqlglotError) -> str:
    """Where the parser stopped."""
    for detail in getattr(error, "errors", ()):
        return f"line {detail['line']}, column {detail['col']}, at {detail['highlight']!r}"
    return "a character that no token begins with"


def _mended(statement: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, with ``distinct`` as a name where it is a column.

    Raises NotTranslated for escapes in a string that only Spark reads.
    """
    for place, token in enumerate(tokens):
        if (
            token.token_type == TokenType.STRING
            and place
            and tokens[place - 1].token_type == TokenType.STRING
        ):
            raise NotTranslated("a string of two parts")
        if token.token_type == TokenType.STRING and "\\" in statement[token.start : token.end + 1]:
            if "\\" in _ESCAPES.sub("", statement[token.start : token.end + 1]):
                raise NotTranslated("this escape in a string")
        elif token.token_type == TokenType.HINT:
            raise NotTranslated("a hint")
        elif token.token_type == TokenType.PLUS and tokens[place - 1].token_type in _BEFORE_SIGN:
            raise NotTranslated("+ as a sign")
        if token.token_type == TokenType.DISTINCT and not _is_keyword(tokens, place):
            yield Token(
                TokenType.VAR, token.text, token.line, token.col, token.start, token.end, token.comments
            )
        else:
            yield token


def _is_keyword(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].token_type if place else TokenType.SEMICOLON
    after = tokens[place + 1].token_type if place + 1 < len(tokens) else TokenType.SEMICOLON
    if before in (TokenType.IS, TokenType.NOT):
        return after == TokenType.FROM
    if before == TokenType.L_PAREN and after == TokenType.STAR:
        raise NotTranslated("(DISTINCT *")
    if before == TokenType.L_PAREN:
        return after not in _AFTER_COLUMN
    return before in _BEFORE_DISTINCT and after not in _AFTER_COLUMN - _WORDS


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


class Family(Enum):
    """Kinds of types; Spark and DuckDB agree within a kind."""

    NUMBER = "a number"
    TEXT = "a text"
    TRUTH = "a boolean"
    TIME = "a time"
    NULL = "null"


def family_of_type(kind: pa.DataType) -> Family | None:
    """The kind of a column's type; None for arrays."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return Family.NUMBER
    if pa.types.is_boolean(kind):
        return Family.TRUTH
    if pa.types.is_timestamp(kind):
        return Family.TIME
    return Family.TEXT if pa.types.is_string(kind) else None


_BY_CLASS: Mapping[type[exp.Expr], Family] = {
    **dict.fromkeys(
        (exp.Count, exp.CountIf, exp.Length, exp.ArraySize, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.Add, exp.Sub,
         exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Avg, exp.Sum, exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Year,
         exp.Month, exp.Day, exp.Hour, exp.Minute, exp.Second, exp.StrPosition, exp.ArrayPosition, exp.Median, exp.Sqrt),
        Family.NUMBER,
    ),
    **dict.fromkeys(
        (exp.Upper, exp.Lower, exp.Concat, exp.DPipe, exp.ConcatWs, exp.Substring, exp.Left, exp.Right, exp.Trim, exp.Replace,
         exp.RegexpExtract, exp.RegexpReplace, exp.ArrayToString, exp.RawString, exp.Repeat, exp.Pad, exp.TimeToStr),
        Family.TEXT,
    ),
    **dict.fromkeys(
        (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Like,
         exp.ILike, exp.Between, exp.RegexpLike, exp.Boolean, exp.Exists, exp.StartsWith, exp.EndsWith, exp.Contains,
         exp.LogicalAnd, exp.LogicalOr),
        Family.TRUTH,
    ),
    exp.Null: Family.NULL,
}  # fmt: skip
_OF_OPERAND = (
    exp.Paren, exp.Max, exp.Min, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.Coalesce, exp.Nullif, exp.Window,
    exp.Filter, exp.ArgMax, exp.ArgMin, exp.Distinct, exp.Greatest, exp.Least,
)  # fmt: skip
_BY_TYPE = {
    exp.DType.TEXT: Family.TEXT,
    exp.DType.INT: Family.NUMBER,
    exp.DType.BIGINT: Family.NUMBER,
    exp.DType.DOUBLE: Family.NUMBER,
    exp.DType.BOOLEAN: Family.TRUTH,
    exp.DType.DATE: Family.TIME,
    exp.DType.TIMESTAMP: Family.TIME,
    exp.DType.TIMESTAMPTZ: Family.TIME,
}


class Families:
    """The kinds of a query's expressions, by the columns of the tables and the names that the query gives."""

    def __init__(self, tree: exp.Query, columns: Mapping[str, Mapping[str, pa.DataType]]) -> None:
        """``columns``: of each table, in lower case."""
        self._columns: dict[str, Family | None] = {}
        for table in columns.values():
            for name, kind in table.items():
                family = family_of_type(kind)
                if self._columns.setdefault(name, family) != family:
                    self._columns[name] = None
        named = [node.alias for node in tree.find_all(exp.Alias)]
        named += [column.name for node in tree.find_all(exp.TableAlias) for column in node.columns]
        named += [name.name for node in tree.find_all(exp.Lambda, exp.Aliases) for name in node.expressions]
        for name in named:
            self._columns.pop(name.lower(), None)

    def of(self, node: exp.Expr) -> Family | None:
        """The kind of an expression; None if the tree does not show it."""
        if isinstance(node, exp.Column):
            if node.name.lower() == "state" or node.text("table").lower() == "violated":
                return None
            return self._columns.get(node.name.lower())
        if isinstance(node, exp.Literal):
            return Family.TEXT if node.is_string else Family.NUMBER
        if isinstance(node, exp.Cast):
            return _BY_TYPE.get(node.to.this)
        if type(node) in _OF_OPERAND and isinstance(node.this, exp.Expr):
            return self.of(node.this)
        return _BY_CLASS.get(type(node))


_TEXT = "typeof(x) IN ('VARCHAR', 'JSON')"
_INTEGER = r"regexp_full_match(spark_scalar(x), '\s*[+-]?[0-9]{1,19}\s*')"
_NUMBER_TYPES = (
    "'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'DOUBLE', 'UBIGINT', 'INTEGER_LITERAL'"
)

MACROS = (
    # What kind of type a value has; a null has none.
    f"""spark_family(x) AS CASE WHEN typeof(x) IN ({_NUMBER_TYPES}) OR starts_with(typeof(x), 'DECIMAL') THEN 'number'
        WHEN typeof(x) = '"NULL"' THEN NULL ELSE typeof(x) END""",
    # The value, where both are of one kind: DuckDB would compare numbers with texts as texts, Spark as numbers.
    """spark_like(x, y) AS CASE WHEN coalesce(spark_family(x) <> spark_family(y), false) THEN error('values of different types here') ELSE x END""",
    """spark_exact(x) AS CASE WHEN typeof(x) = 'DOUBLE' OR starts_with(typeof(x), 'DECIMAL') THEN error('a value of this type here') ELSE x END""",
    """spark_plain(x) AS CASE WHEN starts_with(typeof(x), 'DECIMAL') THEN error('arithmetic with decimal numbers') ELSE x END""",
    # Spark makes an interval of the difference of two dates.
    """spark_no_date(x) AS CASE WHEN typeof(x) = 'DATE' THEN error('arithmetic with dates') ELSE x END""",
    # A VARIANT's scalar without quotes; Spark prints objects with their keys in order.
    r"""spark_scalar(x) AS CASE WHEN typeof(x) = 'JSON' THEN
        CASE WHEN left(x::VARCHAR, 1) = '{' OR (left(x::VARCHAR, 1) = '[' AND (contains(x::VARCHAR, '{') OR contains(x::VARCHAR, '\')))
        THEN error('an object as a text') ELSE json_extract_string(CASE WHEN typeof(x) = 'JSON' THEN x::VARCHAR ELSE '0' END, '$') END
        ELSE x::VARCHAR END""",
    """spark_string(x) AS CASE
        WHEN typeof(x) IN ('VARCHAR', 'JSON', 'BOOLEAN', 'INTEGER', 'BIGINT', 'HUGEINT', 'TIMESTAMP', 'DATE', '"NULL"')
            OR starts_with(typeof(x), 'DECIMAL')
        THEN spark_scalar(x)
        WHEN typeof(x) = 'DOUBLE' AND regexp_full_match(x::VARCHAR, '0\\.0|-?([1-9][0-9]{0,5}\\.|0\\.0{0,1}[1-9])[0-9]{0,12}') THEN x::VARCHAR
        WHEN x IS NULL THEN NULL ELSE error('a value of this type here') END""".replace("\\\\", "\\"),
    # Spark truncates numbers and refuses texts with a fraction.
    rf"""spark_integer(x) AS CASE WHEN x IS NULL OR spark_scalar(x) IS NULL THEN NULL
        WHEN typeof(x) = 'BOOLEAN' THEN CASE WHEN x::VARCHAR = 'true' THEN '1' ELSE '0' END
        WHEN {_TEXT} AND NOT {_INTEGER} AND NOT (typeof(x) = 'JSON' AND spark_scalar(x) IN ('true', 'false')) THEN error('a text that is not an integer')
        WHEN spark_family(x) = 'number' THEN regexp_replace(x::VARCHAR, '\.[0-9]*$', '')
        WHEN {_TEXT} THEN CASE spark_scalar(x) WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE trim(spark_scalar(x)) END
        ELSE error('a value of this type here') END""",
    rf"""spark_try_integer(x) AS CASE WHEN {_TEXT} AND NOT {_INTEGER} THEN NULL ELSE spark_integer(x) END""",
    """spark_div(x, y) AS CASE WHEN y = 0 THEN error('division by zero')
        WHEN 'DOUBLE' IN (typeof(x), typeof(y)) THEN x / y ELSE spark_plain(x) / spark_plain(y) END""",
    """spark_intdiv(x, y) AS CASE WHEN y = 0 THEN error('division by zero') ELSE spark_exact(x) // spark_exact(y) END""",
    """spark_mod(x, y) AS CASE WHEN y = 0 THEN error('division by zero') ELSE spark_plain(x) % spark_plain(y) END""",
    # Half away from zero on the decimal digits.
    """spark_round0(x) AS CASE WHEN typeof(x) = 'DOUBLE' THEN x::VARCHAR::DECIMAL(38, 0)::DOUBLE WHEN x IS NULL THEN NULL
        ELSE error('a value of this type here') END""",
    "spark_floor(x) AS CAST(floor(spark_plain(x)) AS BIGINT)",
    "spark_ceil(x) AS CAST(ceil(spark_plain(x)) AS BIGINT)",
    "spark_sign(x) AS CAST(sign(spark_plain(x)) AS DOUBLE)",
    """spark_slice(s, a, b) AS substring(s, greatest(a, 0) + 1, greatest(b - greatest(a, 0), 0))""",
    """spark_substring(s, p, n) AS CASE WHEN p IS NULL OR n IS NULL THEN NULL ELSE spark_slice(s, CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p ELSE 0 END,
        CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p ELSE 0 END + n) END""",
    # Java's rules for letters such as ß and İ, and for the ends of lines, are others.
    r"""spark_letters(s) AS CASE WHEN regexp_matches(s, '[^\x00-\x7F\x{C0}-\x{D6}\x{D8}-\x{DE}\x{E0}-\x{F6}\x{F8}-\x{FE}]') THEN error('letters such as these in upper or lower case') ELSE s END""",
    r"""spark_line(s) AS CASE WHEN regexp_matches(s, '[\r\x{0B}\x{85}\x{2028}\x{2029}]|\n\z') THEN error('ends of lines in a regular expression') ELSE s END""",
    "spark_right(s, n) AS CASE WHEN n <= 0 THEN '' ELSE right(s, n) END",
    """spark_item(x, i) AS CASE WHEN i < 0 OR i >= len(x) THEN error('an index outside the array') ELSE x[i + 1] END""",
    "spark_full(x) AS CASE WHEN len(x) > list_count(x) THEN error('null in an array') ELSE x END",
    """spark_any(x) AS CASE WHEN x IS NULL THEN NULL WHEN list_contains(x, true) THEN true
        WHEN len(x) > list_count(x) THEN NULL ELSE false END""",
    """spark_all(x) AS CASE WHEN x IS NULL THEN NULL WHEN list_contains(x, false) THEN false
        WHEN len(x) > list_count(x) THEN NULL ELSE true END""",
    """spark_contains(x, v) AS CASE WHEN x IS NULL OR v IS NULL THEN NULL WHEN list_contains(x, v) THEN true
        WHEN len(x) > list_count(x) THEN NULL ELSE false END""",
    """spark_position(x, v) AS CASE WHEN x IS NULL OR v IS NULL THEN NULL ELSE coalesce(list_position(x, v), 0) END""",
    "spark_distinct(x) AS list_filter(x, lambda e, i: list_position(x, e) = i)",
    "spark_union(x, y) AS spark_distinct(list_concat(spark_full(x), spark_full(y)))",
    "spark_intersect(x, y) AS spark_distinct(list_filter(spark_full(x), lambda e: list_contains(spark_full(y), e)))",
    "spark_except(x, y) AS spark_distinct(list_filter(spark_full(x), lambda e: NOT list_contains(spark_full(y), e)))",
    "spark_compact(x) AS list_filter(x, lambda e: e IS NOT NULL)",
    "spark_sublist(x, a, n) AS CASE WHEN a < 1 OR n < 0 THEN error('this slice') ELSE list_slice(x, a, a + n - 1) END",
    """spark_join(x, s) AS CASE WHEN typeof(x) IN ('VARCHAR[]', 'INTEGER[]', 'BIGINT[]') THEN array_to_string(x, s)
        ELSE error('a value of this type here') END""",
    "spark_sequence(a, b) AS CASE WHEN a <= b THEN generate_series(a, b) ELSE generate_series(a, b, -1) END",
    # An array<string> of a VARIANT.
    """spark_texts(x) AS CASE WHEN contains(x::VARCHAR, '{') OR contains(x::VARCHAR, '\\') THEN error('an object as a text')
        ELSE CAST(x AS VARCHAR[]) END""".replace("\\\\", "\\"),
    "spark_keys(x) AS list_sort(json_keys(x))",
    "spark_date(x) AS CASE WHEN typeof(x) IN ('DATE', 'TIMESTAMP', 'VARCHAR') THEN CAST(x AS DATE) ELSE error('a value of this type here') END",
    # DuckDB reads 1_000.
    "spark_double(x) AS CASE WHEN contains(x::VARCHAR, '_') THEN error('this text as a number') ELSE x END",
    # DuckDB ignores zones.
    r"""spark_timestamp(x) AS CASE WHEN typeof(x) IN ('DATE', 'TIMESTAMP')
        OR regexp_full_match(x::VARCHAR, '\d{4}-\d\d-\d\d([ T]\d\d:\d\d:\d\d(\.\d{1,6})?Z?)?')
        THEN CAST(x AS TIMESTAMP) WHEN x IS NULL THEN NULL ELSE error('this text as a time') END""",
)


_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "div", exp.Mod: "%", exp.EQ: "=", exp.LT: "<",
    exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.NullSafeEQ: "<=>", exp.And: "AND", exp.Or: "OR",
}  # fmt: skip
# Functions whose arguments Spark prints as they are written.
_FUNCTIONS = """abs add_months any_value array array_agg array_append array_compact array_contains array_distinct array_except array_intersect
    array_join array_max array_min array_position array_size array_union ascii avg bool_and bool_or cardinality ceil ceiling
    char_length coalesce collect_list collect_set concat concat_ws contains count count_if day dayofmonth dayofweek element_at
    endswith every flatten floor greatest hour ifnull instr last_day lcase least left len length lower lpad ltrim
    max max_by median min min_by minute mod month nullif nvl nvl2 quarter regexp_extract regexp_extract_all regexp_replace
    repeat replace reverse right round rpad rtrim second sequence sign size slice some sort_array split sqrt startswith
    substr substring sum to_date translate trim ucase upper weekofyear year"""
_PRINTED = {"array_agg": "collect_list", "ceil": "CEIL", "floor": "FLOOR", "sqrt": "SQRT"}
# The argument that Spark adds to so many others.
_ADDED = {
    ("round", 1): "0",
    ("substr", 2): "2147483647",
    ("substring", 2): "2147483647",
    ("lpad", 2): " ",
    ("rpad", 2): " ",
    ("replace", 2): "",
    ("sort_array", 1): "true",
    ("split", 2): "-1",
    ("regexp_extract", 2): "1",
    ("regexp_extract_all", 2): "1",
    ("regexp_replace", 3): "1",
}
_CASTS = {exp.DType.TEXT, exp.DType.INT, exp.DType.BIGINT, exp.DType.DOUBLE}


def name_columns(tree: exp.Query, statement: str) -> None:
    """Give every column of every SELECT the name that Spark gives it. Raises NotTranslated if it is not known."""
    for select in list(tree.find_all(exp.Select)):
        if isinstance(select.parent, exp.Exists | exp.In):
            continue
        names = _Names(select, statement)
        named: list[exp.Expr] = []
        for each in select.expressions:
            if isinstance(each, exp.Alias | exp.Aliases | exp.Star | exp.Posexplode) or _is_star(each):
                named.append(each)
            elif isinstance(each, exp.Explode):
                named.append(exp.alias_(each, "col", quoted=True))
            else:
                named.append(exp.alias_(each.copy(), names.of(each), quoted=True))
        select.set("expressions", named)


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Star)


class _Names:
    """The names of the expressions of a SELECT."""

    def __init__(self, select: exp.Select, statement: str) -> None:
        self._statement = statement
        sources = select.root().find_all(exp.Table, exp.CTE, exp.Subquery, exp.Lateral, exp.Values)
        self._tables = {node.alias_or_name.lower() for node in sources}
        # Spark prints a name that the same SELECT gives as a reference, and a parameter without its name.
        self._given = {each.alias.lower() for each in select.expressions}
        self._given |= {
            name.name.lower() for node in select.find_all(exp.Lambda) for name in node.expressions
        }

    def of(self, node: exp.Expr) -> str:
        """The name of a column of a result."""
        if isinstance(node, exp.Cast) and isinstance(node.this, exp.JSONExtract | exp.Column):
            node = node.this
        if isinstance(node, exp.Column):
            return node.name
        if isinstance(node, exp.Dot) and not isinstance(node.this, exp.Bracket):
            return str(node.expression.name)
        return _last_key(node) if isinstance(node, exp.JSONExtract) else self._text(node)

    def _text(self, node: exp.Expr) -> str:
        """An expression as Spark prints it."""
        name = None if isinstance(node, exp.Cast) else node.meta.get("function")
        if name in _FUNCTIONS.split():
            return self._call(node, name)
        if name is None:
            for text in self._texts(node):
                return text
        shown = f"{written(node.this)} OVER" if isinstance(node, exp.Window) else written(node)
        raise NotTranslated(f"{shown} in a column without AS")

    def _texts(self, node: exp.Expr) -> Iterator[str]:
        """The text of an operator, a column or a literal, if it is known."""
        if isinstance(node, exp.Column):
            table = node.text("table")
            if not table or table.lower() in self._tables:
                if node.name.lower() not in self._given:
                    yield node.name
            elif table.lower() not in self._given:
                yield f"{table}.{node.name}"
        elif isinstance(node, exp.Literal):
            if node.is_string or re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", node.this):
                yield str(node.this)
        elif isinstance(node, exp.Null):
            yield "NULL"
        elif isinstance(node, exp.Boolean):
            yield "true" if node.this else "false"
        elif isinstance(node, exp.Paren | exp.TsOrDsToDate):
            yield self._text(node.this)
        elif isinstance(node, exp.Neg):
            inner = self._text(node.this)
            yield f"-{inner}" if isinstance(node.this, exp.Literal) else f"(- {inner})"
        elif type(node) in _OPERATORS:
            yield f"({self._text(node.this)} {_OPERATORS[type(node)]} {self._text(node.expression)})"
        elif isinstance(node, exp.DPipe):
            yield f"concat({self._text(node.this)}, {self._text(node.expression)})"
        elif type(node) is exp.Cast and node.to.this in _CASTS:
            yield f"CAST({self._text(node.this)} AS {node.to.sql('spark')})"
        elif isinstance(node, exp.JSONExtract):
            yield self._path(node)
        elif isinstance(node, exp.Bracket) and len(node.expressions) == 1:
            yield f"{self._text(node.this)}[{self._text(node.expressions[0])}]"
        elif isinstance(node, exp.Dot) and isinstance(node.this, exp.Bracket):
            yield f"{self._text(node.this)}.{node.expression.name}"
        else:
            yield from self._conditions(node)

    def _conditions(self, node: exp.Expr) -> Iterator[str]:
        """The text of a condition, or of what depends on one."""
        if isinstance(node, exp.NEQ):
            yield f"(NOT ({self._text(node.this)} = {self._text(node.expression)}))"
        elif isinstance(node, exp.Is):
            yield f"({self._text(node.this)} IS {self._text(node.expression)})"
        elif isinstance(node, exp.Not):
            if not isinstance(node.this, exp.Is):
                yield f"(NOT {self._text(node.this)})"
            elif not re.search(r"(?i)\bNOT\b(?!\s+NULL\b)", self._statement):
                # Otherwise the tree does not tell NOT x IS NULL from x IS NOT NULL.
                yield f"({self._text(node.this.this)} IS NOT NULL)"
        elif isinstance(node, exp.Between):
            yield f"between({self._list(node.this, node.args['low'], node.args['high'])})"
        elif isinstance(node, exp.In):
            if not node.args.get("query"):
                yield f"({self._text(node.this)} IN ({self._list(*node.expressions)}))"
        elif type(node) is exp.Like:
            text = f"{self._text(node.this)} LIKE {self._text(node.expression)}"
            yield f"(NOT {text})" if node.args.get("negate") else text
        elif isinstance(node, exp.ILike | exp.RegexpLike):
            name = "ilike" if isinstance(node, exp.ILike) else "RLIKE"
            text = f"{name}({self._list(node.this, node.expression)})"
            yield f"(NOT {text})" if node.args.get("negate") else text
        elif isinstance(node, exp.If):
            yield f"(IF({self._list(node.this, node.args['true'], node.args.get('false') or exp.null())}))"
        elif isinstance(node, exp.Case):
            yield f"CASE {''.join(self._branches(node))}END"
        elif isinstance(node, exp.Filter):
            yield f"{self._text(node.this)} FILTER (WHERE {self._text(node.expression.this)})"

    def _branches(self, node: exp.Case) -> Iterator[str]:
        subject = f"({self._text(node.this)} = {{}})" if node.this else "{}"
        for each in node.args["ifs"]:
            yield f"WHEN {subject.format(self._text(each.this))} THEN {self._text(each.args['true'])} "
        if node.args.get("default"):
            yield f"ELSE {self._text(node.args['default'])} "

    def _path(self, node: exp.JSONExtract) -> str:
        """A path into a VARIANT, if the query writes it as it is printed here."""
        path = ""
        for part in node.expression.expressions[1:]:
            key = part.this
            path += (
                f".{key}" if str(key).isidentifier() else f"[{key}]" if isinstance(key, int) else f"['{key}']"
            )
        same = [each for each in node.root().find_all(exp.JSONExtract) if each.expression == node.expression]
        if path.startswith(".") and self._statement.count(f":{path[1:]}") >= len(same):
            last = _last_key(node)
            alias = last if last.isidentifier() else f"`{last}`"
            return f"variant_get({self._text(node.this)}, ${path}) AS {alias}"
        raise NotTranslated("this path in a column without AS")

    def _call(self, node: exp.Expr, name: str) -> str:
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Star):
            return "count(1)"
        given: list[exp.Expr] = []
        for part in node.arg_types:
            value = node.args.get(part) if part != "nulls_first" else None
            given += value if isinstance(value, list) else [value] if isinstance(value, exp.Expr) else []
        distinct = ""
        if len(given) == 1 and isinstance(given[0], exp.Distinct):
            distinct, given = "DISTINCT ", given[0].expressions
        texts = [self._text(each) for each in given]
        if (name, len(texts)) in _ADDED:
            texts.append(_ADDED[name, len(texts)])
        return f"{_PRINTED.get(name, name)}({distinct}{', '.join(texts)})"

    def _list(self, *nodes: exp.Expr) -> str:
        return ", ".join(self._text(each) for each in nodes)


def _last_key(node: exp.JSONExtract) -> str:
    """The last key of a path into a VARIANT."""
    keys = [str(part.this) for part in node.expression.expressions if isinstance(part, exp.JSONPathKey)]
    if not keys:
        raise NotTranslated("a path without keys in a column without AS")
    return keys[-1]


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


def rewrite(tree: exp.Query, families: Families) -> None:
    """Rewrite a query in place. Raises NotTranslated where types decide against it."""
    # Children before their parents.
    for node in reversed(list(tree.walk())):
        if isinstance(node, exp.Select):
            _rewrite_select(node)
        elif type(node) in _COMPARED:
            _check_families(node, families)
    for node in reversed(list(tree.walk())):
        if not isinstance(node.parent, exp.Lateral) or not isinstance(node, exp.Explode | exp.Posexplode):
            change = CHANGES.get(type(node))
            new = change(node) if change else node
            if new is not node:
                node.replace(new)


# Operands whose types DuckDB and Spark bring together differently.
_COMPARED: Mapping[type[Node], tuple[str, ...]] = {
    **dict.fromkeys(
        (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Nullif),
        ("this", "expression"),
    ),
    exp.Between: ("this", "low", "high"),
    **dict.fromkeys((exp.Coalesce, exp.Greatest, exp.Least, exp.In), ("this", "expressions")),
    exp.If: ("true", "false"),
    exp.Nvl2: ("true", "false"),
    exp.Array: ("expressions",),
    exp.Case: (),
    exp.Lag: ("this", "default"),
    exp.Lead: ("this", "default"),
}


def _check_families(node: Node, families: Families) -> None:
    """Make the query fail at run time where operands turn out to be of different kinds of types."""
    if isinstance(node, exp.Case):
        _unite([each.args["true"] for each in node.args["ifs"]] + _parts(node, "default"), families)
        if node.this:
            _unite([node.this, *(each.this for each in node.args["ifs"])], families)
    elif isinstance(node, exp.In) and node.args.get("query"):
        _check_subquery(node, families)
    elif not (isinstance(node, exp.If) and isinstance(node.parent, exp.Case)):
        _unite([each for part in _COMPARED[type(node)] for each in _parts(node, part)], families)


_TIME = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d:\d\d(\.\d{1,6})?Z?)?")


def _parts(node: Node, name: str) -> list[Node]:
    value = node.args.get(name)
    return value if isinstance(value, list) else [] if value is None else [value]


def _check_subquery(node: exp.In, families: Families) -> None:
    query = node.args["query"]
    inner = query.this if isinstance(query, exp.Subquery) else query
    shown = inner.selects[0] if isinstance(inner, exp.Select) and len(inner.selects) == 1 else None
    family = families.of(shown.unalias()) if shown is not None else None
    if family is None or family != families.of(node.this):
        raise NotTranslated("IN with a query of columns whose type is not known")


def _unite(operands: list[Node], families: Families) -> None:
    known = [families.of(each) for each in operands]
    sure: set[Family] = {each for each in known if each is not None and each != Family.NULL}
    if len(sure) > 1 and not _time_and_text(sure, operands, families):
        raise NotTranslated(f"{' and '.join(sorted(each.value for each in sure))} brought together")
    unknown = [family is None for family in known]
    for each, open_ in zip(operands[1:], unknown[1:], strict=True):
        if open_ or unknown[0]:
            each.replace(call("spark_like", each.copy(), operands[0].copy()))


def _time_and_text(sure: set[Family], operands: list[Node], families: Families) -> bool:
    """Whether the operands are times and literals that both engines read as times."""
    texts = [each for each in operands if families.of(each) == Family.TEXT]
    return sure <= {Family.TEXT, Family.TIME} and all(
        isinstance(each, exp.Literal) and _TIME.fullmatch(each.this) for each in texts
    )


def _rewrite_select(select: exp.Select) -> None:
    """LATERAL VIEW as joins, and a pair of columns for posexplode."""
    for lateral in select.args.get("laterals") or []:
        select.append("joins", _lateral_join(lateral))
    select.set("laterals", None)
    projections: list[Node] = []
    for each in select.expressions:
        inner = each.this if isinstance(each, exp.Alias | exp.Aliases) else each
        if not isinstance(inner, exp.Posexplode):
            projections.append(each)
            continue
        names = [name.name for name in each.expressions] if isinstance(each, exp.Aliases) else ["pos", "col"]
        projections += [
            exp.alias_(part, name, quoted=True) for part, name in zip(_pair(inner.this), names, strict=True)
        ]
    select.set("expressions", projections)


def _pair(array: Node) -> tuple[Node, Node]:
    places = call("range", call("len", array.copy()))
    return call("unnest", places), call("unnest", array.copy())


def _lateral_join(lateral: exp.Lateral) -> exp.Join:
    generator, alias = lateral.this, lateral.args["alias"]
    both = isinstance(generator, exp.Posexplode)
    default = ["pos", "col"] if both else ["col"]
    names = [column.name for column in alias.columns] or default
    if len(names) != len(default):
        raise NotTranslated("LATERAL VIEW of a map")
    parts = _pair(generator.this) if both else (call("unnest", generator.this.copy()),)
    inner = exp.select(
        *(exp.alias_(part, name, quoted=True) for part, name in zip(parts, names, strict=True))
    )
    table = exp.Lateral(
        this=exp.Subquery(this=inner),
        alias=exp.TableAlias(this=exp.to_identifier(alias.name or "exploded", quoted=True)),
    )
    if lateral.args.get("outer"):
        return exp.Join(this=table, side="LEFT", on=exp.true())
    return exp.Join(this=table, kind="CROSS")


# What takes a VARIANT as it is.
_TAKES = (
    exp.Select,
    exp.Alias,
    exp.Cast,
    exp.Is,
    exp.JSONExtract,
    exp.Paren,
    exp.Count,
    exp.Explode,
    exp.Bracket,
    exp.Dot,
    exp.Lateral,
)


def check_variants(tree: exp.Query) -> None:
    """Raise NotTranslated for a VARIANT that an operator or a function takes without a cast."""
    names = {"state"}
    while True:
        more = {node.alias.lower() for node in tree.find_all(exp.Alias) if _is_variant(node.this, names)}
        more |= {
            column.name.lower()
            for node in tree.find_all(exp.Lateral)
            if _is_variant(node.this, names)
            for column in node.args["alias"].columns
        }
        if more <= names:
            break
        names |= more
    for node in tree.walk():
        if _is_variant(node, names) and (not _taken(node) or _told_apart(node)):
            raise NotTranslated("a VARIANT without a cast, here in an expression")


def _taken(node: exp.Expr) -> bool:
    parent = node.parent
    if isinstance(parent, exp.Anonymous):
        return parent.name.lower() == "variant_get"
    return parent is None or isinstance(parent, _TAKES)


def _told_apart(node: exp.Expr) -> bool:
    """Whether a VARIANT is in the result of SELECT DISTINCT or read by a key in brackets, which Spark refuses."""
    parent = node.parent
    if isinstance(parent, exp.Alias):
        parent = parent.parent
    if isinstance(parent, exp.Select):
        return bool(parent.args.get("distinct"))
    return isinstance(parent, exp.Bracket) and any(each.is_string for each in parent.expressions)


def _is_variant(node: exp.Expr | None, names: AbstractSet[str]) -> bool:
    """Whether an expression is a VARIANT or an array of them."""
    if isinstance(node, exp.Column):
        return node.name.lower() in names
    if isinstance(node, exp.Cast):
        return bool(list(node.to.find_all(exp.DataType))[-1].this == exp.DType.VARIANT)
    if isinstance(node, exp.Paren | exp.Explode | exp.Posexplode | exp.Bracket):
        return _is_variant(node.this, names)
    return isinstance(node, exp.JSONExtract)


Columns = Mapping[str, Mapping[str, pa.DataType]]
"""The columns of each table, by names in lower case."""


def translate(tree: exp.Query, statement: str, columns: Columns) -> exp.Query:
    """The tree of a statement for DuckDB. Raises NotTranslated if a construct is not on the list."""
    check(tree)
    check_variants(tree)
    found = tree.copy()
    name_columns(found, statement)
    rewrite(found, Families(tree, columns))
    return found


def duck_rows(
    tree: exp.Query, columns: Columns, files: Mapping[str, Sequence[Path]]
) -> tuple[list[str], list[list[object]]]:
    """The column names and rows of a query, as plain Python values. Raises NotTranslated if DuckDB cannot answer it."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for macro in MACROS:
            connection.execute(f"CREATE MACRO {macro}")
        for name, paths in files.items():
            connection.execute(f"CREATE VIEW {name} AS {_view(columns[name], paths)}")
        # A query reads nothing but the tables.
        connection.execute(
            "SET allowed_paths = $paths", {"paths": [str(path) for paths in files.values() for path in paths]}
        )
        connection.execute("SET enable_external_access = false")
        try:
            _check_set_operations(connection, tree)
            done = connection.execute(_sql(tree))
            found = done.description or []
            kinds = [column[1] for column in found]
            rows = [
                [_plain(kind, value) for kind, value in zip(kinds, row, strict=True)]
                for row in done.fetchall()
            ]
        except duckdb.Error as error:
            kind, _, reason = str(error).split("\n", 1)[0].partition(": ")
            # The macros raise errors of this class, with a reason as it is shown.
            shown = (
                reason if isinstance(error, duckdb.InvalidInputException) else f"this query: {kind}: {reason}"
            )
            raise NotTranslated(shown[:120]) from error
    return [column[0] for column in found], rows


_DUCK_TYPES = {
    pa.string(): "VARCHAR",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.timestamp("ms", tz="UTC"): "TIMESTAMP",
}


def _view(columns: Mapping[str, pa.DataType], files: Sequence[Path]) -> str:
    shown = []
    # A store that cannot be written may have tables of an older version.
    there = set(pq.read_schema(files[0]).names) if files else set()
    for name, kind in columns.items():
        quoted = '"' + name.replace('"', '""') + '"'
        if name not in there:
            shown.append(f"CAST(NULL AS {_DUCK_TYPES.get(kind, 'VARCHAR[]')}) AS {quoted}")
        elif name == "state":
            shown.append(f"CAST({quoted} AS JSON) AS {quoted}")
        elif pa.types.is_timestamp(kind):
            # Sessions of Spark are in UTC.
            shown.append(f"CAST({quoted} AS TIMESTAMP) AS {quoted}")
        else:
            shown.append(quoted)
    paths = ", ".join("'{}'".format(str(file).replace("'", "''")) for file in files)
    rows = f"FROM read_parquet([{paths}])" if files else "LIMIT 0"
    return f"SELECT {', '.join(shown)} {rows}"


def _sql(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb", identify=True)


def _check_set_operations(connection: duckdb.DuckDBPyConnection, tree: exp.Query) -> None:
    """Raise NotTranslated where the sides of a set operation have columns of different types: DuckDB makes texts of them."""
    for node in tree.find_all(exp.SetOperation):
        before = [
            each.sql(dialect="duckdb", identify=True)
            for outer in _ancestors(node)
            if isinstance(outer, exp.Query) and outer.args.get("with_")
            for each in outer.args["with_"].expressions
            if node not in list(each.walk())
        ]
        prefix = f"WITH {', '.join(before)} " if before else ""
        kinds = []
        for side in (node.this, node.expression):
            description = connection.execute(
                f"{prefix}SELECT * FROM ({_sql(side.unnest())}) LIMIT 0"  # noqa: S608 - the user's own query
            ).description
            kinds.append([_family(str(column[1])) for column in description or []])
        if kinds[0] != kinds[1]:
            raise NotTranslated("different types brought together by a set operation")


def _ancestors(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    at: exp.Expr | None = node
    while at is not None:
        found.insert(0, at)
        at = at.parent
    return found


def _family(kind: str) -> str:
    return "INTEGER" if kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT") else kind


def _plain(kind: DuckDBPyType, value: object) -> object:
    """A value of a type of DuckDB as JSON data, as ``tla2py.spark.frames.plain`` makes it of Spark's."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    if str(kind) == "JSON":
        return _ordered(json.loads(str(value)))
    if isinstance(value, list):
        return [_plain(_child(kind, 0), each) for each in value]
    if isinstance(value, dict) and kind.id == "struct":
        return {name: _plain(_child(kind, place), each) for place, (name, each) in enumerate(value.items())}
    if isinstance(value, dict):
        return {
            str(_plain(_child(kind, 0), name)): _plain(_child(kind, 1), each) for name, each in value.items()
        }
    return value


def _child(kind: DuckDBPyType, place: int) -> DuckDBPyType:
    """The type of a part of a list, a struct or a map."""
    return cast("DuckDBPyType", kind.children[place][1])


def _ordered(value: object) -> object:
    """JSON data with the keys of objects in order, as in a VARIANT."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return [_ordered(each) for each in value] if isinstance(value, list) else value


# Columns of explode() and posexplode() without names, and the fields of ``runs.violated``.
_GIVEN = {"col", "pos", "key", "value", "kind", "name"}


def check_tables(tree: exp.Query, tables: Sequence[str]) -> None:
    """Raise InputError (``sql``) for a table that neither the store nor the query has."""
    own = {each.alias.lower() for each in tree.find_all(exp.CTE)} | set(tables)
    for table in tree.find_all(exp.Table):
        plain = isinstance(table.this, exp.Identifier) and not table.args.get("db")
        if plain and table.name.lower() not in own:
            raise InputError(
                "sql",
                f"no table {table.name}",
                hint=_meant(table.name, tables, f"tables: {', '.join(tables)}"),
            )


def check_columns(tree: exp.Query, columns: Mapping[str, Mapping[str, pa.DataType]]) -> None:
    """Raise InputError (``sql``) for a column that neither the query's tables nor the query itself have.

    The constructs of the query must be on the list of those that DuckDB may answer.
    """
    used = used_tables(tree, columns)
    stored = [name for table in used for name in columns[table]]
    known = {name.lower() for name in (*stored, *_mistakes_named(tree))} | _GIVEN
    sources = {
        node.alias_or_name.lower()
        for node in tree.find_all(exp.Table, exp.CTE, exp.Subquery, exp.Lateral, exp.Values)
    }
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue
        name, source = column.name, column.text("table").lower()
        if source and source not in sources | known:
            raise InputError(
                "sql",
                f"no table {column.text('table')} in this query",
                hint=_meant(source, sorted(sources), "add it after FROM or JOIN"),
            )
        if name.lower() not in known:
            shown = [f"columns of {table}: {', '.join(columns[table])}" for table in used]
            raise InputError("sql", f"no column {name}", hint=_meant(name, stored, "; ".join(shown)))


def used_tables(tree: exp.Query, tables: Mapping[str, object]) -> list[str]:
    """The tables of a store that a query names."""
    named = {table.name.lower() for table in tree.find_all(exp.Table)}
    return [name for name in tables if name in named]


def _mistakes_named(tree: exp.Query) -> Iterator[str]:
    """The names that a query gives."""
    for node in tree.find_all(exp.Alias, exp.TableAlias, exp.Lambda, exp.Aliases, exp.PropertyEQ):
        if isinstance(node, exp.TableAlias):
            yield from (column.name for column in node.columns)
        elif isinstance(node, exp.Lambda | exp.Aliases):
            yield from (name.name for name in node.expressions)
        else:
            yield node.alias or node.name


def _meant(name: str, known: Sequence[str], otherwise: str) -> str:
    close = difflib.get_close_matches(name.lower(), [each.lower() for each in known], 1)
    return f"did you mean {next(each for each in known if each.lower() == close[0])}?" if close else otherwise


Answer = tuple[list[str], list[list[object]]]
"""The names of the columns, and the rows as plain Python values."""


def answer_query(
    store: Store,
    statement: str,
    *,
    engine: Engine | None = None,
    master: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Answer:
    """The answer to a query in Spark's SQL.

    Without an engine DuckDB answers if it gives Spark's rows, except on a cluster; ``say`` gets the reason if it does
    not. Raises InputError (``sql``) and ToolchainError (``spark-missing``, ``spark-failed``).
    """
    if engine is None and (master is not None or "PYSPARK_GATEWAY_PORT" in os.environ):
        engine = Engine.SPARK
    columns = _columns(store)
    try:
        tree = parse_query(statement)
        check_tables(tree, tuple(columns))
        translated = translate(tree, statement, columns)
        check_columns(tree, columns)
        if engine != Engine.SPARK:
            files = {
                name: [file.resolve() for file in table_files(store, name)]
                for name in used_tables(tree, columns)
            }
            return duck_rows(translated, columns, files)
    except NotTranslated as reason:
        if engine != Engine.SPARK:
            return _instead(store, statement, engine, reason, say)
    return _by_spark(store, statement, master)


def _instead(
    store: Store, statement: str, engine: Engine | None, reason: NotTranslated, say: Callable[[str], None]
) -> Answer:
    """Spark's answer where DuckDB has none."""
    if engine == Engine.DUCKDB:
        raise InputError("sql", f"DuckDB does not support {reason}", hint="leave out --engine to use Spark")
    if not has_pyspark():
        if isinstance(reason, NotRead):
            raise InputError(
                "sql", f"cannot read {reason}", hint="queries are in Spark's SQL: SELECT ... FROM ..."
            )
        raise ToolchainError(
            "spark-missing", f"only Spark supports {reason}", hint="pip install 'tla2py[spark]'"
        )
    say(f"starting Spark, which takes some seconds: DuckDB does not support {reason}")
    return _by_spark(store, statement, None)


def _columns(store: Store) -> Columns:
    every = {"runs": runs_columns(store.manifest().parameters), **TABLES}
    return {table: {column.name: column.type for column in each} for table, each in every.items()}


def _by_spark(store: Store, statement: str, master: str | None) -> Answer:
    require_pyspark()
    from tla2py.spark.frames import run_query
    from tla2py.spark.session import spark_session

    with spark_session(master, name="tla2py query") as session:
        return run_query(session, store, statement)
