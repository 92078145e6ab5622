"""Where a store keeps its files: a folder, or what ``tla2py.store.remote`` reaches at a URI."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from tla2py.errors import StoreError
from tla2py.files import write_atomically
from tla2py.store.address import Address
from tla2py.tlc.process.os_facts import lock_file

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


# Parts up to this many bytes are read whole.
_WHOLE = 1 << 20


class _Window(io.RawIOBase):
    """``size`` bytes from ``offset``; ``read_at`` gets a number of bytes and where they start."""

    def __init__(
        self, read_at: Callable[[int, int], bytes], offset: int, size: int, close: Callable[[], None]
    ) -> None:
        super().__init__()
        self._read_at, self._offset, self._size, self._close = read_at, offset, size, close
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("a position before the start of the file")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: WriteableBuffer) -> int:
        target = memoryview(buffer).cast("B")
        count = max(0, min(len(target), self._size - self._position))
        data = self._read_at(count, self._offset + self._position) if count else b""
        target[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()


def open_window(
    read_at: Callable[[int, int], bytes], offset: int, size: int, close: Callable[[], None]
) -> IO[bytes]:
    """A part of a file for reading and seeking; a small one is held in memory. ``close`` is called at its end."""
    if size > _WHOLE:
        return io.BufferedReader(_Window(read_at, offset, size, close), _WHOLE)
    try:
        return io.BytesIO(read_at(size, offset))
    finally:
        close()


@contextlib.contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Raise what the operating system refuses as StoreError (``store-unwritable``)."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            "store-unwritable", f"cannot write to {path}: {error.strerror or error}", hint=_remedy(error)
        ) from error


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space, or name another store with -o; recorded runs are kept; the same command executes the rest"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return (
            "use another store with -o, or a copy of this one; if its tables exist, "
            "'tla2py trace STORE' and 'tla2py gate STORE' only read it"
        )
    return "name another store with -o; recorded runs are kept"


Write = Callable[[IO[bytes]], object]


class Stamp(NamedTuple):
    """A file's size and time, which distinguish its versions without reading it."""

    size: int
    mtime_ns: int


class FilePart(NamedTuple):
    """A part of a file, such as a record in a pack."""

    name: str
    offset: int
    size: int


