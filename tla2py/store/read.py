"""Typed rows of the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tla2py.errors import InputError, Place
from tla2py.model.logs import SaidLines
from tla2py.model.outcome import Diagnostic, Outcome, Verdict, Violation
from tla2py.model.row import RunRow, TraceRow
from tla2py.model.trace import Location, State, Trace
from tla2py.store.fragments import Files, read_batches, read_rows, read_run, table_rows, wrong_value
from tla2py.store.schema import runs_columns
from tla2py.text import cut, listed
from tla2py.tla.itf import TraceStateReader
from tla2py.tlc.output.collector import note_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# What is equal in most rows.
_SHARED = tuple(
    each.name
    for each in runs_columns(())
    if each.kind in ("string", "strings", "violations") and each.name != "run_id"
)

# What is made of a value of such a column.
_MADE: dict[str, Callable[[Any], object]] = {
    "outcome": Outcome,
    "verdict": Verdict,
    "violated": lambda found: tuple(Violation(kind=each["kind"], name=each["name"]) for each in found),
    **dict.fromkeys(("checked", "held", "undecided"), tuple),
}

FIRST_COUNTS = "counts of the first of several executions"


def run_rows(files: Files) -> list[RunRow]:
    """The rows of ``runs``, in order. Raises StoreError (``table-damaged``) for a value that tla2py never writes."""
    # Arrow imports pandas to make times; nothing reads them from rows.
    names = [field.name for field in fields(RunRow) if field.name != "started_at"]
    # Equal values are held once: there may be a hundred thousand rows.
    shared: dict[str, dict[object, Any]] = {name: {} for name in _SHARED}
    rows = list[RunRow]()
    for batch in read_batches(files, names):
        columns = dict(zip(batch.schema.names, (column.to_pylist() for column in batch.columns), strict=True))
        for name in columns.keys() & shared.keys():
            known, make = shared[name], _MADE.get(name)
            for place, value in enumerate(columns[name]):
                try:
                    made = value if make is None else make(value)
                except (ValueError, TypeError) as error:
                    raise wrong_value("runs", f"{value!r} as {name}") from error
                columns[name][place] = known.setdefault(made, made)
        rows += [
            RunRow(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)
        ]
    return rows


def run_violations(files: Files) -> Iterator[tuple[str, tuple[Violation, ...]]]:
    """The ids of the runs in ``runs`` that violate something, each with what it violates, in order."""
    for run_id, violated in read_rows(files, ("run_id", "violated")):
        if violated:
            yield run_id, tuple(Violation(kind=each["kind"], name=each["name"]) for each in violated)


def run_seconds(files: Files) -> dict[str, tuple[float, float]]:
    """The known CPU and wall-clock times of the runs in ``runs``, by run id.

    Raises OSError and ValueError if the file is not such a table.
    """
    columns = ("run_id", "cpu_seconds", "wall_seconds")
    return {run_id: (cpu, wall) for run_id, cpu, wall in read_rows(files, columns) if None not in (cpu, wall)}


def start_days(files: Files) -> list[str]:
    """The days on which the runs of ``runs`` began, as YYYY-MM-DD in UTC. Raises StoreError (``table-damaged``)."""
    try:
        batches = read_batches(files, ["started_at"])
        days = [day for batch in batches for day in batch["started_at"].cast("date32").to_pylist()]
    except OverflowError as error:
        raise wrong_value("runs", "a started_at beyond all years") from error
    return [day.isoformat() for day in days if day is not None]


# More points are counted, not listed.
_POINTS = 8
# Of a line of a log.
_MOST_TEXT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """A row of ``coverage`` for an action, or for the initial states if ``kind`` is ``init``."""

    run_id: str
    kind: str
    module: str
    name: str
    begin_line: int
    generated: int
    distinct: int


def action_rows(files: Files) -> Iterator[ActionRow]:
    """The rows of ``coverage`` for actions and initial states; a count that TLC omits is 0.

    Of a run on a log they are the actions of the specification, if known, not those that read the log.
    """
    columns = [field.name for field in fields(ActionRow)]
    logs = {run_id for run_id, kind in read_rows(files, ("run_id", "kind")) if kind == "log"}
    for run_id, kind, module, name, line, generated, distinct in read_rows(files, columns):
        if kind == "init" or kind == ("log" if run_id in logs else "action"):
            yield ActionRow(
                run_id=run_id,
                kind="init" if kind == "init" else "action",
                module=module,
                name=name,
                begin_line=line,
                generated=generated or 0,
                distinct=distinct or 0,
            )


def run_notes(files: Files, rows: Iterable[RunRow]) -> list[str]:
    """The notes in ``diagnostics``, each once, with its points; ``rows`` are those of ``runs``."""
    texts: dict[str, list[str]] = {}
    for run_id, code, text in read_rows(files, ("run_id", "code", "text")):
        note = note_text(code, text)
        if note is not None:
            texts.setdefault(run_id, []).append(note)
    found: dict[str, list[int]] = {}
    for row in rows if texts else ():
        for text in texts.get(row.run_id, ()):
            found.setdefault(text, []).append(row.point)
    notes = sorted(found.items(), key=lambda note: note[1][0])
    return [
        f"point{'s' * (len(numbers) > 1)} {listed(sorted(numbers), _POINTS)}: {text}"
        for text, numbers in notes
    ]


def first_errors(files: Files) -> dict[str, Diagnostic]:
    """Each run's first error in ``diagnostics``, by run id."""
    found: dict[str, Diagnostic] = {}
    columns = ("run_id", "severity", "code", "text", "file", "line", "column", "excerpt")
    for run_id, severity, code, text, file, line, column, excerpt in read_rows(files, columns):
        if severity == "error" and run_id not in found:
            place = Place(file=file, line=line, column=column, excerpt=excerpt or "") if file else None
            found[run_id] = Diagnostic(code=code, severity=severity, text=text, place=place)
    return found


