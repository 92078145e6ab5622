"""The parts in which two states differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from tla2py.values import Change, Value, changes, format_value

# Paths to elements of a set or bag, and of a sequence that moved on.
_ELEMENTS = ("{}", "[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A changed part, at ``path`` inside ``variable``.

    ``before`` is empty if the part is new, ``after`` if it was removed. The elements that a set or a bag lost are one
    part, and those that it gained another; so are, ``in_order``, those that left the front of a sequence and those that
    were appended. Any other part has at most one value on each side.
    """

    variable: str
    path: str
    before: tuple[Value, ...]
    after: tuple[Value, ...]
    in_order: bool = False

    def __str__(self) -> str:
        olds, news = self.texts
        if not self.before:
            return f"{self.place} + {news}"
        return f"{self.place} - {olds}" if not self.after else f"{self.place}: {olds} -> {news}"

    @property
    def place(self) -> str:
        """The variable and the path, as in ``queue["a"][1].epoch``."""
        return self.variable + self.path

    @property
    def texts(self) -> tuple[str, str]:
        """The values before and after as text, separated by commas."""
        return ", ".join(map(format_value, self.before)), ", ".join(map(format_value, self.after))


def changed_parts(before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[Part]:
    """The parts in which a state differs from an earlier one; a new variable is one part."""
    for variable, value in after.items():
        if variable in before:
            yield from parts_of(variable, "", before[variable], value)
        else:  # an ALIAS may print more for some states
            yield Part(variable=variable, path="", before=(), after=(value,))


def parts_of(variable: str, path: str, before: Value, after: Value) -> Iterator[Part]:
    """The parts in which two values at a path of a variable differ."""
    for (place, _), group in groupby(changes(before, after), key=_one_line):
        members = list(group)
        parts = [members] if place.endswith(_ELEMENTS) else [[member] for member in members]
        for part in parts:
            yield Part(
                variable=variable,
                path=path + (place[:-2] if place.endswith(_ELEMENTS) else place),
                before=tuple(change.before for change in part if change.before is not None),
                after=tuple(change.after for change in part if change.after is not None),
                in_order=place.endswith("[]"),
            )


def _one_line(change: Change) -> tuple[str, bool]:
    return change.path, change.before is None
