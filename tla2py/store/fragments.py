"""The fragments that a store's tables consist of, and the list of them.

A fragment has a Parquet file for each table, or several for a large one, with the rows of some runs; it never changes. The list names the fragments
that count. It is replaced whole, so that a reader sees the tables of one moment. Files that a list no longer names are
removed when the next one is written: until then, readers of the list before finish.
"""

from __future__ import annotations

import contextlib
import hashlib
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from tla2py.store.read import file_digest, has_columns, intact_file
from tla2py.store.schema import TABLES, Column, runs_columns
from tla2py.store.storage import Storage

T = TypeVar("T")

_LIST = "tables/current.json"
_PENDING = "tables/pending"
# Raised when the rows that are made of a record change otherwise than by their columns.
_ROWS_VERSION = 1

# The rows of ``runs`` without point and parameters, by run.
RESULTS = (
    *(column for column in runs_columns(()) if column.name != "point"),
    Column("record", "string", False, "size and CRC of the record that the row was made from"),
)
# The tables of the store as a whole: points joined with the rows of runs, and mutants.
JOINED = ("runs", "logs", "mutants")
LOG_RESULTS = tuple(column for column in TABLES["logs"] if column.name != "point")
FRAGMENT_TABLES: dict[str, tuple[Column, ...]] = {
    "results": RESULTS,
    "log_results": LOG_RESULTS,
    **{name: columns for name, columns in TABLES.items() if name not in JOINED},
}
# The columns of every file; those of ``runs`` and ``logs`` also have the parameters.
_DECLARED = {**TABLES, **FRAGMENT_TABLES, "runs": runs_columns(())}
# A newer version of tla2py may have more columns: fragments with others are made again.
COLUMNS = hashlib.sha256(
    repr((_ROWS_VERSION, [(name, [c[:3] for c in each]) for name, each in FRAGMENT_TABLES.items()])).encode()
).hexdigest()[:16]

# They become names of files, and a store may be untrusted.
_Id = Annotated[str, msgspec.Meta(pattern=r"^\w+\Z")]
_FileName = Annotated[str, msgspec.Meta(pattern=r"^tables/(\w+/)?\w+\.(parquet|json)\Z")]


class TableFile(msgspec.Struct, frozen=True, kw_only=True):
    """A Parquet file: its name in the store, its rows, bytes and digest."""

    name: _FileName
    rows: int
    size: int
    sha256: str


class Fragment(msgspec.Struct, frozen=True, kw_only=True):
    """A fragment: the number of its runs, the digest of its columns, and its files by table."""

    id: _Id
    runs: int
    columns: str
    files: dict[str, list[TableFile]]

    def with_files(self, others: Iterable[Fragment]) -> Fragment:
        """This fragment, with the files of others after its own."""
        files = {table: [*mine] for table, mine in self.files.items()}
        for other in others:
            for table, more in other.files.items():
                files[table] = [*files.get(table, ()), *more]
        return msgspec.structs.replace(self, files=files)

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for files in self.files.values() for file in files)

    @property
    def names(self) -> list[str]:
        """The names of its files in the store."""
        return [file.name for files in self.files.values() for file in files]


