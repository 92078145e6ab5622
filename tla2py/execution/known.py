"""The runs of a plan whose results a store already has."""

from __future__ import annotations

import contextlib

from tla2py.errors import StoreError
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import RETRIED, Run
from tla2py.store.storage import is_remote
from tla2py.store.store import Store
from tla2py.sweep.plan import Plan
from tla2py.tables.runs import LimitsRow, limits_rows
from tla2py.tables.write import tables_current
from tla2py.tlc.output.result import interpret_record


def known_runs(store: Store, plan: Plan) -> dict[str, Verdict]:
    """The verdicts, by run id, of the planned runs that need not be executed again.

    A run with trust is executed each time: its id does not cover what it reads. The verdicts come from the table of
    runs, which is one file. Records missing from it, those of a killed sweep, are read one by one; a damaged record
    counts as missing.
    """
    present = store.recorded()
    planned = {run.run_id: run for run in plan.runs if run.run_id in present and not run.limits.trust}
    table: dict[str, LimitsRow] = {}
    with contextlib.suppress(OSError, ValueError):
        if store.intact("runs"):
            table = {row.run_id: row for row in limits_rows(store.table("runs"))}
    # A full disk or a crash may have truncated a record after the table was written.
    trusted = not table or is_remote(store.path) or _tables_current(store)
    store.prefetch([run_id for run_id in planned if run_id not in table])
    known = {}
    for run_id, run in planned.items():
        row = table.get(run_id)
        if row is None or not trusted:
            recorded = _recorded(store, run_id, row)
            if recorded is None:
                continue
            row = recorded
        if reusable(row, run) and (not run.inputs.outputs or _has_outputs(store, run_id)):
            known[run_id] = row.verdict
    return known


def reusable(row: LimitsRow, run: Run) -> bool:
    """Whether a run would end the same now: not after a kill, nor if its limits have risen."""
    if run.refused is not None:
        return True
    if row.outcome in RETRIED:
        return False
    if row.outcome is Outcome.TIMEOUT:
        return run.limits.timeout_seconds <= row.timeout_seconds
    if row.outcome is Outcome.OUT_OF_MEMORY:
        return run.limits.memory_bytes <= row.memory_bytes
    if row.outcome is Outcome.OUT_OF_DISK:
        # Without a limit of its own a run gets a share of the free space, which changes.
        limit = run.limits.disk_bytes
        return limit is not None and row.disk_bytes is not None and limit <= row.disk_bytes
    return True


def _has_outputs(store: Store, run_id: str) -> bool:
    """Whether the store still has the files that a run wrote."""
    try:
        with store.archive(run_id) as archive:
            names = {path.partition("/")[0] for path, _ in archive.record.outputs}
    except StoreError as error:
        if error.code != "record-damaged":
            raise
        return False
    return names <= store.storage.names(f"outputs/{run_id}")


def _recorded(store: Store, run_id: str, row: LimitsRow | None) -> LimitsRow | None:
    """The row of a record, which is ``row`` if it was read before; None for a damaged record."""
    try:
        with store.archive(run_id) as archive:
            if row is not None:
                return row
            result = interpret_record(archive.record, archive.stdout)
            limits = archive.record.limits
    except StoreError as error:
        if row is None and error.code != "record-damaged":
            raise
        return None
    return LimitsRow(
        run_id=run_id,
        outcome=result.outcome,
        verdict=result.verdict,
        timeout_seconds=limits.timeout_seconds,
        memory_bytes=limits.memory_bytes,
        disk_bytes=limits.disk_bytes,
    )


def _tables_current(store: Store) -> bool:
    try:
        return tables_current(store)
    except StoreError:
        return False
