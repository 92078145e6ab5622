"""The processes of a trace, and which of them took each step."""

from __future__ import annotations

import pytest

from tests.unit.view.traces import P, Q, R, made, on
from tla2py.errors import InputError
from tla2py.tla.value import Function, Interval, ModelValue, Record, Value
from tla2py.view.messages import acting, actors, keyed_variables, processes_of

A, B, C = ModelValue("a"), ModelValue("b"), ModelValue("c")


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
    trace = made(("Init", values), ("Next", values), constants=constants)
    assert processes_of(trace) == expected


@pytest.mark.parametrize(
    "values",
    [
        of(3),
        of((5, 6)),
        of((5, 6), (7, 8)),
        of(on(1), on(2)),
        of(Function({1: 1}), Function({1: 2})),
        of(Record({"epoch": 1, "leader": 2})),
        of(()),
        of(frozenset({P})),
    ],
)
def test_one_process_a_record_or_numbers_are_no_guess(values: dict[str, Value]) -> None:
    trace = made(("Init", values), ("Next", values))
    with pytest.raises(InputError) as error:
        processes_of(trace)
    assert error.value.code == "no-processes"
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
    assert processes_of(trace, "N") == (P, Q)
    assert processes_of(trace, "K") == (4, 5, 6)
    assert processes_of(trace, "y") == (1, 5)
    assert processes_of(trace, "N, y") == (P, Q, 1, 5)
    # A name means the model value if there is one; the given order is kept.
    assert processes_of(trace, ["q", P, "q", "other"]) == (Q, P, "other")


@pytest.mark.parametrize(
    ("by", "said"),
    [("One", "One is neither"), ("x, One", "One is neither"), ("none", "none is neither"), ((), "no pro")],
)
def test_what_is_asked_for_and_not_there(by: str | tuple[()], said: str) -> None:
    trace = made(("Init", of(on(1, 2))), constants={"One": "1"})
    with pytest.raises(InputError, match=said) as error:
        processes_of(trace, by)
    assert error.value.code == "no-processes"
    # The hint lists only sets.
    assert str(error.value.hint).startswith("use one of x, or list the processes")


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
    first, second = actors(trace, (P, Q))
    assert first == ((), False)
    assert second == expected


def test_nobody_acts_where_nothing_of_a_process_changes() -> None:
    trace = made(("Init", of(on(1, 2), 8)), ("Next", of(on(1, 2), 9)))
    assert acting(trace) is None
    told = made(("Init", of(on(1, 2), 8)), ("Next", of(on(1, 2), 9), ("q",)))
    assert acting(told) == [((), False), ((Q,), False)]


def test_numbers_are_processes_if_asked_for() -> None:
    trace = made(
        ("Init", of((1, 2), (3, 4))), ("Next", of((1, 2), (3, 9))), ("Next", of((0, 2), (3, 9)), ("2",))
    )
    assert acting(trace) is None
    assert list(actors(trace, (1, 2))) == [((), False), ((2,), True), ((2,), False)]


def test_a_set_held_as_a_range_is_equal_to_one_that_is_not() -> None:
    trace = made(("Init", of(on(frozenset({1, 2}), 1), 1)), ("Next", of(on(Interval(1, 2), 2), 1)))
    assert acting(trace) == [((), False), ((Q,), True)]
