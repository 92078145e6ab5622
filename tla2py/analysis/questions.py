"""Questions about the traces of a store that further runs of TLC answer."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from tla2py.analysis.view import StoreView, open_view
from tla2py.errors import InputError, StoreError
from tla2py.model.trace import EVALUATION, SIMULATED, Trace
from tla2py.replay.arguments import derive_arguments
from tla2py.replay.confirm import confirm_trace
from tla2py.replay.conjuncts import Conjuncts, Essential, essential_steps, evaluate_conjuncts
from tla2py.replay.evaluate import evaluate_trace
from tla2py.replay.query import Origin
from tla2py.replay.successors import Enabledness, Successors, evaluate_enabled, find_successors
from tla2py.store.foreign import ForeignStore
from tla2py.store.record import input_file
from tla2py.store.storage import folder_of, is_remote
from tla2py.store.traces import trace_states
from tla2py.store.write import table_files
from tla2py.tlc.config.read import parse_config
from tla2py.tlc.tools.toolchain import Toolchain, find_toolchain


def origin_of(view: StoreView, run_id: str, toolchain: Toolchain) -> Origin:
    """The origin of the traces of a run."""
    with view.store.archive(run_id) as archive:
        record = archive.record
    return Origin(
        record=record,
        sources=view.store.sources(),
        toolchain=toolchain,
        input_file=partial(input_file, view.store.storage),
    )


def require_modules(view: StoreView) -> None:
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

    def answer(self, view: StoreView, point: int, number: int) -> Trace:
        """A point's trace with the answers, which are kept."""
        if (point, number) not in self._answered:
            asked = StoreView(view.store)
            trace = asked.trace(point, number)
            rows = asked.trace_list(point)
            origin = origin_of(view, rows[0].run_id, self.toolchain)
            if self.arguments:
                if point not in self._derived:
                    traces = [asked.trace(point, row.trace) for row in rows]
                    self._derived[point] = derive_arguments(traces, origin)
                trace = self._derived[point][number - 1]
            if self.expressions:
                trace = evaluate_trace(trace, self.expressions, origin)
            self._answered[point, number] = trace
        return self._answered[point, number]


def ask(
    view: StoreView,
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


def _asked(view: StoreView, point: int, number: int, tla2tools: Path | None) -> tuple[Trace, Origin]:
    require_modules(view)
    trace = view.trace(point, number)
    return trace, origin_of(view, view.trace_list(point)[0].run_id, find_toolchain(tla2tools))


def stored_conjuncts(view: StoreView, point: int, number: int, tla2tools: Path | None) -> Conjuncts:
    """The conjuncts of the invariant that a point's trace violates."""
    trace, origin = _asked(view, point, number, tla2tools)
    return evaluate_conjuncts([trace], origin)[0]


def stored_enabled(
    view: StoreView, action: str, point: int, number: int, state: int | None, tla2tools: Path | None
) -> Enabledness:
    """How far an action gets in a state of a point's trace, by default the last."""
    trace, origin = _asked(view, point, number, tla2tools)
    count = len(trace.states)
    if state is not None and not 1 <= state <= count:
        raise InputError("usage", f"the trace has no state {state}", hint=f"choose one from 1 to {count}")
    return evaluate_enabled(trace, action, trace.states[(state or count) - 1], origin)


def stored_successors(
    view: StoreView, point: int, number: int, state: int, tla2tools: Path | None = None
) -> Successors:
    """The successors of a state of a point's trace."""
    trace, origin = _asked(view, point, number, tla2tools)
    return find_successors(trace, trace.state(state), origin)


def stored_essential(
    view: StoreView,
    point: int,
    number: int,
    tla2tools: Path | None,
    *,
    seconds: float,
    progress: Callable[[str], None] | None = None,
) -> Essential:
    """The essential steps of a point's trace."""
    trace, origin = _asked(view, point, number, tla2tools)
    return essential_steps(trace, origin, seconds=seconds, progress=progress)


_POINT = re.compile(r"(\d+)(?:/(\d+))?")
_STORE_POINT = re.compile(rf"(.+):{_POINT.pattern}")


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTrace:
    """TLC's judgement of a trace, with the reason."""

    point: int
    number: int
    judgement: Literal["confirmed", "refused", "not verifiable"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPoint:
    """A point of a store and the number of a trace there; ``title`` names all."""

    view: StoreView
    point: int
    trace: int
    title: str


def stored_trace(view: StoreView, point: int, number: int) -> Trace:
    """A point's counterexample. Raises InputError (``no-point``, ``no-trace``)."""
    traces = view.trace_list(point)
    if not traces:
        verdicts = (run.verdict.value for run in view.run_rows if run.point == point)
        raise InputError(
            "no-trace",
            f"point {point} of {view.store.path} has no counterexample: its verdict is {next(verdicts, 'not known')}",
            hint=f"'tla2py trace {view.store.path}' lists the points that have one",
        )
    if not 1 <= number <= len(traces):
        raise InputError(
            "no-trace", f"point {point} has no trace {number}", hint=f"choose a trace from 1 to {len(traces)}"
        )
    row = traces[number - 1]
    states = trace_states(table_files(view.store, "states"), row.run_id, row.trace)
    return row.with_states(states, stored_constants(view, point))


def stored_constants(view: StoreView, point: int) -> dict[str, str]:
    """A point's constants as TLA+ text, as far as its record has them."""
    entry = view.points[point]
    others = {each.name for each in view.manifest.parameters if each.kind != "constant"}
    found = {name: text for name, text in entry.parameters.items() if name not in others}
    # A trace can be shown without its record.
    with contextlib.suppress(StoreError, InputError), view.store.archive(entry.run_id) as archive:
        text = archive.record.executions[0].config_text
        found = {**dict(parse_config(text, Path(view.store.path)).config.assignments), **found}
    return found


def verify_traces(
    view: StoreView, toolchain: Toolchain, point: int | None = None, number: int | None = None
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


def other_point(view: StoreView, point: int, other: str) -> NamedPoint:
    """The point and trace that ``other`` names: ``POINT`` of this store, a trace file, a store or ``STORE:POINT``.

    A point's first trace is meant unless its number follows, as in ``POINT/TRACE``; a store without a point stands for
    its point ``point``. Raises InputError (``unknown-point``) and what ``open_view``
    raises.
    """
    if here := _POINT.fullmatch(other):
        number, trace = int(here[1]), int(here[2]) if here[2] else None
        return NamedPoint(view=view, point=number, trace=trace or 1, title=point_title(number, trace))
    named = None if not is_remote(other) and folder_of(other).exists() else _STORE_POINT.fullmatch(other)
    address = named[1] if named else other
    if not is_remote(address) and not folder_of(address).exists():
        raise InputError(
            "unknown-point",
            f"--diff {other}: not a point, a file or a store",
            hint="name a point (--diff 3) or one of its traces (--diff 3/2), a trace file, or a store with its point (--diff STORE:3)",
        )
    there = open_view(address)
    foreign = isinstance(there.store, ForeignStore)
    number = int(named[2]) if named else 1 if foreign else point
    trace = int(named[3]) if named and named[3] else None
    title = str(address) if foreign else f"{point_title(number, trace)} of {address}"
    return NamedPoint(view=there, point=number, trace=trace or 1, title=title)


def point_title(point: int, trace: int | None) -> str:
    """``point 3``, or ``point 3, trace 2``."""
    return f"point {point}" if trace is None else f"point {point}, trace {trace}"
