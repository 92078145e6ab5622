"""Commands that rerun one point of a gate or show its counterexamples."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.explore.view import StoreView
from tla2py.gate.decision import PointDecision
from tla2py.model.run import Run
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.command import CONFIG_NAME, build_argv, shell_command
from tla2py.toolchain.overrides import class_file
from tla2py.toolchain.toolchain import Toolchain

# Options that only tla2py needs.
_INTERNAL = ("-tool", "-Djava.io.tmpdir=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Commands that run a point alone: ``ours``, or ``java`` in the ``folder`` that ``files`` writes."""

    ours: str
    files: str
    folder: str
    java: str

    @property
    def plain(self) -> str:
        """The plain ``java`` run in one line."""
        return f"{self.files} && cd {self.folder} && {self.java}"


def commands_again(
    sweep: Sweep,
    point: PointDecision,
    toolchain: Toolchain | None,
    libraries: Sequence[Path],
    tla2tools: Path | None,
) -> Again:
    """The commands that run a point alone; they name ``java`` and ``tla2tools.jar`` if there is no toolchain."""
    file = str(sweep.path)
    jar = ["--tla2tools", str(tla2tools)] if tla2tools is not None else []
    folders = [part for folder in libraries for part in ("-L", str(folder))]
    java = toolchain.java.path if toolchain else Path("java")
    tools = toolchain.jar.named if toolchain else Path("tla2tools.jar")
    ours = ["tla2py", "check", file, "--point", str(point.point.index), *folders, *jar]
    classes = [each.path for each in sweep.classes if class_file(each) in point.run.options.overrides]
    files = ["tla2py", "cfg", file, *folders, "-o", "points"]
    return Again(
        ours=shlex.join(ours),
        files=shlex.join(files),
        folder=f"points/{point.point.index:04d}",
        java=_plain_command(point.run, java, tools, classes),
    )


def command_to_look(view: StoreView, point: PointDecision) -> str:
    """The command that shows a point's counterexamples."""
    # The store may number its points by another sweep file.
    stored = view.points.of_run(point.run.run_id)
    assert stored is not None
    return shlex.join(["tla2py", "trace", str(view.store.path), str(stored.point)])


def _plain_command(run: Run, java: Path, jar: Path, overrides: Sequence[Path]) -> str:
    """TLC's command line, with its variables, in the folder of a point's files, without tla2py's own options."""
    argv = build_argv(
        java,
        jar,
        Path(),
        run.main,
        CONFIG_NAME,
        run.options,
        run.limits,
        (),
        overrides,
        properties=run.inputs.java_properties,
        tuned=False,
    )
    return shell_command(run.inputs.environment, (part for part in argv if not part.startswith(_INTERNAL)))
