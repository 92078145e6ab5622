"""The tables of an opened store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tla2py.errors import InputError
from tla2py.lint.subject import Findings
from tla2py.model.trace import Printed, Trace, views
from tla2py.store.foreign import open_tables
from tla2py.store.points import Manifest, StoredPoints
from tla2py.store.runs import RunRow, run_rows
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.storage import Address
from tla2py.store.store import Store
from tla2py.store.traces import TRACE_COLUMNS, TraceRow, shortest_traces, trace_rows
from tla2py.store.write import stored_table, table_files
from tla2py.text import counted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from tla2py.analysis.contrast import Contrasts, StoreComparison
    from tla2py.analysis.explanation import Explanation
    from tla2py.analysis.growth import Growth
    from tla2py.analysis.heatmap import Axis, Heatmap
    from tla2py.analysis.kinds import Kinds, Turning
    from tla2py.analysis.questions import Questions
    from tla2py.replay.conjuncts import Conjuncts, Essential
    from tla2py.replay.successors import Enabledness


class StoreTables:
    """A store's points and its tables as pandas frames, as Arrow and in Spark."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @cached_property
    def manifest(self) -> Manifest:
        """The store's manifest."""
        return self.store.manifest()

    @cached_property
    def points(self) -> StoredPoints:
        """The points of the sweep, in order."""
        return self.store.points()

    @cached_property
    def findings(self) -> Findings:
        """The findings on the sweep, and those that its file accepts."""
        return self.store.findings()

    @cached_property
    def runs(self) -> pd.DataFrame:
        """A row per point."""
        return self._pandas("runs")

    @cached_property
    def traces(self) -> pd.DataFrame:
        """A row per counterexample."""
        return self._pandas("traces")

    @cached_property
    def states(self) -> pd.DataFrame:
        """A row per state of a counterexample; ``state`` is ITF as JSON text."""
        return self._pandas("states")

    @cached_property
    def changes(self) -> pd.DataFrame:
        """A row per innermost part of a variable that a step changed."""
        return self._pandas("changes")

    @cached_property
    def prints(self) -> pd.DataFrame:
        """A row per value that Print, PrintT or an Assert printed."""
        return self._pandas("prints")

    @cached_property
    def mutants(self) -> pd.DataFrame:
        """A row per mutant of the specification."""
        return self._pandas("mutants")

    @cached_property
    def simulations(self) -> pd.DataFrame:
        """A row per run that simulated, with its statistics."""
        return self._pandas("simulations")

    @cached_property
    def graph_states(self) -> pd.DataFrame:
        """A row per reachable state, if the graph was requested."""
        return self._pandas("graph_states")

    @cached_property
    def graph_edges(self) -> pd.DataFrame:
        """A row per step between reachable states, if the graph was requested."""
        return self._pandas("graph_edges")

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """A row per action or expression of the coverage reports."""
        return self._pandas("coverage")

    @cached_property
    def run_rows(self) -> Sequence[RunRow]:
        """The rows of ``runs``, without pandas."""
        rows = run_rows(table_files(self.store, "runs"))
        rows.check_points(self.points.table["point"])
        return rows

    @cached_property
    def trace_rows(self) -> Sequence[TraceRow]:
        """The rows of ``traces``, without pandas."""
        return trace_rows(stored_table(self.store, "traces", TRACE_COLUMNS))

    @cached_property
    def shortest_traces(self) -> Mapping[tuple[str, str], TraceRow]:
        """The shortest trace of each run and label."""
        return shortest_traces(self.trace_rows)

    def arrow(self, name: str) -> pa.Table:
        """A table as Arrow. Raises InputError (``unknown-table``)."""
        if name not in TABLE_NAMES:
            raise InputError(
                "unknown-table", f"not a table: {name}", hint=f"tables: {', '.join(TABLE_NAMES)}"
            )
        return stored_table(self.store, name)

    def spark(self, name: str) -> DataFrame:
        """A table as a Spark frame, in the active session or in a new one on ``local[*]``."""
        from tla2py.spark.choice import require_pyspark

        require_pyspark()
        from tla2py.spark.frames import table_frame
        from tla2py.spark.session import shared_session

        return table_frame(shared_session(), self.store, name)

    def _pandas(self, name: str) -> pd.DataFrame:
        from tla2py.store.runs import pandas_frame

        return pandas_frame(self.arrow(name))


def open_view(path: Address) -> StoreView:
    """A store opened for reading; tables that are older than their records are rewritten first.

    A file is read as a store with one point, see ``tla2py.interop``. Raises StoreError as ``Store.manifest`` does, and
    InputError for a file without a trace.
    """
    return StoreView(open_tables(path))


