"""Typed rows of ``coverage`` and ``diagnostics``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from tla2py.errors import Place
from tla2py.model.outcome import Diagnostic
from tla2py.tables.read import Files, read_rows
from tla2py.tables.runs import RunRow

# More points are counted, not listed.
_POINTS = 8


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
    """The rows of ``coverage`` for actions and initial states; a count that TLC omits is 0."""
    columns = [field.name for field in fields(ActionRow)]
    for run_id, kind, module, name, line, generated, distinct in read_rows(files, columns):
        if kind in ("init", "action"):
            yield ActionRow(
                run_id=run_id,
                kind=kind,
                module=module,
                name=name,
                begin_line=line,
                generated=generated or 0,
                distinct=distinct or 0,
            )


def run_notes(files: Files, rows: Iterable[RunRow]) -> list[str]:
    """tla2py's own notes in ``diagnostics``, each once, with its points; ``rows`` are those of ``runs``."""
    points: dict[str, list[int]] = {}
    for row in rows:
        points.setdefault(row.run_id, []).append(row.point)
    found: dict[str, list[int]] = {}
    for run_id, code, text in read_rows(files, ("run_id", "code", "text")):
        if code < 0:
            found.setdefault(text, []).extend(points.get(run_id, ()))
    notes = sorted(found.items(), key=lambda note: min(note[1], default=0))
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
