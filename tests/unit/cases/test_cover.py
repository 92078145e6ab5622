"""Covers of small random graphs, recounted by plain loops."""

from __future__ import annotations

import json
import random
from itertools import pairwise, product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.raising import raises
from tla2py.cases.cases import Cases
from tla2py.cases.cover import Behaviour, Cover, CoverOptions, make_cover
from tla2py.cases.graph import Graph, Label
from tla2py.errors import InputError

# Longer than any behaviour: the search is asked for, and not the flow.
GREEDY = 10**9


def graph_of(steps: set[tuple[int, int, int]], initial: set[int], count: int, names: str = "ABC") -> Graph:
    ordered = sorted(steps, key=lambda step: (step[0], step[0] != step[2], step[1], step[2]))
    return Graph(
        point=1,
        states=pa.array([json.dumps({"x": {"#bigint": str(number)}}) for number in range(count)]),
        initial=sorted(initial),
        sources=[source for source, _, _ in ordered],
        targets=[target for _, _, target in ordered],
        names=[name for _, name, _ in ordered],
        labels=tuple(Label(action=name, args={}) for name in names),
    )


@st.composite
def graphs(draw: st.DrawFn, cycles: bool | None = None) -> Graph:
    """A graph whose states can all be reached, with or without cycles that change something."""
    count = draw(st.integers(1, 12))
    pick = random.Random(draw(st.integers(0, 2**20)))
    free = draw(st.booleans()) if cycles is None else cycles
    initial = set(range(draw(st.integers(1, count))))
    steps = {(pick.randrange(state), pick.randrange(3), state) for state in range(len(initial), count)}
    for _ in range(draw(st.integers(0, 3 * count))):
        source, target = pick.randrange(count), pick.randrange(count)
        if free or source <= target:
            steps.add((source, pick.randrange(3), target))
    return graph_of(steps, initial, count)


def states_of(graph: Graph, behaviour: Behaviour) -> list[int]:
    return [behaviour.initial, *(graph.targets[step] for step in behaviour.steps)]


def check_behaviours(graph: Graph, cover: Cover, longest: int | None = None) -> None:
    for each in cover.behaviours:
        assert each.initial in graph.initial
        for step, state in zip(each.steps, states_of(graph, each), strict=False):
            assert graph.sources[step] == state
        assert len(each.steps) <= (longest or GREEDY)
    assert cover.behaviours == sorted(cover.behaviours, key=lambda each: (each.initial, *each.steps))


@pytest.mark.parametrize("longest", [None, GREEDY])
@pytest.mark.parametrize("cover", ["edges", "states", "actions", "pairs"])
@given(graph=graphs())
def test_a_cover_is_complete(graph: Graph, cover: str, longest: int | None) -> None:
    found = make_cover(graph, CoverOptions(cover=cover, longest=longest))
    check_behaviours(graph, found)
    action = [graph.labels[name].action for name in graph.names]
    steps = {step for each in found.behaviours for step in each.steps}
    if cover == "edges":
        assert steps == set(range(len(graph.sources)))
    elif cover == "states":
        reached = {state for each in found.behaviours for state in states_of(graph, each)}
        assert reached == set(range(len(graph.states)))
    elif cover == "actions":
        assert {action[step] for step in steps} == set(action)
    else:
        had = {(action[a], action[b]) for each in found.behaviours for a, b in pairwise(each.steps)}
        pairs = product(range(len(action)), repeat=2)
        assert had == {(action[a], action[b]) for a, b in pairs if graph.targets[a] == graph.sources[b]}
    assert found.left == 0
    assert found == make_cover(graph, CoverOptions(cover=cover, longest=longest))


@given(graph=graphs(), acyclic=graphs(cycles=False))
def test_the_flow_has_the_least_cases(graph: Graph, acyclic: Graph) -> None:
    """For steps on any graph, for states on one without cycles."""
    for among, cover in ((graph, "edges"), (acyclic, "edges"), (acyclic, "states")):
        exact = make_cover(among, CoverOptions(cover=cover))
        greedy = make_cover(among, CoverOptions(cover=cover, longest=GREEDY))
        assert among is graph or exact.least == greedy.least is not None
        assert len(exact.behaviours) == exact.least
        assert len(exact.behaviours) <= len(greedy.behaviours)


