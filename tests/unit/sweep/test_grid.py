"""The grid: its axes, values by rule, points left out and added, predicates."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest

from tests.raising import raises
from tests.unit.conftest import BOX, LoadSweep
from tla2py.errors import InputError
from tla2py.sweep.grid import comparable, value_key
from tla2py.sweep.plan import plan_sweep
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


def test_the_last_parameter_varies_fastest(load: LoadSweep) -> None:
    sweep = load(HEAD + AXES)
    assert [p.name for p in sweep.parameters] == ["Who", "Low"]
    assert shown(sweep) == [*itertools.product(("{a}", "{a, b}"), ("-1", "2", "10"))]
    assert [point.index for point in sweep.points] == [1, 2, 3, 4, 5, 6]
    # Without parameters there is one point.
    assert shown(load('module = "Counter.tla"\n[constants]\nMax = 1\n')) == [()]


def test_exclude_takes_partial_points_by_value(load: LoadSweep) -> None:
    sweep = load(HEAD + AXES + '[grid]\nexclude = [{ Who = "{b,a}", Low = 2 }, { Low = "10" }]\n')
    assert shown(sweep) == [("{a}", "-1"), ("{a}", "2"), ("{a, b}", "-1")]
    assert [point.index for point in sweep.points] == [1, 2, 3]
    # A point that was excluded may be included.
    sweep = load(HEAD + AXES + '[grid]\nexclude = [{ Low = 2 }]\ninclude = [{ Low = 2, Who = "{a}" }]\n')
    assert len(sweep.points) == 5
    assert list(sweep.points[-1].parameters) == ["Who", "Low"]


def test_modules_are_the_first_parameter(load: LoadSweep) -> None:
    rest = HEAD.partition("\n")[2] + 'Low = 0\nWho = "{a}"\n[parameters]\nMax = [1, 2]'
    sweep = load('module = ["Counter.tla", "Box.tla"]\n' + rest)
    assert [(p.name, p.kind) for p in sweep.parameters] == [("module", "module"), ("Max", "constant")]
    assert shown(sweep) == list(itertools.product(("Counter.tla", "Box.tla"), ("1", "2")))
    error = raises(InputError, load, 'module = ["Counter.tla", "Counter.tla"]')
    twice = "parameter module has the value Counter.tla twice"
    assert (error.code, error.message) == ("duplicate-point", twice)


def test_other_axes(load: LoadSweep) -> None:
    counter = 'module = "Counter.tla"\n[parameters]\nMax = [1, 2]\n[grid]\nrepeat = 3\n'
    sweep = load(counter + '[tlc]\nmode = "simulate"\nseed = 7\nnum = 1\n')
    assert shown(sweep) == list(itertools.product(("1", "2"), ("7", "8", "9")))
    # A definition and a key of the model may vary.
    axes = '[parameters]\nLimit = ["3", "Other"]\nnext = ["Next", "Init"]\nNat = ["0 .. 3"]'
    kinds = {p.name: p.kind for p in load(HEAD + 'Low = 0\nWho = "{a}"\n' + axes).parameters}
    assert kinds == {"Limit": "definition", "next": "model", "Nat": "definition"}


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
    both = frozenset({ModelValue("b1"), ModelValue("b2")})
    assert comparable("{b2,b1}") == comparable("{ b1, b2 }") == both
    assert comparable("[w \\in  S\n |-> 0]") == Opaque("[w \\in S |-> 0]")
    assert value_key("TRUE") != value_key("1")
    assert value_key("1 .. 3") == value_key("{3, 2, 1}")
    assert value_key("<<1>>") != value_key("{1}")
    assert value_key('"a"') != value_key("a")


AXES_HEAD = HEAD.replace('Nil = "Nil"\n', "")


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ("{ from = 1, to = 3 }", ["1", "2", "3"]),
        ("{ from = 1, to = 8, step = 2 }", ["1", "3", "5", "7"]),
        ("{ from = -1, to = -1 }", ["-1"]),
        ("{ from = 2, to = -3, step = -2 }", ["2", "0", "-2"]),
        ('{ model_values = "b", sizes = [2, 0, 3] }', ["{b1, b2}", "{}", "{b1, b2, b3}"]),
        ('{ model_values = "B_", sizes = [1] }', ["{B_1}"]),
    ],
)
def test_values_by_rule(load: LoadSweep, rule: str, values: list[str]) -> None:
    sweep = load(AXES_HEAD + f'Who = "{{a}}"\n[parameters]\nLow = {rule}\n')
    assert list(sweep.parameters[0].values) == values
    # A rule may be a table of its own.
    sweep = load(AXES_HEAD + 'Who = "{a}"\n[parameters.Low]\nfrom = 1\nto = 2\n')
    assert shown(sweep) == [("1",), ("2",)]


def test_no_model_value_has_a_name_that_the_module_declares(load: LoadSweep, tmp_path: Path) -> None:
    (tmp_path / "Box.tla").write_text(BOX.replace("Limit ==", "b2 == 3\nLimit =="))
    error = raises(InputError, load, AXES_HEAD + '[parameters]\nWho = { model_values = "b", sizes = [1, 2] }')
    assert error.code == "values"
    assert "Box declares b2, so it cannot name a model value" in error.message


ZIPPED = (
    AXES_HEAD + '[parameters]\nLow = [1, 1, 2]\nLimit = ["5", "6"]\nWho = ["{a}", "{a, b}", "{a}"]\n[grid]\n'
)


def test_zipped_parameters_go_together_in_the_place_of_the_first(load: LoadSweep) -> None:
    sweep = load(ZIPPED + 'zip = [["Low", "Who"]]\n')
    assert [parameter.name for parameter in sweep.parameters] == ["Low", "Who", "Limit"]
    zipped = (("1", "{a}"), ("1", "{a, b}"), ("2", "{a}"))
    assert shown(sweep) == [(*row, limit) for row in zipped for limit in ("5", "6")]
    assert list(sweep.points[0].parameters) == ["Low", "Who", "Limit"]
    # A row of a zip is there once.
    twice = '[parameters]\nLow = [1, 1]\nWho = ["{a, b}", "{b, a}"]\n[grid]\nzip = [["Low", "Who"]]\n'
    raised = raises(InputError, load, AXES_HEAD + twice, match=r"Low = 1, Who = \{b, a\}")
    assert raised.code == "duplicate-point"


RULES = '[parameters]\nWho = { model_values = "b", sizes = [1, 2] }\nLow = { from = 1, to = 3 }\n[grid]\n'
GRID = AXES_HEAD + RULES


@pytest.mark.parametrize(
    ("where", "points"),
    [
        ('"Low <= Cardinality(Who)"', [("{b1}", "1"), ("{b1, b2}", "1"), ("{b1, b2}", "2")]),
        ('["Low > 1", "b2 \\\\in Who"]', [("{b1, b2}", "2"), ("{b1, b2}", "3")]),
        ('"Low = Origin2"', [("{b1}", "3"), ("{b1, b2}", "3")]),
        ('"Low = Limit /\\\\ Nil \\\\notin Who /\\\\ Who = {b1}"', [("{b1}", "3")]),
        ("[]", None),
    ],
)
def test_where_keeps_what_is_true(
    load: LoadSweep, tmp_path: Path, where: str, points: list[tuple[str, str]] | None
) -> None:
    # Origin2 is a definition that uses a constant.
    (tmp_path / "Box.tla").write_text(BOX.replace("Limit ==", "Origin2 == Cardinality({Nil}) + 2\nLimit =="))
    sweep = load(GRID + f"where = {where}\n")
    assert shown(sweep) == (points if points is not None else shown(load(GRID)))
    assert [point.index for point in sweep.points] == list(range(1, len(sweep.points) + 1))


def test_the_names_that_where_knows(load: LoadSweep) -> None:
    text = GRID.replace("<<0, 1>>", "Low + 1")
    text = text.replace("[grid]", '[substitutions]\nOther = "Origin * 10"\n[grid]')
    assert shown(load(text + 'where = "Other = 30"\n')) == [("{b1}", "2"), ("{b1, b2}", "2")]
    # Modules and keys of the model are strings.
    axes = 'Who = "{a}"\nLow = 0\n[parameters]\ninvariants = ["", "Full"]\nLimit = ["1", "2"]\n'
    sweep = load(AXES_HEAD + axes + "[grid]\nwhere = 'invariants = \"Full\" => Limit = 2'\n")
    assert shown(sweep) == [("", "1"), ("", "2"), ("Full", "2")]


def test_what_is_included_need_not_satisfy_where(load: LoadSweep) -> None:
    sweep = load(GRID + 'where = "Low <= 1"\ninclude = [{ Who = "{c}", Low = 9 }]\n')
    assert shown(sweep)[-1] == ("{c}", "9")


def test_three_thousand_points_are_planned_without_a_pause(load: LoadSweep) -> None:
    axes = '[parameters]\nMax = { from = -1, to = 2998 }\ninvariants = ["", "Small"]\n'
    where = '[grid]\nwhere = "Max >= 0 => invariants = \\"Small\\""\n'
    begin = time.process_time()
    sweep = load(f'module = "Counter.tla"\n{axes}{where}')
    loaded = time.process_time() - begin
    assert len({run.run_id for run in plan_sweep(sweep, "jar").runs}) == 3_001
    assert loaded < 5
    assert time.process_time() - begin < 15


TWICE = ("duplicate-point", 11)
ADDED = AXES + "[grid]\ninclude = ["
MISTAKES: dict[str, list[tuple[str, str, int, str]]] = {
    HEAD: [
        ("[parameters]\nLow = [1, 2, 1]", "duplicate-point", 8, "parameter Low has the value 1 twice"),
        ('[parameters]\nWho = ["{a, b}", "{b, a}"]', "duplicate-point", 8, "Who has the value {b, a} twice"),
        ("[parameters]\nLowe = [1]", "unknown-parameter", 8, "did you mean Low?"),
        ("[parameters]\nZzz = [1]", "unknown-parameter", 8, "tla2py inspect"),
        (AXES + "[grid]\nexclude = [{ Lwo = 1 }]", "grid-key", 11, "did you mean Low?"),
        (ADDED + "{ Low = 3 }]", "grid-key", 11, "lacks Who"),
        (ADDED + '{ Low = 2, Who = "{b,a}" }]', *TWICE, "already in the grid: Who = {b,a}, Low = 2"),
        (ADDED + '{ Low = 3, Who = "{a}" }, { Low = 3, Who = "{ a }" }]', *TWICE, "already in the grid"),
        (AXES + "[grid]\nrepeat = 2", "grid-key", 11, "simulate"),
    ],
    AXES_HEAD: [
        ("[parameters]\nLow = { from = 2, to = 1 }", "empty-parameter", 7, "no values"),
        ("[parameters]\nLow = { from = 1, to = 2, step = 0 }", "empty-parameter", 7, "no values"),
        ("[parameters]\nLow = { from = 1, to = 1000000 }", "values", 7, "1,000,000 values"),
        ("[parameters]\nLow = { from = 1 }", "values", 7, "{ from = 1, to = 8, step = 2 }"),
        ('[parameters]\nWho = { model_values = "b" }', "values", 7, "sizes"),
        ('[parameters]\nWho = { model_values = "b", sizes = [1], from = 1 }', "values", 7, "rule"),
        ('[parameters]\nWho = { model_values = "b", sizes = [] }', "empty-parameter", 7, "no values"),
        ('[parameters]\nWho = { model_values = "b", sizes = [-1] }', "wrong-type", 7, ">= 0"),
        ('[parameters]\nWho = { model_values = "b", sizes = [1, 1] }', "duplicate-point", 7, "{b1} twice"),
        ('[parameters]\nWho = { model_values = "1", sizes = [1] }', "values", 7, "cannot begin with '1'"),
        ("[parameters]\nLow = { from = 1, too = 2 }", "unknown-key", 7, "did you mean to?"),
        ('[parameters]\nLow = { from = 1, to = "2" }', "wrong-type", 7, "expected a number"),
        ("[parameters.Low]\nfrom = 1\ntoo = 2", "unknown-key", 8, "parameters.Low.too"),
    ],
    ZIPPED: [
        ('zip = [["Low", "Whom"]]', "grid-key", 11, "did you mean Who?"),
        ('zip = [["Low", "Limit"]]', "grid-key", 11, "Low has 3, Limit has 2"),
        ('zip = [["Low", "Who"], ["Who", "Low"]]', "grid-key", 11, "zipped twice"),
        ('zip = [["Low", "Low"]]', "grid-key", 11, "Low is zipped twice"),
    ],
    GRID: [
        ('where = "Lo <= 1"', "unknown-name", 10, "did you mean Low?"),
        ('where = "Low <= "', "expression-syntax", 10, "not a TLA+ expression"),
        ('where = "Low"', "not-a-predicate", 10, "Low is 1, not true or false"),
        ('where = "Low <= Who"', "not-a-value", 10, "Who = {b1}, Low = 1: <= has no value for 1 and {b1}"),
        ('where = "Low > 9"', "empty-grid", 10, "where leaves no point"),
    ],
}


CASES = [(head + text, *told) for head, rows in MISTAKES.items() for text, *told in rows]


@pytest.mark.parametrize(("text", "code", "line", "said"), CASES)
def test_mistakes_are_told_at_their_line(load: LoadSweep, text: str, code: str, line: int, said: str) -> None:
    error = raises(InputError, load, text)
    assert error.code == code
    assert f"sweep.toml:{line}:" in str(error.where)
    assert said in str(error)
