"""The grid: the order of its points, excluded and included points, and the smallest points."""

from __future__ import annotations

import itertools

import pytest

from tests.unit.conftest import LoadSweep
from tla2py.errors import InputError
from tla2py.sweep.grid import comparable, value_key
from tla2py.sweep.sweep import Sweep
from tla2py.tla.value import ModelValue, Opaque
from tla2py.toml import value_text

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
        ("[parameters]\nOrigin = [1]", "assigned-twice", 8, "Origin is both a parameter and in [constants]"),
        (AXES + "[grid]\nexclude = [{ Lwo = 1 }]", "grid-key", 11, "did you mean Low?"),
        (AXES + "[grid]\ninclude = [{ Low = 3 }]", "grid-key", 11, "lacks Who"),
        (
            AXES + '[grid]\ninclude = [{ Low = 2, Who = "{b,a}" }]',
            "duplicate-point",
            11,
            "already in the grid: Who = {b,a}, Low = 2",
        ),
        (
            AXES + '[grid]\ninclude = [{ Low = 3, Who = "{a}" }, { Low = 3, Who = "{ a }" }]',
            "duplicate-point",
            11,
            "already in the grid",
        ),
        (AXES + "[grid]\nexclude = [{}]", "empty-grid", 11, "leaves no point"),
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
