"""The places in a sweep file of the values and names of a point."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tla2py.config.places import config_name, offset_of
from tla2py.errors import Place
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS
from tla2py.sweep.sections import SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.syntax.offsets import find_string, line_and_column
from tla2py.toml import value_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPlaces:
    """The places of a point's values and names."""

    source: SweepText
    file: SweepFile
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
        return config_name(self.source.path.parent / config, bare) if isinstance(config, str) else None

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
