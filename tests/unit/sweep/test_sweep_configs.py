"""Sweeps that start from configs, or from a folder of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import COUNTER, SPECS
from tests.raising import raises
from tests.unit.conftest import BOX, LoadSweep
from tests.unit.tla.conftest import module
from tla2py.errors import InputError
from tla2py.model.run import Run
from tla2py.sweep.load import load_sweep, sweep_of_configs
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.rules import lint_sweep
from tla2py.sweep.sweep import Sweep

CONFIG = (SPECS / "sweep/Box.cfg").read_text()


@pytest.fixture
def box(load: LoadSweep, tmp_path: Path) -> Path:
    (tmp_path / "Box.tla").write_text(BOX.replace("Limit ==", "Table2 == [w \\in Who |-> 0]\nLimit =="))
    (tmp_path / "Box.cfg").write_text(CONFIG)
    return tmp_path


def runs(load: LoadSweep, text: str) -> list[Run]:
    return list(plan_sweep(load(f'module = "Box.tla"\nconfig = "Box.cfg"\n{text}'), "jar").runs)


def behaviour(load: LoadSweep, text: str) -> tuple[str | None, ...]:
    (run,) = runs(load, text)
    return run.config.specification, run.config.init, run.config.next


def test_a_config_alone_is_taken_as_it_is(box: Path, load: LoadSweep) -> None:
    (run,) = runs(load, "")
    config = run.config
    assert (config.specification, config.init, config.next) == (None, "Init", "Next")
    assert config.invariants == config.constraints == ("Full",)
    assert not config.check_deadlock
    assert not run.options.check_deadlock
    # In a config, Limit is a model value although the module defines it; a wrapper would use the definition.
    assert run.main == "Box"
    assert config.assignments == (("Low", "1"), ("Who", "{a, Limit}"), ("Nil", "Nil"), ("Pick(1, 2)", "1"))
    assert config.substitutions == (("Origin", "Table2"), ("Table", "Table2"), ("Other", "[Box] Limit"))


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
    replaced = {"Origin": "Table2", "Table": "MC_Table", "Pick": "MC_Pick", "Other": "[Box] MC_Other"}
    assert config.substitutions == tuple(replaced.items())


def test_who_names_a_behaviour_names_all_of_it(box: Path, load: LoadSweep) -> None:
    assert behaviour(load, '[model]\nspecification = "Spec"\n') == ("Spec", None, None)
    assert behaviour(load, '[parameters]\ninit = ["Full"]\n') == (None, "Full", "Next")
    both = '[parameters]\ninit = ["Init"]\nnext = ["Next"]\n'
    assert behaviour(load, '[model]\nspecification = "Spec"\n' + both) == (None, "Init", "Next")


def test_constants_may_vary_over_it(box: Path, load: LoadSweep) -> None:
    found = runs(load, '[parameters]\nLow = { from = 1, to = 3 }\nWho = ["{a}"]\n[grid]\nwhere = "Low # 2"\n')
    assert [dict(run.config.assignments)["Low"] for run in found] == ["1", "3"]
    assert all(dict(run.config.assignments)["Who"] == "{a}" for run in found)
    # A predicate knows what the config says.
    text = '[parameters]\nLimit = { from = 1, to = 3 }\n[grid]\nwhere = "Limit > Low /\\\\ a \\\\in Who"\n'
    assert len(runs(load, text)) == 2


def test_switches_may_vary(box: Path, load: LoadSweep) -> None:
    (box / "Box.cfg").write_text(CONFIG + "SYMMETRY Table2\n")
    text = '[parameters]\nsymmetry = [true, false, "", "Who", "Who, Low", "Other"]\ncheck_deadlock = [true, false]\n'
    found = runs(load, text)
    switched = [run.config.symmetry for run in found[::2]]
    assert switched == ["Table2", None, None, "MC_symmetry", "MC_symmetry", "Other"]
    assert [run.options.check_deadlock for run in found[:2]] == [True, False]
    raised = raises(InputError, runs, load, "[parameters]\ncheck_deadlock = [1]\n", match="check_deadlock")
    assert raised.code == "wrong-type"
    text = '[parameters]\nsymmetry = ["Whom"]\n'
    assert raises(InputError, runs, load, text, match="Whom").code == "unknown-definition"


def test_several_configs_are_a_parameter(box: Path, load: LoadSweep) -> None:
    (box / "more").mkdir()
    other = CONFIG.replace("Low = 1", "Low = 5").replace("CHECK_DEADLOCK FALSE", "")
    (box / "more" / "B.cfg").write_text(other)
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


def test_a_folder_of_configs_is_a_sweep(box: Path, load: LoadSweep) -> None:
    (box / "models").mkdir()
    for name in ("b", "a"):
        (box / "models" / f"{name}.cfg").write_text(CONFIG)
    sweep = of_configs(box, "models/*.cfg")
    assert sweep.name == "Box"
    assert [point.parameters["config"] for point in sweep.points] == ["models/a.cfg", "models/b.cfg"]
    # Its text is an equivalent sweep file.
    (box / "written.toml").write_text(sweep.file.text)
    written = load_sweep(box / "written.toml")
    assert plan_sweep(written, "jar").runs.ids == plan_sweep(sweep, "jar").runs.ids
    # A pattern finds them too.
    sweep = load('module = "Box.tla"\nconfig = ["Box.cfg", "models/*.cfg"]\n')
    assert [p.parameters["config"] for p in sweep.points] == ["Box.cfg", "models/a.cfg", "models/b.cfg"]


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
    other = BOX.replace("MODULE Box", "MODULE Other").replace("Limit ==", "Late == 1\nLimit ==")
    (box / "Other.tla").write_text(other)
    (box / "Other.cfg").write_text(CONFIG.replace("Table2", "Late"))
    crossed = 'module = ["Box.tla", "Other.tla"]\nconfig = ["Box.cfg", "Other.cfg"]\n'
    found = {}
    for name, text in (("crossed", crossed), ("zipped", crossed + 'grid.zip = [["module", "config"]]\n')):
        sweep = load(text)
        findings = lint_sweep(sweep, plan_sweep(sweep, "jar"))
        found[name] = [each.code for each in findings if "Late" in each.message]
    assert found == {"crossed": ["model-value"], "zipped": ["unused-model-value"]}


def test_a_config_that_is_not_there(box: Path, load: LoadSweep) -> None:
    raised = raises(InputError, load, 'module = "Box.tla"\nconfig = ["Box.cfg", "Bax.cfg"]\n')
    assert (raised.code, raised.message) == ("config-missing", "no such config: Bax.cfg")
    assert str(raised.where).endswith("sweep.toml:2:23")
    assert raises(InputError, load, 'module = "Box.tla"\nconfig = []\n').code == "empty-parameter"
    assert raises(InputError, of_configs, box, "none/*.cfg", match=r"none/\*\.cfg").code == "config-missing"
    assert raises(InputError, sweep_of_configs, box / "No.tla", str(box / "*.cfg")).code == "module-missing"


FOLDER_CONFIG = "SPECIFICATION Spec\nINVARIANT Small\nCONSTANT Max = 2\n"


def folder(path: Path, names: str, **others: str) -> None:
    """Write modules like Counter and configs of it; ``others`` have other texts, and their names have _ for a dot."""
    texts = {each.replace("_", "."): text for each, text in others.items()}
    for name in names.split():
        usual = COUNTER.replace("Counter", Path(name).stem) if name.endswith(".tla") else FOLDER_CONFIG
        texts.setdefault(name, usual)
    for name, text in texts.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)


def pairs(sweep: Sweep) -> dict[str, str]:
    return {point.parameters["config"]: point.parameters["module"] for point in sweep.points}


def unread(sweep: Sweep) -> list[tuple[str, str]]:
    return [(each.model, each.error.code) for each in sweep.selection.unread]


def test_a_config_belongs_to_the_module_of_its_name(tmp_path: Path) -> None:
    folder(tmp_path, "Counter.tla MCCounter.tla Counter.cfg models/Counter3.cfg .hidden/Counter.cfg")
    folder(tmp_path, "MCCounter_bug.cfg")
    own = dict.fromkeys(("Counter.cfg", "models/Counter3.cfg"), "Counter.tla")
    assert pairs(load_sweep(tmp_path)) == own | {"MCCounter_bug.cfg": "MCCounter.tla"}


def test_otherwise_to_the_only_one_that_has_its_names(tmp_path: Path) -> None:
    """Not to what that one extends, and not to one whose name merely fits."""
    folder(tmp_path, "Base.tla Small.cfg", Top_tla=module("Top", "EXTENDS Base"), Sma_tla=module("Sma", ""))
    assert pairs(load_sweep(tmp_path)) == {"Small.cfg": "Top.tla"}


def test_a_config_of_the_same_name_is_not_given_to_another_module(tmp_path: Path) -> None:
    folder(tmp_path, "Counter.tla Counter.cfg Small.cfg", Small_tla=module("Small", ""))
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"Counter.cfg": "Counter.tla"}
    assert unread(sweep) == [("Small.cfg", "unknown-definition")]


def test_what_belongs_to_none_is_a_row(tmp_path: Path) -> None:
    folder(tmp_path, "Counter.tla Twin.tla Counter.cfg either.cfg", setup_cfg="[tool]\nx = 1\n")
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"Counter.cfg": "Counter.tla"}
    assert unread(sweep) == [("either.cfg", "module-missing")]
    assert sweep.selection.left_out == ("setup.cfg (not a config of TLC)",)
    assert "Counter.tla, Twin.tla" in str(sweep.selection.unread[0].error)
    (tmp_path / "models.toml").write_text('[grid]\nexclude = [{ config = "either.cfg" }]\n')
    assert load_sweep(tmp_path).selection.unread == ()


def test_configs_without_any_module_are_left_out(tmp_path: Path) -> None:
    folder(tmp_path, "a/Counter.tla a/Counter.cfg")
    folder(tmp_path / "b", "", tox_cfg="[tox]\n")
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"a/Counter.cfg": "a/Counter.tla"}
    assert sweep.selection.left_out == ("b/tox.cfg (no module beside it or above)",)
    assert raises(InputError, load_sweep, tmp_path / "b").code == "config-missing"


def test_configs_in_modules_and_in_capitals_are_configs(tmp_path: Path) -> None:
    inside = "---- CONFIG {} ----\n" + FOLDER_CONFIG + "====\n"
    folder(tmp_path, "COUNTER2.CFG", Counter_tla=COUNTER + inside.format("Counter") + inside.format("Other"))
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"COUNTER2.CFG": "Counter.tla", "Counter.tla": "Counter.tla"}
    assert sweep.selection.left_out == ("Counter.tla CONFIG Other (TLC reads CONFIG Counter there)",)
    assert sweep.selection.unread == ()


def test_links_that_stay_below_the_folder_are_followed_once(tmp_path: Path) -> None:
    top = tmp_path / "top"
    folder(top, "Counter.tla a/Counter.cfg .kept/Counter1.cfg .kept/below/Counter2.cfg")
    for link, target in {"again": "a", "a/up": ".", "b": ".kept", "c": ".kept", "d": ".kept/below"}.items():
        (top / link).symlink_to(top / target)
    folder(tmp_path, "elsewhere/Counter3.cfg")
    (top / "out").symlink_to("../elsewhere")
    (top / "a" / "over").symlink_to("../..")
    (top / "a" / "Counter3.cfg").symlink_to(tmp_path / "elsewhere" / "Counter3.cfg")
    sweep = load_sweep(top)
    assert list(pairs(sweep)) == ["a/Counter.cfg", "b/Counter1.cfg", "b/below/Counter2.cfg"]
    said = [(each.config, each.error.code, each.error.where) for each in sweep.selection.unread]
    assert said == [(name, "outside-folder", str(top / name)) for name in ("a/Counter3.cfg", "out", "a/over")]
    excluded = '[grid]\nexclude = [{ config = "out" }, { config = "a/Counter3.cfg" }]\n'
    (top / "models.toml").write_text(excluded)
    assert [each.config for each in load_sweep(top).selection.unread] == ["a/over"]


def test_configs_that_cannot_be_read_are_kept_apart(tmp_path: Path) -> None:
    folder(tmp_path, "Counter.tla Counter.cfg Counter_Good.cfg")
    texts = {
        "Wrong": FOLDER_CONFIG.replace("Small", "Smal"),
        "Unassigned": "SPECIFICATION Spec\nINVARIANT Small\n",
        # TLC ignores values of undeclared constants.
        "More": FOLDER_CONFIG + "CONSTANT Other = 1\n",
        "Cut": "SPECIFICATION\n",
    }
    for name, text in texts.items():
        (tmp_path / f"Counter_{name}.cfg").write_text(text)
    sweep = load_sweep(tmp_path)
    assert list(pairs(sweep)) == ["Counter.cfg", "Counter_Good.cfg", "Counter_More.cfg"]
    assert [point.index for point in sweep.points] == [1, 2, 3]
    said = {each.model: str(each) for each in sweep.selection.unread}
    assert list(said) == ["Counter_Cut.cfg", "Counter_Wrong.cfg", "Counter_Unassigned.cfg"]
    assert all(text.startswith(f"{name} was not run: ") and "\n" not in text for name, text in said.items())
    wrong = "Counter_Wrong.cfg:2:11: Counter.tla has no definition Smal: TLC stops; did you mean Small?"
    assert wrong in said["Counter_Wrong.cfg"]
    assert "constant Max has no value" in said["Counter_Unassigned.cfg"]
    # If none is left, the first one's error is raised.
    (tmp_path / "Counter.tla").write_text(module("Counter", "EXTENDS Absent"))
    assert raises(InputError, load_sweep, tmp_path, match="Absent").code == "module-missing"


def test_a_manifest_is_a_file_of_no_interest(tmp_path: Path) -> None:
    models = [{"path": "Counter.cfg", "mode": "exhaustive search", "result": "safety failure"}]
    manifest = {"modules": [{"path": "Counter.tla", "models": models}]}
    folder(tmp_path, "Counter.tla Counter.cfg", manifest_json=json.dumps(manifest))
    sweep = load_sweep(tmp_path)
    assert (sweep.expect.point, sweep.selection.unread, sweep.selection.left_out) == ([], (), ())


def test_models_toml_says_the_rest(tmp_path: Path) -> None:
    folder(tmp_path, "Counter.tla Counter.cfg", models_toml='[tlc]\ntimeout = "5s"\n')
    sweep = load_sweep(tmp_path)
    assert (sweep.selection.limits.timeout_seconds, sweep.name) == (5, tmp_path.name)
    assert load_sweep(tmp_path / "models.toml").points == sweep.points
    (tmp_path / "models.toml").write_text("[tlc]\ntimeuot = 5\n")
    assert raises(InputError, load_sweep, tmp_path).where == f"{tmp_path / 'models.toml'}:2:1"
    # A folder that excludes every config is an error.
    (tmp_path / "models.toml").write_text('[grid]\nexclude = [{ config = "Counter.cfg" }]\n')
    raised = raises(InputError, load_sweep, tmp_path)
    assert (raised.code, raised.where) == ("config-missing", f"{tmp_path / 'models.toml'}:2:1")
    # So is a library that is missing, also without this file.
    (tmp_path / "models.toml").unlink()
    asked = (tmp_path / "models.toml", [tmp_path / "nowhere"])
    assert raises(InputError, load_sweep, *asked).code == "library-missing"
