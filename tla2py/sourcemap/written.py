"""Where the user wrote a constant's value, or the name of what is to be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tla2py.config.places import config_lines, config_name, offset_of
from tla2py.errors import Place
from tla2py.syntax.offsets import solid_offsets


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
        column = None if index is None else offset_of(solid_offsets(text), index, length) + 1
        return Place(file=f"-c {name}=...", column=column, excerpt=text)

    def name(self, name: str) -> Place | None:
        """The place in the config, or the option."""
        if name in self.constants:
            return Place(file=f"-c {name}=...", excerpt=self.constants[name])
        return config_name(self.config, name) if self.config is not None else None

    def line(self, number: int) -> Place | None:
        """The line of the config file."""
        lines = config_lines(self.config) if self.verbatim and self.config is not None else ()
        excerpt = lines[number - 1] if 0 < number <= len(lines) else ""
        return Place(file=str(self.config), line=number, excerpt=excerpt) if lines else None
