"""One point alone, as somebody would start TLC by hand: the files it needs, the command line, the run itself."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tla2py.errors import unwritable
from tla2py.execution.execute import CONFIG_NAME
from tla2py.model.run import Run
from tla2py.tlc.command import build_argv
from tla2py.tlc.sandbox import reaper
from tla2py.tlc.sandbox.sandbox import environment, java_sandbox, start

# What only a program that reads TLC's output needs.
_OURS = ("-tool",)
_OUR_PREFIXES = ("-Djava.io.tmpdir=",)


def plain_argv(
    run: Run, java: Path, jar: Path, overrides: Sequence[Path] = (), *, tuned: bool = False
) -> tuple[str, ...]:
    """The command line of TLC for a point, to be started in the folder of its files.

    It is what the answer may depend on, to be read and pasted; ``tuned`` as sweeps run it.
    """
    argv = build_argv(
        java, jar, Path(), run.main, CONFIG_NAME, run.options, run.limits, (), overrides, tuned=tuned
    )
    return tuple(part for part in argv if part not in _OURS and not part.startswith(_OUR_PREFIXES))


def write_point(folder: Path, run: Run, sources: Mapping[str, str]) -> None:
    """Write all that TLC reads into a folder. Raises InputError (``output-unwritable``)."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CONFIG_NAME).write_text(run.config_text, encoding="utf-8")
        for name, sha256 in run.modules:
            (folder / name).write_text(sources[sha256], encoding="utf-8")
    except OSError as error:
        raise unwritable(folder, error) from error


def rerun(
    argv: Sequence[str], folder: Path, files: Sequence[Path], show: Callable[[str], None], *, trust: bool
) -> int:
    """Run TLC in a folder and return its exit status; ``show`` gets its output without the folder's name, by lines.

    ``files`` are the jars and folders that it reads. It may do no more than other runs, unless it is trusted.
    """
    here = f"{folder}{os.sep}"
    (folder / "tmp").mkdir(exist_ok=True)
    # Older releases write their standard modules there.
    command, descriptor = reaper.guarded((argv[0], f"-Djava.io.tmpdir={folder / 'tmp'}", *argv[1:]))
    with start(
        command,
        None if trust else java_sandbox(Path(argv[0]), folder, files),
        folder=folder,
        variables=environment(folder, trusted=trust),
        stdin=descriptor,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                show(line.decode("utf-8", "replace").replace(here, ""))
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            reaper.release(process.pid)
    return process.returncode
