"""A module with all it extends and instantiates, the names visible in it, and what they reach."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from tla2py.tla.levels import CandidateFinder, Candidates, Level, Levels
from tla2py.tla.module import Assumption, Constant, Definition, Expression, Module, Variable
from tla2py.tla.replacement import Replacements
from tla2py.tla.scope import Entity, Resolver, Scope
from tla2py.tla.tree import deeply
from tla2py.tla.value_text import ValueTextError, parse_value

# What the translation of PlusCal's assert says.
_PLUSCAL = re.compile(r"Failure of assertion at line (\d+), column (\d+)\.")


@dataclass(frozen=True, kw_only=True)
class ModuleGraph:
    """A root module and the modules it needs.

    ``modules`` are those read from files, the root first; ``standard`` are the names of those that TLC includes;
    ``installed`` those of ``modules`` that the installed library provides.
    """

    root: Module
    modules: tuple[Module, ...]
    standard: tuple[str, ...]
    installed: tuple[Module, ...] = ()

    @cached_property
    def resolver(self) -> Resolver:
        """The resolver of names in these modules."""
        return Resolver(self.modules)

    @cached_property
    def scope(self) -> Scope:
        """The names visible at the root."""
        return self.resolver.scope(self.root.name)

    @cached_property
    def replacements(self) -> Replacements:
        """What substitutions in a config reach."""
        return Replacements(self.root, self.modules, self.installed, self.resolver)

    def scope_of(self, module: Module) -> Scope:
        """The names visible in one of the modules."""
        return self.resolver.scope(module.name)

    @cached_property
    def extended(self) -> tuple[Module, ...]:
        """The root and all modules it extends, each after those it extends itself."""
        files = {module.name: module for module in self.modules}
        # By name: comparing modules would compare their texts.
        return tuple({module.name: module for module in _extended(self.root, files)}.values())

    @cached_property
    def constants(self) -> tuple[Constant, ...]:
        """The constants that a model gives values: those of the root and of what it extends."""
        return tuple({each.name: each for module in self.extended for each in module.constants}.values())

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of a state: those of the root and of what it extends."""
        return tuple({each.name: each for module in self.extended for each in module.variables}.values())

    @cached_property
    def definitions(self) -> dict[str, Definition]:
        """The definitions visible at the root by name, ``I!Op`` for those of an instance ``I``."""
        found: dict[str, Definition] = {}
        for name, entity in self.scope.names.items():
            if isinstance(entity.declaration, Definition) and entity.kind == "definition":
                found[name] = replace(entity.declaration, name=name, parameters=entity.parameters)
        return found

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The assumptions that TLC checks: those of the root and of what it extends, without axioms."""
        return tuple(each for module in self.extended for each in module.assumptions if not each.axiom)

    @cached_property
    def checked_assumptions(self) -> tuple[CheckedAssumption, ...]:
        """The assumptions that TLC checks, by name and place, in the order of the modules."""
        found: list[CheckedAssumption] = []
        for module in self.extended:
            for assumption in module.assumptions:
                if not assumption.axiom:
                    found.append(_named_assumption(module, assumption, found))
        return tuple(found)

    def assumption_at(self, module: str, line: int, column: int) -> ScopedExpression | None:
        """Return the formula of the assumption at a place that TLC names, None without one."""
        for each in self.extended:
            for assumption in each.assumptions if each.name == module else ():
                span = assumption.span
                begins = (span.begin_line, span.begin_column) <= (line, column)
                if begins and (line, column) <= (span.end_line, span.end_column):
                    return ScopedExpression(expr=assumption.body, scope=self.scope_of(each))
        return None

    @deeply
    def level(self, name: str) -> Level:
        """The level of a definition, constant or variable visible at the root.

        Parameters count as constants. Raises ``KeyError`` for an unknown name.
        """
        return self._levels.of_entity(self.scope.names[name])

    def file_of(self, declaration: Constant | Variable | Definition) -> Module:
        """The module of ``modules`` whose text contains a declaration."""
        for module in self.modules:
            if declaration.module in _names(module):
                return module
        raise KeyError(declaration.module)

    @cached_property
    def _levels(self) -> Levels:
        return Levels(self.resolver)

    @cached_property
    @deeply
    def candidates(self) -> Candidates:
        """The definitions that a model may name as its specification, invariants and so on."""
        return CandidateFinder(self.scope, self._levels, self.resolver).find()


def _extended(module: Module, files: dict[str, Module]) -> Iterator[Module]:
    for reference in module.extends:
        if reference.module in files:
            yield from _extended(files[reference.module], files)
    yield module


def _names(module: Module) -> Iterator[str]:
    yield module.name
    for nested in module.nested:
        yield from _names(nested)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAssumption:
    """An assumption that TLC checks: its name, else its module and line, and its place in the text that TLC reads.

    Several on one line are told apart by their columns.
    """

    name: str
    module: str
    line: int
    column: int


def _named_assumption(
    module: Module, assumption: Assumption, before: Iterable[CheckedAssumption]
) -> CheckedAssumption:
    """Return an assumption with a name that none ``before`` it has."""
    line, column = assumption.span.begin_line, assumption.span.begin_column
    name = assumption.name or f"{module.name}:{module.line(line)}"
    if name in {each.name for each in before}:
        name = f"{module.name}:{module.line(line)}:{column}"
    return CheckedAssumption(name=name, module=module.name, line=line, column=column)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopedExpression:
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


def find_bodies(spec: ModuleGraph, names: Iterable[str]) -> Iterator[ScopedExpression]:
    """Yield the bodies of definitions of the root module; other names are left out."""
    for name in names:
        entity = spec.scope.find(name)
        if entity is not None and entity.body is not None:
            yield ScopedExpression(expr=entity.body, scope=entity.scope, owner=entity)


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
    roots: Iterable[ScopedExpression],
    replaced: Mapping[str, frozenset[str]],
    *,
    beyond: Collection[str] = (),
) -> Iterator[ScopedExpression]:
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
        pending += [ScopedExpression(expr=child, scope=inside, owner=owner) for child in expr.children()]
        if expr.shape != "apply":
            continue
        others = [spec.scope.find(name) for name in replaced.get(expr.operator.rpartition("!")[2], ())]
        for entity in (each.entity, *others):
            if entity is not None and entity.body is not None and entity not in seen:
                seen.add(entity)
                # A definition in a LET is a part of the definition around it.
                around = owner if entity.enclosed else entity
                pending.append(ScopedExpression(expr=entity.body, scope=entity.scope, owner=around))


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """A place where a module applies Assert, or where an algorithm in PlusCal has an ``assert``.

    name: the first of its ``forms`` that no other assertion has, see ``assertion_names``.
    meaning: its message, otherwise the asserted expression and its definition, which stay when lines move.
    module, line, column: the place in the text that TLC reads.
    within: the definitions of the root, among those asked about, that reach it.
    """

    name: str
    meaning: str
    module: str
    line: int
    column: int
    forms: tuple[str, ...]
    within: tuple[str, ...] = ()


@deeply
def find_assertions(spec: ModuleGraph, names: Iterable[str]) -> tuple[Assertion, ...]:
    """The assertions in the user's modules that definitions of the root reach, by module and place."""
    installed = {module.name for module in spec.installed}
    found: dict[tuple[str, int, int], Assertion] = {}
    for root, each in (
        (name, each) for name in names for each in reached(spec, find_bodies(spec, [name]), {})
    ):
        expr, owner = each.expr, each.owner
        name = expr.operator.rpartition("!")[2] if expr.shape == "apply" and each.entity is None else ""
        if name != "Assert" or not expr.arguments or owner is None or owner.declaration.module in installed:
            continue
        module, around = spec.file_of(owner.declaration), owner.declaration.name
        condition, said = expr.arguments[-2:]
        literal = said.text if (said.shape, said.operator) == ("literal", "string") else None
        file, line, column = at = module.name, expr.span.begin_line, expr.span.begin_column
        forms = assertion_names(literal, file, module.line(line), column)
        # A message and its place are three forms, a place is two.
        plain = forms[0] if len(forms) == 3 else f"{module.excerpt(condition.span)} in {around}"
        within = (*found[at].within, root) if at in found else (root,)
        found[at] = Assertion(
            name="", meaning=plain, module=file, line=line, column=column, forms=forms, within=within
        )
    # The translation of an algorithm may repeat what that asserts once.
    counts = Counter(form for forms in {each.forms for each in found.values()} for form in forms)
    return tuple(
        replace(one, name=next((form for form in one.forms if counts[form] == 1), one.forms[-1]))
        for one in (found[at] for at in sorted(found))
    )


