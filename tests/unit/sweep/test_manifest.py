"""Manifests as tlaplus/Examples has them: what is read of one, and how its models are run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import COUNTER
from tla2py.errors import InputError
from tla2py.model.outcome import Outcome
from tla2py.sweep.folder import read_manifest
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep

CONFIG = "SPECIFICATION Spec\nINVARIANT Small\nCONSTANT Max = 2\n"


def write(folder: Path, *models: dict[str, object], features: tuple[str, ...] = ()) -> Path:
    """A folder with the module Counter and a manifest that has these models of it."""
    (folder / "Counter.tla").write_text(COUNTER)
    for model in models:
        (folder / f"{model['path']}").write_text(CONFIG)
    module = {"path": "Counter.tla", "features": list(features), "models": models}
    path = folder / "manifest.json"
    path.write_text(json.dumps({"sources": ["S"], "authors": [], "tags": [], "modules": [module]}))
    return path


def model(name: str, **said: object) -> dict[str, object]:
    return {
        "path": f"{name}.cfg",
        "runtime": "00:00:01",
        "mode": "exhaustive search",
        "result": "success",
        **said,
    }


def test_how_a_model_is_run_is_what_its_manifest_says(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        model("Plain"),
        model("Some", mode={"simulate": {"traceCount": 100}}),
        model("Endless", mode="generate"),
        model("Wide", workers=3),
        model("Auto", workers="auto"),
        model("Apart", mode="symbolic"),
        features=("action composition",),
    )
    sweep = load_sweep(path)
    runs = plan_sweep(sweep, "jar").runs
    options = {
        Path(point.parameters["config"]).stem: run.options
        for point, run in zip(sweep.points, runs, strict=True)
    }
    shown = {name: (each.mode, each.num, each.workers) for name, each in options.items()}
    assert shown == {
        "Plain": ("check", None, 1),
        "Some": ("simulate", 100, 1),
        "Endless": ("generate", None, 1),
        "Wide": ("check", None, 3),
        "Auto": ("check", None, 1),
    }
    assert {each.java_options for each in options.values()} == {("-Dtlc2.tool.impl.Tool.cdot=true",)}
    assert sweep.left_out == ("Apart.cfg (symbolic)",)
    assert sweep.workers == 3
    assert sweep.expect is not None
    rows = {str(row.match["config"]): row for row in sweep.expect.point}
    # A simulation that finds nothing proves nothing.
    assert [rows[f"{name}.cfg"].outcome for name in ("Plain", "Some")] == [None, Outcome.BOUNDED_SUCCESS]
    assert rows["Plain.cfg"].verdict == "holds"


@pytest.mark.parametrize(
    ("runtime", "seconds"), [("00:00:01", 1), ("01:02:03", 3723), ("unknown", None), ("00:01", None)]
)
def test_runtimes(tmp_path: Path, runtime: str, seconds: int | None) -> None:
    (entry,) = read_manifest(write(tmp_path, model("Plain", runtime=runtime)))
    assert entry.model.seconds == seconds


def test_models_that_cannot_be_read_are_kept_apart(tmp_path: Path) -> None:
    path = write(tmp_path, model("Good"), model("Gone"), model("Wrong"), model("Unassigned"), model("More"))
    (tmp_path / "Gone.cfg").unlink()
    (tmp_path / "Wrong.cfg").write_text(CONFIG.replace("Small", "Smal"))
    (tmp_path / "Unassigned.cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\n")
    # TLC ignores values of undeclared constants.
    (tmp_path / "More.cfg").write_text(CONFIG + "CONSTANT Other = 1\n")
    sweep = load_sweep(path)
    assert [point.parameters["config"] for point in sweep.points] == ["Good.cfg", "More.cfg"]
    assert [point.index for point in sweep.points] == [1, 2]
    said = [str(each) for each in sweep.unread]
    assert [text.partition(" was not run: ")[0] for text in said] == [
        "Gone.cfg",
        "Wrong.cfg",
        "Unassigned.cfg",
    ]
    assert "manifest.json:1: no such config: Gone.cfg" in said[0]
    assert "Wrong.cfg:2:11: Counter.tla has no definition Smal" in said[1]
    assert "constant Max has no value" in said[2]
    assert all("\n" not in text for text in said)
    assert "has no definition Smal: TLC stops; did you mean Small?" in said[1]
    # If no model is left, the first one's error is raised.
    (tmp_path / "Counter.tla").write_text("---- MODULE Counter ----\nEXTENDS Absent\n====\n")
    with pytest.raises(InputError, match="Absent") as raised:
        load_sweep(path)
    assert raised.value.code == "module-missing"


def test_models_of_unknown_result_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, model("Known"), model("Open", result="unknown", runtime="unknown"))
    sweep = load_sweep(path)
    assert (len(sweep.points), sweep.left_out) == (1, ("Open.cfg (result unknown)",))
