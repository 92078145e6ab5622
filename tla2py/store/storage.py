"""Where a store is: a folder, or what pyarrow's file systems reach (see ``tla2py.store.remote``).

A place holds files by names such as ``records/ID.zip``. Each is written whole or not at all.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from tla2py.errors import StoreError

# A path, or a URI.
Address = Path | str
Write = Callable[[IO[bytes]], object]

# As a path, what follows the scheme has lost a slash.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+")


class Stamp(NamedTuple):
    """What tells one version of a file from another, without reading it."""

    size: int
    mtime_ns: int


class Storage(Protocol):
    """The files of a store. Reading raises FileNotFoundError for what is not there; all else raises StoreError."""

    @property
    def address(self) -> Address:
        """What names it, here and on other machines."""

    def make(self, folders: Iterable[str]) -> None:
        """Make it ready to be written to."""

    def exists(self) -> bool:
        """Whether there is anything."""

    def names(self, folder: str) -> set[str]:
        """The names of what is in a folder, '' being the place itself; none where there is no such folder."""

    def stamps(self, folder: str) -> dict[str, Stamp]:
        """The files in a folder by their names, all but those whose name begins with a dot."""

    def open(self, name: str) -> IO[bytes]:
        """A file for reading and seeking."""

    def expect(self, names: Iterable[str]) -> None:
        """Be told which files are opened next, in this order, so that they may be fetched ahead."""

    def local(self, name: str) -> Path:
        """A file as one of this machine: itself, or a copy that stays as it is."""

    def write(self, files: Mapping[str, Write]) -> None:
        """Write some files, each whole or not at all."""

    def filling(self, folder: str) -> AbstractContextManager[Path]:
        """A folder of this machine whose files are put into a folder of this place if the block ends well."""

    def lock(self) -> AbstractContextManager[None]:
        """Hold the place for writing. Raises StoreError (``store-busy``)."""


def storage_of(address: Address) -> Storage:
    """The storage that a path or a URI names. Raises StoreError (``store-scheme``, ``store-secret``)."""
    if not is_remote(address):
        return Folder(folder_of(address))
    # Arrow takes longer to import than many a sweep of a folder takes to be found complete.
    from tla2py.store.remote import Remote

    return Remote(_SCHEME.sub(r"\1://", str(address), count=1))


def folder_of(address: Address) -> Path:
    """The folder that an address names: a path, or ``file:`` and one."""
    found = _SCHEME.match(str(address))
    return Path("/" + str(address)[found.end() :]) if found and found[1].lower() == "file" else Path(address)


def is_remote(address: Address) -> bool:
    """Whether an address is a URI of anything but this machine's files."""
    found = _SCHEME.match(str(address))
    return found is not None and found[1].lower() != "file"


def below(address: Address, name: str) -> Address:
    """The address of a folder in a place."""
    if not is_remote(address):
        return folder_of(address) / name
    path, mark, query = str(address).partition("?")
    return f"{path.rstrip('/')}/{name}{mark}{query}"


class Folder:
    """A folder of this machine, or one that all machines see."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def address(self) -> Path:
        """Its path."""
        return self.path

    def make(self, folders: Iterable[str]) -> None:
        """Make the folder, and these in it. Raises StoreError (``store-unwritable``)."""
        with self._writing():
            for name in folders:
                (self.path / name).mkdir(parents=True, exist_ok=True)

    def exists(self) -> bool:
        """Whether there is such a folder, or a file in its stead."""
        return self.path.exists()

    def names(self, folder: str) -> set[str]:
        """The names of what is in a folder, of a file its own. Raises StoreError (``store-unreadable``)."""
        try:
            return set(os.listdir(self.path / folder))  # noqa: PTH208 - names are all that is wanted
        except (FileNotFoundError, NotADirectoryError):
            return {self.path.name} if self.path.is_file() else set()
        except OSError as error:
            raise StoreError(
                "store-unreadable",
                f"cannot read {self.path / folder}: {error.strerror}",
                hint="see that you may read the store, whole",
            ) from error

    def stamps(self, folder: str) -> dict[str, Stamp]:
        """The files in a folder by their names."""
        found = {}
        for name in self.names(folder):
            # A file may go in between.
            with contextlib.suppress(OSError):
                stat = (self.path / folder / name).stat()
                if not name.startswith("."):
                    found[name] = Stamp(stat.st_size, stat.st_mtime_ns)
        return found

    def open(self, name: str) -> IO[bytes]:
        """A file for reading and seeking. Raises OSError."""
        return (self.path / name).open("rb")

    def expect(self, names: Iterable[str]) -> None:
        """Nothing: a disk is near enough."""

    def local(self, name: str) -> Path:
        """The file itself, there or not."""
        return self.path / name

    def write(self, files: Mapping[str, Write]) -> None:
        """Write some files, each whole or not at all. Raises StoreError (``store-unwritable``)."""
        with self._writing():
            for name, write in files.items():
                _write_atomically(self.path / name, write)

    @contextlib.contextmanager
    def filling(self, folder: str) -> Iterator[Path]:
        """A folder beside the files, so that a rename puts each in place. Raises StoreError (``store-unwritable``)."""
        target = self.path / folder
        with self._writing(target):
            target.mkdir(exist_ok=True)
            scratch = tempfile.TemporaryDirectory(dir=target, prefix=".tmp-", ignore_cleanup_errors=True)
            with scratch as name:
                yield Path(name)
                for file in sorted(Path(name).iterdir()):
                    file.replace(target / file.name)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for writing as long as this process lives. Raises StoreError (``store-busy``)."""
        with self._writing():
            handle = (self.path / ".lock").open("a")
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise busy(self) from error
            # Half-written files of a sweep that was killed.
            for leftover in [*self.path.glob(".tmp-*"), *self.path.glob("*/.tmp-*")]:
                if leftover.is_dir():
                    shutil.rmtree(leftover, ignore_errors=True)
                else:
                    leftover.unlink(missing_ok=True)
            yield

    @contextlib.contextmanager
    def _writing(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(
                "store-unwritable",
                f"cannot write to {path or self.path}: {error.strerror or error}",
                hint=_remedy(error),
            ) from error


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space or name another store with -o; what is recorded stays, the same command does the rest"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return (
            "use another store with -o, or a copy of this one; where its tables are there, "
            "'tla2py trace STORE' and 'tla2py gate STORE' only read it"
        )
    return "name another store with -o; what is recorded stays"


def busy(storage: Storage, more: str = "") -> StoreError:
    """The error that somebody else is writing to a store."""
    return StoreError(
        "store-busy",
        f"another sweep is writing to {storage}{more}",
        hint="wait for it, or use another store with -o",
    )


def _write_atomically(file: Path, write: Write) -> None:
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115 - renamed, not deleted, when whole
        dir=file.parent, prefix=".tmp-", delete=False
    )
    try:
        with handle:
            write(handle)
            handle.flush()
            os.fsync(handle.fileno())
        Path(handle.name).chmod(0o644)
        Path(handle.name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(handle.name).unlink()
        raise
