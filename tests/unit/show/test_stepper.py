"""The widget: the data of its page, and its current state."""

from __future__ import annotations

import html
from typing import Any

import pytest
import traitlets

from tests.pages import Page
from tests.unit.show.traces import made, on, tags
from tla2py.show.trace_html import MOST_WHOLE_STATES
from tla2py.trace.trace import Trace


def trace(count: int = 4, **given: Any) -> Trace:
    return made(
        *(("Tick", {"at": on(number, 0), "aside": "<b>"}, ("p",)) for number in range(count)), **given
    )


def test_it_shows_the_state_of_its_number() -> None:
    stepper = trace().stepper()
    assert (stepper.index, stepper.state.index) == (1, 1)
    stepper.index = 3
    assert stepper.state is not None
    assert stepper.state.values["at"] == on(2, 0)


@pytest.mark.parametrize("index", [0, 5, -1])
def test_there_is_no_other_state(index: int) -> None:
    stepper = trace().stepper()
    with pytest.raises(traitlets.TraitError, match=f"no state {index}: the states are 1 to 4"):
        stepper.index = index
    assert stepper.index == 1


def test_what_the_page_gets() -> None:
    stepper: Any = trace(loop_start=3).stepper()
    assert stepper.title == "Safe is violated, 4 states"
    assert [step["index"] for step in stepper.steps] == [1, 2, 3, 4]
    assert [step["title"] for step in stepper.steps] == ["initial state", "Tick(p)", "Tick(p)", "Tick(p)"]
    assert [step["loop"] for step in stepper.steps] == ["", "", "the loop starts here", "in the loop"]
    assert [step["loop"] for step in trace().stepper().steps] == [""] * 4  # type: ignore[attr-defined]
    assert "and back to state 3, for ever" in stepper.steps[-1]["html"]
    assert not any("for ever" in step["html"] for step in stepper.steps[:-1])


def test_each_step_is_whole_html_that_holds_no_markup_of_values() -> None:
    stepper: Any = trace().stepper()
    for step in stepper.steps:
        assert "b" not in tags(step["html"])
        assert '"<b>"' in Page(step["html"]).words
    assert "at[p]" in html.unescape(stepper.steps[1]["html"])


def test_of_a_long_trace_whole_states_are_left_out() -> None:
    stepper: Any = trace(MOST_WHOLE_STATES + 1).stepper()
    assert "aside" in stepper.steps[0]["html"]
    assert not any("aside" in step["html"] for step in stepper.steps[1:])
