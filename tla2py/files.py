"""Files that commands write: whole or not at all, and never over something else."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from tla2py.errors import InputError, writing

# Files with these endings are inputs, whoever reads them.
_INPUTS = (".tla", ".cfg", ".toml", ".lock", ".jar", ".class", ".j2")
# Devices and open files; what lies there is no file of a folder.
_SPECIAL = ("/dev", "/proc", "/sys")


def write_atomically(file: Path, write: Callable[[IO[bytes]], object], *, time: float | None = None) -> None:
    """Write a file whole or not at all, and give it a ``time`` of change. Raises OSError."""
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - renamed, not deleted
        dir=file.parent, prefix=".tmp-", delete=False
    )
    try:
        with handle:
            write(handle)
            handle.flush()
            os.fsync(handle.fileno())
        Path(handle.name).chmod(0o644)
        if time is not None:
            os.utime(handle.name, (time, time))
        Path(handle.name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(handle.name).unlink()
        raise


def write_file(path: Path, text: str) -> None:
    """Write a text file whole or not at all, in place of a link of this name.

    Raises InputError (``output-unwritable``), also for a device, a pipe or a folder.
    """
    _check_replaceable(path)
    with writing(path):
        write_atomically(path, lambda sink: sink.write(text.encode()))


def check_report(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Raise InputError for a path that a report may not be written to.

    It is ``output-unwritable`` for a device, a pipe or a folder, and ``output-is-input`` for one of the inputs and for
    a file with the ending of inputs.
    """
    _check_replaceable(path)
    real = os.path.realpath(path)
    if path.suffix in _INPUTS or any(os.path.realpath(each) == real for each in inputs):
        raise InputError(
            "output-is-input", f"{path} is an input, which a report would replace", hint="name another file"
        )


def store_files(path: Path, store: Path) -> list[Path]:
    """The path of a report, if it is a file that a store consists of."""
    own = Path(os.path.realpath(path))
    parts = (".json", ".parquet", ".zip", "")
    inside = own.is_relative_to(os.path.realpath(store)) and own.is_file() and own.suffix in parts
    return [own] if inside else []


def _check_replaceable(path: Path) -> None:
    """Raise InputError (``output-unwritable``) unless a path is free, a regular file, or a link to one or to nothing."""
    with writing(path), contextlib.suppress(FileNotFoundError):
        folder = os.path.realpath(path.parent)
        special = any(f"{folder}/".startswith(f"{each}/") for each in _SPECIAL)
        shared = folder.startswith("/dev/shm")  # noqa: S108 - files like any other
        if not shared and (special or not stat.S_ISREG(path.stat().st_mode)):
            raise InputError(
                "output-unwritable",
                f"cannot write {path}: not a regular file",
                hint="name a file in a folder that you may write to",
            )
