"""The runs of a sweep: the same input gives the same text and the same ids, anything that may change the answer others."""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from tests.command import tool
from tests.conftest import COUNTER, COUNTER_SWEEP, SPECS, spec
from tests.raising import raises
from tests.unit.conftest import LoadSweep
from tla2py.errors import InputError
from tla2py.model.model import Config, GivenVariable, InputFile, Inputs
from tla2py.model.run import Limits, ModuleText, Run, TlcOptions, digest_text
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.tlc.config.render import default_template

FULL = (SPECS / "sweep/small.toml").read_text()
SWEEP = COUNTER_SWEEP.replace("[1, 2, 3]", "[2, 1, -1]")


def ids(plan: Plan) -> list[str]:
    return [run.run_id for run in plan.runs]


@pytest.fixture
def plan(load: LoadSweep) -> Plan:
    return plan_sweep(load(SWEEP), "jar")


def test_a_run_per_point_in_grid_order(plan: Plan) -> None:
    assert [point.parameters["Max"] for point in plan.points] == ["2", "1", "-1"]
    assert [run.main for run in plan.runs] == ["Counter", "Counter", "MC_Counter"]
    assert len(set(ids(plan))) == 3
    assert all("Max = 2" in run.config_text for run in plan.runs[:1])
    # A run names its modules by digest.
    assert plan.runs[0].modules == (("Counter.tla", digest_text(COUNTER)),)
    assert [name for name, _ in plan.runs[2].modules] == ["MC_Counter.tla", "Counter.tla"]
    assert plan.sources[digest_text(COUNTER)] == COUNTER
    for run in plan.runs:
        assert all(digest_text(plan.sources[sha256]) == sha256 for _, sha256 in run.modules)
        # Runs travel.
        assert pickle.loads(pickle.dumps(run)) == run
        assert hash(run) == hash(replace(run))
        assert len(pickle.dumps(run)) < 10_000
    # Ids stay as they are: stores find records by run id; if ids changed, everything would run again.
    known = (
        "bf9794f52db8f044ab5a34da6f1cb879 8209d812f63f3fad1792497a19f590d2 b3614d537258290591e198e4f645cf87"
    )
    assert " ".join(ids(plan)) == known


def test_another_process_gives_the_same(tmp_path: Path, plan: Plan) -> None:
    program = (
        "from pathlib import Path\nfrom tla2py.sweep.plan import plan_sweep\nfrom tla2py.sweep.load import load_sweep\n"
        f"plan = plan_sweep(load_sweep(Path({str(tmp_path / 'sweep.toml')!r})), 'jar')\n"
        "print(*(r.run_id + '\\n' + r.config_text for r in plan.runs), sep='')"
    )
    for seed in ("1", "2"):
        done = tool(sys.executable, "-c", program, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
        assert done.stdout.strip() == "".join(r.run_id + "\n" + r.config_text for r in plan.runs).strip()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"1m"', '"2m"'),
        ('"256MiB"', '"512MiB"'),
        ("[tlc]", "[expect]\nverdict = 'violated'\n[tlc]"),
        ("module", "name = 'other'\nmodule"),
        ("module", "# a comment\nmodule"),
    ],
)
def test_what_cannot_change_the_answer_keeps_the_ids(load: LoadSweep, plan: Plan, old: str, new: str) -> None:
    assert ids(plan_sweep(load(SWEEP.replace(old, new, 1)), "jar")) == ids(plan)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('invariants = ["Small"]', ""),
        ('invariants = ["Small"]', 'properties = ["Small"]'),
        ('invariants = ["Small"]', 'invariants = ["Small"]\ncheck_deadlock = false'),
        ("[tlc]", "[tlc]\nworkers = 2"),
        ("[tlc]", '[tlc]\nfind = "each"'),
        ("[tlc]", "[tlc]\nseed = 1"),
        ("[tlc]", '[tlc]\nmode = "simulate"\nnum = 3'),
        ("[tlc]", '[tlc]\nmode = "simulate"\nnum = 3\ndepth = 3'),
        ("[tlc]", "[tlc]\ncoverage = true"),
        ("[tlc]", '[tlc]\noptions = ["-lncheck", "final"]'),
        ("[tlc]", '[tlc]\njava_options = ["-Xint"]'),
    ],
)
def test_what_may_change_the_answer_changes_every_id(load: LoadSweep, plan: Plan, old: str, new: str) -> None:
    assert not set(ids(plan_sweep(load(SWEEP.replace(old, new, 1)), "jar"))) & set(ids(plan))


