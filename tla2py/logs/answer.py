"""The answer of a run on its log, in lines of the file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tla2py.errors import InputError
from tla2py.logs.files import LogText
from tla2py.model.logs import LogInput
from tla2py.model.outcome import Verdict
from tla2py.model.run import Progress, RunResult
from tla2py.tla.value import Function, Record, Value
from tla2py.tla.value_text import ValueTextError, parse_value
from tla2py.tlc.output.messages import UNEXPLAINED, explained, is_through


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAnswer:
    """How far some behaviour explained a log.

    ``matched`` is the number of lines before the first one that no behaviour explains, None if nothing counts them;
    ``first_unmatched`` is that line, from 1, and ``place`` its file and its line there; None if there is none or if TLC
    did not end. ``violates`` are the names of what is violated, except for the log itself.
    """

    lines: int
    matched: int | None
    first_unmatched: int | None
    place: str | None = None
    violates: tuple[str, ...] = ()


def answer_of(log: LogInput, result: RunResult, text: LogText) -> LogAnswer:
    """The answer of a run; the text of the log is read only where its lines need to be told apart."""
    several = len(log.files) > 1
    lines = sum(1 for _ in text.lines()) if several else log.lines
    violates = tuple(
        each.label for each in result.violations if each != UNEXPLAINED and each.kind != "deadlock"
    )
    # An invariant that a state violates on the way tells nothing of the lines that follow.
    ended = result.verdict is Verdict.VIOLATED and not (log.observed and violates)
    if is_through(log, result.progress):
        return LogAnswer(lines=lines, matched=lines, first_unmatched=None, violates=violates)
    if not result.progress:
        # Without an initial state, or without a step from it, nothing is printed.
        none = log.counted and ended
        next_line = _next_line(log, result.progress, text) if none and log.observed else 1 if none else None
    else:
        next_line = _next_line(log, result.progress, text)
    first = next_line if ended else None
    at = text.line(first) if first is not None and several else None
    place = at.place if at is not None else f"{log.files[0].path}:{first}" if first is not None else None
    return LogAnswer(
        lines=lines,
        matched=None if next_line is None else next_line - 1,
        first_unmatched=first,
        place=place,
        violates=violates,
    )


def _next_line(log: LogInput, progress: Sequence[Progress], text: LogText) -> int | None:
    """The line after those that some behaviour explained, if it is known."""
    number = explained(log, progress) + 1
    if log.observed is not None:
        try:
            return next(islice((step.number for step in text.steps()), number - 1, None), None)
        except InputError:
            return None
    length = progress[-1].length
    if length is None or length == log.lines:
        return number
    return _lines_of(progress, (line.text for line in text.lines())).get(number)


def line_numbers(log: LogInput, progress: Sequence[Progress], text: LogText) -> dict[int, int]:
    """The number of the line at each position up to the furthest, as far as it is known."""
    if not progress:
        return {}
    first, last, length = progress[0].position, progress[-1].position, progress[-1].length
    if log.observed is not None:
        with contextlib.suppress(InputError):
            return {number: step.number for number, step in enumerate(text.steps(), 1) if number <= last}
        return {}
    if length is None or length == log.lines:
        return {position: position - first + 1 for position in range(first, last + 1)}
    return _lines_of(progress, (line.text for line in text.lines()))


def _lines_of(progress: Sequence[Progress], lines: Iterable[bytes]) -> dict[int, int]:
    """The lines of the entries that were printed, if they are found among the lines in this order.

    A module chooses its entries by their content, so the first line with the content of the next entry is its line.
    """
    wanted = {each.position: each.entry for each in progress if each.entry is not None}
    contents, found = _contents(lines), dict[int, int]()
    for position in sorted(place for place in wanted if place >= 1):
        try:
            entry = _plain(parse_value(wanted[position]))
        except (ValueTextError, RecursionError):
            break
        line = next((line for line, content in contents if content == entry), None)
        if line is None:
            break
        found[position] = line
    return found


def _contents(lines: Iterable[bytes]) -> Iterator[tuple[int, object]]:
    """The JSON value of each line that has one."""
    for number, line in enumerate(lines, 1):
        try:
            yield number, _emptied(json.loads(line))
        except (ValueError, RecursionError):
            continue


def _plain(value: Value) -> object:
    """A TLA+ value as the JSON value that the CommunityModules read it from."""
    if isinstance(value, (Record, Function)):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (bool, int, str)) else str(value)


def _emptied(value: object) -> object:
    """A JSON value as ``_plain`` would give it: TLA+ has one empty function, and null is a value of its own."""
    if isinstance(value, dict):
        return {name: _emptied(item) for name, item in value.items()} or []
    if isinstance(value, list):
        return [_emptied(item) for item in value]
    return "null" if value is None else value
