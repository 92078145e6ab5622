"""The runs of a plan whose results a store already has."""

from __future__ import annotations

import contextlib

from tla2py.errors import StoreError
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import RETRIED
from tla2py.store.storage import is_remote
from tla2py.store.store import Store
from tla2py.sweep.plan import Plan
from tla2py.tables.files import intact_files
from tla2py.tables.runs import LimitsRow, limits_rows
from tla2py.tables.write import records_doubted, tables_current
from tla2py.tlc.output.result import interpret_record


def known_runs(store: Store, plan: Plan) -> dict[str, Verdict]:
    """The verdicts, by run id, of the planned runs that need not be executed again.

    A run with trust is executed each time: its id does not cover what it reads. The verdicts come from the table of
    runs. Records missing from it, those of a killed sweep, are read one by one; a damaged record counts as missing.
    """
    # Nothing is looked up, nor Arrow imported, before the first sweep.
    if plan.limits.trust or not store.storage.names("records"):
        return {}
    present = store.recorded()
    planned = {run_id: place for place, run_id in enumerate(plan.runs.ids) if run_id in present}
    known: dict[str, Verdict] = {}
    # A full disk or a crash may have truncated a record after the table was written.
    trusted = is_remote(store.path) or _tables_current(store)
    rows = planned and not records_doubted(store)
    with contextlib.suppress(OSError, ValueError):
        for row in limits_rows(intact_files(store, "runs") or []) if rows else ():
            place = planned.pop(row.run_id, None)
            if place is None or not (trusted or _recorded(store, row.run_id, row)):
                continue
            if _reusable(row, plan, place) and _has_outputs(store, row.run_id, plan):
                known[row.run_id] = row.verdict
    store.prefetch(planned)
    for run_id, place in planned.items():
        recorded = _recorded(store, run_id, None)
        if recorded and _reusable(recorded, plan, place) and _has_outputs(store, run_id, plan):
            known[run_id] = recorded.verdict
    return known


def _reusable(row: LimitsRow, plan: Plan, place: int) -> bool:
    """Whether a run would end the same now: not after a kill, nor if its limits have risen."""
    limits = plan.limits
    if row.outcome in RETRIED:
        # TLC is not started for a config that it cannot read.
        return plan.runs[place].refused is not None
    if row.outcome is Outcome.TIMEOUT:
        return limits.timeout_seconds <= row.timeout_seconds
    if row.outcome is Outcome.OUT_OF_MEMORY:
        return limits.memory_bytes <= row.memory_bytes
    if row.outcome is Outcome.OUT_OF_DISK:
        # Without a limit of its own a run gets a share of the free space, which changes.
        limit = limits.disk_bytes
        return limit is not None and row.disk_bytes is not None and limit <= row.disk_bytes
    return True


def _has_outputs(store: Store, run_id: str, plan: Plan) -> bool:
    """Whether the store still has the files that a run wrote, if the plan keeps any."""
    if not plan.outputs:
        return True
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
