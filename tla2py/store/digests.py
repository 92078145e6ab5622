"""Digests of the tables' files, so that a table that was edited is not believed."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import msgspec

# Lies beside the tables.
DIGESTS = "digests.json"


class TableDigests(msgspec.Struct, frozen=True, kw_only=True):
    """What a store's tables were made from, and the size and sha256 of each table's file by its name."""

    made_from: str = ""
    size: dict[str, int] = {}
    sha256: dict[str, str] = {}


def cached_digest(path: Path) -> str:
    """The digest of a file, computed once for each of its sizes and times. Raises OSError."""
    stat = path.stat()
    return _cached(path, stat.st_size, stat.st_mtime_ns)


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
