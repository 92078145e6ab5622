"""Where a query uses a VARIANT, which is JSON in DuckDB: what compares or converts it would read its text."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from sqlglot import exp

from tla2py.query.parse import NotTranslated

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
