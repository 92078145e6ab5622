"""Digests of the tables' files, so that a table that was edited is not believed."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import msgspec

from tla2py.store.storage import Folder, Storage

# Lies beside the tables.
DIGESTS = "digests.json"


class TableDigests(msgspec.Struct, frozen=True, kw_only=True):
    """What a store's tables were made from, and the size and sha256 of each table's file by its name."""

    made_from: str = ""
    size: dict[str, int] = {}
    sha256: dict[str, str] = {}


# Copies of remote files, which do not change after they were found intact.
_intact_copies: set[Path] = set()


def read_digests(storage: Storage) -> TableDigests:
    """The digests written with the tables; empty ones if the file is missing or damaged."""
    try:
        with storage.open(f"tables/{DIGESTS}") as source:
            return msgspec.json.decode(source.read(), type=TableDigests)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return TableDigests()


def is_intact(storage: Storage, name: str, path: Path) -> bool:
    """Whether a table's file has the content that was written; ``path`` is the file or its copy.

    A file is read once for each of its sizes and times. Raises OSError.
    """
    if path in _intact_copies:
        return True
    stat = path.stat()
    if read_digests(storage).sha256.get(name) == _cached(path, stat.st_size, stat.st_mtime_ns):
        if not isinstance(storage, Folder):
            _intact_copies.add(path)
        return True
    storage.forget(f"tables/{name}.parquet")
    return False


@lru_cache(maxsize=256)
def _cached(path: Path, _size: int, _mtime_ns: int) -> str:
    return file_digest(path)


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
