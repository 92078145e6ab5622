"""Copies of an invariant and of its definitions in which each conjunct prints its value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from tla2py.replay.copies import DefinitionCopy, Place
from tla2py.replay.edits import Edit, wrapped
from tla2py.syntax.expression import Expression

PRINTER = "AskConjunctsTell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conjunct:
    """A part of an invariant: a conjunct, or the condition of an implication or an IF before one.

    ``definition`` is the name of the definition that it is written in, ``line`` and ``column`` its place in the
    user's module.
    """

    text: str
    role: Literal["conjunct", "condition"]
    definition: str
    module: str
    line: int
    column: int


def printer_text(*, stops: bool) -> str:
    """The module whose operators print the value of a part; with ``stops`` a FALSE conjunct ends the evaluation."""
    say = 'PrintT(<<"tla2py: conjunct", number, names, values, value>>)'
    value = " /\\ value"
    return f"""---- MODULE {PRINTER} ----
LOCAL INSTANCE TLC
Tell(number, names, values, value) == {say}{value if stops else ""}
Whether(number, names, values, value) == {say}{value}
====
"""


@dataclass(slots=True)
class InvariantCopy(DefinitionCopy):
    """The copy of an invariant; ``conjuncts`` are its parts in the order of their numbers."""

    conjuncts: list[Conjunct] = field(default_factory=list)

    def _edits(self, expr: Expression, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        """The edits that make the parts of an expression print their values, where names are bound."""
        match expr:
            case Expression(shape="apply", operator="/\\"):
                for each in expr.arguments:
                    yield from self._edits(each, names, place)
            case Expression(shape="apply", operator="=>", arguments=(condition, consequent)):
                yield from self._printed(condition, "condition", names, place)
                yield from self._edits(consequent, names, place)
            case Expression(shape="build", operator="IF", arguments=(condition, *branches)):
                yield from self._printed(condition, "condition", names, place)
                for each in branches:
                    yield from self._edits(each, names, place)
            case Expression(shape="bind", operator="\\A", arguments=(body,)) if all(
                each.domain for each in expr.bounds
            ):
                bound = (name for each in expr.bounds for name in each.names)
                yield from self._edits(body, (*names, *bound), place)
            case Expression(shape="let", arguments=(body,)):
                inside = self.query.spec.resolver.let(place.scope, expr)
                yield from self._edits(body, names, replace(place, scope=inside))
            case Expression(shape="apply", operator="[]", arguments=(body,)) if not names:
                # TLC reports a property that is always TRUE of single states as an invariant.
                yield Edit(expr.span.begin_line, expr.span.begin_column, "  ", 2)
                yield from self._edits(body, names, place)
            case Expression(shape="literal", operator="boolean", text="TRUE"):
                return
            case _:
                called = self._call(expr, place)
                yield from [called] if called else self._printed(expr, "conjunct", names, place)

    def _printed(
        self, expr: Expression, role: Literal["conjunct", "condition"], names: tuple[str, ...], place: Place
    ) -> Iterator[Edit]:
        """The edits that make an expression print its value; its text and what follows it keep their columns."""
        span, module = expr.span, place.module
        quoted, values = ", ".join(f'"{name}"' for name in names), ", ".join(names)
        operator = "Tell" if role == "conjunct" else "Whether"
        call = f"tla2pyTell!{operator}({len(self.conjuncts)}, <<{quoted}>>, <<{values}>>, ("
        yield from wrapped(span, call, "))")
        self.conjuncts.append(
            Conjunct(
                text=module.excerpt(span),
                role=role,
                definition=place.path[-1],
                module=module.name,
                line=module.line(span.begin_line),
                column=span.begin_column,
            )
        )