def test_the_jar_and_a_template_change_every_id(load: LoadSweep, tmp_path: Path, plan: Plan) -> None:
    assert not set(ids(plan_sweep(load(SWEEP), "another jar"))) & set(ids(plan))
    (tmp_path / "own.j2").write_text("\\* mine\n" + default_template())
    assert not set(ids(plan_sweep(load('template = "own.j2"\n' + SWEEP), "jar"))) & set(ids(plan))


def planned_by(template: str, load: LoadSweep, folder: Path) -> Plan:
    (folder / "own.j2").write_text(template)
    (folder / "Small.tla").write_text(spec("sweep/Small"))
    return plan_sweep(load(FULL), "jar")


@pytest.mark.parametrize(
    ("old", "new", "dropped"),
    [
        ("{{ name }} = {{ value }}", "{{ name }} = {{ '7' if name == 'N' else value }}", "N = 1"),
        ("{{ name }} = {{ value }}", "", "N = 1, S = {a, b}, Filled = Filled"),
        ("{{ name }} = {{ value }}", "{{ name }} = {{ value }}\n S = {c}", "S = {a, b}"),
        ("{{ name }} <- {{ definition }}", "", "Nat <- MC_Nat, Low <- Bound"),
        ("SPECIFICATION {{ config.specification }}", "INIT Init NEXT Next", "SPECIFICATION Spec"),
        ("config.invariants", "[]", "INVARIANT TypeOK"),
        ("config.properties", "[]", "PROPERTY Live"),
        ("config.constraints", "[]", "CONSTRAINT Bound"),
        ("config.action_constraints", "[]", "ACTION_CONSTRAINT Step"),
        ("config.symmetry", "''", "SYMMETRY Perms"),
        ("config.view", "''", "VIEW Seen"),
        ("SPECIFICATION ", "CHECK_DEADLOCK FALSE SPECIFICATION ", "CHECK_DEADLOCK TRUE"),
    ],
)
def test_what_a_template_drops(load: LoadSweep, tmp_path: Path, old: str, new: str, dropped: str) -> None:
    assert old in default_template()
    raised = raises(InputError, lambda: planned_by(default_template().replace(old, new), load, tmp_path))
    assert (raised.code, raised.where) == ("template-drops", str(tmp_path / "own.j2"))
    assert str(raised.message) == f"the config of point 1 (N = 1) lacks {dropped}"


def test_a_template_may_add_statements_and_lay_them_out(load: LoadSweep, tmp_path: Path) -> None:
    text = default_template().replace("{{ name }} = {{ value }}", "{{ name }}={{ value | replace(' ', '') }}")
    text = text.replace("Filled = Filled", "") + "CONSTANT Filled = Other INVARIANT Low\n"
    assert len({run.run_id for run in planned_by(text, load, tmp_path).runs}) == 2


def test_a_constant_that_numbers_are_compared_with_needs_a_value(load: LoadSweep, tmp_path: Path) -> None:
    (tmp_path / "Compared.tla").write_text(spec("sweep/Compared"))
    module = 'module = "Compared.tla"\n'
    sweep = load(module + '[model]\ninvariants = ["Low", "Free"]\n')
    raised = raises(InputError, plan_sweep, sweep, "jar")
    assert (raised.code, raised.where) == ("unassigned", str(tmp_path / "sweep.toml"))
    assert "constant N " in raised.message
    assert "compared with x" in raised.message
    assert plan_sweep(load(module + "[constants]\nN = 2\n"), "jar").filled == ("Nil",)
    # So does one that a config leaves out.
    (tmp_path / "Compared.cfg").write_text("SPECIFICATION Spec\nCONSTANT N = 2\n")
    text = module + 'config = "Compared.cfg"\n'
    raised = raises(InputError, lambda: plan_sweep(load(text), "jar"))
    assert (raised.code, raised.where) == ("unassigned", str(tmp_path / "Compared.cfg"))
    assert "constant Nil " in raised.message
    assert plan_sweep(load(text + '[constants]\nNil = "Nil"\n'), "jar").filled == ()


