"""Infinite sets that TLC would have to enumerate."""

from __future__ import annotations

from collections.abc import Iterable

from tla2py.syntax import ModuleGraph
from tla2py.syntax.expression import Expression


def endless_sets(spec: ModuleGraph) -> dict[str, str]:
    """The definitions that equal Nat or Int and that some definition ranges over, each with ``Nat`` or ``Int``.

    A definition visible only through a named instance is written ``[Module]Name``.
    """
    found: dict[str, str] = {}
    visible = _ranged(each.body for each in spec.definitions.values() if each.body is not None)
    for module in spec.modules:
        ranged = _ranged(each.body for each in module.definitions if each.body is not None)
        for each in module.definitions:
            if each.body is None or each.parameters or not each.body.is_name():
                continue
            if each.body.operator in {"Nat", "Int"}:
                own = spec.definitions.get(each.name)
                plain = own is not None and own.span == each.span and spec.file_of(own) is module
                if each.name in (visible if plain else ranged):
                    found[each.name if plain else f"[{module.name}]{each.name}"] = each.body.operator
    return found


def _ranged(expressions: Iterable[Expression]) -> set[str]:
    """The names of sets over which bound variables in the expressions range."""
    found: set[str] = set()
    pending = list(expressions)
    while pending:
        expr = pending.pop()
        pending += expr.children()
        domains = [bound.domain for bound in expr.bounds if bound.domain is not None]
        found |= {domain.operator for domain in domains if domain.is_name()}
    return found