class TableList(msgspec.Struct, frozen=True, kw_only=True):
    """The tables of a store: their fragments, and the fragment of ``runs`` and ``logs``, which are joined from points and results.

    ``made_from`` is the digest of the points and the records, ``doubted`` the one at which a record was found damaged, ``places`` has the digests and paths of the user's files
    that diagnostics name, ``retired`` the files of the lists before, ``packs`` the names of the packs of records.
    """

    version: int
    made_from: str
    places: list[str]
    runs: Fragment
    fragments: list[Fragment]
    retired: list[_FileName]
    doubted: str = ""
    packs: list[str] = msgspec.field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of the files that make up the tables."""
        return [name for each in (self.runs, *self.fragments) for name in each.names]

    def of(self, table: str) -> list[Fragment]:
        """The fragments with rows of a table."""
        return [each for each in ([self.runs] if table in JOINED else self.fragments) if table in each.files]


def new_id() -> str:
    """A name that no other fragment has."""
    return uuid.uuid4().hex[:16]


def fragment_files(storage: Storage, table: str, fragment: Fragment) -> list[Path] | None:
    """The files of a fragment's table, or their copies, in order, with the content that was written.

    None if one is missing or differs, or has other columns than this version writes: a stranger may have written both
    the file and its digest.
    """
    files = [intact_file(storage, each.name, each.sha256) for each in fragment.files.get(table, ())]
    found = [file for file in files if file is not None]
    if len(found) != len(files):
        return None
    declared = _DECLARED[table]
    whole = fragment.columns == COLUMNS
    return found if all(has_columns(file, declared, whole=whole) for file in found) else None


def fragment_of(folder: Path, name: str, runs: int) -> Fragment:
    """The fragment whose files ``TABLE/NAME.parquet`` are in a folder. Raises OSError."""
    import pyarrow.parquet as pq

    files = {}
    for table in (*JOINED, *FRAGMENT_TABLES):
        file = folder / table / f"{name}.parquet"
        if file.exists():
            size, rows = file.stat().st_size, pq.read_metadata(file).num_rows
            made = TableFile(
                name=f"tables/{table}/{file.name}", rows=rows, size=size, sha256=file_digest(file)
            )
            files[table] = [made]
    return Fragment(id=name, runs=runs, columns=COLUMNS, files=files)


def read_list(storage: Storage) -> TableList | None:
    """The list of the tables; None if it is missing or damaged."""
    try:
        with storage.open(_LIST) as source:
            return _opened(source.read(), TableList)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def write_list(storage: Storage, tables: TableList) -> None:
    """Replace the list. Raises StoreError (``store-unwritable``)."""
    data = _sealed(tables)
    storage.write({_LIST: lambda sink: sink.write(data)})


def write_pending(storage: Storage, fragment: Fragment) -> None:
    """Tell the next refresh of a fragment that the list lacks. Raises StoreError (``store-unwritable``)."""
    storage.make((_PENDING,))
    data = _sealed(fragment)
    storage.write({pending_name(fragment): lambda sink: sink.write(data)})


def pending_name(fragment: Fragment) -> str:
    """The name of the file that ``write_pending`` writes."""
    return f"{_PENDING}/{fragment.id}.json"


def pending_names(storage: Storage) -> list[str]:
    """The names of the files that ``write_pending`` wrote, and of unfinished ones."""
    return sorted(f"{_PENDING}/{name}" for name in storage.names(_PENDING))


def read_pending(storage: Storage, names: Iterable[str]) -> list[Fragment]:
    """The fragments in these files, without damaged ones."""
    found: list[Fragment] = []
    for name in names:
        with contextlib.suppress(OSError, ValueError), storage.open(name) as source:
            found.append(_opened(source.read(), Fragment))
    return found


class PendingRuns:
    """Counts the runs of the fragments that wait for a refresh and were not there at the beginning."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._runs = dict.fromkeys(pending_names(storage), 0)

    def count(self) -> int:
        """The number of these runs so far."""
        for name in pending_names(self._storage):
            if name not in self._runs:
                self._runs[name] = sum(each.runs for each in read_pending(self._storage, [name]))
        return sum(self._runs.values())


class _Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """A list or a fragment with its digest: a table of which the name is damaged would seem to have no rows."""

    sha256: str
    content: msgspec.Raw


def _sealed(content: TableList | Fragment) -> bytes:
    data = msgspec.json.encode(content)
    return msgspec.json.encode(_Sealed(sha256=hashlib.sha256(data).hexdigest(), content=msgspec.Raw(data)))


def _opened(data: bytes, kind: type[T]) -> T:
    """What ``_sealed`` wrote. Raises ValueError if it is damaged."""
    sealed = msgspec.json.decode(data, type=_Sealed)
    if hashlib.sha256(sealed.content).hexdigest() != sealed.sha256:
        raise ValueError("its digest differs")
    return msgspec.json.decode(sealed.content, type=kind)
