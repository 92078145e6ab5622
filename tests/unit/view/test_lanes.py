"""A trace as lanes, one for each of its processes, and their pictures: well-formed, with a text alternative, within their frame."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.raising import raises
from tests.unit.view.traces import P, Q, R, made, message, on, styled
from tla2py.errors import InputError
from tla2py.model.trace import Trace
from tla2py.tla.value import Function, Interval, ModelValue, Record, Value
from tla2py.view.lanes import trace_lanes
from tla2py.view.sequence import Arrow, acting, actors, keyed_variables, processes_of
from tla2py.view.traces import lacks_arguments

C = ModelValue("c")


def sending(*boxes: Value, **fields: str) -> tuple[Arrow, ...]:
    """The arrows of a trace in which a variable ``box`` has these values, and p and q act in turn."""
    counts = [((step + 1) // 2, step // 2) for step in range(len(boxes))]
    trace = made(*(("Next", {"n": on(*count), "box": box}) for count, box in zip(counts, boxes, strict=True)))
    return trace_lanes(trace, messages="box", **fields).arrows


def ends(arrows: tuple[Arrow, ...]) -> list[tuple[Value | None, Value | None, int, int | None]]:
    return [(arrow.sender, arrow.receiver, arrow.sent, arrow.received) for arrow in arrows]


def box(*messages: Value) -> frozenset[Value]:
    return frozenset(messages)


def bag(**times: int) -> Function:
    return Function({message(kind=kind): number for kind, number in times.items()})


def test_each_change_is_in_its_lane() -> None:
    trace = made(
        ("Init", {"at": on(1, 2, 3), "log": on((), (), ()), "clock": 1, "box": box()}),
        ("Both", {"at": on(1, 5, 3), "log": on((), (7,), (8,)), "clock": 1, "box": box(message())}),
        ("Tick", {"at": on(1, 5, 3), "log": on((), (7,), (8,)), "clock": 2, "box": box(message())}, ("p",)),
    )
    lanes = trace_lanes(trace, messages="box")
    first, both, tick = lanes.rows
    assert lanes.processes == (P, Q, R)
    assert (first.cells, first.shared, first.who) == ({}, (), ())
    assert (both.cells, both.shared) == ({Q: ("at  2 → 5", "log[1] + 7"), R: ("log[1] + 8",)}, ())
    assert (tick.cells, tick.shared, tick.who, tick.derived) == ({}, ("clock  1 → 2",), (P,), False)
    # Without the argument ``messages`` they are a variable like any other.
    assert (trace_lanes(trace).rows[1].shared, trace_lanes(trace).arrows) == ((f"box + {message()}",), ())
    # Other keys are shared.
    trace = made(("Init", {"at": on(1, 2, 3)}), ("Next", {"at": on(1, 5, 4)}))
    row = trace_lanes(trace, [Q]).rows[1]
    assert (row.cells, row.shared) == ({Q: ("at  2 → 5",)}, ("at[r]  3 → 4",))


def test_a_message_in_a_set_is_received_when_it_is_taken_out() -> None:
    one = message()
    assert ends(sending(box(), box(one))) == [(P, None, 1, None)]
    assert ends(sending(box(), box(one), box())) == [(P, Q, 1, 2)]
    # Initial messages have no sender; a message that reappears is sent again.
    assert ends(sending(box(one), box(), box(one), box())) == [(Q, P, 2, 3)]
    assert ends(sending(box(), box(one), box(), box(one))) == [(P, Q, 1, 2), (P, None, 3, None)]
    # Equal messages in a bag are taken one after the other.
    assert ends(sending(bag(), bag(a=1), bag(a=2), bag(a=1), bag())) == [(P, P, 1, 3), (Q, Q, 2, 4)]
    assert ends(sending(bag(a=1), bag(a=2), bag(a=1), bag())) == [(P, P, 1, 3)]
    assert ends(sending(bag(), bag(a=2), bag(a=1))) == [(P, Q, 1, 2), (P, None, 1, None)]
    assert ends(sending((), bag(a=1, b=1), bag(a=0, b=1))) == [(P, Q, 1, 2), (P, None, 1, None)]


@pytest.mark.parametrize("sender", ["src", "source", "from", "msource"])
@pytest.mark.parametrize("receiver", ["dst", "dest", "to", "mdest"])
def test_the_fields_of_a_message_say_who(sender: str, receiver: str) -> None:
    sent = Record({sender: Q, receiver: P})
    assert ends(sending(box(), box(sent))) == [(Q, P, 1, None)]
    assert ends(sending(box(), box(sent), box())) == [(Q, P, 1, 2)]
    # Fields of other names are asked for.
    sent = message(by=Q, at=P, src=P, dst=Q)
    assert ends(sending(box(), box(sent))) == [(P, Q, 1, None)]
    assert ends(sending(box(), box(sent), sender="by", receiver="at")) == [(Q, P, 1, None)]


def test_a_message_may_have_several_receivers() -> None:
    several: list[tuple[Value, list[Value | None]]] = [(box(P, Q), [P, Q]), (box(Q, "x"), [Q]), (P, [P])]
    several += [(box(), [None]), ("client", [None])]
    for who, receivers in several:
        assert [arrow.receiver for arrow in sending(box(), box(message(dst=who)))] == receivers
    # Receivers in a range of numbers.
    boxes = (box(), box(message(src=2, dst=Interval(2, 9))))
    states = [{"n": (0, step, 0), "m": (1, 1, 1), "box": sent} for step, sent in enumerate(boxes)]
    arrows = trace_lanes(made(*(("Next", values) for values in states)), [1, 2, 3], messages="box").arrows
    assert ends(arrows) == [(2, 2, 1, None), (2, 3, 1, None)]


def test_what_the_next_round_of_a_lasso_takes_is_not_lost() -> None:
    one, other = message(src=P, dst=Q), message(2, src=Q, dst=P)
    states = [(0, ()), (0, (one,)), (1, (other,)), (1, (one,))]
    steps = [("Next", {"n": on(0, n), "box": box(*sent)}) for n, sent in states]
    last = trace_lanes(made(*steps, loop_start=1), messages="box").arrows[-1]
    assert (last.sent, last.received, last.again, last.lost) == (3, None, 0, False)
    last = trace_lanes(made(*steps, loop_start=2), messages="box").arrows[-1]
    assert (last.sent, last.again, last.lost) == (3, 2, False)
    assert trace_lanes(made(*steps), messages="box").arrows[-1].lost


def test_messages_that_name_processes_are_found() -> None:
    sent = message(source=P, dest=Q)
    for boxes in ((box(), box(sent)), ((), (sent,)), ((), Function({sent: 2}))):
        trace = made(*(("Next", {"n": on(0, step), "net": one}) for step, one in enumerate(boxes)))
        assert ends(trace_lanes(trace).arrows)[0] == (P, Q, 1, None)
    unknown = made(*(("Next", {"n": on(0, 1), "net": box(*each)}) for each in ((), (message(to="x"),))))
    assert trace_lanes(unknown).arrows == ()


def test_who_is_not_known_is_not_guessed() -> None:
    states = ((on(1, 1), box()), (on(2, 2), box(message())), (on(2, 2), box()))
    trace = made(*(("Both", {"n": n, "box": sent}) for n, sent in states))
    assert ends(trace_lanes(trace, messages="box").arrows) == [(None, None, 1, 2)]
    # A message that stays is received by who takes on its fields.
    sent = Record({"epoch": 2, "leader": P, "isr": box(P, Q)})
    old, new = (Record({"epoch": n, "leader": P, "end": 0}) for n in (1, 2))
    trace = made(
        ("Init", {"at": on(old, old), "box": box()}),
        ("Send", {"at": on(new, old), "box": box(sent)}),
        ("Read", {"at": on(new, new), "box": box(sent)}),
        ("Work", {"at": on(new, Record({**new, "end": 5})), "box": box(sent)}),
    )
    assert ends(trace_lanes(trace, messages="box").arrows) == [(P, Q, 1, 2)]


def test_one_field_in_common_tells_no_reading() -> None:
    states = [{"at": on(Record({"epoch": 1}), Record({"epoch": n})), "box": box()} for n in (1, 1, 2)]
    for values in states[1:]:
        values["box"] = box(Record({"epoch": 2, "isr": box()}))
    (arrow,) = trace_lanes(made(*(("Next", values) for values in states)), messages="box").arrows
    assert (arrow.receiver, arrow.received) == (None, None)


@pytest.mark.parametrize("name", ["n", "other", "mixed"])
def test_what_is_no_box_of_messages(name: str) -> None:
    values: dict[str, Value] = {"n": on(P, Q), "box": box(), "bag": bag(a=1), "mixed": box()}
    trace = made(("Init", values), ("Next", {**values, "mixed": 1}))
    error = raises(InputError, trace.lanes, messages=name, match=name)
    assert error.code == "no-messages"
    assert "box, bag, mixed" in str(error.hint)


def test_as_text(tmp_path: Path) -> None:
    one, other = message(src=P, dst=Q), message(2, src=P)
    lasso = made(
        ("Init", {"n": on(0, 0), "box": box(), "clock": 0}),
        ("Send", {"n": on(1, 0), "box": box(one, other), "clock": 0}, ("p",)),
        ("Take", {"n": on(1, 1), "box": box(other), "clock": 1}, ("q",)),
        loop_start=2,
    )
    lanes = trace_lanes(lasso, messages="box")
    assert str(lanes).splitlines() == [
        "Safe is violated, 3 states",
        "1. initial state",
        "2. Send(p)",
        "     p: n  0 → 1",
        f"     p => ? (not taken): {message(2, src=P)}",
        f"     p => q (state 3): {message(src=P, dst=Q)}",
        "3. Take(q)",
        "     q: n  0 → 1",
        "     clock  0 → 1",
        f"({lanes.note})",
    ]
    assert "sender and receiver of lanes()" in lanes.note
    assert lanes.save(str(tmp_path / "a.svg")).read_text(encoding="utf-8") == lanes.svg()
    # A message of which no end is known is told without ends.
    start = ("Init", {"n": on(1, 1), "box": box()})
    trace = made(start, ("Both", {"n": on(2, 2), "box": box(message())}))
    assert str(trace.lanes(messages="box")).splitlines()[-2] == f"     message (not taken): {message()}"
    # Where all ends are known nothing is noted.
    trace = made(start, ("Send", {"n": on(2, 1), "box": box(message(src=P, dst=Q))}))
    assert trace.lanes([P, Q], messages="box").note == ""
    assert trace.lanes(messages="box").note == "the processes are guessed from n"
    # No text is an order to a terminal.
    trace = made(("Init", {"n": on("a", "b")}), ("Next", {"n": on("a", "\x1b[2J")}))
    assert "\\x1b[2J" in str(trace.lanes())
    assert "\x1b" not in str(trace.lanes())


def test_processes_of_several_kinds_have_lanes() -> None:
    trace = made(
        ("Init", {"n": on(1, 1), "held": Function({R: 0, C: 0}), "box": box()}),
        ("Ask", {"n": on(1, 1), "held": Function({R: 0, C: 1}), "box": box(message(src=C, dst=P))}),
        ("Take", {"n": on(2, 1), "held": Function({R: 0, C: 1}), "box": box()}),
    )
    for by in ("n, held", [P, Q, R, C]):
        lanes = trace_lanes(trace, by, messages="box")
        rows = [(row.cells, row.shared, row.who) for row in lanes.rows[1:]]
        assert rows == [({C: ("held  0 → 1",)}, (), (C,)), ({P: ("n  1 → 2",)}, (), (P,))]
        assert ends(lanes.arrows) == [(C, P, 1, 2)]
        assert lanes.note == ""


A, B = ModelValue("a"), ModelValue("b")


def of(*values: Value) -> dict[str, Value]:
    return dict(zip(("x", "y", "z"), values, strict=False))


@pytest.mark.parametrize(
    ("values", "constants", "expected"),
    [
        (of(on(1, 2)), {}, (P, Q)),
        (of(on(1, 2), 3), {"N": "{a, b}"}, (P, Q)),
        # More variables and a constant each take precedence; one process or numbers are no guess.
        (of(on(1, 2), Function({A: 1, B: 1}), on(3, 4)), {}, (P, Q)),
        (of(on(1, 2), Function({A: 1, B: 1}), on(3, 4)), {"Nodes": "{b, a}"}, (A, B)),
        (of(on(1), Function({A: 1, B: 1}), on(2)), {}, (A, B)),
        # pc is about writers and readers.
        (of(Function({A: 1, B: 1, C: 1}), Function({A: 1, B: 1})), {"Writers": "{a, b}"}, (A, B, C)),
        (of(on(1, 2), (5, 6), (7, 8)), {"N": "1..2"}, (P, Q)),
        (of(Record({"p1": 1, "p2": 1}), Record({"p1": 2, "p2": 2})), {}, ("p1", "p2")),
        (of(on(1, 2)), {"N": "Nat", "M": "a b c", "Huge": "0..1000000000000"}, (P, Q)),
    ],
)
def test_guessed(values: dict[str, Value], constants: dict[str, str], expected: tuple[Value, ...]) -> None:
    assert processes_of(made(("Init", values), ("Next", values), constants=constants)) == expected


@pytest.mark.parametrize(
    "values",
    [
        *(of(3), of((5, 6)), of((5, 6), (7, 8)), of(on(1), on(2)), of(()), of(frozenset({P}))),
        *(of(Function({1: 1}), Function({1: 2})), of(Record({"epoch": 1, "leader": 2}))),
    ],
)
def test_one_process_a_record_or_numbers_are_no_guess(values: dict[str, Value]) -> None:
    trace = made(("Init", values), ("Next", values))
    assert raises(InputError, processes_of, trace).code == "no-processes"
    assert acting(trace) is None


def test_keys_that_change_are_no_processes() -> None:
    trace = made(("Init", of(on(1, 2), on(1))), ("Next", of(on(1, 2), on(1, 2))), ("Next", of(on(1, 2))))
    assert keyed_variables(trace) == {"x": frozenset({P, Q})}
    assert keyed_variables(trace, (P,)) == {"x": frozenset({P, Q})}
    assert keyed_variables(trace, (P, R)) == {}
    # Among processes of several kinds, a variable may be a function on those of one.
    assert keyed_variables(trace, (P, Q, R)) == {"x": frozenset({P, Q})}


def test_asked_for() -> None:
    values = of(on(1, 2), Function({1: 1, 5: 2}))
    trace = made(("Init", values), constants={"N": "{q, p}", "K": "4..6", "One": "1"})
    assert (processes_of(trace, "N"), processes_of(trace, "K")) == ((P, Q), (4, 5, 6))
    assert (processes_of(trace, "y"), processes_of(trace, "N, y")) == ((1, 5), (P, Q, 1, 5))
    # A name means the model value if there is one; the given order is kept.
    assert processes_of(trace, ["q", P, "q", "other"]) == (Q, P, "other")
    # What is not there.
    trace = made(("Init", of(on(1, 2))), constants={"One": "1"})
    one = "One is neither"
    for by, said in (("One", one), ("x, One", one), ("none", "none is neither"), ((), "no pro")):
        error = raises(InputError, processes_of, trace, by, match=said)
        assert error.code == "no-processes"
        # The hint lists only sets.
        assert str(error.hint).startswith("use one of x, or list the processes")


@pytest.mark.parametrize(
    ("after", "args", "derived", "expected"),
    [
        # The first process among the arguments, whatever changed.
        (of(on(1, 5)), ("7", "p", "q"), {}, ((P,), False)),
        (of(on(1, 5)), ("7",), {}, ((Q,), True)),
        (of(on(5, 5)), None, {}, ((P, Q), True)),
        # The first process among the derived arguments that changed.
        (of(on(5, 5)), None, {"n": "7", "to": "q", "from": "p"}, ((Q,), True)),
        (of(on(1, 5)), None, {"to": "p", "from": "q"}, ((Q,), True)),
        (of(on(1, 5)), None, {"to": "p"}, ((Q,), True)),
        (of(on(1, 2), 9), None, {"to": "p"}, ((), False)),
        (of(on(1, 2), 9), None, {}, ((), False)),
        # TRUE is not 1.
        (of(on(True, 2)), None, {}, ((P,), True)),
    ],
)
def test_who_acted(
    after: dict[str, Value],
    args: tuple[str, ...] | None,
    derived: dict[str, str],
    expected: tuple[tuple[Value, ...], bool],
) -> None:
    trace = made(("Init", of(on(1, 2), 8)), ("Next", {**of(on(1, 2), 8), **after}, args, derived))
    assert list(actors(trace, (P, Q))) == [((), False), expected]


def test_nobody_acts_where_nothing_of_a_process_changes() -> None:
    assert acting(made(("Init", of(on(1, 2), 8)), ("Next", of(on(1, 2), 9)))) is None
    told = made(("Init", of(on(1, 2), 8)), ("Next", of(on(1, 2), 9), ("q",)))
    assert acting(told) == [((), False), ((Q,), False)]
    # A set held as a range is equal to one that is not.
    trace = made(("Init", of(on(frozenset({1, 2}), 1), 1)), ("Next", of(on(Interval(1, 2), 2), 1)))
    assert acting(trace) == [((), False), ((Q,), True)]
    # Numbers are processes if asked for.
    last = ("Next", of((0, 2), (3, 9)), ("2",))
    trace = made(("Init", of((1, 2), (3, 4))), ("Next", of((1, 2), (3, 9))), last)
    assert acting(trace) is None
    assert list(actors(trace, (1, 2))) == [((), False), ((2,), True), ((2,), False)]


SVG = "{http://www.w3.org/2000/svg}"


def picture(trace: Trace, **options: str) -> ET.Element:
    return ET.fromstring(trace.lanes(**options).svg())


def words(root: ET.Element, tag: str = "text") -> list[str]:
    return ["".join(found.itertext()) for found in root.iter(f"{SVG}{tag}")]


def talking(**ends: int) -> Trace:
    sent, lost = message(1, src=P, dst=Q), message(2, src=Q, dst=P)
    return made(
        ("Init", {"n": on(0, 0), "box": frozenset()}),
        ("Send", {"n": on(1, 0), "box": frozenset({sent})}, ("p",)),
        ("Take", {"n": on(1, 1), "box": frozenset({lost})}, ("q",)),
        **ends,
    )


def test_lanes_steps_boxes_and_arrows_are_there() -> None:
    root = picture(talking(), messages="box")
    # Who does not see it reads it.
    assert (root.tag, root.get("role")) == (f"{SVG}svg", "img")
    assert "p => q (state 3)" in root.get("aria-label", "")
    assert words(root, "title")[0] == "Safe is violated, 3 states, by process"
    assert {"2. Send(p)", "3. Take(q)", "n  0 → 1"} <= set(words(root, "title"))
    assert {"p", "q", "1 initial state", "2 Send(p)", "3 Take(q)", "n  0 → 1"} <= set(words(root))
    assert "shared" not in words(root)
    # The last step caused the violation, and nobody took the last message.
    styles = {"t2-box": 2, "t2-last": 1, "t2-life": 2, "t2-arrow": 2, "t2-lost": 1}
    assert {style: len(styled(root, style)) for style in styles} == styles
    (lost,) = (title for title in words(root, "title") if "not taken" in title)
    assert lost == f"{message(2, src=Q, dst=P)} (not taken)"
    assert len(styled(picture(talking()), "t2-arrow")) == 2
    # An arrow goes from the lane of the sender to that of the receiver.
    (left, top, width, height), (right, below, _, tall) = map(_box, styled(root, "t2-box"))
    start, end = _ends(styled(root, "t2-arrow")[0])
    assert start[0] == pytest.approx(left + width, abs=0.1)
    assert end[0] == pytest.approx(right, abs=0.1)
    assert top < start[1] < top + height < below < end[1] < below + tall


def test_no_arrow_where_neither_end_is_known_and_none_over_the_text_of_a_box() -> None:
    trace = made(
        ("Init", {"n": on(0, 0), "box": frozenset()}),
        ("Send", {"n": on(1, 0), "box": frozenset({message(1)})}, ("p",)),
        ("Both", {"n": on(2, 1), "box": frozenset({message(1), message(2)})}),
    )
    root = picture(trace, messages="box")
    (stub,) = styled(root, "t2-arrow")
    start, end = _ends(stub)
    left, _, width, _ = _box(styled(root, "t2-box")[0])
    assert start[0] == pytest.approx(left + width, abs=0.1)
    assert end[0] > start[0]
    assert "shared" not in words(root)
    assert "sender and receiver" in " ".join(words(root))


def _box(rect: ET.Element) -> tuple[float, ...]:
    return tuple(float(rect.get(name, "")) for name in ("x", "y", "width", "height"))


def _ends(path: ET.Element) -> tuple[tuple[float, float], tuple[float, float]]:
    x1, y1, *_, x2, y2 = map(float, re.findall(r"-?[\d.]+", path.get("d", "")))
    return (x1, y1), (x2, y2)


def test_a_lasso_is_drawn() -> None:
    root = picture(talking(loop_start=2))
    assert len(styled(root, "t2-loopline")) == 1
    assert "the last state steps back to state 2" in words(root, "title")
    assert "and back to state 2, for ever" in words(root)
    assert styled(picture(talking()), "t2-loopline") == []
    # A loop of only the last state has a height too.
    alone = styled(picture(talking(loop_start=3)), "t2-loopline")[0]
    _, bottom, _, top, _ = map(float, re.findall(r"-?[\d.]+", alone.get("d", "")))
    assert top < bottom


def test_what_is_long_is_cut_and_whole_in_its_title() -> None:
    many = Record({f"field{number}": 1 for number in range(9)})
    other = Record(dict.fromkeys(many, 2) | {"field8": "x" * 80})
    trace = made(("Init", {"n": on(many, many)}), ("Next", {"n": on(many, other)}))
    root = picture(trace)
    assert "and 4 more" in words(root)
    assert any("x" * 80 in title for title in words(root, "title"))
    few = made(("Init", {"n": on(0, "")}), ("Next", {"n": on(0, "x" * 80)}))
    assert max(len(text) for text in words(picture(few))) == 46
    assert any(text.endswith("…") for text in words(picture(few)))


texts = st.text(max_size=60)


@given(text=texts, other=texts, name=st.text(min_size=1, max_size=8))
def test_any_text_gives_a_picture(text: str, other: str, name: str) -> None:
    trace = made(
        ("Init", {"n": on(text, ""), "x": 0, "box": frozenset()}),
        (name, {"n": on(other, text), "x": other, "box": frozenset({message(src=P, text=text)})}, (text,)),
        loop_start=1,
    )
    root = picture(trace, messages="box")
    shapes = ("svg", "style", "title", "g", "text", "rect", "line", "circle", "path")
    assert {found.tag for found in root.iter()} <= {f"{SVG}{shape}" for shape in shapes}


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=8))
def test_everything_is_within_the_frame(steps: list[tuple[int, int, int]]) -> None:
    boxes: list[Value] = [frozenset(message(n, src=P) for n in range(count)) for *_, count in steps]
    trace = made(
        *(("Next", {"n": on(a, b), "box": box}) for (a, b, _), box in zip(steps, boxes, strict=True))
    )
    root = picture(trace, messages="box")
    _, _, width, height = map(float, root.get("viewBox", "").split())
    for found in root.iter():
        for name in ("x", "y", "x1", "y1", "cx", "cy"):
            most = width if "x" in name else height
            assert 0 <= float((found.get(name) or "0").removesuffix("%")) <= most


def test_arguments_are_lacking_only_where_tlc_printed_none() -> None:
    before = ("Init", of(on(1, 1), 1))
    after = of(on(1, 2), 1)
    assert lacks_arguments(made(before, ("Next", after)))
    # The argument is no process, so who acts is inferred, but it is there.
    assert not lacks_arguments(made(before, ("Next", after, ("7",))))
    assert not lacks_arguments(made(before, ("Next", after, ("q",))))
