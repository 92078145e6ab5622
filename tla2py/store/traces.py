"""Typed rows of ``traces`` and ``states``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from tla2py.model.trace import Location, State, Trace, TraceKind, label_of
from tla2py.store.read import Files, read_rows, read_run, table_rows, wrong_value
from tla2py.text import cut
from tla2py.tla.itf import state_from_itf

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """A row of ``traces``: a counterexample without its states; see ``Trace``.

    ``trace`` is its number within its run, from 1; ``length`` counts its states.
    """

    run_id: str
    trace: int
    kind: TraceKind
    name: str
    length: int
    loop_start: int | None
    loop_action: str | None
    loop_action_args: tuple[str, ...] | None
    stuttering: bool
    cut_off: bool

    @property
    def label(self) -> str:
        """What it violates, see ``label_of``."""
        return label_of(self.kind, self.name)

    def with_states(self, states: tuple[State, ...], constants: Mapping[str, str]) -> Trace:
        """The counterexample. Raises StoreError (``table-damaged``) if these are not its states."""
        if len(states) != self.length or not 1 <= (self.loop_start or 1) <= max(self.length, 1):
            raise wrong_value("traces", f"a length of {self.length} for {len(states)} states")
        return Trace(
            kind=self.kind,
            name=self.name,
            states=states,
            loop_start=self.loop_start,
            loop_action=self.loop_action,
            loop_action_args=self.loop_action_args,
            stuttering=self.stuttering,
            cut_off=self.cut_off,
            constants=constants,
        )


TRACE_COLUMNS = tuple(field.name for field in fields(TraceRow))


def trace_rows(table: pa.Table) -> list[TraceRow]:
    """The rows of ``traces``, in order. Raises StoreError (``table-damaged``) if they are not numbered within their runs."""
    rows = []
    last: dict[str, int] = {}
    for values in table_rows(table, TRACE_COLUMNS):
        row = dict(zip(TRACE_COLUMNS, values, strict=True))
        run_id, number, args = row["run_id"], row["trace"], row["loop_action_args"]
        if number != last.get(run_id, 0) + 1:
            raise wrong_value("traces", f"a trace {number} of {run_id} after trace {last.get(run_id, 0)}")
        last[run_id] = number
        rows.append(TraceRow(**row | {"loop_action_args": None if args is None else tuple(args)}))
    return rows


def shortest_traces(rows: Iterable[TraceRow]) -> Mapping[tuple[str, str], TraceRow]:
    """The first shortest non-empty trace of each run and label."""
    found: dict[tuple[str, str], TraceRow] = {}
    for row in rows:
        key = (row.run_id, row.label)
        if row.length and (key not in found or row.length < found[key].length):
            found[key] = row
    return found


_STATE = (
    "index",
    "action",
    "action_args",
    "state",
    "module",
    "begin_line",
    "begin_column",
    "end_line",
    "end_column",
)


def trace_states(files: Files, run_id: str, trace: int) -> tuple[State, ...]:
    """The states of a run's trace, by its number, in ``states``."""
    return tuple(
        _state(row) for number, *row in read_run(files, ("trace", *_STATE), run_id) if number == trace
    )


States: TypeAlias = "Mapping[tuple[str, int], tuple[State, ...]]"
"""The states of traces, by run id and trace number."""


def states_of(files: Files) -> States:
    """The states of each trace in ``states``, by run id and trace number."""
    found: dict[tuple[str, int], list[State]] = {}
    for run_id, trace, *row in read_rows(files, ("run_id", "trace", *_STATE)):
        found.setdefault((run_id, trace), []).append(_state(row))
    return {key: tuple(sorted(states, key=lambda state: state.index)) for key, states in found.items()}


def _state(row: Sequence[Any]) -> State:
    index, action, args, text, *at = row
    try:
        values = state_from_itf(json.loads(text))
    except (ValueError, TypeError, AttributeError) as error:
        raise wrong_value("states", f"a state that cannot be read: {cut(text, 60)}") from error
    return State(
        index=index,
        action=action,
        action_args=None if args is None else tuple(args),
        location=None if at[0] is None else Location(**dict(zip(_STATE[4:], at, strict=True))),
        values=values,
    )


def trace_actions(files: Files) -> Mapping[tuple[str, int], tuple[str, ...]]:
    """The named actions of each trace in ``states``, by run id and trace number."""
    found: dict[tuple[str, int], list[tuple[int, str]]] = {}
    for run_id, trace, index, action in read_rows(files, ("run_id", "trace", "index", "action")):
        if action is not None:
            found.setdefault((run_id, trace), []).append((index, action))
    return {key: tuple(action for _, action in sorted(steps)) for key, steps in found.items()}


def last_changes(files: Files, rows: Iterable[TraceRow]) -> Mapping[tuple[str, int], frozenset[str]]:
    """The variables in ``changes`` that the last step of each trace changes, by run id and trace number."""
    last = {(row.run_id, row.trace): row.length for row in rows}
    found: dict[tuple[str, int], set[str]] = {}
    for run_id, trace, index, variable in read_rows(files, ("run_id", "trace", "index", "variable")):
        if last.get((run_id, trace)) == index:
            found.setdefault((run_id, trace), set()).add(variable)
    return {key: frozenset(names) for key, names in found.items()}
