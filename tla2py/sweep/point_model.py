"""The model of a point: what a config file says, over it the sweep file, over that the point's parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from tla2py.config.read import ConfigFile
from tla2py.errors import InputError
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS, Config, ParameterKind, Substitution
from tla2py.model.model import Model, assigned_names, constant_values, default_specification, without_names
from tla2py.sweep.file import SweepFile
from tla2py.sweep.grid import Parameter
from tla2py.sweep.source import Source
from tla2py.syntax import ModuleGraph
from tla2py.text import did_you_mean
from tla2py.toml import toml_value, value_text

_BEHAVIOUR = ("specification", "init", "next")
_Chosen: TypeAlias = "dict[str, str | tuple[str, ...] | None]"


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What the models of a sweep are made from: the sweep file, its modules and its configs, by the names in it."""

    file: SweepFile
    source: Source
    specs: Mapping[str, ModuleGraph]
    configs: Mapping[str, ConfigFile]
    parameters: tuple[Parameter, ...]

    @cached_property
    def kinds(self) -> dict[str, ParameterKind]:
        """The kind of every parameter by its name."""
        return {parameter.name: parameter.kind for parameter in self.parameters}

    def spec(self, parameters: Mapping[str, str]) -> ModuleGraph:
        """The module of a point."""
        name = parameters["module"] if self.kinds.get("module") == "module" else next(iter(self.specs))
        return self.specs[name]

    def config(self, parameters: Mapping[str, str]) -> ConfigFile | None:
        """The config that a point starts from, if any."""
        if self.kinds.get("config") == "config":
            return self.configs[parameters["config"]]
        return next(iter(self.configs.values()), None)

    def assigned(self, parameters: Mapping[str, str]) -> dict[str, str]:
        """The text of every constant, or replaced definition, that a point or the sweep file names."""
        named = {n: t for n, t in parameters.items() if self.kinds[n] in ("constant", "definition")}
        given = {name: value_text(value) for name, value in self.file.constants.items()}
        return self.file.substitutions | given | named


def point_model(sources: Sources, parameters: Mapping[str, str]) -> Model:
    """The model of a point. Raises InputError (``unassigned``, ``unknown-definition``) naming the place."""
    spec, config = sources.spec(parameters), sources.config(parameters)
    declared = {constant.name for constant in spec.constants}
    file = sources.file
    assigned = sources.assigned(parameters)
    replaced = {n: t for n, t in assigned.items() if n not in declared or n in file.substitutions}
    base = without_names(config.config, assigned) if config else Config()
    said = config.path if config else sources.source.path
    constants = constant_values(
        spec,
        assigned,
        replaced.keys() | assigned_names(base),
        str(said),
        lambda name, value: f"{name} = {toml_value(value)} under [constants], or several under [parameters]",
    )
    # A variant that lacks a name another one declares is checked without it.
    known = {name for other in sources.specs.values() for name in _names(other)}
    replacements = tuple(
        Substitution(n, t)
        for n, t in replaced.items()
        if n in declared or n in spec.definitions or n not in known
    )
    chosen = _chosen(sources, spec, config, parameters)
    symmetry = chosen.pop("symmetry")
    named: dict[str, Any] = {**chosen, **dict(_lists(sources, spec, config, parameters))}
    return Model(
        spec=spec,
        config=replace(
            base,
            symmetry=symmetry if isinstance(symmetry, str) else None,
            check_deadlock=_check_deadlock(sources, config, parameters),
            **named,
        ),
        constants=constants,
        replacements=replacements,
        permuted=symmetry if isinstance(symmetry, tuple) else (),
    )


def _chosen(
    sources: Sources, spec: ModuleGraph, config: ConfigFile | None, parameters: Mapping[str, str]
) -> _Chosen:
    """The keys of [model] that name one definition; who speaks of the behaviour later speaks of all of it."""
    model = sources.file.model
    chosen: _Chosen = dict.fromkeys(NAME_FIELDS)
    layers: list[_Chosen] = [
        {key: getattr(config.config, key) for key in NAME_FIELDS} if config else {},
        {key: tuple(v) if isinstance(v := getattr(model, key), list) else v for key in NAME_FIELDS},
        dict(_varied(sources, spec, parameters)),
    ]
    for layer in layers:
        given = {key: value for key, value in layer.items() if value is not None}
        if any(given.get(key) for key in _BEHAVIOUR):
            other = ("init", "next") if given.get("specification") else ("specification",)
            chosen.update(dict.fromkeys(other))
        chosen.update(given)
    if spec.variables and not any(chosen[key] for key in _BEHAVIOUR):
        chosen["specification"] = default_specification(
            spec, str(sources.source.path), lambda key, name: f'{key} = "{name}" under [model]'
        )
    return {key: value or None for key, value in chosen.items()}


def _varied(
    sources: Sources, spec: ModuleGraph, parameters: Mapping[str, str]
) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    for key in NAME_FIELDS:
        if sources.kinds.get(key) != "model":
            continue
        text = parameters[key]
        constants = [constant.name for constant in spec.constants]
        names = _split(text)
        if key == "symmetry" and text == "TRUE":
            continue  # as elsewhere
        if key == "symmetry" and text == "FALSE":
            yield key, ""
        elif key == "symmetry" and names and all(name in constants for name in names):
            yield key, names
        else:
            _check_definitions(sources, spec, key, (text,) if text else ())
            yield key, text


def _lists(
    sources: Sources, spec: ModuleGraph, config: ConfigFile | None, parameters: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keys of [model] that are lists: of those who name one, the last to speak."""
    for key in LIST_FIELDS:
        own = getattr(sources.file.model, key)
        if sources.kinds.get(key) == "model":
            names = _split(parameters[key])
            _check_definitions(sources, spec, key, names)
            yield key, names
        elif own is not None or config is None:
            yield key, tuple(own or ())
        else:
            yield key, getattr(config.config, key)


def _check_deadlock(sources: Sources, config: ConfigFile | None, parameters: Mapping[str, str]) -> bool:
    key = "check_deadlock"
    if sources.kinds.get(key) == "model":
        if parameters[key] not in ("TRUE", "FALSE"):
            raise InputError(
                "wrong-type",
                f"{key} is {parameters[key]}, not true or false",
                where=sources.source.place("parameters", key),
                hint=f"write {key} = [true, false]",
            )
        return parameters[key] == "TRUE"
    own = sources.file.model.check_deadlock
    return own if own is not None else config.config.check_deadlock if config else True


def _check_definitions(sources: Sources, spec: ModuleGraph, key: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in spec.definitions:
            raise InputError(
                "unknown-definition",
                f"{spec.root.name} has no definition {name}",
                where=sources.source.place("parameters", key, value=name),
                hint=did_you_mean(
                    name, list(spec.definitions), "'tla2py inspect' lists what a module defines"
                ),
            )


def _names(spec: ModuleGraph) -> Iterator[str]:
    yield from spec.definitions
    yield from (constant.name for constant in spec.constants)


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for name in re.split(r"[\s,]+", text) if name)
