"""A store as analyses read it: its points, its traces and its tables."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tla2py.errors import InputError, StoreError
from tla2py.model.finding import Findings
from tla2py.model.row import RunRow, TraceRow
from tla2py.model.trace import SIMULATED, Trace
from tla2py.store.fragments import wrong_value
from tla2py.store.manifest import Manifest
from tla2py.store.read import (
    TRACE_COLUMNS,
    pandas_frame,
    run_rows,
    shortest_traces,
    trace_rows,
    trace_states,
    with_states,
)
from tla2py.store.refresh import stored_table, table_files
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.store import Store, StoredPoints
from tla2py.tlc.config.read import parse_config

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame


def _frame(name: str, doc: str) -> cached_property[pd.DataFrame]:
    """The property that is a table as a pandas frame."""

    def frame(tables: StoreTables) -> pd.DataFrame:
        return pandas_frame(tables.arrow(name))

    frame.__doc__ = doc
    return cached_property(frame)


class TraceAnswers(Protocol):
    """Traces of a store with what TLC answered about them."""

    def answer(self, view: StoreTables, point: int, number: int) -> Trace:
        """Return a point's trace with the answers."""


class StoreTables:
    """A store's points, its traces, and its tables as pandas frames, as Arrow and in Spark."""

    def __init__(self, store: Store, answers: TraceAnswers | None = None) -> None:
        self.store = store
        self._answers = answers

    @property
    def asks(self) -> bool:
        """Whether TLC answers something about each trace."""
        return self._answers is not None

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

    runs = _frame("runs", "A row per point.")
    traces = _frame("traces", "A row per counterexample.")
    states = _frame("states", "A row per state of a counterexample; ``state`` is ITF as JSON text.")
    changes = _frame("changes", "A row per innermost part of a variable that a step changed.")
    prints = _frame("prints", "A row per value that Print, PrintT or an Assert printed.")
    mutants = _frame("mutants", "A row per mutant of the specification.")
    simulations = _frame("simulations", "A row per run that simulated, with its statistics.")
    graph_states = _frame("graph_states", "A row per reachable state, if the graph was requested.")
    graph_edges = _frame(
        "graph_edges", "A row per step between reachable states, if the graph was requested."
    )
    coverage = _frame("coverage", "A row per action or expression of the coverage reports.")

    @cached_property
    def run_rows(self) -> Sequence[RunRow]:
        """The rows of ``runs``, without pandas."""
        rows = run_rows(table_files(self.store, "runs"))
        points = set(self.points.table["point"].to_pylist())
        for row in rows:
            if row.point not in points:
                raise wrong_value("runs", f"point {row.point}, which the store lacks")
        return rows

    @cached_property
    def trace_rows(self) -> Sequence[TraceRow]:
        """The rows of ``traces``, without pandas."""
        return trace_rows(stored_table(self.store, "traces", TRACE_COLUMNS))

    @cached_property
    def shortest_traces(self) -> Mapping[tuple[str, str], TraceRow]:
        """The shortest trace of each run and label."""
        return shortest_traces(self.trace_rows)

    def trace(self, point: int, number: int = 1) -> Trace:
        """A point's counterexample, with typed values. Raises InputError (``no-point``, ``no-trace``)."""
        if self._answers is not None:
            return self._answers.answer(self, point, number)
        traces = self.trace_list(point)
        if not traces:
            run = next((run for run in self.run_rows if run.point == point), None)
            verdict = "not known" if run is None else run.verdict.value
            if run is not None and run.untold:  # before a failed Assert old versions of TLC print no states
                verdict += f" ({' '.join(run.untold.split())})"
            raise InputError(
                "no-trace",
                f"point {point} of {self.store.path} has no counterexample: its verdict is {verdict}",
                where=run.message_place if run is not None else None,
                hint=f"'tla2py trace {self.store.path}' lists the points that have one",
            )
        if not 1 <= number <= len(traces):
            hint = f"choose a trace from 1 to {len(traces)}"
            raise InputError("no-trace", f"point {point} has no trace {number}", hint=hint)
        row = traces[number - 1]
        states = trace_states(table_files(self.store, "states"), row.run_id, row.trace)
        return with_states(row, states, self.constants(point))

    @cached_property
    def because(self) -> Mapping[tuple[str, int | None], str]:
        """What TLC answered why a run violates what it does, by run and trace: the nearest cause."""
        table = stored_table(self.store, "because", ["run_id", "trace", "rank", "says"])
        rows = (tuple(row.values()) for row in table.to_pylist())
        return {
            (run_id, trace): f"because {says}" if rank else says
            for run_id, trace, rank, says in rows
            if rank in (None, 1)
        }

    def why_line(self, point: int, number: int | None) -> str:
        """Why a point's trace violates what it does, or the command that asks; empty where there is nothing to ask."""
        rows = {row.trace: row for row in self.trace_list(point)}
        asks = shlex.join(["tla2py", "trace", str(self.store.path), str(point), "--why"])
        if self.store.tables is not None or (number is not None and rows[number].kind == SIMULATED):
            return ""
        return self.because.get((self._run_id(point), number)) or f"why: {asks}"

    def constants(self, point: int) -> dict[str, str]:
        """A point's constants as TLA+ text, as far as its record has them."""
        entry = self.points[point]
        others = {each.name for each in self.manifest.parameters if each.kind != "constant"}
        found = {name: text for name, text in entry.parameters.items() if name not in others}
        # A trace can be shown without its record.
        with contextlib.suppress(StoreError, InputError), self.store.archive(entry.run_id) as archive:
            text = archive.record.executions[0].config_text
            found = {**dict(parse_config(text, Path(self.store.path)).config.assignments), **found}
        return found

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

    def arrow(self, name: str) -> pa.Table:
        """A table as Arrow. Raises InputError (``unknown-table``)."""
        if name not in TABLE_NAMES:
            hint = f"tables: {', '.join(TABLE_NAMES)}"
            raise InputError("unknown-table", f"not a table: {name}", hint=hint)
        return stored_table(self.store, name)

    def query(self, sql: str) -> pd.DataFrame:
        """The answer to SQL over the tables, in DuckDB's dialect. Raises InputError (``no-query``, ``sql``)."""
        from tla2py.analysis.query import query_frame

        return query_frame(self.store, sql)

    def spark(self, name: str) -> DataFrame:
        """A table as a Spark frame, in the active session or in a new one on ``local[*]``."""
        from tla2py.spark.choice import require_pyspark

        require_pyspark()
        from tla2py.spark.frames import table_frame
        from tla2py.spark.session import shared_session

        return table_frame(shared_session(), self.store, name)
