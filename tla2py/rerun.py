"""One point alone, as somebody would start TLC by hand: the files it needs, the command line, the run itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execute import CONFIG_NAME
from tla2py.run import Run
from tla2py.tlc.command import build_argv

# What only a program that reads TLC's output needs.
_OURS = ("-tool",)
_OUR_PREFIXES = ("-Djava.io.tmpdir=",)


def plain_argv(run: Run, java: Path, jar: Path, overrides: Sequence[Path] = ()) -> tuple[str, ...]:
    """The command line of TLC for a point, to be started in the folder of its files."""
    argv = build_argv(java, jar, Path(), run.main, CONFIG_NAME, run.options, run.limits, (), overrides)
    return tuple(part for part in argv if part not in _OURS and not part.startswith(_OUR_PREFIXES))


def write_point(folder: Path, run: Run, sources: Mapping[str, str]) -> None:
    """Write all that TLC reads into a folder. Raises InputError (``output-unwritable``)."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CONFIG_NAME).write_text(run.config_text, encoding="utf-8")
        for name, sha256 in run.modules:
            (folder / name).write_text(sources[sha256], encoding="utf-8")
    except OSError as error:
        raise InputError(
            "output-unwritable", f"cannot write to {folder}: {error.strerror or error}"
        ) from error


def rerun(argv: Sequence[str], folder: Path) -> int:
    """Run TLC in a folder, its output on our own without the folder's name, and return its exit status."""
    here = f"{folder}{os.sep}".encode()
    with subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.buffer.write(line.replace(here, b""))
            sys.stdout.buffer.flush()
    return process.returncode
