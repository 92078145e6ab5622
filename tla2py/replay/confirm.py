"""Confirmation of a counterexample by TLC: a module whose only behaviour is the trace is checked twice.

The first check has the model's specification as a property: the first state must satisfy the initial predicate, each
step the next-state relation, and a lasso or stuttering the fairness conditions. The second check has the violated
definition, which must fail at the last state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tla2py.errors import InputError
from tla2py.execution.trace_module import FOLLOWING
from tla2py.model.outcome import Verdict
from tla2py.model.run import RunResult
from tla2py.model.trace import Trace
from tla2py.replay.evaluate import evaluate_trace
from tla2py.replay.query import Origin, TraceQuery, first_error, require_answer
from tla2py.tlc.output.codes import Code

_INDEX = "confirmTraceIndex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """Whether TLC confirms a trace; ``reason`` is what it confirmed, or what is wrong with the trace."""

    confirmed: bool
    reason: str


def confirm_trace(trace: Trace, origin: Origin, *, warm: bool = False) -> Confirmation:
    """TLC's verdict on a trace; ``warm`` is that of ``TraceQuery``.

    Raises InputError (``not-confirmable``) for a trace that cannot be written as a module: its states come from an
    ALIAS, or hold a value that TLC printed without evaluating it. Raises UnansweredError if TLC ended early.
    """
    checker = _Checker(trace, TraceQuery([trace], origin, warm=warm))
    problem = checker.behaviour() or checker.violation()
    where = "by the whole trace" if _forever(trace) else "in the last state"
    return Confirmation(
        confirmed=problem is None,
        reason=problem
        or f"{len(trace.states)} states, each a step of the specification; {trace.label} violated {where}",
    )


def follow_trace(trace: Trace, origin: Origin) -> int | None:
    """The first state of a trace that does not follow in the model of ``origin``, None if all do; loops are left out.

    Raises InputError (``not-confirmable``) as ``confirm_trace`` does, and if TLC could not follow the trace.
    """
    trace = replace(trace, loop_start=None, stuttering=False)
    checker = _Checker(trace, TraceQuery([trace], origin))
    result = checker.follow()
    if _misses_initial(result):
        return 1
    if any(violation.kind == "action_property" for violation in result.violations):
        return max(len(found.states) for found in result.traces)
    if result.verdict in (Verdict.HOLDS, Verdict.VIOLATED):
        return None
    hint = "its values may not exist in this model"
    raise InputError("not-confirmable", f"TLC could not follow the trace: {first_error(result)}", hint=hint)


def first_outside(trace: Trace, origin: Origin) -> tuple[int, str] | None:
    """The first state of a trace that a constraint of the model of ``origin`` leaves out, and its name; None if none does.

    TLC 2.15 and 2.20 check the invariants in a state that a CONSTRAINT or an ACTION_CONSTRAINT leaves out, and do not go
    on from it. Raises InputError as ``evaluate_trace`` does.
    """
    config = origin.config.listing(dict(origin.record.expressions))
    names = (*config.constraints, *config.action_constraints)
    if not names:
        return None
    for state in evaluate_trace(trace, names, origin).states:
        for name, value in state.evaluated:
            if value == "FALSE":
                return state.index, name
    return None


def _forever(trace: Trace) -> bool:
    return trace.stuttering or trace.loop_start is not None


def _misses_initial(result: RunResult) -> bool:
    """Whether the first state is not an initial state."""
    return any(diagnostic.code == Code.PROPERTY_INITIAL for diagnostic in result.diagnostics)


class _Checker:
    """The checks of one trace."""

    def __init__(self, trace: Trace, query: TraceQuery) -> None:
        self.trace, self.query = trace, query
        self.config, self.spec = self.query.config, self.query.spec
        named = (self.config.specification, self.config.init, self.config.next, trace.name)
        self.query.expose(*named, *self.spec.candidates.next[:1])

    def follow(self) -> RunResult:
        """The result with the specification as a property."""
        return self._check(properties=(self.config.specification or "ConfirmTraceOriginal",))

    def behaviour(self) -> str | None:
        """Why the trace is not a behaviour of the specification; None if it is."""
        result = self.follow()
        kinds = {violation.kind for violation in result.violations}
        found = max((len(trace.states) for trace in result.traces), default=0)
        if "action_property" in kinds:
            if _forever(self.trace) and found > len(self.trace.states):
                return f"state {self.trace.loop_start} does not follow state {len(self.trace.states)}"
            return f"state {found} does not follow state {found - 1}"
        if _misses_initial(result):
            return "the first state is not an initial state"
        if kinds == {"temporal_property"}:
            # A finite trace need not be fair.
            return "the behaviour is not fair" if _forever(self.trace) else None
        return None if result.verdict is Verdict.HOLDS else f"TLC could not follow it: {first_error(result)}"

    def violation(self) -> str | None:
        """Why the trace does not violate its property; None if it does."""
        kind, name, defined = self.trace.kind, self.trace.name, self.query.violated(self.trace)
        if kind == "deadlock":
            result = self._check(invariants=("ConfirmTraceNotStuck",))
            return self._failed_at_end(result, "a step is possible in the last state")
        if kind == "assert":
            result = self._check(specification="ConfirmTraceOneMore")
            stopped = "Assert" in first_error(result) or any(v.kind == "assert" for v in result.violations)
            return None if stopped else "no step from the last state fails an assertion"
        if defined not in self.spec.definitions:
            return f"{name} is not defined"
        if kind == "invariant" and defined not in self.config.properties:
            result = self._check(invariants=(defined,))
        else:
            result = self._check(properties=(defined,))
        # TLC also reports a property about single states, or such a part of one, as an invariant.
        if kind == "invariant":
            return self._failed_at_end(result, f"{name} holds in the last state or fails before")
        if kind == "action_property":
            return self._failed_at_end(result, f"{name} holds for the last step or fails before")
        return None if result.violations else f"{name} holds for this behaviour"

    def _failed_at_end(self, result: RunResult, otherwise: str) -> str | None:
        if result.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
            return f"TLC could not evaluate it: {first_error(result)}"
        length = max((len(trace.states) for trace in result.traces), default=0)
        return None if result.violations and length == len(self.trace.states) else otherwise

    def _check(self, **asked: Any) -> RunResult:
        with self.query.run(FOLLOWING, self._module(), **asked) as executed:
            return require_answer(executed.result)

    def _module(self) -> list[str]:
        count, more = len(self.trace.states), []
        if self.trace.kind == "deadlock":
            more.append(f"ConfirmTraceNotStuck == {_INDEX} = {count} => ENABLED ({self.query.next})")
        if self.trace.kind == "assert":
            # ENABLED stops at the first step; this evaluates all of them.
            step = f"{_INDEX} = {count} /\\ {_INDEX}' = {count + 1} /\\ ({self.query.next})"
            more.append(
                f"ConfirmTraceOneMore == ConfirmTraceInit /\\ [][ConfirmTraceNext \\/ ({step})]_ConfirmTraceVars"
            )
        return self.query.writer.following(self.trace, *more)
