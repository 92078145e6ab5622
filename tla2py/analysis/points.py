"""The points of a store: the answers to each property there, their runs, the minimal ones, and the actions that fired."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial

from tla2py.analysis.atoms import bit_set
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.row import RunRow
from tla2py.store.fragments import read_rows
from tla2py.store.read import action_rows
from tla2py.store.refresh import missing_points, table_files
from tla2py.sweep.grid import value_key
from tla2py.text import counted, points_text
from tla2py.tla import value as tla_value

# What a point checks says what was asked; what it specifies gets laws of its own.
_SCOPES = ("specification",)
_MODELS = ("module", "config")
# Sets of such elements compare by cardinality.
_PLAIN = (tla_value.MODEL_VALUE, tla_value.INTEGER, tla_value.STRING)
# So many runs that are broken, or out of time, get a law of their own.
_TELLING = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PointAnswer:
    """A point with an answer: its number, its parameters' texts, and whether the property is violated there."""

    point: int
    parameters: Mapping[str, str]
    violated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers to one property: points with one, points that checked it without one, and excluded points.

    Of the points of the store, ``of`` in all, those ``missing`` have no result. ``breaks`` says what a violation is.
    """

    name: str
    breaks: str = "violated"
    answered: tuple[PointAnswer, ...]
    unanswered: tuple[int, ...]
    excluded: tuple[int, ...]
    missing: tuple[int, ...]
    of: int

    @property
    def of_property(self) -> bool:
        """Whether they answer a property, and not what TLC could not evaluate or end in time."""
        return self.breaks == "violated"

    def at(self, parameter: str, value: str) -> Answers:
        """The answers at the points where a parameter has a value."""
        those = tuple(each for each in self.answered if each.parameters[parameter] == value)
        return replace(self, answered=those, unanswered=(), excluded=())


def property_answers(view: StoreTables) -> list[Answers]:
    """The answers to each property that a run checked or violated, in the order of the points.

    Where at least four runs are broken, or ran out of time, that follows as ``broken`` or ``timeout``.
    """
    parameters = {point.point: point.parameters for point in view.points}
    answered: dict[str, list[PointAnswer]] = {}
    unanswered: dict[str, list[int]] = {}
    excluded, holding, listed = [], list[PointAnswer](), set[str]()
    for row in view.run_rows:
        if row.verdict is Verdict.EXCLUDED and not row.assumption_count:
            excluded.append(row.point)
            continue
        held = PointAnswer(point=row.point, parameters=parameters[row.point], violated=False)
        listed.update(row.checked)
        holding += [held] if row.verdict is Verdict.HOLDS else []
        for name in dict.fromkeys((*row.checked, *row.violated_names)):
            here = answered.setdefault(name, [])
            if name in row.violated_names or name in row.held:
                here.append(replace(held, violated=True) if name in row.violated_names else held)
            else:
                unanswered.setdefault(name, []).append(row.point)
    # What no run lists as checked, such as an assertion of a library, holds where everything does.
    for name in answered.keys() - listed:
        answered[name] = sorted((*answered[name], *holding), key=lambda each: each.point)
    answers = partial(
        Answers, excluded=tuple(excluded), missing=tuple(missing_points(view.store)), of=len(view.points)
    )
    found = [
        answers(name=name, answered=tuple(points), unanswered=tuple(unanswered.get(name, ())))
        for name, points in answered.items()
    ]
    for name, breaks, failed in _FAILURES:
        ended = [
            PointAnswer(point=row.point, parameters=parameters[row.point], violated=failed(row))
            for row in view.run_rows
            if failed(row) or row.verdict in (Verdict.HOLDS, Verdict.VIOLATED)
        ]
        if sum(each.violated for each in ended) >= _TELLING and name not in answered:
            found.append(answers(name=name, breaks=breaks, answered=tuple(ended), unanswered=()))
    return found


# How a run fails besides a violation: the name, what the law says, and whether a run did.
_FAILURES: tuple[tuple[str, str, Callable[[RunRow], bool]], ...] = (
    ("broken", "cannot be evaluated", lambda row: row.verdict is Verdict.BROKEN),
    ("timeout", "out of time", lambda row: row.outcome is Outcome.TIMEOUT),
)


def law_parameters(view: StoreTables) -> list[str]:
    """The parameters that laws are about: neither what the points check nor what they specify, nor names of logs."""
    kinds = {each.name: each.kind for each in view.manifest.parameters}
    besides = {"invariants", "properties", *_SCOPES}
    return [name for name, kind in kinds.items() if kind not in (*_MODELS, "log") and name not in besides]


def scope_parameters(view: StoreTables) -> list[str]:
    """The parameters whose values get laws of their own where one law does not serve all."""
    kinds = {each.name: each.kind for each in view.manifest.parameters}
    return [name for name, kind in kinds.items() if kind in _MODELS or name in _SCOPES]


def missing_text(missing: Sequence[int], of: int) -> str:
    """``13 of 25 points have no result: 3, 5-16``."""
    return f"{len(missing)} of {counted(of, 'point')} {'has' if len(missing) == 1 else 'have'} no result: {points_text(missing)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPoint:
    """A point with its run.

    ``lengths`` are those of its shortest traces, by label.
    """

    parameters: Mapping[str, str]
    run: RunRow
    lengths: Mapping[str, int]

    @property
    def point(self) -> int:
        """The point's number, from 1."""
        return self.run.point

    @property
    def verdict(self) -> Verdict:
        """The verdict of the run."""
        return self.run.verdict

    @property
    def summary(self) -> str:
        """The violations with the lengths of their shortest traces, or the verdict if nothing is violated."""
        texts = (name if length is None else f"{name} {length}" for name, length in self.violations.items())
        return ", ".join(texts) or self.verdict.value

    @property
    def violations(self) -> Mapping[str, int | None]:
        """What the point violates, each with the length of its shortest trace, None if it has none."""
        names = self.run.violated_names if self.verdict is Verdict.VIOLATED else ()
        return {name: self.lengths.get(name) for name in names}

    @property
    def verdict_text(self) -> str:
        """The verdict with its violations."""
        if self.run.simulated:
            return self.run.unanswered
        return f"violated: {self.summary}" if self.verdict is Verdict.VIOLATED else self.summary

    def number(self, column: str) -> float | None:
        """A numeric column of the run, None if it is null. Raises InputError (``unknown-column``)."""
        if column not in _NUMBERS:
            hint = f"numeric columns: {', '.join(_NUMBERS)}"
            raise InputError("unknown-column", f"not a numeric column of runs: {column}", hint=hint)
        value: float | None = getattr(self.run, column)
        return value


