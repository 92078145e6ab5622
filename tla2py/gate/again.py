"""The commands that run a point of a gate alone, or show its counterexamples."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.execution.execute import CONFIG_NAME
from tla2py.explore.view import StoreView
from tla2py.gate.decision import PointDecision
from tla2py.model.run import Run
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.command import build_argv
from tla2py.toolchain.toolchain import Toolchain

# What only a program that reads TLC's output needs.
_OURS = ("-tool",)
_OUR_PREFIXES = ("-Djava.io.tmpdir=",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The commands that run a point alone: ``ours``, and ``java`` in a ``folder`` that ``files`` makes."""

    ours: str
    files: str
    folder: str
    java: str

    @property
    def plain(self) -> str:
        """The commands that run it without the gate, in one line."""
        return f"{self.files} && cd {self.folder} && {self.java}"


def commands_again(
    sweep: Sweep,
    point: PointDecision,
    toolchain: Toolchain | None,
    libraries: Sequence[Path],
    tla2tools: Path | None,
) -> Again:
    """The commands that run a point alone; without a toolchain they name ``java`` and ``tla2tools.jar``."""
    file = str(sweep.path)
    jar = ["--tla2tools", str(tla2tools)] if tla2tools is not None else []
    folders = [part for folder in libraries for part in ("-L", str(folder))]
    java = toolchain.java.path if toolchain else Path("java")
    tools = toolchain.jar.path if toolchain else Path("tla2tools.jar")
    ours = ["tla2py", "check", file, "--point", str(point.point.index), *folders, *jar]
    files = ["tla2py", "cfg", file, *folders, "-o", "points"]
    return Again(
        ours=shlex.join(ours),
        files=shlex.join(files),
        folder=f"points/{point.point.index:04d}",
        java=shlex.join(_plain_argv(point.run, java, tools, [each.path for each in sweep.overrides])),
    )


def command_to_look(view: StoreView, point: PointDecision) -> str:
    """The command that shows a point's counterexamples; a store may number its points by another sweep file."""
    number = next(each.point for each in view.manifest.points if each.run_id == point.run.run_id)
    return shlex.join(["tla2py", "trace", str(view.store.path), str(number)])


def _plain_argv(run: Run, java: Path, jar: Path, overrides: Sequence[Path]) -> tuple[str, ...]:
    """The command line of TLC for a person, in the folder of a point's files."""
    argv = build_argv(
        java, jar, Path(), run.main, CONFIG_NAME, run.options, run.limits, (), overrides, tuned=False
    )
    return tuple(part for part in argv if part not in _OURS and not part.startswith(_OUR_PREFIXES))
