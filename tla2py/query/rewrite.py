"""Rewrites the tree of a query for DuckDB, so that its rows are Spark's."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from tla2py.query.casts import Node, call
from tla2py.query.families import Families, Family
from tla2py.query.functions import CHANGES
from tla2py.query.parse import NotTranslated


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
