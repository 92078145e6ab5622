"""Line numbers in a module's changed copy, mapped back to the user's file."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DEFINITION = re.compile(r"\s*(?:LOCAL\s+)?(\w+)\s*(?:\([^)]*\)|\[[^\]]*\])?\s*==")
_ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b|--fair\b")


def original_line(original: str, copy: str, line: int) -> int:
    """The line of the original for a line of its copy.

    The copy has the same lines, or differs by one block, a translation of PlusCal. A line of the translation maps to
    the label that its definition was made from, or else to the beginning of the algorithm.
    """
    old, new = _comparable(original), _comparable(copy)
    if len(old) == len(new):
        return line
    shared = min(len(old), len(new))
    before = next((n for n in range(shared) if old[n] != new[n]), shared)
    after = next((n for n in range(shared - before) if old[-1 - n] != new[-1 - n]), shared - before)
    if line <= before:
        return line
    if line > len(new) - after:
        return line - len(new) + len(old)
    for number in range(line, before, -1):
        if (found := _DEFINITION.match(new[number - 1])) is not None:
            return _label(old, found[1])
    return _label(old, "")


def _label(lines: Sequence[str], name: str) -> int:
    """The line of a label or process of an algorithm, or else its first line."""
    begin = next((n for n, line in enumerate(lines, 1) if _ALGORITHM.search(line)), 1)
    label = re.compile(rf"(?:^|[\s;{{]){re.escape(name)}\s*:[+-]?(?!=)|\bprocess\s*\(?\s*{re.escape(name)}\b")
    for number in range(begin, len(lines) + 1) if name else ():
        if label.search(lines[number - 1]):
            return number
    return begin


def _comparable(text: str) -> list[str]:
    """The lines of a module with LOCAL blanked out, as it may be in a copy."""
    return re.sub(r"\bLOCAL\b", "     ", text).split("\n")
