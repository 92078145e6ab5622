"""Changed copies of definitions, next to the originals in copies of their modules."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from tla2py.instrument.edits import Edit, edited
from tla2py.model.config import Config
from tla2py.syntax import Module, ModuleGraph
from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.levels import Levels
from tla2py.syntax.module import Definition
from tla2py.syntax.scope import Entity, Scope

_DEEPEST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an expression is: its scope and module, and the names of the definitions that lead to it.

    ``owners`` are these definitions. ``depth`` is the number of conjuncts and parts that it is inside of, ``positive`` whether an even number of negations
    is around it.
    """

    scope: Scope
    module: Module
    path: tuple[str, ...]
    owners: tuple[Entity, ...] = ()
    depth: int = 0
    positive: bool = True


class Subject(Protocol):
    """Modules, parsed and as texts by file name, and the config that TLC reads them with. Copies change the texts."""

    spec: ModuleGraph
    levels: Levels
    modules: dict[str, str]
    config: Config


@dataclass(slots=True)
class DefinitionCopy(ABC):
    """The copy of a definition and of those that it is made of, changed; ``root`` is its name.

    The changed text may use the operators of the module ``printer``, as ``tla2pyTell!Operator``.
    """

    query: Subject
    name: str
    printer: str
    root: str = ""
    _copies: int = 0
    _inserted: dict[str, list[Edit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._take()

    @deeply
    def _take(self) -> None:
        spec = self.query.spec
        top = Place(scope=spec.scope, module=spec.modules[0], path=())
        self.root = self._copy(spec.scope.names[self.name], top) or self.name
        for module in spec.modules:
            edits = self._inserted.get(module.name, [])
            if edits:
                first = min(edits, key=lambda each: each.place)
                tell = f"LOCAL tla2pyTell == INSTANCE {self.printer}\n{' ' * (first.column - 1)}"
                edits[edits.index(first)] = first._replace(text=tell + first.text)
                file = f"{module.name}.tla"
                lines = self.query.modules[file].split("\n")
                self.query.modules[file] = "\n".join(edited(lines, edits))

    def _copy(self, entity: Entity, place: Place) -> str | None:
        """The name of the copy of a definition that is used at a place; None if there is nothing to change."""
        definition = entity.declaration
        body = entity.body
        if not isinstance(definition, Definition) or body is None or len(place.path) > _DEEPEST:
            return None
        if entity.enclosed or definition.recursive or definition.kind != "operator":
            return None
        module = next((each for each in self.query.spec.modules if each.name == definition.module), None)
        if module is None or f"{module.name}.tla" not in self.query.modules:
            return None
        head = re.match(rf"(?:LOCAL\s+)?{re.escape(definition.name)}\s*(\([^=]*\))?\s*==", definition.text)
        if head is None:
            return None
        span, parameters = body.span, head[1] or ""
        # An operator is not a value.
        values = (each for each in definition.parameters if not re.search(rf"\b{each}\s*\(", parameters))
        there = replace(
            place,
            scope=entity.scope,
            module=module,
            path=(*place.path, definition.name),
            owners=(*place.owners, entity),
        )
        edits = list(self._edits(body, tuple(values), there))
        if not edits:
            return None
        self._copies += 1
        name = f"tla2pyCopy{self._copies}"
        lines = module.text.split("\n")[span.begin_line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = " " * (span.begin_column - 1) + lines[0][span.begin_column - 1 :]
        text = "\n".join(edited(lines, edits, span.begin_line))
        pad = " " * (definition.span.begin_column - 1)
        begin = definition.span
        self._inserted.setdefault(module.name, []).append(
            Edit(begin.begin_line, begin.begin_column, f"{name}{parameters} ==\n{text}\n{pad}")
        )
        return name

    @abstractmethod
    def _edits(self, expr: Expression, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        """The changes of an expression, around which names are bound."""

    def _call(self, expr: Expression, place: Place) -> Edit | None:
        """The edit that calls the copy of a definition instead; None if the expression is no such call."""
        entity = place.scope.find(expr.operator) if expr.shape == "apply" else None
        # A model may replace a definition by another.
        if entity is None or expr.operator in dict(self.query.config.substitutions):
            return None
        line, column = expr.span.begin_line, expr.span.begin_column
        text = place.module.text.split("\n")[line - 1][column - 1 :]
        if not re.match(rf"{re.escape(expr.operator)}(?![\w!])", text):
            return None
        copy = self._copy(entity, place)
        if copy is None:
            return None
        own = expr.operator.rpartition("!")[2]
        begin, end = column + len(expr.operator) - len(own), column + len(expr.operator)
        return Edit(line, begin, f"{copy}\n{' ' * (end - 1)}", len(own))