def assertion_names(message: str | None, module: str, line: int, column: int) -> tuple[str, ...]:
    """The names of an assertion at a place, the shortest first; ``message`` is a string as TLA+ text.

    They are the message, ``too many``, ``too many (M:10)`` and ``too many (M:10:5)``; without one ``M:10`` and ``M:10:5``.
    """
    text = None
    with suppress(ValueTextError):
        text = None if message is None else str(parse_value(message))
    if text is not None and (written := _PLUSCAL.fullmatch(text)) is not None:
        text, line, column = None, int(written[1]), int(written[2])
    place = f"{module}:{line}"
    exact = f"{place}:{column}"
    return (place, exact) if text is None else (text, f"{text} ({place})", f"{text} ({exact})")


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
    return _digests(spec, find_bodies(spec, direct), replaced)


@deeply
def digest_assumptions(
    spec: ModuleGraph, replaced: Mapping[str, frozenset[str]]
) -> tuple[Mapping[str, str], ReachedDigests]:
    """The digests of the assumptions that TLC checks, by module, and of what they reach."""
    roots = [
        ScopedExpression(expr=each.body, scope=spec.scope_of(module))
        for module in spec.extended
        for each in module.assumptions
    ]
    texts = {
        module.name: _digest_of(sorted(each.digest for each in module.assumptions))
        for module in spec.extended
    }
    return texts, _digests(spec, roots, replaced)


def _digests(
    spec: ModuleGraph, roots: Iterable[ScopedExpression], replaced: Mapping[str, frozenset[str]]
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
