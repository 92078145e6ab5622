"""The store of a sweep: its manifest, the raw record of every run, and the tables derived from them.

::

    STORE/store.json              the manifest: points, parameters, run ids, the sweep file's text
    STORE/sources/SHA256.tla      the text of every module of the runs
    STORE/inputs/SHA256           the files that runs read, if a sweep declares any
    STORE/findings.json           what lint and the results show to be doubtful, and what [accept] accepts
    STORE/outputs/RUN_ID/         the files that a run wrote and the sweep declares
    STORE/records/RUN_ID.zip      the raw record of a run, see tla2py.store.record
    STORE/tables/NAME.parquet     the tables, derived from the rest
    STORE/tables/digests.json     what they were made from, and their digests
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import msgspec

from tla2py.errors import StoreError
from tla2py.lint.accept import NO_FINDINGS, Findings
from tla2py.model.result import Executed
from tla2py.store.digests import is_intact
from tla2py.store.record import Archive, open_archive, write_archive
from tla2py.store.storage import Address, Stamp, Write, below, storage_of

if TYPE_CHECKING:
    import pyarrow as pa

# Raised when the layout of the store or the meaning of a column changes; newer stores are refused.
STORE_VERSION = 1
_FOLDERS = ("records", "tables", "sources")
_FINDINGS = "findings.json"
# Seconds before retrying to write a record to an unreachable server: its run may have taken hours.
_PAUSES = (3.0, 9.0)


class ManifestParameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter: its name in the sweep, and its column in ``runs`` with the column's type."""

    name: str
    kind: str
    column: str
    type: str


class ManifestPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A point of the sweep, the texts of its parameters and its run."""

    point: int
    # It becomes a file name, and a store may be untrusted.
    run_id: Annotated[str, msgspec.Meta(pattern=r"^\w+\Z")]
    parameters: dict[str, str]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a store's runs."""

    format: str = "tla2py-store"
    version: int = STORE_VERSION
    tla2py_version: str
    name: str
    modules: list[str]
    sweep: str
    parameters: list[ManifestParameter]
    points: list[ManifestPoint]
    # The sweep file as the user named it; None in older stores.
    sweep_file: str | None = None
    # Paths of the user's files by the sha256 of their texts.
    files: dict[str, str] = {}


