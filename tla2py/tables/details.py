"""Typed rows of ``coverage`` and ``diagnostics``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from tla2py.errors import Place
from tla2py.model.outcome import Diagnostic
from tla2py.tables.read import Source, read_rows


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


def action_rows(source: Source) -> Iterator[ActionRow]:
    """The rows of ``coverage`` for actions and initial states; a count that TLC omits is 0."""
    columns = [field.name for field in fields(ActionRow)]
    for run_id, kind, module, name, line, generated, distinct in read_rows(source, columns):
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


def first_errors(source: Source) -> dict[str, Diagnostic]:
    """Each run's first error in ``diagnostics``, by run id."""
    found: dict[str, Diagnostic] = {}
    columns = ("run_id", "severity", "code", "text", "file", "line", "column", "excerpt")
    for run_id, severity, code, text, file, line, column, excerpt in read_rows(source, columns):
        if severity == "error" and run_id not in found:
            place = Place(file=file, line=line, column=column, excerpt=excerpt or "") if file else None
            found[run_id] = Diagnostic(code=code, severity=severity, text=text, place=place)
    return found
