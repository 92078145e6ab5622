"""The partial order of points by size, and its minima."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tla2py.model.outcome import Verdict
from tla2py.sweep.grid import value_key
from tla2py.tables.runs import RunRow
from tla2py.values import canonical


def minimal_points(points: Sequence[Mapping[str, str]]) -> list[int]:
    """The positions of the minimal points; all points have the same parameters."""
    names = list(points[0]) if points else []
    groups: dict[tuple[Hashable, ...], dict[tuple[int, ...], list[int]]] = {}
    for position, point in enumerate(points):
        sizes = [_size(point[name]) for name in names]
        group = groups.setdefault(tuple(size.kind for size in sizes), {})
        group.setdefault(tuple(size.rank for size in sizes), []).append(position)
    return sorted(
        position for group in groups.values() for ranks in _minima(list(group)) for position in group[ranks]
    )


def minimal_violating(points: Iterable[tuple[RunRow, Mapping[str, str]]]) -> Mapping[int, Sequence[str]]:
    """For each minimal violating point, by number, what it violates and no smaller point does.

    ``points`` are rows of ``runs`` with their parameters.
    """
    violating: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for run, parameters in points:
        # A point that violates an ASSUME is not an instance of the protocol.
        for name in run.violated_names if run.verdict is not Verdict.EXCLUDED else ():
            violating.setdefault(name, []).append((run.point, parameters))
    found: dict[int, list[str]] = {}
    for name, candidates in violating.items():
        for position in minimal_points([parameters for _, parameters in candidates]):
            found.setdefault(candidates[position][0], []).append(name)
    return found


class _Size(NamedTuple):
    """A value's size: values of one ``kind`` compare by ``rank``.

    Numbers compare by value, and FALSE is less than TRUE. Sets of model values, numbers or strings compare by
    cardinality. Any other value compares only with itself.
    """

    kind: Hashable
    rank: int


_PLAIN = (canonical.MODEL_VALUE, canonical.INTEGER, canonical.STRING)


@lru_cache(maxsize=1 << 16)
def _size(text: str) -> _Size:
    form = value_key(text)
    assert isinstance(form, tuple)
    match form:
        case (canonical.BOOLEAN | canonical.INTEGER, value):
            return _Size(form[0], value)
        case (canonical.SET, number, elements) if all(
            e[0] in _PLAIN or e is canonical.CONSECUTIVE for e in elements
        ):
            return _Size(canonical.SET, number)
        case _:
            return _Size(form, 0)


def _minima(vectors: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The minimal vectors; all vectors differ.

    A set of vectors is an integer with a bit per vector, so one ``&`` per column finds the vectors at most as large as
    a given one. Ten thousand vectors take no noticeable time; comparing all pairs takes minutes.
    """
    columns = [_up_to(column) for column in zip(*vectors, strict=True)]
    everything = (1 << len(vectors)) - 1
    found = []
    for number, vector in enumerate(vectors):
        smaller = everything ^ 1 << number
        for rank, up_to in zip(vector, columns, strict=True):
            smaller &= up_to[rank]
        if not smaller:
            found.append(vector)
    return found


def _up_to(column: Sequence[int]) -> dict[int, int]:
    """For each number of a column, the set of positions that hold it or a smaller number."""
    sets: dict[int, int] = {}
    below = 0
    for rank, positions in itertools.groupby(
        sorted(range(len(column)), key=column.__getitem__), column.__getitem__
    ):
        bits = bytearray((len(column) + 7) // 8)
        for position in positions:
            bits[position // 8] |= 1 << position % 8
        below |= int.from_bytes(bits, "little")
        sets[rank] = below
    return sets
