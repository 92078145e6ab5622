"""Points and their runs: planned together, each as its point alone would give."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tests.conftest import spec
from tests.raising import raises
from tests.unit.conftest import LoadSweep
from tla2py.errors import InputError
from tla2py.sweep.grid import Point, Points
from tla2py.sweep.load import sweep_of_configs
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.config.wrapper import build_config
from tla2py.view.sweep import planned

MODULE = spec("sweep/Wide")
OTHER = MODULE.replace("MODULE Wide", "MODULE Other").replace("CONSTANTS A, B", "B == 4\nCONSTANTS A")
HEAD = """\
module = "Wide.tla"
[model]
invariants = ["Small"]
[constants]
Op = "LAMBDA v : v + 1"
"""
NUMBERS = 'A = { from = 1, to = 6 }\nB = [0, "2 + 1", "Hidden", 7]\n'
SETS = """Procs = ["{p1}", "{p1, p2}", "{ p1,p2 , p3}", "{}", "{B}", "{Hidden, q}", '{"a*b", "c%d"}', "1 .. 2", "{1, 4}", "{Nat}"]\n"""
SWEEPS = {
    "values": HEAD + "[parameters]\n" + NUMBERS + SETS,
    "symmetry": HEAD.replace("[model]", '[model]\nsymmetry = ["Procs"]')
    + '[parameters]\nA = [1, 2]\nB = [3, "-1"]\n'
    'Procs = { model_values = "p", sizes = [1, 2, 3] }\n',
    "model": HEAD
    + '[parameters]\ninvariants = ["Small", "Tiny, Small", ""]\ncheck_deadlock = [true, false]\n'
    'symmetry = ["TRUE", "Perms", "FALSE"]\nA = [1, 2]\nB = [1, 2]\nProcs = ["{p}", "{q, r}"]\nTwice = ["1", "A"]\n',
    "operators": HEAD.replace('Op = "LAMBDA v : v + 1"\n', 'Procs = "{p1}"\nB = "A"\n')
    + '[parameters]\nA = [1, 2, "p1"]\nOp = ["LAMBDA v : v", "LAMBDA w : w + p1"]\n',
    "modules": HEAD.replace('"Wide.tla"', '["Wide.tla", "Other.tla"]') + "[parameters]\n" + NUMBERS + SETS,
    "seeds": HEAD
    + 'Procs = "{p}"\nB = 1\n[parameters]\nA = [1, 2]\n[grid]\nrepeat = 5\n[tlc]\nmode = "simulate"\nnum = 3\n',
    "inputs": HEAD + 'Procs = "{p}"\nB = 1\n[parameters]\nA = [1, 2]\n"environment.LOG" = ["a", "b"]\n'
    '"java_properties.x" = ["1", "2"]\n[inputs]\nfiles = ["{environment.LOG}.txt", "n{A}.txt"]\n[outputs]\nfiles = ["out.txt"]\n',
    "grid": HEAD
    + 'Procs = "{p}"\n[parameters]\nA = { from = 1, to = 20 }\nB = { from = 1, to = 20 }\n[grid]\n'
    'where = ["A <= Twice - B", "B # 3"]\nexclude = [{ A = 7 }, { A = 9, B = 2 }]\ninclude = [{ A = "1 + 1", B = 99 }]\n',
    "zipped": HEAD
    + 'Procs = "{p}"\n[parameters]\nA = [1, 2, 3]\nB = [3, 2, "A"]\n[grid]\nzip = [["A", "B"]]\n',
    "expected": HEAD
    + 'Procs = "{p}"\n[parameters]\nA = [1, 2, 3]\nB = [3, 2]\n[[expect.point]]\nmatch = { A = "2" }\n'
    'fires = ["Next"]\n[[expect.point]]\nmatch = { B = 2 }\nverdict = "violated"\n',
    "trust": HEAD + 'Procs = "{p}"\nB = 1\n[parameters]\nA = [1, 2]\n[tlc]\ntrust = true\ncoverage = true\n',
}


def alone(sweep: Sweep, place: int) -> Plan:
    """The plan of one point without the others."""
    points = Points(sweep.points.names, sweep.points.rows[place : place + 1])
    counted = frozenset({1} if place + 1 in sweep.selection.counted else ())
    return plan_sweep(replace(sweep, points=points).select(counted=counted), "jar")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("Wide", MODULE), ("Other", OTHER)):
        (tmp_path / f"{name}.tla").write_text(text)
    for name in ("a.txt", "b.txt", "n1.txt", "n2.txt"):
        (tmp_path / name).write_text(name)
    return tmp_path


def check_alone(sweep: Sweep) -> None:
    plan = plan_sweep(sweep, "jar")
    expected = [alone(sweep, place) for place in range(len(sweep.points))]
    assert list(plan.runs.ids) == [each.runs.ids[0] for each in expected]
    assert list(plan.runs) == [each.runs[0] for each in expected]
    for point, run in zip(sweep.points, plan.runs, strict=True):
        assert all(sha256 in plan.sources for _, sha256 in (*run.modules, *run.originals))
        if run.refused is None:
            assert run.config_text == render_config(build_config(sweep.model(point))[0], sweep.template)


@pytest.mark.parametrize("name", SWEEPS)
@pytest.mark.parametrize("template", ["default", "own", "computed"])
def test_each_run_is_that_of_its_point_alone(load: LoadSweep, folder: Path, name: str, template: str) -> None:
    text = SWEEPS[name]
    if template != "default":
        printed = "{{ value }}" if template == "own" else "{{ value | replace('p1', 'p1 ') }}"
        (folder / "own.j2").write_text(f"\\* mine\n{default_template().replace('{{ value }}', printed)}")
        text = f'template = "own.j2"\n{text}'
    check_alone(load(text))


def test_counted_points_and_configs(folder: Path) -> None:
    for name in ("one", "two"):
        values = "A = 1 B = 2 Procs = {p}" if name == "one" else "A = 3 B = 2 Procs = {p, q}"
        (folder / f"{name}.cfg").write_text(f"SPECIFICATION Spec\nCONSTANTS {values} Op <- Id\n")
    (folder / "Wide.tla").write_text(MODULE.replace("VARIABLE x", "Id(a) == a\nVARIABLE x"))
    (folder / "bad.cfg").write_text("SPECIFICATION Spec\nCONSTANTS A = = 1\n")
    sweep = sweep_of_configs(folder / "Wide.tla", str(folder / "*.cfg"))
    check_alone(sweep)
    check_alone(sweep.select(counted=frozenset({2})))


def test_few_outlines_serve_many_points(load: LoadSweep, folder: Path) -> None:
    numbers = '[parameters]\nA = { from = 1, to = 50 }\nB = [1, "2 + 1"]\n'
    sweep = load(HEAD + numbers + 'Procs = { model_values = "p", sizes = [2, 3, 4] }\n')
    plan = plan_sweep(sweep, "jar")
    assert len(plan.runs) == 300
    assert len(list(plan.samples())) == 2


def test_a_value_that_a_template_writes_itself_is_missed_elsewhere(load: LoadSweep, folder: Path) -> None:
    (folder / "own.j2").write_text(default_template().replace("{{ name }} = {{ value }}", "{{ name }} = 1"))
    text = HEAD.replace('[constants]\nOp = "LAMBDA v : v + 1"\n', '[substitutions]\nOp = "LAMBDA v : v"\n')
    sweep = load(f'template = "own.j2"\n{text}[parameters]\nA = [1, 2]\nB = [1]\nProcs = [1]\n')
    raised = raises(InputError, plan_sweep, sweep, "jar", match="point 2 .* lacks A = 2")
    assert raised.code == "template-drops"


ROWS = [{"A": a, "B": b} for a in ("1", "2", "3") for b in ("x", "y")]
POINTS = Points.of(["A", "B"], ROWS)


def test_points_are_a_sequence() -> None:
    assert len(POINTS) == 6
    assert list(POINTS) == [Point(index=index, parameters=row) for index, row in enumerate(ROWS, 1)]
    assert [POINTS[place] for place in range(6)] == list(POINTS)
    assert POINTS[-1] == POINTS[5]
    assert POINTS[1:3] == (POINTS[1], POINTS[2])
    with pytest.raises(IndexError):
        POINTS[6]

    # The first points with each text cover all.
    def first(*groups: tuple[str, ...]) -> list[int]:
        return [point.index for point in POINTS.first_with(*groups)]

    assert first(("A",)) == [1, 3, 5]
    assert first(("A",), ("B",)) == [1, 2, 3, 5]
    assert first(("A", "B")) == [1, 2, 3, 4, 5, 6]
    assert first(("C",)) == [1]
    assert [point.index for point in POINTS.first_with(("A",), ("B",), same=str.isdecimal)] == [1, 2]


def test_a_terminal_lists_some_points_and_counts_the_values_of_all(load: LoadSweep) -> None:
    sweep = load('module = "Counter.tla"\n[parameters]\nMax = { from = 1, to = 5000 }\n')
    plan = plan_sweep(sweep, "jar")
    assert len(list(planned(sweep, plan, {}))) == 5001
    assert list(planned(sweep, plan, {plan.runs.ids[1]}, most=2)) == [
        "   1  Max = 1  to run",
        "   2  Max = 2  cached",
        "and 4,998 more points; into a file or a pipe goes a line for each",
        "  Max: 5,000 values, 1 ... 5000",
        "sweep: 5,000 points, 0 combinations left out; 5,000 runs, 1 cached, 4,999 to execute",
    ]
    # Points with the same run name the first.
    sweep = load('module = "Counter.tla"\n[parameters]\nMax = [1, 2]\ninvariants = ["Small", "Small,"]\n')
    plan = plan_sweep(sweep, "jar")
    shown = list(planned(sweep, plan, {}))
    said = [line.rpartition("  ")[2] for line in shown[:4]]
    assert said == ["to run", "as point 1", "to run", "as point 3"]
    assert shown[-1].endswith("2 runs, 0 cached, 2 to execute")
    assert plan.runs.missing(()) == [1, 3]


def test_runs_are_made_when_they_are_read(load: LoadSweep) -> None:
    plan = plan_sweep(load('module = "Counter.tla"\n[parameters]\nMax = [1, 2, "1 + 2", 4]\n'), "jar")
    assert [run.run_id for run in plan.runs] == list(plan.runs.ids)
    assert plan.runs[-1] == plan.runs[3]
    assert [run.run_id for run in plan.runs[1:3]] == list(plan.runs.ids[1:3])
    assert list(plan.runs.at([2, 0])) == [plan.runs[2], plan.runs[0]]
    assert plan.runs.missing({plan.runs.ids[1]}) == [0, 2, 3]
    assert [point.index for point, _ in plan.samples()] == [1, 3]


def test_each_value_of_a_list_is_the_names_of_one_point(load: LoadSweep) -> None:
    head = 'module = "Counter.tla"\n[constants]\nMax = 1\n'
    lists = 'invariants = ["", "Small", "Small, Init"]\nproperties = ["", "Small"]\n'
    sweep = load(f"{head}[parameters]\n{lists}")
    configs = [run.config for run in plan_sweep(sweep, "jar").runs]
    pairs = product(((), ("Small",), ("Small", "Init")), ((), ("Small",)))
    assert [(config.invariants, config.properties) for config in configs] == [*pairs]
    # A parameter goes before the list of the model.
    text = '[model]\ninvariants = ["Small"]\nconstraints = ["Small"]\n[parameters]\ninvariants = [""]\n'
    (run,) = plan_sweep(load(head + text), "jar").runs
    assert run.config.invariants == ()
    assert run.config.constraints == ("Small",)
    # A name that is no definition is told at its place.
    sweep = load(head + '[parameters]\nproperties = ["Small, Smal"]\n')
    raised = raises(InputError, plan_sweep, sweep, "jar", match="Smal")
    assert raised.code == "unknown-definition"
    assert "Small?" in str(raised.hint)
    assert ".toml:5:23" in str(raised)