def test_the_text_of_any_module_reached_changes_every_id(load: LoadSweep, tmp_path: Path) -> None:
    (tmp_path / "Base.tla").write_text("---- MODULE Base ----\nOne == 1\n====\n")
    (tmp_path / "Unused.tla").write_text("---- MODULE Unused ----\n====\n")
    load(SWEEP)
    (tmp_path / "Counter.tla").write_text(COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, Base"))

    def planned() -> list[str]:
        return ids(plan_sweep(load_sweep(tmp_path / "sweep.toml"), "jar"))

    before = planned()
    (tmp_path / "Unused.tla").write_text("---- MODULE Unused ----\nTwo == 2\n====\n")
    assert planned() == before
    # A comment can move the places that TLC reports, so it counts.
    (tmp_path / "Base.tla").write_text("---- MODULE Base ----\nOne == 1 \\* one\n====\n")
    assert not set(planned()) & set(before)


def test_a_new_point_leaves_the_others_ids(load: LoadSweep, plan: Plan) -> None:
    more = plan_sweep(load(SWEEP.replace("[2, 1, -1]", "[7, -1, 1, 2]")), "jar")
    assert set(ids(plan)) < set(ids(more))
    # A value written otherwise is the same run.
    head = 'module = "Counter.tla"\n[constants]\nMax = '
    texts = (f'{head}"{text}"\n' for text in ("{a, b}", " {a,b}", "{ a , b }"))
    assert len({run.run_id for text in texts for run in plan_sweep(load(text), "jar").runs}) == 1


RUN = Run(
    main="M",
    modules=(),
    config=Config(),
    config_text="",
    template="",
    options=TlcOptions(),
    limits=Limits(timeout_seconds=1, memory_bytes=1, trust=False),
    jar_sha256="jar",
)


def run_id(*modules: ModuleText, **changed: Any) -> str:
    return replace(RUN, modules=modules, **changed).run_id


def test_every_option_is_part_of_the_digest() -> None:
    other: dict[str, object] = {
        "mode": "simulate",
        "find": "each",
        "workers": 2,
        "check_deadlock": False,
        **dict.fromkeys(("fp", "seed", "num", "depth"), 1),
        **dict.fromkeys(("coverage", "graph", "behaviours"), True),
        **dict.fromkeys(("options", "java_options"), ("-x",)),
        "overrides": (("x.jar", "0" * 64),),
    }
    assert set(other) == {field.name for field in fields(TlcOptions)}
    digests = {run_id(), run_id(limits=replace(RUN.limits, trust=True))}
    for name, value in other.items():
        digests.add(run_id(options=replace(TlcOptions(), **{name: value})))  # type: ignore[arg-type]
    given, files = (GivenVariable("A", "1"),), (InputFile("A", "1"),)
    inputs = [Inputs(environment=given), Inputs(java_properties=given), Inputs(files=files)]
    inputs.append(Inputs(outputs=("A",)))
    digests |= {run_id(inputs=each) for each in inputs}
    assert len(digests) == len(other) + len(inputs) + 2
    assert all(len(digest) == 32 for digest in digests)


def test_where_one_part_ends_and_the_next_begins_is_part_of_the_digest() -> None:
    one, two = ModuleText("A", "1"), ModuleText("B", "2")
    digests = {run_id(one, two), run_id(two, one, main="MA"), run_id(ModuleText("A", "1B"), config_text="2")}
    digests.add(run_id(ModuleText("A", "2"), ModuleText("B", "1")))
    assert len(digests) == 4
    # The id does not depend on the order of modules.
    assert run_id(two, one) in digests


def test_what_only_an_instance_defines_is_no_name_for_a_config(load: LoadSweep, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER.replace("====", "C == INSTANCE Other\n===="))
    (tmp_path / "Other.tla").write_text("---- MODULE Other ----\nFine == TRUE\nSpec == TRUE\n====\n")
    model = 'module = "Counter.tla"\n[constants]\nMax = 1\n[model]\n'
    raised = raises(InputError, load, model + 'alias = "C!Fine"\n', match="C!Fine")
    assert (raised.code, raised.where) == ("instance-name", f"{tmp_path / 'sweep.toml'}:5:10")
    assert "Fine == C!Fine" in str(raised.hint)
    # Where a list of definitions is asked for, it is an expression.
    (run,) = plan_sweep(load(model + 'invariants = ["C!Fine"]\n'), "jar").runs
    assert run.config.expressions == (("MC_invariant_1", "C!Fine"),)
    assert "  MC_invariant_1\n" in run.config_text
    # The plain name is taken.
    raises(InputError, load, model + 'specification = "C!Spec"\n', match="Spec_ == C!Spec")
    (tmp_path / "Counter.tla").write_text(COUNTER.replace(r"Spec == Init /\ [][Next]_x", ""))
    text = 'module = "Counter.tla"\n[constants]\nMax = 1\n'
    raised = raises(InputError, lambda: plan_sweep(load(text), "jar"), match='init = "Init"')
    assert raised.code == "no-specification"
