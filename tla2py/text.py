"""Words that all share: plurals, lists and cuts, durations, sizes and parameters."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from tla2py.errors import InputError

Otherwise = TypeVar("Otherwise", str, None)


# Characters that XML cannot hold, terminal controls, and controls of text direction.
_CONTROL = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)


def printable(text: str) -> str:
    """The text with control characters escaped, as in ``\\x1b``."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def counted(number: int, noun: str) -> str:
    """``1 point``, ``2,000 points``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def parse_duration(value: str | int, where: str | None = None) -> float:
    """Seconds of ``90``, ``"90s"``, ``"2m"``, ``"1h30m"``. Raises InputError (``duration``)."""
    text = str(value).replace(" ", "")
    hint = 'write "90s", "2m" or "1h30m"'
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", text)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        seconds = float(text)
    elif parts and "".join(number + unit for number, unit in parts) == text:
        seconds = sum(float(n) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}[u] for n, u in parts)
    else:
        raise InputError("duration", f"not a duration: {value!r}", where=where, hint=hint)
    if seconds <= 0:
        raise InputError("duration", "a duration must be positive", where=where, hint=hint)
    return seconds


def parse_percent(value: str | float, where: str | None = None) -> float:
    """The share that ``5%`` or ``5`` is. Raises InputError (``percent``) unless it is above 0 and below 100 percent."""
    text = str(value).strip().removesuffix("%")
    if not re.fullmatch(r"\d+(\.\d+)?", text) or not 0 < float(text) < 100:
        raise InputError("percent", f"not a percentage: {value!r}", where=where, hint='write "5%" or "1%"')
    return float(text) / 100


def parse_memory(value: str | int, where: str | None = None) -> int:
    """Bytes, as ``parse_size`` reads them, at least what a JVM needs. Raises InputError (``memory``)."""
    size = parse_size(value, where, of="memory")
    if size < 128 * 1024**2:
        raise InputError(
            "memory", f"{value!r} is less than a JVM needs", where=where, hint='write "128MiB" or more'
        )
    return size


def parse_size(value: str | int, where: str | None = None, *, of: str = "disk") -> int:
    """Bytes of ``"512MiB"``, ``"1GiB"``, ``"2g"`` or a number of bytes. Raises InputError (``memory``, ``disk``)."""
    found = re.fullmatch(r"(\d{1,18}(?:\.\d+)?)\s*(?:([kmgt])i?b?|b)?", str(value).strip(), re.IGNORECASE)
    if not found:
        # codes: memory, disk
        raise InputError(
            of, f"not an amount of {of}: {value!r}", where=where, hint='write "512MiB" or "2GiB"'
        )
    return int(float(found[1]) * 1024 ** " kmgt".index((found[2] or " ").lower()))


def cut(text: str, most: int, mark: str = "...") -> str:
    """The text, or its beginning and ``mark`` if it has more than ``most`` characters."""
    return text if len(text) <= most else text[: most - len(mark)] + mark


def listed(items: Iterable[object], most: int) -> str:
    """``a, b and 3 more``: the items in one line, of more than ``most`` the first."""
    texts = [str(each) for each in items]
    left = len(texts) - most
    return ", ".join(texts[:most]) + f" and {left} more" * (left > 0)


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of each run of consecutive numbers, in rising order."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


# Further points in a line are counted.
_MOST_SPANS = 10


def points_text(points: Iterable[int]) -> str:
    """Points as text, runs of them shortened, and after ten the number of the others: ``3, 5-9 and 440 more``."""
    found = spans(points)
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in found[:_MOST_SPANS]]
    left = sum(last - first + 1 for first, last in found[_MOST_SPANS:])
    return ", ".join(texts) + f" and {left:,} more" * (left > 0)


def parameter_text(parameters: Mapping[str, str]) -> str:
    """``Late = 2, Grace = 0``, or ``the model`` for the one point of a sweep without parameters."""
    return ", ".join(f"{name} = {value_shown(text)}" for name, text in parameters.items()) or "the model"


def value_shown(text: str) -> str:
    """The text of a value, ``(none)`` where a parameter leaves something out, such as a symmetry."""
    return text or "(none)"


def did_you_mean(name: str, known: Sequence[str], otherwise: Otherwise) -> str | Otherwise:
    """The hint with the known name closest to ``name``; ``otherwise`` where no name is close."""
    found = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return suggestion(found[0]) if found else otherwise


def suggestion(name: str) -> str:
    """The hint with the name that was probably meant."""
    return f"did you mean {name}?"
