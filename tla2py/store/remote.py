"""The files of a store on S3, or on a server that is compatible with it."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import json
import os
import random
import re
import shutil
import socket
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import IO

import psutil
import pyarrow as pa
from pyarrow import fs

from tla2py.errors import StoreError
from tla2py.store.storage import FilePart, Stamp, Storage, Write, busy, files_below, open_window
from tla2py.text import cut
from tla2py.tlc.process.os_facts import machine_name
from tla2py.tlc.process.reaper import process_folder, scratch_folder

# All are S3; the last two are Hadoop's names for it.
_SCHEMES = ("s3", "s3a", "s3n")

_KEPT = "recorded runs are kept; the same command executes the rest"


@contextlib.contextmanager
def store_errors(address: str, code: str) -> Iterator[None]:
    """Raise the block's file system errors as StoreError, with ``code`` unless the message implies a better one.

    A FileNotFoundError while reading stays as it is.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, FileNotFoundError) and code == "store-unreadable":
            raise
        raise _store_error(address, code, error) from error


def _store_error(address: str, code: str, error: Exception) -> StoreError:
    message = re.sub(r"\s*\(Request ID: [^)]*\)", "", " ".join(str(error).split()))
    # The end gives the reason; the beginning gives the request.
    reason = cut(message[max(message.find("AWS Error "), 0) :], 160)
    better = {
        "NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist": StoreError(
            "bucket-missing",
            f"no such bucket: {address}",
            hint="create the bucket first; unless it is on AWS, check that the URI or AWS_ENDPOINT_URL names the endpoint",
        ),
        "NETWORK_CONNECTION|curlCode|[Cc]ould not (connect|resolve)|Connection refused|timed out|UNAVAILABLE": StoreError(
            "store-unreachable",
            f"cannot reach the server of {address}: {reason}",
            hint="check that it runs, and that the URI or AWS_ENDPOINT_URL names it: "
            "s3://bucket/path?endpoint_override=HOST:PORT",
        ),
        "(?i)ACCESS_?DENIED|INVALID_?ACCESS_?KEY|SIGNATURE|CLIENT_?TOKEN|EXPIRED_?TOKEN|UNAUTHENTICATED|HTTP [a-z ]+:? 40[13]": StoreError(
            "store-denied",
            f"access denied to {address}: {reason}",
            hint="credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from ~/.aws or from the machine's role",
        ),
    }
    for words, found in better.items():
        if re.search(words, message):
            return found
    if code == "store-scheme":
        return StoreError(
            "store-scheme",
            f"unsupported store address {address}: {reason}",
            hint="as in s3://bucket/path",
        )
    if code == "store-unwritable":
        return StoreError("store-unwritable", f"cannot write to {address}: {reason}", hint=_KEPT)
    return StoreError("store-unreadable", f"cannot read {address}: {reason}", hint=_KEPT)


# One request per small object.
_OPTION = "allow_delayed_open=true"
# Files up to this many bytes are read whole: a request takes longer than the transfer.
_WHOLE = 1 << 20
# How many files to prefetch.
_AHEAD = 32
_THREADS = 16


