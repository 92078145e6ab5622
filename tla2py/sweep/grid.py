"""The points of a sweep: the product of its parameters without what is left out."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import overload

from tla2py.errors import InputError
from tla2py.model.model import LIST_FIELDS, MODEL_NAMES, ParameterKind
from tla2py.sweep.file import SweepFile
from tla2py.sweep.sections import Scalar
from tla2py.text import did_you_mean, parameter_text
from tla2py.tla.value import Opaque, Value, canonical
from tla2py.tla.value_text import parse_value
from tla2py.toml import value_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A combination of values: its index in grid order, from 1, and the text of every parameter."""

    index: int
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Points(Sequence[Point]):
    """The points of a sweep in grid order: their texts by parameter; each point is made when it is read."""

    names: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, names: Iterable[str], rows: Iterable[Mapping[str, str]]) -> Points:
        """The points with these parameters."""
        names = tuple(names)
        return cls(names, [tuple([row[name] for name in names]) for row in rows])

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, index: int | slice) -> Point | tuple[Point, ...]:
        places = range(len(self.rows))[index]
        return self._point(places) if isinstance(places, int) else tuple(map(self._point, places))

    def _point(self, place: int) -> Point:
        return Point(index=place + 1, parameters=dict(zip(self.names, self.rows[place], strict=True)))

    def column(self, name: str) -> list[str]:
        """Each point's text of a parameter."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def texts(self) -> list[str]:
        """A text for each point, which names its parameters and their values."""
        return ["\n".join((*self.names, *row)) for row in self.rows]

    def keys(
        self, names: Iterable[str], same: Callable[[str], bool] = lambda _: False
    ) -> Iterator[tuple[str, ...]]:
        """Each point's texts of some parameters; those that the sweep lacks are left out.

        All texts for which ``same`` holds count as one.
        """
        columns = [self.column(name) for name in names if name in self.names]
        shown = [["" if same(text) else text for text in column] for column in columns]
        return zip(*shown, strict=True) if shown else repeat((), len(self.rows))

    def first_with(
        self, *groups: Sequence[str], same: Callable[[str], bool] = lambda _: False
    ) -> Iterator[Point]:
        """The points, in order, that have new texts of one of these groups of parameters; ``same`` is as in ``keys``."""
        places = {place for group in groups for place in first_places(self.keys(group, same))}
        return map(self._point, sorted(places))


def first_places(keys: Iterable[Hashable]) -> list[int]:
    """The place of the first of each key."""
    places: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    return list(places.values())


NO_POINTS = Points((), ())


# Keys of [model] that may be parameters; "" means none, and lists are comma-separated names.
MODEL_KEYS = (*MODEL_NAMES, "check_deadlock", *LIST_FIELDS)
# Walking this many takes some seconds; more is a typo.
_MOST_COMBINATIONS = 1_000_000
# For each reason, at most this many excluded combinations are kept.
_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An axis of the grid and its values as text; the kind ``model`` is a key of [model]."""

    name: str
    kind: ParameterKind
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """The combinations that the grid excludes for one reason, in words: their number and the first of them."""

    reason: str
    count: int
    first: tuple[Mapping[str, str], ...]


@lru_cache(maxsize=1 << 14)
def comparable(text: str) -> Value:
    """A value for comparison: ``{b2,b1}`` equals ``{b1, b2}``. Other text is compared as text."""
    try:
        # A parameter may have a hundred thousand numbers.
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else parse_value(text)
    except InputError:
        return Opaque(" ".join(text.split()))


@lru_cache(maxsize=1 << 14)
def value_key(text: str) -> Hashable:
    """A key that two texts share if they are the same value; unlike in Python, TRUE is not 1."""
    return canonical(comparable(text))


def parameters_key(parameters: Mapping[str, str]) -> Hashable:
    """A key that is equal for equal parameter values, however these are written."""
    return frozenset((name, value_key(text)) for name, text in parameters.items())


