"""A module with all it extends and instantiates, and what is visible at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tla2py.syntax.candidates import Candidates, find_candidates
from tla2py.syntax.depth import deeply
from tla2py.syntax.levels import Level, Levels
from tla2py.syntax.module import Assumption, Constant, Definition, Module, Variable
from tla2py.syntax.scope import Resolver, Scope


@dataclass(frozen=True, kw_only=True)
class ModuleGraph:
    """A module, the root, and the modules reached from it.

    ``modules`` are those read from files, the root first, the others in the order in which they are met;
    ``standard`` are the names of those that TLC brings along.
    """

    root: Module
    modules: tuple[Module, ...]
    standard: tuple[str, ...]

    @cached_property
    def resolver(self) -> Resolver:
        """What makes the scopes of the modules."""
        return Resolver(self.modules)

    @cached_property
    def scope(self) -> Scope:
        """The names visible at the root."""
        return self.resolver.scope(self.root.name)

    def scope_of(self, module: Module) -> Scope:
        """The names visible in one of the modules."""
        return self.resolver.scope(module.name)

    @cached_property
    def extended(self) -> tuple[Module, ...]:
        """The root and all modules it extends, those that others extend first."""
        files = {module.name: module for module in self.modules}
        # By name: to compare two modules is to compare their texts.
        return tuple({module.name: module for module in _extended(self.root, files)}.values())

    @cached_property
    def constants(self) -> tuple[Constant, ...]:
        """The constants TLC wants a value for: those of the root and of what it extends."""
        found = {each.name: each for module in self.extended for each in reversed(module.constants)}
        return tuple(sorted(found.values(), key=self._position))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of a state: those of the root and of what it extends."""
        found = {each.name: each for module in self.extended for each in reversed(module.variables)}
        return tuple(sorted(found.values(), key=self._position))

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
        """The assumptions TLC checks: those of the root and of what it extends."""
        return tuple(each for module in self.extended for each in module.assumptions)

    @deeply
    def level(self, name: str) -> Level:
        """Return the level of a definition, constant or variable visible at the root.

        Parameters count as constants. Raises ``KeyError`` for a name that is not there.
        """
        return self._levels.of_entity(self.scope.names[name])

    @property
    def specifications(self) -> tuple[str, ...]:
        r"""Definitions of the shape ``Init /\\ [][Next]_v``, perhaps with fairness."""
        return self._candidates.specifications

    @property
    def inits(self) -> tuple[str, ...]:
        """Definitions that may be the initial predicate, those of a specification first."""
        return self._candidates.inits

    @property
    def nexts(self) -> tuple[str, ...]:
        """Definitions that may be the next-state action, those of a specification first."""
        return self._candidates.nexts

    @property
    def invariants(self) -> tuple[str, ...]:
        """Definitions that may be invariants: predicates on states that the behaviour itself does not use."""
        return self._candidates.invariants

    @property
    def properties(self) -> tuple[str, ...]:
        """Definitions that may be temporal properties: no specifications and no parts of one."""
        return self._candidates.properties

    @property
    def constraints(self) -> tuple[str, ...]:
        """Predicates on states whose names say that they bound the search."""
        return self._candidates.constraints

    @property
    def action_constraints(self) -> tuple[str, ...]:
        """Actions whose names say that they bound the search."""
        return self._candidates.action_constraints

    @property
    def symmetry_sets(self) -> tuple[str, ...]:
        """Definitions made with ``Permutations``."""
        return self._candidates.symmetry_sets

    def file_of(self, declaration: Constant | Variable | Definition) -> Module:
        """Return the module, one of those with a file, whose text has the declaration."""
        for module in self.modules:
            if declaration.module == module.name or declaration.module in _nested_names(module):
                return module
        raise KeyError(declaration.module)

    @cached_property
    def _levels(self) -> Levels:
        return Levels(self.resolver)

    @cached_property
    @deeply
    def _candidates(self) -> Candidates:
        return find_candidates(self.scope, self._levels, self.resolver)

    def _position(self, declaration: Constant | Variable) -> tuple[int, int, int]:
        order = [module.name for module in self.extended]
        return (order.index(declaration.module), declaration.span.begin_line, declaration.span.begin_column)


def _extended(module: Module, files: dict[str, Module]) -> Iterator[Module]:
    known = files | {nested.name: nested for nested in module.nested}
    for reference in module.extends:
        if reference.module in known:
            yield from _extended(known[reference.module], known)
    yield module


def _nested_names(module: Module) -> Iterator[str]:
    for nested in module.nested:
        yield nested.name
        yield from _nested_names(nested)
