"""The runs of a plan whose results a store already has."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tla2py.errors import StoreError
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import RETRIED
from tla2py.store.fragments import read_rows, read_table
from tla2py.store.storage import is_remote
from tla2py.store.store import Store
from tla2py.store.write import intact_files, records_doubted, tables_current
from tla2py.sweep.plan import Plan
from tla2py.tlc.output.result import interpret_record


class _Ended(NamedTuple):
    """How a run ended, and the limits it ran under."""

    outcome: Outcome
    verdict: Verdict
    timeout_seconds: float
    memory_bytes: int
    disk_bytes: int | None


class KnownRuns:
    """The planned runs whose results a store has: contains their places in the plan.

    ``count`` is their number, and ``violated`` the number of those that violate something; points with the same run count
    once.
    """

    def __init__(self, places: int) -> None:
        self._places = bytearray(places)
        self.count = self.violated = 0

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and bool(self._places[place])

    def add(self, place: int, verdict: Verdict) -> None:
        """Count the run at the first place that has it."""
        self._places[place] = True
        self.count += 1
        self.violated += verdict is Verdict.VIOLATED

    def repeat(self, firsts: Iterable[int]) -> None:
        """Include the other places of the runs; ``firsts`` is the first place of each place's run."""
        self._places = bytearray(map(self._places.__getitem__, firsts))


def known_runs(store: Store, plan: Plan) -> KnownRuns:
    """The planned runs that need not be executed again.

    A run with trust is executed each time: its id does not cover what it reads. The verdicts come from the table of
    runs. Records missing from it, those of a killed sweep, are read one by one; a damaged record counts as missing.
    """
    known = KnownRuns(len(plan.runs))
    # Nothing is looked up, nor Arrow imported, before the first sweep.
    if plan.limits.trust or not store.storage.names("records"):
        return known
    lookup = _Lookup(store, plan)
    # A full disk or a crash may have truncated a record after the table was written.
    trusted = is_remote(store.path) or _tables_current(store)
    with contextlib.suppress(OSError, ValueError):
        for place, ended in () if records_doubted(store) else lookup.rows():
            run_id = plan.runs.ids[place]
            if trusted or _is_whole(store, run_id):
                lookup.open[place] = False
                if _reusable(ended, plan, place) and _has_outputs(store, run_id, plan):
                    known.add(place, ended.verdict)
    left = [place for place, is_open in enumerate(lookup.open) if is_open]
    store.prefetch(plan.runs.ids[place] for place in left)
    for place in left:
        run_id = plan.runs.ids[place]
        recorded = _recorded(store, run_id)
        if recorded and _reusable(recorded, plan, place) and _has_outputs(store, run_id, plan):
            known.add(place, recorded.verdict)
    known.repeat(lookup.firsts)
    lookup.close()
    return known


class _Lookup:
    """The first places of the planned runs that have a record; ``open`` marks those not looked at yet."""

    def __init__(self, store: Store, plan: Plan) -> None:
        from tla2py.store.pack import places_among, text_column

        self._store = store
        self._run_ids = text_column(plan.runs.ids)
        self.firsts = array("I", (place or 0 for place in places_among(self._run_ids, self._run_ids)))
        index = store.record_ids()
        packed = places_among(self._run_ids, index.columns["run_id"])
        self.open = bytearray(
            first == place and (row is not None or plan.runs.ids[place] in index.loose)
            for place, (first, row) in enumerate(zip(self.firsts, packed, strict=True))
        )

    def close(self) -> None:
        """Free the memory."""
        from tla2py.store.pack import release_memory

        del self._run_ids
        release_memory()

    def rows(self) -> Iterator[tuple[int, _Ended]]:
        """The rows of these runs in the table of runs, once each. Raises OSError and ValueError if it is damaged."""
        from tla2py.store.pack import places_among

        files = intact_files(self._store, "runs")
        if not files or not any(self.open):
            return
        places = places_among(read_table(files, ["run_id"])["run_id"], self._run_ids)
        # Another version may know more outcomes.
        known = set(Outcome)
        for place, (outcome, verdict, *limits) in zip(places, read_rows(files, _Ended._fields), strict=True):
            if place is not None and self.open[place] and outcome in known:
                yield place, _Ended(Outcome(outcome), Verdict(verdict), *limits)


def _reusable(ended: _Ended, plan: Plan, place: int) -> bool:
    """Whether a run would end the same now: not after a kill, nor if its limits have risen."""
    limits = plan.limits
    if ended.outcome in RETRIED:
        # TLC is not started for a config that it cannot read.
        return plan.runs[place].refused is not None
    if ended.outcome is Outcome.TIMEOUT:
        return limits.timeout_seconds <= ended.timeout_seconds
    if ended.outcome is Outcome.OUT_OF_MEMORY:
        return limits.memory_bytes <= ended.memory_bytes
    if ended.outcome is Outcome.OUT_OF_DISK:
        # Without a limit of its own a run gets a share of the free space, which changes.
        limit = limits.disk_bytes
        return limit is not None and ended.disk_bytes is not None and limit <= ended.disk_bytes
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


def _is_whole(store: Store, run_id: str) -> bool:
    try:
        with store.archive(run_id):
            return True
    except StoreError:
        return False


def _recorded(store: Store, run_id: str) -> _Ended | None:
    """How a run ended, by its record; None for a damaged one."""
    try:
        with store.archive(run_id) as archive:
            result, limits = interpret_record(archive.record, archive.stdout), archive.record.limits
    except StoreError as error:
        if error.code != "record-damaged":
            raise
        return None
    return _Ended(
        result.outcome, result.verdict, limits.timeout_seconds, limits.memory_bytes, limits.disk_bytes
    )


def _tables_current(store: Store) -> bool:
    try:
        return tables_current(store)
    except StoreError:
        return False