@given(graph=graphs(), longest=st.integers(1, 4))
def test_what_does_not_fit_is_counted(graph: Graph, longest: int) -> None:
    found = make_cover(graph, CoverOptions(longest=longest))
    check_behaviours(graph, found, longest)
    depth = dict.fromkeys(graph.initial, 0)
    border = list(graph.initial)
    for state in border:
        for step in graph.steps(state):
            if graph.targets[step] not in depth:
                depth[graph.targets[step]] = depth[state] + 1
                border.append(graph.targets[step])
    reachable = {step for step, source in enumerate(graph.sources) if depth[source] < longest}
    assert {step for each in found.behaviours for step in each.steps} == reachable
    assert found.left == len(graph.sources) - len(reachable)


@given(graph=graphs(), length=st.integers(1, 3))
def test_all_paths_of_a_length(graph: Graph, length: int) -> None:
    expected: list[tuple[int, ...]] = []
    todo: list[tuple[int, tuple[int, ...]]] = [(state, ()) for state in graph.initial]
    while todo:
        at, steps = todo.pop()
        after = graph.steps(at)
        if len(steps) == length or not after:
            expected.append(steps)
        else:
            todo += [(graph.targets[step], (*steps, step)) for step in after]
    found = make_cover(graph, CoverOptions(cover=f"paths:{length}"))
    check_behaviours(graph, found)
    assert sorted(tuple(each.steps) for each in found.behaviours) == sorted(expected)


def test_the_weight_trades_restarts_against_steps() -> None:
    """From a circle of ten states a step leads out at each: around to the next one, or begun anew at the first."""
    circle = {(state, 0, (state + 1) % 10) for state in range(10)}
    ways = {(state, 1, 10 + state) for state in range(10)} | {(10 + state, 2, state) for state in range(10)}
    graph = graph_of(circle | ways, {0, 5}, 20)
    few = make_cover(graph, CoverOptions())
    assert len(few.behaviours) == few.least == 1
    alone = graph_of({(0, 0, 1), (1, 0, 0), (1, 1, 2), (0, 1, 3), (3, 0, 0)}, {0}, 4)
    counts = {weight: len(make_cover(alone, CoverOptions(weight=weight)).behaviours) for weight in (0, 1000)}
    assert counts[1000] == 1


def test_only_wanted_states_and_what_a_test_sees_count() -> None:
    steps = {(0, 0, 1), (0, 1, 2), (1, 0, 3), (2, 1, 4)}
    graph = graph_of(steps, {0}, 5)
    found = make_cover(graph, CoverOptions(), wanted=[0, 0, 0, 0, 1])
    assert [[graph.targets[step] for step in each.steps] for each in found.behaviours] == [[2, 4]]
    # A test that sees no difference between 1 and 2, nor between 3 and 4, still takes both actions.
    assert len(make_cover(graph, CoverOptions(), classes=[0, 1, 1, 2, 2]).behaviours) == 2
    assert len(make_cover(graph, CoverOptions(cover="states"), classes=[0, 1, 1, 2, 2]).behaviours) == 1
    # A sample is the same for a seed.
    graph = graph_of({(0, number % 3, number) for number in range(1, 30)}, {0}, 30)
    drawn = [make_cover(graph, CoverOptions(sample=5, seed=seed)).behaviours for seed in (1, 1, 2)]
    assert len(drawn[0]) == 5
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("cover", ["edge", "paths", "paths:0", "paths:x", "", "paths:13"])
def test_what_is_no_cover_and_too_many_paths_are_refused(cover: str) -> None:
    graph = graph_of({(0, name, 0) for name in range(3)}, {0}, 1)
    said = "1,594,323 paths of 13 steps" if cover == "paths:13" else "not a cover"
    raises(InputError, make_cover, graph, CoverOptions(cover=cover), match=said)


def test_inputs_leave_the_rest_to_the_system() -> None:
    """After the input A the system may go on by B; two behaviours with the same inputs are one case."""
    graph = graph_of({(0, 0, 1), (1, 1, 2), (2, 0, 3), (1, 0, 4)}, {0}, 5)
    cover = make_cover(graph, CoverOptions())
    cases = list(Cases(graph=graph, cover=cover, inputs=frozenset("A")))
    assert [[str(each) for each in case.actions] for case in cases] == [["A", "A"]]
    assert cases[0].states == ((0,), (1, 2), (3, 4))
