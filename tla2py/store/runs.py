"""Typed rows of ``runs``."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from tla2py.errors import InputError, Place
from tla2py.model.outcome import Diagnostic, Outcome, Verdict, Violation
from tla2py.model.row import RunRow
from tla2py.store.read import BATCH_ROWS, Files, read_batches, read_rows, read_run, read_table, wrong_value
from tla2py.store.schema import FIXED_RUNS_COLUMNS
from tla2py.text import cut
from tla2py.tlc.output.collector import note_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


# What is equal in most rows.
_SHARED = (
    "outcome",
    "verdict",
    "violated",
    "checked",
    "held",
    "undecided",
    "message",
    "message_place",
    "termination_reason",
    "tlc_version",
    "tlc_revision",
    "jar_sha256",
    "executor",
)

# What is made of a value of such a column.
_MADE: dict[str, Callable[[Any], object]] = {
    "outcome": Outcome,
    "verdict": Verdict,
    "violated": lambda found: tuple(Violation(kind=each["kind"], name=each["name"]) for each in found),
    **dict.fromkeys(("checked", "held", "undecided"), tuple),
}

FIRST_COUNTS = "counts of the first of several executions"


class RunRows(Sequence[RunRow]):
    """The rows of ``runs`` in order, each made when it is read: a hundred thousand would need many times the memory.

    ``shared`` has, by column, the different values and the number of each row's among them; ``table`` has the other
    columns.
    """

    def __init__(self, table: pa.Table, shared: Mapping[str, tuple[Sequence[object], array[int]]]) -> None:
        self._table = table
        self._shared = shared

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __iter__(self) -> Iterator[RunRow]:
        start = 0
        for batch in self._table.to_batches(max_chunksize=BATCH_ROWS):
            yield from self._made(batch, start)
            start += batch.num_rows

    @overload
    def __getitem__(self, index: int) -> RunRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RunRow, ...]: ...
    def __getitem__(self, index: int | slice) -> RunRow | tuple[RunRow, ...]:
        places = range(len(self))[index]
        return self._row(places) if isinstance(places, int) else tuple(map(self._row, places))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunRows) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _row(self, place: int) -> RunRow:
        (batch,) = self._table.slice(place, 1).to_batches()
        return next(self._made(batch, place))

    def check_points(self, points: pa.ChunkedArray) -> None:
        """Raise StoreError (``table-damaged``) for a row of a point that is not one of these."""
        import pyarrow.compute as pc

        if len(self):
            own = self._table["point"]
            others = own.filter(pc.invert(pc.is_in(own, value_set=points.combine_chunks())))
            if len(others):
                raise wrong_value("runs", f"point {others[0]}, which the store lacks")

    def _made(self, batch: pa.RecordBatch, start: int) -> Iterator[RunRow]:
        columns: dict[str, Iterable[Any]] = dict(
            zip(batch.schema.names, (column.to_pylist() for column in batch.columns), strict=True)
        )
        for name, (values, codes) in self._shared.items():
            columns[name] = map(values.__getitem__, codes[start : start + batch.num_rows])
        for row in zip(*columns.values(), strict=True):
            yield RunRow(**dict(zip(columns, row, strict=True)))


def run_rows(files: Files) -> RunRows:
    """The rows of ``runs``, in order. Raises StoreError (``table-damaged``) for a value that tla2py never writes."""
    import pyarrow as pa

    # Without the other columns, which would double the memory.
    # Arrow imports pandas to make times; nothing reads them from rows.
    names = [field.name for field in fields(RunRow) if field.name != "started_at"]
    numbers: dict[str, dict[object, int]] = {}
    codes: dict[str, array[int]] = {}
    parts = []
    for batch in read_batches(files, names):
        shared = [name for name in _SHARED if name in batch.schema.names]
        for name in shared:
            known, found = numbers.setdefault(name, {}), codes.setdefault(name, array("I"))
            make = _MADE.get(name)
            for value in batch[name].to_pylist():
                try:
                    found.append(known.setdefault(value if make is None else make(value), len(known)))
                except (ValueError, TypeError) as error:
                    raise wrong_value("runs", f"{value!r} as {name}") from error
        parts.append(batch.drop_columns(shared))
    table = pa.Table.from_batches(parts) if parts else pa.table({})
    return RunRows(table, {name: (tuple(known), codes[name]) for name, known in numbers.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsRow:
    """A run's outcome and the limits it ran under."""

    run_id: str
    outcome: Outcome
    verdict: Verdict
    timeout_seconds: float
    memory_bytes: int
    disk_bytes: int | None


