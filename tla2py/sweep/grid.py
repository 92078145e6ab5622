"""The points of a sweep and the ids of their runs, kept as columns: a hundred thousand points have few different texts."""

from __future__ import annotations

import itertools
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import overload

from tla2py.errors import InputError
from tla2py.model.model import LIST_FIELDS, NAME_FIELDS, ParameterKind
from tla2py.sweep.file import SweepText
from tla2py.sweep.sections import Scalar, SweepFile
from tla2py.text import did_you_mean, parameter_text
from tla2py.tla import canonical
from tla2py.tla.value import Opaque, Value
from tla2py.tla.value_text import parse_value
from tla2py.toml import value_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A combination of values: its index in grid order, from 1, and the text of every parameter."""

    index: int
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PointColumn:
    """The texts of a parameter: the different ones, and the number of each point's text among them."""

    texts: tuple[str, ...]
    codes: array[int]

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.codes)


@dataclass(frozen=True, slots=True)
class Points(Sequence[Point]):
    """The points of a sweep in grid order; each is made when it is read."""

    columns: Mapping[str, PointColumn]
    size: int

    @classmethod
    def of(cls, names: Iterable[str], rows: Iterable[Mapping[str, str]]) -> Points:
        """The points with these parameters."""
        texts: dict[str, dict[str, int]] = {name: {} for name in names}
        codes = {name: array("I") for name in texts}
        size = 0
        for row in rows:
            size += 1
            for name, known in texts.items():
                codes[name].append(known.setdefault(row[name], len(known)))
        return cls({name: PointColumn(tuple(texts[name]), codes[name]) for name in texts}, size)

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, index: int | slice) -> Point | tuple[Point, ...]:
        places = range(self.size)[index]
        return self._point(places) if isinstance(places, int) else tuple(map(self._point, places))

    def __iter__(self) -> Iterator[Point]:
        names = tuple(self.columns)
        rows = zip(*self.columns.values(), strict=True) if names else repeat((), self.size)
        for index, row in enumerate(rows, 1):
            yield Point(index=index, parameters=dict(zip(names, row, strict=True)))

    def _point(self, place: int) -> Point:
        texts = {name: column.texts[column.codes[place]] for name, column in self.columns.items()}
        return Point(index=place + 1, parameters=texts)

    def texts(self) -> list[str]:
        """A text for each point, which names its parameters and their values."""
        names = tuple(self.columns)
        rows = zip(*self.columns.values(), strict=True) if names else repeat((), self.size)
        return ["\n".join((*names, *row)) for row in rows]

    def keys(
        self, names: Iterable[str], same: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[int, ...]]:
        """The numbers of each point's texts of some parameters; those that the sweep lacks are left out.

        All texts for which ``same`` holds count as one.
        """
        columns = [self.columns[name] for name in names if name in self.columns]
        codes = [
            column.codes
            if same is None
            else map(
                [-1 if same(text) else n for n, text in enumerate(column.texts)].__getitem__, column.codes
            )
            for column in columns
        ]
        return zip(*codes, strict=True) if codes else repeat((), self.size)

    def first_with(
        self, *groups: Sequence[str], same: Callable[[str], bool] | None = None
    ) -> Iterator[Point]:
        """The points, in order, that have new texts of one of these groups of parameters; ``same`` is as in ``keys``."""
        places: dict[int, None] = {}
        for group in groups:
            seen: set[tuple[int, ...]] = set()
            for place, key in enumerate(self.keys(group, same)):
                if key not in seen:
                    seen.add(key)
                    places[place] = None
        return map(self._point, sorted(places))


NO_POINTS = Points({}, 0)


# Keys of [model] that may be parameters; "" means none, and lists are comma-separated names.
MODEL_KEYS = (*NAME_FIELDS, "check_deadlock", *LIST_FIELDS)
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
class Excluded:
    """The combinations that the grid excludes for one reason, in words: their number and the first of them."""

    reason: str
    count: int
    first: tuple[Mapping[str, str], ...]


def comparable(text: str) -> Value:
    """A value for comparison: ``{b2,b1}`` equals ``{b1, b2}``. Other text is compared as text."""
    # A parameter may have a hundred thousand numbers.
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else _comparable(text)


@lru_cache(maxsize=1 << 14)
def _comparable(text: str) -> Value:
    try:
        return parse_value(text)
    except InputError:
        return Opaque(" ".join(text.split()))


def value_key(text: str) -> Hashable:
    """A key that two texts share if they are the same value; unlike in Python, TRUE is not 1."""
    value = comparable(text)
    return canonical.canonical(value) if type(value) is int else _value_key(text)


@lru_cache(maxsize=1 << 14)
def _value_key(text: str) -> Hashable:
    return canonical.canonical(_comparable(text))


