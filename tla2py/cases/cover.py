"""Covers of a state graph: few and short behaviours from initial states that take every step, visit every state, or more."""

from __future__ import annotations

import random
from array import array
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from tla2py.cases.graph import Graph
from tla2py.errors import InputError
from tla2py.text import counted

COVERS = ("edges", "states", "actions", "pairs", "paths:K")
# What a restart costs in steps if only the number of behaviours counts.
_RESTART = 1_000_000
# How far a behaviour looks for something uncovered, and among how many states; a graph with cycles repays more.
_AHEAD, _AHEAD_IN_CYCLES, _MOST_AHEAD = 3, 10, 2_000
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

    def cost(self, weight: int | None) -> int:
        """The steps, with what the restarts cost."""
        return self.steps + len(self.behaviours) * (_RESTART if weight is None else weight)


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
    search = _Search(graph, options)
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
    chosen = random.Random(options.seed).sample(behaviours, options.sample)  # noqa: S311 - to be repeated
    behaviours = sorted(chosen, key=lambda each: (each.initial, *each.steps))
    return replace(found, behaviours=behaviours, least=None)


def _items_covered(search: _Search, classes: Sequence[int] | None, wanted: Sequence[int] | None) -> Cover:
    """A cover of steps, states or actions."""
    graph, options = search.graph, search.options
    by_states = options.cover == "states"
    known: dict[Hashable, int] = {}

    def key(state: int) -> int:
        return state if classes is None else classes[state]

    def item(step: int) -> int:
        """What a step covers, as a number; -1 for nothing."""
        name, target = graph.names[step], graph.targets[step]
        if wanted is not None and not wanted[target]:
            return -1
        what: Hashable = step
        if options.cover == "actions":
            what = graph.labels[name].action
        elif by_states:
            what = key(target)
        elif classes is not None:
            what = classes[graph.sources[step]], name, classes[target]
        return known.setdefault(what, len(known))

    count = len(graph.sources)
    items = array("i", map(item, range(count)))
    flow = None
    if classes is None and wanted is None and options.cover != "actions":
        flow = _flow(search, by_states=by_states)
    if flow is not None and options.longest is None and len(flow.behaviours) == flow.least:
        return flow
    # What is near an initial state needs the fewest behaviours if it is taken first.
    order = sorted(range(count), key=lambda step: search.depth[graph.sources[step]])
    if options.cover == "actions":
        first = {items[step]: step for step in reversed(order)}
        order = sorted(first.values(), key=lambda step: -search.depth[graph.sources[step]])
    found = search.greedy(items, order)
    if by_states:
        there = {key(state) for each in found.behaviours for state in states_of(graph, each)}
        for state in graph.initial:
            if key(state) not in there and (wanted is None or wanted[state]):
                there.add(key(state))
                found.behaviours.append(Behaviour(state, ()))
    if flow is None or found.left:
        return found
    if options.longest is None and flow.cost(options.weight) <= found.cost(options.weight):
        return flow
    return replace(found, least=flow.least)


