"""The commands that repeat runs with plain TLC, without tla2py between them and the answer."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py.model.run import Run
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import points_text
from tla2py.tlc.process.command import CONFIG_NAME, build_argv, input_path, shell_command
from tla2py.tlc.tools.community import class_file
from tla2py.tlc.tools.toolchain import Toolchain

# Options that only tla2py needs.
_INTERNAL = ("-tool", "-Djava.io.tmpdir=")
# The folder that the commands let 'tla2py cfg' write.
_FOLDER = "points"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainCommands:
    """The commands that repeat the points of a sweep with plain TLC.

    ``libraries`` are the module folders that the sweep was loaded with. Without a ``toolchain`` the commands
    name ``java`` and ``tla2tools.jar``.
    """

    sweep: Sweep
    libraries: Sequence[Path] = ()
    toolchain: Toolchain | None = None

    @property
    def given(self) -> list[str]:
        """The options with which the sweep file was loaded."""
        given = [part for setting in self.sweep.selection.settings for part in ("--set", setting)]
        given += [part for option in self.sweep.selection.adjusted for part in shlex.split(option)]
        return given + [part for folder in self.libraries for part in ("-L", str(folder))]

    def of_point(self, number: int, run: Run) -> str:
        """Return the line that writes a point's files and starts TLC on them."""
        write = ["tla2py", "cfg", str(self.sweep.file.path), *self.given, "-o", _FOLDER]
        folder = f"{_FOLDER}/{number:04d}"
        return f"{shlex.join(write)} && cd {folder} && {self.java_line(run)}"

    def of_module(self, run: Run, sources: Mapping[str, str], paths: Mapping[str, str]) -> str:
        """Return a script that copies a run's files to a new temporary folder and starts TLC on them there.

        ``sources`` are the texts of modules and ``paths`` the files that have them, by sha256. The script has
        the text of what is in no file: the config, a wrapper module, a module whose PlusCal was translated on a
        copy.
        """
        lines = ['cd "$(mktemp -d)"']
        lines += _here_document(CONFIG_NAME, run.config_text)
        for name, sha256 in run.modules:
            file = Path(paths[sha256]).absolute() if sha256 in paths else None
            if file is not None and file.is_file() and file.name == name:
                lines.append(shlex.join(["cp", str(file), name]))
            else:
                lines += _here_document(name, sources[sha256])
        for name, sha256 in run.inputs.files:
            folder = Path(name).parent.as_posix()
            lines += [shlex.join(["mkdir", "-p", folder])] if folder != "." else []
            lines.append(shlex.join(["cp", str(input_path(sha256)), name]))
        return "\n".join([*lines, self.java_line(run)])

    def java_line(self, run: Run) -> str:
        """Return the command that starts TLC in the folder of a run's files, without tla2py's own options."""
        toolchain = self.toolchain
        classes = [
            each.path
            for each in self.sweep.specification.classes
            if class_file(each) in run.options.overrides
        ]
        argv = build_argv(
            toolchain.java.path if toolchain else Path("java"),
            toolchain.jar.apart if toolchain else Path("tla2tools.jar"),
            Path(),
            run.main,
            run.options,
            run.limits,
            (),
            classes,
            properties=run.inputs.java_properties,
            tuned=False,
        )
        own = [part for part in argv if not part.startswith(_INTERNAL)]
        return shell_command(run.inputs.environment, own)

    def lines(self, runs: Iterable[tuple[int, Run]]) -> Iterator[str]:
        """Yield the command of each point, by number, once for all that differ in their folder only."""
        numbers: dict[str, list[int]] = {}
        firsts: dict[str, Run] = {}
        for number, run in runs:
            line = self.java_line(run)
            numbers.setdefault(line, []).append(number)
            firsts.setdefault(line, run)
        for line, points in numbers.items():
            if len(points) == 1:
                yield f"{self.sweep.name}, point {points[0]} with plain TLC:"
            else:
                head = f"{self.sweep.name}, points {points_text(points)} with plain TLC"
                yield f"{head}, here {points[0]}, the others in their folders:"
            yield f"  {self.of_point(points[0], firsts[line])}"


def point_runs(plan: Plan, numbers: Iterable[int]) -> Iterator[tuple[int, Run]]:
    """Yield the runs of a plan at these points, each after the point's number."""
    for number in numbers:
        yield plan.points[number - 1].index, plan.runs[number - 1]


def _here_document(name: str, text: str) -> list[str]:
    """Return the lines of a shell that write a text to a file of this name."""
    end = "END"
    while end in text.split("\n"):
        end += "_"
    return [f"cat > {shlex.quote(name)} <<'{end}'", *text.removesuffix("\n").split("\n"), end]
