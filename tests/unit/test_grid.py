"""The grid: its points in order, what is left out and added, and which points are the smallest."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.conftest import LoadSweep
from tla2py.errors import InputError
from tla2py.grid import at_most, comparable, minimal_points, value_key, value_text
from tla2py.sweep import Sweep
from tla2py.values import ModelValue, Opaque

HEAD = """\
module = "Box.tla"
[constants]
Origin = "<<0, 1>>"
Nil = "Nil"
Table = "[w \\\\in Who |-> 0]"
Pick = "LAMBDA x, y : x"
"""
AXES = """\
[parameters]
Who = ["{a}", "{a, b}"]
Low = [-1, 2, 10]
"""


def shown(sweep: Sweep) -> list[tuple[str, ...]]:
    return [tuple(point.parameters.values()) for point in sweep.points]


def error_of(load: LoadSweep, text: str) -> InputError:
    with pytest.raises(InputError) as raised:
        load(text)
    return raised.value


def test_the_last_parameter_varies_fastest(load: LoadSweep) -> None:
    sweep = load(HEAD + AXES)
    assert [p.name for p in sweep.parameters] == ["Who", "Low"]
    assert shown(sweep) == [
        ("{a}", "-1"),
        ("{a}", "2"),
        ("{a}", "10"),
        ("{a, b}", "-1"),
        ("{a, b}", "2"),
        ("{a, b}", "10"),
    ]
    assert [point.index for point in sweep.points] == [1, 2, 3, 4, 5, 6]


def test_without_parameters_there_is_one_point(load: LoadSweep) -> None:
    sweep = load('module = "Counter.tla"\n[constants]\nMax = 1\n')
    assert shown(sweep) == [()]


def test_exclude_takes_partial_points_by_value(load: LoadSweep) -> None:
    sweep = load(HEAD + AXES + '[grid]\nexclude = [{ Who = "{b,a}", Low = 2 }, { Low = "10" }]\n')
    assert shown(sweep) == [("{a}", "-1"), ("{a}", "2"), ("{a, b}", "-1")]
    assert [point.index for point in sweep.points] == [1, 2, 3]


def test_include_adds_whole_points_at_the_end(load: LoadSweep) -> None:
    sweep = load(HEAD + AXES + '[grid]\nexclude = [{ Low = 2 }]\ninclude = [{ Low = 2, Who = "{c}" }]\n')
    assert shown(sweep)[-1] == ("{c}", "2")
    assert list(sweep.points[-1].parameters) == ["Who", "Low"]
    assert sweep.points[-1].index == 5


def test_a_point_that_was_excluded_may_be_included(load: LoadSweep) -> None:
    sweep = load(HEAD + AXES + '[grid]\nexclude = [{ Low = 2 }]\ninclude = [{ Low = 2, Who = "{a}" }]\n')
    assert len(sweep.points) == 5


@pytest.mark.parametrize(
    ("text", "code", "line", "said"),
    [
        ("[parameters]\nLow = []", "empty-parameter", 8, "parameter Low has no values"),
        ("[parameters]\nLow = [1, 2, 1]", "duplicate-point", 8, "parameter Low has the value 1 twice"),
        (
            '[parameters]\nWho = ["{a, b}", "{b, a}"]',
            "duplicate-point",
            8,
            "parameter Who has the value {b, a} twice",
        ),
        ("[parameters]\nLowe = [1]", "unknown-parameter", 8, "did you mean Low?"),
        ("[parameters]\nZzz = [1]", "unknown-parameter", 8, "tla2py inspect"),
        ("[parameters]\nOrigin = [1]", "assigned-twice", 8, "Origin is a parameter and in [constants]"),
        (AXES + "[grid]\nexclude = [{ Lwo = 1 }]", "grid-key", 11, "did you mean Low?"),
        (AXES + "[grid]\ninclude = [{ Low = 3 }]", "grid-key", 11, "lacks Who"),
        (
            AXES + '[grid]\ninclude = [{ Low = 2, Who = "{b,a}" }]',
            "duplicate-point",
            11,
            "in the grid already: Who = {b,a}, Low = 2",
        ),
        (
            AXES + '[grid]\ninclude = [{ Low = 3, Who = "{a}" }, { Low = 3, Who = "{ a }" }]',
            "duplicate-point",
            11,
            "in the grid already",
        ),
        (AXES + "[grid]\nexclude = [{}]", "empty-grid", 11, "no point is left"),
        (AXES + "[grid]\nrepeat = 2", "grid-key", 11, "simulate"),
    ],
)
def test_mistakes_are_told_with_their_line(
    load: LoadSweep, text: str, code: str, line: int, said: str
) -> None:
    error = error_of(load, HEAD + text)
    assert error.code == code
    assert f"sweep.toml:{line}:" in str(error.where)
    assert said in str(error)


def test_an_empty_list_of_modules(load: LoadSweep) -> None:
    assert error_of(load, "module = []").code == "empty-parameter"


def test_modules_are_the_first_parameter(load: LoadSweep) -> None:
    sweep = load(
        'module = ["Counter.tla", "Box.tla"]\n'
        + HEAD.partition("\n")[2]
        + 'Low = 0\nWho = "{a}"\n[parameters]\nMax = [1, 2]'
    )
    assert [(p.name, p.kind) for p in sweep.parameters] == [("module", "module"), ("Max", "constant")]
    assert shown(sweep) == list(itertools.product(("Counter.tla", "Box.tla"), ("1", "2")))
    error = error_of(load, 'module = ["Counter.tla", "Counter.tla"]')
    assert (error.code, error.message) == (
        "duplicate-point",
        "parameter module has the value Counter.tla twice",
    )


def test_repeated_simulation_has_a_seed_per_point(load: LoadSweep) -> None:
    sweep = load(
        'module = "Counter.tla"\n[parameters]\nMax = [1, 2]\n[grid]\nrepeat = 3\n[tlc]\nmode = "simulate"\nseed = 7\nnum = 1\n'
    )
    assert shown(sweep) == list(itertools.product(("1", "2"), ("7", "8", "9")))


def test_a_definition_and_a_key_of_the_model_may_vary(load: LoadSweep) -> None:
    sweep = load(
        HEAD
        + 'Low = 0\nWho = "{a}"\n[parameters]\nLimit = ["3", "Other"]\nnext = ["Next", "Init"]\nNat = ["0 .. 3"]'
    )
    assert {p.name: p.kind for p in sweep.parameters} == {
        "Limit": "definition",
        "next": "model",
        "Nat": "definition",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "TRUE"),
        (False, "FALSE"),
        (1, "1"),
        (-3, "-3"),
        (" {a, b} ", "{a, b}"),
        ("    /\\ x => y\n\n    /\\ z\n  ", "/\\ x => y\n\n/\\ z"),
        ("\n  \\/ x\n     \\/ y", "\\/ x\n   \\/ y"),
    ],
)
def test_values_as_tla(value: str | int | bool, text: str) -> None:
    assert value_text(value) == text


def test_values_compare_as_values() -> None:
    assert (
        comparable("{b2,b1}") == comparable("{ b1, b2 }") == frozenset({ModelValue("b1"), ModelValue("b2")})
    )
    assert comparable("[w \\in  S\n |-> 0]") == Opaque("[w \\in S |-> 0]")
    assert value_key("TRUE") != value_key("1")
    assert value_key("1 .. 3") == value_key("{3, 2, 1}")
    assert value_key("<<1>>") != value_key("{1}")
    assert value_key('"a"') != value_key("a")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("2", "10", True),
        ("10", "2", False),
        ("-1", "0", True),
        ("3", "3", True),
        ("FALSE", "TRUE", True),
        ("TRUE", "FALSE", False),
        ("FALSE", "1", False),
        ("0", "TRUE", False),
        ("{a}", "{b, c}", True),
        ("{b, c}", "{a}", False),
        ("{a, b}", "{c, d}", True),
        ("{}", "{a}", True),
        ("{}", "1 .. 0", True),
        ("{1}", "{1, 2}", False),
        ("{1, 2}", "{2, 1}", True),
        ("{1, a}", "{a, b, c}", False),
        ("a", "b", False),
        ("a", "a", True),
        ("<<1>>", "<<2>>", False),
        ("x + 1", "x  +  1", True),
        ("x + 1", "x + 2", False),
    ],
)
def test_how_values_compare(left: str, right: str, expected: bool) -> None:
    assert at_most({"P": left}, {"P": right}) is expected


def test_a_point_is_smaller_only_in_every_parameter() -> None:
    assert at_most({"A": "1", "B": "{x}"}, {"B": "{y, z}", "A": "2"})
    assert not at_most({"A": "1", "B": "{x, y}"}, {"A": "2", "B": "{z}"})


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([()], [0]),
        ([("3",), ("1",), ("2",)], [1]),
        ([("2", "{a}"), ("1", "{a, b}"), ("2", "{a, b}")], [0, 1]),
        ([("{a, b}",), ("{c, d}",), ("{a, b, c}",)], [0, 1]),
        ([("Old", "5"), ("New", "3"), ("Old", "4")], [1, 2]),
        ([("TRUE",), ("1",), ("FALSE",), ("0",)], [2, 3]),
    ],
)
def test_minimal_points(rows: Sequence[tuple[str, ...]], expected: list[int]) -> None:
    assert minimal_points([dict(zip("PQ", row, strict=False)) for row in rows]) == expected


VALUES = [
    "0",
    "1",
    "2",
    "-1",
    "TRUE",
    "FALSE",
    "{}",
    "{a}",
    "{b}",
    "{a, b}",
    "{1}",
    "<<1>>",
    "a",
    "b",
    "1 .. 0",
]


@given(st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES)), max_size=12))
def test_minimal_points_are_those_no_other_is_below(rows: list[tuple[str, str]]) -> None:
    points = [{"P": p, "Q": q} for p, q in rows]
    assert minimal_points(points) == [
        here
        for here, point in enumerate(points)
        if not any(at_most(other, point) and not at_most(point, other) for other in points)
    ]


def test_ten_thousand_points_are_compared_in_no_time() -> None:
    # The worst of them: above the middle of a cube with many parameters hardly any point is below another.
    cube = [{str(n): str(x) for n, x in enumerate(row)} for row in itertools.product((0, 1), repeat=14)]
    points = [point for point in cube if list(point.values()).count("1") >= 7]
    assert len(points) > 9000
    begin = time.process_time()
    found = minimal_points(points)
    assert time.process_time() - begin < 2
    assert len(found) == 3432
