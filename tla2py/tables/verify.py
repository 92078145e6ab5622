"""Checks that the tables' files have the content that was written, so that an edited one is not believed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tla2py.store.storage import Folder, Storage
from tla2py.tables.schema import Column

if TYPE_CHECKING:
    import pyarrow as pa

# Copies of remote files, which do not change after they were found intact.
_intact_copies: set[Path] = set()


def intact_file(storage: Storage, name: str, sha256: str) -> Path | None:
    """A file with this digest, or its copy; None if it is missing or differs.

    A file is read once for each of its sizes and times. Raises StoreError.
    """
    try:
        path = storage.local(name)
        if path in _intact_copies:
            return path
        stat = path.stat()
        found = _cached(path, stat.st_size, stat.st_mtime_ns)
    except OSError:
        return None
    if found == sha256:
        if not isinstance(storage, Folder):
            _intact_copies.add(path)
        return path
    storage.forget(name)
    return None


@lru_cache(maxsize=4096)
def _cached(path: Path, _size: int, _mtime_ns: int) -> str:
    return file_digest(path)


def file_digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal. Raises OSError."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def has_columns(path: Path, columns: Sequence[Column], *, whole: bool) -> bool:
    """Whether a file has these columns with their types; without ``whole`` some may be missing."""
    stat = path.stat()
    shapes = _column_shapes(path, stat.st_size, stat.st_mtime_ns)
    return all(
        shapes.get(column.name) == _shape(column.type)
        for column in columns
        if whole or column.name == "run_id" or column.name in shapes
    )


@lru_cache(maxsize=4096)
def _column_shapes(path: Path, _size: int, _mtime_ns: int) -> Mapping[str, str]:
    """The shapes of a file's columns by name; none of a file that is not Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return {field.name: _shape(field.type) for field in file.schema_arrow}
    except (OSError, ValueError, pa.ArrowException):
        return {}


def _shape(kind: pa.DataType) -> str:
    """A type without what differs between writers."""
    import pyarrow as pa

    text = str(kind.value_type if pa.types.is_dictionary(kind) else kind)
    if text.startswith("timestamp"):
        return "timestamp"
    return text.replace("element: ", "item: ").replace(" not null", "").replace("large_", "")


class _OldDigests(msgspec.Struct, frozen=True, kw_only=True):
    """The digests of the tables of a store of version 1, where each is one file."""

    sha256: dict[str, str] = {}


_OLD_DIGESTS = "tables/digests.json"


def old_table(storage: Storage, table: str) -> Path | None:
    """The file of a table of a store of version 1; None if it is missing or differs from the one that was written."""
    try:
        with storage.open(_OLD_DIGESTS) as source:
            digests = msgspec.json.decode(source.read(), type=_OldDigests).sha256
    except (OSError, ValueError):
        return None
    return intact_file(storage, f"tables/{table}.parquet", digests[table]) if table in digests else None


def old_names(names: set[str]) -> list[str]:
    """The files of version 1 among the names in a store's folder ``tables``."""
    return [f"tables/{name}" for name in sorted(names) if name == "digests.json" or name.endswith(".parquet")]
