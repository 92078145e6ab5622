"""The definitions that names of a module reach at any depth, and digests of what these say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.module_graph import ModuleGraph
from tla2py.syntax.scope import Entity, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The definitions that some names reach.

    definitions: a digest of each by name; ``M!Op`` is one of module M that the root does not see under its own name.
    digest: over the definitions and what each of their names refers to.
    """

    definitions: Mapping[str, str]
    digest: str


class Reach:
    """Follows the names of a module through EXTENDS, INSTANCE with its substitutions, and LET.

    Operators of standard modules count by name, as a part of the text that uses them.
    """

    def __init__(self, spec: ModuleGraph) -> None:
        self._spec = spec
        self._used: dict[Entity, tuple[tuple[str, Entity | None], ...]] = {}

    @deeply
    def reached(self, names: Iterable[str], replaced: Mapping[str, Iterable[str]]) -> Reached:
        """What some names of the root reach. A name in ``replaced`` reaches what the config gives it, too."""
        root = self._spec.scope
        return self._closure([(name, root.find(name)) for name in names], replaced)

    @deeply
    def assumptions(self, replaced: Mapping[str, Iterable[str]]) -> tuple[Mapping[str, str], Reached]:
        """The digests of the assumptions that TLC checks, by module, and what they reach."""
        digests: dict[str, str] = {}
        used: list[tuple[str, Entity | None]] = []
        for module in self._spec.extended:
            for each in module.assumptions:
                used += self._mentioned(each.body, self._spec.scope_of(module))
            if module.assumptions:
                digests[module.name] = _digest_of(sorted(each.digest for each in module.assumptions))
        return digests, self._closure(used, replaced)

    def _closure(
        self, pending: list[tuple[str, Entity | None]], replaced: Mapping[str, Iterable[str]]
    ) -> Reached:
        seen: set[tuple[str, Entity | None]] = set()
        texts: dict[str, set[str]] = {}
        facts: set[str] = set()
        while pending:
            name, entity = each = pending.pop()
            if each in seen:
                continue
            seen.add(each)
            pending += [(other, self._spec.scope.find(other)) for other in replaced.get(name, ())]
            if entity is None:
                continue
            label = self._label(entity)
            if entity.body is not None:
                texts.setdefault(label, set()).add(entity.digest)
            used = self._uses(entity)
            refers = sorted({(other, self._label(target)) for other, target in used if target is not None})
            facts.add(json.dumps([entity.kind, label, entity.parameters, entity.digest, refers]))
            pending += used
        # One name may stand for several substitutions, one for each instance of its module.
        definitions = {
            label: next(iter(each)) if len(each) == 1 else _digest_of(sorted(each))
            for label, each in sorted(texts.items())
        }
        return Reached(definitions=definitions, digest=_digest_of(sorted(facts)))

    def _uses(self, entity: Entity) -> tuple[tuple[str, Entity | None], ...]:
        if entity not in self._used:
            body = entity.body
            self._used[entity] = tuple(self._mentioned(body, entity.scope)) if body is not None else ()
        return self._used[entity]

    def _mentioned(self, expr: Expression, scope: Scope) -> Iterator[tuple[str, Entity | None]]:
        """The names in an expression and what they refer to; a definition in a LET is a part of the text around it."""
        pending = [(expr, scope)]
        while pending:
            each, around = pending.pop()
            inside = self._spec.resolver.let(around, each) if each.shape == "let" else around
            if each.shape == "apply":
                entity = _find(each.operator, around)
                if entity is None or not entity.enclosed:
                    yield each.operator, entity
            pending += [(child, inside) for child in each.children()]

    def _label(self, entity: Entity) -> str:
        name = entity.declaration.name
        seen = self._spec.scope.find(name)
        plain = seen is not None and seen.declaration is entity.declaration and entity.kind != "substituted"
        return name if plain else f"{entity.declaration.module}!{name}"


def _find(name: str, scope: Scope) -> Entity | None:
    """The entity of a name; of ``Op!label``, which is a part of a definition, that definition."""
    while (entity := scope.find(name)) is None and "!" in name:
        name = name.rpartition("!")[0]
    return entity


def _digest_of(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
