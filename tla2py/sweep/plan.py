"""The runs of a sweep's points."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import overload

from tla2py.config.literal import literal_text
from tla2py.errors import InputError
from tla2py.model.inputs import NO_INPUTS, Inputs
from tla2py.model.modules import ModuleTexts
from tla2py.model.run import Limits, Run, RunDigest, TlcOptions, digest_text, quoted
from tla2py.sweep.outline import Outline, Outlines
from tla2py.sweep.points import Ids, Point, Points
from tla2py.sweep.sweep import Sweep

# How many options and inputs are kept, each with the text that they add to the digests of runs.
_MOST_SETTINGS = 1 << 12


class Runs(Sequence[Run]):
    """The runs of points, each made when it is read.

    ``ids`` are their ids. ``kinds`` is a number for each run: the configs of runs with the same number differ only in
    values that a config can express and no module declares. ``outlines`` is the same before a template rendered them.
    """

    def __init__(
        self,
        ids: Sequence[str],
        kinds: Sequence[int],
        make: Callable[[int], Run],
        outlines: Sequence[int] | None = None,
    ) -> None:
        self.ids = ids
        self.kinds = kinds
        self.outlines = kinds if outlines is None else outlines
        self._make = make

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Runs:
        """These runs."""
        return cls([run.run_id for run in runs], range(len(runs)), runs.__getitem__)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Run, ...]: ...
    def __getitem__(self, index: int | slice) -> Run | tuple[Run, ...]:
        places = range(len(self))[index]
        return self._make(places) if isinstance(places, int) else tuple(map(self._make, places))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Runs) and list(self.ids) == list(other.ids)

    __hash__ = None  # type: ignore[assignment]

    def samples(self) -> Iterator[int]:
        """The place of the first run of each kind."""
        return _first_places(self.kinds)

    def missing(self, known: Container[int]) -> list[int]:
        """The places of the runs, each once, whose places are not known."""
        places = (place for place in range(len(self)) if place not in known)
        return list({self.ids[place]: place for place in places}.values())

    def at(self, places: Iterable[int]) -> Runs:
        """The runs at these places, in this order."""
        chosen = array("I", places)
        ids, kinds = [self.ids[place] for place in chosen], [self.kinds[place] for place in chosen]
        return Runs(ids, kinds, lambda number: self._make(chosen[number]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run per point, in grid order, and the module texts that they share.

    ``paths`` are the user's files by the sha256 of their texts; ``configs`` the sha256 of the configs' texts, by name;
    ``filled`` the constants that no point assigns; ``errors`` one for each point of several configs whose config leaves a constant without a value. ``limits`` are those
    of each run, ``outputs`` the patterns of the files to keep.
    """

    points: Sequence[Point]
    runs: Runs
    limits: Limits
    outputs: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    configs: dict[str, str] = field(default_factory=dict)
    filled: tuple[str, ...] = ()
    errors: tuple[InputError, ...] = ()

    def samples(self) -> Iterator[tuple[Point, Run]]:
        """A point and its run of each kind, see ``Runs``."""
        return ((self.points[place], self.runs[place]) for place in self.runs.samples())

    def outlines(self) -> Iterator[tuple[Point, Run]]:
        """A point and its run of each outline, see ``Runs``."""
        return ((self.points[place], self.runs[place]) for place in _first_places(self.runs.outlines))


def _first_places(numbers: Iterable[int]) -> Iterator[int]:
    seen: set[int] = set()
    for place, number in enumerate(numbers):
        if number not in seen:
            seen.add(number)
            yield place


def plan_sweep(sweep: Sweep, jar_sha256: str) -> Plan:
    """The runs of a sweep. Raises InputError (``template-drops``), and as ``Sweep.model`` does.

    One of several configs that leaves a constant without a value stops only its own points.
    """
    return _Planner(sweep, jar_sha256).plan()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """The options and inputs of runs, and what precedes and follows their configs in what is digested."""

    options: TlcOptions
    inputs: Inputs
    digest: RunDigest


