"""Where a specification is blind to changes of logs, for the lock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tla2py.errors import StoreError
from tla2py.execution.log_mutants import (
    LogMutantRow,
    LogMutants,
    MutateOptions,
    general_field,
    mutant_rows,
    mutants_address,
    mutated_sweep,
    shares,
)
from tla2py.gate.decision import OtherInputs
from tla2py.gate.drift import Drift, DriftKind
from tla2py.gate.lock import Lock
from tla2py.gate.stale import gate_command, plan_stored
from tla2py.store.store import Store
from tla2py.sweep.sweep import Sweep
from tla2py.tables.files import table_files
from tla2py.tables.runs import RunRow, run_rows


def mutate_options(sweep: Sweep) -> MutateOptions | None:
    """How a gate changes the logs of a sweep; None if it does not."""
    return MutateOptions.of(sweep) if sweep.file.logs.mutate else None


def stored_mutants(
    sweep: Sweep, store: Store, runs: Sequence[RunRow], options: MutateOptions
) -> tuple[LogMutants, OtherInputs | None]:
    """The changed logs that a store has, and how their inputs differ from those of the sweep file."""
    mutated, left_out, constant = mutated_sweep(sweep, runs, options)
    if mutated is None:
        return LogMutants(left_out=left_out, constant=constant), None
    try:
        own = Store.open(mutants_address(store.path))
    except StoreError:
        missing = OtherInputs(
            store=str(store.path),
            sweep_file=str(sweep.path),
            changes=["no logs were changed"],
            command=gate_command(sweep, store),
        )
        return LogMutants(), missing
    _, other_inputs = plan_stored(mutated, own, [*run_rows(table_files(own, "runs"))])
    return LogMutants(rows=mutant_rows(own), left_out=left_out, constant=constant), other_inputs


def blind_notices(lock: Lock | None, mutants: LogMutants | None) -> Iterator[str]:
    """What the notes of a gate tell of changed logs."""
    if mutants is None:
        return
    yield mutants.text
    if lock is not None and lock.mutants is None:
        yield "the lock does not cover changed logs; --update adds what is accepted of them"


def blindness(rows: Sequence[LogMutantRow]) -> dict[str, str]:
    """How many changed logs were accepted, by what was changed: a line of an action, or a field.

    Without what has a changed log that TLC gave no answer on: the next time it may have one.
    """
    open_ = {_kind(row) for row in rows if row.status not in ("accepted", "rejected")}
    return {kind: str(share) for kind, share in shares(rows, _kind).items() if kind not in open_}


def blind_drift(lock: Lock | None, mutants: LogMutants | None) -> Iterator[Drift]:
    """What is accepted more or less often than when the lock was written."""
    if lock is None or lock.mutants is None:
        return
    if mutants is None:
        yield Drift(kind=DriftKind.BLIND)
        return
    before, now = lock.mutants, blindness(mutants.rows)
    for kind in sorted(before.keys() | now.keys()):
        if before.get(kind) != now.get(kind):
            yield Drift(kind=DriftKind.BLIND, name=kind, before=before.get(kind), now=now.get(kind))


def _kind(row: LogMutantRow) -> str:
    return f"{row.change} {general_field(row) or row.action or 'line'}"
