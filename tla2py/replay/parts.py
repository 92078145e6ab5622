"""Copies of an invariant and of its definitions in which each conjunct prints its value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tla2py.instrument.conjunct import Conjunct, Role
from tla2py.instrument.copies import DefinitionCopy, Place
from tla2py.instrument.edits import Edit, wrapped
from tla2py.syntax import Level
from tla2py.syntax.expression import Expression

PRINTER = "AskConjunctsTell"
# Parts of parts of a conjunct are shown to this depth.
_DEEPEST = 3


def printer_text(*, stops: bool) -> str:
    """The module whose operators print the value of a part; with ``stops`` a FALSE conjunct ends the evaluation."""
    tell = 'PrintT(<<"tla2py: conjunct", number, names, values, value>>)'
    # Bound by a quantifier the value is evaluated once, although it is used twice.
    whether = f"\\E value \\in {{formula}} : {tell} /\\ value"
    return f"""---- MODULE {PRINTER} ----
LOCAL INSTANCE TLC
Whether(number, names, values, formula) == {whether}
Tell(number, names, values, value) == {"Whether(number, names, values, value)" if stops else tell}
====
"""


@dataclass(slots=True)
class InvariantCopy(DefinitionCopy):
    """The copy of an invariant; ``conjuncts`` are its parts in the order of their numbers."""

    conjuncts: list[Conjunct] = field(default_factory=list)

    def _edits(self, expr: Expression, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        """The edits that make the parts of an expression print their values, where names are bound.

        Inside a conjunct these are its direct parts.
        """
        inside = place.depth > 0
        match expr:
            case Expression(shape="apply", operator="/\\"):
                for each in expr.arguments:
                    yield from self._part(each, names, place)
            case Expression(shape="apply", operator="\\/") if inside:
                for each in expr.arguments:
                    yield from self._part(each, names, place)
            case Expression(shape="apply", operator="~", arguments=(body,)) if inside:
                yield from self._edits(body, names, replace(place, positive=not place.positive))
            case Expression(shape="apply", operator="=>", arguments=(condition, consequent)):
                yield from self._printed(condition, "condition", names, place)
                yield from self._part(consequent, names, place)
            case Expression(shape="build", operator="IF", arguments=(condition, *branches)):
                yield from self._printed(condition, "condition", names, place)
                for each in branches:
                    yield from self._part(each, names, place)
            case Expression(shape="build", operator="CASE", arguments=arms):
                for condition, value in zip(arms[::2], arms[1::2], strict=True):
                    # OTHER is not written as an expression.
                    if condition.shape != "literal":
                        yield from self._printed(condition, "condition", names, place)
                    yield from self._part(value, names, place)
            case Expression(shape="bind", operator="\\A" | "\\E", arguments=(body,)) if (
                expr.operator == "\\A"
            ) is place.positive and all(each.domain for each in expr.bounds):
                names = (*names, *(name for each in expr.bounds for name in each.names))
                if inside:
                    yield from self._printed(body, "body", names, place)
                else:
                    yield from self._edits(body, names, place)
            case Expression(shape="let", arguments=(body,)):
                scope = self.query.spec.resolver.let(place.scope, expr)
                yield from self._edits(body, names, replace(place, scope=scope))
            case Expression(shape="apply", operator="[]", arguments=(body,)) if not (names or inside):
                # TLC reports a property that is always TRUE of single states as an invariant.
                yield Edit(expr.span.begin_line, expr.span.begin_column, "  ", 2)
                yield from self._edits(body, names, place)
            case Expression(shape="literal", operator="boolean", text="TRUE"):
                return
            case _:
                called = self._call(expr, place) if not inside or self._varies(expr, names, place) else None
                if called:
                    yield called
                elif not inside:
                    yield from self._printed(expr, "conjunct", names, place)

    def _varies(self, expr: Expression, names: tuple[str, ...], place: Place) -> bool:
        """Whether an expression depends on the state: TLC evaluates constants once, before all states."""
        level = self.query.levels.of_expression(expr, place.scope, frozenset(names))
        return level != Level.CONSTANT

    def _part(self, expr: Expression, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        """The edits of a conjunct of a conjunction, a branch, or a part of what prints its own value."""
        return self._printed(expr, "part", names, place) if place.depth else self._edits(expr, names, place)

    def _printed(self, expr: Expression, role: Role, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        """The edits that make an expression and its parts print their values; texts keep their columns."""
        span, module = expr.span, place.module
        quoted, values = ", ".join(f'"{name}"' for name in names), ", ".join(names)
        operator = "Tell" if role == "conjunct" else "Whether"
        call = f"tla2pyTell!{operator}({len(self.conjuncts)}, <<{quoted}>>, <<{values}>>, ("
        exists = expr.shape == "bind" and expr.operator == "\\E"
        self.conjuncts.append(
            Conjunct(
                text=module.excerpt(span),
                role=role,
                definition=place.path[-1],
                module=module.name,
                line=module.line(span.begin_line),
                column=span.begin_column,
                depth=place.depth,
                decisive=role == "condition" or (role == "body" and not place.positive),
                unbound=tuple(name for each in expr.bounds for name in each.names) if exists else (),
            )
        )
        opened = role != "condition" and place.depth < _DEEPEST
        inside = self._edits(expr, names, replace(place, depth=place.depth + 1)) if opened else ()
        yield from wrapped(span, call, inside, "))")
