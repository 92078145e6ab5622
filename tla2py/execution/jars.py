"""Recorded runs that do not apply because the jar has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tla2py.model.run import Run
from tla2py.store.store import Store
from tla2py.tables.files import intact_files
from tla2py.tables.runs import run_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierJar:
    """A jar that made runs of a store: its TLC, its sha256, and the number of missing runs that it has an answer to."""

    tlc: str
    sha256: str
    runs: int


def earlier_jars(store: Store, missing: Sequence[Run]) -> Iterator[EarlierJar]:
    """The earlier jars of a store with runs that differ from missing ones in nothing else."""
    files = intact_files(store, "runs") if missing else None
    if not files:
        return
    recorded = store.recorded()
    made = {row.jar_sha256: row.tlc for row in run_rows(files) if row.jar_sha256}
    for sha256, tlc in made.items():
        count = sum(
            run.jar_sha256 != sha256 and replace(run, jar_sha256=sha256).run_id in recorded for run in missing
        )
        if count:
            yield EarlierJar(tlc=tlc or "", sha256=sha256, runs=count)
