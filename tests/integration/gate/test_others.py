"""What others wrote down: EXPECT in configs, and manifests as tlaplus/Examples has them, gated with the real TLC."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ended
from tests.conftest import RunCli
from tests.integration.gate.lift import LIFT, NO_CI, red
from tla2py.store.record import open_archive

pytestmark = pytest.mark.java

LIVE = LIFT.replace("====\n", "Arrives == <>(floor = Top)\nStop == floor < 1 /\\ floor' = floor + 1\n====\n")
CONFIGS = {
    "Low": "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = 2 Goal = 7\n\\* EXPECT SafetyFailure Low\n",
    "Inside": "SPECIFICATION Spec\nINVARIANT Inside\nCONSTANTS Top = 2 Goal = 7\n\\* EXPECT Success\n",
    "Live": "SPECIFICATION Spec\nPROPERTY Arrives\nCONSTANTS Top = 1 Goal = 7\n_EXPECT LIVENESS_VIOLATION\n",
    "Stops": "INIT Init\nNEXT Stop\nCONSTANTS Top = 1 Goal = 7\n\\* EXPECT DeadlockFailure\n",
    "High": "SPECIFICATION Spec\nCONSTANTS Top = 9 Goal = 7\n\\* EXPECT AssumptionFailure\n",
}
TOML = 'module = "Lift.tla"\nconfig = "models/*.cfg"\n[tlc]\ntimeout = "1m"\nmemory = "256MiB"\n'


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / "Lift.tla").write_text(LIVE)
    (tmp_path / "models").mkdir()
    for name, text in CONFIGS.items():
        (tmp_path / "models" / f"{name}.cfg").write_text(text)
    (tmp_path / "sweep.toml").write_text(TOML)
    return tmp_path


def gate(run_cli: RunCli, folder: Path, target: str, *options: str) -> Ended:
    command = ("gate", target, "-o", "store", "--executor", "local", *options)
    return run_cli(*command, cwd=folder, env=NO_CI)


def test_what_configs_expect_is_gated(models: Path, run_cli: RunCli) -> None:
    done = gate(run_cli, models, "sweep.toml")
    assert done.code == 0, done.stdout + done.stderr
    assert "green sweep  5 points, as expected (3 violated, as known)" in done.stdout
    # Another expectation is another judgement, not another run.
    low, stops = models / "models" / "Low.cfg", models / "models" / "Stops.cfg"
    low.write_text(CONFIGS["Low"].replace("SafetyFailure Low", "Success"))
    stops.write_text(CONFIGS["Stops"].replace("DeadlockFailure", "SafetyFailure"))
    done = gate(run_cli, models, "sweep.toml", "--sarif", "s.sarif")
    assert "nothing to run" in done.stderr
    red(
        done,
        1,
        "config = models/Low.cfg",
        "unexpected: violated (Low), expected holds",
        "config = models/Stops.cfg",
        "unexpected: violation_deadlock (deadlock), expected violation_safety",
    )
    # A row of the sweep file goes before what its config says.
    row = "[[expect.point]]\nmatch = { config = 'models/Low.cfg' }\nviolates = ['Low']\n"
    (models / "sweep.toml").write_text(TOML + row)
    stops.write_text(CONFIGS["Stops"])
    assert gate(run_cli, models, "sweep.toml").code == 0


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("EXPECT SaftyFailure", "Low.cfg:4:4 EXPECT SaftyFailure is not a result of TLC"),
        ("EXPECT SafetyFailure Lov", "Low.cfg:4:4 Lov is expected to be violated"),
        ("EXPECT Success Low", "Low.cfg:4:4 the verdict holds and violates = ['Low'] contradict each other"),
    ],
)
def test_what_a_config_cannot_expect(models: Path, run_cli: RunCli, said: str, words: str) -> None:
    (models / "models" / "Low.cfg").write_text(CONFIGS["Low"].replace("EXPECT SafetyFailure Low", said))
    done = gate(run_cli, models, "sweep.toml")
    assert words in " ".join(done.stderr.replace(".cfg:4:4:", ".cfg:4:4").split())
    assert done.code == 2
    assert not (models / "store").exists()


MODELS = [
    ("Lift", "Low", "exhaustive search", "safety failure", None, None),
    ("Lift", "Inside", "exhaustive search", "success", 3, 5),
    ("Lift", "Live", "exhaustive search", "liveness failure", None, None),
    ("Lift", "Stops", "exhaustive search", "deadlock failure", None, None),
    ("Lift", "High", "exhaustive search", "assumption failure", None, None),
    ("Lift", "Symbolic", "symbolic", "success", None, None),
    ("Lift", "Huge", "exhaustive search", "unknown", None, None),
    ("other/Lift", "other/Other", "exhaustive search", "success", 1, 1),
]


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A folder with a manifest in it, paths counted from the repository's root; two of its modules share a name."""
    folder = tmp_path / "specifications" / "Lift"
    (folder / "other").mkdir(parents=True)
    (folder / "Lift.tla").write_text(LIVE)
    (folder / "other" / "Lift.tla").write_text(
        "---- MODULE Lift ----\nVARIABLE still\nInit == still = 0\nNext == still = 1 /\\ still' = 0\nOk == still = 0\n====\n"
    )
    (folder / "other" / "Other.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Ok\nCHECK_DEADLOCK FALSE\n")
    for name, text in CONFIGS.items():
        (folder / f"{name}.cfg").write_text(
            "\n".join(line for line in text.split("\n") if "EXPECT" not in line)
        )
    modules: dict[str, list[dict[str, object]]] = {}
    for module, config, mode, result, distinct, total in MODELS:
        model: dict[str, object] = {"path": f"specifications/Lift/{config}.cfg", "runtime": "00:00:01"}
        model |= {"mode": mode, "result": result}
        if distinct is not None:
            model |= {"distinctStates": distinct, "totalStates": total, "stateDepth": 7}
        modules.setdefault(f"specifications/Lift/{module}.tla", []).append(model)
    manifest = {"sources": [], "authors": ["A"], "tags": []}
    entries = [{"path": path, "features": [], "models": found} for path, found in modules.items()]
    (folder / "manifest.json").write_text(json.dumps(manifest | {"modules": entries}, indent=2))
    return folder


