"""Where the user wrote a constant's value, or the name of what is to be checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tla2py.grid import MODEL_LISTS, MODEL_PARAMETERS, value_text
from tla2py.origins.literal import find_string, line_and_column, solid_offsets
from tla2py.outcome import Place
from tla2py.sweepfile import SweepFile
from tla2py.sweeptext import Source


class Written(Protocol):
    """The places in what a model was made from, beside its modules."""

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """Where the value of a constant or of a replaced definition is written.

        ``index`` counts its characters that are no white space, from 0, of which the last ``length`` are meant; None
        is the beginning.
        """

    def name(self, name: str) -> Place | None:
        """Where a definition or a constant is named."""

    def line(self, number: int) -> Place | None:
        """The line of a config that TLC was given as it is written; None for one that was generated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionTexts:
    """What was given on the command line, over a config file."""

    constants: Mapping[str, str]
    config: Path | None
    verbatim: bool

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The option that assigns the value, or the place in the config."""
        if name not in self.constants:
            return self.name(name)
        text = self.constants[name]
        column = None if index is None else _offset(solid_offsets(text), index, length) + 1
        return Place(file=f"-c {name}=...", column=column, excerpt=text)

    def name(self, name: str) -> Place | None:
        """The place in the config, or the option."""
        if name in self.constants:
            return Place(file=f"-c {name}=...", excerpt=self.constants[name])
        return config_name(self.config, name) if self.config is not None else None

    def line(self, number: int) -> Place | None:
        """The line of the config file."""
        lines = _lines(self.config) if self.verbatim and self.config is not None else ()
        excerpt = lines[number - 1] if 0 < number <= len(lines) else ""
        return Place(file=str(self.config), line=number, excerpt=excerpt) if lines else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepTexts:
    """A sweep file at one of its points."""

    source: Source
    file: SweepFile
    parameters: Mapping[str, str]

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The place in the list of the parameter, or in the table of the constant."""
        keys, text = self._assigned(name)
        if text is None:
            return self.name(name)
        whole = "\n".join(self.source.lines)
        line, column = self.source.position(*keys)
        start = sum(len(each) + 1 for each in self.source.lines[: line - 1]) + column - 1 if line else 0
        offsets = find_string(whole, start, text)
        if offsets is None:
            return self._place(self.source.place(*keys, value=text))
        line, column = line_and_column(whole, _offset(offsets, index or 0, length if index else len(offsets)))
        return Place(
            file=str(self.source.path), line=line, column=column, excerpt=self.source.lines[line - 1]
        )

    def name(self, name: str) -> Place | None:
        """The place in the sweep file, or in the config it starts from."""
        bare = name.rpartition("]")[2].strip()
        for key in (*MODEL_LISTS, *MODEL_PARAMETERS):
            if bare in re.findall(r"[\w!]+", self.parameters.get(key, "")):
                return self._place(self.source.place("parameters", key, value=bare))
            own = getattr(self.file.model, key)
            if own == bare or (isinstance(own, list) and bare in own):
                return self._place(self.source.place("model", key, value=bare))
        if (keys := self._assigned(name)[0])[-1] == name:
            return self._place(self.source.place(*keys))
        config = self.parameters.get("config") or self.file.config
        return config_name(self.source.path.parent / config, bare) if isinstance(config, str) else None

    def line(self, number: int) -> Place | None:  # noqa: ARG002 - the configs of a sweep are generated
        """None: the config was generated."""
        return None

    def _assigned(self, name: str) -> tuple[tuple[str, ...], str | None]:
        """The keys under which a name has its value at the point, and the value."""
        if name in self.parameters:
            return ("parameters", name), self.parameters[name]
        if name in self.file.constants:
            return ("constants", name), value_text(self.file.constants[name])
        if name in self.file.substitutions:
            return ("substitutions", name), self.file.substitutions[name]
        return ("model",), None

    def _place(self, place: str) -> Place:
        found = re.fullmatch(r"(.*?):(\d+):(\d+)", place)
        if found is None:
            return Place(file=place)
        line, column = int(found[2]), int(found[3])
        return Place(file=found[1], line=line, column=column, excerpt=self.source.lines[line - 1])


def config_name(path: Path, name: str) -> Place | None:
    """The first place in a config that names something, comments passed over."""
    for number, line in enumerate(_lines(path), 1):
        found = re.search(rf"(?<![\w!]){re.escape(name)}(?![\w!])", line.partition("\\*")[0])
        if found is not None:
            return Place(file=str(path), line=number, column=found.start() + 1, excerpt=line)
    return None


def _lines(path: Path) -> Sequence[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()


def _offset(offsets: Sequence[int], index: int, length: int) -> int:
    """The offset of a character by its number among the last ``length`` ones."""
    return offsets[min(max(len(offsets) - length + index, 0), len(offsets) - 1)] if offsets else 0
