"""Traces, states and differences as HTML."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pages import Page
from tests.unit.view.traces import P, made, message, on, seen, tags
from tla2py.model.trace import Location, State, Trace
from tla2py.tla.value import Value
from tla2py.view.html import MOST_WHOLE_STATES, step_pieces, trace_view
from tla2py.view.text import element, html_text, printable, svg_text

LONG = "x" * 70


def ticking(count: int, **given: object) -> Trace:
    return made(*(("Tick", {"at": on(number, 0), "aside": LONG}) for number in range(count)), **given)


def words(text: str) -> str:
    return Page(text).words


def test_a_table_of_steps() -> None:
    sent = frozenset({message(1, to=P, acked=False)})
    trace = made(
        ("Init", {"at": on(0, 0), "box": sent, "aside": 1}),
        ("Send", {"at": on(1, 0), "box": sent | {message(2)}, "aside": 1}, ("p",)),
        ("Ack", {"at": on(1, 5), "box": frozenset({message(1, to=P, acked=True)}), "aside": 1}),
        ("Stay", {"at": on(1, 5), "box": frozenset({message(1, to=P, acked=True)}), "aside": 1}),
    )
    view = trace_view(trace)
    head = [seen(cell) for cell in view.iterfind("thead/tr/th")]
    assert head == ["step", "action", "who (derived)", "what changed"]
    rows = [[seen(cell) for cell in row.iterfind("td")] for row in view.iterfind("tbody/tr")]
    assert [row[:3] for row in rows] == [
        ["1", "initial state", ""],
        ["2", "Send(p)", "p"],
        ["3", "Ack", "q"],
        ["4", "Stay", ""],
    ]
    listed = [[seen(part) for part in row.iterfind("td/ul/li")] for row in view.iterfind("tbody/tr")]
    assert listed == [
        [],
        ["at[p]  [-0-] → {+1+}", "box   + {+[number |-> 2]+}"],
        [
            "at[q]  [-0-] → {+5+}",
            # A changed message is marked inside.
            "box  [acked |-> [-FALSE-] → {+TRUE+}, number |-> 1, to |-> p] − [-[number |-> 2]-]",
        ],
        [],
    ]
    assert rows[3][3] == "nothing changes"
    assert seen(view).count("whole state") == 2


def test_an_element_of_a_set_is_no_value_that_became_another() -> None:
    trace = made(("Init", {"x": frozenset({1}), "y": 1}), ("Next", {"x": frozenset({2}), "y": 2}))
    listed = [seen(part) for part in element("div", *step_pieces(*trace.states, whole=False)).iter("li")]
    assert listed == ["x   − [-1-] + {+2+}", "y  [-1-] → {+2+}"]


def test_who_is_told_by_arguments_is_not_derived() -> None:
    told = made(("Init", {"at": on(0, 0)}), ("Send", {"at": on(1, 0)}, ("p",)))
    assert (
        '<th scope="col" title="the processes are guessed from the keys of the variables">who</th>'
        in told._repr_html_()
    )
    nobody = made(("Init", {"x": 0}), ("Next", {"x": 1}, None, {"n": "1"}))
    assert [seen(cell) for cell in trace_view(nobody).iterfind("thead/tr/th")] == [
        "step",
        "action (arguments derived)",
        "what changed",
    ]


@pytest.mark.parametrize(
    ("ends", "numbers", "last"),
    [
        ({"loop_start": 2}, ["1", "↱ 2", "3"], "↺ and back to state 2, for everat[p]  [-2-] → {+1+}"),
        ({"stuttering": True}, ["1", "2", "3"], "■ and nothing more happens (stuttering)"),
        ({}, ["1", "2"], "3"),
    ],
)
def test_how_it_goes_on(ends: dict[str, object], numbers: list[str], last: str) -> None:
    view = trace_view(ticking(3, **ends))
    cells = [row.find("td") for row in view.iterfind("tbody/tr")]
    assert [seen(cell) for cell in cells if cell is not None] == [*numbers, last]
    looping = [cell is not None and "t2-loop" in cell.get("class", "") for cell in cells]
    assert looping == [False, "loop_start" in ends, "loop_start" in ends, bool(ends)][: len(cells)]


def test_where_an_action_stands_is_said() -> None:
    place = Location(module="Spec", begin_line=7, begin_column=1, end_line=9, end_column=3)
    state = State(index=1, action=None, action_args=None, location=place, values={"x": 1})
    assert "Spec:7" in words(Trace(kind="unknown", name="", states=(state,))._repr_html_())


def test_of_a_long_trace_whole_states_are_left_out() -> None:
    assert ticking(MOST_WHOLE_STATES)._repr_html_().count(LONG) == MOST_WHOLE_STATES
    assert ticking(MOST_WHOLE_STATES + 1)._repr_html_().count(LONG) == 1


def test_a_diff_shows_what_changed_and_folds_the_rest() -> None:
    trace = ticking(3)
    text = words(trace.step(2)._repr_html_())
    assert "2. Tick" in text
    assert "unchanged: aside" in text
    assert "from state 1 to state 3" in words(trace.diff(1, 3)._repr_html_())
    assert "nothing changes" in words(trace.diff(2, 2)._repr_html_())
    assert "unchanged" not in words(trace.diff(2, 2)._repr_html_())


def test_a_state_shows_all_its_values() -> None:
    text = words(ticking(2).state(2)._repr_html_())
    assert all(said in text for said in ("2. Tick", "(p :> 1 @@ q :> 0)", LONG))


texts = st.one_of(
    st.text(max_size=20), st.sampled_from(["<b>", "</td>", "&lt;", "'\">", "<!--", "]]>", "\x1b[1m"])
)


def hostile(text: str, number: int) -> tuple[dict[str, Value], dict[str, Value]]:
    return {text: frozenset(), "x": on(text, 0)}, {
        text: frozenset({f"{text}{number}"}),
        "x": on(text, number),
    }


@given(texts)
def test_no_text_becomes_markup(text: str) -> None:
    def shown(text: str) -> list[str]:
        before, after = hostile(text, 1)
        trace = made(("Init", before), (text, after, (text,)), name=text)
        return [trace._repr_html_(), trace.step(2)._repr_html_(), trace.state(1)._repr_html_()]

    # No text equals the name of the other variable or of a process.
    for given_text, plain in zip(shown(f"~{text}"), shown("~"), strict=True):
        assert tags(given_text) == tags(plain)
        assert printable(text) in html.unescape(given_text)


@given(texts)
def test_pages_and_pictures_escape_what_is_in_them(text: str) -> None:
    page = html_text(element("p", text, element("b", "in"), text, title=text))
    assert tags(page) == tags(html_text(element("p", element("b", "in"))))
    assert html.unescape(page).count(printable(text)) >= 3
    assert "<b>" not in svg_text(element("svg", element("title", text), aria_label=text))


def test_what_is_none_is_left_out() -> None:
    made_of = element("p", None, "a", None, element("b"), "c", "d", title=None, data_x=1.5, class_="k")
    assert html_text(made_of).endswith('<p data-x="1.5" class="k">a<b></b>cd</p></div>')
