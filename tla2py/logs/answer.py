"""The answer of a run on its log, in lines of the file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from tla2py.errors import InputError
from tla2py.logs.files import LogText
from tla2py.logs.formats import read_json
from tla2py.model.logs import LogContent, LogInput, LogRow
from tla2py.model.outcome import Verdict
from tla2py.model.run import Progress, RunResult
from tla2py.tla.value import Function, Record, Value
from tla2py.tla.value_text import ValueTextError, parse_value
from tla2py.tlc.output.messages import UNEXPLAINED, explained, is_complete, is_empty, is_through


def answer_of(
    result: RunResult, text: LogText, content: LogContent | None = None
) -> tuple[LogRow, str | None]:
    """The answer of a run, and which entry of its log is the first that no behaviour explains, where no line is known.

    ``content`` is how much the lines of the log say, None where the module reads them itself. The text of the log is read only where its lines need to be told apart.
    """
    log, several, progress = text.log, len(text.log.files) > 1, result.progress
    violates = tuple(
        each.label for each in result.violations if each != UNEXPLAINED and each.kind != "deadlock"
    )
    ended = result.verdict is Verdict.VIOLATED and is_complete(result)
    lines = sum(1 for _ in text.lines()) if several else log.lines
    first: int | None = None
    matched: int | None = None if is_empty(progress) else lines
    message: str | None = None
    if not is_through(log, progress):
        # Without an initial state, or without a step from it, nothing is printed.
        known = _candidates(log, progress, text) if progress or (log.counted and ended) else {}
        found = known.get(progress[-1].position, []) if progress else next(iter(known.values()), [])
        first = found[0] if len(found) == 1 else None
        # Of entries in another order, or that could be several lines, only their number is known.
        counted = explained(log, progress) if progress and not log.observed else None
        matched = counted if first is None or log.order == "moved" else first - 1
        # An entry that is no line of the file, such as one of a JSON array, counts no lines.
        if not found:
            matched = None
        if ended and first is None and counted is not None:
            lines_alike = (
                f"the same in lines {', '.join(map(str, found))}" if found else "no line of the file as it is"
            )
            message = (
                f"entry {counted + 1:,} of the log as the module reads it is the first that no behaviour explains; "
                f"it is {lines_alike}"
            )
        first = first if ended else None
    at = text.line(first) if first is not None and several else None
    place = at.place if at is not None else f"{log.files[0].path}:{first}" if first is not None else None
    row = LogRow(
        file=log.path,
        verdict=result.verdict,
        lines=lines,
        said=None if content is None else content.said,
        matched=matched,
        first_unmatched=first,
        place=place,
        violates=violates,
        generated=result.stats.generated,
        distinct=result.stats.distinct,
    )
    return row, message


def line_numbers(log: LogInput, progress: Sequence[Progress], text: LogText) -> dict[int, int]:
    """The number of the line at each position up to the furthest, where that is known."""
    found = _candidates(log, progress, text)
    return {position: lines[0] for position, lines in found.items() if len(lines) == 1}


def _candidates(log: LogInput, progress: Sequence[Progress], text: LogText) -> dict[int, list[int]]:
    """The lines that may be the entry at each position up to the furthest."""
    last = progress[-1] if progress else Progress(position=1)
    if log.observed is not None:
        with contextlib.suppress(InputError):
            return {
                place: [step.number] for place, step in enumerate(text.steps(), 1) if place <= last.position
            }
        return {}
    first = progress[0].position if progress else 1
    if last.length is None:
        return {position: [position - first + 1] for position in range(first, last.position + 1)}
    positions, skips = range(max(first, 1), min(last.position, last.length) + 1), log.skips or 0
    if log.order is None and last.length == log.lines:
        return {position: [position] for position in positions}
    contents = [*_contents(line.text for line in text.lines())]
    # The entries that were printed, by position, as JSON values.
    entries: dict[int, object] = {}
    for each in progress:
        if each.entry is not None and each.length is not None and 1 <= each.position <= each.length:
            with contextlib.suppress(ValueTextError, RecursionError):
                entries[each.position] = _plain(parse_value(each.entry))
    if log.order == "chosen" and [*positions] == [*range(1, len(positions) + 1)] == [*entries]:
        # Lines of one content are all chosen, or none is.
        rest = iter(contents[skips:])
        chosen = (
            (at, next((line for line, each in rest if each == entry), None)) for at, entry in entries.items()
        )
        return {position: [line] for position, line in chosen if line is not None}
    if log.order is None:
        there = [each for each in positions if each + skips <= len(contents)]
        lines = {position: contents[position + skips - 1] for position in there}
        if all(entries.get(position, content) == content for position, (_, content) in lines.items()):
            return {position: [line] for position, (line, _) in lines.items()}
    return {
        position: [line for line, content in contents if content == entry]
        for position, entry in entries.items()
    }


def _contents(lines: Iterable[bytes]) -> Iterator[tuple[int, object]]:
    """The JSON value of each line that has one."""
    for number, line in enumerate(lines, 1):
        try:
            yield number, _emptied(read_json(line))
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
