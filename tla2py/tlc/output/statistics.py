"""TLC's counts: of states, and of the evaluations of each expression."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from tla2py.model.outcome import CoverageItem, Stats
from tla2py.tlc.output.codes import Code
from tla2py.tlc.output.messages import Message
from tla2py.tlc.output.states import location_of
from tla2py.trace.trace import Location

# The depth and the time, which has colons, precede the counts. Digits and their grouping depend on the locale.
_PROGRESS = re.compile(
    r"(?:Progress\((?P<depth>[^)]*)\)|Starting level (?P<level>[^:]*))?(?:.*: )?(?P<generated>[^:]*?) states generated"
    r"(?: \([^)]*\))?(?:, (?P<distinct>.*?) distinct states found)?(?: \([^)]*\))?"
    r"(?:, (?P<queue>.*?) states left on queue)?"
)
# Rows of counts are shorter than this.
_LONGEST = 1000
_DEPTH = re.compile(r"The depth of the complete state graph search is (?P<depth>[^:]*?)\.?\Z")
# Without -tool; the rolling releases add the number of traces.
_CHECKED = re.compile(r"Progress: (?P<generated>.*?) states checked(?:, (?P<depth>[\d,]+) traces generated)?")
_INITIAL = re.compile(r"Computed (?P<initial>[^:]*?) initial states")
_SIMULATED = re.compile(r"The number of states generated: (?P<generated>.*)")

_COVERAGE_KINDS: dict[int, str] = {
    Code.COVERAGE_INIT: "init",
    Code.COVERAGE_ACTION: "action",
    Code.COVERAGE_PROPERTY: "property",
    Code.COVERAGE_CONSTRAINT: "constraint",
    Code.COVERAGE_VALUE: "expression",
    Code.COVERAGE_VALUE_COST: "expression",
}
_COVERED = re.compile(
    r"[ |]*<?(?P<name>.*?) ?line (?P<a>\d+), col (?P<b>\d+) to line (?P<c>\d+), col (?P<d>\d+) of module (?P<module>\w+)"
    r"(?: \([^)]*\))?>?"
)
_COUNTS = re.compile(r": ([^:]+)(?::([^:]+))?")


def latest_progress(line: bytes, *, simulation: bool = False) -> Stats | None:
    """The counts of a progress line, ``Progress(12) at …`` or ``Progress: …``; None for any other line."""
    if not line.startswith((b"Progress(", b"Progress: ")):
        return None
    read = _simulation if simulation else _progress
    stats = read(line.decode("utf-8", "replace"), Stats())
    return None if stats.generated is None else stats


def read_stats(message: Message, stats: Stats) -> Stats:
    """``stats`` updated with the counts of a message."""
    reader = _READERS.get(message.code)
    return stats if reader is None else reader(message.text, stats)


def _progress(text: str, stats: Stats) -> Stats:
    found = _PROGRESS.match(text[:_LONGEST])
    if found is None:
        return stats
    depth = _number(found["depth"] or found["level"])
    return replace(
        stats,
        generated=_number(found["generated"], stats.generated),
        distinct=_number(found["distinct"], stats.distinct),
        queue=_number(found["queue"], stats.queue),
        depth=stats.depth if depth is None else depth,
    )


def _simulation(text: str, stats: Stats) -> Stats:
    # The depth's place holds the number of behaviours, and all other counts except the states generated are -1.
    text = text[:_LONGEST]
    found = _CHECKED.match(text) or _PROGRESS.match(text)
    if found is None:
        return stats
    return replace(
        stats,
        generated=_number(found["generated"], stats.generated),
        behaviours=_number(found["depth"], stats.behaviours),
    )


def _simulated(text: str, stats: Stats) -> Stats:
    found = _SIMULATED.match(text)
    return stats if found is None else replace(stats, generated=_number(found["generated"], stats.generated))


def _initial(text: str, stats: Stats) -> Stats:
    found = _INITIAL.match(text)
    return stats if found is None else replace(stats, initial=_number(found["initial"]))


def _depth(text: str, stats: Stats) -> Stats:
    found = _DEPTH.match(text)
    return stats if found is None else replace(stats, depth=_number(found["depth"], stats.depth))


_READERS: dict[int, Callable[[str, Stats], Stats]] = {
    Code.STATS: _progress,
    Code.STATS_DEPTH_FIRST: _progress,
    Code.PROGRESS: _progress,
    Code.PROGRESS_LEVEL: _progress,
    Code.PROGRESS_DEPTH_FIRST: _progress,
    Code.PROGRESS_SIMULATE: _simulation,
    Code.STATS_SIMULATE: _simulated,
    Code.DEPTH: _depth,
    Code.INITIAL_STATES_PROGRESS: _initial,
}


def _number(text: str | None, otherwise: int | None = None) -> int | None:
    """The number, however its digits are grouped; TLC prints -1 for a count that it does not have."""
    if text is not None and len(text) < 18 and text.isascii() and text.isdigit():
        return int(text)
    digits = "".join(filter(str.isdecimal, text or ""))[:18]
    return int(digits) if digits and not (text or "").lstrip().startswith("-") else otherwise


def read_coverage(message: Message) -> CoverageItem | None:
    """The coverage row of a message; None for any other message."""
    kind = _COVERAGE_KINDS.get(message.code)
    if kind is None:
        return None
    text = message.text
    end = text.rfind(": ")
    covered = _covered(text if end < 0 else text[:end])
    if covered is None:
        return None
    name, location = covered
    found = _COUNTS.match(text, end) if end >= 0 else None
    first, second = (None, None) if found is None else (_number(found[1]), _number(found[2]))
    # An expression's first count is its evaluations; the second, if any, is their cost.
    distinct, generated = (None, first) if kind == "expression" else (first, second)
    return CoverageItem(kind=kind, name=name, location=location, distinct=distinct, generated=generated)


# Each report counts the same, and so do the runs of a sweep.
@lru_cache(maxsize=4096)
def _covered(text: str) -> tuple[str, Location] | None:
    """What a row of a coverage report counts: the name and the place."""
    found = _COVERED.match(text)
    if found is None:
        return None
    return found["name"], location_of(found.group("a", "b", "c", "d", "module"))
