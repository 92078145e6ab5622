"""The plan of a sweep: a run for each point."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import overload

from tla2py.errors import InputError
from tla2py.lint.subject import dropped_statements
from tla2py.model.model import NO_INPUTS, Assignment, Config, Inputs, Model
from tla2py.model.run import (
    Limits,
    ModuleTexts,
    Run,
    RunDigest,
    TlcOptions,
    digest_text,
    module_texts,
    quoted,
)
from tla2py.sweep.grid import Ids, Point
from tla2py.sweep.sweep import Sweep
from tla2py.text import parameter_text
from tla2py.tla.graph import Assertion, ModuleGraph, find_assertions
from tla2py.tla.module import count_visible, standard_module_of
from tla2py.tlc.config.render import render_config
from tla2py.tlc.config.statements import literal_names, literal_text
from tla2py.tlc.config.wrapper import build_config, is_single


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What the runs of points share that differ only in values that a config can express and no module declares.

    - ``config``: that of one of its points, see ``config_at``
    - ``given``: its modules; with ``wrapper``, those of one of its points
    - ``refused``: why TLC is not started, with the ``error`` if a constant lacks a value
    - ``plain``: the parameters whose values the config assigns as they are
    """

    main: str
    given: ModuleTexts
    config: Config
    model: Model | None = None
    wrapper: str | None = None
    refused: str | None = None
    error: InputError | None = None
    plain: frozenset[str] = frozenset()

    def config_at(self, parameters: Mapping[str, str]) -> Config:
        """The config of a point."""
        if not self.plain:
            return self.config
        return replace(
            self.config,
            assignments=tuple(
                Assignment(name, literal_text(parameters[name]) if name in self.plain else value)
                for name, value in self.config.assignments
            ),
        )


class Outlines:
    """The outlines of a sweep's runs."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._template = str(sweep.path.parent / sweep.file.template) if sweep.file.template else None
        specs = sweep.specs.values()
        self._modules = {id(spec): module_texts(spec, spec.root.name, None, "") for spec in specs}
        self._declared = frozenset(name for spec in specs for name in _declared(spec))
        self._assertions: dict[tuple[int, frozenset[str]], tuple[Assertion, ...]] = {}

    def classes(self, name: str) -> list[int]:
        """A number for each text of a parameter: points that agree in these numbers have the same outline."""
        texts = self._sweep.points.columns[name].texts
        kind = self._sweep.kinds[name]
        if kind in ("seed", "environment", "java_properties", "log"):
            return [0] * len(texts)
        if kind != "constant" or any(_replaced(spec, name) for spec in self._sweep.specs.values()):
            return list(range(len(texts)))
        # Symmetry leaves out sets of one element.
        plain = {False: -1, True: -2}
        return [plain[is_single(text)] if self._is_plain(text) else n for n, text in enumerate(texts)]

    def outline(self, point: Point) -> Outline:
        """The outline of a point's run. Raises InputError as ``Sweep.model``, ``build_config`` and ``text`` do."""
        sweep = self._sweep
        base = sweep.config(point.parameters)
        problem = base.problem if base is not None else None
        failed: InputError | None = None
        if problem is None:
            try:
                model = sweep.model(point)
            except InputError as error:
                if base is None or len(sweep.configs) == 1 or error.code != "unassigned":
                    raise
                failed = error
                # The file's path depends on the current folder, its name in the sweep does not.
                problem = error.line.replace(str(base.path), point.parameters["config"])
        if problem is not None:
            spec = sweep.spec(point.parameters)
            given = self._modules[id(spec)]
            return Outline(main=spec.root.name, given=given, config=Config(), refused=problem, error=failed)
        config, main, wrapper = build_config(model, self._value_place(point))
        outline = Outline(
            main=main,
            given=self._modules[id(model.spec)],
            config=config,
            model=model,
            wrapper=wrapper,
            plain=frozenset(
                name
                for name, text in model.constants
                if sweep.kinds.get(name) == "constant" and self._is_plain(text)
            ),
        )
        if wrapper is not None:
            outline = replace(outline, given=self.modules(outline, self.text(outline, point)))
        return outline

    def text(self, outline: Outline, point: Point, *, check: bool = True) -> str:
        """The config of a point's run. Raises InputError (``template-drops``) if ``check``, and as ``render_config`` does."""
        if outline.model is None:
            return ""
        config = outline.config_at(point.parameters)
        text = render_config(config, self._sweep.template, where=self._template)
        dropped = dropped_statements(outline.model, config, text) if check and self._template else ()
        if dropped:
            raise InputError(
                "template-drops",
                f"the config of point {point.index} ({parameter_text(point.parameters)}) lacks {', '.join(dropped)}",
                where=self._template,
                hint="render every field of config, as cfg_templates/default.cfg.j2 does",
            )
        return text

    def given(self, outline: Outline, text: str) -> ModuleTexts:
        """The modules of a point's run; its own, where a template may name what the outline's other points do not."""
        return outline.given if self._template is None else self.modules(outline, text)

    def modules(self, outline: Outline, text: str) -> ModuleTexts:
        """The modules of a run with this config."""
        if outline.model is None or outline.wrapper is None:
            return outline.given
        extension = outline.model.extension
        added = extension.modules if extension else {}
        return module_texts(outline.model.spec, outline.main, outline.wrapper, text, added)

    def assertions(self, outline: Outline, text: str) -> tuple[Assertion, ...]:
        """The assertions that a run with this config reaches, without those of postconditions, which are named as such."""
        if outline.model is None or not any("Assert" in each.text for each in outline.model.spec.modules):
            return ()
        model, config = outline.model, outline.config
        added = model.extension.modules.values() if model.extension else ()
        words = re.findall(r"[\w!]+", "\n".join([text, outline.wrapper or "", *added]))
        names = frozenset(words) & model.spec.definitions.keys() - {*config.postconditions, *config.possible}
        key = (id(model.spec), names)
        if key not in self._assertions:
            self._assertions[key] = find_assertions(model.spec, sorted(names))
        return self._assertions[key]

    def _is_plain(self, text: str) -> bool:
        """Whether a config can express a value, which then means the same whatever the modules declare."""
        # A string with an asterisk could end a template's comment.
        return (
            literal_names(text) is not None
            and "*" not in text
            and not any(
                word in self._declared or standard_module_of(word) is not None
                for word in re.findall(r"\w+", text)
            )
        )

    def _value_place(self, point: Point) -> Callable[[str, str], str]:
        """A function from a constant, and the text before a part of its value, to that part's place."""
        sweep = self._sweep
        written = sweep.places(point.parameters)
        text = sweep.assigned(point.parameters)

        def place(name: str, before: str) -> str:
            index = count_visible(before) if before else None
            return str(written.value(name, index, count_visible(text.get(name, ""))) or sweep.path)

        return place


