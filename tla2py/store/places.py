"""The user's files behind the runs of a store, from its manifest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tla2py.errors import InputError
from tla2py.model.run import RunRecord, RunResult
from tla2py.store.points import Manifest
from tla2py.store.store import Store
from tla2py.sweep.file import PointPlaces, SweepText, read_sweep_text
from tla2py.sweep.sections import SweepFile
from tla2py.tlc.places import Origins, located


class StoredOrigins:
    """Maps places in the results of a store's runs to the user's files."""

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self._store, self._manifest = store, manifest
        self._texts: dict[str, str] = {}
        path = Path(manifest.sweep_file or manifest.name)
        self._source = SweepText(path, manifest.sweep)
        try:
            self._file, self._source = read_sweep_text(manifest.sweep, path)
        except InputError:
            self._file = SweepFile(module="")  # the store was not made from a sweep file
        # The user's configs may have changed since, and other machines do not have them.
        self._configs = {name: self._source_of(sha256) for name, sha256 in manifest.configs.items()}

    def located(self, parameters: Mapping[str, str], record: RunRecord, result: RunResult) -> RunResult:
        """The result of a point with these parameters, with places in the user's files; unchanged if a text is missing."""
        written = PointPlaces(
            source=self._source, file=self._file, configs=self._configs, parameters=parameters
        )
        try:
            return located(
                record, result, Origins(paths=self._manifest.files, text=self._text, written=written)
            )
        except OSError:
            return result

    def _source_of(self, sha256: str) -> str:
        try:
            return self._text(sha256)
        except OSError:
            return ""

    def _text(self, sha256: str) -> str:
        if sha256 not in self._texts:
            self._texts[sha256] = self._store.source(sha256)
        return self._texts[sha256]
