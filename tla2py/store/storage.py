"""The storage of a store: a local folder, or a file system of pyarrow (see ``tla2py.store.remote``).

A storage holds files under names such as ``records/ID.zip``. Each is written whole or not at all.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from tla2py.errors import StoreError
from tla2py.files.write import write_atomically
from tla2py.store.atomic import writing_to
from tla2py.store.window import open_window

# A path, or a URI.
Address = Path | str
Write = Callable[[IO[bytes]], object]

# ``Path`` drops one of the slashes after the scheme.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+")


class Stamp(NamedTuple):
    """A file's size and time, which distinguish its versions without reading it."""

    size: int
    mtime_ns: int


class Part(NamedTuple):
    """A part of a file, such as a record in a pack."""

    name: str
    offset: int
    size: int


class Storage(Protocol):
    """The files of a store. Reading a missing file raises FileNotFoundError; every other failure is a StoreError."""

    @property
    def address(self) -> Address:
        """Its path or URI, valid on other machines too."""

    def make(self, folders: Iterable[str]) -> None:
        """Make these folders."""

    def exists(self) -> bool:
        """Whether there is anything at the address."""

    def names(self, folder: str) -> set[str]:
        """The names in a folder, empty if it does not exist; '' is the storage's root."""

    def stamps(self, folder: str) -> dict[str, Stamp]:
        """The stamps of a folder's files by name, without names that begin with a dot."""

    def open(self, file: str | Part) -> IO[bytes]:
        """A file, or a part of one, for reading and seeking."""

    def prefetch(self, files: Iterable[str | Part]) -> None:
        """Prepare to open these files next, in this order."""

    def local(self, name: str) -> Path:
        """A file on this machine: the original, or a copy that does not change."""

    def forget(self, name: str) -> None:
        """Drop the copy of a file, so that ``local`` makes a new one."""

    def write(self, files: Mapping[str, Write]) -> None:
        """Write files, each whole or not at all."""

    def tree(self, folder: str) -> dict[str, int]:
        """The sizes of all files in a folder and in its folders, by name; '' is the storage's root."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove these files; missing ones are skipped."""

    def remove_folder(self, name: str) -> None:
        """Remove a folder with all that is in it, if it exists."""

    def staging(self, folder: str) -> AbstractContextManager[Path]:
        """A local folder whose files are put into ``folder`` if the block succeeds."""

    def lock(self) -> AbstractContextManager[None]:
        """Hold the storage for writing. Raises StoreError (``store-busy``)."""


def storage_of(address: Address) -> Storage:
    """The storage at a path or a URI. Raises StoreError (``store-scheme``, ``store-secret``)."""
    if not is_remote(address):
        return Folder(folder_of(address))
    # Importing Arrow takes longer than finding a local sweep complete.
    from tla2py.store.remote import Remote

    return Remote(_SCHEME.sub(r"\1://", str(address), count=1))


def folder_of(address: Address) -> Path:
    """The folder at a path or a ``file:`` URI."""
    found = _SCHEME.match(str(address))
    return Path("/" + str(address)[found.end() :]) if found and found[1].lower() == "file" else Path(address)


def is_remote(address: Address) -> bool:
    """Whether an address is a URI with a scheme other than ``file:``."""
    found = _SCHEME.match(str(address))
    return found is not None and found[1].lower() != "file"


def below(address: Address, name: str) -> Address:
    """The address of a folder in a storage."""
    if not is_remote(address):
        return folder_of(address) / name
    path, mark, query = str(address).partition("?")
    return f"{path.rstrip('/')}/{name}{mark}{query}"


class Folder:
    """A storage in a folder, local or shared."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def address(self) -> Path:
        """Its path."""
        return self.path

    def make(self, folders: Iterable[str]) -> None:
        """Make these folders. Raises StoreError (``store-unwritable``)."""
        with writing_to(self.path):
            for name in folders:
                (self.path / name).mkdir(parents=True, exist_ok=True)

    def exists(self) -> bool:
        """Whether the path exists, as a folder or a file."""
        return self.path.exists()

    def names(self, folder: str) -> set[str]:
        """The names in a folder; of a file, its own name. Raises StoreError (``store-unreadable``)."""
        try:
            return set(os.listdir(self.path / folder))  # noqa: PTH208 - only names are needed
        except (FileNotFoundError, NotADirectoryError):
            return {self.path.name} if self.path.is_file() else set()
        except OSError as error:
            raise StoreError(
                "store-unreadable",
                f"cannot read {self.path / folder}: {error.strerror}",
                hint="check that you may read all files of the store",
            ) from error

    def stamps(self, folder: str) -> dict[str, Stamp]:
        """The stamps of a folder's files by name."""
        found = {}
        for name in self.names(folder):
            # A file may disappear in between.
            with contextlib.suppress(OSError):
                stat = (self.path / folder / name).stat()
                if not name.startswith("."):
                    found[name] = Stamp(stat.st_size, stat.st_mtime_ns)
        return found

    def open(self, file: str | Part) -> IO[bytes]:
        """A file, or a part of one, for reading and seeking. Raises OSError."""
        if isinstance(file, str):
            return (self.path / file).open("rb")
        handle = os.open(self.path / file.name, os.O_RDONLY | os.O_CLOEXEC)
        return open_window(partial(os.pread, handle), file.offset, file.size, partial(os.close, handle))

    def prefetch(self, files: Iterable[str | Part]) -> None:
        """Do nothing: a disk is fast enough."""

    def local(self, name: str) -> Path:
        """The path of the file, which may not exist."""
        return self.path / name

    def forget(self, name: str) -> None:
        """Do nothing: ``local`` makes no copies."""

    def write(self, files: Mapping[str, Write]) -> None:
        """Write files, each whole or not at all. Raises StoreError (``store-unwritable``)."""
        with writing_to(self.path):
            for name, write in files.items():
                write_atomically(self.path / name, write)

    def tree(self, folder: str) -> dict[str, int]:
        """The sizes of all files in a folder and in its folders, by name."""
        found = {}
        for file in files_below(self.path / folder):
            with contextlib.suppress(OSError):
                found[str(file.relative_to(self.path))] = file.stat().st_size
        return found

    def remove(self, names: Iterable[str]) -> None:
        """Remove these files; missing ones are skipped. Raises StoreError (``store-unwritable``)."""
        with writing_to(self.path):
            for name in names:
                (self.path / name).unlink(missing_ok=True)

    def remove_folder(self, name: str) -> None:
        """Remove a folder with all that is in it. Raises StoreError (``store-unwritable``)."""
        with writing_to(self.path), contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.path / name)

    @contextlib.contextmanager
    def staging(self, folder: str) -> Iterator[Path]:
        """A folder inside ``folder``, so that a rename moves each file into it, also those of its own folders.

        Raises StoreError (``store-unwritable``).
        """
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
        """Hold the folder for writing. Raises StoreError (``store-busy``)."""
        with writing_to(self.path):
            handle = (self.path / ".lock").open("a")
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
    problem = (
        f"another sweep is writing to {storage}: {holder}"
        if holder
        else f"another sweep is writing to {storage}"
    )
    return StoreError(
        "store-busy",
        problem,
        hint="wait for it to end, or use another store with -o",
    )


def files_below(folder: Path) -> list[Path]:
    """The files in a folder and in its folders, in order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())
