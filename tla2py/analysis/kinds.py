"""A store's counterexamples grouped into kinds by what they violate and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from tla2py.analysis.points import StoredTrace, all_found
from tla2py.analysis.tables import StoreTables
from tla2py.errors import InputError
from tla2py.model.courses import Course, coarse_kinds, common_steps, fine_kinds
from tla2py.model.trace import SIMULATED, Printed, Trace
from tla2py.text import counted, did_you_mean, listed

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
class Kinds(Printed):
    """The kinds of counterexamples of a store, the most frequent first."""

    view: StoreTables
    kinds: tuple[Kind, ...]

    def trace(self, number: int) -> Trace:
        """The shortest counterexample of a kind, counted from 1. Raises InputError (``no-kind``)."""
        if not 1 <= number <= len(self.kinds):
            raise InputError(
                "no-kind",
                f"no counterexample kind {number}",
                hint=f"choose a kind from 1 to {len(self.kinds)}",
            )
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
    """The kinds of a store's counterexamples, the most frequent first, then the shortest.

    A ``fine`` kind has the same actions in the same order, runs of one folded, and ends in the same way. A coarse kind
    unites fine kinds that are alike.
    """
    return Kinds(view=view, kinds=tuple(kinds_of(all_found(view), fine)))


def kinds_of(found: Sequence[StoredTrace], fine: bool = False) -> list[Kind]:
    """The kinds of counterexamples, as ``make_kinds`` orders them."""
    groups = [_by_length(group) for group in (fine_kinds if fine else coarse_kinds)(found)]
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


def _by_length(group: Sequence[StoredTrace]) -> list[StoredTrace]:
    return sorted(group, key=lambda member: (member.length, member.point, member.trace))


def _alike(course: Course) -> tuple[str, str]:
    """What the kinds have in common that are compared for the actions which only one of them has."""
    return course.module, course.ending
