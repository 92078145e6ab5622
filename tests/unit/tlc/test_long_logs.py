"""Long logs: states are read in memory bounded by a state, and a repeated text of a value is read once."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from tla2py.model.trace import State
from tla2py.tlc.output.messages import Message, iter_messages
from tla2py.tlc.output.result import interpret
from tla2py.tlc.output.states import StateReader


def message(code: int, level: int, body: str) -> Iterator[bytes]:
    for line in (f"@!@!@STARTMSG {code}:{level} @!@!@", *body.split("\n"), f"@!@!@ENDMSG {code} @!@!@"):
        yield f"{line}\n".encode()


def long_log(states: int, width: int) -> Iterator[bytes]:
    """A log with a trace in which one variable always changes and one never does."""
    yield from message(2110, 1, "Invariant Inv is violated.")
    yield from message(2121, 1, "The behavior up to this point is:")
    for index in range(1, states + 1):
        numbers = ", ".join(str(index + offset) for offset in range(width))
        yield from message(
            2217,
            4,
            f"{index}: <Act line 1, col 1 to line 2, col 2 of module M>\n/\\ x = <<{numbers}>>\n/\\ y = {{{{1}}}}\n",
        )
    yield from message(2186, 0, "Finished in 100ms at (2001-02-03 04:05:06)")


def read_states(log: Iterator[bytes]) -> Iterator[State]:
    reader = StateReader()
    for item in iter_messages(log):
        if isinstance(item, Message) and item.code == 2217:
            state = reader.read(item.text)
            assert state is not None
            yield state


def peak(states: int) -> int:
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_states(long_log(states, 400))) == states
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_trace() -> None:
    # The reader's cache reaches its bound within the shorter trace.
    assert peak(1_200) < 1.2 * peak(600)


def test_equal_texts_become_the_identical_value() -> None:
    states = (
        interpret(iter_messages(long_log(300, 50)), exit_code=12, termination_reason=None).traces[0].states
    )

    assert len({id(state.values["y"]) for state in states}) == 1
    assert len({state.values["x"] for state in states}) == 300


@pytest.mark.parametrize("width", [1, 200_000])
def test_a_value_of_megabytes(width: int) -> None:
    result = interpret(iter_messages(long_log(2, width)), exit_code=12, termination_reason=None)

    last = result.traces[0].states[-1].values["x"]
    assert isinstance(last, tuple)
    assert len(last) == width
