"""One point of a sweep, run without a store."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.check import Checked
from tla2py.execution.execute import execute_run
from tla2py.execution.jars import with_readable_logs
from tla2py.execution.listener import Listener
from tla2py.execution.options import SweepOptions
from tla2py.execution.preflight import check_sweep_classes
from tla2py.model.result import WORK
from tla2py.sourcemap import Origins, located
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.toolchain.toolchain import find_toolchain

# The lines with which TLC frames each message of its ``-tool`` output.
_FRAME = b"@!@!@"


def check_point(
    file: Path,
    number: int,
    options: SweepOptions,
    *,
    listener: Listener,
    show: Callable[[str], None] | None,
    cancelled: threading.Event | None,
) -> Checked:
    """The result of one point of a sweep file, numbered from 1; ``show`` is called with each line of TLC's output.

    ``cancelled`` stops TLC; the result then means nothing.

    Raises InputError (``no-point``), and as ``load_sweep`` and ``plan_sweep`` do.
    """
    [sweep] = options.load([file], listener=listener)
    listener.reached(_files(sweep))
    toolchain = find_toolchain(options.tla2tools)
    if not 1 <= number <= len(sweep.points):
        raise InputError(
            "no-point", f"no point {number} in {sweep.path}", hint=f"points: 1 to {len(sweep.points)}"
        )
    point = sweep.points[number - 1]
    sweep = with_readable_logs(sweep, toolchain.jar)
    plan = plan_sweep(sweep, toolchain.jar.sha256)
    toolchain = replace(toolchain, overrides=sweep.classes)
    check_sweep_classes(sweep, plan, toolchain.jar)
    output = _Output(show) if show is not None else None
    with execute_run(
        plan.runs[number - 1], plan.sources, toolchain, cancelled=cancelled, watch=output
    ) as executed:
        for folder in executed.folders:
            if output is not None:
                output(folder / "stdout.txt")
        written = sweep.places(point.parameters)
        origins = Origins(paths=plan.paths, text=plan.sources.__getitem__, written=written)
        return Checked(record=executed.record, result=located(executed.record, executed.result, origins))


def _files(sweep: Sweep) -> Iterator[Path]:
    """The files that a sweep reads, except Java classes."""
    yield from (config.path for config in sweep.configs.values())
    for spec in sweep.specs.values():
        yield from (module.path for module in spec.modules if module.path is not None)
    for files in sweep.input_files.values():
        yield from (sweep.path.parent / file.path for file in files)
    yield from (sweep.path.parent / log.path for log in sweep.logs.kept)


class _Output:
    """Shows the lines that TLC has written since the last call, without frames and the name of its folder."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._read: dict[Path, int] = {}

    def __call__(self, stdout: Path, _: int = 0) -> None:
        folder = f"{stdout.parent / WORK}{os.sep}"
        with stdout.open("rb") as stream:
            stream.seek(self._read.get(stdout, 0))
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                self._read[stdout] = self._read.get(stdout, 0) + len(line)
                if not line.startswith(_FRAME):
                    self._show(line.decode("utf-8", "replace").replace(folder, ""))
