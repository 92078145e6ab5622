"""How far the runs of a store are, read from its records also while a sweep writes them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tla2py.model.outcome import Verdict
from tla2py.store.fragments import read_list, read_rows
from tla2py.store.record import Archive
from tla2py.store.refresh import intact_files
from tla2py.store.store import Store
from tla2py.tlc.output.result import interpret_record


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPoints:
    """The number of points of a store, of those that have a recorded run, and of these by verdict."""

    points: int
    done: int
    verdicts: Mapping[Verdict, int]


def count_recorded_points(store: Store, verdicts: dict[str, Verdict]) -> RecordedPoints:
    """Count the points of a store that have a recorded run, by verdict; the store need not be locked.

    Args:
        verdicts: Verdicts by run id that are known already; those that are read are added.

    Raises:
        StoreError: As ``Store.points_table`` does.
    """
    run_ids = store.points_table()["run_id"].to_pylist()
    recorded = store.recorded()
    unread = recorded.intersection(run_ids).difference(verdicts)
    if unread:
        verdicts.update(_verdicts_in_tables(store, unread))
    for run_id in unread.difference(verdicts):
        verdict = store.read_record(run_id, _verdict)
        if verdict is not None:
            verdicts[run_id] = verdict
    counts = Counter(verdicts[run_id] for run_id in run_ids if run_id in verdicts)
    return RecordedPoints(points=len(run_ids), done=counts.total(), verdicts=counts)


def _verdicts_in_tables(store: Store, run_ids: set[str]) -> dict[str, Verdict]:
    """Return the verdicts of runs that the tables have; none where a table is damaged, or is being replaced."""
    verdicts: dict[str, Verdict] = {}
    with contextlib.suppress(OSError, ValueError):
        tables = read_list(store.storage)
        files = intact_files(store, "runs") if tables is not None else None
        newer = set(tables.newer) if tables is not None else set()
        for run_id, verdict in read_rows(files or (), ("run_id", "verdict")):
            if run_id in run_ids and run_id not in newer:
                verdicts[run_id] = Verdict(verdict)
    return verdicts


def _verdict(archive: Archive) -> Verdict:
    return interpret_record(archive.record, archive.stdout).verdict
