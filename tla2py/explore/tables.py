"""The tables of an opened store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from tla2py.errors import InputError
from tla2py.lint.accept import Findings
from tla2py.store.manifest import Manifest
from tla2py.store.points import Points
from tla2py.store.store import Store
from tla2py.tables.files import stored_table, table_files
from tla2py.tables.runs import RunRow, run_rows
from tla2py.tables.schema import TABLE_NAMES
from tla2py.tables.traces import TRACE_COLUMNS, TraceRow, shortest_traces, trace_rows

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame


class StoreTables:
    """A store's points and its tables as pandas frames, as Arrow and in Spark."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @cached_property
    def manifest(self) -> Manifest:
        """The store's manifest."""
        return self.store.manifest()

    @cached_property
    def points(self) -> Points:
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
        from tla2py.spark import require_pyspark

        require_pyspark()
        from tla2py.spark.frames import table_frame
        from tla2py.spark.session import shared_session

        return table_frame(shared_session(), self.store, name)

    def _pandas(self, name: str) -> pd.DataFrame:
        from tla2py.tables.pandas import pandas_frame

        return pandas_frame(self.arrow(name))