class _Search:
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
        # The steps by target, those that change nothing first, as ``steps`` has them by source.
        loops = (step for step in range(len(graph.sources)) if graph.sources[step] == graph.targets[step])
        others = (step for step in range(len(graph.sources)) if graph.sources[step] != graph.targets[step])
        self.arriving: list[list[int]] = [[] for _ in range(count)]
        for step in (*loops, *others):
            self.arriving[graph.targets[step]].append(step)
        self.done = bytearray()

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

    def has_cycles(self) -> bool:
        """Whether some steps that change something lead back to where they began."""
        graph = self.graph
        entering = array("i", bytes(4 * len(graph.states)))
        for source, target in zip(graph.sources, graph.targets, strict=True):
            entering[target] += source != target
        free = [state for state, number in enumerate(entering) if not number]
        for state in free:
            for step in graph.steps(state):
                target = graph.targets[step]
                entering[target] -= target != state
                if target != state and not entering[target]:
                    free.append(target)
        return len(free) < len(graph.states)

    def greedy(self, items: Sequence[int], order: Iterable[int]) -> Cover:
        """Behaviours that cover all ``items``, by number of the step, as far as they may be long.

        Each is grown from an uncovered step, backwards and forwards over others, and looks ahead where there is none.
        """
        graph, targets, sources = self.graph, self.graph.targets, self.graph.sources
        weight = self.options.weight
        ahead = weight if weight is not None else _AHEAD_IN_CYCLES if self.has_cycles() else _AHEAD
        # Its last place, which -1 means, stands for what need not be covered.
        done = self.done = bytearray(max(items, default=-1) + 2)
        done[-1] = 1
        first_out = array("i", graph.begins[:-1])
        first_in = array("i", bytes(4 * len(graph.states)))
        found = []

        def leaving(state: int) -> int:
            """An uncovered step from a state, or -1."""
            step, end = first_out[state], graph.begins[state + 1]
            while step < end and done[items[step]]:
                step += 1
            first_out[state] = step
            return step if step < end else -1

        def entering(state: int) -> int:
            """An uncovered step to a state, or -1."""
            place, steps = first_in[state], self.arriving[state]
            while place < len(steps) and done[items[steps[place]]]:
                place += 1
            first_in[state] = place
            return steps[place] if place < len(steps) else -1

        def jump(state: int, most: int) -> list[int]:
            """The steps to the nearest state from which an uncovered one leaves, none if there is none near."""
            came = {state: -1}
            border = [state]
            for _ in range(most):
                before, border = border, []
                for at in before:
                    for step in graph.steps(at):
                        target = targets[step]
                        if target in came:
                            continue
                        came[target] = step
                        if leaving(target) >= 0:
                            way = []
                            while came[target] >= 0:
                                way.append(came[target])
                                target = sources[came[target]]
                            return way[::-1]
                        border.append(target)
                if not border or len(came) > _MOST_AHEAD:
                    break
            return []

        left = set[int]()
        for start in order:
            if done[items[start]]:
                continue
            if self.depth[sources[start]] + 1 > self.longest:
                left.add(items[start])
                continue
            done[items[start]] = 1
            back = [start]
            while (step := entering(sources[back[-1]])) >= 0:
                if self.depth[sources[step]] + len(back) + 1 > self.longest:
                    break
                done[items[step]] = 1
                back.append(step)
            path = self.path_to(sources[back[-1]])
            for step in path:
                done[items[step]] = 1
            path += reversed(back)
            while len(path) < self.longest:
                state = targets[path[-1]]
                step = leaving(state)
                way = [step] if step >= 0 else jump(state, min(ahead, self.longest - len(path) - 1))
                if not way:
                    break
                for step in way:
                    done[items[step]] = 1
                path += way
            found.append(self.behaviour(path))
        return Cover(behaviours=found, left=sum(not done[item] for item in left))


def _flow(search: _Search, *, by_states: bool) -> Cover | None:
    """A cover with the least cost, as a flow; None without the extra ``testgen``.

    Every step, or every state, carries at least one unit. What a state lacks comes over further steps, which cost 1, or from
    a restart.
    """
    try:
        import numpy as np
        from ortools.graph.python import min_cost_flow
    except ImportError:
        return None
    graph = search.graph
    weight = _RESTART if search.options.weight is None else search.options.weight
    count, size = len(graph.states), len(graph.sources)
    sources, targets = (np.array(each, dtype=np.int32) for each in (graph.sources, graph.targets))
    moves = np.flatnonzero(sources != targets)
    sources, targets = sources[moves], targets[moves]
    initial = np.array(graph.initial, dtype=np.int32)
    every = np.arange(count, dtype=np.int32)
    # A state that has to be visited is two nodes, with the unit between them taken for granted.
    if by_states:
        root, leave = 2 * count, every + count
        supply = np.concatenate([-np.ones(count, np.int64), np.ones(count, np.int64)])
        inner = (every, leave)
    else:
        root, leave = count, every
        supply = np.bincount(targets, minlength=count) - np.bincount(sources, minlength=count)
        inner = (every[:0], every[:0])
    to_root, from_root = np.full(count, root, np.int32), np.full(len(initial), root, np.int32)
    tails = np.concatenate([leave[sources], inner[0], leave, from_root])
    heads = np.concatenate([targets, inner[1], to_root, initial])
    costs = np.concatenate(
        [np.ones(len(moves)), np.zeros(len(inner[0])), np.zeros(count), np.full(len(initial), weight)]
    ).astype(np.int64)
    solver = min_cost_flow.SimpleMinCostFlow()
    most = np.full(len(tails), size + count + 1, np.int64)
    arcs = solver.add_arcs_with_capacity_and_unit_cost(tails, heads, most, costs)
    solver.set_nodes_supplies(np.arange(len(supply) + 1, dtype=np.int32), np.append(supply, 0))
    if solver.solve() != solver.OPTIMAL:
        return None
    flows = solver.flows(arcs)
    times = np.zeros(size, np.int32)
    times[moves] = flows[: len(moves)] + (not by_states)
    ends = flows[len(moves) + len(inner[0]) :][:count]
    starts = flows[len(flows) - len(initial) :]
    walk = _Walk(search, times.tolist(), ends.tolist(), starts.tolist())
    behaviours = walk.behaviours()
    if not by_states:
        behaviours = list(_with_loops(search, behaviours))
    # A walk that begins and ends where it likes needs no restart in the flow.
    least = min(max(int(starts.sum()), 1), len(behaviours)) if search.options.weight is None else None
    return Cover(behaviours=behaviours, least=least)


