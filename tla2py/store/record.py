"""The raw record of a run: an archive of what was executed and of what TLC printed. Its inputs are files of their own."""

from __future__ import annotations

import io
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

import msgspec

from tla2py.errors import StoreError
from tla2py.model.model import is_inside
from tla2py.model.run import RECORD_VERSION, RunRecord
from tla2py.store.address import below
from tla2py.store.storage import Storage
from tla2py.tlc.process.command import input_path, keep_stream


def write_inputs(storage: Storage, digests: Iterable[str]) -> None:
    """Write the inputs, by sha256, that the store lacks. Raises StoreError (``store-unwritable``)."""
    stored = storage.stamps("inputs")
    missing = [
        sha256
        for sha256 in dict.fromkeys(digests)
        if sha256 not in stored or stored[sha256].size != input_path(sha256).stat().st_size
    ]
    if missing:
        storage.make(("inputs",))
        with storage.staging("inputs") as folder:
            for sha256 in missing:
                shutil.copyfile(input_path(sha256), folder / sha256)


def input_file(storage: Storage, sha256: str) -> Path:
    """This process's copy of an input. Raises StoreError (``input-lost``)."""
    copy, found = input_path(sha256), sha256
    if not copy.is_file():
        found = ""
        with suppress(OSError), storage.open(f"inputs/{sha256}") as source:
            found = keep_stream(source)
    if found != sha256:
        raise StoreError(
            "input-lost",
            f"{below(storage.address, 'inputs')}/{sha256} is missing or has changed",
            hint="run the sweep again; it copies its input files into the store",
        )
    return copy


# Made on import: msgspec can crash if several threads decode the first object of a type at once.
_FACTS = msgspec.json.Decoder(RunRecord)
_RECORD = "record.json"
_BEHAVIOURS, _GRAPH = "behaviours.txt", "graph.dot"
_GRAPH_PART = re.compile(r"1/graph(-[0-9]+)?\.dot")
GRAPH_PART_BYTES = 32 << 20
"""The size of a part of a state graph."""
_BLOCK_BYTES = 8 << 20
# Archives may come from strangers: a megabyte can unpack to a gigabyte.
_RECORD_BYTES = 64 << 20
_STDERR_BYTES = 16 << 20
# Archives are deterministic; the record holds the times that matter.
EPOCH = (1980, 1, 1, 0, 0, 0)


def record_name(run_id: str) -> str:
    """The name of a loose record's file."""
    return f"records/{run_id}.zip"


