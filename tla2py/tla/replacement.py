"""Which uses of a definition TLC replaces where a config gives it another value.

TLC replaces the node that a definition has in the table of a module: ``D <- E`` that of the root, ``D <-
[M] E`` that of module M. EXTENDS shares the nodes of a module, and so does an INSTANCE without a name,
without LOCAL and of a module without constants and variables. Any other INSTANCE makes copies. Where the
node of the definition itself is replaced, its copies in the tables of modules are too; where a copy is
replaced, the definition is not (tlaplus#792). What the config itself names, such as an invariant, is
looked up in the root, where only ``D <- E`` counts. TLC 2.15, 1.7.4 and 2.20 do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tla2py.tla.module import BRINGS, Definition, Expression, Module, standard_module_of
from tla2py.tla.scope import Entity, Resolver, Scope


@dataclass(frozen=True, slots=True)
class Node:
    """A definition in the table of a module: its name there, such as ``Limit``, or ``W!Limit`` for a copy."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """The left side of a substitution: a name, as ``module`` sees it; without a module, as the root does."""

    name: str
    module: str | None = None

    def text(self, sign: str, value: str) -> str:
        """Return the statement of a config that gives it a value."""
        inside = f"[{self.module}] " if self.module else ""
        return f"{self.name} {sign} {inside}{value}"


def split_module(name: str) -> tuple[str, str | None]:
    """Return the name and the module of ``[Module]Name``; without a module that is None."""
    module, bracket, rest = name.removeprefix("[").partition("]")
    return (rest.strip(), module) if name.startswith("[") and bracket else (name, None)


class Miss(Enum):
    """Why a use keeps the definition of its module."""

    ELSEWHERE = "the use refers to another node"
    NAMED = "the config itself names it"
    IN_LET = "the INSTANCE is in a LET"
    PARAMETERS = "the instance has parameters: TLC stops"


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedUse:
    """A use of a definition that a substitution does not reach: the name as written there, and its place."""

    miss: Miss
    name: str
    where: str


class Replacements:
    """The nodes of the definitions of some modules, and where they are used."""

    def __init__(
        self, root: Module, modules: Sequence[Module], installed: Sequence[Module], resolver: Resolver
    ) -> None:
        self._root = root
        self._files = {module.name: module for module in modules}
        self._installed = {module.name for module in installed}
        self._resolver = resolver
        self._nodes: dict[tuple[str, str, bool], Node | None] = {}
        self._copied: dict[Node, bool] = {}
        self._missed: dict[tuple[object, ...], MissedUse | None] = {}

    @property
    def _top(self) -> Scope:
        """The names that the root sees."""
        return self._resolver.scope(self._root.name)

    def declared(self, name: str, module: str | None = None) -> Node | None:
        """Return where the definition is declared that a name means in the root or in another module.

        None for the name of no definition.
        """
        if module is not None and module not in self._files:
            return None
        entity = self._resolver.scope(module or self._root.name).find(name)
        if entity is None:
            provider = standard_module_of(name)
            return Node(provider, name) if provider is not None else None
        return _declaration(entity)

    def node(self, module: str, name: str) -> Node | None:
        """Return the node that a name has in the table of a module; None for a name that is not in it."""
        file = self._files.get(module)
        return self._node(file, name, inside=True) if file is not None else None

    def is_nested(self, declared: Node) -> bool:
        """Whether a definition belongs to a module inside another one, which no config can name."""
        return declared.module not in self._files and not _is_standard(declared)

    def is_copied(self, declared: Node) -> bool:
        """Whether an INSTANCE makes copies of a definition."""
        if declared not in self._copied:
            modules = [module for module in self._files.values() if module.name not in self._installed]
            self._copied[declared] = any(self._copies(module, declared) for module in modules)
        return self._copied[declared]

    def is_shared(self, declared: Node) -> bool:
        """Whether a definition is seen in more than one way, such as ``W!Limit`` and ``V!Limit``."""
        names = [name for name, entity in self._top.names.items() if _declaration(entity) == declared]
        instances = 0
        for module in self._files.values():
            for name in _instantiated(module):
                instances += self._imported(module, name, declared.name) == declared
        return max(len(names), instances) > 1

    def chosen(self, declared: Node, written: Replacement, named: Iterable[str]) -> list[Replacement]:
        """Return the left sides that together replace a definition wherever that is possible.

        ``written`` is how the user names the definition, ``named`` are the names that the config itself uses.
        """
        if self.is_nested(declared):
            return [written]
        seen = self.declared(declared.name) == declared
        copied = self.is_copied(declared)
        inside = copied or not seen or written.module is not None
        sides: list[Replacement] = []
        if seen and (not inside or declared.name in named):
            sides.append(Replacement(declared.name))
        if copied or not seen:
            sides.append(Replacement(declared.name, declared.module))
        elif inside:
            sides.append(written)
        return sides

    def missed(
        self, declared: Node, sides: Iterable[Replacement], named: Iterable[str], others: Iterable[str]
    ) -> MissedUse | None:
        """Return a use of a definition that the left sides do not reach, None without one.

        ``named`` are the names that the config itself uses, ``others`` further names that its values use.
        """
        key = (declared, tuple(sides), frozenset(named), frozenset(others))
        if key not in self._missed:
            self._missed[key] = next(self._missed_uses(*key), None)
        return self._missed[key]

    def _missed_uses(
        self,
        declared: Node,
        sides: tuple[Replacement, ...],
        named: frozenset[str],
        others: frozenset[str],
    ) -> Iterator[MissedUse]:
        plain = {self.node(self._root.name, side.name) for side in sides if side.module is None}
        inside = {self.node(side.module, side.name) for side in sides if side.module is not None}
        for name in sorted(named):
            if self.declared(name) == declared and self.node(self._root.name, name) not in plain:
                yield MissedUse(miss=Miss.NAMED, name=name, where=self._root.where())
        for expr, scope, name in self._uses(declared, named | others):
            node = self._node(scope.module, name, inside=True)
            if scope.module.name in self._installed or (node is not None and node in plain | inside):
                continue
            if declared not in inside:
                miss = Miss.ELSEWHERE
            elif node is None and not _is_standard(declared):
                miss = Miss.IN_LET
            elif _has_instance_parameters(scope.find(name)):
                miss = Miss.PARAMETERS
            else:
                continue
            yield MissedUse(miss=miss, name=name, where=scope.module.where(expr.span))

    def _uses(self, declared: Node, roots: Iterable[str]) -> Iterator[tuple[Expression, Scope, str]]:
        """Yield the uses of a definition that names of the root and assumptions reach."""
        pending: list[tuple[Expression, Scope]] = []
        for module in self._extended(self._root):
            scope = self._resolver.scope(module.name)
            pending += [(assumption.body, scope) for assumption in module.assumptions]
        entered: set[Entity] = set()
        for name in sorted(roots):
            entity = self._top.find(name)
            if entity is not None and entity.body is not None and _declaration(entity) != declared:
                entered.add(entity)
                pending.append((entity.body, entity.scope))
        while pending:
            expr, scope = pending.pop()
            inner = self._resolver.let(scope, expr) if expr.shape == "let" else scope
            pending += [(child, inner) for child in expr.children()]
            if expr.shape != "apply":
                continue
            name, entity = _entity_of(expr.operator, scope)
            if entity is None:
                if _is_standard(declared) and name.rpartition("!")[2] == declared.name:
                    yield expr, scope, name
            elif _declaration(entity) == declared:
                yield expr, scope, name
            elif entity.body is not None and entity not in entered:
                entered.add(entity)
                pending.append((entity.body, entity.scope))

    def _extended(self, module: Module) -> Iterator[Module]:
        """Yield a module and those that it extends, some more than once."""
        yield module
        for reference in module.extends:
            if reference.module in self._files:
                yield from self._extended(self._files[reference.module])

    def _node(self, module: Module, name: str, *, inside: bool) -> Node | None:
        """Return the node of a name in a module's table; without ``inside``, as other modules see it."""
        key = (module.name, name, inside)
        if key not in self._nodes:
            self._nodes[key] = None
            self._nodes[key] = self._find_node(module, name, inside=inside)
        return self._nodes[key]

    def _find_node(self, module: Module, name: str, *, inside: bool) -> Node | None:
        for definition in module.definitions:
            exported = not definition.local or definition.recursive
            if definition.name == name and definition.body is not None and (inside or exported):
                return Node(module.name, name)
        for reference in module.extends:
            if (node := self._imported(module, reference.module, name)) is not None:
                return node
        for instance in module.instances:
            if instance.local and not inside:
                continue
            prefix = f"{instance.name}!" if instance.name else ""
            if not name.startswith(prefix):
                continue
            node = self._imported(module, instance.module, name.removeprefix(prefix))
            if node is not None:
                shared = not prefix and not instance.local and not self._has_parameters(instance.module)
                return node if shared else Node(module.name, name)
        return None

    def _imported(self, module: Module, other: str, name: str) -> Node | None:
        """Return the node of a name in the table of a module that another one extends or instantiates."""
        nested = next((inner for inner in module.nested if inner.name == other), None)
        file = nested or self._files.get(other)
        if file is not None:
            return self._node(file, name, inside=False)
        provider = standard_module_of(name)
        provides = provider is not None and provider in (other, *BRINGS.get(other, ()))
        return Node(provider, name) if provider is not None and provides else None

    def _has_parameters(self, module: str) -> bool:
        """Whether an INSTANCE of a module substitutes anything: it has constants or variables."""
        file = self._files.get(module)
        if file is None:
            return False
        extended = (self._has_parameters(reference.module) for reference in file.extends)
        return bool(file.constants or file.variables) or any(extended)

    def _copies(self, module: Module, declared: Node) -> bool:
        """Whether an INSTANCE in a module makes copies of a definition, also one in a LET."""
        if _is_standard(declared) and declared.name not in module.text:
            return False
        shared = [
            instance.module
            for instance in module.instances
            if instance.name is None and not instance.local and not self._has_parameters(instance.module)
        ]
        instantiated = _instantiated(module)
        for name in shared:
            if name in instantiated:
                instantiated.remove(name)
        here = any(self._imported(module, name, declared.name) == declared for name in instantiated)
        return here or any(self._copies(inner, declared) for inner in module.nested)


def _instantiated(module: Module) -> list[str]:
    """Return the module of each INSTANCE in a module, also in a LET."""
    return [reference.module for reference in module.references if reference not in module.extends]


def _is_standard(declared: Node) -> bool:
    """Whether a definition is that of a standard module, such as Nat."""
    return standard_module_of(declared.name) == declared.module


def _declaration(entity: Entity) -> Node | None:
    """Return where the definition of an entity is declared; None for one in a LET and for no definition."""
    if entity.kind != "definition" or entity.enclosed:
        return None
    return Node(entity.declaration.module, entity.declaration.name)


def _entity_of(name: str, scope: Scope) -> tuple[str, Entity | None]:
    """Return the entity of a name, and its name: ``Op!label`` is a part of ``Op``."""
    short = name
    while short:
        entity = scope.find(short)
        if entity is not None:
            return short, entity
        short = short.rpartition("!")[0]
    return name, None


def _has_instance_parameters(entity: Entity | None) -> bool:
    """Whether a definition is seen through an instance with parameters, as in ``W(1)!Limit``."""
    if entity is None or not isinstance(entity.declaration, Definition):
        return False
    return len(entity.parameters) > len(entity.declaration.parameters)
