"""The runs of a sweep's points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tla2py.config.read import config_file
from tla2py.config.render import default_template, render_config
from tla2py.config.statements import read_statements
from tla2py.config.wrapper import build_config
from tla2py.errors import InputError
from tla2py.lint.subject import keyword_of
from tla2py.model.config import Config
from tla2py.model.model import Model
from tla2py.model.modules import ModuleTexts, module_texts
from tla2py.model.run import Run
from tla2py.sweep.grid import Point
from tla2py.sweep.places import PointPlaces
from tla2py.sweep.sweep import Sweep
from tla2py.syntax.offsets import count_visible
from tla2py.text import parameter_text


@dataclass(frozen=True, slots=True)
class Plan:
    """One run per point, in grid order, and the module texts that they share.

    ``paths`` are the user's files by the sha256 of their texts; ``filled`` the constants that no point assigns;
    ``errors`` one for each point of several configs whose config leaves a constant without a value.
    """

    points: tuple[Point, ...]
    runs: tuple[Run, ...]
    sources: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    filled: tuple[str, ...] = ()
    errors: tuple[InputError, ...] = ()


def _value_place(sweep: Sweep, point: Point) -> Callable[[str, str], str]:
    """A function from a constant, and the text before a part of its value, to that part's place."""
    written = PointPlaces(source=sweep.source, file=sweep.file, parameters=point.parameters)
    text = sweep.assigned(point.parameters)

    def place(name: str, before: str) -> str:
        index = count_visible(before) if before else None
        return str(written.value(name, index, count_visible(text.get(name, ""))) or sweep.path)

    return place


def plan_sweep(sweep: Sweep, jar_sha256: str) -> Plan:
    """The runs of a sweep. Raises InputError (``template-drops``), and as ``Sweep.model`` does.

    One of several configs that leaves a constant without a value stops only its own points.
    """
    runs: list[Run] = []
    sources: dict[str, str] = {}
    paths: dict[str, str] = {}
    filled: dict[str, None] = {}
    errors: list[InputError] = []
    plain = {id(spec): module_texts(spec, spec.root.name, None, "") for spec in sweep.specs.values()}
    template = str(sweep.path.parent / sweep.file.template) if sweep.file.template else None
    for point in sweep.points:
        base = sweep.config(point.parameters)
        problem = base.problem if base is not None else None
        if problem is None:
            try:
                model = sweep.model(point)
            except InputError as error:
                if base is None or len(sweep.configs) == 1 or error.code != "unassigned":
                    raise
                errors.append(error)
                # The file's path depends on the current folder, its name in the sweep does not.
                problem = error.line.replace(str(base.path), point.parameters["config"])
        if problem is not None:
            given = plain[id(sweep.spec(point.parameters))]
            sources |= given.texts
            paths |= given.paths
            runs.append(_refused_run(sweep, point, given, problem, jar_sha256))
            continue
        filled |= dict.fromkeys(model.filled)
        config, main, wrapper = build_config(model, _value_place(sweep, point))
        text = render_config(config, sweep.template, where=template)
        if template is not None:
            _check_rendered(template, point, model, config, text)
        given = plain[id(model.spec)]
        if wrapper is not None:
            given = module_texts(model.spec, main, wrapper, text)
        sources |= given.texts
        paths |= given.paths
        options = replace(sweep.options_of(point), check_deadlock=model.config.check_deadlock)
        if "seed" in point.parameters:
            options = replace(options, seed=int(point.parameters["seed"]))
        # Coverage makes TLC about half as slow again, so only on request.
        if point.index in sweep.counted or sweep.expectation(point).fires:
            options = replace(options, coverage=True)
        runs.append(
            Run(
                main=main,
                modules=given.modules,
                config=config,
                config_text=text,
                template=sweep.template,
                options=options,
                limits=sweep.limits,
                jar_sha256=jar_sha256,
                originals=given.originals,
                inputs=sweep.inputs_of(point).without(name for name, _ in given.modules),
            )
        )
    if errors and all(run.refused is not None for run in runs):
        raise errors[0]
    return Plan(sweep.points, tuple(runs), sources, paths, tuple(filled), tuple(errors))


def _refused_run(sweep: Sweep, point: Point, given: ModuleTexts, problem: str, jar_sha256: str) -> Run:
    """The run of a point whose config cannot be read; TLC is not started for it."""
    return Run(
        main=sweep.spec(point.parameters).root.name,
        modules=given.modules,
        config=Config(),
        config_text="",
        template=sweep.template,
        options=sweep.options_of(point),
        limits=sweep.limits,
        jar_sha256=jar_sha256,
        originals=given.originals,
        refused=problem,
    )


def _check_rendered(template: str, point: Point, model: Model, config: Config, text: str) -> None:
    """Check that the text that ``template``, a file, renders for a point has every statement of the point's config.

    The template may add statements, and may replace defaults of the model, which no file states. Raises InputError
    (``template-drops``).
    """
    rendered = _read(text)
    given = {name for name, _ in (*rendered.assignments, *rendered.substitutions)} & {*model.filled}
    own = tuple(each for each in config.assignments if each.name not in given)
    config = replace(config, assignments=own)
    if model.default_specification and (rendered.specification or rendered.init):
        config = replace(config, specification=None)
    found = set(_statements(rendered))
    # Both are read back, so layout does not count.
    wanted = _statements(_read(render_config(config, default_template())))
    dropped = [each for each in wanted if each not in found]
    if config.check_deadlock and not rendered.check_deadlock:
        dropped.append("CHECK_DEADLOCK TRUE")
    if dropped:
        raise InputError(
            "template-drops",
            f"the config of point {point.index} ({parameter_text(point.parameters)}) lacks {', '.join(dropped)}",
            where=template,
            hint="render every field of config, as cfg_templates/default.cfg.j2 does",
        )


def _read(text: str) -> Config:
    return config_file(read_statements(text), text, Path("MC.cfg")).config


def _statements(config: Config) -> Iterator[str]:
    """The statements that TLC acts on; of a name's assignments that is the last, unless ``<-`` overrides it."""
    yield from (f"{keyword_of(key)} {name}" for key, name in config.names())
    yield from (f"{name} <- {definition}" for name, definition in config.substitutions)
    substituted = {name for name, _ in config.substitutions}
    assigned = {name: value for name, value in config.assignments if name not in substituted}
    yield from (f"{name} = {value}" for name, value in assigned.items())
