"""A sweep: its points, and what each is run with and judged by."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import msgspec

from tla2py.errors import InputError
from tla2py.lint.constants import declared_names
from tla2py.model.model import (
    LIST_FIELDS,
    MODEL_NAMES,
    NAME_FIELDS,
    Assignment,
    Config,
    Inputs,
    Model,
    ParameterKind,
    Substitution,
    assigned_names,
    default_specification,
    filled_constants,
    is_expression,
    qualified,
    without_names,
)
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import TlcOptions
from tla2py.sweep.axes import unknown_name
from tla2py.sweep.file import PointPlaces, SweepFile
from tla2py.sweep.grid import NO_POINTS, Parameter, Point, Points, value_key
from tla2py.sweep.options import inputs_of
from tla2py.sweep.predicates import Holds, matching
from tla2py.sweep.sections import (
    Expectation,
    ExpectSection,
    ExternalExpectation,
    Scalar,
    listed,
)
from tla2py.sweep.selection import Selection
from tla2py.sweep.specification import Specification
from tla2py.text import counted
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.replacement import split_module
from tla2py.tlc.config.read import ConfigFile, config_expectation, read_config_text
from tla2py.tlc.tools.community import class_file
from tla2py.toml import value_text


class ExpectedRows:
    """The rows of an ``[expect]`` section, found by the texts that they match.

    ``logs`` are the values of the parameter ``log``, which a row may match by a pattern such as ``traces/bug-*``.
    ``holds`` evaluates the predicate of a row, by number, at a point of the ``parameters``.
    """

    def __init__(
        self, expect: ExpectSection, logs: Collection[str], parameters: Iterable[str], holds: Holds
    ) -> None:
        self.holds = holds
        self._predicates: list[tuple[int, str]] = []
        own = msgspec.structs.asdict(expect)
        # A section with values of its own overrides what configs expect.
        states = any(value not in (None, {}) for key, value in own.items() if key != "point")
        # By the names that rows match: the number of the first row for each key of their values.
        self._numbers: dict[tuple[str, ...], dict[tuple[Hashable, ...], int]] = {}
        for number, row in enumerate(expect.point):
            if isinstance(row.match, str):
                self._predicates.append((number, row.match))
            elif not (states and isinstance(row, ExternalExpectation)):
                for match in _matched(row.match, logs):
                    keys = tuple(value_key(value_text(value)) for value in match.values())
                    self._numbers.setdefault(tuple(match), {}).setdefault(keys, number)
        # A predicate may read any of them.
        read = chain(*self._numbers, parameters if self._predicates else ())
        self.names = tuple(dict.fromkeys(read))

    def number(self, parameters: Mapping[str, str]) -> int | None:
        """The number, from 0, of the first row that matches a point; None if the section itself applies."""
        found = (
            rows.get(tuple(value_key(parameters[name]) for name in names))
            for names, rows in self._numbers.items()
            if all(name in parameters for name in names)
        )
        first = min((number for number in found if number is not None), default=None)
        for number, predicate in self._predicates:
            if (first is None or number < first) and self.holds(number, predicate, parameters):
                return number
        return first


def _matched(match: Mapping[str, Scalar], logs: Collection[str]) -> list[Mapping[str, Scalar]]:
    """What a row matches, once for each log that its pattern matches."""
    if not logs or "log" not in match or match["log"] in logs:
        return [match]
    pattern = str(match["log"])
    return [{**match, "log": log} for log in logs if fnmatchcase(log, pattern)]


def overridden_text(expect: ExpectSection, points: Points, rows: ExpectedRows) -> str | None:
    """A sentence on the EXPECT comments that ``[expect]`` overrides at some point; ``rows`` are those of ``[expect]``."""
    external = [row for row in expect.point if isinstance(row, ExternalExpectation)]
    theirs = ExpectedRows(ExpectSection(point=[*external]), (), (), rows.holds)
    found: dict[str, None] = {}
    for point in points.first_with((*rows.names, *theirs.names)):
        own, other = rows.number(point.parameters), theirs.number(point.parameters)
        if other is not None and (own is None or not isinstance(expect.point[own], ExternalExpectation)):
            found[f"EXPECT at {external[other].where}"] = None
    return f"the sweep file's [expect] overrides {', '.join(found)}" if found else None


def with_config_rows(file: SweepFile, configs: Mapping[str, ConfigFile]) -> SweepFile:
    """A sweep file with the rows of its configs added. Its own section takes precedence.

    Raises InputError as ``config_expectation`` does.
    """
    rows = []
    for name, config in configs.items():
        if config.problem is not None:
            continue
        expected = config_expectation(read_config_text(config.path), config.path)
        if expected is not None:
            result = expected.result
            violated = expected.violates and result is Verdict.VIOLATED
            row = ExternalExpectation(
                match={"config": name} if isinstance(file.sections.config, list) else {},
                verdict=None if isinstance(result, Outcome) or violated else result.value,
                outcome=result if isinstance(result, Outcome) else None,
                violates=list(expected.violates) or None,
                where=expected.where,
            )
            rows.append(row)
    if not rows:
        return file
    section = file.sections.expect or ExpectSection()
    expect = msgspec.structs.replace(section, point=[*section.point, *rows])
    return file.with_sections(expect=expect)


def _files(specs: Iterable[ModuleGraph], configs: Iterable[ConfigFile | None]) -> frozenset[str]:
    modules = {id(module): module for spec in specs for module in spec.modules}
    return frozenset(
        (
            *(each.where() for each in modules.values()),
            *(str(each.path) for each in configs if each is not None),
        )
    )


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep file with what it is about, its points, and what of it runs this time.

    ``laws`` says by property whether its expected law has it violated at some parameters.
    """

    name: str
    file: SweepFile
    specification: Specification
    selection: Selection
    parameters: tuple[Parameter, ...]
    template: str
    points: Points = NO_POINTS
    laws: Mapping[str, Callable[[Mapping[str, str]], bool]] = field(default_factory=dict)

    def select(self, **changes: Any) -> Sweep:
        """Return the sweep with changes of what runs this time, and how."""
        return replace(self, selection=replace(self.selection, **changes))

    def with_specification(self, **changes: Any) -> Sweep:
        """Return the sweep with changes of what it is about."""
        return replace(self, specification=replace(self.specification, **changes))

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of the points that run this time, in order."""
        return (
            range(1, len(self.points) + 1) if self.selection.chosen is None else sorted(self.selection.chosen)
        )

    @property
    def limited_text(self) -> str:
        """``limited: 3 of 25 points``, and the other values."""
        text = f"limited: {len(self.numbers):,} of {counted(len(self.points), 'point')}"
        text += f" with {', '.join(self.selection.settings)}" if self.selection.settings else ""
        return text if self.numbers else f"{text}: nothing failed the last time"

    @cached_property
    def idle_files(self) -> frozenset[str]:
        """The configs and modules, as places name them, of which no point runs this time."""
        if self.selection.chosen is None:
            return frozenset()
        rows = [self.points[number - 1].parameters for number in self.numbers]
        used = _files(map(self.spec, rows), map(self.config, rows))
        return _files(self.specification.modules.values(), self.specification.configs.values()) - used

    @cached_property
    def kinds(self) -> dict[str, ParameterKind]:
        """The kinds of the parameters, by name."""
        return {parameter.name: parameter.kind for parameter in self.parameters}

    def spec(self, parameters: Mapping[str, str]) -> ModuleGraph:
        """The module of a point."""
        name = (
            parameters["module"]
            if self.kinds.get("module") == "module"
            else next(iter(self.specification.modules))
        )
        return self.specification.modules[name]

    def config(self, parameters: Mapping[str, str]) -> ConfigFile | None:
        """The config that a point starts from, if any."""
        if self.kinds.get("config") == "config":
            return self.specification.configs[parameters["config"]]
        return next(iter(self.specification.configs.values()), None)

    def places(self, parameters: Mapping[str, str]) -> PointPlaces:
        """The places of a point's values and names."""
        texts = {name: config.text for name, config in self.specification.configs.items()}
        return PointPlaces(file=self.file, configs=texts, parameters=parameters)

    def assigned(self, parameters: Mapping[str, str]) -> dict[str, str]:
        """The text of every constant or replaced definition that a point or the sweep file sets."""
        named = {n: t for n, t in parameters.items() if self.kinds[n] in ("constant", "definition")}
        constants = {name: value_text(value) for name, value in self.file.sections.constants.items()}
        return (
            self.file.sections.substitutions
            | constants
            | named
            | self.specification.logs.assigned(self.spec(parameters))
        )

    def options_of(self, point: Point) -> TlcOptions:
        """The TLC options of a point."""
        options = self.selection.options
        if self.specification.community is None or not self.spec(point.parameters).installed:
            return options
        return replace(options, overrides=(*options.overrides, class_file(self.specification.community)))

    def inputs_of(self, point: Point, model: Model) -> Inputs:
        """What the run of a point with this model may read besides its modules."""
        inputs = inputs_of(self.file, self.specification.input_files, point.parameters)
        return self.specification.logs.inputs(inputs, model, point.parameters)

    @property
    def expect(self) -> ExpectSection:
        """The expectations of the points."""
        return self.file.sections.expect or ExpectSection()

    def expectation(self, point: Point, checked: Collection[str] = ()) -> Expectation:
        """The expectation that a point is judged by; without a row the laws apply of those properties that are ``checked``."""
        number = self.expected_rows.number(point.parameters)
        if number is not None:
            return self.expect.point[number]
        names = [name for name, law in self.laws.items() if name in checked and law(point.parameters)]
        if not names:
            return self.expect
        violates = [*dict.fromkeys((*names, *(self.expect.violates or ())))]
        return msgspec.structs.replace(self.expect, verdict="violated", outcome=None, violates=violates)

    def row_numbers(self) -> Iterator[int | None]:
        """The number, from 0, of the row of expectations that each point is judged by; None is the section itself."""
        known: dict[tuple[str, ...], int | None] = {}
        for place, key in enumerate(self.points.keys(self.expected_rows.names)):
            if key not in known:
                known[key] = self.expected_rows.number(self.points[place].parameters)
            yield known[key]

    @cached_property
    def expected_rows(self) -> ExpectedRows:
        """The rows of expectations, found by what they match."""
        return ExpectedRows(self.expect, self.specification.logs.logs, self.kinds, matching(self))

    def model(self, point: Point) -> Model:
        """The model of a point. Raises InputError: ``unassigned``, ``unknown-definition``."""
        return point_model(self, point.parameters)


