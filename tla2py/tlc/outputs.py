"""The files that a run writes besides TLC's own."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tla2py.model.inputs import InputFile
from tla2py.tlc.inputs import RESERVED_FILES

_MOST_NAMES = 100
_BLOCK = 1 << 20


class Outputs:
    """What a run writes into a folder, by comparison with the folder as it is now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = dict(_files(folder))

    def written(self, patterns: Sequence[str]) -> tuple[tuple[InputFile, ...], tuple[str, ...]]:
        """The new and changed files that match a pattern, and the names of the others, of which only some are listed."""
        names = [name for name, stamp in _files(self._folder) if self._before.get(name) != stamp]
        wanted = {path for pattern in patterns for path in self._folder.glob(pattern)} if names else set()
        kept = sorted(name for name in names if self._folder / name in wanted)
        dropped = sorted({*names} - {*kept})
        return tuple(InputFile(name, _sha256(self._folder / name)) for name in kept), tuple(
            dropped[:_MOST_NAMES]
        )


def regular_files(folder: Path) -> list[Path]:
    """The regular files in a folder, without links to others."""
    return [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]


def join_files(folder: Path, target: Path) -> None:
    """Concatenate the regular files of a folder by the numbers in their names, deleting each once it is copied."""
    with target.open("wb") as sink:
        for file in sorted(regular_files(folder), key=_numbers):
            with file.open("rb") as source:
                shutil.copyfileobj(source, sink)
            file.unlink()


def _numbers(file: Path) -> list[int]:
    """The worker and the number in the name of a behaviour's file, ``b_0_12``."""
    return [int(part) for part in file.name.split("_") if part.isdecimal()]


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    """The regular files below a folder, without TLC's own, each with its size and time."""
    for place, folders, names in os.walk(folder):
        if Path(place) == folder:
            folders[:] = [name for name in folders if name not in RESERVED_FILES]
            names = [name for name in names if name not in RESERVED_FILES]
        for name in names:
            file = Path(place, name)
            if file.is_file() and not file.is_symlink():
                stat = file.stat()
                yield file.relative_to(folder).as_posix(), (stat.st_size, stat.st_mtime_ns)


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while block := source.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
