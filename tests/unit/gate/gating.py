"""Gate decisions on the module Counter, from rows of a store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.unit.view.traces import made
from tla2py.gate.decision import Decision, PointDecision, StoreFacts, decide
from tla2py.gate.lock import Lock
from tla2py.gate.report_model import Again, Evidence
from tla2py.model.row import RunRow
from tla2py.model.trace import Location, Trace, TraceKind
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tla.value import Value

HEAD = """\
module = "Counter.tla"
[model]
invariants = ["Small"]
[parameters]
Max = [1, 2]
"""
ONE = HEAD.replace("[1, 2]", "[1]")
EACH = '[tlc]\nfind = "each"\n'


def gate(
    sweep: Sweep,
    *rows: RunRow | None,
    lock: Lock | None = None,
    fired: tuple[str, ...] | None = None,
    idle: tuple[str, ...] = (),
    other_inputs: str | None = None,
) -> Decision:
    """The decision on a sweep whose points have these rows; None for a point without a result."""
    plan = plan_sweep(sweep, "jar")
    return decide(sweep, plan, found(plan, rows, fired, idle, other_inputs), lock)


def found(
    plan: Plan,
    rows: tuple[RunRow | None, ...],
    fired: tuple[str, ...] | None = None,
    idle: tuple[str, ...] = (),
    other_inputs: str | None = None,
) -> StoreFacts:
    """The contents of a store with these rows."""
    runs = list(zip(plan.runs, rows, strict=True))
    return StoreFacts(
        rows={run.run_id: each for run, each in runs if each is not None},
        fired={run.run_id: fired for run, _ in runs} if fired is not None else {},
        idle={run.run_id: idle for run, _ in runs},
        other_inputs=other_inputs,
    )


def told(decision: Decision) -> list[tuple[str, str, int]]:
    """The problems: reason, text and exit code."""
    return [(problem.reason.value, problem.text, problem.exit_code) for problem in decision.all_problems]


def reasons(decision: Decision) -> list[str]:
    return [problem.reason.value for problem in decision.all_problems]


def locked(decision: Decision, tlc: str | None = None) -> Lock:
    """The lock that accepts a decision."""
    return Lock(point=[point.locked for point in decision.points if point.locked], tlc=tlc)


def trace(name: str, *values: Value, action: str = "Up", kind: TraceKind = "invariant") -> Trace:
    """A counterexample with these values of x."""
    place = Location(module="Counter", begin_line=7, begin_column=7, end_line=7, end_column=28)
    plain = made(*((action, {"x": value}) for value in values), kind=kind, name=name)
    first, *others = plain.states
    return replace(plain, states=(first, *(replace(each, location=place) for each in others)))


def evidence(sweep: Sweep, decision: Decision, *traces: Trace) -> Evidence:
    """A decision with its traces, as reports take it; the repository is the sweep file's folder."""

    def find(_: PointDecision, name: str) -> Trace | None:
        return next((each for each in traces if (each.name or each.kind) == name), None)

    return Evidence(
        decision=decision,
        sweep=sweep,
        root=Path(sweep.file.path).parent,
        trace=find,
        again=lambda point: Again(
            ours=f"again {point.point.index}", plain=f"files && cd points/{point.point.index} && java TLC"
        ),
        look=lambda point: f"look {point.point.index}",
    )