def walk_grid(
    file: SweepFile,
    groups: Sequence[Sequence[Parameter]],
    failing: Callable[[Mapping[str, str]], str | None],
) -> tuple[Points, tuple[Exclusion, ...]]:
    """The product of the parameters, with the last group varying fastest, then the included points; and what is left out.

    ``failing`` returns the predicate that a combination violates, or None. Raises InputError: ``grid-key``,
    ``grid-size``, ``duplicate-point``, ``empty-grid``, and what ``failing`` raises.
    """
    parameters = [parameter for group in groups for parameter in group]
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    size = math.prod(len(group[0].values) for group in groups)
    if size > _MOST_COMBINATIONS:
        raise InputError(
            "grid-size",
            f"the parameters have {size:,} combinations, more than {_MOST_COMBINATIONS:,}",
            where=file.place("parameters"),
            hint="zip parameters that belong together, or split the sweep",
        )
    exclude_at = file.place("grid", "exclude")
    rules = [_row(rule, list(kinds), exclude_at) for rule in file.sections.grid.exclude]
    agreeing = [(f"exclude: {parameter_text(rule)}", _agreeing(rule, groups)) for rule in rules]
    counts: Counter[str] = Counter()
    first: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    rows: list[tuple[str, ...]] = []
    for combination in itertools.product(*(range(len(group[0].values)) for group in groups)):
        texts = {
            parameter.name: parameter.values[row]
            for group, row in zip(groups, combination, strict=True)
            for parameter in group
        }
        excluding = (
            shown for shown, rule in agreeing if all(combination[place] in same for place, same in rule)
        )
        reason = next(excluding, None)
        if reason is None and (predicate := failing(texts)) is not None:
            reason = f"where: not {predicate}"
        if reason is None:
            rows.append(tuple(texts.values()))
        else:
            counts[reason] += 1
            if counts[reason] <= _LISTED:
                first[reason].append(texts)
    if file.sections.grid.include:
        _include(rows, file, kinds, file.place("grid", "include"))
    points = Points(tuple(kinds), rows)
    if not points:
        key = "where" if file.sections.grid.where and not file.sections.grid.exclude else "exclude"
        hint = "exclude fewer points, or add some with include"
        raise InputError("empty-grid", f"{key} leaves no point", where=file.place("grid", key), hint=hint)
    excluded = (Exclusion(reason=r, count=count, first=tuple(first[r])) for r, count in counts.items())
    return points, tuple(excluded)


def _include(
    rows: list[tuple[str, ...]], file: SweepFile, kinds: Mapping[str, ParameterKind], where: str
) -> None:
    """Add the included points to the rows of the grid."""

    def identity(row: Sequence[str]) -> tuple[Hashable, ...]:
        return tuple(map(key_of, kinds.values(), row))

    seen = set(map(identity, rows))
    for each in file.sections.grid.include:
        texts = _row(each, list(kinds), where)
        if missing := [name for name in kinds if name not in texts]:
            hint = "give every parameter a value"
            raise InputError(
                "grid-key", f"an included point lacks {', '.join(missing)}", where=where, hint=hint
            )
        row = tuple(texts[name] for name in kinds)
        if identity(row) in seen:
            raise InputError(
                "duplicate-point",
                f"the included point is already in the grid: {parameter_text(dict(zip(kinds, row, strict=True)))}",
                where=where,
                hint="remove it from include",
            )
        seen.add(identity(row))
        rows.append(row)


def _agreeing(
    texts: Mapping[str, str], groups: Sequence[Sequence[Parameter]]
) -> list[tuple[int, frozenset[int]]]:
    """The places of the groups that an item of ``exclude`` is about, each with the rows of the group that agree with it."""
    found = []
    for place, group in enumerate(groups):
        named = [parameter for parameter in group if parameter.name in texts]
        keys = [key_of(parameter.kind, texts[parameter.name]) for parameter in named]
        rows = zip(*(parameter.values for parameter in named), strict=True)
        same = [[key_of(p.kind, text) for p, text in zip(named, row, strict=True)] == keys for row in rows]
        if named:
            found.append((place, frozenset(row for row, agrees in enumerate(same) if agrees)))
    return found


def _row(values: Mapping[str, Scalar], names: list[str], where: str) -> dict[str, str]:
    for name in values:
        if name not in names:
            raise unknown_parameter(name, names, where)
    return {name: value_text(value) for name, value in values.items()}


def key_of(kind: ParameterKind, text: str) -> Hashable:
    """A key that two texts of such a parameter share if they are the same value."""
    return value_key(text) if kind in ("constant", "seed") else text


def unknown_parameter(name: str, parameters: list[str], where: str) -> InputError:
    """The error for a name that is not one of a sweep's parameters."""
    known = f"its parameters: {', '.join(parameters) or 'none'}"
    return InputError(
        "grid-key",
        f"{name} is not a parameter of this sweep",
        where=where,
        hint=did_you_mean(name, parameters, known),
    )
