"""Copies of an invariant and of its definitions in which each conjunct prints its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from tla2py.replay.edits import Edit, edited
from tla2py.replay.query import TraceQuery
from tla2py.syntax import Module
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.module import Definition
from tla2py.syntax.scope import Entity, Scope

_PRINTER = "AskConjunctsTell"
_DEEPEST = 20


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
    return f"""---- MODULE {_PRINTER} ----
LOCAL INSTANCE TLC
Tell(number, names, values, value) == {say}{value if stops else ""}
Whether(number, names, values, value) == {say}{value}
====
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where an expression is: in which definition of which module, and how many definitions lead to it."""

    scope: Scope
    module: Module
    definition: str
    depth: int


@dataclass(slots=True)
class InvariantCopy:
    """The copy of an invariant; ``root`` is its name, ``conjuncts`` its parts in the order of their numbers."""

    query: TraceQuery
    name: str
    root: str = ""
    conjuncts: tuple[Conjunct, ...] = ()
    _parts: list[Conjunct] = field(default_factory=list)
    _copies: int = 0
    _inserted: dict[str, list[Edit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._take()

    @deeply
    def _take(self) -> None:
        spec = self.query.spec
        self.root = self._copy(spec.scope.names[self.name], 0) or self.name
        self.conjuncts = tuple(self._parts)
        for module in spec.modules:
            edits = self._inserted.get(module.name, [])
            if edits:
                first = min(edits)
                tell = f"LOCAL tla2pyTell == INSTANCE {_PRINTER}\n{' ' * (first.column - 1)}"
                edits[edits.index(first)] = first._replace(text=tell + first.text)
                file = f"{module.name}.tla"
                lines = self.query.modules[file].split("\n")
                self.query.modules[file] = "\n".join(edited(lines, edits))

    def install(self, printer: str) -> None:
        """Add the printer to the modules of the run."""
        self.query.modules[f"{_PRINTER}.tla"] = printer

    def _copy(self, entity: Entity, depth: int) -> str | None:
        """The name of the copy of a definition; None if it cannot be taken apart."""
        definition = entity.declaration
        body = entity.body
        if not isinstance(definition, Definition) or body is None or depth > _DEEPEST:
            return None
        if entity.enclosed or definition.recursive or definition.kind != "operator":
            return None
        module = next((each for each in self.query.spec.modules if each.name == definition.module), None)
        if module is None or f"{module.name}.tla" not in self.query.modules:
            return None
        head = re.match(rf"(?:LOCAL\s+)?{re.escape(definition.name)}\s*(\([^=]*\))?\s*==", definition.text)
        if head is None:
            return None
        self._copies += 1
        name, span, parameters = f"tla2pyCopy{self._copies}", body.span, head[1] or ""
        # An operator is not a value.
        values = (each for each in definition.parameters if not re.search(rf"\b{each}\s*\(", parameters))
        edits = self._edits(
            body,
            tuple(values),
            _Place(scope=entity.scope, module=module, definition=definition.name, depth=depth),
        )
        lines = module.text.split("\n")[span.begin_line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = " " * (span.begin_column - 1) + lines[0][span.begin_column - 1 :]
        text = "\n".join(edited(lines, edits, span.begin_line))
        pad = " " * (definition.span.begin_column - 1)
        place = definition.span
        self._inserted.setdefault(module.name, []).append(
            Edit(place.begin_line, place.begin_column, f"{name}{parameters} ==\n{text}\n{pad}")
        )
        return name

    def _edits(self, expr: Expression, names: tuple[str, ...], place: _Place) -> Iterator[Edit]:
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

    def _call(self, expr: Expression, place: _Place) -> Edit | None:
        """The edit that calls the copy of a definition instead; None if the expression is no such call."""
        entity = place.scope.find(expr.operator) if expr.shape == "apply" else None
        # A model may replace a definition by another.
        if entity is None or expr.operator in dict(self.query.config.substitutions):
            return None
        line, column = expr.span.begin_line, expr.span.begin_column
        text = place.module.text.split("\n")[line - 1][column - 1 :]
        if not re.match(rf"{re.escape(expr.operator)}(?![\w!])", text):
            return None
        copy = self._copy(entity, place.depth + 1)
        if copy is None:
            return None
        own = expr.operator.rpartition("!")[2]
        begin, end = column + len(expr.operator) - len(own), column + len(expr.operator)
        return Edit(line, begin, f"{copy}\n{' ' * (end - 1)}", len(own))

    def _printed(
        self, expr: Expression, role: Literal["conjunct", "condition"], names: tuple[str, ...], place: _Place
    ) -> Iterator[Edit]:
        """The edits that make an expression print its value; its text and what follows it keep their columns."""
        span, module = expr.span, place.module
        quoted, values = ", ".join(f'"{name}"' for name in names), ", ".join(names)
        operator = "Tell" if role == "conjunct" else "Whether"
        call = f"tla2pyTell!{operator}({len(self._parts)}, <<{quoted}>>, <<{values}>>, ("
        yield Edit(span.begin_line, span.begin_column, f"{call}\n{' ' * (span.begin_column - 1)}")
        yield Edit(span.end_line, span.end_column + 1, f"))\n{' ' * span.end_column}")
        self._parts.append(
            Conjunct(
                text=module.excerpt(span),
                role=role,
                definition=place.definition,
                module=module.name,
                line=module.line(span.begin_line),
                column=span.begin_column,
            )
        )
