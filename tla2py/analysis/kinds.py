"""A store's counterexamples grouped into kinds by what they violate, by which actions, and how they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Literal, NamedTuple

from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.display import PrintMixin
from tla2py.model.row import TraceRow
from tla2py.model.trace import SIMULATED, Trace
from tla2py.store.read import last_changes, trace_actions
from tla2py.store.refresh import table_files
from tla2py.text import counted, did_you_mean, listed

Ending = Literal["", "lasso", "stuttering", "cut off"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Course:
    """What a counterexample violates, in which module, by which actions, and how it ends.

    ``actions`` and ``loop``, the actions that a lasso repeats, are folded: a run of one action counts once. ``module``
    is empty unless the store has points of several modules.
    """

    name: str
    module: str = ""
    ending: Ending = ""
    actions: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions, then those of the loop."""
        return self.actions + self.loop


def folded(actions: Sequence[str]) -> tuple[str, ...]:
    """The actions, each run of one as one: ``Grant Tick Tick Grant`` becomes ``Grant Tick Grant``."""
    return tuple(name for name, _ in groupby(actions))


def course_of(name: str, module: str, actions: Sequence[str], end: Trace | TraceRow) -> Course:
    """The course of a counterexample with these actions, one for each state after the first."""
    ending: Ending = "stuttering" if end.stuttering else "cut off" if end.cut_off else ""
    before = len(actions) if end.loop_start is None else end.loop_start - 1
    closing = [end.loop_action] if end.loop_action else []
    return Course(
        name=name,
        module=module,
        ending=ending if end.loop_start is None else "lasso",
        actions=folded(actions[:before]),
        loop=folded([*actions[before:], *closing]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTrace:
    """A counterexample of a store.

    ``points`` are the points with its run, ``trace`` its number there, ``length`` its number of states. ``actions`` is
    empty if TLC printed none. ``changed`` are the variables that its last step changes, ``because`` says why it violates
    what it does, if TLC was asked.
    """

    points: tuple[int, ...]
    trace: int
    length: int
    actions: tuple[str, ...]
    course: Course
    changed: frozenset[str] = frozenset()
    because: str | None = None

    def __str__(self) -> str:
        return f"point {self.point}, trace {self.trace}"

    @property
    def point(self) -> int:
        """The first point with its run."""
        return self.points[0]

    @property
    def name(self) -> str:
        """The violated definition, or the kind if TLC names none."""
        return self.course.name


def all_found(view: StoreTables) -> list[StoredTrace]:
    """A store's counterexamples, and its simulated behaviours that violate nothing."""
    if not view.trace_rows:
        return []
    actions = trace_actions(table_files(view.store, "states"))
    changed = last_changes(table_files(view.store, "changes"), view.trace_rows)
    modules = [each.name for each in view.manifest.parameters if each.kind == "module"]
    points: dict[str, list[int]] = {}
    module: dict[str, str] = {}
    for point in view.points:
        points.setdefault(point.run_id, []).append(point.point)
        module[point.run_id] = "".join(point.parameters[name] for name in modules)

    def stored(row: TraceRow) -> StoredTrace:
        key = (row.run_id, row.trace)
        steps = actions.get(key, ())
        return StoredTrace(
            points=tuple(points[row.run_id]),
            trace=row.trace,
            length=row.length,
            actions=steps,
            course=course_of(row.label, module[row.run_id], steps, row),
            changed=changed.get(key, frozenset()),
            because=view.because.get(key),
        )

    return [stored(row) for row in view.trace_rows if row.run_id in points]


def step_places(steps: Sequence[str]) -> Mapping[str, int]:
    """The places of each step in a sequence, as a set of bits."""
    places: dict[str, int] = {}
    for place, step in enumerate(steps):
        places[step] = places.get(step, 0) | 1 << place
    return places


def common_length(places: Mapping[str, int], length: int, other: Sequence[str]) -> int:
    """The length of the longest common subsequence of a sequence of this ``length`` with these places, and another."""
    everything = free = (1 << length) - 1
    for step in other:
        taken = free & places.get(step, 0)
        free = ((free + taken) | (free - taken)) & everything
    return length - free.bit_count()


def common_steps(sequences: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """A longest common subsequence of two sequences; of more, what pairs leave of each other, shortest first.

    The order of the sequences does not matter.
    """
    ordered = sorted(set(sequences), key=lambda each: (len(each), each))
    return reduce(_common, ordered) if ordered else ()


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    rest = iter(other)
    if all(step in rest for step in one):
        return one
    # longest[i][j]: the length for one[i:] and other[j:].
    longest = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1 if one[i] == other[j] else max(longest[i + 1][j], longest[i][j + 1])
            )
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append(one[i])
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return tuple(found)


LIKENESS = 0.7
"""The likeness, from 0 to 1, above which two courses are of one coarse kind."""
# The last step counts as so many more.
_LAST = 2
# Of one violation, so many kinds are compared with. Ten thousand courses that have little in common would take minutes.
_MOST_LEADERS = 100


def fine_kinds(items: Iterable[StoredTrace]) -> list[list[StoredTrace]]:
    """The items of each course, in their order; the kinds in the order of their first items."""
    kinds: dict[Course, list[StoredTrace]] = {}
    for item in items:
        kinds.setdefault(item.course, []).append(item)
    return list(kinds.values())


def coarse_kinds(items: Iterable[StoredTrace]) -> list[list[StoredTrace]]:
    """The items of courses that are alike, in their order; the kinds in the order of their first items.

    The likeness of two courses is the share of steps that they have in common, in order; the last step, which breaks an
    invariant, counts as two more. From the shortest course on, each joins the kind whose first course it is most like, or
    starts a kind. The kinds do not depend on the order of the items.
    """
    items = list(items)
    fine = {kind[0].course: kind for kind in fine_kinds(items)}
    leaders: dict[tuple[str, str, str], list[_Leader]] = {}
    led: dict[Course, Course] = {}
    for course in sorted(fine, key=lambda each: (len(each.steps), each)):
        each = _Leader.of(fine[course])
        here = leaders.setdefault((course.name, course.module, course.ending), [])
        best = each.most_like(here[:_MOST_LEADERS])
        if best is None:
            here.append(best := each)
        led[course] = best.course
    kinds: dict[Course, list[StoredTrace]] = {}
    for item in items:
        kinds.setdefault(led[item.course], []).append(item)
    return list(kinds.values())


class _Leader(NamedTuple):
    """A course that started a kind, or may, with the places of its steps.

    ``last`` is its last action and the variables that this one changes in all of its counterexamples.
    """

    course: Course
    steps: tuple[str, ...]
    places: Mapping[str, int]
    last: frozenset[str]

    @classmethod
    def of(cls, kind: Sequence[StoredTrace]) -> _Leader:
        steps = kind[0].course.steps
        changed = frozenset.intersection(*(item.changed for item in kind))
        return cls(kind[0].course, steps, step_places(steps), changed.union(steps[-1:]))

    def most_like(self, leaders: Iterable[_Leader]) -> _Leader | None:
        """The first of the leaders that are most like this course; None if none is like it."""
        weight = 0 if self.course.ending else _LAST
        best, found = LIKENESS, None
        for other in leaders:
            total = len(self.steps) + len(other.steps) + 2 * weight
            last = weight * len(self.last & other.last) / max(1, len(self.last | other.last))
            # Most differ too much in length for their steps to matter.
            if 2 * (min(len(self.steps), len(other.steps)) + last) <= best * total:
                continue
            common = common_length(other.places, len(other.steps), self.steps)
            if 2 * (common + last) > best * total:
                best, found = 2 * (common + last) / total, other
        return found


# Remarks list so many actions.
_MOST_NAMES = 4
_ENDINGS = {"": "", "lasso": "in a loop", "stuttering": "then stuttering", "cut off": "log cut off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Counterexamples that violate the same in a similar way; the first member is the shortest.

    ``backbone`` are the actions that all take, in order, a run of one action as one; ``repeated`` are those that some
    take several times in a row, ``varies`` those that some take besides the backbone. ``only`` are the actions that
    occur in all of these counterexamples and in none of the other kinds.
    """

    members: tuple[StoredTrace, ...]
    backbone: tuple[str, ...]
    repeated: frozenset[str]
    varies: tuple[str, ...]
    only: tuple[str, ...]

    @property
    def name(self) -> str:
        """The violated definition."""
        return self.shortest.name

    @property
    def shortest(self) -> StoredTrace:
        """The shortest counterexample."""
        return self.members[0]

    @property
    def max_length(self) -> int:
        """The number of states of the longest counterexample."""
        return max(member.length for member in self.members)

    @property
    def points(self) -> tuple[int, ...]:
        """The points with these counterexamples, in order."""
        return tuple(sorted({point for member in self.members for point in member.points}))

    @property
    def size(self) -> str:
        """``225 counterexamples of 4 to 16 states``."""
        low, high = self.shortest.length, self.max_length
        states = f"{low} to " * (low < high) + counted(high, "state")
        return f"{counted(len(self.members), 'counterexample')} of {states}"

    @property
    def steps(self) -> str:
        """``Grant > Tick+ > Grant``: the backbone, with ``+`` at repeated actions, and the ending."""
        steps = " > ".join(name + "+" * (name in self.repeated) for name in self.backbone)
        end = _ENDINGS[self.shortest.course.ending]
        return f"{steps} ({end})".lstrip() if end else steps

    @property
    def remarks(self) -> str:
        """``never without BrokerCrash; some with Next``: what sets them apart, and in what they differ; may be empty."""
        more = [f"another {name}" if name in self.backbone else name for name in self.varies]
        parts = {"never without": self.only, "some with": more}
        return "; ".join(f"{title} {listed(names, _MOST_NAMES)}" for title, names in parts.items() if names)

    @property
    def because(self) -> str:
        """Why the shortest counterexample that TLC was asked about violates what it does; may be empty."""
        return next((member.because for member in self.members if member.because), "")

    def lines(self, number: int) -> Iterator[str]:
        """Its number, property and size, then its steps and what sets it apart."""
        yield f"{number}. {self.name}: {self.size}, shortest: {self.shortest}"
        yield from (f"     {text}" for text in (self.steps, self.remarks) if text)

    def at(self, points: Set[int]) -> Kind | None:
        """The counterexamples at some points; None if there are none."""
        members = [
            replace(member, points=tuple(here))
            for member in self.members
            if (here := [point for point in member.points if point in points])
        ]
        return make_kind(members, self.only) if members else None

    def to_json(self) -> dict[str, object]:
        """A row of ``kinds`` in ``explain --json``."""
        return {
            "count": len(self.members),
            "points": list(self.points),
            "min_length": self.shortest.length,
            "max_length": self.max_length,
            "backbone": list(self.backbone),
            "because": self.because or None,
        }

    def row(self) -> dict[str, object]:
        """A row of ``trace --json``."""
        return {
            "property": self.name,
            **self.to_json(),
            "point": self.shortest.point,
            "trace": self.shortest.trace,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds(PrintMixin):
    """The kinds of counterexamples of a store, the most frequent first."""

    view: StoreTables
    kinds: tuple[Kind, ...]

    def trace(self, number: int) -> Trace:
        """The shortest counterexample of a kind, counted from 1. Raises InputError (``no-kind``)."""
        if not 1 <= number <= len(self.kinds):
            hint = f"choose a kind from 1 to {len(self.kinds)}"
            raise InputError("no-kind", f"no counterexample kind {number}", hint=hint)
        shortest = self.kinds[number - 1].shortest
        return self.view.trace(shortest.point, shortest.trace)

    def of(self, name: str | None) -> Kinds:
        """The kinds that violate one property; all without a name. Raises InputError (``unknown-property``)."""
        kinds = tuple(kind for kind in self.kinds if name in (None, kind.name))
        if name is not None and not kinds:
            violated = list(dict.fromkeys(kind.name for kind in self.kinds))
            raise InputError(
                "unknown-property",
                f"no counterexample violates {name}",
                hint=did_you_mean(name, violated, f"violated: {', '.join(violated) or 'nothing'}"),
            )
        return replace(self, kinds=kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    def __str__(self) -> str:
        return "\n".join(line for number, kind in enumerate(self.kinds, 1) for line in kind.lines(number))


def make_kinds(view: StoreTables, fine: bool = False) -> Kinds:
    """The counterexamples by kind, the most frequent first, then the shortest.

    Those of a kind violate the same by similar actions. A ``fine`` kind has the same actions in the same order, runs
    of one folded, and ends in the same way; a coarse one unites fine kinds that are alike.
    """
    return Kinds(view=view, kinds=tuple(kinds_of(all_found(view), fine)))


def kinds_of(found: Sequence[StoredTrace], fine: bool = False) -> list[Kind]:
    """The kinds of counterexamples, as ``make_kinds`` orders them."""
    by_length = attrgetter("length", "point", "trace")
    groups = [sorted(group, key=by_length) for group in (fine_kinds if fine else coarse_kinds)(found)]
    groups.sort(key=lambda members: (-len(members), members[0].course, members[0].point))
    # How many groups have an action: one that only one has sets it apart.
    having = Counter(
        (*_alike(group[0].course), name)
        for group in groups
        if group[0].name != SIMULATED
        for name in {step for member in group for step in member.course.steps}
    )
    rivals = Counter(_alike(group[0].course) for group in groups if group[0].name != SIMULATED)
    kinds = []
    for group in groups:
        alike = _alike(group[0].course)
        shared = set.intersection(*(set(member.course.steps) for member in group))
        alone = rivals[alike] == 1
        only = [name for name in group[0].course.steps if name in shared and having[(*alike, name)] == 1]
        kinds.append(make_kind(group, () if alone else tuple(dict.fromkeys(only))))
    return kinds


def make_kind(members: Sequence[StoredTrace], only: tuple[str, ...] = ()) -> Kind:
    """A kind of these counterexamples, the shortest first, with their backbone."""
    sequences = sorted({member.course.steps for member in members}, key=lambda each: (len(each), each))
    backbone = common_steps(sequences)
    shared = Counter(backbone)
    taken = {member.actions for member in members}
    return Kind(
        members=tuple(members),
        backbone=backbone,
        repeated=frozenset(one for actions in taken for one, other in pairwise(actions) if one == other),
        varies=tuple(dict.fromkeys(name for each in sequences for name in Counter(each) - shared)),
        only=only,
    )


def _alike(course: Course) -> tuple[str, str]:
    """What the kinds have in common that are compared for the actions which only one of them has."""
    return course.module, course.ending
