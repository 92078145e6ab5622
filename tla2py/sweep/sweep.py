"""A sweep: its points, and what each is run with and judged by."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

import msgspec

from tla2py.errors import Tla2pyError
from tla2py.model.model import InputFile, Inputs, Model
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.grid import NO_POINTS, Excluded, Point, Points, value_key
from tla2py.sweep.options import input_parameters, inputs_of
from tla2py.sweep.points import ModelInputs, point_model
from tla2py.sweep.sections import (
    Expectation,
    ExpectPoint,
    ExpectSection,
    ExternalExpectation,
    Scalar,
    SweepFile,
)
from tla2py.tlc.config.read import ConfigExpectation, ConfigFile, config_expectation, read_config_text
from tla2py.tlc.tools.community import class_file
from tla2py.tlc.tools.toolchain import Override
from tla2py.toml import value_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A config below a folder that could not be read, and why; TLC never saw it."""

    config: str
    error: Tla2pyError

    @property
    def model(self) -> str:
        """The name of the config's file."""
        return Path(self.config).name

    def __str__(self) -> str:
        return f"{self.model} was not run: {self.error.line}"


class ExpectedRows:
    """The rows of an ``[expect]`` section, found by the texts that they match.

    ``logs`` are the values of the parameter ``log``, which a row may match by a pattern such as ``traces/bug-*``.
    """

    def __init__(self, expect: ExpectSection, logs: Collection[str] = ()) -> None:
        own = msgspec.structs.asdict(expect)
        # A section with values of its own overrides what configs expect.
        states = any(value is not None for key, value in own.items() if key != "point")
        # By the names that rows match: the number of the first row for each key of their values.
        self._numbers: dict[tuple[str, ...], dict[tuple[Hashable, ...], int]] = {}
        for number, row in enumerate(expect.point):
            if not (states and isinstance(row, ExternalExpectation)):
                for match in _matched(row.match, logs):
                    keys = tuple(value_key(value_text(value)) for value in match.values())
                    self._numbers.setdefault(tuple(match), {}).setdefault(keys, number)
        self.names = tuple(dict.fromkeys(name for names in self._numbers for name in names))

    def number(self, parameters: Mapping[str, str]) -> int | None:
        """The number, from 0, of the first row that matches a point; None if the section itself applies."""
        found = (
            rows.get(tuple(value_key(parameters[name]) for name in names))
            for names, rows in self._numbers.items()
            if all(name in parameters for name in names)
        )
        return min((number for number in found if number is not None), default=None)


def _matched(match: Mapping[str, Scalar], logs: Collection[str]) -> list[Mapping[str, Scalar]]:
    """What a row matches, once for each log that its pattern matches."""
    if not logs or "log" not in match or match["log"] in logs:
        return [match]
    pattern = str(match["log"])
    return [{**match, "log": log} for log in logs if fnmatchcase(log, pattern)]


def overridden_text(expect: ExpectSection, points: Points, rows: ExpectedRows) -> str | None:
    """A sentence on the EXPECT comments that ``[expect]`` overrides at some point; ``rows`` are those of ``[expect]``."""
    external = [row for row in expect.point if isinstance(row, ExternalExpectation)]
    found: dict[str, None] = {}
    for point in points.first_with((*rows.names, *(name for row in external for name in row.match))):
        number = rows.number(point.parameters)
        if number is None or not isinstance(expect.point[number], ExternalExpectation):
            found |= {f"EXPECT at {row.where}": None for row in external if matches(row, point.parameters)}
    return f"the sweep file's [expect] overrides {', '.join(found)}" if found else None


def matches(row: ExpectPoint, parameters: Mapping[str, str], logs: Collection[str] = ()) -> bool:
    """Whether a row is about a point; ``logs`` are as in ``ExpectedRows``."""
    return any(
        all(
            name in parameters and value_key(value_text(value)) == value_key(parameters[name])
            for name, value in match.items()
        )
        for match in _matched(row.match, logs)
    )


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
            rows.append(_config_row({"config": name} if isinstance(file.config, list) else {}, expected))
    if not rows:
        return file
    section = file.expect or ExpectSection()
    return msgspec.structs.replace(
        file, expect=msgspec.structs.replace(section, point=[*section.point, *rows])
    )


