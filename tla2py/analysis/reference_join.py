"""A specification and a reference in one module, so that TLC evaluates the properties of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.analysis.grade_model import (
    write_config,
)
from tla2py.errors import writing
from tla2py.model.model import Assignment, Config
from tla2py.tla.graph import ModuleGraph, ScopedExpression
from tla2py.tla.instrument import Edit, edited
from tla2py.tla.module import Expression, Module, Variable
from tla2py.tla.scope import Entity
from tla2py.tla.tree import deeply


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two specifications; ``word`` is what names its definitions in the other."""

    word: str
    spec: ModuleGraph
    config: Config

    @property
    def stated(self) -> tuple[str, ...]:
        """The invariants and properties that it checks."""
        return (*self.config.invariants, *self.config.properties)

    @property
    def checks(self) -> tuple[str, ...]:
        """What it states, and ``deadlock`` if it checks that."""
        return (*self.stated, *(["deadlock"] if self.config.check_deadlock else []))

    @property
    def constants(self) -> set[str]:
        """The constants that it declares."""
        return {each.name for each in self.spec.constants}

    @property
    def replaced(self) -> dict[str, str]:
        """The definitions that its config replaces by others; those that stand for constants are not among them."""
        declared = self.constants
        return {name: by for name, by in self.config.replaced_names.items() if name not in declared}

    @property
    def names(self) -> set[str]:
        """What another module sees that extends it."""
        return {*self.spec.definitions, *self.constants, *(each.name for each in self.spec.variables)}

    @property
    def values(self) -> dict[str, str]:
        """The values of its constants in the config; definitions that stand for constants are not among them."""
        return {each.name: each.value for each in self.config.assignments}


def unmapped(inner: Side, outer: Side, maps: Mapping[str, str]) -> list[str]:
    """Return the variables of ``outer`` without a counterpart in ``inner``, as ``maps`` or the same name gives one.

    A name that ``maps`` gives one variable is not the counterpart of another one that happens to have that name.
    """
    known = {*maps, *(inner.names - set(maps.values()))}
    return [each.name for each in outer.spec.variables if each.name not in known]


# The position of the subscript among the arguments of these; the other one is the action.
_SUBSCRIPTS = {"[]_": 1, "<>_": 1, "WF_": 0, "SF_": 0}


@deeply
def read_variables(spec: ModuleGraph, parts: Iterable[ScopedExpression]) -> set[str]:
    """Return the variables that expressions read, directly or through definitions, other than in subscripts.

    In the subscript of an action, a variable that no step changes makes no difference.
    """
    variables: set[str] = set()
    seen: set[Entity] = set()
    pending = list(parts)
    while pending:
        part = pending.pop()
        expr = part.expr
        scope = spec.resolver.let(part.scope, expr) if expr.shape == "let" else part.scope
        pending += [ScopedExpression(expr=child, scope=scope) for child in _without_subscript(expr)]

        entity = part.entity
        if entity is None or entity in seen:
            continue
        seen.add(entity)
        if entity.kind == "variable" and isinstance(entity.declaration, Variable):
            variables.add(entity.declaration.name)
        elif entity.body is not None:
            pending.append(ScopedExpression(expr=entity.body, scope=entity.scope))
    return variables


def _without_subscript(expr: Expression) -> list[Expression]:
    if expr.shape != "build" or expr.operator not in _SUBSCRIPTS:
        return list(expr.children())
    action = expr.arguments[1 - _SUBSCRIPTS[expr.operator]]
    return [action]


def without_checks(config: Config) -> Config:
    """Return a config that checks nothing, and in which no two states count as one."""
    return replace(
        config,
        invariants=(),
        properties=(),
        postconditions=(),
        check_deadlock=False,
        symmetry=None,
        view=None,
        alias=None,
    )


def join(
    inner: Side, outer: Side, maps: Mapping[str, str], values: Mapping[str, str], folder: Path
) -> tuple[Path, Config, Mapping[str, str]]:
    """Write the module that extends ``inner``, with an instance of ``outer`` under its mapping, and its config.

    Returned are both, and the properties of ``outer`` by the names that they have here.
    ``maps`` gives names of ``outer`` expressions of ``inner``, ``values`` the values of the constants. A variable
    of ``outer`` without a counterpart, see ``unmapped``, becomes some variable of ``inner``: only properties
    that do not read it may be used.
    """
    name = f"{inner.word}With{outer.word}"
    texts = {each.name: each.text for each in inner.spec.modules if each.path is not None}
    renamed = _renamed(outer, texts)
    root = renamed.get(outer.spec.root.name, outer.spec.root.name)
    for each in outer.spec.modules:
        if each.path is not None:
            texts[renamed.get(each.name, each.name)] = _renaming(each, renamed)
    declared = [each.name for each in outer.spec.constants] + [each.name for each in outer.spec.variables]
    known = {*maps, *inner.names}
    missing = [each.name for each in outer.spec.constants if each.name not in known and not each.arity]
    stand_ins: dict[str, str] = {}
    if inner.spec.variables:
        stand_ins = dict.fromkeys(unmapped(inner, outer, maps), inner.spec.variables[0].name)
    pairs = ", ".join(f"{each} <- {maps.get(each, stand_ins.get(each, each))}" for each in declared)
    shown = {f"{outer.word}_{each}": each for each in outer.stated}
    lines = [
        f"---- MODULE {name} ----",
        f"EXTENDS {inner.spec.root.name}",
        *([f"CONSTANTS {', '.join(missing)}"] if missing else []),
        f"{outer.word} == INSTANCE {root}" + (f" WITH {pairs}" if pairs else ""),
        *(f"{here} == {outer.word}!{outer.replaced.get(there, there)}" for here, there in shown.items()),
        "====",
        "",
    ]
    taken = [each for each in (*inner.constants, *missing) if each in values]
    assigned = {**inner.values, **{each: values[each] for each in taken}}
    config = replace(
        inner.config,
        assignments=tuple(Assignment(*each) for each in assigned.items()),
        substitutions=tuple(each for each in inner.config.substitutions if each.name not in assigned),
        invariants=(*inner.config.invariants, *(f"{outer.word}_{each}" for each in outer.config.invariants)),
        properties=(*inner.config.properties, *(f"{outer.word}_{each}" for each in outer.config.properties)),
        symmetry=None,
        view=None,
        alias=None,
    )
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for module, text in {**texts, name: "\n".join(lines)}.items():
            (folder / f"{module}.tla").write_text(text, encoding="utf-8")
    write_config(folder / f"{name}.cfg", config)
    return folder / f"{name}.tla", config, shown


def _renamed(side: Side, others: Mapping[str, str]) -> dict[str, str]:
    """New names for the modules of a side that differ from ``others`` of the same name, or that lead to such a module."""
    modules = [each for each in side.spec.modules if each.path is not None and each.name in others]
    found = {each.name for each in modules if each.text != others[each.name]}
    for _ in modules:
        found |= {each.name for each in modules if found.intersection(ref.module for ref in each.references)}
    return {each: f"{each}Of{side.word}" for each in found}


def _renaming(module: Module, names: Mapping[str, str]) -> str:
    """The text of a module in which modules have other names."""
    edits = [
        Edit(ref.span.begin_line, ref.span.begin_column, names[ref.module], len(ref.module))
        for ref in module.references
        if ref.module in names
    ]
    text = "\n".join(edited(module.text.split("\n"), edits))
    new = names.get(module.name, module.name)
    return re.sub(rf"(-{{4,}}\s*MODULE\s+){re.escape(module.name)}\b", rf"\g<1>{new}", text, count=1)
