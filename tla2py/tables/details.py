"""Typed rows of ``coverage``, ``diagnostics`` and ``log_lines``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from tla2py.errors import Place
from tla2py.model.outcome import Diagnostic
from tla2py.tables.read import Files, read_rows, read_run
from tla2py.tables.runs import RunRow
from tla2py.text import cut
from tla2py.tlc.output.notes import note_text

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


class LogLine(NamedTuple):
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


def unmatched_lines(logs: Files, lines: Files) -> dict[str, LogLine]:
    """The first line that no behaviour explains, by run, of the logs that have one; from ``logs`` and ``log_lines``."""
    found: dict[str, LogLine] = {}
    for run_id, place, number in read_rows(logs, ("run_id", "place", "first_unmatched")):
        if place is not None and run_id not in found:
            texts = (text for line, text in read_run(lines, ("line", "text"), run_id) if line == number)
            at = Place.parse(place)
            found[run_id] = LogLine(at.file, at.line or 1, next(texts, ""))
    return found


def state_lines(lines: Files) -> dict[str, dict[int, LogLine]]:
    """The lines that lead to the states of a log's trace, by run and state; from ``log_lines``."""
    found: dict[str, dict[int, LogLine]] = {}
    for run_id, state, file, number, text in read_rows(
        lines, ("run_id", "state", "file", "file_line", "text")
    ):
        if state is not None:
            found.setdefault(run_id, {})[state] = LogLine(file, number, text)
    return found
