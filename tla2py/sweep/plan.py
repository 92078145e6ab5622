"""The plan of a sweep: a run for each point."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import overload

from tla2py.errors import InputError
from tla2py.lint.subject import dropped_statements
from tla2py.model.model import NO_INPUTS, Assignment, Config, Model
from tla2py.model.run import Limits, ModuleTexts, Run, digest_text, module_texts
from tla2py.sweep.grid import Point, first_places
from tla2py.sweep.sweep import Sweep
from tla2py.text import parameter_text
from tla2py.tla.graph import Assertion, CheckedAssumption, ModuleGraph, find_assertions
from tla2py.tla.instrument import with_definitions
from tla2py.tla.module import count_visible, standard_module_of
from tla2py.tla.temporal_form import is_refuted_by_prefix
from tla2py.tlc.config.render import render_config
from tla2py.tlc.config.statements import literal_names, literal_text
from tla2py.tlc.config.wrapper import build_config, is_single


class Runs(Sequence[Run]):
    """The runs of points, each made when it is read.

    ``ids`` are their ids. ``kinds`` is a number for each run: the configs of runs with the same number differ only in
    values that a config can express and no module declares.
    """

    def __init__(self, ids: Sequence[str], kinds: Sequence[int], make: Callable[[int], Run]) -> None:
        self.ids = ids
        self.kinds = kinds
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

    def samples(self) -> list[int]:
        """The place of the first run of each kind."""
        return first_places(self.kinds)

    def missing(self, known: Container[str]) -> list[int]:
        """The places of the runs, each once, whose ids are not known."""
        return list({run_id: place for place, run_id in enumerate(self.ids) if run_id not in known}.values())

    def at(self, places: Iterable[int]) -> Runs:
        """The runs at these places, in this order."""
        chosen = array("I", places)
        ids, kinds = [self.ids[place] for place in chosen], [self.kinds[place] for place in chosen]
        return Runs(ids, kinds, lambda number: self._make(chosen[number]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run per point, in grid order, and the module texts that they share.

    ``paths`` are the user's files by the sha256 of their texts; ``configs`` the sha256 of the configs' texts, by name;
    ``filled`` the constants that no point assigns; ``errors`` one for each point of several configs whose config leaves
    a constant without a value. ``limits`` are those of each run, ``outputs`` the patterns of the files to keep.
    ``outlines`` are the places of the first points of each kind, before a template of the user's rendered their configs.
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
    outlines: Sequence[int] = ()

    def part(self, numbers: Iterable[int]) -> Plan:
        """The plan of the points with these numbers."""
        places = [number - 1 for number in numbers]
        runs = self.runs.at(places)
        points = [self.points[place] for place in places]
        return replace(self, points=points, runs=runs, outlines=runs.samples())

    def samples(self) -> Iterator[tuple[Point, Run]]:
        """A point and its run of each kind, see ``Runs``."""
        return self.at(self.runs.samples())

    def at(self, places: Iterable[int]) -> Iterator[tuple[Point, Run]]:
        """The points at these places, each with its run."""
        return ((self.points[place], self.runs[place]) for place in places)

    def further(
        self,
        points: Sequence[Point],
        runs: Sequence[Run],
        sources: Mapping[str, str],
        limits: Limits | None = None,
    ) -> Plan:
        """The plan of further runs at some of the points, of which no files are kept; ``sources`` are their own texts."""
        limits = limits or self.limits
        limited = Runs.of([replace(run, limits=limits) for run in runs])
        texts = {**self.sources, **sources}
        return replace(self, points=points, runs=limited, limits=limits, outputs=(), sources=texts)


def plan_sweep(sweep: Sweep, jar_sha256: str) -> Plan:
    """Return the runs of a sweep. Raises InputError (``template-drops``), and as ``Sweep.model`` does.

    One of several configs that leaves a constant without a value stops only its own points.
    """
    return _Planner(sweep, jar_sha256).plan()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outline:
    """What the runs of points share that differ only in values that a config can express and no module declares.

    - ``config``: that of one of its points
    - ``given``: its modules; with ``wrapper``, those of one of its points
    - ``refused``: why TLC is not started, with the ``error`` if a constant lacks a value; there is then no ``model``
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
        assignments = (
            Assignment(name, literal_text(parameters[name]) if name in self.plain else value)
            for name, value in self.config.assignments
        )
        return replace(self.config, assignments=tuple(assignments))

    def modules(self, config_text: str) -> ModuleTexts:
        """The modules of a run with this config."""
        if self.model is None or self.wrapper is None:
            return self.given
        extension = self.model.extension
        added = extension.modules if extension else {}
        return module_texts(self.model.spec, self.main, self.wrapper, config_text, added)


