"""Notes on a run's surroundings: what the sandbox hid from it, and which of its files were dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tla2py.errors import Place
from tla2py.model.outcome import Diagnostic
from tla2py.model.result import RunResult
from tla2py.model.run import RunRecord
from tla2py.tlc.output.codes import Code

# The codes of notes; TLC's own are positive.
_HIDDEN = -1
_DROPPED = -2
REMARK = -4
"""The code of a remark on a line of the log that a run checks."""

_MOST_NAMES = 5
# Java's words for a file that is missing or denied, with its name, and for no network.
_FILE = re.compile(
    r"(?:NoSuchFileException|AccessDeniedException): ([^\s:]+)"
    r"|(?:FileNotFoundException: )?([^\s:]+) \((?:No such file[^)]*|Permission denied)\)"
)
_NETWORK = re.compile(r"Network is unreachable|(?:Socket|Connect)Exception: Operation not permitted")
# TLC's error for a field that a record lacks. Every run's environment has the variable LC_ALL.
_FIELD = re.compile(r"nonexistent (?:record )?field \"?(\w+)")
_ENVIRONMENT = "LC_ALL |->"


def with_notes(result: RunResult, record: RunRecord) -> RunResult:
    """The result with notes among its diagnostics, as warnings."""
    notes = [Diagnostic(code=code, severity="warning", text=text) for code, text in _notes(result, record)]
    diagnostics = result.diagnostics
    for remark in record.remarks:
        place = Place(file=remark.file, line=remark.line)
        severity = "error" if remark.refuses else "warning"
        notes.append(Diagnostic(code=REMARK, severity=severity, text=remark.text, place=place))
        # In place of the message that TLC did not start.
        diagnostics = () if remark.refuses else diagnostics
    return replace(result, diagnostics=(*diagnostics, *notes)) if notes else result


def note_text(code: int, text: str) -> str | None:
    """A message of a run as a note for people, None if it is not one.

    Notes are tla2py's own, and TLC's warning that steps which change a variable may count as stuttering.
    """
    if code == Code.SUBSCRIPT_INCOMPLETE:
        return f"TLC warns: {' '.join(text.split())}"
    return text if code < 0 else None


def notes_of(result: RunResult) -> list[str]:
    """The texts of a result's notes."""
    notes = (note_text(each.code, each.text) for each in result.diagnostics)
    return [note for note in notes if note is not None]


def _notes(result: RunResult, record: RunRecord) -> Iterator[tuple[int, str]]:
    errors = [each.text for each in result.diagnostics if each.severity == "error"]
    if not record.limits.trust:
        found = dict.fromkeys(_hidden(error, record) for error in errors)
        yield from ((_HIDDEN, text) for text in found if text is not None)
    if record.dropped:
        names = ", ".join(record.dropped[:_MOST_NAMES])
        more = f" and {len(record.dropped) - _MOST_NAMES} more" if len(record.dropped) > _MOST_NAMES else ""
        yield _DROPPED, f"the run wrote {names}{more}, dropped; a sweep keeps what [outputs] files declares"


def _hidden(error: str, record: RunRecord) -> str | None:
    """What the sandbox hid from a run with this error, and how to declare it."""
    if _NETWORK.search(error):
        return "the sandbox gives runs no network; --trust does"
    field = _FIELD.search(error)
    if field is not None and _ENVIRONMENT in error:
        return (
            f"the sandbox hides your environment, so the run has no variable {field[1]}; declare it: "
            f"[environment] {field[1]} = ..., or --env {field[1]}=... for a check"
        )
    file = _FILE.search(error)
    name = (file[1] or file[2]) if file is not None else None
    if name is None or name in {each.path for each in record.inputs.files}:
        return None
    if name.startswith("/"):
        return (
            f"the sandbox hides {name}; read it by a relative path and declare it with [inputs] files, or --input for a "
            "check; --trust gives access to all files"
        )
    return f"the sandbox hides undeclared files, so the run has no {name}; declare it with [inputs] files, or --input for a check"
