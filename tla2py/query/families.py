"""Kinds of types of expressions, as far as the tree of a query shows them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import pyarrow as pa
from sqlglot import exp


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
