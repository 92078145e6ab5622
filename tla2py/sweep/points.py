"""The points of a sweep and the ids of their runs, kept as columns: a hundred thousand points have few different texts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import overload

from tla2py.model.run import ID_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A combination of values: its index in grid order, from 1, and the text of every parameter."""

    index: int
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Column:
    """The texts of a parameter: the different ones, and the number of each point's text among them."""

    texts: tuple[str, ...]
    codes: array[int]

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.codes)


@dataclass(frozen=True, slots=True)
class Points(Sequence[Point]):
    """The points of a sweep in grid order; each is made when it is read."""

    columns: Mapping[str, Column]
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
        return cls({name: Column(tuple(texts[name]), codes[name]) for name in texts}, size)

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


class Ids(Sequence[str]):
    """The ids of runs."""

    def __init__(self, digests: bytes) -> None:
        self._digests = digests

    def __len__(self) -> int:
        return len(self._digests) // ID_BYTES

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        places = range(len(self))[index]
        return self._id(places) if isinstance(places, int) else tuple(map(self._id, places))

    def __iter__(self) -> Iterator[str]:
        return map(self._id, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ids) and self._digests == other._digests

    __hash__ = None  # type: ignore[assignment]

    def _id(self, place: int) -> str:
        return self._digests[place * ID_BYTES : (place + 1) * ID_BYTES].hex()