_NUMBERS = [each.name for each in fields(RunRow) if re.match(r"Annotated\[\s*(int|float)\b", str(each.type))]
"""The numeric columns of ``runs``."""


def grid_points(view: StoreTables) -> list[GridPoint]:
    """The points of a store that have been run, in grid order."""
    runs = {run.point: run for run in view.run_rows}
    lengths: dict[str, dict[str, int]] = {}
    for (run_id, label), trace in view.shortest_traces.items():
        lengths.setdefault(run_id, {})[label] = trace.length
    return [
        GridPoint(parameters=point.parameters, run=runs[point.point], lengths=lengths.get(point.run_id, {}))
        for point in view.points
        if point.point in runs
    ]


def varying(points: Sequence[GridPoint]) -> list[str]:
    """The parameters with more than one value, in the order of the sweep."""
    names = points[0].parameters if points else {}
    return [name for name in names if len({point.parameters[name] for point in points}) > 1]


def summary_line(view: StoreTables, points: Sequence[GridPoint]) -> str:
    """The number of points, in all, of each verdict, and not run yet."""
    counts = Counter(point.verdict for point in points)
    parts = [
        f"{n} hold" if verdict is Verdict.HOLDS and n > 1 else f"{n} {verdict.value}"
        for verdict, n in counts.items()
    ]
    total = len(view.points)
    if total > len(points):
        parts.append(f"{total - len(points)} not run yet")
    given = f" with {', '.join(view.manifest.settings)}" if view.manifest.settings else ""
    return f"{counted(total, 'point')}{given}: {', '.join(parts)}"


def value_order(points: Sequence[GridPoint], parameter: str) -> list[str]:
    """A parameter's values in grid order. Raises InputError (``unknown-parameter``)."""
    known = list(points[0].parameters) if points else []
    if parameter not in known:
        hint = f"parameters: {', '.join(known) or 'none'}"
        raise InputError("unknown-parameter", f"not a parameter of this store: {parameter}", hint=hint)
    return list(dict.fromkeys(point.parameters[parameter] for point in points))


def number_text(value: float | None) -> str:
    """A number with thousands separators, ``-`` for None."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def minimal_points(points: Sequence[Mapping[str, str]]) -> list[int]:
    """The positions of the minimal points; all points have the same parameters."""
    names = list(points[0]) if points else []
    groups: dict[tuple[Hashable, ...], dict[tuple[int, ...], list[int]]] = {}
    for position, point in enumerate(points):
        sizes = [_size(point[name]) for name in names]
        group = groups.setdefault(tuple(kind for kind, _ in sizes), {})
        group.setdefault(tuple(rank for _, rank in sizes), []).append(position)
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


@lru_cache(maxsize=1 << 16)
def _size(text: str) -> tuple[Hashable, int]:
    """A value's size: its kind, and the rank by which it compares with others of its kind.

    Numbers compare by value, and FALSE is less than TRUE. Sets of model values, numbers or strings compare by
    cardinality. Any other value compares only with itself.
    """
    form = value_key(text)
    assert isinstance(form, tuple)
    match form:
        case (tla_value.BOOLEAN | tla_value.INTEGER, value):
            return form[0], value
        case (tla_value.SET, number, elements) if all(
            e[0] in _PLAIN or e is tla_value.CONSECUTIVE for e in elements
        ):
            return tla_value.SET, number
        case _:
            return form, 0


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
    order = sorted(range(len(column)), key=column.__getitem__)
    for rank, positions in itertools.groupby(order, column.__getitem__):
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