def write_archive(target: IO[bytes], record: RunRecord, folders: Sequence[Path]) -> None:
    """Write a record and the streams in the folders of its executions."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for number, folder in enumerate(folders, 1):
            for name in ("stdout.txt", "stderr.txt", _BEHAVIOURS):
                if name == _BEHAVIOURS and not (folder / name).exists():
                    continue
                info = _entry(f"{number}/{name}")
                with (folder / name).open("rb") as source, archive.open(info, "w", force_zip64=True) as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
        for graph in [folder / _GRAPH for folder in folders[:1] if (folder / _GRAPH).exists()]:
            with graph.open("rb") as source:
                for number, part in enumerate(_blocks(source, GRAPH_PART_BYTES), 1):
                    # A higher level takes twice as long to save a tenth.
                    archive.writestr(_entry(f"1/graph-{number:04}.dot"), part, compresslevel=1)
        archive.writestr(_entry(_RECORD), msgspec.json.format(msgspec.json.encode(record), indent=1))


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """The content of a stream in blocks of whole lines."""
    while block := stream.read(size):
        yield block + stream.readline()


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def checked(stream: IO[bytes], crc32: int | None) -> IO[bytes]:
    """The stream of a record, if it has this CRC. Raises BadZipFile.

    A large record is not read for it: each of its streams has a CRC of its own.
    """
    if crc32 is not None and isinstance(stream, io.BytesIO) and zlib.crc32(stream.getbuffer()) != crc32:
        raise zipfile.BadZipFile("its CRC in the pack differs")
    return stream


def is_whole(stream: IO[bytes]) -> bool:
    """Whether a file is a complete record, judged by its table of contents and by ``record.json``."""
    try:
        with zipfile.ZipFile(stream) as archive:
            _read_record(archive)
    except UNREADABLE:
        return False
    return True


class Archive:
    """A record read back; streams are decompressed on reading."""

    def __init__(self, archive: zipfile.ZipFile, record: RunRecord, name: object) -> None:
        self._archive = archive
        self._name = name
        self.record = record

    def stdout(self, number: int) -> IO[bytes]:
        """The standard output of execution ``number``, counted from 1."""
        # The lines of a zip's file are read slowly.
        return io.BufferedReader(self._open(f"{number}/stdout.txt"), 1 << 16)  # type: ignore[type-var]

    def behaviours(self) -> IO[bytes] | None:
        """The behaviours of a simulation; None if they were not requested."""
        name = f"1/{_BEHAVIOURS}"
        return self._open(name) if name in self._archive.namelist() else None

    def graph_parts(self) -> list[str]:
        """The names of the parts of the state graph, in order; none if it was not requested."""
        return [name for name in self._archive.namelist() if _GRAPH_PART.fullmatch(name)]

    def graph_blocks(self, part: str) -> Iterator[bytes]:
        """A part of the state graph in blocks of whole lines."""
        with self._open(part) as stream:
            yield from _blocks(stream, _BLOCK_BYTES)

    def stderr(self, number: int) -> str:
        """The first megabytes of the standard error of execution ``number``, counted from 1."""
        with self._open(f"{number}/stderr.txt") as stream:
            return stream.read(_STDERR_BYTES).decode("utf-8", "replace")

    def _open(self, name: str) -> IO[bytes]:
        with _reading(self._name, UNREADABLE):
            return self._archive.open(name)


@contextmanager
def open_archive(
    source: Path | Callable[[], IO[bytes]], name: object = None, run_id: str | None = None
) -> Iterator[Archive]:
    """The record in a file, or in what ``source`` opens, of this run if one is given; errors call it ``name``.

    Raises StoreError (``record-damaged``) for an incomplete record, also later, while its streams are read.
    """
    name = name or source
    with ExitStack() as stack:
        with _reading(name, UNREADABLE):
            file = source if isinstance(source, Path) else stack.enter_context(source())
            archive = stack.enter_context(zipfile.ZipFile(file))
            record = _read_record(archive)
            if run_id not in (None, record.run_id):
                raise RuntimeError(f"it is the record of {record.run_id}")
        with _reading(name, _DAMAGED):
            yield Archive(archive, record, name)


def _read_record(archive: zipfile.ZipFile) -> RunRecord:
    """The facts of a record, see ``read_facts``. Raises RuntimeError for more than a run can have, which would fill the memory."""
    size = archive.getinfo(_RECORD).file_size
    if size > _RECORD_BYTES:
        raise RuntimeError(f"its {_RECORD} has {size:,} bytes")
    return read_facts(archive.read(_RECORD))


def read_facts(data: bytes) -> RunRecord:
    """The facts of a record in JSON, if this version reads them.

    Raises ValueError, and RuntimeError for what leads out of a folder or fits no column: a record may be a stranger's.
    """
    record = _FACTS.decode(data)
    if record.record_version > RECORD_VERSION:
        raise RuntimeError(f"a newer tla2py wrote it, with format {record.record_version}")
    named = (*record.modules, *record.originals)
    for name in (record.main, *(part for pair in named for part in pair)):
        if "/" in name or "\0" in name or name in ("", ".", ".."):
            raise RuntimeError(f"it names a file {name!r}")
    for path, sha256 in (*record.inputs.files, *record.outputs):
        if not is_inside(path) or not sha256.isalnum():
            raise RuntimeError(f"it names a file {path!r}")
    log = record.inputs.log
    if not record.executions or any(not is_inside(each.file) for each in (log.files if log else ())):
        raise RuntimeError("it has no execution, or a log outside its folder")
    limits = (record.limits.memory_bytes, record.limits.disk_bytes)
    for bits, numbers in (
        (63, (*limits, *(each.peak_memory_bytes for each in record.executions))),
        (31, (each.exit_code for each in record.executions)),
    ):
        for number in numbers:
            if number is not None and not -(1 << bits) <= number < 1 << bits:
                raise RuntimeError(f"it has the number {number}")
    for each in record.executions:
        datetime.fromisoformat(each.started_at)
    return record


# What reading a stream of a damaged archive raises; and what opening the archive or a stream raises.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError)
UNREADABLE = (*_DAMAGED, OSError, KeyError, RuntimeError, ValueError)


@contextmanager
def _reading(name: object, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except errors as error:
        hint = "run the sweep again; it executes the run again"
        raise StoreError("record-damaged", f"{name} is not a complete record: {error}", hint=hint) from error
