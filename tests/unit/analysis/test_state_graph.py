"""Two state graphs compared: what is a larger step, and what was left out."""

from __future__ import annotations

import pytest

from tla2py.analysis.state_graph import GraphComparison, StateGraph, compare_graphs


def graph(initial: str, steps: str) -> StateGraph:
    """Return a graph whose states are letters; a step is written as two of them."""
    made = StateGraph()
    for letter in initial:
        made.add_initial(f'"{letter}"')
    for step in steps.split():
        made.add_step(f'"{step[0]}"', f'"{step[1]}"', step)
    return made


def compare(candidate: str, reference: str) -> GraphComparison:
    return compare_graphs(graph("a", candidate), graph("a", reference))


@pytest.mark.parametrize(
    ("candidate", "reference"),
    [
        ("ab bc", "ab bc"),
        ("ab bb bc", "ab bc"),
        # A step that two of the reference make.
        ("ab bc ac", "ab bc"),
        # The states b and c lie inside a step.
        ("ad de", "ab bc cd de"),
        ("ab bc cd de", "ad de"),
        # Two processes take two steps each: on the left each of them takes both at once.
        ("ac ag ci gi", "ab bc ad be cf de dg eh ef fi gh hi"),
    ],
)
def test_a_larger_step_is_no_difference(candidate: str, reference: str) -> None:
    comparison = compare(candidate, reference)
    assert comparison.differences == []


def test_the_states_inside_steps_are_counted() -> None:
    comparison = compare("ad de", "ab bc cd de")
    assert (comparison.candidate.states, comparison.candidate.inside) == (3, 0)
    assert (comparison.reference.states, comparison.reference.inside) == (5, 2)


@pytest.mark.parametrize(
    ("candidate", "reference", "words", "path"),
    [
        ("ab", "ab bc", "the reference reaches 1 state that it does not", "abc"),
        ("ab bc", "ab", "it reaches 1 state that the reference does not", "abc"),
        ("ab bc ca", "ab bc", "it takes a step that no steps of the reference make: ca", "abca"),
        # A step back, where the candidate goes on first.
        ("ab bc ca", "ab bc ca ba", "the reference takes a step that it does not take: ba", "aba"),
        # What is lost comes again.
        ("ab ba", "ab ba ac ca", "the reference reaches 1 state that it does not", "ac"),
        # Two steps in one order only.
        ("ab bd", "ab bd ac cd", "the reference reaches 1 state that it does not", "ac"),
        # A longer way beside a shorter one.
        ("ad de", "ab bd ad de", "the reference reaches 1 state that it does not", "ab"),
        # Inside of the step the reference can stop.
        ("ad de", "ab bd de bc", "the reference reaches 2 states that it does not", "abc"),
    ],
)
def test_what_only_one_can_do_is_a_difference(candidate: str, reference: str, words: str, path: str) -> None:
    [difference] = compare(candidate, reference).differences
    assert difference.words.startswith(words)
    assert [entry["state"] for entry in difference.behaviour] == list(path)
    assert difference.behaviour[0]["action"] is None
    assert difference.behaviour[-1]["action"] == path[-2:]


def test_another_beginning_is_a_difference() -> None:
    candidate, reference = graph("ab", "ab bc"), graph("a", "ab bc")
    [difference] = compare_graphs(candidate, reference).differences
    assert difference.words == "it can begin in 1 state in which the reference cannot"
    assert difference.behaviour == [{"action": None, "state": "b"}]
    [difference] = compare_graphs(reference, candidate).differences
    assert difference.words == "the reference can begin in 1 state in which it cannot"