def test_a_manifest_is_gated(examples: Path, run_cli: RunCli) -> None:
    options = ("--timeout", "1m", "--memory", "256MiB")
    done = gate(run_cli, examples, "manifest.json", *options)
    assert done.code == 0, done.stdout + done.stderr
    assert "green Lift  6 points, as expected (3 violated, as known)" in done.stdout
    assert "note: not gated: Symbolic.cfg (symbolic), Huge.cfg (result unknown)" in done.stdout
    manifest = examples / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(
        text.replace('"distinctStates": 3', '"distinctStates": 4').replace("liveness", "safety")
    )
    done = gate(run_cli, examples, "manifest.json", *options, "--sarif", "s.sarif")
    assert "nothing to run" in done.stderr
    red(
        done,
        1,
        "figures: distinct is 3, expected 4",
        "unexpected: violation_liveness (Arrives), expected violation_safety",
        "tla2py check manifest.json --point 2",
    )
    results = json.loads((examples / "s.sarif").read_text())["runs"][0]["results"]
    physical = [each["locations"][0]["physicalLocation"] for each in results]
    places = {(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in physical}
    line = next(n for n, each in enumerate(manifest.read_text().splitlines(), 1) if "Inside.cfg" in each)
    assert ("manifest.json", line) in places
    again = run_cli("check", "manifest.json", "--point", "3", cwd=examples, env=NO_CI)
    assert again.code == 1
    assert "Temporal properties were violated" in again.stdout


def test_a_manifest_is_locked(examples: Path, run_cli: RunCli) -> None:
    options = ("--timeout", "1m", "--memory", "256MiB")
    assert gate(run_cli, examples, "manifest.json", *options, "--record").code == 0
    assert (examples / "manifest.lock").read_text().count("[[point]]") == 6
    (examples / "Inside.cfg").write_text(CONFIGS["Inside"].replace("INVARIANT Inside", "INVARIANT NotThere"))
    red(gate(run_cli, examples, "manifest.json", *options), 1, "drift: no longer checks the invariant Inside")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "[]", "not a manifest"),
        (lambda text: text.replace("exhaustive search", "symbolic"), "no model in it is for TLC"),
        (lambda text: text.replace("Low.cfg", "Lov.cfg"), "no such config: specifications/Lift/Lov.cfg"),
        (lambda text: text.replace("safety failure", "sad"), "'sad' is not a result of TLC"),
    ],
)
def test_a_manifest_that_says_nothing(
    examples: Path, run_cli: RunCli, change: Callable[[str], str], words: str
) -> None:
    manifest = examples / "manifest.json"
    manifest.write_text(change(manifest.read_text()))
    red(gate(run_cli, examples, "manifest.json"), 2, "manifest.json", words)


def test_one_model_that_cannot_be_read_stops_no_other(examples: Path, run_cli: RunCli) -> None:
    (examples / "Lift.tla").write_text(LIVE.replace("====\n", "Wrong == [ nonsense\n====\n"))
    done = gate(run_cli, examples, "manifest.json", "--timeout", "1m", "--memory", "256MiB")
    red(done, 2, "Low.cfg was not run: ", "Lift.tla:", "High.cfg was not run: ", ", 5 models not read")
    assert "1 point" in done.stdout
    swept = run_cli("sweep", "manifest.json", "-o", "store", "--executor", "local", cwd=examples)
    assert swept.code == 2
    assert "nothing to run" in swept.stderr
    assert "Low.cfg was not run: " in swept.stderr
    planned = run_cli("sweep", "manifest.json", "-o", "store", "--dry-run", cwd=examples)
    assert "Low.cfg cannot be run: " in planned.stdout
    assert "Symbolic.cfg (symbolic), Huge.cfg (result unknown)" in planned.stdout
    assert planned.code == 0


def test_mode_and_workers_of_a_manifest_are_kept_to(examples: Path, run_cli: RunCli) -> None:
    manifest = examples / "manifest.json"
    said = json.loads(manifest.read_text())
    said["modules"][0]["models"] = said["modules"][0]["models"][:2]
    low, inside = said["modules"][0]["models"]
    low |= {"mode": {"simulate": {"traceCount": 3}}, "result": "safety failure"}
    inside |= {"mode": {"simulate": {"traceCount": 5}}}
    inside.pop("distinctStates")
    inside.pop("totalStates")
    said["modules"][1]["models"][0]["workers"] = 2
    manifest.write_text(json.dumps(said))
    done = gate(run_cli, examples, "manifest.json", "--timeout", "1m", "--memory", "256MiB")
    assert done.code == 0, done.stdout + done.stderr
    argvs = {}
    for record in (examples / "store" / "records").glob("*.zip"):
        with open_archive(record) as archive:
            (execution,) = archive.record.executions
            argvs[" ".join(execution.invariants)] = " ".join(execution.argv)
    assert "-simulate num=3 " in argvs["Low"]
    assert "-simulate num=5 " in argvs["Inside"]
    assert "-workers 2 " in argvs["Ok"]
    assert "-simulate" not in argvs["Ok"]
