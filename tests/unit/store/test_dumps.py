"""TLC's JSON dumps are read, and damaged ones refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tla2py.errors import InputError
from tla2py.model.trace import UNKNOWN, Location
from tla2py.store.foreign import is_dump, trace_from_dump
from tla2py.tla.value import Record

CORPUS = Path(__file__).parents[2] / "corpus" / "foreign"


def dump(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((CORPUS / f"dump-{name}.json").read_text())
    return data


def test_safety() -> None:
    trace = trace_from_dump(dump("safety"))

    assert (trace.kind, trace.loop_start, trace.stuttering) == (UNKNOWN, None, False)
    assert [(state.action, state.action_args) for state in trace.states] == [
        (None, None),
        ("Take", ("a",)),
        ("Pass", ("a", "b")),
        ("Take", ("b",)),
        ("Pass", ("b", "a")),
    ]
    assert trace.states[1].location == Location(
        module="Relay", begin_line=10, begin_column=3, end_line=13, end_column=29
    )
    assert trace.states[0].values == {"token": "a", "busy": Record({"a": False, "b": False}), "log": ()}


@pytest.mark.parametrize(
    ("name", "length", "loop_start", "stuttering"), [("lasso", 8, 5, False), ("stuttering", 2, None, True)]
)
def test_endings(name: str, length: int, loop_start: int | None, stuttering: bool) -> None:
    trace = trace_from_dump(dump(name))

    assert trace.kind == "temporal_property"
    assert (len(trace.states), trace.loop_start, trace.stuttering) == (length, loop_start, stuttering)


def test_the_form_that_wraps_the_behaviour() -> None:
    wrapped = {"counterexample": dump("lasso"), "vars": ["token", "busy", "log"]}

    assert is_dump(wrapped)
    assert trace_from_dump(wrapped) == trace_from_dump(dump("lasso"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("state", 0), 1),
        (("state", 0, 0), 7),
        (("state", 0, 1), []),
        (("state", 1, 1, "log"), None),
        (("state",), []),
        (("action", 0), [1, 2]),
        (("action", 0, 0), {}),
        (("action", 7, 2, 0), 9),
        (("action", 7, 0, 0), 7),
    ],
)
def test_damaged_dumps_are_refused(path: tuple[str | int, ...], value: object) -> None:
    damaged: Any = dump("lasso")
    part = damaged
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value

    with pytest.raises(InputError) as raised:
        trace_from_dump(damaged)
    assert raised.value.code == "dump-syntax"
