"""The runs of a plan that a store already has."""

from __future__ import annotations

from tla2py.errors import StoreError
from tla2py.execution.executor import completed, settled
from tla2py.model.outcome import Verdict
from tla2py.store.storage import is_remote
from tla2py.store.store import Store
from tla2py.sweep.plan import Plan
from tla2py.tables.runs import LimitsRow, limits_rows
from tla2py.tables.write import tables_current
from tla2py.tlc.output.result import interpret_record


def known_runs(store: Store, plan: Plan) -> dict[str, Verdict]:
    """The verdicts, by run id, of the planned runs that need not be executed again.

    They come from the table of runs, which is one file. Records that the table lacks, those of a sweep that was killed,
    are read one by one; a damaged one counts as missing.
    """
    present = store.records().keys()
    table = {row.run_id: row for row in _runs_table(store)}
    # A record may have been cut off since the table was written, by a disk that had no room or a machine that went down.
    trusted = not table or is_remote(store.path) or _tables_stand(store)
    known = {}
    store.prefetch(
        dict.fromkeys(run.run_id for run in plan.runs if run.run_id in present and run.run_id not in table)
    )
    for run in plan.runs:
        if run.run_id not in present or run.run_id in known:
            continue
        row = table.get(run.run_id)
        if row is not None and not trusted and not _whole(store, run.run_id):
            continue
        if row is not None:
            outcome, verdict = row.outcome, row.verdict
            timeout, memory, disk = row.timeout_seconds, row.memory_bytes, row.disk_bytes
        else:
            try:
                with store.archive(run.run_id) as archive:
                    result = interpret_record(archive.record, archive.stdout)
                    limits = archive.record.limits
            except StoreError as error:
                if error.code != "record-damaged":
                    raise
                continue
            news = completed(run.run_id, result)
            outcome, verdict = news.outcome, news.verdict
            timeout, memory, disk = limits.timeout_seconds, limits.memory_bytes, limits.disk_bytes
        if settled(outcome, timeout, memory, disk, run):
            known[run.run_id] = verdict
    return known


def _tables_stand(store: Store) -> bool:
    try:
        return tables_current(store)
    except StoreError:
        return False


def _whole(store: Store, run_id: str) -> bool:
    try:
        with store.archive(run_id):
            return True
    except StoreError:
        return False


def _runs_table(store: Store) -> list[LimitsRow]:
    try:
        with store.storage.open("tables/runs.parquet") as source:
            return list(limits_rows(source))
    except (OSError, ValueError):
        return []
