"""Folders as sweeps: which configs there are, and which module each belongs to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import COUNTER
from tla2py.errors import InputError
from tla2py.sweep.load import load_sweep
from tla2py.sweep.sweep import Sweep

CONFIG = "SPECIFICATION Spec\nINVARIANT Small\nCONSTANT Max = 2\n"


def module(name: str, body: str = "") -> str:
    return f"---- MODULE {name} ----\n{body}\n====\n"


def folder(path: Path, **files: str) -> Path:
    """A folder with files; two underscores are a slash, a single one at the end is the suffix .tla."""
    for name, text in files.items():
        file = path / name.replace("__", "/").replace("_cfg", ".cfg").replace("_tla", ".tla")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return path


def pairs(sweep: Sweep) -> dict[str, str]:
    return {point.parameters["config"]: point.parameters["module"] for point in sweep.points}


def test_a_config_belongs_to_the_module_of_its_name(tmp_path: Path) -> None:
    other = COUNTER.replace("Counter", "MCCounter")
    folder(
        tmp_path,
        Counter_tla=COUNTER,
        MCCounter_tla=other,
        Counter_cfg=CONFIG,
        MCCounter_bug_cfg=CONFIG,
        models__Counter3_cfg=CONFIG,
        **{"_hidden__Counter_cfg".replace("_hidden", ".hidden"): CONFIG},
    )
    assert pairs(load_sweep(tmp_path)) == {
        "Counter.cfg": "Counter.tla",
        "MCCounter_bug.cfg": "MCCounter.tla",
        "models/Counter3.cfg": "Counter.tla",
    }


def test_otherwise_to_the_only_one_that_has_its_names(tmp_path: Path) -> None:
    """Not to what that one extends, and not to one whose name merely fits."""
    folder(
        tmp_path,
        Base_tla=COUNTER.replace("Counter", "Base"),
        Top_tla=module("Top", "EXTENDS Base"),
        Sma_tla=module("Sma"),
        Small_cfg=CONFIG,
    )
    assert pairs(load_sweep(tmp_path)) == {"Small.cfg": "Top.tla"}


def test_a_config_of_the_same_name_is_not_given_to_another_module(tmp_path: Path) -> None:
    folder(tmp_path, Small_tla=module("Small"), Counter_tla=COUNTER, Counter_cfg=CONFIG, Small_cfg=CONFIG)
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"Counter.cfg": "Counter.tla"}
    assert [(each.model, each.error.code) for each in sweep.unread] == [("Small.cfg", "unknown-definition")]


def test_what_belongs_to_none_is_a_row(tmp_path: Path) -> None:
    folder(
        tmp_path,
        Counter_tla=COUNTER,
        Twin_tla=COUNTER.replace("Counter", "Twin"),
        Counter_cfg=CONFIG,
        either_cfg=CONFIG,
        setup_cfg="[tool]\nx = 1\n",
    )
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"Counter.cfg": "Counter.tla"}
    assert [(each.model, each.error.code) for each in sweep.unread] == [
        ("either.cfg", "module-missing"),
        ("setup.cfg", "config-syntax"),
    ]
    (tmp_path / "models.toml").write_text('[grid]\nexclude = [{ config = "setup.cfg" }]\n')
    assert [each.model for each in load_sweep(tmp_path).unread] == ["either.cfg"]


def test_configs_without_any_module_are_left_out(tmp_path: Path) -> None:
    folder(tmp_path, a__Counter_tla=COUNTER, a__Counter_cfg=CONFIG, b__tox_cfg="[tox]\n")
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"a/Counter.cfg": "a/Counter.tla"}
    assert sweep.left_out == ("b/tox.cfg (no module beside it or above)",)
    with pytest.raises(InputError) as raised:
        load_sweep(tmp_path / "b")
    assert raised.value.code == "config-missing"


def test_configs_in_modules_and_in_capitals_are_configs(tmp_path: Path) -> None:
    inside = "---- CONFIG {} ----\n" + CONFIG + "====\n"
    folder(tmp_path, Counter_tla=COUNTER + inside.format("Counter") + inside.format("Other"))
    (tmp_path / "COUNTER2.CFG").write_text(CONFIG)
    sweep = load_sweep(tmp_path)
    assert pairs(sweep) == {"COUNTER2.CFG": "Counter.tla", "Counter.tla": "Counter.tla"}
    assert sweep.left_out == ("Counter.tla CONFIG Other (TLC reads CONFIG Counter there)",)
    assert sweep.unread == ()


def test_links_that_stay_below_the_folder_are_followed_once(tmp_path: Path) -> None:
    top = tmp_path / "top"
    folder(top, Counter_tla=COUNTER, a__Counter_cfg=CONFIG)
    folder(top / ".kept", Counter1_cfg=CONFIG, below__Counter2_cfg=CONFIG)
    for link, target in {"again": "a", "a/up": ".", "b": ".kept", "c": ".kept", "d": ".kept/below"}.items():
        (top / link).symlink_to(top / target)
    (tmp_path / "elsewhere").mkdir()
    folder(tmp_path / "elsewhere", Counter3_cfg=CONFIG)
    (top / "out").symlink_to("../elsewhere")
    (top / "a" / "over").symlink_to("../..")
    (top / "a" / "Counter3.cfg").symlink_to(tmp_path / "elsewhere" / "Counter3.cfg")
    sweep = load_sweep(top)
    assert list(pairs(sweep)) == ["a/Counter.cfg", "b/Counter1.cfg", "b/below/Counter2.cfg"]
    said = [(each.config, each.error.code, each.error.where) for each in sweep.unread]
    assert said == [(name, "outside-folder", str(top / name)) for name in ("a/Counter3.cfg", "out", "a/over")]
    (top / "models.toml").write_text(
        '[grid]\nexclude = [{ config = "out" }, { config = "a/Counter3.cfg" }]\n'
    )
    assert [each.config for each in load_sweep(top).unread] == ["a/over"]


def test_configs_that_cannot_be_read_are_kept_apart(tmp_path: Path) -> None:
    folder(
        tmp_path,
        Counter_tla=COUNTER,
        Counter_Good_cfg=CONFIG,
        Counter_Wrong_cfg=CONFIG.replace("Small", "Smal"),
        Counter_Unassigned_cfg="SPECIFICATION Spec\nINVARIANT Small\n",
        # TLC ignores values of undeclared constants.
        Counter_More_cfg=CONFIG + "CONSTANT Other = 1\n",
        Counter_Cut_cfg="SPECIFICATION\n",
    )
    (tmp_path / "Counter.cfg").write_text(CONFIG)
    sweep = load_sweep(tmp_path)
    assert list(pairs(sweep)) == ["Counter.cfg", "Counter_Good.cfg", "Counter_More.cfg"]
    assert [point.index for point in sweep.points] == [1, 2, 3]
    said = {each.model: str(each) for each in sweep.unread}
    assert list(said) == ["Counter_Cut.cfg", "Counter_Wrong.cfg", "Counter_Unassigned.cfg"]
    assert all(text.startswith(f"{name} was not run: ") and "\n" not in text for name, text in said.items())
    assert "Counter_Wrong.cfg:2:11: Counter.tla has no definition Smal" in said["Counter_Wrong.cfg"]
    assert "has no definition Smal: TLC stops; did you mean Small?" in said["Counter_Wrong.cfg"]
    assert "constant Max has no value" in said["Counter_Unassigned.cfg"]
    # If none is left, the first one's error is raised.
    (tmp_path / "Counter.tla").write_text("---- MODULE Counter ----\nEXTENDS Absent\n====\n")
    with pytest.raises(InputError, match="Absent") as raised:
        load_sweep(tmp_path)
    assert raised.value.code == "module-missing"


def test_a_folder_that_excludes_every_config_is_an_error(tmp_path: Path) -> None:
    folder(tmp_path, Counter_tla=COUNTER, Counter_cfg=CONFIG)
    (tmp_path / "models.toml").write_text('[grid]\nexclude = [{ config = "Counter.cfg" }]\n')
    with pytest.raises(InputError) as raised:
        load_sweep(tmp_path)
    assert (raised.value.code, raised.value.where) == ("config-missing", f"{tmp_path / 'models.toml'}:2:1")


def test_a_manifest_is_a_file_of_no_interest(tmp_path: Path) -> None:
    folder(tmp_path, Counter_tla=COUNTER, Counter_cfg=CONFIG)
    models = [{"path": "Counter.cfg", "mode": "exhaustive search", "result": "safety failure"}]
    manifest = {"modules": [{"path": "Counter.tla", "models": models}]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    sweep = load_sweep(tmp_path)
    assert (sweep.expect.point, sweep.unread, sweep.left_out) == ([], (), ())


def test_models_toml_says_the_rest(tmp_path: Path) -> None:
    folder(tmp_path, Counter_tla=COUNTER, Counter_cfg=CONFIG)
    (tmp_path / "models.toml").write_text('[tlc]\ntimeout = "5s"\n')
    sweep = load_sweep(tmp_path)
    assert (sweep.limits.timeout_seconds, sweep.name) == (5, tmp_path.name)
    assert load_sweep(tmp_path / "models.toml").points == sweep.points
    (tmp_path / "models.toml").write_text("[tlc]\ntimeuot = 5\n")
    with pytest.raises(InputError) as raised:
        load_sweep(tmp_path)
    assert raised.value.where == f"{tmp_path / 'models.toml'}:2:1"


def test_a_library_that_is_missing_is_an_error_without_a_sweep_file(tmp_path: Path) -> None:
    (tmp_path / "Lift.tla").write_text("---- MODULE Lift ----\n====\n")
    (tmp_path / "Lift.cfg").write_text("\n")
    with pytest.raises(InputError) as caught:
        load_sweep(tmp_path / "models.toml", [tmp_path / "nowhere"])
    assert caught.value.code == "library-missing"