class _Planner:
    """Plans a sweep: outlines and settings once for all points that share them, then an id per point."""

    def __init__(self, sweep: Sweep, jar_sha256: str) -> None:
        self._sweep = sweep
        self._jar_sha256 = jar_sha256
        self._maker = Outlines(sweep)
        self._outlines: list[Outline] = []
        # The outline of each point.
        self._numbers = array("I")
        self._set_by = [
            *sweep.input_parameters,
            *(name for name, kind in sweep.kinds.items() if kind == "seed"),
        ]
        self._settings: dict[Hashable, _Setting] = {}

    def plan(self) -> Plan:
        """The plan. Raises InputError as ``plan_sweep`` does."""
        points = self._sweep.points
        sources: dict[str, str] = {}
        paths: dict[str, str] = {}
        errors: list[InputError] = []
        known: dict[tuple[int, ...], int] = {}
        forms: list[_Form | None] = []
        ids, kinds = bytearray(), array("l")
        columns = (self._shapes(), points.keys(self._set_by), self._covered())
        for place, (shape, key, covered) in enumerate(zip(*columns, strict=True)):
            number = known.get(shape)
            if number is None:
                number = known[shape] = len(self._outlines)
                outline = self._maker.outline(points[place])
                self._outlines.append(outline)
                forms.append(_Form(outline, points) if outline.settled else None)
                sources |= outline.given.texts
                paths |= outline.given.paths
            outline, form = self._outlines[number], forms[number]
            self._numbers.append(number)
            kinds.append(-1 - place if outline.pieces is None else number)
            if outline.error is not None:
                errors.append(outline.error)
            if form is not None:
                ids += self._setting(number, place, key, covered=covered).digest.of(form.quoted_at(place))
            else:
                run, given = self._made(place, key, covered=covered)
                ids += bytes.fromhex(run.run_id)
                sources |= given.texts
                paths |= given.paths
        if errors and all(outline.refused is not None for outline in self._outlines):
            raise errors[0]
        filled = dict.fromkeys(name for each in self._outlines if each.model for name in each.model.filled)
        runs = Runs(Ids(bytes(ids)), kinds, self._run, self._numbers)
        configs = {name: digest_text(config.text) for name, config in self._sweep.configs.items()}
        sources |= {configs[name]: config.text for name, config in self._sweep.configs.items()}
        return Plan(
            points=points,
            runs=runs,
            limits=self._sweep.limits,
            outputs=tuple(self._sweep.file.outputs.files),
            sources=sources,
            paths=paths,
            configs=configs,
            filled=tuple(filled),
            errors=tuple(errors),
        )

    def _shapes(self) -> Iterator[tuple[int, ...]]:
        """A key for each point; points with the same one have the same outline."""
        columns = self._sweep.points.columns
        classes = {name: self._maker.classes(name) for name in columns}
        shaping = [
            map(classes[name].__getitem__, column.codes)
            for name, column in columns.items()
            if len(set(classes[name])) > 1
        ]
        return zip(*shaping, strict=True) if shaping else repeat((), len(self._sweep.points))

    def _covered(self) -> Iterator[bool]:
        """Whether each point's run counts actions, which makes TLC about half as slow again, so only on request."""
        sweep = self._sweep
        rows = [*sweep.expect.point, sweep.expect]
        if not sweep.counted and not any(row.fires for row in rows):
            return repeat(False, len(sweep.points))
        numbers = enumerate(sweep.row_numbers(), 1)
        return (n in sweep.counted or bool(rows[-1 if row is None else row].fires) for n, row in numbers)

    def _setting(self, number: int, place: int, key: tuple[int, ...], *, covered: bool) -> _Setting:
        special = self._sweep.special.get(place + 1)
        whole = (number, key, covered, special)
        found = self._settings.get(whole)
        if found is None:
            if len(self._settings) == _MOST_SETTINGS:
                self._settings.clear()
            found = self._settings[whole] = self._new_setting(
                self._outlines[number], self._sweep.points[place], covered=covered
            )
        return found

    def _new_setting(self, outline: Outline, point: Point, *, covered: bool) -> _Setting:
        sweep = self._sweep
        options, inputs = sweep.options_of(point), NO_INPUTS
        if outline.model is not None:
            options = replace(options, check_deadlock=outline.model.config.check_deadlock)
            inputs = sweep.inputs_of(point, outline.model)
            inputs = inputs.without(name for name, _ in outline.given.modules)
            if "seed" in point.parameters:
                options = replace(options, seed=int(point.parameters["seed"]))
            if covered:
                options = replace(options, coverage=True)
        digest = RunDigest(
            outline.main,
            outline.given.modules,
            options,
            self._jar_sha256,
            inputs,
            trust=sweep.limits.trust,
            refused=outline.refused,
        )
        return _Setting(options=options, inputs=inputs, digest=digest)

    def _run(self, place: int) -> Run:
        sweep = self._sweep
        codes = (sweep.points.columns[name].codes[place] for name in self._set_by)
        covered = place + 1 in sweep.counted or bool(sweep.expectation(sweep.points[place]).fires)
        return self._made(place, tuple(codes), covered=covered, check=False)[0]

    def _made(
        self, place: int, key: tuple[int, ...], *, covered: bool, check: bool = True
    ) -> tuple[Run, ModuleTexts]:
        sweep, point = self._sweep, self._sweep.points[place]
        outline = self._outlines[self._numbers[place]]
        setting = self._setting(self._numbers[place], place, key, covered=covered)
        text = self._maker.text(outline, point, check=check)
        given = outline.given if outline.pieces is not None else self._maker.modules(outline, text)
        run = Run(
            main=outline.main,
            modules=given.modules,
            config=outline.config_at(point.parameters),
            config_text=text,
            template=sweep.template,
            options=setting.options,
            limits=sweep.limits,
            jar_sha256=self._jar_sha256,
            originals=given.originals,
            inputs=setting.inputs,
            refused=outline.refused,
        )
        return run, given


class _Form:
    """The configs of the points of an outline, quoted for their digests."""

    def __init__(self, outline: Outline, points: Points) -> None:
        pieces = [quoted(piece)[1:-1].replace("%", "%%") for piece in outline.pieces or ()]
        self._text = f'"{"%s".join(pieces)}"'
        columns = [points.columns[name] for name in outline.order]
        self._values = [
            ([quoted(literal_text(text))[1:-1] for text in column.texts], column.codes) for column in columns
        ]

    def quoted_at(self, place: int) -> str:
        return self._text % tuple([texts[codes[place]] for texts, codes in self._values])
