"""The text of a sweep file, and the places of keys, values and names in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.config.places import config_name, offset_of
from tla2py.errors import Place
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS
from tla2py.sweep.sections import SweepFile
from tla2py.syntax.offsets import find_string, line_and_column
from tla2py.toml import value_text


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
        if value is not None and line:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPlaces:
    """The places of a point's values and names. ``configs`` are the texts of the sweep's configs by name."""

    source: SweepText
    file: SweepFile
    configs: Mapping[str, str]
    parameters: Mapping[str, str]

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The place of a value in the list of its parameter, or in its table."""
        keys, text = self._assigned(name)
        if text is None:
            return self.name(name)
        whole = "\n".join(self.source.lines)
        line, column = self.source.position(*keys)
        start = sum(len(each) + 1 for each in self.source.lines[: line - 1]) + column - 1 if line else 0
        offsets = find_string(whole, start, text)
        if offsets is None:
            return self._place(self.source.place(*keys, value=text))
        line, column = line_and_column(
            whole, offset_of(offsets, index or 0, length if index else len(offsets))
        )
        return Place(
            file=str(self.source.path), line=line, column=column, excerpt=self.source.lines[line - 1]
        )

    def name(self, name: str) -> Place | None:
        """The place of a name in the sweep file, or in the point's config."""
        bare = name.rpartition("]")[2].strip()
        for key in (*LIST_FIELDS, *NAME_FIELDS):
            if bare in re.findall(r"[\w!]+", self.parameters.get(key, "")):
                return self._place(self.source.place("parameters", key, value=bare))
            own = getattr(self.file.model, key)
            if own == bare or (isinstance(own, list) and bare in own):
                return self._place(self.source.place("model", key, value=bare))
        if (keys := self._assigned(name)[0])[-1] == name:
            return self._place(self.source.place(*keys))
        config = self.parameters.get("config") or self.file.config
        if not isinstance(config, str):
            return None
        return config_name(self.source.path.parent / config, self.configs.get(config, "").splitlines(), bare)

    def line(self, number: int) -> Place | None:  # noqa: ARG002 - the configs of a sweep are generated
        """None: the config was generated."""
        return None

    def _assigned(self, name: str) -> tuple[tuple[str, ...], str | None]:
        """The key of a name's value at the point, and the value."""
        if name in self.parameters:
            return ("parameters", name), self.parameters[name]
        if name in self.file.constants:
            return ("constants", name), value_text(self.file.constants[name])
        if name in self.file.substitutions:
            return ("substitutions", name), self.file.substitutions[name]
        return ("model",), None

    def _place(self, place: str) -> Place:
        found = Place.parse(place)
        return replace(found, excerpt=self.source.lines[found.line - 1]) if found.line else found
