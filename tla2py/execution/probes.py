"""The execution of probes, and what a store's probes found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tla2py.errors import StoreError
from tla2py.execution.executor import Executor
from tla2py.execution.job import Job, execute_job
from tla2py.execution.known import known_runs
from tla2py.execution.listener import Listener
from tla2py.lint.finding import Finding
from tla2py.store.store import Store
from tla2py.sweep.plan import Plan, Runs
from tla2py.sweep.sweep import Sweep
from tla2py.tables.runs import RunRow
from tla2py.tlc.output.result import interpret_record
from tla2py.toolchain.toolchain import Toolchain
from tla2py.vacuity.antecedents import reported
from tla2py.vacuity.probe import Probe, ProbeAnswer, plan_probes, vacuous


def execute_probes(
    sweep: Sweep,
    plan: Plan,
    store: Store,
    rows: Sequence[RunRow],
    toolchain: Toolchain,
    start: Callable[[], Executor],
    listener: Listener,
) -> int:
    """The number of probes executed, those that the store lacks. The store must be locked."""
    probes = plan_probes(sweep, plan, rows)
    store.write_probes(probe.run.run_id for probe in probes.probes)
    probe_plan = replace(
        plan,
        points=tuple(probe.point for probe in probes.probes),
        runs=Runs.of([probe.run for probe in probes.probes]),
        outputs=(),
        sources={**plan.sources, **probes.sources},
    )
    known = known_runs(store, probe_plan)
    missing = probe_plan.runs.at(probe_plan.runs.missing(known))
    job = Job(
        sweep=sweep,
        plan=probe_plan,
        store=store,
        missing=missing,
        long=frozenset(),
        known=known,
    )
    if not missing:
        return 0
    named = replace(sweep, name=f"{sweep.name} vacuity")
    with listener.executing(named, len(missing), known.count) as report:
        # What a probe violates is not a violation of the model.
        return execute_job(job, toolchain, start, lambda progress: report(replace(progress, violated=0)))


def probe_findings(sweep: Sweep, plan: Plan, store: Store, rows: Sequence[RunRow]) -> list[Finding]:
    """What the probes in a store found."""
    planned = plan_probes(sweep, plan, rows)
    answers = {
        probe.run.run_id: answer for probe in planned.probes if (answer := _answer(store, probe)) is not None
    }
    return list(vacuous(planned, answers))


def _answer(store: Store, probe: Probe) -> ProbeAnswer | None:
    try:
        with store.archive(probe.run.run_id) as archive:
            outcome = interpret_record(archive.record, archive.stdout).outcome
            with archive.stdout(1) as output:
                return ProbeAnswer(outcome=outcome, reported=reported(output))
    except StoreError:
        return None
