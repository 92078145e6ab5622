"""Covers of a state graph: few and short behaviours from initial states that take every step, visit every state, or more."""

from __future__ import annotations

import random
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from tla2py.cases.graph import Graph, first_steps
from tla2py.errors import InputError
from tla2py.text import counted

COVERS = ("edges", "states", "actions", "pairs", "paths:K")
# What a restart costs in steps if only the number of behaviours counts.
_RESTART = 1_000_000
# How far a behaviour looks, and among how many states: fewer in a large graph, where each look costs as much.
_AHEAD, _MOST_AHEAD, _LEAST_AHEAD, _LOOKS = 10, 200, 20, 20_000_000
_MOST_PATHS = 1_000_000


class Behaviour(NamedTuple):
    """An initial state, and the numbers of the steps from there."""

    initial: int
    steps: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverOptions:
    """What is covered and how, as the options of ``testgen`` say.

    ``weight`` is what a restart costs in steps; None asks for as few behaviours as there can be.
    """

    cover: str = "edges"
    weight: int | None = None
    longest: int | None = None
    sample: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """The behaviours of a cover, in order.

    ``least`` is a number that no cover is below, None if it is not known; ``left`` is how much ``longest`` leaves out.
    """

    behaviours: list[Behaviour]
    least: int | None = None
    left: int = 0

    @property
    def steps(self) -> int:
        """The number of steps of all behaviours."""
        return sum(len(each.steps) for each in self.behaviours)


def make_cover(
    graph: Graph,
    options: CoverOptions,
    *,
    classes: Sequence[int] | None = None,
    wanted: Sequence[int] | None = None,
) -> Cover:
    """A cover of a graph, the same whenever the graph is.

    States with equal ``classes`` count as one; only steps to a ``wanted`` state have to be covered. Raises InputError
    (``usage``) for an unknown cover, or for too many paths.
    """
    search = CoverSearch(graph, options)
    name, _, length = options.cover.partition(":")
    if name == "paths" and length.isdecimal() and int(length) and wanted is None:
        found = _all_paths(search, int(length))
    elif options.cover == "pairs":
        found = _pairs(search, wanted)
    elif options.cover in ("edges", "states", "actions"):
        found = _items_covered(search, classes, wanted)
    else:
        problem = (
            f"not a cover: {options.cover}" if wanted is None else f"--where does not go with {options.cover}"
        )
        raise InputError("usage", problem, hint=f"covers: {', '.join(COVERS)}")
    behaviours = sorted(found.behaviours, key=lambda each: (each.initial, *each.steps))
    if options.sample is None or options.sample >= len(behaviours):
        return replace(found, behaviours=behaviours)
    drawn = random.Random(options.seed).sample(range(len(behaviours)), options.sample)  # noqa: S311 - to be repeated
    return replace(found, behaviours=[behaviours[place] for place in sorted(drawn)], least=None)


def _items_covered(search: CoverSearch, classes: Sequence[int] | None, wanted: Sequence[int] | None) -> Cover:
    """A cover of steps, states or actions: exact if it can be, otherwise greedy."""
    graph, options = search.graph, search.options
    by_states, count = options.cover == "states", len(graph.sources)
    flow = None
    if classes is None and wanted is None and options.cover != "actions":
        flow = _flow(search, by_states=by_states)
        if flow is not None and options.longest is None:
            return flow
    known: dict[Hashable, int] = {}
    seen = range(len(graph.states)) if classes is None else classes

    def state_item(state: int) -> int:
        """What a visit of a state covers, as a number; -1 for nothing."""
        return known.setdefault(seen[state], len(known)) if wanted is None or wanted[state] else -1

    def step_item(step: int) -> int:
        """What a step covers, as a number; -1 for nothing."""
        name, target = graph.names[step], graph.targets[step]
        if wanted is not None and not wanted[target]:
            return -1
        what: Hashable = step
        if options.cover == "actions":
            what = graph.labels[name].action
        elif classes is not None:
            what = classes[graph.sources[step]], name, classes[target]
        return known.setdefault(what, len(known))

    if by_states:
        fore, aft = (array("i", map(state_item, ends)) for ends in (graph.targets, graph.sources))
    else:
        fore = aft = array("i", map(step_item, range(count)))
    # What is near an initial state needs the fewest behaviours if it is taken first.
    order = sorted(range(count), key=lambda step: search.depth[graph.sources[step]])
    if options.cover == "actions":
        first = {fore[step]: step for step in reversed(order)}
        order = sorted(first.values(), key=lambda step: -search.depth[graph.sources[step]])
    alone = len(known)
    found = search.greedy(fore, aft, order)
    if by_states:
        # An initial state that no step leads to or from.
        found.behaviours.extend(Behaviour(state, ()) for state in graph.initial if state_item(state) >= alone)
    return replace(found, least=None if flow is None else flow.least)


