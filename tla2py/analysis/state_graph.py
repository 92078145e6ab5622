"""State graphs of two specifications, seen through the same variables and compared."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from tla2py.text import counted, listed

State: TypeAlias = str
"""The values of the compared variables, as JSON text."""

# A step of one specification may be made by so many steps of the other.
_MOST_STEPS = 8
# Of a graph with more states from which such paths depart, none is taken to be inside a step.
_MOST_DEPARTURES = 2_000
_MOST_ACTIONS_SHOWN = 8


@dataclass(slots=True, kw_only=True)
class StateGraph:
    """What a specification can do, seen through some variables.

    ``steps`` maps each state to those that follow it, each with the action that leads there. Steps that
    change none of the variables are left out.
    """

    initial: list[State] = field(default_factory=list)
    steps: dict[State, dict[State, str]] = field(default_factory=dict)

    def add_initial(self, state: State) -> None:
        """Add an initial state."""
        self.steps.setdefault(state, {})
        if state not in self.initial:
            self.initial.append(state)

    def add_step(self, source: State, target: State, action: str) -> None:
        """Add a step; of several actions that make the same step the first is kept."""
        self.steps.setdefault(target, {})
        following = self.steps.setdefault(source, {})
        if source != target:
            following.setdefault(target, action)

    def predecessors(self) -> dict[State, State | None]:
        """Return the reachable states, nearest first, with the one before each, None for an initial one."""
        before: dict[State, State | None] = dict.fromkeys(self.initial)
        pending = deque(before)
        while pending:
            state = pending.popleft()
            for following in self.steps[state]:
                if following not in before:
                    before[following] = state
                    pending.append(following)
        return before

    def shortest_path(self, state: State) -> list[State]:
        """Return the states of a shortest behaviour that reaches a state."""
        before = self.predecessors()
        path = [state]
        while (previous := before[path[-1]]) is not None:
            path.append(previous)
        path.reverse()
        return path

    def actions(self, path: list[State]) -> list[str]:
        """Return the actions of the steps of a path; a step without a name is ``Next``."""
        return [self.steps[source][target] or "Next" for source, target in itertools.pairwise(path)]

    def behaviour(self, path: list[State]) -> list[dict[str, Any]]:
        """Return the states of a path as JSON values, each with the action of the step to it, first None."""
        actions = [None, *self.actions(path)]
        return [
            {"action": action, "state": msgspec.json.decode(state)}
            for action, state in zip(actions, path, strict=True)
        ]

    def has_path(self, source: State, target: State, *, within: set[State] | None = None) -> bool:
        """Return whether a path of at most eight steps leads from a state to another.

        With ``within`` the states between them are among these.
        """
        seen = {source}
        front = [source]
        for _ in range(_MOST_STEPS):
            following = [state for each in front for state in self.steps[each]]
            if target in following:
                return True
            front = [state for state in dict.fromkeys(following) if state not in seen]
            if within is not None:
                front = [state for state in front if state in within]
            seen.update(front)
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourDifference:
    """What one of two specifications can do and the other cannot, in words.

    ``behaviour`` shows it, as JSON values. Its states repeat for ever from the state ``loop_start``, counted
    from 1; with ``stuttering`` the last one does.
    """

    words: str
    behaviour: list[dict[str, Any]] = field(default_factory=list)
    loop_start: int | None = None
    stuttering: bool = False

    def to_dict(self) -> dict[str, object]:
        """Return the difference as JSON values."""
        return {
            "summary": self.words,
            "behaviour": self.behaviour,
            "loop_start": self.loop_start,
            "stuttering": self.stuttering,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCount:
    """The number of states of a specification, and how many of them lie inside steps of the other one."""

    states: int
    inside: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphComparison:
    """The differences between the state graphs of two specifications, and the number of states of each."""

    differences: list[BehaviourDifference]
    candidate: StateCount
    reference: StateCount


def compare_graphs(candidate: StateGraph, reference: StateGraph) -> GraphComparison:
    """Compare what a candidate and its reference can do; of each kind of difference the nearest is returned.

    It is no difference that one of them makes a step of the other by several:

    - A step of the candidate may be made by up to eight of the reference.
    - A step of the reference may be made by up to eight of the candidate, if no state between them is one of
      the reference; otherwise the step was left out.
    - A state that only one of the two reaches may lie inside steps of the other, see ``_Departures``.
    """
    candidate_view = _View(name="it", graph=candidate, other_name="the reference", other=reference)
    reference_view = _View(name="the reference", graph=reference, other_name="it", other=candidate)
    views = (candidate_view, reference_view)

    differences: list[BehaviourDifference] = []
    for view in views:
        differences += view.beginnings()
    counts: list[StateCount] = []
    for view in views:
        outside = view.states_outside_steps()
        differences += view.unreached(outside)
        inside = 0 if outside else len(view.only_here)
        counts.append(StateCount(states=len(view.graph.steps), inside=inside))

    extra = candidate_view.first_step_without_path(within=None)
    left_out = reference_view.first_step_without_path(within=candidate_view.only_here)
    if extra is not None:
        differences.append(candidate_view.extra_step(*extra, "that no steps of the reference make"))
    if left_out is not None:
        differences.append(reference_view.extra_step(*left_out, "that it does not take"))
    return GraphComparison(differences=differences, candidate=counts[0], reference=counts[1])


@dataclass(slots=True, kw_only=True)
class _View:
    """One of two state graphs, seen from the other."""

    name: str
    graph: StateGraph
    other_name: str
    other: StateGraph
    only_here: set[State] = field(init=False)

    def __post_init__(self) -> None:
        self.only_here = self.graph.steps.keys() - self.other.steps.keys()

    def beginnings(self) -> Iterator[BehaviourDifference]:
        """Yield the difference that some initial states make."""
        begins = [state for state in self.graph.initial if state not in self.other.initial]
        if begins:
            words = (
                f"{self.name} can begin in {counted(len(begins), 'state')} in which {self.other_name} cannot"
            )
            yield BehaviourDifference(words=words, behaviour=self.graph.behaviour(begins[:1]))

    def states_outside_steps(self) -> list[State]:
        """Return the states of this graph alone that lie inside no step of the other, nearest first."""
        if not self.only_here:
            return []
        departures = _Departures(graph=self.graph, other=self.other, only_here=self.only_here)
        outside = departures.states_outside_steps()
        return [state for state in self.graph.predecessors() if state in outside]

    def unreached(self, states: list[State]) -> Iterator[BehaviourDifference]:
        """Yield the difference that ``states`` make, which lie inside no step of the other."""
        if not states:
            return
        path = self.graph.shortest_path(states[0])
        actions = listed(self.graph.actions(path), _MOST_ACTIONS_SHOWN)
        example = f"by {actions}" if actions else "at the beginning"
        words = (
            f"{self.name} reaches {counted(len(self.only_here), 'state')} that {self.other_name} does not "
            f"({len(self.graph.steps):,} distinct states against {len(self.other.steps):,}), "
            f"for example {example}"
        )
        yield BehaviourDifference(words=words, behaviour=self.graph.behaviour(path))

    def first_step_without_path(self, within: set[State] | None) -> tuple[State, State] | None:
        """Return the nearest step between states of both that no path of the other makes, else None."""
        for source in self.graph.predecessors():
            if source in self.only_here:
                continue
            for target in self.graph.steps[source]:
                if target in self.only_here or target in self.other.steps[source]:
                    continue
                if not self.other.has_path(source, target, within=within):
                    return source, target
        return None

    def extra_step(self, source: State, target: State, what: str) -> BehaviourDifference:
        """Return the difference that a step makes which the other does not take."""
        path = [*self.graph.shortest_path(source), target]
        [*_, action] = self.graph.actions(path)
        return BehaviourDifference(
            words=f"{self.name} takes a step {what}: {action}", behaviour=self.graph.behaviour(path)
        )


@dataclass(slots=True, kw_only=True)
class _Departures:
    """Paths of a graph that leave the states of another graph, ``other``, and return to them.

    The states on such a path lie inside steps of the other graph if that takes larger steps: it makes each
    path from the state of departure to one of return by fewer steps, one of which is no step of this graph.
    Otherwise the other graph has left out a step, or an order of steps.
    """

    graph: StateGraph
    other: StateGraph
    only_here: set[State]

    def states_outside_steps(self) -> set[State]:
        """Return states of this graph alone that lie inside no step of the other: some if there are any."""
        trapped = self.only_here - self._returning()
        if trapped:
            return trapped
        departing = [
            state
            for state, following in self.graph.steps.items()
            if state not in self.only_here and not self.only_here.isdisjoint(following)
        ]
        if len(departing) > _MOST_DEPARTURES:
            return set(self.only_here)
        for state in departing:
            if not self._is_made_by_larger_steps(state):
                return self.only_here.intersection(self.graph.steps[state])
        return set()

    def _returning(self) -> set[State]:
        """Return the states of this graph alone from which a path leads back to states of both."""
        sources: dict[State, list[State]] = {}
        for source in self.only_here:
            for target in self.graph.steps[source]:
                sources.setdefault(target, []).append(source)

        returning: set[State] = set()
        pending = [target for target in sources if target not in self.only_here]
        while pending:
            for source in sources.get(pending.pop(), ()):
                if source not in returning:
                    returning.add(source)
                    pending.append(source)
        return returning

    def _is_made_by_larger_steps(self, start: State) -> bool:
        """Return whether the other makes each path that departs from a state by fewer steps, some new."""
        lengths = self._return_lengths(start)
        if not lengths or start in lengths:
            return False
        there = _Reach.of(self.other, start, max(lengths.values()) - 1, known=self.graph)
        shorter = all(there.lengths.get(target, length) < length for target, length in lengths.items())
        return shorter and any(
            there.new_lengths.get(target, length) < length for target, length in lengths.items()
        )

    def _return_lengths(self, start: State) -> dict[State, int]:
        """Return the states where paths that depart from a state return, with the length of the shortest."""
        lengths: dict[State, int] = {}
        seen: set[State] = set()
        front = [state for state in self.graph.steps[start] if state in self.only_here]
        for length in range(2, _MOST_STEPS + 1):
            seen.update(front)
            following = [state for each in front for state in self.graph.steps[each]]
            front = []
            for state in dict.fromkeys(following):
                if state not in self.only_here:
                    lengths.setdefault(state, length)
                elif state not in seen:
                    front.append(state)
        return lengths


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reach:
    """The states within some steps of a state, each with the number of steps of the shortest path.

    ``new_lengths`` has those of the paths with a step that another graph does not take.
    """

    lengths: dict[State, int]
    new_lengths: dict[State, int]

    @classmethod
    def of(cls, graph: StateGraph, start: State, most: int, *, known: StateGraph) -> _Reach:
        """Return what at most so many steps of a graph reach; steps that ``known`` does not take are new."""
        lengths = {start: 0}
        new_lengths: dict[State, int] = {}
        front = [(start, False)]
        for length in range(1, most + 1):
            following: list[tuple[State, bool]] = []
            for state, is_new in front:
                for target in graph.steps[state]:
                    has_new = is_new or target not in known.steps.get(state, {})
                    reached = new_lengths if has_new else lengths
                    if target not in reached:
                        reached[target] = length
                        following.append((target, has_new))
            front = following
        for state, length in new_lengths.items():
            lengths[state] = min(lengths.get(state, length), length)
        return cls(lengths=lengths, new_lengths=new_lengths)
