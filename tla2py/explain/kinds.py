"""All counterexamples of a store at once, sorted by what they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Protocol, TypeVar

from tla2py.errors import InputError
from tla2py.show.markup import element, html_text
from tla2py.show.plain import runs_of
from tla2py.store.store import Manifest, Store
from tla2py.tables.traces import TraceRow, trace_actions
from tla2py.text import counted
from tla2py.trace.display import Printed
from tla2py.trace.trace import Trace

LIKENESS = 0.8
"""How much alike the actions of two counterexamples of one kind are, from 0 to 1."""


class Steps(Protocol):
    """What a counterexample violates, and by which actions."""

    @property
    def name(self) -> str:
        """The label of what it violates."""

    @property
    def actions(self) -> tuple[str, ...]:
        """The named actions, in order."""


Item = TypeVar("Item", bound=Steps)


class Counterexamples(Protocol):
    """The counterexamples of a store, as ``StoreView`` has them."""

    @property
    def manifest(self) -> Manifest:
        """What the store was made from."""

    @property
    def trace_rows(self) -> Sequence[TraceRow]:
        """The rows of ``traces``."""

    @property
    def store(self) -> Store:
        """The store."""

    def trace(self, point: int, number: int = 1) -> Trace:
        """A counterexample of a point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A counterexample of a store: ``trace`` is its number at its ``point``; points that share a run share it.

    ``length`` is its number of states; it has no ``actions`` where nobody tells them.
    """

    point: int
    trace: int
    name: str
    length: int
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Counterexamples that violate the same by much the same actions; the first member is the shortest."""

    members: tuple[Found, ...]

    @property
    def shortest(self) -> Found:
        """The shortest counterexample of the kind."""
        return self.members[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds(Printed):
    """The kinds of counterexamples of a store, the most frequent first."""

    view: Counterexamples
    kinds: tuple[Kind, ...]

    def trace(self, number: int) -> Trace:
        """The shortest counterexample of a kind, counted from 1. Raises InputError (``no-kind``)."""
        if not 1 <= number <= len(self.kinds):
            raise InputError(
                "no-kind", f"no kind {number}", hint=f"kinds are numbered from 1 to {len(self.kinds)}"
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
            said = f"{counted(count, 'counterexample')}, shortest {counted(best.length, 'state')}"
            lines.append(f"{number}. {best.name}: {said}, {where}")
            if best.actions:
                lines.append(f"     {runs_of(list(best.actions))}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        titles = ("kind", "violates", "traces", "states", "points", "shortest", "its actions")
        head = element("tr", *(element("th", title, scope="col") for title in titles))
        body = element("tbody")
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
            body.append(element("tr", *(element("td", text) for text in cells)))
        total = sum(len(kind.members) for kind in self.kinds)
        caption = element(
            "caption", f"{counted(total, 'counterexample')} of {counted(len(self.kinds), 'kind')}"
        )
        return html_text(element("table", caption, element("thead", head), body))


def make_kinds(view: Counterexamples, likeness: float) -> Kinds:
    """The kinds of counterexamples of a store.

    Going from the shortest on, a counterexample joins the first kind whose shortest one violates the same by actions
    that are ``likeness`` alike (1 for the same in the same order, 0 for none in common); else it begins a kind.
    """
    ordered = sorted(all_found(view), key=lambda found: (found.length, found.point, found.trace))
    kinds = by_kind(ordered, likeness)
    kinds.sort(key=lambda members: -len(members))
    return Kinds(view=view, kinds=tuple(Kind(members=tuple(members)) for members in kinds))


def by_kind(items: Iterable[Item], likeness: float = LIKENESS) -> list[list[Item]]:
    """Counterexamples of each kind in their order, the kinds in the order of their firsts.

    One joins the first kind whose first violates the same by actions that are ``likeness`` alike.
    """
    kinds: list[list[Item]] = []
    # Most have the very actions of an earlier one, which costs less to find out than likeness.
    same: dict[tuple[str, tuple[str, ...]], list[Item]] = {}
    for item in items:
        key = (item.name, item.actions)
        if key not in same:
            same[key] = next((kind for kind in kinds if _alike(kind[0], item, likeness)), [])
            if not same[key]:
                kinds.append(same[key])
        same[key].append(item)
    return kinds


def all_found(view: Counterexamples) -> list[Found]:
    """Every counterexample of a store with its actions; those of a simulation that violate nothing too."""
    actions = trace_actions(view.store.table("states"))
    points: dict[str, int] = {}
    for point in view.manifest.points:
        points.setdefault(point.run_id, point.point)
    return [
        Found(
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
    """Whether two violate the same by actions that are at least so much alike."""
    return (
        one.name == other.name
        and SequenceMatcher(None, one.actions, other.actions, autojunk=False).ratio() >= likeness
    )
