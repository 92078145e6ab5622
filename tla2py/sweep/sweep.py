"""A sweep: its parameters, its points in grid order, and the model of each point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from tla2py.model.inputs import InputFile, Inputs
from tla2py.model.model import Model
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.entries import Entry, Unread
from tla2py.sweep.expectations import ExpectedRows
from tla2py.sweep.grid import Excluded
from tla2py.sweep.options import (
    input_parameters,
    inputs_of,
)
from tla2py.sweep.point_model import ModelInputs, point_model
from tla2py.sweep.points import NO_POINTS, Point, Points
from tla2py.sweep.sections import Expectation, ExpectSection
from tla2py.toolchain.overrides import class_file
from tla2py.toolchain.toolchain import Override


@dataclass(frozen=True, kw_only=True)
class Sweep(ModelInputs):
    """A sweep file with its modules, configs and points.

    - ``input_files``: the files that runs may read, by pattern, as they were when the sweep was loaded
    - ``excluded``: the combinations that are left out
    - ``counted``: indices of points with coverage, even if the file does not request it
    - ``vacuity``: whether to ask TLC what could not fail
    - ``no_lint``: whether to ignore all rules of lint
    - ``left_out``: models of a manifest that TLC cannot run, each with the reason
    - ``unread``: models of a manifest that could not be read
    - ``community``: classes of the installed CommunityModules, for the points whose modules come from there
    - ``special``: options by index of the point, if they differ from ``options``
    - ``entries``: models of a manifest by index of the point
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
    left_out: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()
    overrides: tuple[Override, ...] = ()
    community: Override | None = None
    input_files: Mapping[str, tuple[InputFile, ...]] = field(default_factory=dict)
    special: Mapping[int, TlcOptions] = field(default_factory=dict)
    entries: Mapping[int, Entry] = field(default_factory=dict)

    def options_of(self, point: Point) -> TlcOptions:
        """The TLC options of a point."""
        options = self.special.get(point.index, self.options)
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
    def workers(self) -> int:
        """The largest number of worker threads of a run."""
        return max([self.options.workers, *(each.workers for each in self.special.values())])

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
