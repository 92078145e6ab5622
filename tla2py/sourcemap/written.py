"""The places where the user wrote values and names of definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tla2py.config.places import config_lines, config_name, offset_of
from tla2py.errors import Place
from tla2py.syntax.offsets import visible_offsets


class Written(Protocol):
    """Places outside of the modules: in a sweep file, a config or options."""

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The place of the value of a constant or of a substitution.

        ``index`` is a position within its last ``length`` non-blank characters, counted from 0 without blanks; None is
        the beginning.
        """

    def name(self, name: str) -> Place | None:
        """The place that names a definition or a constant."""

    def line(self, number: int) -> Place | None:
        """The place of a config line that TLC read unchanged; None in a generated config."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionTexts:
    """The constants of the command line, which override a config."""

    constants: Mapping[str, str]
    config: Path | None
    verbatim: bool

    def value(self, name: str, index: int | None, length: int) -> Place | None:
        """The place in the option that assigns the value, or in the config."""
        if name not in self.constants:
            return self.name(name)
        text = self.constants[name]
        column = None if index is None else offset_of(visible_offsets(text), index, length) + 1
        return Place(file=f"-c {name}=...", column=column, excerpt=text)

    def name(self, name: str) -> Place | None:
        """The option, or the place in the config."""
        if name in self.constants:
            return Place(file=f"-c {name}=...", excerpt=self.constants[name])
        return config_name(self.config, config_lines(self.config), name) if self.config is not None else None

    def line(self, number: int) -> Place | None:
        """The place of a line of the config."""
        lines = config_lines(self.config) if self.verbatim and self.config is not None else ()
        excerpt = lines[number - 1] if 0 < number <= len(lines) else ""
        return Place(file=str(self.config), line=number, excerpt=excerpt) if lines else None