def _only_assumptions(outline: _Outline) -> tuple[CheckedAssumption, ...]:
    """Return the assumptions that TLC checks in a model without a behaviour, none in any other."""
    model = outline.model
    if model is None or model.spec.variables or outline.config.specification or outline.config.init:
        return ()
    return model.spec.checked_assumptions


class _Planner:
    """Plans a sweep: an outline once for all points that share it, then the run of each point."""

    def __init__(self, sweep: Sweep, jar_sha256: str) -> None:
        self._sweep = sweep
        self._jar_sha256 = jar_sha256
        template = sweep.file.sections.template
        self._template = str(sweep.file.folder / template) if template else None
        specs = sweep.specification.modules.values()
        self._modules = {id(spec): module_texts(spec, spec.root.name, None, "") for spec in specs}
        self._declared = frozenset(name for spec in specs for name in _declared(spec))
        self._reached: dict[tuple[int, frozenset[str]], tuple[Assertion, ...]] = {}
        self._safe: dict[tuple[object, ...], tuple[str, ...]] = {}
        # Counting actions makes TLC about half as slow again, so only on request.
        self._firing = any(row.fires for row in (*sweep.expect.point, sweep.expect))
        self._outlines: list[_Outline] = []
        # The outline of each point.
        self._numbers = array("I")

    def plan(self) -> Plan:
        """The plan. Raises InputError as ``plan_sweep`` does."""
        sweep, points = self._sweep, self._sweep.points
        sources: dict[str, str] = {}
        paths: dict[str, str] = {}
        errors: list[InputError] = []
        known: dict[tuple[int, ...], int] = {}
        ids: list[str] = []
        for point, shape in zip(points, self._shapes(), strict=True):
            if (number := known.get(shape)) is None:
                number = known[shape] = len(self._outlines)
                self._outlines.append(self._outline(point))
            self._numbers.append(number)
            outline = self._outlines[number]
            run, given = self._run(outline, point)
            self._check_template(outline, run, point)
            ids.append(run.run_id)
            if outline.error is not None:
                errors.append(outline.error)
            sources |= given.texts
            paths |= given.paths
        if errors and all(outline.refused is not None for outline in self._outlines):
            raise errors[0]
        filled = dict.fromkeys(name for each in self._outlines if each.model for name in each.model.filled)
        configs = {name: digest_text(config.text) for name, config in sweep.specification.configs.items()}
        sources |= {configs[name]: config.text for name, config in sweep.specification.configs.items()}
        return Plan(
            points=points,
            runs=Runs(
                ids,
                # A template of the user's may make another config of each value.
                self._numbers if self._template is None else range(len(points)),
                lambda place: self._run(self._outlines[self._numbers[place]], points[place])[0],
            ),
            limits=sweep.selection.limits,
            outputs=tuple(sweep.file.sections.outputs.files),
            sources=sources,
            paths=paths,
            configs=configs,
            filled=tuple(filled),
            errors=tuple(errors),
            outlines=first_places(self._numbers),
        )

    def _shapes(self) -> Iterator[tuple[int, ...]]:
        """A key for each point; points with the same one have the same outline."""
        shaping = []
        for name in self._sweep.points.names:
            column = self._sweep.points.column(name)
            classes = self._classes(name, dict.fromkeys(column))
            if len({*classes.values()}) > 1:
                shaping.append(map(classes.__getitem__, column))
        return zip(*shaping, strict=True) if shaping else repeat((), len(self._sweep.points))

    def _classes(self, name: str, texts: Collection[str]) -> dict[str, int]:
        """A number for each text of a parameter: points that agree in these numbers have the same outline."""
        kind = self._sweep.kinds[name]
        if kind in ("seed", "environment", "java_properties", "log"):
            return dict.fromkeys(texts, 0)
        if kind != "constant" or any(
            _replaced(spec, name) for spec in self._sweep.specification.modules.values()
        ):
            return {text: n for n, text in enumerate(texts)}
        # Symmetry leaves out sets of one element.
        plain = {False: -1, True: -2}
        return {t: plain[is_single(t)] if self._is_plain(t) else n for n, t in enumerate(texts)}

    def _outline(self, point: Point) -> _Outline:
        """The outline of a point's run. Raises InputError as ``Sweep.model``, ``build_config`` and ``render_config`` do."""
        sweep = self._sweep
        base = sweep.config(point.parameters)
        problem = base.problem if base is not None else None
        failed: InputError | None = None
        if problem is None:
            try:
                model = sweep.model(point)
            except InputError as error:
                if base is None or len(sweep.specification.configs) == 1 or error.code != "unassigned":
                    raise
                failed = error
                # The file's path depends on the current folder, its name in the sweep does not.
                problem = error.line.replace(str(base.path), point.parameters["config"])
        if problem is not None:
            spec = sweep.spec(point.parameters)
            given = self._modules[id(spec)]
            return _Outline(main=spec.root.name, given=given, config=Config(), refused=problem, error=failed)
        config, main, wrapper = build_config(model, self._value_place(point))
        given = self._modules[id(model.spec)]
        varied = [each for each in model.constants if sweep.kinds.get(each.name) == "constant"]
        plain = frozenset(name for name, text in varied if self._is_plain(text))
        outline = _Outline(main=main, given=given, config=config, model=model, wrapper=wrapper, plain=plain)
        if wrapper is None or self._template is not None:
            return outline
        return replace(outline, given=outline.modules(render_config(config, sweep.template)))

    def _run(self, outline: _Outline, point: Point) -> tuple[Run, ModuleTexts]:
        """The run of a point, and its modules."""
        sweep, model = self._sweep, outline.model
        config, text, given = outline.config_at(point.parameters), "", outline.given
        options, inputs = sweep.options_of(point), NO_INPUTS
        if model is not None:
            text = render_config(config, sweep.template, where=self._template)
            if self._template is not None:
                # It may name what the outline's other points do not.
                given = outline.modules(text)
            covered = point.index in sweep.selection.counted or (
                self._firing and bool(sweep.expectation(point).fires)
            )
            options = replace(
                options,
                check_deadlock=model.config.check_deadlock,
                seed=int(point.parameters.get("seed", options.seed)),
                coverage=options.coverage or covered,
            )
            inputs = sweep.inputs_of(point, model).without(name for name, _ in given.modules)
        safety = self._safety(outline)
        run = Run(
            main=outline.main,
            modules=given.modules,
            config=config,
            config_text=text,
            template=sweep.template,
            options=options,
            limits=sweep.selection.limits,
            jar_sha256=self._jar_sha256,
            originals=given.originals,
            inputs=inputs,
            refused=outline.refused,
            assertions=self._assertions(outline, text),
            safety=safety,
            liveness=tuple(name for name in config.properties if name not in safety),
            assumptions=_only_assumptions(outline),
        )
        return run, given

    def _check_template(self, outline: _Outline, run: Run, point: Point) -> None:
        """Raise InputError (``template-drops``) for a template of the user's that leaves out a statement."""
        if self._template is None or outline.model is None:
            return
        if dropped := dropped_statements(outline.model, run.config, run.config_text):
            raise InputError(
                "template-drops",
                f"the config of point {point.index} ({parameter_text(point.parameters)}) lacks {', '.join(dropped)}",
                where=self._template,
                hint="render every field of config, as cfg_templates/default.cfg.j2 does",
            )

    def _assertions(self, outline: _Outline, text: str) -> tuple[Assertion, ...]:
        """The assertions that a run with this config reaches, without those of postconditions, which are named as such."""
        if outline.model is None or not any("Assert" in each.text for each in outline.model.spec.modules):
            return ()
        model, config = outline.model, outline.config
        added = model.extension.modules.values() if model.extension else ()
        words = re.findall(r"[\w!]+", "\n".join([text, outline.wrapper or "", *added]))
        names = frozenset(words) & model.spec.definitions.keys() - {*config.postconditions, *config.possible}
        key = (id(model.spec), names)
        if key not in self._reached:
            self._reached[key] = find_assertions(model.spec, sorted(names))
        return self._reached[key]

    def _safety(self, outline: _Outline) -> tuple[str, ...]:
        """Return the properties of a model that a finite beginning of a behaviour refutes."""
        model, config = outline.model, outline.config
        if model is None or not config.properties:
            return ()
        replaced = dict(config.substitutions)
        key = (id(model.spec), config.properties, config.substitutions)
        if key not in self._safe:
            spec = with_definitions(model.spec, [text for _, text in config.expressions])
            self._safe[key] = tuple(
                name for name in config.properties if is_refuted_by_prefix(replaced.get(name, name), spec)
            )
        return self._safe[key]

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
        """A function from a constant or an expression, and the text before a part of its value, to that part's place."""
        sweep = self._sweep
        written = sweep.places(point.parameters)
        text = sweep.assigned(point.parameters)

        def place(name: str, before: str) -> str:
            index = count_visible(before) if before else None
            return str(written.value(name, index, count_visible(text.get(name, name))) or sweep.file.path)

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