def _config_row(match: dict[str, Scalar], stated: ConfigExpectation) -> ExternalExpectation:
    """The row for what a config expects."""
    result = stated.result
    violated = stated.violates and result is Verdict.VIOLATED
    return ExternalExpectation(
        match=match,
        verdict=None if isinstance(result, Outcome) or violated else result.value,
        outcome=result if isinstance(result, Outcome) else None,
        violates=list(stated.violates) or None,
        where=stated.where,
    )


@dataclass(frozen=True, kw_only=True)
class Sweep(ModelInputs):
    """A sweep file with its modules, configs and points.

    - ``input_files``: the files that runs may read, by pattern, as they were when the sweep was loaded
    - ``excluded``: the combinations that are left out
    - ``counted``: indices of points with coverage, even if the file does not request it
    - ``vacuity``: whether to ask TLC what could not fail
    - ``no_lint``: whether to ignore all rules of lint
    - ``of_folder``: whether it has the configs below a folder, of which one with an error does not stop the others
    - ``left_out``: configs below the folder that are not run, each with the reason
    - ``unread``: configs below the folder that could not be read
    - ``community``: classes of the installed CommunityModules, for the points whose modules come from there
    """

    name: str
    path: Path
    text: str
    points: Points = NO_POINTS
    options: TlcOptions
    limits: Limits
    template: str
    excluded: tuple[Excluded, ...] = ()
    counted: frozenset[int] = frozenset()
    vacuity: bool = False
    no_lint: bool = False
    of_folder: bool = False
    left_out: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()
    overrides: tuple[Override, ...] = ()
    community: Override | None = None
    input_files: Mapping[str, tuple[InputFile, ...]] = field(default_factory=dict)

    def options_of(self, point: Point) -> TlcOptions:
        """The TLC options of a point."""
        options = self.options
        if self.community is None or not self.spec(point.parameters).installed:
            return options
        return replace(options, overrides=(*options.overrides, class_file(self.community)))

    @property
    def classes(self) -> tuple[Override, ...]:
        """The Java classes of all points."""
        return self.overrides if self.community is None else (*self.overrides, self.community)

    def inputs_of(self, point: Point, model: Model) -> Inputs:
        """What the run of a point with this model may read besides its modules."""
        inputs = inputs_of(self.file, self.input_files, point.parameters)
        return self.logs.inputs(inputs, model, point.parameters)

    @property
    def expect(self) -> ExpectSection:
        """The expectations of the points."""
        return self.file.expect or ExpectSection()

    def expectation(self, point: Point) -> Expectation:
        """The expectation that a point is judged by."""
        number = self.expected_rows.number(point.parameters)
        return self.expect if number is None else self.expect.point[number]

    def row_numbers(self) -> Iterator[int | None]:
        """The number, from 0, of the row of expectations that each point is judged by; None is the section itself."""
        known: dict[tuple[int, ...], int | None] = {}
        for place, key in enumerate(self.points.keys(self.expected_rows.names)):
            if key not in known:
                known[key] = self.expected_rows.number(self.points[place].parameters)
            yield known[key]

    @cached_property
    def input_parameters(self) -> tuple[str, ...]:
        """The parameters that say what a run may read besides its modules."""
        return input_parameters(self.file, self.kinds)

    @cached_property
    def expected_rows(self) -> ExpectedRows:
        """The rows of expectations, found by the texts that they match."""
        return ExpectedRows(self.expect, self.logs.logs)

    def model(self, point: Point) -> Model:
        """The model of a point. Raises InputError: ``unassigned``, ``unknown-definition``."""
        return point_model(self, point.parameters)
