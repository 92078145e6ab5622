"""The manifest of a store: the input of its runs.

The points are a table of their own, which the manifest names: they may be very many.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from tla2py.errors import StoreError
from tla2py.store.storage import Storage

if TYPE_CHECKING:
    import pyarrow as pa


# Raised when the layout of the store or the meaning of a column changes; other stores are refused.
STORE_VERSION = 2
FILE = "store.json"


class ManifestParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter: its name in the sweep, and its column in ``runs`` with the column's type."""

    name: str
    kind: str
    column: str
    type: Annotated[str, msgspec.Meta(pattern=r"^(integer|boolean|text)\Z")]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a store's runs."""

    format: str = "tla2py-store"
    version: int = STORE_VERSION
    tla2py_version: str
    name: str
    modules: list[str]
    sweep: str
    parameters: list[ManifestParameter]
    # The file of the points table; empty until it is written.
    points: Annotated[str, msgspec.Meta(pattern=r"^(points/\w+\.parquet)?\Z")] = ""
    # The file of the table ``mutants``; empty if the store has none.
    mutants: Annotated[str, msgspec.Meta(pattern=r"^(tables/mutants/\w+\.parquet)?\Z")] = ""
    # The sweep file as the user named it; None if the store was not made from one.
    sweep_file: str | None = None
    # Paths of the user's files by the sha256 of their texts.
    files: dict[str, str] = {}
    # The sha256 of the texts of the sweep's configs, by their names in the sweep.
    configs: dict[str, str] = {}


def is_store(folder: Path) -> bool:
    """Whether a folder has a store's manifest, or what is left of a store without it."""
    return (folder / FILE).exists() or all((folder / name).is_dir() for name in ("records", "sources"))


def read_manifest(storage: Storage) -> Manifest:
    """A store's manifest.

    Raises StoreError: ``store-missing``, ``store-unreadable``, ``not-a-store``, ``store-too-new``, ``store-too-old``.
    """
    try:
        with storage.open(FILE) as source:
            data = msgspec.json.decode(source.read())
    except (FileNotFoundError, NotADirectoryError) as error:
        if not storage.exists():
            raise StoreError(
                "store-missing",
                f"no such store: {storage.address}",
                hint="'tla2py sweep SWEEP.toml' creates one",
            ) from error
        data = None
    except OSError as error:
        raise StoreError(
            "store-unreadable",
            f"cannot read {FILE} of {storage.address}: {error.strerror}",
            hint="check that you may read all files of the store",
        ) from error
    except ValueError:  # not JSON, or not a text
        data = None
    if not isinstance(data, dict) or data.get("format") != "tla2py-store":
        raise StoreError(
            "not-a-store",
            f"{storage.address} is not a tla2py store",
            hint=f"a store is a folder with a {FILE}",
        )
    version = data.get("version")
    if isinstance(version, int) and version > STORE_VERSION:
        writer = data.get("tla2py_version")
        raise StoreError(
            "store-too-new",
            f"{storage.address} was written by tla2py {writer}, store version {version}; "
            f"this one reads up to {STORE_VERSION}",
            hint="update tla2py, or sweep into another store with -o",
        )
    if version == 1:
        sweep_file = data.get("sweep_file") or "SWEEP.toml"
        raise StoreError(
            "store-too-old",
            f"{storage.address} has store version 1; this tla2py reads version {STORE_VERSION}",
            hint=f"make it anew: tla2py sweep {sweep_file} -o STORE, into a folder that does not exist yet",
        )
    try:
        return msgspec.convert(data, Manifest)
    except msgspec.ValidationError as error:
        raise damaged(storage, FILE, error) from error


def damaged(storage: Storage, name: str, problem: object) -> StoreError:
    """The error for a damaged file that a sweep writes anew."""
    return StoreError(
        "not-a-store",
        f"{name} of {storage.address} is damaged: {problem}",
        hint="run the sweep again; it rewrites the file",
    )


class ManifestPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point of the sweep, the texts of its parameters and its run."""

    point: int
    # It becomes a file name, and a store may be untrusted.
    run_id: Annotated[str, msgspec.Meta(pattern=r"^\w+\Z")]
    parameters: dict[str, str]


class StoredPoints:
    """The points of a store in order, made from columns as they are asked for."""

    def __init__(self, table: pa.Table, parameters: Sequence[ManifestParameter]) -> None:
        self.table, self._parameters = table, parameters

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[ManifestPoint]:
        for batch in self.table.to_batches(max_chunksize=1000):
            numbers, run_ids = (batch[name].to_pylist() for name in ("point", "run_id"))
            names = [each.name for each in self._parameters]
            texts = [batch[each.column].to_pylist() for each in self._parameters]
            rows = zip(*texts, strict=True) if texts else [()] * len(numbers)
            for number, run_id, row in zip(numbers, run_ids, rows, strict=True):
                parameters = dict(zip(names, row, strict=True))
                yield ManifestPoint(point=number, run_id=run_id, parameters=parameters)

    def run_ids(self) -> set[str]:
        """The runs of the points."""
        return set(self.table["run_id"].to_pylist())

    def __getitem__(self, number: int) -> ManifestPoint:
        """The point with a number. Raises KeyError."""
        if (found := self.find(number)) is None:
            raise KeyError(number)
        return found

    def find(self, number: int) -> ManifestPoint | None:
        """The point with a number."""
        from tla2py.store.index import integer_column

        return self._first("point", integer_column([number]))

    def some(self, numbers: Iterable[int]) -> dict[int, ManifestPoint]:
        """The points with these numbers, by number."""
        import pyarrow.compute as pc

        from tla2py.store.index import integer_column

        chosen = self.table.filter(pc.is_in(self.table["point"], value_set=integer_column(numbers)))
        return {each.point: each for each in StoredPoints(chosen, self._parameters)}

    def different(self, parameter: ManifestParameter) -> int:
        """The number of different texts of a parameter."""
        import pyarrow as pa

        return len(self.table[parameter.column].cast(pa.string()).unique())

    def of_run(self, run_id: str) -> ManifestPoint | None:
        """The first point with a run."""
        from tla2py.store.index import text_column

        return self._first("run_id", text_column([run_id]))

    def _first(self, column: str, value: pa.Array) -> ManifestPoint | None:
        import pyarrow.compute as pc

        row = pc.index(self.table[column], value[0]).as_py()
        return None if row < 0 else next(iter(StoredPoints(self.table.slice(row, 1), self._parameters)))


def points_table(parameters: Sequence[ManifestParameter], points: Iterable[ManifestPoint]) -> pa.Table:
    """The points as a table, with a text column for each parameter."""
    import pyarrow as pa

    from tla2py.store.index import integer_column, text_column

    every = list(points)
    columns = {
        "point": integer_column(each.point for each in every),
        "run_id": text_column(each.run_id for each in every),
    }
    for parameter in parameters:
        texts = text_column(each.parameters[parameter.name] for each in every)
        columns[parameter.column] = texts.dictionary_encode()
    return pa.table(columns)


def coded_points(
    run_ids: Sequence[str], columns: Mapping[str, tuple[Sequence[str], Iterable[int]]]
) -> pa.Table:
    """The points of these runs as such a table, from the different texts of each column and their numbers at each point."""
    import pyarrow as pa

    from tla2py.store.index import coded_column, integer_column, text_column

    first = {"point": integer_column(range(1, len(run_ids) + 1)), "run_id": text_column(run_ids)}
    return pa.table(first | {name: coded_column(*column) for name, column in columns.items()})


def read_points(storage: Storage, manifest: Manifest) -> pa.Table:
    """The points that a manifest names, as ``points_table`` made them.

    Raises FileNotFoundError, and StoreError (``not-a-store``) if the table is damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from tla2py.store.index import release_memory

    names = ["point", "run_id", *(each.column for each in manifest.parameters)]
    try:
        data = read_named(storage, manifest.points)
        # ``read_table`` would import pandas.
        with pq.ParquetFile(pa.BufferReader(data)) as file:
            table = file.read(use_threads=False).select(names)
        # They become file names, and a store may be untrusted.
        odd = table.filter(pc.invert(pc.match_substring_regex(table["run_id"], r"^\w+\z")))
    except (KeyError, IsADirectoryError, pa.ArrowException) as error:
        raise damaged(storage, manifest.points or FILE, error) from error
    if odd.num_rows:
        raise damaged(storage, manifest.points, f"{odd['run_id'][0].as_py()!r} is not a run")
    del data, odd
    release_memory()
    return table


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


def write_points(storage: Storage, table: pa.Table) -> str:
    """The name of the file that the points are written to. Raises StoreError (``store-unwritable``)."""
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return write_named(storage, "points", sink.getvalue())
