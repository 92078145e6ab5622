"""An opened store: its tables, its traces, and analyses of them.

What asks TLC is imported on use: most who open a store only read.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tla2py.analysis.charts import make_growth, make_heatmap
from tla2py.analysis.contrast import compare_stores, point_contrasts
from tla2py.analysis.explanation import LAW_POINTS, Explanation, explain_store, telling_laws
from tla2py.analysis.kinds import make_kinds
from tla2py.analysis.points import grid_points, minimal_violating, summary_line
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.display import PrintMixin, show
from tla2py.model.outcome import Verdict
from tla2py.store.address import Address
from tla2py.store.foreign import open_tables
from tla2py.text import counted, parameter_text

if TYPE_CHECKING:
    from tla2py.analysis.questions import Questions, Turning
    from tla2py.model.cause import ViolationCauses
    from tla2py.replay.conjuncts import Conjuncts, Essential
    from tla2py.replay.successors import Enabledness
    from tla2py.store.store import Store

# Of the smallest violating points.
_MOST = 10


def open_view(path: Address) -> StoreView:
    """A store opened for reading; tables that are older than their records are rewritten first.

    A file is read as a store with one point. Raises StoreError as ``Store.manifest`` does, and InputError for
    a file without a trace.
    """
    return StoreView(open_tables(path))


class StoreView(StoreTables, PrintMixin):
    """A store's tables as pandas frames, its traces, and analyses of them."""

    def __init__(self, store: Store, questions: Questions | None = None) -> None:
        super().__init__(store, questions)
        self._questions = questions

    def __repr__(self) -> str:
        return f"<tla2py store {self.store.path}: {self.manifest.name}, {counted(len(self.points), 'point')}>"

    def with_arguments(self, tla2tools: Path | None = None) -> StoreView:
        """A view of the same store whose traces have the arguments of their steps, derived by TLC.

        ``State.derived`` holds the values of an action's parameters and quantifiers for which exactly one value makes
        the step true. Deriving them costs one run of TLC per point, with the jar that a sweep would use. ``trace`` also
        raises InputError (``not-confirmable``) if TLC cannot evaluate the steps.
        """
        from tla2py.analysis.questions import ask

        return StoreView(self.store, ask(self, self._questions, tla2tools, arguments=True))

    def with_values(self, *expressions: str, tla2tools: Path | None = None) -> StoreView:
        """A view of the same store whose states have the values of TLA+ expressions, in ``State.evaluated``.

        They may use all that the module defines, and primed variables for values of steps. Evaluating them costs one
        run of TLC per trace. ``trace`` also raises InputError (``expression-syntax``, ``expression-fails``,
        ``not-confirmable``).
        """
        from tla2py.analysis.questions import ask

        return StoreView(self.store, ask(self, self._questions, tla2tools, expressions=expressions))

    def conjuncts(self, point: int, number: int = 1, *, tla2tools: Path | None = None) -> Conjuncts:
        """The conjuncts of the invariant that a trace violates, TRUE or FALSE in each state, by one run of TLC.

        Raises InputError as ``trace`` does, ``not-an-invariant`` and ``not-confirmable``.
        """
        from tla2py.analysis.questions import trace_with_origin
        from tla2py.replay.conjuncts import evaluate_conjuncts

        trace, origin = trace_with_origin(self, point, number, tla2tools)
        return evaluate_conjuncts(trace, origin)

    def why(self, point: int, number: int = 1, *, tla2tools: Path | None = None) -> ViolationCauses:
        """Why a trace violates what it does: causes that TLC evaluated, the nearest first, or the reason for none.

        Raises InputError as ``trace`` does, and ``not-confirmable`` for a file that holds traces alone.
        """
        from tla2py.analysis.questions import trace_with_origin
        from tla2py.replay.why import explain_trace

        return explain_trace(*trace_with_origin(self, point, number, tla2tools))

    def why_all(self, point: int, *, tla2tools: Path | None = None) -> dict[int | None, ViolationCauses]:
        """Why each trace of a point violates what it does, by number; under None, what is violated without a trace.

        Under None too: why the constraints left no state. Raises InputError as ``why`` does, ``no-point`` and ``no-trace``.
        """
        from tla2py.analysis.questions import origin_of, require_modules
        from tla2py.replay.why import explain_no_state, explain_trace, without_trace
        from tla2py.tlc.tools.toolchain import find_toolchain

        rows = self.trace_list(point)
        runs = [] if rows else [run for run in self.run_rows if run.point == point]
        for run in runs:
            for trace in without_trace(run.violated):
                require_modules(self)
                return {None: explain_trace(trace, origin_of(self, run.run_id, find_toolchain(tla2tools)))}
            if run.distinct == 0 and run.verdict is Verdict.HOLDS:
                require_modules(self)
                return {None: explain_no_state(origin_of(self, run.run_id, find_toolchain(tla2tools)))}
        return {n: self.why(point, n, tla2tools=tla2tools) for n in [row.trace for row in rows] or [1]}

    def turning(self, name: str | None = None, *, tla2tools: Path | None = None) -> Turning:
        """The conjuncts that turn FALSE first, by kind of counterexample, of all properties or of one.

        A run of TLC evaluates each counterexample. Raises InputError (``unknown-property``,
        ``not-confirmable``).
        """
        from tla2py.analysis.questions import stored_turning

        return stored_turning(self, name, tla2tools)

    def enabled(
        self,
        action: str,
        point: int,
        number: int = 1,
        *,
        state: int | None = None,
        tla2tools: Path | None = None,
    ) -> Enabledness:
        """How far an action gets in a state of a trace, by default the last: up to which conjunct it is ENABLED.

        Raises InputError as ``trace`` does, ``usage`` for an unknown action or state, and ``not-confirmable``.
        """
        from tla2py.analysis.questions import trace_with_origin
        from tla2py.replay.successors import evaluate_enabled

        trace, origin = trace_with_origin(self, point, number, tla2tools)
        count = len(trace.states)
        if state is not None and not 1 <= state <= count:
            raise InputError("usage", f"the trace has no state {state}", hint=f"choose one from 1 to {count}")
        return evaluate_enabled(trace, action, trace.states[(state or count) - 1], origin)

    def essential(
        self,
        point: int,
        number: int = 1,
        *,
        seconds: float = 300,
        progress: Callable[[str], None] | None = None,
        tla2tools: Path | None = None,
    ) -> Essential:
        """A trace without the steps that its violation does not need, as far as TLC finds them within ``seconds``.

        ``progress`` is called with the step that is tried next. Raises InputError as ``trace`` does, ``not-an-invariant`` and ``not-confirmable``.
        """
        from tla2py.analysis.questions import trace_with_origin
        from tla2py.replay.conjuncts import essential_steps

        return essential_steps(
            *trace_with_origin(self, point, number, tla2tools), seconds=seconds, progress=progress
        )

    heatmap = make_heatmap
    growth = make_growth
    neighbour = point_contrasts
    kinds = make_kinds
    compare = compare_stores

    def explain(self, name: str | None = None, suggest: int = 0) -> Explanation:
        """When each property, or one, is violated: the shortest laws over the parameters that separate the points.

        Each comes with the kinds of its counterexamples and at most ``suggest`` points that could refute it. Raises
        InputError (``unknown-property``).
        """
        return explain_store(self, name, suggest, kinds=True)

    def explore(self, point: int | None = None, number: int = 1, compare: StoreView | None = None) -> Any:
        """The explorer as a widget, at a point's counterexample, by default the shortest of the most frequent kind.

        ``compare`` is a store whose counterexamples at points with equal parameters are shown beside these. Raises
        InputError: ``extra-missing`` if the packages of the extra ``notebooks`` are not installed, and as ``trace`` does.
        """
        return show("explorer", self, point, number, compare)

    def __str__(self) -> str:
        """A summary of a screen: verdicts, laws, and the smallest violating points."""
        lines = [f"{self.manifest.name}: {summary_line(self, grid_points(self))}"]
        if len(self.points) <= LAW_POINTS:
            lines += (f"  {law}" for law in telling_laws(self))
        points = {point.point: point.parameters for point in self.points}
        found = sorted(minimal_violating((run, points[run.point]) for run in self.run_rows).items())
        for number, names in found[:_MOST]:
            lines.append(f"  point {number} violates {', '.join(names)}: {parameter_text(points[number])}")
        if len(found) > _MOST:
            lines.append(f"  and {len(found) - _MOST:,} more points that no smaller one is like")
        return "\n".join(lines)
