"""Generated wrapper modules, and the user's values behind their definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tla2py.errors import Place
from tla2py.model.config import Config, qualified
from tla2py.sourcemap.written import Written
from tla2py.syntax.offsets import count_visible

_DEFINED = re.compile(r"(\w+)(?:\([^)]*\))? ==")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperModule:
    """The lines of a wrapper module, and the constant, substitution or key behind each definition."""

    lines: tuple[str, ...]
    meanings: Mapping[str, str]

    @classmethod
    def read(cls, text: str, config: Config) -> WrapperModule | None:
        """The wrapper module in a text; None for a module of the user."""
        if "\n\\* Written by tla2py" not in text[:400]:
            return None
        found = {
            value.rpartition("]")[2].strip(): qualified(name, value) for name, value in config.substitutions
        }
        if config.symmetry is not None:
            found.setdefault(config.symmetry, "symmetry")
        own = set(_DEFINED.findall(text))
        meanings = {name: meant for name, meant in found.items() if name in own}
        return cls(lines=tuple(text.split("\n")), meanings=meanings)

    def place(self, line: int, column: int, written: Written) -> Place | None:
        """The place of the user's value at a position in the wrapper; None if there is no value."""
        heads = {
            number: found[1]
            for number, each in enumerate(self.lines, 1)
            if (found := _DEFINED.fullmatch(each))
        }
        head = max((number for number in heads if number <= line), default=None)
        if head is None or heads[head] not in self.meanings:
            return None
        end = next((number for number in heads if number > head), len(self.lines))
        body = "\n".join(self.lines[head : end - 1]).removesuffix("\n====")
        inside = "\n".join([*self.lines[head : line - 1], self.lines[line - 1][: column - 1]])
        index = None if line == head else count_visible(inside)
        return written.value(self.meanings[heads[head]], index, count_visible(body))
