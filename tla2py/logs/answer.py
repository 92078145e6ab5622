"""The answer of a run on its log, in lines of the file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence

from tla2py.errors import InputError
from tla2py.logs.files import LogText
from tla2py.model.logs import LogInput, LogRow
from tla2py.model.outcome import Verdict
from tla2py.model.run import Progress, RunResult
from tla2py.tla.value import Function, Record, Value
from tla2py.tla.value_text import ValueTextError, parse_value
from tla2py.tlc.output.messages import UNEXPLAINED, is_through


def answer_of(result: RunResult, text: LogText) -> LogRow:
    """The answer of a run; the text of its log is read only where its lines need to be told apart."""
    log, several = text.log, len(text.log.files) > 1
    violates = tuple(
        each.label for each in result.violations if each != UNEXPLAINED and each.kind != "deadlock"
    )
    # An invariant that a state violates on the way tells nothing of the lines that follow.
    ended = result.verdict is Verdict.VIOLATED and not (log.observed and violates)
    lines = sum(1 for _ in text.lines()) if several else log.lines
    first: int | None = None
    matched: int | None = lines
    if not is_through(log, result.progress):
        numbers = line_numbers(log, result.progress, text)
        if result.progress:
            first = numbers.get(result.progress[-1].position)
        elif log.counted and ended:
            # Without an initial state, or without a step from it, nothing is printed.
            first = min(numbers.values(), default=None) if log.observed else 1
        matched = None if first is None else first - 1
        first = first if ended else None
    at = text.line(first) if first is not None and several else None
    place = at.place if at is not None else f"{log.files[0].path}:{first}" if first is not None else None
    return LogRow(
        file=log.path,
        verdict=result.verdict,
        lines=lines,
        matched=matched,
        first_unmatched=first,
        place=place,
        violates=violates,
        generated=result.stats.generated,
        distinct=result.stats.distinct,
    )


def line_numbers(log: LogInput, progress: Sequence[Progress], text: LogText) -> dict[int, int]:
    """The number of the line at each position up to the furthest, as far as it is known."""
    last = progress[-1] if progress else Progress(position=1)
    if log.observed is not None:
        with contextlib.suppress(InputError):
            return {
                place: step.number for place, step in enumerate(text.steps(), 1) if place <= last.position
            }
        return {}
    if last.length not in (None, log.lines):
        return _lines_of(progress, (line.text for line in text.lines()))
    first = progress[0].position if progress else 1
    # Where the length is known, the position is the number of the next entry.
    before = first - 1 if last.length is None else 0
    return {position: position - before for position in range(first, last.position + 1)}


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
