"""A sweep that starts from configs: what they say, what the sweep file and its parameters say over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.conftest import BOX, LoadSweep
from tla2py.errors import InputError
from tla2py.model.model import Config
from tla2py.model.run import Run
from tla2py.sweep.load import load_sweep, sweep_of_configs
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.rules import lint_sweep
from tla2py.sweep.sweep import Sweep

CONFIG = r"""\* Small
INIT Init
NEXT Next
CONSTANTS
  Low = 1
  Who = {a, Limit}  Nil = Nil
  Origin <- Table2
  Table <- Table2
  Pick(1, 2) = 1
  Other <- [Box] Limit
INVARIANT Full
CONSTRAINT Full
CHECK_DEADLOCK FALSE
"""


@pytest.fixture
def box(load: LoadSweep, tmp_path: Path) -> Path:
    load('module = "Counter.tla"\n[constants]\nMax = 1\n')  # for the modules
    (tmp_path / "Box.tla").write_text(BOX.replace("Limit ==", "Table2 == [w \\in Who |-> 0]\nLimit =="))
    (tmp_path / "Box.cfg").write_text(CONFIG)
    return tmp_path


def runs(load: LoadSweep, text: str) -> list[Run]:
    return list(plan_sweep(load(f'module = "Box.tla"\nconfig = "Box.cfg"\n{text}'), "jar").runs)


def config_of(load: LoadSweep, text: str) -> Config:
    (run,) = runs(load, text)
    return run.config


def test_a_config_alone_is_taken_as_it_is(box: Path, load: LoadSweep) -> None:
    (run,) = runs(load, "")
    config = run.config
    assert (config.specification, config.init, config.next) == (None, "Init", "Next")
    assert config.invariants == config.constraints == ("Full",)
    assert not config.check_deadlock
    assert not run.options.check_deadlock
    # In a config, Limit is a model value although the module defines it; a wrapper would use the definition.
    assert run.main == "Box"
    assert config.assignments == (
        ("Low", "1"),
        ("Who", "{a, Limit}"),
        ("Nil", "Nil"),
        ("Pick(1, 2)", "1"),
    )
    assert config.substitutions == (
        ("Origin", "Table2"),
        ("Table", "Table2"),
        ("Other", "[Box] Limit"),
    )


def test_what_the_sweep_file_says_goes_before_it(box: Path, load: LoadSweep) -> None:
    text = (
        '[model]\ninvariants = []\ncheck_deadlock = true\n[constants]\nLow = 2\nPick = "LAMBDA x, y : Low"\n'
    )
    (run,) = runs(load, text + 'Table = "<<Low>>"\n[substitutions]\n"[Box]Other" = "7"\n')
    config = run.config
    assert config.invariants == ()
    assert config.constraints == ("Full",)
    assert run.options.check_deadlock
    assert config.assignments == (("Who", "{a, Limit}"), ("Nil", "Nil"), ("Low", "2"))
    assert config.substitutions == (
        ("Origin", "Table2"),
        ("Table", "MC_Table"),
        ("Pick", "MC_Pick"),
        ("Other", "[Box] MC_Other"),
    )


def test_who_names_a_behaviour_names_all_of_it(box: Path, load: LoadSweep) -> None:
    config = config_of(load, '[model]\nspecification = "Spec"\n')
    assert (config.specification, config.init, config.next) == ("Spec", None, None)
    config = config_of(load, '[parameters]\ninit = ["Full"]\n')
    assert (config.specification, config.init, config.next) == (None, "Full", "Next")
    config = config_of(
        load, '[model]\nspecification = "Spec"\n[parameters]\ninit = ["Init"]\nnext = ["Next"]\n'
    )
    assert (config.specification, config.init, config.next) == (None, "Init", "Next")


def test_constants_may_vary_over_it(box: Path, load: LoadSweep) -> None:
    found = runs(load, '[parameters]\nLow = { from = 1, to = 3 }\nWho = ["{a}"]\n[grid]\nwhere = "Low # 2"\n')
    assert [dict(run.config.assignments)["Low"] for run in found] == ["1", "3"]
    assert all(dict(run.config.assignments)["Who"] == "{a}" for run in found)


def test_a_predicate_knows_what_the_config_says(box: Path, load: LoadSweep) -> None:
    text = '[parameters]\nLimit = { from = 1, to = 3 }\n[grid]\nwhere = "Limit > Low /\\\\ a \\\\in Who"\n'
    assert len(runs(load, text)) == 2


def test_switches_may_vary(box: Path, load: LoadSweep) -> None:
    (box / "Box.cfg").write_text(CONFIG + "SYMMETRY Table2\n")
    text = '[parameters]\nsymmetry = [true, false, "", "Who", "Who, Low", "Other"]\ncheck_deadlock = [true, false]\n'
    found = runs(load, text)
    assert [run.config.symmetry for run in found[::2]] == [
        "Table2",
        None,
        None,
        "MC_symmetry",
        "MC_symmetry",
        "Other",
    ]
    assert [run.options.check_deadlock for run in found[:2]] == [True, False]
    with pytest.raises(InputError, match="check_deadlock") as raised:
        runs(load, "[parameters]\ncheck_deadlock = [1]\n")
    assert raised.value.code == "wrong-type"
    with pytest.raises(InputError, match="Whom") as raised:
        runs(load, '[parameters]\nsymmetry = ["Whom"]\n')
    assert raised.value.code == "unknown-definition"


def test_several_configs_are_a_parameter(box: Path, load: LoadSweep) -> None:
    (box / "more").mkdir()
    (box / "more" / "B.cfg").write_text(
        CONFIG.replace("Low = 1", "Low = 5").replace("CHECK_DEADLOCK FALSE", "")
    )
    text = 'module = "Box.tla"\nconfig = ["Box.cfg", "more/B.cfg"]\n'
    sweep = load(text + "[[expect.point]]\nmatch = { config = 'more/B.cfg' }\nverdict = 'violated'\n")
    assert [(p.name, p.kind) for p in sweep.parameters] == [("config", "config")]
    plan = plan_sweep(sweep, "jar")
    assert [dict(run.config.assignments)["Low"] for run in plan.runs] == ["1", "5"]
    assert [run.options.check_deadlock for run in plan.runs] == [False, True]
    only = load(text + "[grid]\nwhere = 'config # \"Box.cfg\"'\n")
    assert [dict(point.parameters) for point in only.points] == [{"config": "more/B.cfg"}]


def of_configs(box: Path, pattern: str) -> Sweep:
    return sweep_of_configs(box / "Box.tla", str(box / pattern))


def test_a_folder_of_configs_is_a_sweep(box: Path) -> None:
    (box / "models").mkdir()
    for name in ("b", "a"):
        (box / "models" / f"{name}.cfg").write_text(CONFIG)
    sweep = of_configs(box, "models/*.cfg")
    assert sweep.name == "Box"
    assert [point.parameters["config"] for point in sweep.points] == ["models/a.cfg", "models/b.cfg"]
    # Its text is an equivalent sweep file.
    (box / "written.toml").write_text(sweep.text)
    written = load_sweep(box / "written.toml")
    assert plan_sweep(written, "jar").runs.ids == plan_sweep(sweep, "jar").runs.ids


def test_a_pattern_finds_configs(box: Path, load: LoadSweep) -> None:
    (box / "models").mkdir()
    for name in ("b", "a"):
        (box / "models" / f"{name}.cfg").write_text(CONFIG)
    sweep = load('module = "Box.tla"\nconfig = ["Box.cfg", "models/*.cfg"]\n')
    assert [p.parameters["config"] for p in sweep.points] == ["Box.cfg", "models/a.cfg", "models/b.cfg"]
    with pytest.raises(InputError) as raised:
        load('module = "Box.tla"\nconfig = "model/*.cfg"\n')
    assert (raised.value.code, raised.value.message) == (
        "config-missing",
        "no config matches model/*.cfg",
    )
    assert str(raised.value.where).endswith("sweep.toml:2:11")


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "said"),
    [
        ("INVARIANT Full", "INVARIANT Ful", "unknown-definition", (11, 11), "Full"),
        ("NEXT Next", "NEXT Nxt", "unknown-definition", (3, 6), "Next"),
        ("Low = 1", "Low = 1 Lo = 1", "unknown-constant", (5, 11), "Low"),
        ("Table <- Table2", "Table <- Table3", "unknown-definition", (8, 12), "Table2"),
    ],
)
def test_what_a_config_names_has_to_be_there(
    box: Path, load: LoadSweep, old: str, new: str, code: str, place: tuple[int, int], said: str
) -> None:
    (box / "Box.cfg").write_text(CONFIG.replace(old, new))
    sweep = load('module = "Box.tla"\nconfig = "Box.cfg"\n')
    (found,) = [each for each in lint_sweep(sweep, plan_sweep(sweep, "jar")) if each.code == code]
    assert (found.place.line, found.place.column) == place
    assert said in str(found.hint)
    # TLC ignores a value, and stops at anything else.
    assert found.refuses == (code != "unknown-constant")
    if code == "unknown-definition" and new.startswith("INVARIANT"):
        overridden = load('module = "Box.tla"\nconfig = "Box.cfg"\n[model]\ninvariants = ["Full"]\n')
        findings = lint_sweep(overridden, plan_sweep(overridden, "jar"))
        assert [each for each in findings if each.code == code] == []


def test_a_config_is_held_against_the_modules_that_it_is_used_with(box: Path, load: LoadSweep) -> None:
    (box / "Box.cfg").write_text(CONFIG.replace("Low = 1", "Low = 1 Late = Late"))
    (box / "Other.tla").write_text(
        BOX.replace("MODULE Box", "MODULE Other").replace("Limit ==", "Late == 1\nLimit ==")
    )
    (box / "Other.cfg").write_text(
        (box / "Box.cfg").read_text().replace("Late = Late", "").replace("Table2", "Late")
    )
    crossed = 'module = ["Box.tla", "Other.tla"]\nconfig = ["Box.cfg", "Other.cfg"]\n'
    found = {}
    for name, text in (("crossed", crossed), ("zipped", crossed + 'grid.zip = [["module", "config"]]\n')):
        sweep = load(text)
        findings = lint_sweep(sweep, plan_sweep(sweep, "jar"))
        found[name] = [each.code for each in findings if "Late" in each.message]
    assert found == {"crossed": ["model-value"], "zipped": ["unused-model-value"]}


def test_a_config_that_does_not_parse(box: Path, load: LoadSweep) -> None:
    (box / "Box.cfg").write_text(CONFIG.replace("Low = 1", "Low = "))
    with pytest.raises(InputError) as raised:
        runs(load, "")
    assert raised.value.code == "config-syntax"
    assert str(raised.value.where).endswith("Box.cfg:6:7")


def test_a_config_that_is_not_there(box: Path, load: LoadSweep) -> None:
    with pytest.raises(InputError) as raised:
        load('module = "Box.tla"\nconfig = ["Box.cfg", "Bax.cfg"]\n')
    assert (raised.value.code, raised.value.message) == ("config-missing", "no such config: Bax.cfg")
    assert str(raised.value.where).endswith("sweep.toml:2:23")
    with pytest.raises(InputError) as raised:
        load('module = "Box.tla"\nconfig = []\n')
    assert raised.value.code == "empty-parameter"
    with pytest.raises(InputError, match=r"none/\*\.cfg") as raised:
        of_configs(box, "none/*.cfg")
    assert raised.value.code == "config-missing"
    with pytest.raises(InputError) as raised:
        sweep_of_configs(box / "No.tla", str(box / "*.cfg"))
    assert raised.value.code == "module-missing"


def test_a_constant_that_nobody_assigns_is_told(box: Path, load: LoadSweep) -> None:
    (box / "Box.cfg").write_text(CONFIG.replace("Who = {a, Limit}", ""))
    with pytest.raises(InputError, match="Who ") as raised:
        runs(load, "")
    assert raised.value.code == "unassigned"
