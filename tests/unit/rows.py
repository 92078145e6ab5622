"""Rows of ``runs`` and ``mutants`` as a store has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import msgspec

from tla2py.model.mutant import Killer, MutantRow, Status
from tla2py.model.outcome import Outcome, Verdict, Violation
from tla2py.model.row import RunRow
from tla2py.model.trace import ViolationKind

OUTCOMES = {
    Verdict.HOLDS: Outcome.SUCCESS,
    Verdict.VIOLATED: Outcome.VIOLATION_SAFETY,
    Verdict.INCONCLUSIVE: Outcome.TIMEOUT,
    Verdict.BROKEN: Outcome.FAILURE_SPEC_EVAL,
    Verdict.EXCLUDED: Outcome.VIOLATION_ASSUMPTION,
}


def run_row(verdict: str = "holds", *names: str, **changed: Any) -> RunRow:
    """A row with this verdict that violates these names, each perhaps with its kind and a colon before it."""
    parts = [name.rpartition(":") for name in names]
    row = RunRow(
        point=1,
        run_id="0" * 32,
        verdict=Verdict(verdict),
        outcome=OUTCOMES[Verdict(verdict)],
        violated=tuple(
            Violation(kind=cast("ViolationKind", kind or "invariant"), name=name) for kind, _, name in parts
        ),
        trace_length=4 if names else None,
        generated=20,
        distinct=10,
        wall_seconds=1.25,
        tlc_version="Version 2.15",
    )
    return replace(row, **changed)


def mutant_row(name: str = "a", status: Status = "killed", *killers: str, **changed: Any) -> MutantRow:
    """A mutant of the definition A that these invariants kill."""
    row = MutantRow(
        mutant=name,
        operator="drop-guard",
        definition="A",
        module="M",
        line=1,
        column=2,
        before="x",
        after="y",
        status=status,
        killed_by=tuple(Killer("invariant", killer) for killer in killers),
    )
    return msgspec.structs.replace(row, **changed)
