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
from tla2py.tables.schema import TABLES, runs_columns

if TYPE_CHECKING:
    import pyarrow as pa


class ForeignStore(Store):
    """A store of one point made from ``file``.

    Raises InputError as ``read_file`` does.
    """

    def __init__(self, path: Path) -> None:
        # Imported on use, with Arrow: most commands read no such file.
        from tla2py.tables.sink import TableWriter

        super().__init__(path)
        self.file = read_file(path)
        # The tables outlive this object: Spark frames read them lazily.
        self.tables = Path(tempfile.mkdtemp(prefix="tla2py-foreign-"))
        atexit.register(shutil.rmtree, self.tables, ignore_errors=True)
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
        with TableWriter(self.tables, "foreign", {"runs": runs_columns(()), **TABLES}) as tables:
            tables.add("runs", [rows.found_row(run_id, result)])
            tables.add_traces(run_id, result.traces)
            tables.add("coverage", rows.coverage_rows(run_id, result))
            tables.add("diagnostics", rows.diagnostic_rows(run_id, result))

    def manifest(self) -> Manifest:
        """A manifest without parameters."""
        return self._manifest

    def points_table(self) -> pa.Table:
        """One point without parameters."""
        return self._points


def _run_id(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]
