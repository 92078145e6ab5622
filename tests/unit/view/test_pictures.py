"""Pictures of lanes are well-formed, have a text alternative, and stay inside their frame."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.view.traces import P, Q, made, message, on, styled
from tla2py.model.trace import Trace
from tla2py.tla.value import Record, Value

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
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
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
