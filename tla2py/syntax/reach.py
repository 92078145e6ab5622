"""The expressions that names reach at any depth, and digests of the definitions among them.

Names are followed through EXTENDS, INSTANCE with its substitutions, LET, and what a config replaces. Operators of standard
modules count by name, as a part of the text that uses them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tla2py.syntax.depth import deeply
from tla2py.syntax.expression import Expression
from tla2py.syntax.module_graph import ModuleGraph
from tla2py.syntax.scope import Entity, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """An expression, the scope of its names, and the definition that it is in, None for the root."""

    expr: Expression
    scope: Scope
    owner: Entity | None = None

    @property
    def entity(self) -> Entity | None:
        """What the name that this expression applies refers to; for ``Op!label``, a part of Op, that is Op."""
        name = self.expr.operator if self.expr.shape == "apply" else ""
        while name and (found := self.scope.find(name)) is None:
            name = name.rpartition("!")[0]
        return found if name else None


def named(spec: ModuleGraph, names: Iterable[str]) -> Iterator[Reached]:
    """The bodies of definitions of the root module; other names are left out."""
    for name in names:
        entity = spec.scope.find(name)
        if entity is not None and entity.body is not None:
            yield Reached(expr=entity.body, scope=entity.scope, owner=entity)


def closure(values: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """The names that a config gives values, each with the names in its value at any depth.

    ``[Mod]Name`` counts as Name.
    """
    found = {name.rpartition("]")[2]: {*value} for name, value in values.items()}
    for names in found.values():
        pending = [*names]
        while pending:
            new = found.get(pending.pop(), set()) - names
            names |= new
            pending += new
    return {name: frozenset(names) for name, names in found.items()}


def reached(
    spec: ModuleGraph,
    roots: Iterable[Reached],
    replaced: Mapping[str, frozenset[str]],
    *,
    beyond: Collection[str] = (),
) -> Iterator[Reached]:
    """Every expression that some expressions contain or reach through names.

    ``replaced`` are the names that the config gives other values, each with the names in its value. The arguments of the
    operators ``beyond`` are left out.
    """
    pending = list(roots)
    seen = {each.owner for each in pending}
    while pending:
        each = pending.pop()
        yield each
        expr, owner = each.expr, each.owner
        if expr.shape == "apply" and expr.operator in beyond:
            continue
        inside = spec.resolver.let(each.scope, expr) if expr.shape == "let" else each.scope
        pending += [Reached(expr=child, scope=inside, owner=owner) for child in expr.children()]
        if expr.shape != "apply":
            continue
        others = [spec.scope.find(name) for name in replaced.get(expr.operator.rpartition("!")[2], ())]
        for entity in (each.entity, *others):
            if entity is not None and entity.body is not None and entity not in seen:
                seen.add(entity)
                # A definition in a LET is a part of the definition around it.
                around = owner if entity.enclosed else entity
                pending.append(Reached(expr=entity.body, scope=entity.scope, owner=around))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedDigests:
    """The definitions that some names or assumptions reach.

    definitions: a digest of each by name; ``M!Op`` is one of module M that the root does not see under its own name.
    digest: over the definitions and what each of their names refers to.
    """

    definitions: Mapping[str, str]
    digest: str


@deeply
def digest_names(
    spec: ModuleGraph, names: Iterable[str], replaced: Mapping[str, frozenset[str]]
) -> ReachedDigests:
    """The digests of what some names of the root reach; ``replaced`` as for ``reached``."""
    direct = {name for each in names for name in (each, *replaced.get(each, ()))}
    return _digests(spec, named(spec, direct), replaced)


@deeply
def digest_assumptions(
    spec: ModuleGraph, replaced: Mapping[str, frozenset[str]]
) -> tuple[Mapping[str, str], ReachedDigests]:
    """The digests of the assumptions that TLC checks, by module, and of what they reach."""
    roots = [
        Reached(expr=each.body, scope=spec.scope_of(module))
        for module in spec.extended
        for each in module.assumptions
    ]
    texts = {
        module.name: _digest_of(sorted(each.digest for each in module.assumptions))
        for module in spec.extended
    }
    return texts, _digests(spec, roots, replaced)


def _digests(
    spec: ModuleGraph, roots: Iterable[Reached], replaced: Mapping[str, frozenset[str]]
) -> ReachedDigests:
    refers: dict[Entity, set[tuple[str, str, str]]] = {}
    for each in reached(spec, roots, replaced):
        if each.owner is not None:
            found = refers.setdefault(each.owner, set())
            entity = each.entity
            # A definition in a LET is a part of the text around it.
            if entity is not None and not entity.enclosed:
                found.add((each.expr.operator, entity.kind, _label(entity, spec)))
    texts: dict[str, set[str]] = {}
    for entity in refers:
        texts.setdefault(_label(entity, spec), set()).add(entity.digest)
    facts = (
        [_label(entity, spec), entity.parameters, entity.digest, sorted(names)]
        for entity, names in refers.items()
    )
    return ReachedDigests(
        # One name may stand for several substitutions, one for each instance of its module.
        definitions={
            label: next(iter(each)) if len(each) == 1 else _digest_of(sorted(each))
            for label, each in sorted(texts.items())
        },
        digest=_digest_of(sorted(json.dumps(fact) for fact in facts)),
    )


def _label(entity: Entity, spec: ModuleGraph) -> str:
    name = entity.declaration.name
    seen = spec.scope.find(name)
    plain = seen is not None and seen.declaration is entity.declaration and entity.kind != "substituted"
    return name if plain else f"{entity.declaration.module}!{name}"


def _digest_of(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