def _replaced(spec: ModuleGraph, name: str) -> bool:
    """Whether a module needs more than an assignment for a constant of the sweep."""
    arities = [constant.arity for constant in spec.constants if constant.name == name]
    return any(arities) if arities else name in spec.definitions


def _declared(spec: ModuleGraph) -> Iterator[str]:
    yield from spec.definitions
    for module in spec.modules:
        for group in (module.constants, module.variables, module.definitions):
            yield from (each.name for each in group)


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

    def further(
        self,
        points: Sequence[Point],
        runs: Sequence[Run],
        sources: Mapping[str, str],
        limits: Limits | None = None,
    ) -> Plan:
        """The plan of further runs at some of the points, of which no files are kept; ``sources`` are their own texts."""
        limits = limits or self.limits
        return replace(
            self,
            points=points,
            runs=Runs.of([replace(run, limits=limits) for run in runs]),
            limits=limits,
            outputs=(),
            sources={**self.sources, **sources},
        )

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
    """Plans a sweep: outlines and settings once for all points that share them, then a config and an id per point."""

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
        sweep, points, own = self._sweep, self._sweep.points, self._sweep.file.template is not None
        sources: dict[str, str] = {}
        paths: dict[str, str] = {}
        errors: list[InputError] = []
        known: dict[tuple[int, ...], int] = {}
        ids = bytearray()
        columns = (self._shapes(), points.keys(self._set_by), self._covered())
        for place, (shape, key, covered) in enumerate(zip(*columns, strict=True)):
            point = points[place]
            number = known.get(shape)
            if number is None:
                number = known[shape] = len(self._outlines)
                self._outlines.append(self._maker.outline(point))
            outline = self._outlines[number]
            self._numbers.append(number)
            text = self._maker.text(outline, point)
            given = self._maker.given(outline, text)
            setting = self._setting(number, point, key, given, covered=covered)
            ids += setting.digest.of(quoted(text))
            if outline.error is not None:
                errors.append(outline.error)
            sources |= given.texts
            paths |= given.paths
        if errors and all(outline.refused is not None for outline in self._outlines):
            raise errors[0]
        filled = dict.fromkeys(name for each in self._outlines if each.model for name in each.model.filled)
        # A template of the user's may make another config of each value.
        kinds = range(len(points)) if own else self._numbers
        configs = {name: digest_text(config.text) for name, config in sweep.configs.items()}
        sources |= {configs[name]: config.text for name, config in sweep.configs.items()}
        return Plan(
            points=points,
            runs=Runs(Ids(bytes(ids)), kinds, self._run, self._numbers),
            limits=sweep.limits,
            outputs=tuple(sweep.file.outputs.files),
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

    def _setting(
        self, number: int, point: Point, key: tuple[int, ...], given: ModuleTexts, *, covered: bool
    ) -> _Setting:
        whole = (number, key, covered, given.modules)
        found = self._settings.get(whole)
        if found is None:
            if len(self._settings) == _MOST_SETTINGS:
                self._settings.clear()
            found = self._settings[whole] = self._new_setting(
                self._outlines[number], point, given, covered=covered
            )
        return found

    def _new_setting(self, outline: Outline, point: Point, given: ModuleTexts, *, covered: bool) -> _Setting:
        sweep = self._sweep
        options, inputs = sweep.options_of(point), NO_INPUTS
        if outline.model is not None:
            options = replace(options, check_deadlock=outline.model.config.check_deadlock)
            inputs = sweep.inputs_of(point, outline.model)
            inputs = inputs.without(name for name, _ in given.modules)
            if "seed" in point.parameters:
                options = replace(options, seed=int(point.parameters["seed"]))
            if covered:
                options = replace(options, coverage=True)
        digest = RunDigest(
            outline.main,
            given.modules,
            options,
            self._jar_sha256,
            inputs,
            trust=sweep.limits.trust,
            refused=outline.refused,
        )
        return _Setting(options=options, inputs=inputs, digest=digest)

    def _run(self, place: int) -> Run:
        sweep, point, number = self._sweep, self._sweep.points[place], self._numbers[place]
        key = tuple(sweep.points.columns[name].codes[place] for name in self._set_by)
        covered = place + 1 in sweep.counted or bool(sweep.expectation(point).fires)
        outline = self._outlines[number]
        text = self._maker.text(outline, point, check=False)
        given = self._maker.given(outline, text)
        setting = self._setting(number, point, key, given, covered=covered)
        return Run(
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
            assertions=self._maker.assertions(outline, text),
        )