class Store:
    """A store at a path or a URI. Constructing one does not access the storage."""

    def __init__(self, path: Address) -> None:
        self.storage = storage_of(path)

    @property
    def path(self) -> Address:
        """Its folder or its URI, valid on other machines too."""
        return self.storage.address

    @classmethod
    def create(cls, path: Address) -> Store:
        """The store at ``path``, created if it does not exist.

        Raises StoreError: ``not-a-store`` for a folder that holds something else, ``store-too-new``,
        ``store-unwritable``, and what accessing the storage raises.
        """
        store = cls(path)
        if not all(map(_is_ours, store.storage.names(""))):
            store.manifest()
        store.storage.make(_FOLDERS)
        return store

    @classmethod
    def open(cls, path: Address) -> Store:
        """The store at ``path`` for reading. Raises StoreError as ``manifest`` does."""
        store = cls(path)
        store.manifest()
        return store

    def manifest(self) -> Manifest:
        """The store's manifest.

        Raises StoreError: ``store-missing``, ``store-unreadable``, ``not-a-store``, ``store-too-new``.
        """
        try:
            with self.storage.open("store.json") as source:
                data = msgspec.json.decode(source.read())
        except (FileNotFoundError, NotADirectoryError) as error:
            if not self.storage.exists():
                raise StoreError(
                    "store-missing",
                    f"no such store: {self.path}",
                    hint="'tla2py sweep SWEEP.toml' creates one",
                ) from error
            data = None
        except OSError as error:
            raise StoreError(
                "store-unreadable",
                f"cannot read store.json of {self.path}: {error.strerror}",
                hint="check that you may read all files of the store",
            ) from error
        except ValueError:  # not JSON, or not a text
            data = None
        if not isinstance(data, dict) or data.get("format") != "tla2py-store":
            raise StoreError(
                "not-a-store",
                f"{self.path} is not a tla2py store",
                hint="a store is a folder with a store.json",
            )
        version = data.get("version")
        if isinstance(version, int) and version > STORE_VERSION:
            writer = data.get("tla2py_version")
            raise StoreError(
                "store-too-new",
                f"{self.path} was written by tla2py {writer}, store version {version}; "
                f"this one reads up to {STORE_VERSION}",
                hint="update tla2py, or sweep into another store with -o",
            )
        try:
            return msgspec.convert(data, Manifest)
        except msgspec.ValidationError as error:
            raise StoreError(
                "not-a-store",
                f"store.json of {self.path} is damaged: {error}",
                hint="run the sweep again with --fresh",
            ) from error

    def write_manifest(self, manifest: Manifest, sources: Mapping[str, str]) -> None:
        """Write the manifest and the missing module texts. Raises StoreError (``store-unwritable``)."""
        stored = self.storage.names("sources")
        self.storage.write(
            {
                f"sources/{sha256}.tla": lambda sink, text=text: sink.write(text.encode())  # type: ignore[misc]
                for sha256, text in sources.items()
                if f"{sha256}.tla" not in stored
            }
        )
        data = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        self.storage.write({"store.json": lambda sink: sink.write(data)})

    def write_findings(self, findings: Findings) -> None:
        """Write the findings on the sweep. Raises StoreError (``store-unwritable``)."""
        data = msgspec.json.format(msgspec.json.encode(findings), indent=1)
        self.storage.write({_FINDINGS: lambda sink: sink.write(data)})

    def findings(self) -> Findings:
        """The findings on the sweep; none if it has not ended. Raises StoreError (``not-a-store``) if they are damaged."""
        try:
            with self.storage.open(_FINDINGS) as source:
                return msgspec.json.decode(source.read(), type=Findings)
        except (FileNotFoundError, NotADirectoryError):
            return NO_FINDINGS
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreError(
                "not-a-store",
                f"{_FINDINGS} of {self.path} is damaged: {error}",
                hint="run the sweep again; it rewrites the file",
            ) from error

    def sources(self) -> dict[str, str]:
        """The module texts of the store's runs by sha256."""
        names = sorted(name for name in self.storage.stamps("sources") if name.endswith(".tla"))
        self.storage.prefetch(f"sources/{name}" for name in names)
        return {name.removesuffix(".tla"): self.source(name.removesuffix(".tla")) for name in names}

    def source(self, sha256: str) -> str:
        """A module text by its sha256. Raises OSError if it is missing."""
        with self.storage.open(f"sources/{sha256}.tla") as source:
            return source.read().decode("utf-8")

    def records(self) -> dict[str, Stamp]:
        """The stamps of the records by run id."""
        stamps = self.storage.stamps("records")
        return {name.removesuffix(".zip"): stamp for name, stamp in stamps.items() if name.endswith(".zip")}

    def record_ids(self) -> Mapping[str, str]:
        """The identities of the records by run id."""
        return {run_id: f"{stamp.size}-{stamp.mtime_ns:x}" for run_id, stamp in self.records().items()}

    def pack(self, generation: int, run_ids: Iterable[str] | None = None) -> Mapping[str, str]:  # noqa: ARG002
        """The identities, by run id, of the loose records of these runs, or of all, which are packed. Raises StoreError."""
        ids = self.record_ids()
        return ids if run_ids is None else {run_id: ids[run_id] for run_id in run_ids if run_id in ids}

    def next_generation(self) -> int:
        """The number that a sweep starting now gives its packs: one more than the highest so far."""
        return 1

    def contents(self) -> str:
        """A digest of the points and the records, from the names of points table and packs and the loose records."""
        manifest, ids = self.manifest(), self.record_ids()
        parts = [repr((manifest.version, manifest.parameters))]
        parts += [f"{point} {ids[point.run_id]}" for point in manifest.points if point.run_id in ids]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def points_table(self) -> pa.Table:
        """The points in order: ``point``, ``run_id`` and, under its column's name, the text of each parameter."""
        import pyarrow as pa

        manifest = self.manifest()
        points = manifest.points
        texts = {p.column: [point.parameters[p.name] for point in points] for p in manifest.parameters}
        numbers = pa.array([point.point for point in points], pa.int64())
        run_ids = pa.array([point.run_id for point in points], pa.string())
        columns = {name: pa.array(each, pa.string()).dictionary_encode() for name, each in texts.items()}
        return pa.table({"point": numbers, "run_id": run_ids, **columns})

    def write_record(self, executed: Executed) -> None:
        """Write a run's record, whole or not at all.

        Raises StoreError: ``store-unwritable``, ``store-unreachable`` after two retries.
        """
        record = executed.record
        files = {f"outputs/{record.run_id}/{path}": executed.folders[0] / path for path, _ in record.outputs}
        writes: dict[str, Write] = {name: partial(_copy, file) for name, file in files.items()}
        # Last, so that no record lacks its files.
        writes[_record_name(record.run_id)] = lambda sink: write_archive(sink, record, executed.folders)
        for pause in (*_PAUSES, None):
            try:
                if files:
                    self.storage.make({name.rpartition("/")[0] for name in files})
                self.storage.write(writes)
            except StoreError as error:
                if pause is None or error.code != "store-unreachable":
                    raise
                time.sleep(pause)
            else:
                return

    @contextlib.contextmanager
    def archive(self, run_id: str) -> Iterator[Archive]:
        """The record of a run. Raises StoreError (``record-damaged``)."""
        name = _record_name(run_id)
        with open_archive(lambda: self.storage.open(name), below(self.path, name)) as archive:
            yield archive

    def prefetch(self, run_ids: Iterable[str]) -> None:
        """Prepare to read these records next, in this order."""
        self.storage.prefetch(map(_record_name, run_ids))

    def table(self, name: str) -> Path:
        """The path of a table's file, or of a local copy. A missing remote table raises FileNotFoundError."""
        return self.storage.local(f"tables/{name}.parquet")

    def intact(self, name: str) -> bool:
        """Whether a table's file has the content that was written."""
        with contextlib.suppress(FileNotFoundError):
            return is_intact(self.storage, name, self.table(name))
        return False

    def lock(self) -> AbstractContextManager[None]:
        """Hold the store for writing. Raises StoreError (``store-busy``)."""
        return self.storage.lock()


def _copy(file: Path, sink: IO[bytes]) -> None:
    with file.open("rb") as source:
        shutil.copyfileobj(source, sink, 1 << 20)


def _record_name(run_id: str) -> str:
    return f"records/{run_id}.zip"


def _is_ours(name: str) -> bool:
    """Whether a store without a manifest may contain this name, because its creation was interrupted."""
    return name in (".lock", "claims", "inputs", "outputs", *_FOLDERS) or name.startswith(".tmp-")