def walk_grid(
    file: SweepFile,
    source: SweepText,
    groups: Sequence[Sequence[Parameter]],
    failing: Callable[[Mapping[str, str]], str | None] | None,
) -> tuple[Points, tuple[Excluded, ...]]:
    """The product of the parameters, with the last group varying fastest, then the included points; and what is left out.

    ``failing`` returns the predicate that a combination violates, or None. Raises InputError: ``grid-key``,
    ``grid-size``, ``duplicate-point``, ``empty-grid``, and what ``failing`` raises.
    """
    parameters = [parameter for group in groups for parameter in group]
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    _check_size(groups, source)
    exclude_at, include_at = source.place("grid", "exclude"), source.place("grid", "include")
    rules = [_Rule(_row(rule, list(kinds), exclude_at), groups) for rule in file.grid.exclude]
    counts: Counter[str] = Counter()
    first: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    # The row of each group at every point.
    rows = [array("I") for _ in groups]
    for combination in itertools.product(*(range(len(group[0].values)) for group in groups)):
        rule = next((rule for rule in rules if rule.matches(combination)), None)
        reason = f"exclude: {rule.shown}" if rule else None
        if reason is None and failing is not None:
            predicate = failing(_texts(groups, combination))
            reason = None if predicate is None else f"where: not {predicate}"
        if reason is None:
            for column, row in zip(rows, combination, strict=True):
                column.append(row)
        else:
            counts[reason] += 1
            if counts[reason] <= _LISTED:
                first[reason].append(_texts(groups, combination))
    size = len(rows[0]) if rows else 1
    columns = {
        parameter.name: (parameter, codes)
        for group, codes in zip(groups, rows, strict=True)
        for parameter in group
    }
    points = Points({name: PointColumn(each.values, codes) for name, (each, codes) in columns.items()}, size)
    included = [_included(row, kinds, include_at) for row in file.grid.include]
    if included:
        _check_included(points, included, kinds, include_at)
        points = Points.of(kinds, itertools.chain((point.parameters for point in points), included))
    if not points:
        key = "where" if file.grid.where and not file.grid.exclude else "exclude"
        raise InputError(
            "empty-grid",
            f"{key} leaves no point",
            where=source.place("grid", key),
            hint="exclude fewer points, or add some with include",
        )
    excluded = (Excluded(reason=r, count=count, first=tuple(first[r])) for r, count in counts.items())
    return points, tuple(excluded)


def _texts(groups: Sequence[Sequence[Parameter]], combination: Sequence[int]) -> dict[str, str]:
    return {
        parameter.name: parameter.values[row]
        for group, row in zip(groups, combination, strict=True)
        for parameter in group
    }


def _included(row: Mapping[str, Scalar], kinds: Mapping[str, ParameterKind], where: str) -> dict[str, str]:
    texts = _row(row, list(kinds), where)
    missing = [name for name in kinds if name not in texts]
    if missing:
        raise InputError(
            "grid-key",
            f"an included point lacks {', '.join(missing)}",
            where=where,
            hint="give every parameter a value",
        )
    return {name: texts[name] for name in kinds}


def _check_included(
    points: Points, included: Iterable[Mapping[str, str]], kinds: Mapping[str, ParameterKind], where: str
) -> None:
    def identity(texts: Mapping[str, str]) -> tuple[Hashable, ...]:
        return tuple(key_of(kind, texts[name]) for name, kind in kinds.items())

    seen = {identity(point.parameters) for point in points}
    for texts in included:
        key = identity(texts)
        if key in seen:
            shown = ", ".join(f"{name} = {text}" for name, text in texts.items())
            raise InputError(
                "duplicate-point",
                f"the included point is already in the grid: {shown}",
                where=where,
                hint="remove it from include",
            )
        seen.add(key)


class _Rule:
    """An item of ``exclude``: it matches the points that agree with all its values."""

    def __init__(self, texts: Mapping[str, str], groups: Sequence[Sequence[Parameter]]) -> None:
        self.shown = parameter_text(texts)
        # The rows of each group that agree.
        self.rows: list[tuple[int, frozenset[int]]] = []
        for place, group in enumerate(groups):
            named = [parameter for parameter in group if parameter.name in texts]
            keys = [key_of(parameter.kind, texts[parameter.name]) for parameter in named]
            agree = frozenset(
                row
                for row, values in enumerate(zip(*(parameter.values for parameter in named), strict=True))
                if [key_of(p.kind, text) for p, text in zip(named, values, strict=True)] == keys
            )
            if named:
                self.rows.append((place, agree))

    def matches(self, combination: Sequence[int]) -> bool:
        return all(combination[place] in rows for place, rows in self.rows)


def _row(values: Mapping[str, Scalar], names: list[str], where: str) -> dict[str, str]:
    for name in values:
        if name not in names:
            raise unknown_parameter(name, names, where)
    return {name: value_text(value) for name, value in values.items()}


def _check_size(groups: Sequence[Sequence[Parameter]], source: SweepText) -> None:
    size = math.prod(len(group[0].values) for group in groups)
    if size > _MOST_COMBINATIONS:
        raise InputError(
            "grid-size",
            f"the parameters have {size:,} combinations, more than {_MOST_COMBINATIONS:,}",
            where=source.place("parameters"),
            hint="zip parameters that belong together, or split the sweep",
        )


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
