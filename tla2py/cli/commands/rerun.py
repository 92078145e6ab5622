"""How a point of a gate is looked at, and run once more alone."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tla2py.cli.console import err, show_text
from tla2py.errors import EXIT_NOT_RUN, EXIT_OK, EXIT_UNEXPECTED, InputError
from tla2py.execution.rerun import plain_argv, rerun, write_point
from tla2py.explore.view import StoreView
from tla2py.gate.decision import PointDecision
from tla2py.reports.evidence import Again
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.sandbox.reaper import scratch_folder
from tla2py.toolchain.overrides import with_overrides
from tla2py.toolchain.toolchain import Toolchain, find_toolchain


def commands_again(
    sweep: Sweep,
    point: PointDecision,
    toolchain: Toolchain | None,
    libraries: Sequence[Path],
    tla2tools: Path | None,
) -> Again:
    """The commands that run a point alone, by tla2py and by Java; these with bare names where there is no toolchain."""
    file = str(sweep.path)
    jar = ["--tla2tools", str(tla2tools)] if tla2tools is not None else []
    folders = [part for folder in libraries for part in ("-L", str(folder))]
    ours = ["tla2py", "gate", file, "--rerun", str(point.point.index), *folders, *jar]
    java = toolchain.java.path if toolchain else Path("java")
    tools = toolchain.jar.path if toolchain else Path("tla2tools.jar")
    files = ["tla2py", "cfg", file, *folders, "-o", "rerun"]
    return Again(
        ours=shlex.join(ours),
        files=shlex.join(files),
        folder=f"rerun/{point.point.index:04d}",
        java=shlex.join(plain_argv(point.run, java, tools, [each.path for each in sweep.overrides])),
    )


def command_to_look(view: StoreView, point: PointDecision) -> str:
    """The command that shows a point's counterexamples; a store may number its points by another sweep file."""
    number = next(each.point for each in view.manifest.points if each.run_id == point.run.run_id)
    return shlex.join(["tla2py", "trace", str(view.store.path), str(number)])


def rerun_point(sweep: Sweep, number: int, tla2tools: Path | None) -> int:
    """Run one point alone, TLC's output shown; the exit code is 1 for a violation and 2 for any other failure.

    Raises InputError (``no-point``).
    """
    if not 1 <= number <= len(sweep.points):
        raise InputError(
            "no-point", f"no point {number} in {sweep.path}", hint=f"points: 1 to {len(sweep.points)}"
        )
    toolchain = find_toolchain(tla2tools)
    plan = plan_sweep(sweep, toolchain.jar.sha256)
    run = plan.runs[number - 1]
    classes = [each.path for each in sweep.overrides]
    toolchain = with_overrides(replace(toolchain, overrides=sweep.overrides), run.options)
    tools = (toolchain.java.path, toolchain.jar.path, classes)
    with scratch_folder("tla2py-") as folder:
        write_point(folder, run, plan.sources)
        err().print(shlex.join(plain_argv(run, *tools)), style="dim", markup=False)
        files = [toolchain.jar.path, *classes]
        argv = plain_argv(run, *tools, tuned=True)
        status = rerun(argv, folder, files, _show_line, trust=run.limits.trust)
    # TLC's own statuses: 10 to 14 are violations.
    return EXIT_OK if status == 0 else EXIT_UNEXPECTED if 10 <= status <= 14 else EXIT_NOT_RUN


def _show_line(line: str) -> None:
    show_text(line)
    sys.stdout.flush()