@functools.lru_cache(maxsize=16)
def _connect(uri: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of a URI and the path in it."""
    uri = "s3" + uri[uri.index(":") :]
    if _OPTION.partition("=")[0] not in uri:
        uri += f"{'&' if '?' in uri else '?'}{_OPTION}"
    filesystem, path = fs.FileSystem.from_uri(uri)
    return filesystem, path.rstrip("/")


@functools.lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="store")


class Remote(Storage):
    """The storage at a URI, see ``tla2py.store.storage.Storage``. Constructing one sends no request.

    Raises StoreError: ``store-scheme``, ``store-secret``; later ``bucket-missing``, ``store-unreachable``,
    ``store-denied``, ``store-unreadable``, ``store-unwritable``.
    """

    def __init__(self, uri: str) -> None:
        if re.match(r"[^/]+://[^/?@]*:[^/?]*@", uri):
            shown = re.sub(r"://[^/?]*@", "://", uri)
            raise StoreError(
                "store-secret",
                f"the address {shown} must not contain a password: addresses are printed and passed on",
                hint="leave it out, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            )
        if uri.partition(":")[0].lower() not in _SCHEMES:
            raise StoreError(
                "store-scheme",
                f"unsupported store address: {uri}",
                hint="a store is a local folder or on S3: runs/mine, or s3://bucket/path",
            )
        self.address = self._uri = uri
        self._copies: dict[str, Path] = {}
        self._ahead: dict[str | FilePart, Future[IO[bytes]]] = {}
        self._upcoming: Iterator[str | FilePart] = iter(())
        # Files of which parts were read.
        self._opened: dict[str, pa.NativeFile] = {}

    def make(self, folders: Iterable[str]) -> None:  # noqa: ARG002 - a bucket has no folders
        with store_errors(self._uri, "store-unwritable"):
            self._check_bucket()

    def exists(self) -> bool:
        filesystem, base = self._connected()
        with store_errors(self._uri, "store-unreadable"):
            if filesystem.get_file_info(base).type != fs.FileType.NotFound:
                return True
            self._check_bucket()
        return False

    def names(self, folder: str) -> set[str]:
        return {info.base_name for info in self._list(folder)}

    def stamps(self, folder: str) -> dict[str, Stamp]:
        return {
            info.base_name: Stamp(info.size or 0, info.mtime_ns or 0)
            for info in self._list(folder)
            if info.type == fs.FileType.File and not info.base_name.startswith(".")
        }

    def open(self, file: str | FilePart) -> IO[bytes]:
        fetched = self._ahead.pop(file, None)
        self._fetch_ahead()
        return self._fetch(file) if fetched is None else fetched.result()

    def prefetch(self, files: Iterable[str | FilePart]) -> None:
        self._upcoming = iter(files)
        self._ahead.clear()
        self._fetch_ahead()

    def local(self, name: str) -> Path:
        if name not in self._copies:
            folder = process_folder("tla2py-copy-")
            copy = folder / PurePosixPath(name).name
            with self.open(name) as source, copy.open("wb") as sink:
                shutil.copyfileobj(source, sink, _WHOLE)
            self._copies[name] = copy
        return self._copies[name]

    def write(self, files: Mapping[str, Write]) -> None:
        with self.staging("") as folder:
            for name, write in files.items():
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("wb") as sink:
                    write(sink)

    @contextlib.contextmanager
    def staging(self, folder: str) -> Iterator[Path]:
        with (
            store_errors(self._uri, "store-unwritable"),
            scratch_folder("tla2py-put-") as scratch,
        ):
            yield scratch
            below = files_below(scratch)
            files = {str(PurePosixPath(folder) / file.relative_to(scratch)): file for file in below}
            # Not in the main thread, which gets signals: an interrupted stream is closed all the same, and its half
            # would become an object. ``result`` raises what went wrong.
            for put in [_pool().submit(self._put_file, name, file) for name, file in files.items()]:
                put.result()
            for name in files:
                self._copies.pop(name, None)

    def remove(self, names: Iterable[str]) -> None:
        for removal in [_pool().submit(self._remove, name) for name in names]:
            removal.result()

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        with leased(self):
            yield

    def _connected(self) -> tuple[fs.FileSystem, str]:
        with store_errors(self._uri, "store-scheme"):
            return _connect(self._uri)

    def _check_bucket(self) -> None:
        filesystem, base = self._connected()
        bucket = base.partition("/")[0]
        if not bucket or filesystem.get_file_info(bucket).type == fs.FileType.NotFound:
            raise OSError("the bucket does not exist")

    def _list(self, folder: str, recursive: bool = False) -> list[fs.FileInfo]:
        filesystem, base = self._connected()
        path = f"{base}/{folder}" if folder else base
        with store_errors(self._uri, "store-unreadable"):
            found: list[fs.FileInfo] = filesystem.get_file_info(
                fs.FileSelector(path, allow_not_found=True, recursive=recursive)
            )
        return found

    def tree(self, folder: str) -> dict[str, int]:
        _, base = self._connected()
        files = (info for info in self._list(folder, recursive=True) if info.type == fs.FileType.File)
        return {info.path.removeprefix(f"{base}/"): info.size or 0 for info in files}

    def remove_folder(self, name: str) -> None:
        filesystem, base = self._connected()
        with store_errors(self._uri, "store-unwritable"), contextlib.suppress(FileNotFoundError):
            filesystem.delete_dir(f"{base}/{name}")

    def _remove(self, name: str) -> None:
        filesystem, base = self._connected()
        with store_errors(self._uri, "store-unwritable"), contextlib.suppress(FileNotFoundError):
            filesystem.delete_file(f"{base}/{name}")

    def _fetch(self, file: str | FilePart) -> IO[bytes]:
        filesystem, base = self._connected()
        with store_errors(self._uri, "store-unreadable"):
            if isinstance(file, FilePart):
                # One request less. The file may have been removed since.
                with contextlib.suppress(OSError, pa.ArrowException):
                    if (known := self._opened.get(file.name)) is not None:
                        return self._window(known, file)
                return self._window(filesystem.open_input_file(f"{base}/{file.name}"), file)
            source = filesystem.open_input_file(f"{base}/{file}")
            if source.size() > _WHOLE:
                return io.BufferedReader(source, _WHOLE)
            with source:
                return io.BytesIO(source.read())

    def _window(self, source: pa.NativeFile, part: FilePart) -> IO[bytes]:
        window = open_window(source.read_at, part.offset, part.size, lambda: None)
        self._opened[part.name] = source
        return window

    def _fetch_ahead(self) -> None:
        for file in itertools.islice(self._upcoming, _AHEAD - len(self._ahead)):
            self._ahead[file] = _pool().submit(self._fetch, file)

    def _put_file(self, name: str, file: Path) -> None:
        filesystem, base = self._connected()
        _copy(file, filesystem, f"{base}/{name}")


def _copy(file: Path, filesystem: fs.FileSystem, target: str) -> None:
    """Put a file with one write. Closing the stream makes it an object; nothing between the two can fail.

    ``pyarrow.fs.copy_files`` does not report a failure to close.
    """
    # An empty file cannot be mapped.
    with pa.memory_map(str(file)) if file.stat().st_size else pa.BufferReader(b"") as source:
        whole = source.read_buffer()
        stream = filesystem.open_output_stream(target, compression=None)
        stream.write(whole)
        stream.close()


CLAIMS = "claims"
_RENEWAL_SECONDS = 15.0
_EXPIRY_SECONDS = 60.0


@contextlib.contextmanager
def leased(storage: Remote) -> Iterator[None]:
    """Hold a storage for writing. Raises StoreError (``store-busy``), and whatever writing to it raises."""
    name = f"{CLAIMS}/{uuid.uuid4().hex}.json"
    done = threading.Event()
    _claim(storage, name)
    try:
        if _holder(storage, name) is not None:
            # Two writers that start at the same moment both see the other.
            storage.remove([name])
            time.sleep(random.uniform(0.2, 2.0))  # noqa: S311 - not a secret
            _claim(storage, name)
            if (holder := _holder(storage, name)) is not None:
                raise busy(storage, holder)
        thread = threading.Thread(target=_renew, args=(storage, name, done), name="claim", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join(10)
    finally:
        with contextlib.suppress(StoreError):
            storage.remove([name])


def _claim(storage: Remote, name: str) -> None:
    owner = {"host": socket.gethostname(), "machine": machine_name(), "pid": os.getpid()}
    storage.write({name: lambda sink: sink.write(json.dumps(owner).encode())})


def _renew(storage: Remote, name: str, done: threading.Event) -> None:
    while not done.wait(_RENEWAL_SECONDS):
        # If the server is away, writing a record reports it.
        with contextlib.suppress(StoreError):
            _claim(storage, name)


def _holder(storage: Remote, mine: str) -> str | None:
    """The other writer, for a message; void claims are removed."""
    claims = {f"{CLAIMS}/{name}": stamp for name, stamp in storage.stamps(CLAIMS).items()}
    # Both times are by the storage's own clock.
    now = claims[mine].mtime_ns if mine in claims else 0
    for name in sorted(claims.keys() - {mine}):
        try:
            with storage.open(name) as source:
                owner = json.load(source)
            host, machine, pid = str(owner["host"]), owner["machine"], int(owner["pid"])
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError):
            host, machine, pid = "an unknown machine", None, 0
        here = machine == machine_name()
        expired = now - claims[name].mtime_ns > _EXPIRY_SECONDS * 1e9
        if not expired and not (here and _has_ended(pid)):
            note = "" if here else " (if it has ended, its claim expires within a minute)"
            return f"process {pid} on {host}{note}"
        with contextlib.suppress(StoreError):
            storage.remove([name])
    return None


def _has_ended(pid: int) -> bool:
    """Whether the process has ended. A later process with the same id delays a sweep by a minute."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
