"""Questions about the traces of a store that further runs of TLC answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tla2py.errors import InputError
from tla2py.explore.view import StoreView
from tla2py.interop import ForeignStore
from tla2py.replay.arguments import derive_arguments
from tla2py.replay.conjuncts import Conjuncts, evaluate_conjuncts
from tla2py.replay.enabled import Enabledness, evaluate_enabled
from tla2py.replay.essential import Essential, essential_steps
from tla2py.replay.evaluate import evaluate_trace
from tla2py.replay.query import Origin
from tla2py.replay.successors import Successors, find_successors
from tla2py.store.inputs import input_file
from tla2py.toolchain.toolchain import Toolchain, find_toolchain
from tla2py.trace.trace import Trace


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
