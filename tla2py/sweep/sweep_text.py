"""The text of a sweep file, and the places of keys and values in it."""

from __future__ import annotations

import re
from pathlib import Path


class SweepText:
    """The text of a sweep file, which finds the places of keys and values."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()

    def place(self, *keys: str | int, value: str | None = None) -> str:
        """``file:line:column`` of a key such as ``("model", "invariants")``, or of a value after it.

        After an array of tables, a number gives the index of a table, from 0.
        """
        line, column = self.position(*keys)
        if value is not None:
            for number in range(line, min(line + 40, len(self.lines) + 1)):
                found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.lines[number - 1][column - 1 :])
                if found:
                    return f"{self.path}:{number}:{column + found.start()}"
                column = 1
            line, column = self.position(*keys)
        return f"{self.path}:{line}:{column}" if line else str(self.path)

    def position(self, *keys: str | int) -> tuple[int, int]:
        """The line and column of a key or of its table, from 1; line 0 if the file has neither."""
        numbered = any(isinstance(key, int) for key in keys)
        # A name may contain dots, which TOML reads as a table: environment.LOG.
        wanted = ".".join(map(str, keys))
        table: list[str | int] = []
        tables: list[list[str]] = []
        best = (0, 1)
        for number, line in enumerate(self.lines, 1):
            header = _HEADER.match(line)
            if header:
                names = _key_parts(header[1])
                table = [*names, tables.count(names)] if numbered and "[[" in line else [*names]
                tables.append(names)
                if ".".join(map(str, table)) == wanted:
                    best = (number, 1)
                continue
            assignment = _ASSIGNMENT.match(line)
            if assignment and ".".join(map(str, [*table, *_key_parts(assignment[2])])) == wanted:
                return number, len(assignment[1]) + 1
        if best == (0, 1) and len(keys) > 1:
            return self.position(*keys[:-1])
        return best


_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_KEY = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[{{1,2}}\s*({_KEY})\s*\]{{1,2}}")
_ASSIGNMENT = re.compile(rf"(\s*)({_KEY})\s*=")


def _key_parts(key: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_PART, key)]
