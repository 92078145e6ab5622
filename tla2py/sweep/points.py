"""The model of a point: its parameters override the sweep file, which overrides the config."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from tla2py.errors import InputError
from tla2py.logs.files import NO_LOGS, SweepLogs
from tla2py.model.model import (
    LIST_FIELDS,
    NAME_FIELDS,
    Assignment,
    Config,
    Model,
    ParameterKind,
    Substitution,
    assigned_names,
    default_specification,
    filled_constants,
    without_names,
)
from tla2py.sweep.axes import unknown_name
from tla2py.sweep.file import PointPlaces, SweepText
from tla2py.sweep.grid import Parameter, comparable
from tla2py.sweep.sections import SweepFile
from tla2py.text import did_you_mean, parameter_text
from tla2py.tla.evaluate import evaluate, expression_of
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Definition, count_visible
from tla2py.tla.parse import without_place
from tla2py.tla.value import ModelValue, Value
from tla2py.tla.value_text import format_value
from tla2py.tlc.config.read import ConfigFile
from tla2py.tlc.config.statements import literal_names
from tla2py.toml import value_text

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
    # Only TLC can tell what such a config assigns.
    whole = config is None or not config.verbatim
    filled = (
        filled_constants(
            spec,
            assigned.keys() | assigned_names(base),
            config.path if config else None,
            inputs.source.path,
            inputs.source.assignment,
        )
        if whole
        else ()
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
    lists = dict(_lists(inputs, spec, config, parameters))
    behaves = bool(spec.variables or lists["invariants"] or lists["properties"])
    default = whole and behaves and not any(chosen[key] for key in _BEHAVIOUR)
    if default:
        chosen["specification"] = default_specification(spec, str(inputs.source.path), inputs.source.setting)
    symmetry = chosen.pop("symmetry")
    named: dict[str, Any] = {**chosen, **lists}
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


# Kinds of parameters whose values are TLA+; the others are names.
_VALUED = ("constant", "definition", "seed")
# A predicate over all parameters has a new answer at every point.
_MOST_ANSWERS = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The values of a predicate's names at one point.

    ``values`` are texts of constants and replaced definitions, ``words`` are strings, such as the name of a module. The
    module defines the other names.
    """

    spec: ModuleGraph
    values: Mapping[str, str]
    words: Mapping[str, str]
    model_values: frozenset[str]

    def lookup(self, name: str) -> Value | Definition:
        """The value or definition of a name. Raises InputError (``unknown-name``)."""
        found = self._find(name)
        if found is None and name in self.model_values:
            found = ModelValue(name)
        if found is None:
            known = sorted({*self.values, *self.words, *(c.name for c in self.spec.constants)})
            raise InputError(
                "unknown-name",
                f"unknown name: {name}",
                hint=did_you_mean(name, known, f"known names: {', '.join(known) or 'none'}"),
            )
        return found

    def _find(self, name: str) -> Value | Definition | None:
        if name in self.words:
            return self.words[name]
        if name in self.values:
            return self._value(name)
        if any(constant.name == name for constant in self.spec.constants):
            return ModelValue(name)  # a constant without a value
        return self.spec.definitions.get(name)

    def _value(self, name: str) -> Value:
        """The value of a constant. Its text may use other constants; an undefined name is a model value."""
        text = self.values[name]
        names = literal_names(text)
        if names is not None and all(other == name or self._find(other) is None for other in names):
            return comparable(text)

        def inside(other: str) -> Value | Definition:
            found = None if other == name else self._find(other)
            return ModelValue(other) if found is None else found

        return evaluate(expression_of(text), inside)


def failing_predicate(inputs: ModelInputs) -> Callable[[Mapping[str, str]], str | None] | None:
    """A function from a point's parameters to the first predicate of ``where`` that they violate, or None.

    It raises InputError as ``holds`` does, at the place of ``where``. None if there is no predicate.
    """
    written = inputs.file.grid.where
    predicates = [written] if isinstance(written, str) else written
    if not predicates:
        return None
    texts = [text for each in inputs.parameters if each.kind in _VALUED for text in each.values]
    texts += [str(text) for text in inputs.file.constants.values()]
    texts += [text for config in inputs.configs.values() for _, text in config.config.assignments]
    model_values = frozenset[str]().union(*map(_predicate_names, texts))
    # The parameters that predicates have read, and the answers by their texts. An answer reads the same names
    # whenever these texts are the same; a new name makes the earlier answers useless.
    read = dict.fromkeys(each.name for each in inputs.parameters if each.kind in ("module", "config"))
    answers: dict[tuple[str, ...], str | None] = {}

    def failing(parameters: Mapping[str, str]) -> str | None:
        key = tuple([parameters[name] for name in read])
        if key in answers:
            return answers[key]
        before = len(read)
        answer = first_failing(parameters)
        if len(read) > before:
            answers.clear()
            key = tuple([parameters[name] for name in read])
        if len(answers) == _MOST_ANSWERS:
            answers.clear()
        answers[key] = answer
        return answer

    def first_failing(parameters: Mapping[str, str]) -> str | None:
        names = Names(
            spec=inputs.spec(parameters),
            values=_Watched(_values(inputs, parameters), parameters, read),
            words=_Watched(
                {n: t for n, t in parameters.items() if inputs.kinds[n] not in _VALUED}, parameters, read
            ),
            model_values=model_values,
        )
        for predicate in predicates:
            try:
                if not holds(predicate, names):
                    return predicate
            except InputError as error:
                message, before = without_place(predicate, error.message)
                shown = f"{' '.join(predicate.split())!r}, {parameter_text(parameters)}"
                source, keys, length = inputs.source, ("grid", "where"), count_visible(predicate)
                place = source.inside(keys, predicate, count_visible(before), length) if before else None
                raise InputError(
                    error.code,
                    f"where {shown}: {message}",
                    where=str(place or source.place(*keys)),
                    hint=error.hint,
                ) from error
        return None

    return failing


class _Watched(Mapping[str, str]):
    """A mapping that notes which parameters are read."""

    def __init__(
        self, texts: Mapping[str, str], parameters: Mapping[str, str], read: dict[str, None]
    ) -> None:
        self._texts, self._parameters, self._read = texts, parameters, read

    def __getitem__(self, name: str) -> str:
        if name in self._parameters:
            self._read[name] = None
        return self._texts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _values(inputs: ModelInputs, parameters: Mapping[str, str]) -> dict[str, str]:
    config = inputs.config(parameters)
    configured = (*config.config.assignments, *config.config.substitutions) if config else ()
    seeds = {n: t for n, t in parameters.items() if inputs.kinds[n] == "seed"}
    return dict(configured) | inputs.assigned(parameters) | seeds


def holds(predicate: str, names: Names) -> bool:
    """Whether a predicate is true at a point.

    Raises InputError: ``unknown-name``, ``not-a-predicate``, and what ``evaluate_expression`` raises.
    """
    value = evaluate(expression_of(predicate), names.lookup)
    if not isinstance(value, bool):
        raise InputError(
            "not-a-predicate",
            f"{predicate} is {format_value(value)}, not true or false",
            hint="write a comparison, as in Max > 1",
        )
    return value


@lru_cache(maxsize=1 << 14)
def _predicate_names(text: str) -> frozenset[str]:
    """The names that an expression uses."""
    literal = literal_names(text)
    if literal is not None:
        return literal
    try:
        return frozenset(expr.operator for expr in expression_of(text).walk() if expr.is_name())
    except InputError:
        return frozenset()  # such as a LAMBDA, which is not an expression
