"""The runs of a sweep's points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tla2py.config.render import render_config
from tla2py.config.wrapper import build_config
from tla2py.model.modules import module_texts
from tla2py.model.run import Run
from tla2py.sweep.grid import Point
from tla2py.sweep.places import PointPlaces
from tla2py.sweep.sweep import Sweep
from tla2py.syntax.offsets import count_visible


@dataclass(frozen=True, slots=True)
class Plan:
    """One run per point, in grid order, and the module texts that they share.

    ``paths`` are the user's files by the sha256 of their texts.
    """

    points: tuple[Point, ...]
    runs: tuple[Run, ...]
    sources: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)


def _value_place(sweep: Sweep, point: Point) -> Callable[[str, str], str]:
    """A function from a constant, and the text before a part of its value, to that part's place."""
    written = PointPlaces(source=sweep.source, file=sweep.file, parameters=point.parameters)
    text = sweep.assigned(point.parameters)

    def place(name: str, before: str) -> str:
        index = count_visible(before) if before else None
        return str(written.value(name, index, count_visible(text.get(name, ""))) or sweep.path)

    return place


def plan_sweep(sweep: Sweep, jar_sha256: str) -> Plan:
    """The runs of a sweep. Raises InputError as ``Sweep.model`` does, and ``duplicate-point``."""
    runs: list[Run] = []
    sources: dict[str, str] = {}
    paths: dict[str, str] = {}
    plain = {id(spec): module_texts(spec, spec.root.name, None, "") for spec in sweep.specs.values()}
    template = str(sweep.path.parent / sweep.file.template) if sweep.file.template else None
    for point in sweep.points:
        model = sweep.model(point)
        config, main, wrapper = build_config(model, _value_place(sweep, point))
        text = render_config(config, sweep.template, where=template)
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
    return Plan(sweep.points, tuple(runs), sources, paths)
