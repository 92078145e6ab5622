"""The mutants that no check notices, for the lock."""

from __future__ import annotations

from collections.abc import Iterator

from tla2py.errors import StoreError
from tla2py.gate.decision import OtherInputs
from tla2py.gate.drift import Drift, DriftKind
from tla2py.gate.lock import Lock
from tla2py.gate.stale import gate_command
from tla2py.model.mutation import MutationSection
from tla2py.mutation.execution.mutate import mutants_address
from tla2py.mutation.figures import score
from tla2py.mutation.mutant import one_line
from tla2py.mutation.row import MutantReport
from tla2py.store.store import Store
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, cut

_LONGEST = 160


def stored_report(sweep: Sweep, plan: Plan, store: Store) -> tuple[MutantReport | None, OtherInputs | None]:
    """The mutants that ran for a store, and what is missing if their original is another one."""
    if sweep.file.mutation is None:
        return None, None
    try:
        own = Store.open(mutants_address(store.path))
        report = own.mutants()
        ran = own.points().run_ids() if report is not None else set()
    except StoreError:
        report, ran = None, set()
    if report is not None and all(plan.runs.ids[point - 1] in ran for point in report.points):
        return report, None
    missing = OtherInputs(
        store=str(store.path),
        sweep_file=str(sweep.path),
        changes=["mutants of the specification have not run"],
        command=gate_command(sweep, store),
    )
    return None, missing


def survivors(report: MutantReport, section: MutationSection | None) -> dict[str, str]:
    """The changes that no check notices, by the id of their mutant, without accepted ones."""
    accepted = section.accept if section is not None else {}
    return {
        each.mutant: cut(
            f"{each.definition}, {each.operator}: {one_line(each.before)} -> {one_line(each.after) or '(nothing)'}",
            _LONGEST,
        )
        for each in report.with_status("survived")
        if each.mutant not in accepted
    }


def survivor_drift(lock: Lock | None, report: MutantReport | None, sweep: Sweep) -> Iterator[Drift]:
    """The changes that are survivors now, and those that are no more: a check notices them, or the text is another."""
    if lock is None or lock.survivors is None:
        return
    if report is None:
        yield Drift(kind=DriftKind.NO_MUTANTS)
        return
    section = sweep.file.mutation
    accepted = section.accept if section is not None else {}
    before = {name: text for name, text in lock.survivors.items() if name not in accepted}
    now = survivors(report, section)
    for name in sorted(before.keys() - now.keys()):
        yield Drift(kind=DriftKind.SURVIVOR, before=f"{before[name]} [{name}]")
    for name in sorted(now.keys() - before.keys()):
        yield Drift(kind=DriftKind.SURVIVOR, now=f"{now[name]} [{name}]")


def survivor_notices(lock: Lock | None, report: MutantReport | None, sweep: Sweep) -> Iterator[str]:
    """What the notes of a gate say about mutants."""
    section = sweep.file.mutation
    if report is None or section is None:
        return
    share, alive = score(report), {each.mutant for each in report.with_status("survived")}
    yield f"{share.killed} of {counted(share.of, 'mutant')} killed, {len(alive)} survive"
    for name, reason in section.accept.items():
        yield (
            f"accepted survivor {name}: {reason}"
            if name in alive
            else f"{name} is accepted, but does not survive"
        )
    unknown = len(report.with_status("unknown"))
    if unknown:
        yield f"{counted(unknown, 'mutant')} took more than {section.budget} times the original's states or time"
    if lock is not None and lock.survivors is None:
        yield "the lock does not cover mutants; --update adds the survivors"
