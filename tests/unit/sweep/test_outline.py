"""Runs of points are planned together; each is the one that its point alone would give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tla2py.errors import InputError
from tla2py.model.model import Config
from tla2py.model.run import Run, module_texts
from tla2py.sweep.grid import Point
from tla2py.sweep.load import load_sweep, sweep_of_configs
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.config.wrapper import build_config

MODULE = r"""---- MODULE Wide ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS A, B, Procs, Op(_)
LOCAL Hidden == 3
Twice == 2 * A
VARIABLE x
Init == x = 0
Next == x < A + B + Cardinality(Procs) /\ x' = x + 1
Spec == Init /\ [][Next]_x
Small == x <= 100
Tiny == x <= 1
Bound == x < Twice
Perms == Permutations(Procs)
====
"""
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


def alone(sweep: Sweep, point: Point, jar_sha256: str) -> Run:
    """The run of a point, planned without the others."""
    base = sweep.config(point.parameters)
    spec = sweep.spec(point.parameters)
    if base is not None and base.problem is not None:
        given = module_texts(spec, spec.root.name, None, "")
        options = sweep.options_of(point)
        return Run(
            main=spec.root.name,
            modules=given.modules,
            config=Config(),
            config_text="",
            template=sweep.template,
            options=options,
            limits=sweep.limits,
            jar_sha256=jar_sha256,
            refused=base.problem,
        )
    model = sweep.model(point)
    config, main, wrapper = build_config(model)
    text = render_config(config, sweep.template)
    given = module_texts(spec, main, wrapper, text)
    options = replace(sweep.options_of(point), check_deadlock=model.config.check_deadlock)
    if "seed" in point.parameters:
        options = replace(options, seed=int(point.parameters["seed"]))
    if point.index in sweep.counted or sweep.expectation(point).fires:
        options = replace(options, coverage=True)
    return Run(
        main=main,
        modules=given.modules,
        config=config,
        config_text=text,
        template=sweep.template,
        options=options,
        limits=sweep.limits,
        jar_sha256=jar_sha256,
        originals=given.originals,
        inputs=sweep.inputs_of(point, sweep.model(point)).without(name for name, _ in given.modules),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("Wide", MODULE), ("Other", OTHER)):
        (tmp_path / f"{name}.tla").write_text(text)
    for name in ("a.txt", "b.txt", "n1.txt", "n2.txt"):
        (tmp_path / name).write_text(name)
    return tmp_path


def check_alone(sweep: Sweep) -> None:
    plan = plan_sweep(sweep, "jar")
    expected = [alone(sweep, point, "jar") for point in sweep.points]
    assert list(plan.runs.ids) == [run.run_id for run in expected]
    assert list(plan.runs) == expected
    for run in expected:
        assert all(sha256 in plan.sources for _, sha256 in (*run.modules, *run.originals))


@pytest.mark.parametrize("name", SWEEPS)
@pytest.mark.parametrize("template", ["default", "own", "computed"])
def test_each_run_is_that_of_its_point_alone(folder: Path, name: str, template: str) -> None:
    text = SWEEPS[name]
    if template != "default":
        printed = "{{ value }}" if template == "own" else "{{ value | replace('p1', 'p1 ') }}"
        (folder / "own.j2").write_text(f"\\* mine\n{default_template().replace('{{ value }}', printed)}")
        text = f'template = "own.j2"\n{text}'
    (folder / "sweep.toml").write_text(text)
    check_alone(load_sweep(folder / "sweep.toml"))


def test_counted_points_and_configs(folder: Path) -> None:
    for name in ("one", "two"):
        values = "A = 1 B = 2 Procs = {p}" if name == "one" else "A = 3 B = 2 Procs = {p, q}"
        (folder / f"{name}.cfg").write_text(f"SPECIFICATION Spec\nCONSTANTS {values} Op <- Id\n")
    (folder / "Wide.tla").write_text(MODULE.replace("VARIABLE x", "Id(a) == a\nVARIABLE x"))
    (folder / "bad.cfg").write_text("SPECIFICATION Spec\nCONSTANTS A = = 1\n")
    sweep = sweep_of_configs(folder / "Wide.tla", str(folder / "*.cfg"))
    check_alone(sweep)
    check_alone(replace(sweep, counted=frozenset({2})))


def test_few_outlines_serve_many_points(folder: Path) -> None:
    (folder / "sweep.toml").write_text(
        HEAD + '[parameters]\nA = { from = 1, to = 50 }\nB = [1, "2 + 1"]\n'
        'Procs = { model_values = "p", sizes = [2, 3, 4] }\n'
    )
    plan = plan_sweep(load_sweep(folder / "sweep.toml"), "jar")
    assert len(plan.runs) == 300
    assert len(list(plan.samples())) == 2


def test_a_value_that_a_template_writes_itself_is_missed_at_the_other_points(folder: Path) -> None:
    (folder / "own.j2").write_text(default_template().replace("{{ name }} = {{ value }}", "{{ name }} = 1"))
    text = HEAD.replace('[constants]\nOp = "LAMBDA v : v + 1"\n', '[substitutions]\nOp = "LAMBDA v : v"\n')
    (folder / "sweep.toml").write_text(
        f'template = "own.j2"\n{text}[parameters]\nA = [1, 2]\nB = [1]\nProcs = [1]\n'
    )
    with pytest.raises(InputError, match=r"point 2 .* lacks A = 2") as raised:
        plan_sweep(load_sweep(folder / "sweep.toml"), "jar")
    assert raised.value.code == "template-drops"
