"""What differs between two states, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from tla2py.values import Change, Value, changes, format_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part that changed: ``path`` leads to it from its ``variable``.

    ``before`` and ``after`` are each empty where there was, or is, no such part. What one set lost, or gained, is one
    part with all of its elements; of any other part there is one value at most on each side.
    """

    variable: str
    path: str
    before: tuple[Value, ...]
    after: tuple[Value, ...]

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
        """What was there and what is there now, elements separated by commas; empty where there is nothing."""
        return ", ".join(map(format_value, self.before)), ", ".join(map(format_value, self.after))


def changed_parts(before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[Part]:
    """The parts in which a state differs from one before it, variable by variable; one that is new is new as a whole."""
    for variable, value in after.items():
        if variable in before:
            yield from parts_of(variable, "", before[variable], value)
        else:  # as in an alias that has more to say of some states
            yield Part(variable=variable, path="", before=(), after=(value,))


def parts_of(variable: str, path: str, before: Value, after: Value) -> Iterator[Part]:
    """The parts in which two values at a place of a variable differ."""
    for (place, _), group in groupby(changes(before, after), key=_one_line):
        members = list(group)
        parts = [members] if place.endswith("{}") else [[member] for member in members]
        for part in parts:
            yield Part(
                variable=variable,
                path=path + place.removesuffix("{}"),
                before=tuple(change.before for change in part if change.before is not None),
                after=tuple(change.after for change in part if change.after is not None),
            )


def _one_line(change: Change) -> tuple[str, bool]:
    return change.path, change.before is None