def limits_rows(files: Files) -> Iterator[LimitsRow | None]:
    """The limits of the runs in ``runs``; None for an outcome that this version does not know.

    Raises OSError and ValueError if the file is not such a table.
    """
    columns = tuple(field.name for field in fields(LimitsRow))
    known = set(Outcome)
    for run_id, outcome, verdict, timeout, memory, disk in read_rows(files, columns):
        if outcome not in known:
            yield None
            continue
        yield LimitsRow(
            run_id=run_id,
            outcome=Outcome(outcome),
            verdict=Verdict(verdict),
            timeout_seconds=timeout,
            memory_bytes=memory,
            disk_bytes=disk,
        )


def run_seconds(files: Files) -> dict[str, tuple[float, float]]:
    """The known CPU and wall-clock times of the runs in ``runs``, by run id.

    Raises OSError and ValueError if the file is not such a table.
    """
    columns = ("run_id", "cpu_seconds", "wall_seconds")
    return {run_id: (cpu, wall) for run_id, cpu, wall in read_rows(files, columns) if None not in (cpu, wall)}


def run_numbers(files: Files) -> list[Mapping[str, float | None]]:
    """The numeric values of each row of ``runs``, parameters included, by column."""
    import pyarrow.parquet as pq
    from pyarrow import types

    schema = pq.read_schema(files[0])
    names = [field.name for field in schema if types.is_integer(field.type) or types.is_floating(field.type)]
    return [dict(zip(names, values, strict=True)) for values in read_rows(files, names)]


def start_days(files: Files) -> list[str]:
    """The days on which the runs of ``runs`` began, as YYYY-MM-DD in UTC. Raises StoreError (``table-damaged``)."""
    try:
        days = read_table(files, ["started_at"])["started_at"].cast("date32").to_pylist()
    except OverflowError as error:
        raise wrong_value("runs", "a started_at beyond all years") from error
    return [day.isoformat() for day in days if day is not None]


def parameter_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The parameters' columns: their own names, prefixed with ``parameter_`` while the name is taken.

    Spark ignores case, so names that differ only in case collide.
    """
    taken = {column.lower() for column in FIXED_RUNS_COLUMNS}
    columns = []
    for name in names:
        column = name
        while column.lower() in taken:
            column = f"parameter_{column}"
        taken.add(column.lower())
        columns.append(column)
    return tuple(columns)


def parameter_type(values: Collection[str]) -> str:
    """``integer`` or ``boolean`` if every value is one, otherwise ``text``."""
    if all(re.fullmatch(r"-?[0-9]{1,18}", value) for value in values):
        return "integer"
    return "boolean" if all(value in ("TRUE", "FALSE") for value in values) else "text"


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
    return [f"{_points_text(sorted(numbers))}: {text}" for text, numbers in notes]


def _points_text(points: Sequence[int]) -> str:
    more = f" and {len(points) - _POINTS} more" if len(points) > _POINTS else ""
    return f"point{'s' * (len(points) > 1)} {', '.join(map(str, points[:_POINTS]))}{more}"


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


def state_lines(lines: Files) -> dict[str, dict[int, StoredLine]]:
    """The lines that lead to the states of a log's trace, by run and state; from ``log_lines``."""
    found: dict[str, dict[int, StoredLine]] = {}
    for run_id, state, file, number, text in read_rows(
        lines, ("run_id", "state", "file", "file_line", "text")
    ):
        if state is not None:
            found.setdefault(run_id, {})[state] = StoredLine(file, number, text)
    return found


def pandas_frame(table: pa.Table) -> pd.DataFrame:
    """An Arrow table as a frame with nullable integer and boolean columns. Raises InputError (``pandas-missing``)."""
    import pyarrow as pa

    try:
        import pandas as pd
    except ImportError as error:
        raise InputError(
            "pandas-missing",
            "tables as frames need pandas",
            hint="pip install 'tla2py[pandas]', or take Arrow tables: store.arrow(\"runs\")",
        ) from error
    # A column of counts stays an integer column even if some are null.
    nullable = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    frame: pd.DataFrame = table.to_pandas(types_mapper=nullable.get)
    return frame
