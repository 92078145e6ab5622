"""The raw record of a run as one archive, written whole or not at all.

An archive holds ``record.json`` and, for execution n, ``n/stdout.txt`` and ``n/stderr.txt``; where they were asked for,
also ``1/behaviours.txt`` and ``1/graph.dot``. One file per run keeps the
write atomic on a local disk (by rename) as on object storage (by one put), and text compresses tenfold in it.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import msgspec

from tla2py.errors import StoreError
from tla2py.model.run import RECORD_VERSION, RunRecord

_RECORD = "record.json"
OPTIONAL_STREAMS = ("behaviours.txt", "graph.dot")
# Archives are deterministic: the times that matter are in the record.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_archive(target: IO[bytes], record: RunRecord, folders: Sequence[Path]) -> None:
    """Write a record and the streams that its executions left in their folders."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for number, folder in enumerate(folders, 1):
            for name in ("stdout.txt", "stderr.txt", *OPTIONAL_STREAMS):
                if name in OPTIONAL_STREAMS and not (folder / name).exists():
                    continue
                info = zipfile.ZipInfo(f"{number}/{name}", _EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                with (folder / name).open("rb") as source, archive.open(info, "w", force_zip64=True) as sink:
                    while chunk := source.read(1 << 20):
                        sink.write(chunk)
        info = zipfile.ZipInfo(_RECORD, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, msgspec.json.format(msgspec.json.encode(record), indent=1))


class Archive:
    """A record read back; the streams are decompressed as they are read."""

    def __init__(self, archive: zipfile.ZipFile, record: RunRecord, name: object) -> None:
        self._archive = archive
        self._name = name
        self.record = record

    def stdout(self, number: int) -> IO[bytes]:
        """The standard output of execution ``number``, from 1, for reading line by line."""
        with _reading(self._name, _UNREADABLE):
            return self._archive.open(f"{number}/stdout.txt")

    def optional(self, name: str) -> IO[bytes] | None:
        """One of ``OPTIONAL_STREAMS`` of the first execution, None where it was not asked for."""
        if f"1/{name}" not in self._archive.namelist():
            return None
        with _reading(self._name, _UNREADABLE):
            return self._archive.open(f"1/{name}")

    def stderr(self, number: int) -> str:
        """The standard error of execution ``number``, from 1."""
        with _reading(self._name, _UNREADABLE):
            return self._archive.read(f"{number}/stderr.txt").decode("utf-8", "replace")


@contextmanager
def open_archive(source: Path | Callable[[], IO[bytes]], name: object = None) -> Iterator[Archive]:
    """A record, of a file or of what ``source`` opens; ``name`` is what to call it.

    Raises StoreError (``record-damaged``) when it is not a whole record, also later, while its streams are read.
    """
    name = name or source
    with ExitStack() as stack:
        with _reading(name, _UNREADABLE):
            file = source if isinstance(source, Path) else stack.enter_context(source())
            archive = stack.enter_context(zipfile.ZipFile(file))
            record = _checked(msgspec.json.decode(archive.read(_RECORD), type=RunRecord))
        with _reading(name, _DAMAGED):
            yield Archive(archive, record, name)


def _checked(record: RunRecord) -> RunRecord:
    """The record, which may come from anybody, if this version reads it and its files stay in the folder they go to."""
    if record.record_version > RECORD_VERSION:
        raise RuntimeError(f"its format, {record.record_version}, is of a newer tla2py")
    named = (*record.modules, *record.originals)
    for name in (record.main, *(part for pair in named for part in pair)):
        if "/" in name or "\0" in name or name in ("", ".", ".."):
            raise RuntimeError(f"it names a file {name!r}")
    return record


# What a damaged archive raises while a stream is read, and, besides, what it raises before.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError)
_UNREADABLE = (*_DAMAGED, OSError, KeyError, RuntimeError, msgspec.DecodeError)


@contextmanager
def _reading(name: object, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except errors as error:
        raise StoreError(
            "record-damaged",
            f"{name} is no whole record: {error}",
            hint="delete it; the run is then executed again",
        ) from error