class Storage:
    """The files of a store, here in a folder, local or shared; ``tla2py.store.remote.Remote`` has those at a URI.

    Reading a missing file raises FileNotFoundError. Every other failure is a StoreError: ``store-unreadable``,
    ``store-unwritable``, and what ``Remote`` adds. ``address`` is its path or URI, valid on other machines too.
    """

    address: Address

    def __init__(self, path: Path) -> None:
        self.path = self.address = path

    def __str__(self) -> str:
        return str(self.address)

    def make(self, folders: Iterable[str]) -> None:
        """Make these folders."""
        with writing_to(self.path):
            beside = self.path.parent
            if beside == Path("runs") and not beside.exists():
                # Default stores are nothing to commit.
                beside.mkdir()
                (beside / ".gitignore").write_text("# Made by tla2py.\n*\n", encoding="utf-8")
            for name in folders:
                (self.path / name).mkdir(parents=True, exist_ok=True)

    def exists(self) -> bool:
        """Whether there is anything at the address."""
        return self.path.exists()

    def names(self, folder: str) -> set[str]:
        """The names in a folder, empty if it does not exist; '' is the storage's root."""
        try:
            return set(os.listdir(self.path / folder))  # noqa: PTH208 - only names are needed
        except (FileNotFoundError, NotADirectoryError):
            # Of a file, its own name.
            return {self.path.name} if self.path.is_file() else set()
        except OSError as error:
            raise StoreError(
                "store-unreadable",
                f"cannot read {self.path / folder}: {error.strerror}",
                hint="check that you may read all files of the store",
            ) from error

    def stamps(self, folder: str) -> dict[str, Stamp]:
        """The stamps of a folder's files by name, without names that begin with a dot."""
        found = {}
        for name in self.names(folder):
            # A file may disappear in between.
            with contextlib.suppress(OSError):
                stat = (self.path / folder / name).stat()
                if not name.startswith("."):
                    found[name] = Stamp(stat.st_size, stat.st_mtime_ns)
        return found

    def open(self, file: str | FilePart) -> IO[bytes]:
        """A file, or a part of one, for reading and seeking."""
        if isinstance(file, str):
            return (self.path / file).open("rb")
        handle = os.open(self.path / file.name, os.O_RDONLY | os.O_CLOEXEC)
        return open_window(partial(os.pread, handle), file.offset, file.size, partial(os.close, handle))

    def prefetch(self, files: Iterable[str | FilePart]) -> None:
        """Prepare to open these files next, in this order."""
        # a disk is fast enough

    def local(self, name: str) -> Path:
        """A file on this machine: the original, or a copy that does not change."""
        return self.path / name

    def write(self, files: Mapping[str, Write]) -> None:
        """Write files, each whole or not at all."""
        with writing_to(self.path):
            for name, write in files.items():
                write_atomically(self.path / name, write)

    def tree(self, folder: str) -> dict[str, int]:
        """The sizes of all files in a folder and in its folders, by name; '' is the storage's root."""
        found = {}
        for file in files_below(self.path / folder):
            with contextlib.suppress(OSError):
                found[str(file.relative_to(self.path))] = file.stat().st_size
        return found

    def remove(self, names: Iterable[str]) -> None:
        """Remove these files; missing ones are skipped."""
        with writing_to(self.path):
            for name in names:
                (self.path / name).unlink(missing_ok=True)

    def remove_folder(self, name: str) -> None:
        """Remove a folder with all that is in it, if it exists."""
        with writing_to(self.path), contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.path / name)

    @contextlib.contextmanager
    def staging(self, folder: str) -> Iterator[Path]:
        """A local folder whose files are put into ``folder`` if the block succeeds."""
        # Inside ``folder``, so that a rename moves each file into it, also those of its own folders.
        target = self.path / folder
        with writing_to(target):
            target.mkdir(parents=True, exist_ok=True)
            scratch = tempfile.TemporaryDirectory(dir=target, prefix=".tmp-", ignore_cleanup_errors=True)
            with scratch as name:
                yield Path(name)
                for file in files_below(Path(name)):
                    place = target / file.relative_to(name)
                    place.parent.mkdir(exist_ok=True)
                    file.replace(place)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the storage for writing. Raises StoreError (``store-busy``)."""
        with writing_to(self.path):
            handle = (self.path / ".lock").open("a")
        with handle:
            try:
                lock_file(handle, wait=False)
            except OSError as error:
                raise busy(self) from error
            # Half-written files of a killed sweep.
            for leftover in [*self.path.glob(".tmp-*"), *self.path.glob("*/.tmp-*")]:
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    leftover.unlink(missing_ok=True)
            yield


def busy(storage: Storage, holder: str | None = None) -> StoreError:
    """The error for a store that another process is writing to."""
    writing = f"another sweep is writing to {storage}"
    problem = f"another sweep is writing to {storage}: {holder}" if holder else writing
    return StoreError("store-busy", problem, hint="wait for it to end, or use another store with -o")


def files_below(folder: Path) -> list[Path]:
    """The files in a folder and in its folders, in order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def damaged(storage: Storage, name: str, problem: object) -> StoreError:
    """The error for a damaged file that a sweep writes anew."""
    hint = "run the sweep again; it rewrites the file"
    return StoreError("not-a-store", f"{name} of {storage.address} is damaged: {problem}", hint=hint)


def read_named(storage: Storage, name: str) -> bytes:
    """The content of a file that ``write_named`` wrote. Raises StoreError (``not-a-store``) if it is damaged, and OSError."""
    with storage.open(name) as source:
        data = source.read()
    # Parquet itself would read some changed texts.
    if _digest_name(name.rpartition("/")[0], data) != name:
        raise damaged(storage, name, "its digest differs")
    return data


def write_named(storage: Storage, folder: str, data: bytes) -> str:
    """The name of the Parquet file with this content, by its digest. Raises StoreError (``store-unwritable``)."""
    name = _digest_name(folder, data)
    with contextlib.suppress(FileNotFoundError), storage.open(name) as source:
        if source.read() == data:
            return name
    storage.make((folder,))
    storage.write({name: lambda file: file.write(data)})
    return name


def _digest_name(folder: str, data: bytes) -> str:
    return f"{folder}/{hashlib.sha256(data).hexdigest()[:32]}.parquet"
