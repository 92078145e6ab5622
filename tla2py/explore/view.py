"""A store opened for reading: frames, traces, and which points are the smallest that break."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from tla2py.config.read import parse_config
from tla2py.errors import InputError, StoreError
from tla2py.explain.kinds import LIKENESS, Kinds, make_kinds
from tla2py.interop import ForeignStore
from tla2py.interop.open import open_tables
from tla2py.store.storage import Address
from tla2py.store.store import Manifest, Store
from tla2py.tables.read import read_table
from tla2py.tables.runs import RunRow, run_rows
from tla2py.tables.schema import TABLE_NAMES
from tla2py.tables.traces import TraceRow, shortest_traces, trace_rows, trace_states
from tla2py.text import counted
from tla2py.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from tla2py.explore.compare import StoreComparison
    from tla2py.explore.contrast import Contrast
    from tla2py.explore.growth import Growth
    from tla2py.explore.heatmap import Heatmap
    from tla2py.toolchain.toolchain import Toolchain


def open_view(path: Address) -> StoreView:
    """A store for reading; tables that a killed sweep left behind its records are brought up to date first.

    A file is read as a store of one point, see ``tla2py.interop``. Raises StoreError as ``Store.manifest`` does, and
    InputError for a file that holds no trace.
    """
    return StoreView(open_tables(path))


class StoreView:
    """The tables of a store. ``runs``, ``traces``, ``states``, ``changes`` and ``coverage`` are pandas frames."""

    def __init__(self, store: Store, *, asked: Toolchain | None = None) -> None:
        self.store = store
        self._asked = asked
        self._told: dict[int, tuple[Trace, ...]] = {}

    def __repr__(self) -> str:
        return f"<tla2py store {self.store.path}: {self.manifest.name}, {counted(len(self.manifest.points), 'point')}>"

    @cached_property
    def manifest(self) -> Manifest:
        """What the store was made from."""
        return self.store.manifest()

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
        """A row per part of a variable that a step changed."""
        return self._pandas("changes")

    @cached_property
    def graph_states(self) -> pd.DataFrame:
        """A row per reachable state, where the graph was asked for."""
        return self._pandas("graph_states")

    @cached_property
    def graph_edges(self) -> pd.DataFrame:
        """A row per step between reachable states, where the graph was asked for."""
        return self._pandas("graph_edges")

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """A row per action or expression of the coverage reports."""
        return self._pandas("coverage")

    @cached_property
    def run_rows(self) -> Sequence[RunRow]:
        """The rows of ``runs``, without pandas."""
        return run_rows(self.store.table("runs"))

    @cached_property
    def trace_rows(self) -> Sequence[TraceRow]:
        """The rows of ``traces``, without pandas."""
        return trace_rows(self.store.table("traces"))

    @cached_property
    def shortest_traces(self) -> Mapping[tuple[str, str], TraceRow]:
        """The shortest trace of each run to each label."""
        return shortest_traces(self.trace_rows)

    def arrow(self, name: str) -> pa.Table:
        """A table as Arrow. Raises InputError (``unknown-table``)."""
        if name not in TABLE_NAMES:
            raise InputError("unknown-table", f"no table {name}", hint=f"tables: {', '.join(TABLE_NAMES)}")
        return read_table(self.store.table(name))

    def spark(self, name: str) -> DataFrame:
        """A table as a Spark frame in the active session, or in one started on ``local[*]``."""
        from tla2py.spark import require_pyspark

        require_pyspark()
        from tla2py.spark.frames import table_frame
        from tla2py.spark.session import shared_session

        return table_frame(shared_session(), self.store, name)

    def with_arguments(self, tla2tools: Path | None = None) -> StoreView:
        """The same store, but TLC is asked which arguments make the steps of the traces that are taken from it.

        They are in ``State.derived``, the values of an action's parameters and of its quantifiers where only one makes
        the step true. It costs a run of TLC per point, of the jar that a sweep would take. ``trace`` then also raises
        InputError (``not-confirmable``) where TLC cannot be asked.
        """
        from tla2py.toolchain.toolchain import find_toolchain

        if isinstance(self.store, ForeignStore):
            raise InputError(
                "not-confirmable",
                f"{self.store.path} has no module to ask for arguments",
                hint="those of a store can be asked for: 'tla2py sweep SWEEP.toml' makes one",
            )
        return StoreView(self.store, asked=find_toolchain(tla2tools))

    def trace(self, point: int, number: int = 1) -> Trace:
        """A counterexample of a point, its values typed. Raises InputError (``no-point``, ``no-trace``)."""
        if self._asked is None:
            return self._trace(point, number)
        traces = [self._trace(point, each + 1) for each in range(max(len(self.trace_list(point)), number))]
        if point not in self._told:
            from tla2py.replay.arguments import derive_arguments

            with self.store.archive(self._run_id(point)) as archive:
                record = archive.record
            self._told[point] = derive_arguments(traces, record, self.store.sources(), self._asked)
        return self._told[point][number - 1]

    def _trace(self, point: int, number: int) -> Trace:
        traces = self.trace_list(point)
        if not 1 <= number <= len(traces):
            raise InputError(
                "no-trace",
                f"point {point} has no trace {number}"
                if traces
                else f"point {point} of {self.store.path} has no counterexample: its verdict is {self._verdict(point)}",
                hint=f"its traces: 1 to {len(traces)}"
                if traces
                else f"'tla2py trace {self.store.path}' lists the points that have one",
            )
        row = traces[number - 1]
        # The states of all traces are written one after the other.
        before = sum(each.length for each in takewhile(lambda each: each is not row, self.trace_rows))
        return Trace(
            kind=row.kind,
            name=row.name,
            states=trace_states(self.store.table("states"), before, row.length),
            loop_start=row.loop_start,
            loop_action=row.loop_action,
            loop_action_args=row.loop_action_args,
            stuttering=row.stuttering,
            cut_off=row.cut_off,
            constants=self._constants(point),
        )

    def _verdict(self, point: int) -> str:
        verdicts = (run.verdict.value for run in self.run_rows if run.point == point)
        return next(verdicts, "not there yet")

    def trace_list(self, point: int) -> list[TraceRow]:
        """The rows of ``traces`` of a point, in order. Raises InputError (``no-point``)."""
        run_id = self._run_id(point)
        return [row for row in self.trace_rows if row.run_id == run_id]

    def _run_id(self, point: int) -> str:
        run_ids = {p.point: p.run_id for p in self.manifest.points}
        if point not in run_ids:
            raise InputError(
                "no-point", f"no point {point} in {self.store.path}", hint=f"points: 1 to {len(run_ids)}"
            )
        return run_ids[point]

    def heatmap(self, x: str | Sequence[str], y: str | Sequence[str], value: str = "verdict") -> Heatmap:
        """The verdicts of the points, or a column of ``runs``, over two parameters or two lists of them.

        Raises InputError (``unknown-parameter``, ``unknown-column``).
        """
        from tla2py.explore.heatmap import make_heatmap

        return make_heatmap(self, x, y, value)

    def growth(self, parameter: str, value: str = "distinct") -> Growth:
        """How a column of ``runs`` grows along a parameter, over the points that hold; it bounds the next size.

        Raises InputError (``unknown-parameter``, ``unknown-column``, ``no-sizes``).
        """
        from tla2py.explore.growth import make_growth

        return make_growth(self, parameter, value)

    def neighbour(self, point: int) -> Contrast:
        """A violating point against the holding point that differs least from it.

        Raises InputError (``no-point``, ``not-violated``, ``no-neighbour``).
        """
        from tla2py.explore.contrast import nearest_holding

        return nearest_holding(self, point)

    def kinds(self, likeness: float = LIKENESS) -> Kinds:
        """All counterexamples, sorted into kinds that violate the same by actions at least so much alike."""
        return make_kinds(self, likeness)

    def compare(self, after: StoreView) -> StoreComparison:
        """What changed from this store to another: verdicts, states, and which actions fire."""
        from tla2py.explore.compare import compare_stores

        return compare_stores(self, after)

    def _repr_html_(self) -> str:
        from tla2py.explore.store_html import store_html

        return store_html(self)

    def _constants(self, point: int) -> dict[str, str]:
        """The constants of a point as TLA+ text, as far as its record tells them."""
        entry = next(entry for entry in self.manifest.points if entry.point == point)
        others = {each.name for each in self.manifest.parameters if each.kind != "constant"}
        found = {name: text for name, text in entry.parameters.items() if name not in others}
        # A trace is worth showing without its record too.
        with contextlib.suppress(StoreError, InputError), self.store.archive(entry.run_id) as archive:
            text = archive.record.executions[0].config_text
            found = {**dict(parse_config(text, Path(self.store.path)).config.assignments), **found}
        return found

    def _pandas(self, name: str) -> pd.DataFrame:
        from tla2py.tables.pandas import pandas_frame

        return pandas_frame(self.arrow(name))
