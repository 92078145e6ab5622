"""Questions about the traces of a store that further runs of TLC answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.trace import EVALUATION, SIMULATED, Trace
from tla2py.replay.arguments import derive_arguments
from tla2py.replay.confirm import confirm_trace
from tla2py.replay.conjuncts import Essential, essential_steps
from tla2py.replay.evaluate import evaluate_trace
from tla2py.replay.query import Origin
from tla2py.replay.successors import Successors, find_successors
from tla2py.store.foreign import ForeignStore
from tla2py.store.record import input_file
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain


def origin_of(view: StoreTables, run_id: str, toolchain: Toolchain) -> Origin:
    """The origin of the traces of a run."""
    with view.store.archive(run_id) as archive:
        record = archive.record
    return Origin(
        record=record,
        sources=view.store.sources(),
        toolchain=toolchain,
        input_file=partial(input_file, view.store.storage),
    )


def require_modules(view: StoreTables) -> None:
    """Raise InputError (``not-confirmable``) for a file that holds traces alone."""
    if isinstance(view.store, ForeignStore):
        raise InputError(
            "not-confirmable",
            f"{view.store.path} holds traces without their module, so TLC cannot run again",
            hint="open a store, which 'tla2py sweep SWEEP.toml' creates",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What is asked about each trace: the arguments of its actions, the values of expressions."""

    toolchain: Toolchain
    arguments: bool = False
    expressions: tuple[str, ...] = ()
    _derived: dict[int, tuple[Trace, ...]] = field(default_factory=dict)
    _answered: dict[tuple[int, int], Trace] = field(default_factory=dict)

    def answer(self, view: StoreTables, point: int, number: int) -> Trace:
        """A point's trace with the answers, which are kept."""
        if (point, number) not in self._answered:
            plain = StoreTables(view.store)
            trace = plain.trace(point, number)
            rows = plain.trace_list(point)
            origin = origin_of(view, rows[0].run_id, self.toolchain)
            if self.arguments:
                if point not in self._derived:
                    traces = [plain.trace(point, row.trace) for row in rows]
                    self._derived[point] = derive_arguments(traces, origin)
                trace = self._derived[point][number - 1]
            if self.expressions:
                trace = evaluate_trace(trace, self.expressions, origin)
            self._answered[point, number] = trace
        return self._answered[point, number]


def ask(
    view: StoreTables,
    known: Questions | None,
    tla2tools: Path | None,
    *,
    arguments: bool = False,
    expressions: tuple[str, ...] = (),
) -> Questions:
    """The questions of a view with further ones. Raises InputError (``not-confirmable``) for a file of traces."""
    require_modules(view)
    before = known or Questions(toolchain=find_toolchain(tla2tools))
    return Questions(
        toolchain=find_toolchain(tla2tools) if tla2tools else before.toolchain,
        arguments=arguments or before.arguments,
        expressions=(*before.expressions, *expressions),
    )


def asked(view: StoreTables, point: int, number: int, tla2tools: Path | None) -> tuple[Trace, Origin]:
    """A point's trace and its origin, to ask TLC about it."""
    require_modules(view)
    trace = view.trace(point, number)
    return trace, origin_of(view, view.trace_list(point)[0].run_id, find_toolchain(tla2tools))


def stored_successors(
    view: StoreTables, point: int, number: int, state: int, tla2tools: Path | None = None
) -> Successors:
    """The successors of a state of a point's trace."""
    trace, origin = asked(view, point, number, tla2tools)
    return find_successors(trace, trace.state(state), origin)


def stored_essential(
    view: StoreTables,
    point: int,
    number: int,
    tla2tools: Path | None,
    *,
    seconds: float,
    progress: Callable[[str], None] | None = None,
) -> Essential:
    """The essential steps of a point's trace."""
    trace, origin = asked(view, point, number, tla2tools)
    return essential_steps(trace, origin, seconds=seconds, progress=progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTrace:
    """TLC's judgement of a trace, with the reason."""

    point: int
    number: int
    judgement: Literal["confirmed", "refused", "not verifiable"]
    reason: str


def verify_traces(
    view: StoreTables, toolchain: Toolchain, point: int | None = None, number: int | None = None
) -> Iterator[VerifiedTrace]:
    """TLC's judgement of all traces, of a point's traces, or of one of them.

    Raises InputError (``not-confirmable``, ``no-point``, ``no-trace``) and what ``confirm_trace`` raises.
    """
    require_modules(view)
    if point is not None:
        view.trace(point, number or 1)
    seen = set[str]()
    for here in view.points:
        if point not in (None, here.point) or here.run_id in seen:
            continue
        seen.add(here.run_id)
        origin = origin_of(view, here.run_id, toolchain)
        for row in view.trace_list(here.point):
            each = row.trace
            if number not in (None, each) or row.kind == SIMULATED:
                continue
            if row.kind == EVALUATION:
                reason = "TLC could not evaluate the model here"
                yield VerifiedTrace(point=here.point, number=each, judgement="not verifiable", reason=reason)
                continue
            found = confirm_trace(view.trace(here.point, each), origin)
            yield VerifiedTrace(
                point=here.point,
                number=each,
                judgement="confirmed" if found.confirmed else "refused",
                reason=found.reason,
            )