class _Walk:
    """A flow taken apart into behaviours: steps that are taken some times, ends, and starts at each initial state."""

    def __init__(self, search: _Search, times: list[int], ends: list[int], starts: list[int]) -> None:
        self.search, self.graph = search, search.graph
        self.times, self.ends = times, ends
        self.starts = [state for state, n in zip(self.graph.initial, starts, strict=True) for _ in range(n)][
            ::-1
        ]
        self.next = array("i", self.graph.begins[:-1])

    def behaviours(self) -> list[Behaviour]:
        """The behaviours, and one more for each circle that no restart leads to."""
        found: list[tuple[int, array[int]]] = []
        for step in self._circuit(-1):
            if step < 0:
                found.append((-2 - step, array("i")))
            else:
                found[-1][1].append(step)
        for step in range(len(self.times)):
            if self.times[step]:
                state = self.graph.sources[step]
                way = self.search.path_to(state)
                initial = self.graph.sources[way[0]] if way else state
                found.append((initial, array("i", [*way, *self._circuit(state)])))
        return [Behaviour(*each) for each in found]

    def _circuit(self, root: int) -> list[int]:
        """The steps of a closed walk that takes all that is left of its part of the graph, by Hierholzer; -1 is before any start."""
        stack, walk = [(root, -1)], []
        while stack:
            state = stack[-1][0]
            if state < 0:
                if self.starts:
                    start = self.starts.pop()
                    stack.append((start, -2 - start))
                    continue
            else:
                step, end = self.next[state], self.graph.begins[state + 1]
                while step < end and not self.times[step]:
                    step += 1
                self.next[state] = step
                if step < end:
                    self.times[step] -= 1
                    stack.append((self.graph.targets[step], step))
                    continue
                if self.ends[state]:
                    self.ends[state] -= 1
                    stack.append((-1, -1))
                    continue
            walk.append(stack.pop()[1])
        return [step for step in walk[::-1] if step != -1]


def _with_loops(search: _Search, behaviours: Iterable[Behaviour]) -> Iterator[Behaviour]:
    """The behaviours with the steps that stay in a state added where one first comes there."""
    graph = search.graph
    there = bytearray(len(graph.states))

    def loops(state: int) -> list[int]:
        if there[state]:
            return []
        there[state] = 1
        return [step for step in graph.steps(state) if graph.targets[step] == state]

    for each in behaviours:
        path = loops(each.initial)
        for step in each.steps:
            path.append(step)
            path += loops(graph.targets[step])
        yield Behaviour(each.initial, array("i", path))
    for state in graph.initial:
        if path := loops(state):
            yield Behaviour(state, array("i", path))


def _pairs(search: _Search, wanted: Sequence[int] | None) -> Cover:
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


def _all_paths(search: _Search, length: int) -> Cover:
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


def states_of(graph: Graph, behaviour: Behaviour) -> Iterator[int]:
    """The states of a behaviour in order."""
    yield behaviour.initial
    for step in behaviour.steps:
        yield graph.targets[step]


def shortest_paths(graph: Graph) -> Callable[[int], list[int]]:
    """The function that gives the steps of a shortest path to a state."""
    return _Search(graph, CoverOptions()).path_to
