"""A trace file as a store, with tables in a temporary folder."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tla2py import __version__
from tla2py.interop.read import read_file
from tla2py.store.manifest import Manifest
from tla2py.store.points import ManifestPoint, points_table
from tla2py.store.store import Store
from tla2py.tables import rows
from tla2py.tables.write import write_tables

if TYPE_CHECKING:
    import pyarrow as pa


class ForeignStore(Store):
    """A store of one point made from ``file``.

    Raises InputError as ``read_file`` does.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.file = read_file(path)
        # The tables outlive this object: Spark frames read them lazily.
        self._tables = Path(tempfile.mkdtemp(prefix="tla2py-foreign-"))
        atexit.register(shutil.rmtree, self._tables, ignore_errors=True)
        run_id = _run_id(path)
        self._manifest = Manifest(
            tla2py_version=__version__,
            name=path.stem,
            modules=[],
            sweep="",
            parameters=[],
        )
        self._points = points_table([], [ManifestPoint(point=1, run_id=run_id, parameters={})])
        result = self.file.result
        with write_tables(self._tables, ()) as tables:
            tables.add_run(rows.found_row(run_id, result))
            tables.add_found(run_id, result.traces, rows.coverage_rows(run_id, result))
            tables.add_diagnostics(rows.diagnostic_rows(run_id, result))

    def manifest(self) -> Manifest:
        """A manifest without parameters."""
        return self._manifest

    def points_table(self) -> pa.Table:
        """One point without parameters."""
        return self._points

    def table(self, name: str) -> Path:
        """The path of a table's file."""
        return self._tables / f"{name}.parquet"

    def intact(self, name: str) -> bool:  # noqa: ARG002
        """True: no other process knows the tables."""
        return True


def _run_id(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]
