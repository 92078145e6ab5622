"""The model of a point: its parameters override the sweep file, which overrides the config."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from tla2py.config.read import ConfigFile
from tla2py.errors import InputError
from tla2py.logs.files import NO_LOGS, SweepLogs
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS, Assignment, Config, ParameterKind, Substitution
from tla2py.model.model import Model, assigned_names, default_specification, filled_constants, without_names
from tla2py.sweep.grid import Parameter
from tla2py.sweep.names import unknown_name
from tla2py.sweep.sections import SweepFile
from tla2py.sweep.sweep_text import PointPlaces, SweepText
from tla2py.syntax import ModuleGraph
from tla2py.toml import toml_value, value_text

_BEHAVIOUR = ("specification", "init", "next")
_Chosen: TypeAlias = "dict[str, str | tuple[str, ...] | None]"


@dataclass(frozen=True, kw_only=True)
class ModelInputs:
    """The inputs of a sweep's models: the sweep file, its parameters, and its modules and configs by name."""

    file: SweepFile
    source: SweepText
    specs: Mapping[str, ModuleGraph]
    configs: Mapping[str, ConfigFile]
    parameters: tuple[Parameter, ...]
    logs: SweepLogs = NO_LOGS

    @cached_property
    def kinds(self) -> dict[str, ParameterKind]:
        """The kinds of the parameters, by name."""
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

    def places(self, parameters: Mapping[str, str]) -> PointPlaces:
        """The places of a point's values and names."""
        texts = {name: config.text for name, config in self.configs.items()}
        return PointPlaces(source=self.source, file=self.file, configs=texts, parameters=parameters)

    def assigned(self, parameters: Mapping[str, str]) -> dict[str, str]:
        """The text of every constant or replaced definition that a point or the sweep file sets."""
        named = {n: t for n, t in parameters.items() if self.kinds[n] in ("constant", "definition")}
        constants = {name: value_text(value) for name, value in self.file.constants.items()}
        return self.file.substitutions | constants | named | self.logs.assigned(self.spec(parameters))


def point_model(inputs: ModelInputs, parameters: Mapping[str, str]) -> Model:
    """The model of a point. Raises InputError: ``unassigned``, ``unknown-definition``."""
    spec, config = inputs.spec(parameters), inputs.config(parameters)
    declared = {constant.name for constant in spec.constants}
    file = inputs.file
    assigned = inputs.assigned(parameters)
    replaced = {n: t for n, t in assigned.items() if n not in declared or n in file.substitutions}
    base = without_names(config.config, assigned) if config else Config()
    filled = filled_constants(
        spec,
        assigned.keys() | assigned_names(base),
        config.path if config else None,
        inputs.source.path,
        lambda name, value: f"{name} = {toml_value(value)} under [constants], or several under [parameters]",
    )
    values = {n: t for n, t in assigned.items() if n not in replaced} | {name: name for name in filled}
    # A module without a name that another module declares is checked without it.
    known = {name for other in inputs.specs.values() for name in _names(other)}
    replacements = tuple(
        Substitution(n, t)
        for n, t in replaced.items()
        if n in declared or n in spec.definitions or n not in known
    )
    chosen = _chosen(inputs, spec, config, parameters)
    default = bool(spec.variables) and not any(chosen[key] for key in _BEHAVIOUR)
    if default:
        chosen["specification"] = default_specification(
            spec, str(inputs.source.path), lambda key, name: f'{key} = "{name}" under [model]'
        )
    symmetry = chosen.pop("symmetry")
    named: dict[str, Any] = {**chosen, **dict(_lists(inputs, spec, config, parameters))}
    model = Model(
        spec=spec,
        config=replace(
            base,
            symmetry=symmetry if isinstance(symmetry, str) else None,
            check_deadlock=_check_deadlock(inputs, config, parameters),
            **named,
        ),
        constants=tuple(
            Assignment(each.name, values[each.name]) for each in spec.constants if each.name in values
        ),
        replacements=replacements,
        permuted=symmetry if isinstance(symmetry, tuple) else (),
        filled=filled,
        default_specification=default,
    )
    return inputs.logs.reading(model)


def _chosen(
    inputs: ModelInputs, spec: ModuleGraph, config: ConfigFile | None, parameters: Mapping[str, str]
) -> _Chosen:
    """The keys of [model] that name one definition; a later layer that sets the behaviour replaces all of it."""
    model = inputs.file.model
    chosen: _Chosen = dict.fromkeys(NAME_FIELDS)
    layers: list[_Chosen] = [
        {key: getattr(config.config, key) for key in NAME_FIELDS} if config else {},
        {key: tuple(v) if isinstance(v := getattr(model, key), list) else v for key in NAME_FIELDS},
        dict(_varied(inputs, spec, parameters)),
    ]
    for layer in layers:
        present = {key: value for key, value in layer.items() if value is not None}
        if any(present.get(key) for key in _BEHAVIOUR):
            other = ("init", "next") if present.get("specification") else ("specification",)
            chosen.update(dict.fromkeys(other))
        chosen.update(present)
    return {key: value or None for key, value in chosen.items()}


def _varied(
    inputs: ModelInputs, spec: ModuleGraph, parameters: Mapping[str, str]
) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    for key in NAME_FIELDS:
        if inputs.kinds.get(key) != "model":
            continue
        text = parameters[key]
        constants = [constant.name for constant in spec.constants]
        names = _split(text)
        if key == "symmetry" and text == "TRUE":
            continue  # the value of [model]
        if key == "symmetry" and text == "FALSE":
            yield key, ""
        elif key == "symmetry" and names and all(name in constants for name in names):
            yield key, names
        else:
            _check_definitions(inputs, spec, key, (text,) if text else ())
            yield key, text


def _lists(
    inputs: ModelInputs, spec: ModuleGraph, config: ConfigFile | None, parameters: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keys of [model] that are lists, each from the last layer that sets it."""
    for key in LIST_FIELDS:
        own = getattr(inputs.file.model, key)
        if inputs.kinds.get(key) == "model":
            names = _split(parameters[key])
            _check_definitions(inputs, spec, key, names)
            yield key, names
        elif own is not None or config is None:
            yield key, tuple(own or ())
        else:
            yield key, getattr(config.config, key)


def _check_deadlock(inputs: ModelInputs, config: ConfigFile | None, parameters: Mapping[str, str]) -> bool:
    key = "check_deadlock"
    if inputs.kinds.get(key) == "model":
        value = parameters[key]
        if value not in ("TRUE", "FALSE"):
            raise InputError(
                "wrong-type",
                f"{key} is {value}, not true or false",
                where=inputs.source.place("parameters", key),
                hint=f"write {key} = [true, false]",
            )
        return value == "TRUE"
    own = inputs.file.model.check_deadlock
    return own if own is not None else config.config.check_deadlock if config else True


def _check_definitions(inputs: ModelInputs, spec: ModuleGraph, key: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in spec.definitions:
            where = inputs.source.place("parameters", key, value=name)
            raise unknown_name(name, "definition", list(spec.definitions), where, spec.root.name)


def _names(spec: ModuleGraph) -> Iterator[str]:
    yield from spec.definitions
    yield from (constant.name for constant in spec.constants)


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for name in re.split(r"[\s,]+", text) if name)
