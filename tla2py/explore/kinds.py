"""A store's counterexamples grouped into kinds by what they violate and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Protocol, TypeVar

from tla2py.errors import InputError
from tla2py.explore.view import LIKENESS, StoreView
from tla2py.show.markup import html_text, row, table
from tla2py.show.plain import runs_of
from tla2py.tables.traces import trace_actions
from tla2py.tables.write import table_file
from tla2py.text import counted
from tla2py.trace.display import Printed
from tla2py.trace.trace import Trace


class Steps(Protocol):
    """What a counterexample violates, and its actions."""

    @property
    def name(self) -> str:
        """The violated definition."""

    @property
    def actions(self) -> tuple[str, ...]:
        """The named actions, in order."""


Item = TypeVar("Item", bound=Steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTrace:
    """A counterexample of a store.

    ``point`` is the first point with its run, ``trace`` its number there, ``length`` its number of states. ``actions``
    is empty if TLC printed none.
    """

    point: int
    trace: int
    name: str
    length: int
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """StoreView that violate the same by similar actions; the first member is the shortest."""

    members: tuple[StoredTrace, ...]

    @property
    def shortest(self) -> StoredTrace:
        """The shortest counterexample of the kind."""
        return self.members[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds(Printed):
    """The kinds of counterexamples of a store, the most frequent first."""

    view: StoreView
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

    def __len__(self) -> int:
        return len(self.kinds)

    def __str__(self) -> str:
        lines = []
        for number, kind in enumerate(self.kinds, 1):
            best = kind.shortest
            where = f"point {best.point}, trace {best.trace}"
            count = len(kind.members)
            size = f"{counted(count, 'counterexample')}, shortest {counted(best.length, 'state')}"
            lines.append(f"{number}. {best.name}: {size}, {where}")
            if best.actions:
                lines.append(f"     {runs_of(list(best.actions))}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        titles = ("kind", "violates", "traces", "states", "points", "shortest", "its actions")
        rows = []
        for number, kind in enumerate(self.kinds, 1):
            best = kind.shortest
            longest = max(member.length for member in kind.members)
            states = str(longest) if best.length == longest else f"{best.length} to {longest}"
            cells = (
                str(number),
                best.name,
                str(len(kind.members)),
                states,
                str(len({member.point for member in kind.members})),
                f"point {best.point}, trace {best.trace}",
                runs_of(list(best.actions)),
            )
            rows.append(row(*cells))
        total = sum(len(kind.members) for kind in self.kinds)
        caption = f"{counted(total, 'counterexample')} of {counted(len(self.kinds), 'kind')}"
        return html_text(table(caption, titles, rows))


def make_kinds(view: StoreView, likeness: float) -> Kinds:
    """The kinds of a store's counterexamples, the most frequent first.

    In order of length, each counterexample joins the first kind whose shortest member violates the same by actions at
    least ``likeness`` alike (1: the same in the same order, 0: none in common); otherwise it starts a kind.
    """
    ordered = sorted(all_found(view), key=lambda found: (found.length, found.point, found.trace))
    kinds = by_kind(ordered, likeness)
    kinds.sort(key=lambda members: -len(members))
    return Kinds(view=view, kinds=tuple(Kind(members=tuple(members)) for members in kinds))


def by_kind(items: Iterable[Item], likeness: float = LIKENESS) -> list[list[Item]]:
    """The items grouped by kind, each kind in their order, the kinds in the order of their first members.

    An item joins the first kind whose first member violates the same by actions at least ``likeness`` alike.
    """
    kinds: list[list[Item]] = []
    # Most items repeat the exact actions of an earlier one, which is cheaper to check than likeness.
    same: dict[tuple[str, tuple[str, ...]], list[Item]] = {}
    for item in items:
        key = (item.name, item.actions)
        if key not in same:
            same[key] = next((kind for kind in kinds if _alike(kind[0], item, likeness)), [])
            if not same[key]:
                kinds.append(same[key])
        same[key].append(item)
    return kinds


def all_found(view: StoreView) -> list[StoredTrace]:
    """A store's counterexamples with their actions, and its simulated behaviours that violate nothing."""
    actions = trace_actions(table_file(view.store, "states"))
    points: dict[str, int] = {}
    for point in view.manifest.points:
        points.setdefault(point.run_id, point.point)
    return [
        StoredTrace(
            point=points[row.run_id],
            trace=row.trace,
            name=row.label,
            length=row.length,
            actions=actions.get((row.run_id, row.trace), ()),
        )
        for row in view.trace_rows
        if row.run_id in points
    ]


def _alike(one: Steps, other: Steps, likeness: float) -> bool:
    return (
        one.name == other.name
        and SequenceMatcher(None, one.actions, other.actions, autojunk=False).ratio() >= likeness
    )