class StoredLine(NamedTuple):
    """A line of a log: the file, its number there and its text."""

    file: str
    number: int
    text: str

    @property
    def numbered(self) -> str:
        """The number and the text."""
        return f"{self.number}: {cut(self.text, _MOST_TEXT)}"

    def __str__(self) -> str:
        return f"no behaviour explains {self.file}:{self.number}: {cut(self.text, _MOST_TEXT)}"


def unmatched_lines(logs: Files, lines: Files) -> dict[str, StoredLine]:
    """The first line that no behaviour explains, by run, of the logs that have one; from ``logs`` and ``log_lines``."""
    found: dict[str, StoredLine] = {}
    for run_id, place, number in read_rows(logs, ("run_id", "place", "first_unmatched")):
        if place is not None and run_id not in found:
            texts = (text for line, text in read_run(lines, ("line", "text"), run_id) if line == number)
            at = Place.parse(place)
            found[run_id] = StoredLine(at.file, at.line or 1, next(texts, ""))
    return found


def said_lines(logs: Files) -> dict[str, SaidLines]:
    """Return how many lines of each log say something, by run; from ``logs``."""
    rows = read_rows(logs, ("run_id", "said", "lines"))
    return {run_id: SaidLines(said, lines) for run_id, said, lines in rows}


def state_lines(lines: Files) -> dict[str, dict[int, StoredLine]]:
    """The lines that lead to the states of a log's trace, by run and state; from ``log_lines``."""
    found: dict[str, dict[int, StoredLine]] = {}
    columns = ("run_id", "state", "file", "file_line", "text")
    for run_id, state, file, number, text in read_rows(lines, columns):
        if state is not None:
            found.setdefault(run_id, {})[state] = StoredLine(file, number, text)
    return found


def pandas_frame(table: pa.Table) -> pd.DataFrame:
    """An Arrow table as a frame with nullable integer and boolean columns. Raises InputError (``pandas-missing``)."""
    import pyarrow as pa

    try:
        import pandas as pd
    except ImportError as error:
        hint = "pip install 'tla2py[pandas]', or take Arrow tables: store.arrow(\"runs\")"
        raise InputError("pandas-missing", "tables as frames need pandas", hint=hint) from error
    # A column of counts stays an integer column even if some are null.
    nullable = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame: pd.DataFrame = table.to_pandas(types_mapper=nullable.get)
    return frame


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


def with_states(row: TraceRow, states: tuple[State, ...], constants: Mapping[str, str]) -> Trace:
    """A counterexample. Raises StoreError (``table-damaged``) if these are not its states."""
    if len(states) != row.length or not 1 <= (row.loop_start or 1) <= max(row.length, 1):
        raise wrong_value("traces", f"a length of {row.length} for {len(states)} states")
    shared = {name: getattr(row, name) for name in TRACE_COLUMNS if name not in ("run_id", "trace", "length")}
    return Trace(**shared, states=states, constants=constants)


def shortest_traces(rows: Iterable[TraceRow]) -> Mapping[tuple[str, str], TraceRow]:
    """The first shortest non-empty trace of each run and label."""
    found: dict[tuple[str, str], TraceRow] = {}
    for row in rows:
        key = (row.run_id, row.label)
        if row.length and (key not in found or row.length < found[key].length):
            found[key] = row
    return found


_PLACE = ("module", "begin_line", "begin_column", "end_line", "end_column")
_STATE = ("index", "action", "action_args", "state", *_PLACE)


def trace_states(files: Files, run_id: str, trace: int) -> tuple[State, ...]:
    """The states of a run's trace, by its number, in ``states``."""
    reader = TraceStateReader()
    rows = read_run(files, ("trace", *_STATE), run_id)
    return tuple(_state(row, reader) for number, *row in rows if number == trace)


States: TypeAlias = "Mapping[tuple[str, int], tuple[State, ...]]"
"""The states of traces, by run id and trace number."""


def states_of(files: Files) -> States:
    """The states of each trace in ``states``, by run id and trace number."""
    found: dict[tuple[str, int], list[State]] = {}
    reader = TraceStateReader()
    for run_id, trace, *row in read_rows(files, ("run_id", "trace", *_STATE)):
        found.setdefault((run_id, trace), []).append(_state(row, reader))
    return {key: tuple(sorted(states, key=lambda state: state.index)) for key, states in found.items()}


def _state(row: Sequence[Any], reader: TraceStateReader) -> State:
    index, action, args, text, *at = row
    try:
        values = reader.read(text)
    except (ValueError, TypeError, AttributeError) as error:
        raise wrong_value("states", f"a state that cannot be read: {cut(text, 60)}") from error
    return State(
        index=index,
        action=action,
        action_args=None if args is None else tuple(args),
        location=None if at[0] is None else Location(**dict(zip(_PLACE, at, strict=True))),
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
