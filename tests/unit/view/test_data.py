"""The data of the page: values that read back, equal values as equal numbers, and little space."""

from __future__ import annotations

import base64
import json
import zlib
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.unit.store.test_tables import CASES, make_store
from tests.unit.tla.strategies import values
from tla2py.analysis.view import StoreView, open_view
from tla2py.tla.canonical import same_value
from tla2py.tla.value import Interval, Value
from tla2py.tla.value_text import format_value, parse_value
from tla2py.view.counterexamples import FUNCTION, RECORD, SEQUENCE, SET, Nodes
from tla2py.view.explorer import packed, store_data


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    return open_view(make_store(tmp_path_factory.mktemp("data") / "store", CASES).path)


def unpacked(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS))


def written(nodes: Nodes, number: int) -> str:
    """A value's text, as web/src/data.ts writes it."""
    row = nodes.rows[number]
    if isinstance(row, str):
        return row
    kind, *parts = row
    texts = [written(nodes, each) for each in parts]
    if kind == SET:
        return f"{{{', '.join(texts)}}}"
    if kind == SEQUENCE:
        return f"<<{', '.join(texts)}>>"
    sign = " |-> " if kind == RECORD else " :> "
    pairs = [sign.join(pair) for pair in zip(texts[::2], texts[1::2], strict=True)]
    assert kind in (RECORD, FUNCTION)
    return f"[{', '.join(pairs)}]" if kind == RECORD else f"({' @@ '.join(pairs)})"


@given(values)
def test_values_read_back(value: Value) -> None:
    nodes = Nodes()
    assert same_value(parse_value(written(nodes, nodes.value(value))), value)


def test_equal_values_have_equal_numbers() -> None:
    nodes = Nodes()
    one, other = (
        parse_value("[a |-> {1, 2}, b |-> <<{1, 2}>>]"),
        parse_value("[b |-> <<1..2>>, a |-> {2, 1}]"),
    )
    assert nodes.value(one) == nodes.value(other)
    assert nodes.value(Interval(1, 2)) == nodes.value(frozenset({1, 2}))
    assert nodes.value(True) != nodes.value(1)
    assert nodes.value("x") != nodes.value(parse_value("x"))


def test_a_trace_has_its_states_and_changes(view: StoreView) -> None:
    data = store_data(view)
    for number, one in enumerate(data.own.found):
        chunk: Any = data.chunk(next(at for at, part in enumerate(data.own.parts) if number in part))
        rows = chunk["traces"][number - data.own.parts[0].start]
        trace = view.trace(one.point, one.trace)
        nodes = Nodes()
        nodes.rows = chunk["nodes"]
        for state, numbers, changes in zip(trace.states, rows["states"], rows["changes"], strict=True):
            texts = [written(nodes, each) for each in numbers]
            assert [
                same_value(parse_value(text), state.values[name])
                for text, name in zip(texts, rows["variables"], strict=True)
            ]
            if state.index > 1:
                parts = trace.step(state.index).parts
                assert [tuple(nodes.rows[each] for each in change) for change in changes] == [
                    (part.place, *part.texts) for part in parts
                ]
        assert rows["loop"] == trace.loop_start


def test_states_in_one_pass_are_those_read_one_by_one(view: StoreView) -> None:
    data = store_data(view)
    assert list(data.chunks()) == [data.chunk(number) for number in range(len(data.own.parts))]
    assert unpacked(packed(data.overview)) == json.loads(json.dumps(data.overview))


def test_hundreds_of_counterexamples_are_small(tmp_path: Path) -> None:
    cases = tuple(islice(cycle(("invariant", "success", "liveness-lasso", "values")), 500))
    data = store_data(open_view(make_store(tmp_path / "store", cases).path))
    size = len(packed(data.overview)) + sum(len(packed(chunk)) for chunk in data.chunks())
    assert size < 150_000
    assert format_value(frozenset()) == "{}"