_BEHAVIOUR = ("specification", "init", "next")
_Chosen: TypeAlias = "dict[str, str | tuple[str, ...] | None]"


def point_model(sweep: Sweep, parameters: Mapping[str, str]) -> Model:
    """The model of a point. Raises InputError: ``unassigned``, ``unknown-definition``."""
    spec, config = sweep.spec(parameters), sweep.config(parameters)
    declared = {constant.name for constant in spec.constants}
    file = sweep.file.sections
    assigned = sweep.assigned(parameters)
    replaced = {n: t for n, t in assigned.items() if n not in declared or n in file.substitutions}
    base = without_names(config.config, _overridden(config.config, spec, assigned)) if config else Config()
    # Only TLC can tell what such a config assigns.
    whole = config is None or not config.verbatim
    filled: tuple[str, ...] = ()
    if whole:
        given, path = assigned.keys() | assigned_names(base), config.path if config else None
        filled = filled_constants(spec, given, path, sweep.file.source.path, sweep.file.source.assignment)
    values = {n: t for n, t in assigned.items() if n not in replaced} | {name: name for name in filled}
    # A module without a name that another module declares is checked without it.
    known = {*declared_names(sweep.specification.modules.values())}
    replacements = tuple(
        Substitution(n, t)
        for n, t in replaced.items()
        # A definition that is one of its own values stays as it is.
        if n in declared or (n != t and (n in spec.definitions or n not in known))
    )
    chosen = _chosen(sweep, spec, config, parameters)
    lists = dict(_lists(sweep, spec, config, parameters))
    behaves = bool(spec.variables or lists["invariants"] or lists["properties"])
    default = whole and behaves and not any(chosen[key] for key in _BEHAVIOUR)
    if default:
        chosen["specification"] = default_specification(
            spec, str(sweep.file.source.path), sweep.file.source.setting
        )
    symmetry = chosen.pop("symmetry")
    named: dict[str, Any] = {**chosen, **lists}
    model = Model(
        spec=spec,
        config=replace(
            base,
            symmetry=symmetry if isinstance(symmetry, str) else None,
            check_deadlock=_check_deadlock(sweep, config, parameters),
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
    return sweep.specification.logs.reading(model)


def _overridden(config: Config, spec: ModuleGraph, assigned: Collection[str]) -> set[str]:
    """Return the assigned names, and those by which the config gives values to the same definitions."""
    nodes = spec.replacements
    replaced = {nodes.declared(*split_module(name)) for name in assigned} - {None}
    names = {*assigned}
    for pair in (*config.assignments, *config.substitutions) if replaced else ():
        name = qualified(*pair)
        if nodes.declared(*split_module(name)) in replaced:
            names.add(name)
    return names


def _chosen(
    sweep: Sweep, spec: ModuleGraph, config: ConfigFile | None, parameters: Mapping[str, str]
) -> _Chosen:
    """The keys of [model] that name one definition; a later layer that sets the behaviour replaces all of it."""
    model = sweep.file.sections.model
    chosen: _Chosen = dict.fromkeys(NAME_FIELDS)
    varied: _Chosen = {}
    constants = [constant.name for constant in spec.constants]
    for key in NAME_FIELDS:
        if sweep.kinds.get(key) != "model":
            continue
        text = parameters[key]
        names = tuple(re.findall(r"[^\s,]+", text))
        if key == "symmetry" and text == "TRUE":
            continue  # the value of [model]
        if key == "symmetry" and text == "FALSE":
            varied[key] = ""
        elif key == "symmetry" and names and all(name in constants for name in names):
            varied[key] = names
        else:
            _check_definitions(sweep, spec, key, (text,) if text else ())
            varied[key] = text
    layers: list[_Chosen] = [
        {key: getattr(config.config, key) for key in NAME_FIELDS} if config else {},
        {key: tuple(v) if isinstance(v := getattr(model, key), list) else v for key in MODEL_NAMES},
        varied,
    ]
    for layer in layers:
        present = {key: value for key, value in layer.items() if value is not None}
        if any(present.get(key) for key in _BEHAVIOUR):
            other = ("init", "next") if present.get("specification") else ("specification",)
            chosen.update(dict.fromkeys(other))
        chosen.update(present)
    return {key: value or None for key, value in chosen.items()}


def _lists(
    sweep: Sweep, spec: ModuleGraph, config: ConfigFile | None, parameters: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The keys of [model] that are lists, each from the last layer that sets it."""
    for key in LIST_FIELDS:
        own = getattr(sweep.file.sections.model, key)
        if sweep.kinds.get(key) == "model":
            names = listed(sweep.file.sections, key, parameters[key])
            _check_definitions(sweep, spec, key, tuple(n for n in names if not is_expression(n)))
            yield key, names
        elif own is not None or config is None:
            yield key, tuple(map(value_text, own or ()))
        else:
            yield key, getattr(config.config, key)


def _check_deadlock(sweep: Sweep, config: ConfigFile | None, parameters: Mapping[str, str]) -> bool:
    key = "check_deadlock"
    if sweep.kinds.get(key) == "model":
        value = parameters[key]
        if value not in ("TRUE", "FALSE"):
            where, hint = sweep.file.place("parameters", key), f"write {key} = [true, false]"
            raise InputError("wrong-type", f"{key} is {value}, not true or false", where=where, hint=hint)
        return value == "TRUE"
    own = sweep.file.sections.model.check_deadlock
    return own if own is not None else config.config.check_deadlock if config else True


def _check_definitions(sweep: Sweep, spec: ModuleGraph, key: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in spec.definitions:
            where = sweep.file.place("parameters", key, value=name)
            raise unknown_name(name, "definition", list(spec.definitions), where, spec.root.name)