class StoreView(StoreTables, Printed):
    """A store's tables as pandas frames, its traces, and analyses of them."""

    def __init__(self, store: Store, questions: Questions | None = None) -> None:
        super().__init__(store)
        self._questions = questions

    def __repr__(self) -> str:
        return f"<tla2py store {self.store.path}: {self.manifest.name}, {counted(len(self.points), 'point')}>"

    @property
    def asks(self) -> bool:
        """Whether TLC answers something about each trace."""
        return self._questions is not None

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
        from tla2py.analysis.questions import stored_conjuncts

        return stored_conjuncts(self, point, number, tla2tools)

    def turning(self, name: str | None = None, *, tla2tools: Path | None = None) -> Turning:
        """The conjuncts that turn FALSE first, by kind of counterexample, of all properties or of one.

        One run of TLC evaluates the counterexamples of a point. Raises InputError (``unknown-property``,
        ``not-confirmable``).
        """
        from tla2py.analysis.kinds import stored_turning

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
        from tla2py.analysis.questions import stored_enabled

        return stored_enabled(self, action, point, number, state, tla2tools)

    def essential(
        self, point: int, number: int = 1, *, seconds: float = 300, tla2tools: Path | None = None
    ) -> Essential:
        """A trace without the steps that its violation does not need, as far as TLC finds them within ``seconds``.

        Raises InputError as ``trace`` does, ``not-an-invariant`` and ``not-confirmable``.
        """
        from tla2py.analysis.questions import stored_essential

        return stored_essential(self, point, number, tla2tools, seconds=seconds)

    def trace(self, point: int, number: int = 1) -> Trace:
        """A point's counterexample, with typed values. Raises InputError (``no-point``, ``no-trace``)."""
        if self._questions is not None:
            return self._questions.answer(self, point, number)
        from tla2py.analysis.questions import stored_trace

        return stored_trace(self, point, number)

    def trace_list(self, point: int) -> list[TraceRow]:
        """A point's rows of ``traces``, in order. Raises InputError (``no-point``)."""
        run_id = self._run_id(point)
        return [row for row in self.trace_rows if row.run_id == run_id]

    def _run_id(self, point: int) -> str:
        found = self.points.find(point)
        if found is None:
            hint = f"choose a point from 1 to {len(self.points)}"
            raise InputError("no-point", f"no point {point} in {self.store.path}", hint=hint)
        return found.run_id

    def heatmap(self, x: Axis = None, y: Axis = None, value: str = "verdict") -> Heatmap:
        """The points' verdicts, or a column of ``runs``, over two parameters or two lists of parameters.

        The default are those that explain the verdicts best. Raises InputError (``unknown-parameter``,
        ``unknown-column``).
        """
        from tla2py.analysis.heatmap import make_heatmap

        return make_heatmap(self, x, y, value)

    def growth(self, parameter: str, value: str = "distinct") -> Growth:
        """The growth of a column of ``runs`` along a parameter, over the points that hold; predicts larger sizes.

        Raises InputError (``unknown-parameter``, ``unknown-column``, ``no-sizes``).
        """
        from tla2py.analysis.growth import make_growth

        return make_growth(self, parameter, value)

    def neighbour(self, point: int) -> Contrasts:
        """A violating point compared, for each property that it violates, with the nearest points where that one holds.

        Raises InputError (``no-point``, ``not-violated``, ``no-neighbour``).
        """
        from tla2py.analysis.contrast import point_contrasts

        return point_contrasts(self, point)

    def kinds(self, fine: bool = False) -> Kinds:
        """The counterexamples by kind: those of a kind violate the same by similar actions, or by equal ones if ``fine``."""
        from tla2py.analysis.kinds import make_kinds

        return make_kinds(self, fine)

    def explain(self, name: str | None = None, suggest: int = 0) -> Explanation:
        """When each property, or one, is violated: the shortest laws over the parameters that separate the points.

        Each comes with the kinds of its counterexamples and at most ``suggest`` points that could refute it. Raises
        InputError (``unknown-property``).
        """
        from tla2py.analysis.explanation import explain_store

        return explain_store(self, name, suggest, kinds=True)

    def explore(self, point: int | None = None, number: int = 1, compare: StoreView | None = None) -> Any:
        """The explorer as a widget, at a point's counterexample, by default the shortest of the most frequent kind.

        ``compare`` is a store whose counterexamples at points with equal parameters are shown beside these. Raises
        InputError: ``extra-missing`` if the packages of the extra ``notebooks`` are not installed, and as ``trace`` does.
        """
        return views().explorer(self, point, number, compare)

    def compare(self, after: StoreView) -> StoreComparison:
        """The changes from this store to another: verdicts, numbers of states, and which actions fire."""
        from tla2py.analysis.contrast import compare_stores

        return compare_stores(self, after)

    def __str__(self) -> str:
        from tla2py.analysis.points import grid_points, summary_line

        return f"{self.manifest.name}: {summary_line(self, grid_points(self))}"
