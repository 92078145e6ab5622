"""What counts the lines of a log: the variable that a module compares with the length of the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tla2py.model.model import LEVEL, Position
from tla2py.syntax import ModuleGraph
from tla2py.syntax.expression import Expression
from tla2py.syntax.reach import Reached
from tla2py.syntax.scope import Scope

# What a comparison tells with its sides swapped.
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "#": "#", "/=": "/="}
IsLog = Callable[[str], bool]


class _Sum(NamedTuple):
    """A name, such as a variable or a sequence, to which a number is added."""

    name: str
    added: int = 0
    primed: bool = False


class _Counted(NamedTuple):
    """What one comparison shows: ``name`` ends at the length of the sequence ``entries`` plus ``beyond``."""

    name: str
    entries: str
    beyond: int


def counters(spec: ModuleGraph, every: Iterable[Reached], is_log: IsLog) -> dict[str, Position]:
    """The positions in the log that expressions of a module compare with its length, by what they consist of.

    Each is the number of the next entry: if a variable ends at the length of the log, it is that variable plus one.
    """
    found: dict[str, Counter[_Counted]] = {}
    stepping: set[str] = set()
    for each in every:
        expr = each.expr
        if expr.shape != "apply" or len(expr.arguments) != 2:
            continue
        scope = each.scope
        one, other = expr.arguments
        if expr.operator == "=":
            stepping |= _steps(spec, one, other, scope)
        for counted in _compared(spec, expr.operator, one, other, scope, is_log):
            found.setdefault(counted.name, Counter())[counted] += 1
    if len(found) > 1 and len(found.keys() & stepping) == 1:
        found = {name: found[name] for name in found.keys() & stepping}
    return {name: _position(counts) for name, counts in found.items()}


def _position(counts: Counter[_Counted]) -> Position:
    """What most comparisons agree on; in doubt the module begins at 1 and ends one beyond the length."""
    best = max(counts, key=lambda each: (counts[each], each.beyond == 1, each.beyond))
    added = 1 - best.beyond
    sign = "+" if added > 0 else "-"
    expression = f"{best.name} {sign} {abs(added)}" if added else best.name
    return Position(expression=expression, entries=best.entries)


def _steps(spec: ModuleGraph, one: Expression, other: Expression, scope: Scope) -> set[str]:
    """The variable of ``l' = l + 1``."""
    after, before = _sum(spec, one, scope), _sum(spec, other, scope)
    steps = after is not None and before is not None and after.name == before.name
    return {after.name} if steps and after is not None and after.primed else set()


def _compared(
    spec: ModuleGraph, operator: str, one: Expression, other: Expression, scope: Scope, is_log: IsLog
) -> Iterator[_Counted]:
    if operator in ("\\in", "\\notin"):
        bound = other.arguments[1] if other.operator == ".." else other
        yield from _ordered(spec, "<=", one, bound, scope, is_log)
    elif operator in _SWAPPED:
        yield from _ordered(spec, operator, one, other, scope, is_log)
        yield from _ordered(spec, _SWAPPED[operator], other, one, scope, is_log)


def _ordered(
    spec: ModuleGraph, operator: str, one: Expression, other: Expression, scope: Scope, is_log: IsLog
) -> Iterator[_Counted]:
    length = _length(other, scope, is_log)
    if length is None:
        return
    counting = _sum(spec, one, scope)
    if counting is not None:
        beyond = length.added - counting.added
        if operator in ("<=", ">"):
            # A step is taken from a position that is allowed, and only then to one that is not.
            beyond += not counting.primed
        elif operator in ("<", ">="):
            beyond -= counting.primed
        yield _Counted(counting.name, length.name, beyond)


def _sum(spec: ModuleGraph, expr: Expression, scope: Scope, depth: int = 9) -> _Sum | None:
    """A variable, or the level of a state, to which a number is added."""
    if expr.operator == "'" and len(expr.arguments) == 1:
        inner = _sum(spec, expr.arguments[0], scope, depth)
        return inner._replace(primed=True) if inner is not None else None
    if expr.operator in ("+", "-"):
        return _added(expr, lambda part: _sum(spec, part, scope, depth))
    if expr.operator == "TLCGet" and expr.arguments[0].text == '"level"':
        return _Sum(LEVEL)
    entity = scope.named(expr)
    if entity is None or not depth:
        return None
    if entity.kind == "variable":
        return _Sum(expr.operator) if spec.scope.find(expr.operator) is entity else None
    if entity.body is not None and not entity.parameters:
        return _sum(spec, entity.body, entity.scope, depth - 1)
    return None


def _length(expr: Expression, scope: Scope, is_log: IsLog, depth: int = 9) -> _Sum | None:
    """A sequence whose length, or whose domain, this is, with what is added to its length."""
    if expr.operator in ("Len", "DOMAIN") and len(expr.arguments) == 1:
        sequence = expr.arguments[0]
        return _Sum(sequence.operator) if sequence.is_name() and is_log(sequence.operator) else None
    if expr.operator in ("+", "-"):
        return _added(expr, lambda part: _length(part, scope, is_log, depth))
    entity = scope.named(expr)
    if entity is not None and entity.body is not None and not entity.parameters and depth:
        return _length(entity.body, entity.scope, is_log, depth - 1)
    return None


def _added(expr: Expression, read: Callable[[Expression], _Sum | None]) -> _Sum | None:
    """A sum of a name and a number, in this order unless it is an addition."""
    if len(expr.arguments) != 2:
        return None
    one, other = expr.arguments
    if one.operator == "number" and expr.operator == "+":
        one, other = other, one
    if other.operator != "number" or not other.text.isdigit():
        return None
    found = read(one)
    number = int(other.text) if expr.operator == "+" else -int(other.text)
    return found._replace(added=found.added + number) if found is not None else None
