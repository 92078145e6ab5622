"""From a sweep to the runs of its points; pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tla2py.cfg.render import render_config
from tla2py.cfg.wrapper import build_config
from tla2py.expect import row_for
from tla2py.grid import Point
from tla2py.run import Run, digest_run, digest_text
from tla2py.sweep import Sweep
from tla2py.sweepfile import ExpectSection


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be executed: one run per point, in grid order, and the module texts that they share."""

    points: tuple[Point, ...]
    runs: tuple[Run, ...]
    sources: dict[str, str] = field(default_factory=dict)


def plan_sweep(sweep: Sweep, jar_sha256: str) -> Plan:
    """The runs of a sweep. Raises InputError as ``Sweep.model`` does, and ``duplicate-point``."""
    runs, sources, modules = [], {}, {}
    for spec in sweep.specs.values():
        modules[id(spec)] = tuple((f"{m.name}.tla", digest_text(m.text)) for m in spec.modules)
        sources.update({digest_text(m.text): m.text for m in spec.modules})
    template = str(sweep.path.parent / sweep.file.template) if sweep.file.template else None
    for point in sweep.points:
        model = sweep.model(point)
        config, main, wrapper = build_config(model)
        used = modules[id(model.spec)]
        if wrapper is not None:
            sources[digest_text(wrapper)] = wrapper
            used = ((f"{main}.tla", digest_text(wrapper)), *used)
        text = render_config(config, sweep.template, where=template)
        options = replace(sweep.options_of(point), check_deadlock=model.check_deadlock)
        if "seed" in point.parameters:
            options = replace(options, seed=int(point.parameters["seed"]))
        # Counting what fires costs TLC half as much again, so only where somebody asks for it.
        if point.index in sweep.counted or row_for(sweep.expect or ExpectSection(), point.parameters).fires:
            options = replace(options, coverage=True)
        runs.append(
            Run(
                run_id=digest_run(main, used, text, options, jar_sha256),
                main=main,
                modules=used,
                config=config,
                config_text=text,
                template=sweep.template,
                options=options,
                limits=sweep.limits,
                jar_sha256=jar_sha256,
            )
        )
    return Plan(sweep.points, tuple(runs), sources)
