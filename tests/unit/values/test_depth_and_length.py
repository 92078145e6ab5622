"""Values nested 100,000 deep, and values of megabytes, in time that grows linearly and without recursion."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from tla2py.values import (
    Record,
    Value,
    changes,
    format_value,
    parse_value,
    same_value,
    state_from_itf,
    state_to_itf,
)

DEEP = 100_000
NESTED = {
    "sequences": ("<<", "1", ">>"),
    "sets": ("{", "1", "}"),
    "records": ("[f |-> ", "1", "]"),
    "functions": ("(1 :> a @@ 5 :> ", "1", ")"),
    "keys": ("(", "a", " :> 2)"),
    "mixed": ("<<{[f |-> (a :> ", "1", ")]}>>"),
}


def nested(kind: str, depth: int = DEEP, leaf: str | None = None) -> str:
    opening, inner, closing = NESTED[kind]
    depth //= 4 if kind == "mixed" else 1
    return opening * depth + (leaf or inner) + closing * depth


@pytest.mark.parametrize("kind", NESTED)
def test_deep_values_are_read_and_written(kind: str) -> None:
    value = parse_value(nested(kind))
    state = json.loads(json.dumps(state_to_itf({"x": value})))

    assert format_value(value) == nested(kind)
    assert format_value(state_from_itf(state)["x"]) == nested(kind)


@pytest.mark.parametrize("kind", NESTED)
def test_deep_values_are_compared(kind: str) -> None:
    value, twin, other = (parse_value(nested(kind, DEEP // 20, leaf)) for leaf in (None, None, "b"))

    assert hash(value) == hash(twin)
    assert value == twin
    assert value != other
    assert same_value(value, twin)
    assert not same_value(value, other)
    assert not list(changes(value, twin))
    assert list(changes(value, other))


@pytest.mark.parametrize("kind", NESTED)
def test_unbalanced_deep_text_is_refused(kind: str) -> None:
    opening, inner, _ = NESTED[kind]
    with pytest.raises(ValueError, match="not a TLA"):
        parse_value(opening * DEEP + inner)


def long_texts(size: int) -> dict[str, str]:
    """Texts of kinds that invite looking at the same piece again and again."""
    numbers = [str(number) for number in range(size)]
    return {
        "set": "{" + ", ".join(numbers) + "}",
        "function": "(" + " @@ ".join(f"<<{n}>> :> {n}" for n in numbers) + ")",
        "record": "[" + ", ".join(f"f{n} |-> {n}" for n in numbers) + "]",
        "string": '"' + "\\\\\\n" * size + '"',
        "spaces": "<<1" + " " * size * 5 + ">>",
        "digits": "1" * size * 5 + "a",
        "angles": "<a" * size,
        "open strings": '<<"a' * size,
        "opaque": "<<" + ", ".join(["SUBSET (1..9)"] * size) + ">>",
        "expression": "{x \\in Nat : <expression " + "(<a b> " * size + ">}",
    }


@pytest.mark.parametrize("kind", list(long_texts(1)))
def test_long_texts_take_linear_time(kind: str) -> None:
    short, long = (long_texts(size)[kind] for size in (2_000, 16_000))

    # Eight times as much may take eight times as long; quadratic time would be 64 times.
    assert seconds(lambda: read(long)) < 25 * seconds(lambda: read(short)) + 0.05


@pytest.mark.parametrize("kind", ["set", "function", "record"])
def test_writing_long_values_takes_linear_time(kind: str) -> None:
    short, long = (parse_value(long_texts(size)[kind]) for size in (2_000, 16_000))

    for write in (
        format_value,
        lambda value: state_to_itf({"x": value}),
        lambda value: list(changes(value, ())),
    ):
        assert seconds(lambda: write(long)) < 25 * seconds(lambda: write(short)) + 0.05  # noqa: B023


def read(text: str) -> Value | None:
    try:
        return parse_value(text)
    except ValueError:
        return None


def seconds(work: Callable[[], object]) -> float:
    """The CPU time of the fastest of three runs, which others on this machine disturb least."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def test_a_long_string_is_read_whole() -> None:
    text = "x\n" * 1_000_000
    value = Record({"log": text})

    assert parse_value(format_value(value)) == value
