"""A module with all it extends and instantiates, and the names visible in it."""

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
        """The assumptions that TLC checks: those of the root and of what it extends."""
        return tuple(each for module in self.extended for each in module.assumptions)

    @deeply
    def level(self, name: str) -> Level:
        """The level of a definition, constant or variable visible at the root.

        Parameters count as constants. Raises ``KeyError`` for an unknown name.
        """
        return self._levels.of_entity(self.scope.names[name])

    def file_of(self, declaration: Constant | Variable | Definition) -> Module:
        """The module of ``modules`` whose text contains a declaration."""
        for module in self.modules:
            if declaration.module == module.name or declaration.module in _nested_names(module):
                return module
        raise KeyError(declaration.module)

    @cached_property
    def _levels(self) -> Levels:
        return Levels(self.resolver)

    @cached_property
    @deeply
    def candidates(self) -> Candidates:
        """The definitions that a model may name as its specification, invariants and so on."""
        return find_candidates(self.scope, self._levels, self.resolver)


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