@dataclass
class _Side:
    """The steps on from each state, forwards or backwards, those that change nothing first.

    ``rest`` is how many steps a behaviour has beyond a state; ``items`` and ``done`` are what steps cover, and what is covered.
    """

    order: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    begins: Sequence[int]
    rest: Sequence[int]
    items: Sequence[int] = ()
    done: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self.most = min(_MOST_AHEAD, max(_LEAST_AHEAD, _LOOKS // (len(self.order) + 1)))
        # The place of the first step from each state that may not be covered yet.
        self.next = array("i", self.begins)

    def is_open(self, state: int) -> bool:
        """Whether a step on from a state covers something new."""
        place, end = self.next[state], self.begins[state + 1]
        while place < end and self.done[self.items[self.order[place]]]:
            place += 1
        self.next[state] = place
        return place < end

    def way(self, state: int, good: Callable[[int], bool]) -> list[int]:
        """The steps on to the nearest other state that is good; none if there is none near."""
        came = {state: -1}
        border = [state]
        for _ in range(_AHEAD):
            before, border = border, []
            for at in before:
                for step in self.order[self.begins[at] : self.begins[at + 1]]:
                    end = self.ends[step]
                    if end in came:
                        continue
                    came[end] = step
                    if good(end):
                        way = []
                        while came[end] >= 0:
                            way.append(came[end])
                            end = self.starts[came[end]]
                        return way[::-1]
                    border.append(end)
            if not border or len(came) > self.most:
                break
        return []


class CoverSearch:
    """A graph with what every cover asks of it: distances from the initial states, and the steps to each state."""

    def __init__(self, graph: Graph, options: CoverOptions) -> None:
        self.graph, self.options = graph, options
        self.longest = options.longest or len(graph.sources) + len(graph.states) + 1
        count = len(graph.states)
        self.depth = array("i", [-1]) * count
        # The step by which a shortest path comes to a state.
        self.parent = array("i", [-1]) * count
        reached = deque(graph.initial)
        for state in reached:
            self.depth[state] = 0
        while reached:
            state = reached.popleft()
            for step in graph.steps(state):
                target = graph.targets[step]
                if self.depth[target] < 0:
                    self.depth[target], self.parent[target] = self.depth[state] + 1, step
                    reached.append(target)

    def path_to(self, state: int) -> list[int]:
        """The steps of a shortest path to a state."""
        steps = []
        while self.parent[state] >= 0:
            steps.append(self.parent[state])
            state = self.graph.sources[self.parent[state]]
        return steps[::-1]

    def behaviour(self, steps: Sequence[int]) -> Behaviour:
        """The behaviour with these steps, at least one."""
        return Behaviour(self.graph.sources[steps[0]], array("i", steps))

    @cached_property
    def ahead(self) -> _Side:
        """The steps forwards."""
        graph = self.graph
        nothing = bytes(len(graph.states))
        return _Side(range(len(graph.sources)), graph.sources, graph.targets, graph.begins, nothing)

    @cached_property
    def behind(self) -> _Side:
        """The steps backwards."""
        graph = self.graph
        order = sorted(range(len(graph.sources)), key=lambda step: graph.sources[step] != graph.targets[step])
        order.sort(key=graph.targets.__getitem__)
        begins = first_steps(graph.targets, len(graph.states))
        return _Side(array("i", order), graph.targets, graph.sources, begins, self.depth)

    def greedy(self, fore: Sequence[int], aft: Sequence[int], starts: Iterable[int]) -> Cover:
        """Behaviours that cover all items, as far as they may be long.

        A step covers an item when a behaviour is extended by it forwards, and one backwards. Each behaviour is grown from an
        uncovered step, backwards and forwards over others, and looks further where there is none.
        """
        graph, ahead, behind = self.graph, self.ahead, self.behind
        # The last place, which -1 means, stands for what need not be covered.
        done = bytearray(max(chain(fore, aft), default=-1) + 2)
        done[-1] = 1
        ahead.items, behind.items, ahead.done, behind.done = fore, aft, done, done
        found = []

        def mark(steps: Iterable[int]) -> None:
            for step in steps:
                done[fore[step]] = done[aft[step]] = 1

        def grow(side: _Side, path: list[int]) -> None:
            """Extend a path, by so many steps as there is room for."""
            state = side.ends[path[-1]]
            while True:
                way = [] if side.is_open(state) else side.way(state, side.is_open)
                state = side.ends[way[-1]] if way else state
                if not side.is_open(state):
                    return
                way.append(side.order[side.next[state]])
                state = side.ends[way[-1]]
                if len(path) + len(way) + side.rest[state] > self.longest:
                    return
                mark(way)
                path += way

        for start in starts:
            if (done[fore[start]] and done[aft[start]]) or self.depth[graph.sources[start]] >= self.longest:
                continue
            path = [start]
            mark(path)
            grow(behind, path)
            way = self.path_to(graph.sources[path[-1]])
            mark(way)
            path = [*way, *reversed(path)]
            grow(ahead, path)
            found.append(self.behaviour(path))
        return Cover(behaviours=found, left=done.count(0))


def _flow(search: CoverSearch, *, by_states: bool) -> Cover | None:
    """A cover with the least cost, as a flow; None without the extra ``testgen``.

    Every step, or every state, carries at least one unit; a state is then two nodes with an arc between them. What a state
    lacks comes over further steps, which cost 1, or from a restart, whose arcs begin at the root, where all behaviours end.
    """
    try:
        import numpy as np
        from ortools.graph.python import min_cost_flow
    except ImportError:
        return None
    graph, weight = search.graph, search.options.weight
    count, size, inner = len(graph.states), len(graph.sources), len(graph.states) * by_states
    sources, targets, initial = (
        np.array(each, dtype=np.int32) for each in (graph.sources, graph.targets, graph.initial)
    )
    states = np.arange(count, dtype=np.int32)
    root = count + inner
    # The arcs, in this order: steps, those within states, ends, restarts.
    tails = np.concatenate([sources + inner, states[:inner], states + inner, np.full_like(initial, root)])
    heads = np.concatenate([targets, states[:inner] + inner, np.full_like(states, root), initial])
    costs = np.zeros(len(tails), np.int64)
    costs[:size], costs[-len(initial) :] = 1, _RESTART if weight is None else weight
    taken = np.zeros(len(tails), np.int64)
    taken[size * by_states : size + inner] = 1
    supply = np.bincount(heads, taken, root + 1) - np.bincount(tails, taken, root + 1)
    solver = min_cost_flow.SimpleMinCostFlow()
    most = np.full(len(tails), size + count + 1, np.int64)
    # A step that stays in a state does not bring a behaviour there.
    most[:size][sources == targets] = 0
    arcs = solver.add_arcs_with_capacity_and_unit_cost(tails, heads, most, costs)
    solver.set_nodes_supplies(np.arange(root + 1, dtype=np.int32), supply.astype(np.int64))
    if solver.solve() != solver.OPTIMAL:
        return None
    times = solver.flows(arcs) + taken
    order = np.argsort(tails, kind="stable")
    begins = np.searchsorted(tails[order], np.arange(root + 2))
    least = int(times[-len(initial) :].sum())
    arrays = (array("i", each.astype(np.int32).tobytes()) for each in (heads, times, order, begins))
    walk = _Walk(search, inner, *arrays)
    least += walk.join()
    behaviours = walk.behaviours()
    # A walk that begins and ends where it likes needs no restart in the flow.
    least = min(max(least, 1), len(behaviours))
    return Cover(behaviours=behaviours, least=least if weight is None else None)


@dataclass
class _Walk:
    """A flow as arcs that are taken some times, taken apart into behaviours; arcs are those of ``_flow``."""

    search: CoverSearch
    inner: int
    heads: Sequence[int]
    times: array[int]
    order: Sequence[int]
    begins: array[int]

    def __post_init__(self) -> None:
        self.root = len(self.begins) - 2
        # The first restart.
        self.restarts = len(self.heads) - len(self.search.graph.initial)

    def join(self) -> int:
        """Join what no restart leads to with the rest by a detour, or by a restart; the number of those without a choice."""
        search, graph, needed = self.search, self.search.graph, 0
        weight = _RESTART if search.options.weight is None else search.options.weight
        inside = bytearray(self.root + 1)
        self._flood(self.root, inside)
        for state in range(len(graph.states)):
            if inside[state] or not any(self.times[arc] for arc in self._arcs(state)):
                continue

            def joined(at: int, state: int = state) -> bool:
                return bool(inside[at]) and bool(search.behind.way(state, at.__eq__))

            steps = search.ahead.way(state, joined)
            if steps:
                steps += search.behind.way(state, graph.targets[steps[-1]].__eq__)
            if not steps or len(steps) > weight + search.depth[state]:
                needed += not self.inner
                steps = search.path_to(state)
                initial = graph.sources[steps[0]] if steps else state
                self.times[self.restarts + bisect_left(graph.initial, initial)] += 1
                self.times[self.restarts - len(graph.states) + state] += 1
                if self.inner:
                    self.times[len(graph.sources) + initial] += 1
            for step in steps:
                self.times[step] += 1
                if self.inner:
                    self.times[len(graph.sources) + graph.targets[step]] += 1
            self._flood(state, inside)
        return needed

    def _arcs(self, node: int) -> Sequence[int]:
        return self.order[self.begins[node] : self.begins[node + 1]]

    def _flood(self, node: int, inside: bytearray) -> None:
        """Mark what the flow connects with a node."""
        border = [node]
        inside[node] = 1
        for at in border:
            for arc in self._arcs(at):
                if self.times[arc] and not inside[self.heads[arc]]:
                    inside[self.heads[arc]] = 1
                    border.append(self.heads[arc])

    def behaviours(self) -> list[Behaviour]:
        """The behaviours: a closed walk from the root that takes every arc as often as the flow, by Hierholzer, cut there."""
        following = array("i", self.begins)
        stack, walk = [(self.root, -1)], []
        while stack:
            node = stack[-1][0]
            place, end = following[node], self.begins[node + 1]
            while place < end and not self.times[self.order[place]]:
                place += 1
            following[node] = place
            if place < end:
                arc = self.order[place]
                self.times[arc] -= 1
                stack.append((self.heads[arc], arc))
            else:
                walk.append(stack.pop()[1])
        found: list[Behaviour] = []
        for arc in walk[-2::-1]:
            if arc >= self.restarts:
                found.append(Behaviour(self.heads[arc], array("i")))
            elif arc < len(self.search.graph.sources):
                found[-1].steps.append(arc)  # type: ignore[attr-defined]
        return found


def _pairs(search: CoverSearch, wanted: Sequence[int] | None) -> Cover:
    """A shortest path to each pair of consecutive actions that no earlier one has."""
    graph = search.graph
    numbers = {action: number for number, action in enumerate(graph.actions)}
    action = array("i", [numbers[graph.labels[name].action] for name in graph.names])
    first: dict[tuple[int, int], tuple[int, int]] = {}
    known = set[tuple[int, int]]()
    for step in sorted(range(len(graph.sources)), key=lambda step: search.depth[graph.sources[step]]):
        target = graph.targets[step]
        if (target, action[step]) in known:
            continue
        known.add((target, action[step]))
        for second in graph.steps(target):
            if wanted is None or wanted[graph.targets[second]]:
                first.setdefault((action[step], action[second]), (step, second))
    found: list[Behaviour] = []
    had = set[tuple[int, int]]()
    left = 0
    for pair, steps in reversed(list(first.items())):
        path = [*search.path_to(graph.sources[steps[0]]), *steps]
        if len(path) > search.longest:
            left += 1
        elif pair not in had:
            found.append(search.behaviour(path))
            had.update((action[a], action[b]) for a, b in pairwise(path))
    return Cover(behaviours=found, left=left)


def _all_paths(search: CoverSearch, length: int) -> Cover:
    """Every behaviour of this many steps, shorter where it cannot go on."""
    graph = search.graph
    # How many behaviours begin in each state, by one step more each time.
    counts = [1] * len(graph.states)
    for _ in range(length):
        counts = [
            sum(counts[graph.targets[step]] for step in graph.steps(state)) or 1
            for state in range(len(graph.states))
        ]
    every = sum(counts[state] for state in graph.initial)
    if every > _MOST_PATHS:
        hint = f"at most {_MOST_PATHS:,} are made; take fewer steps, or another --cover"
        raise InputError(
            "usage", f"there are {counted(every, 'path')} of {counted(length, 'step')}", hint=hint
        )
    found = []
    todo = [Behaviour(state, ()) for state in reversed(graph.initial)]
    while todo:
        initial, steps = todo.pop()
        after = graph.steps(graph.targets[steps[-1]] if steps else initial)
        if len(steps) == min(length, search.longest) or not after:
            found.append(Behaviour(initial, steps))
        else:
            todo += [Behaviour(initial, (*steps, step)) for step in reversed(after)]
    return Cover(behaviours=found, least=len(found), left=int(length > search.longest))
