"""The partial order of points by size, and its minima; and how often each action fired."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tla2py.analysis.atoms import bit_set
from tla2py.analysis.tables import StoreTables
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.fragments import read_rows
from tla2py.store.runs import action_rows
from tla2py.store.write import table_files
from tla2py.sweep.grid import value_key
from tla2py.tla import canonical


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
        below |= bit_set(positions, len(column))
        sets[rank] = below
    return sets


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCount:
    """The states that an action generated in all runs of a store, and how many of them were distinct.

    ``module`` and ``name`` are as TLC prints them; ``line`` is where the action begins, from 1. ``points`` numbers the
    points at which TLC counted it, ``disabled`` those at which it was never enabled.
    """

    name: str
    module: str
    line: int
    generated: int
    distinct: int
    points: tuple[int, ...]
    disabled: tuple[int, ...]

    @property
    def never_enabled(self) -> bool:
        """Whether the action was enabled at none of the points."""
        return not self.generated


def action_counts(view: StoreTables) -> list[ActionCount]:
    """The counted actions, by module and line; empty if no run has coverage.

    TLC counts the disjuncts of an action separately under one name and place; here they are one action.
    """
    files = table_files(view.store, "coverage")
    # Few sweeps ask for coverage.
    counted = {run_id for (run_id,) in read_rows(files, ("run_id",))}
    points: dict[str, list[int]] = {}
    for point in view.points if counted else ():
        if point.run_id in counted:
            points.setdefault(point.run_id, []).append(point.point)
    counts: dict[tuple[str, int, str], dict[str, tuple[int, int]]] = {}
    for row in action_rows(files):
        if row.kind == "action" and row.run_id in points:
            runs = counts.setdefault((row.module, row.begin_line, row.name), {})
            generated, distinct = runs.get(row.run_id, (0, 0))
            runs[row.run_id] = generated + row.generated, distinct + row.distinct
    return [
        ActionCount(
            name=name,
            module=module,
            line=line,
            generated=sum(generated for generated, _ in runs.values()),
            distinct=sum(distinct for _, distinct in runs.values()),
            points=tuple(sorted(p for run in runs for p in points[run])),
            disabled=tuple(
                sorted(p for run, (generated, _) in runs.items() if not generated for p in points[run])
            ),
        )
        for (module, line, name), runs in sorted(counts.items())
    ]


def disabled_actions(view: StoreTables) -> list[ActionCount]:
    """The actions that were never enabled, then those never enabled at some points; each by module and line."""
    found = (count for count in action_counts(view) if count.disabled)
    return sorted(found, key=lambda count: not count.never_enabled)
