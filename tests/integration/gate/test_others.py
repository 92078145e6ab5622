"""What others wrote down: EXPECT in configs, and manifests as tlaplus/Examples has them, gated with the real TLC."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ended
from tests.conftest import RunCli
from tests.integration.gate.lift import LIFT, NO_CI, drifts, red, refused
from tests.stores import loose_records
from tla2py.gate.decision import Reason
from tla2py.gate.drift import DriftKind
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
    assert [len(gated.decision.points) for gated in done.reported.gated] == [5]
    # Another expectation is another judgement, not another run.
    low, stops = models / "models" / "Low.cfg", models / "models" / "Stops.cfg"
    low.write_text(CONFIGS["Low"].replace("SafetyFailure Low", "Success"))
    stops.write_text(CONFIGS["Stops"].replace("DeadlockFailure", "SafetyFailure"))
    done = gate(run_cli, models, "sweep.toml", "--sarif", "s.sarif")
    assert done.executed == 0
    red(done, 1, (Reason.UNEXPECTED, 4), (Reason.UNEXPECTED, 5))
    for problem, config, words in zip(
        done.problems,
        ("models/Low.cfg", "models/Stops.cfg"),
        (("Low", "holds"), ("violation_deadlock", "violation_safety")),
        strict=True,
    ):
        assert problem.point is not None
        point = done.reported.gated[0].decision.points[problem.point - 1]
        assert point.point.parameters["config"] == config
        assert all(word in problem.text for word in words)
    # A row of the sweep file goes before what its config says.
    row = "[[expect.point]]\nmatch = { config = 'models/Low.cfg' }\nviolates = ['Low']\n"
    (models / "sweep.toml").write_text(TOML + row)
    stops.write_text(CONFIGS["Stops"])
    done = gate(run_cli, models, "sweep.toml")
    assert done.code == 0
    assert [each for gated in done.reported.gated for each in gated.decision.notices if "EXPECT" in each] == [
        "the sweep file's [expect] overrides EXPECT at models/Low.cfg:4:4"
    ]


def test_the_sweep_file_wins_over_what_a_config_expects(models: Path, run_cli: RunCli) -> None:
    only = TOML.replace("models/*.cfg", "models/Low.cfg")
    (models / "sweep.toml").write_text(f"{only}[expect]\nverdict = 'holds'\n")
    done = gate(run_cli, models, "sweep.toml")
    red(done, 1, (Reason.UNEXPECTED, 1))
    note = "the sweep file's [expect] overrides EXPECT at models/Low.cfg:4:4"
    assert f"note: {note}" in done.stdout
    assert note in run_cli("sweep", "sweep.toml", "--executor", "local", cwd=models).stderr
    # Rows alone leave the other points to their configs.
    (models / "sweep.toml").write_text(f"{only}[expect]\n")
    done = gate(run_cli, models, "sweep.toml")
    assert (done.code, "overrides" in done.stdout) == (0, False)


@pytest.mark.parametrize(
    ("said", "code", "named"),
    [
        ("EXPECT SaftyFailure", "config-expect", "SaftyFailure"),
        ("EXPECT SafetyFailure Lov", "expect-unchecked", "Lov"),
        ("EXPECT Success Low", "expect-contradiction", "['Low']"),
    ],
)
def test_what_a_config_cannot_expect(models: Path, run_cli: RunCli, said: str, code: str, named: str) -> None:
    (models / "models" / "Low.cfg").write_text(CONFIGS["Low"].replace("EXPECT SafetyFailure Low", said))
    refused(gate(run_cli, models, "sweep.toml"), code, "models/Low.cfg:4:4", named)
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
    (gated,) = done.reported.gated
    assert (gated.decision.name, len(gated.decision.points)) == ("Lift", 6)
    assert [name.partition(" ")[0] for name in gated.sweep.left_out] == ["Symbolic.cfg", "Huge.cfg"]
    assert any("Symbolic.cfg" in notice and "Huge.cfg" in notice for notice in gated.decision.notices)
    manifest = examples / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(
        text.replace('"distinctStates": 3', '"distinctStates": 4').replace("liveness", "safety")
    )
    done = gate(run_cli, examples, "manifest.json", *options, "--sarif", "s.sarif")
    assert done.executed == 0
    red(done, 1, (Reason.FIGURES, 2), (Reason.UNEXPECTED, 3))
    figures, unexpected = done.problems
    assert [word in figures.text for word in ("distinct", "3", "4")] == [True] * 3
    assert [word in unexpected.text for word in ("violation_liveness", "Arrives", "violation_safety")] == [
        True
    ] * 3
    assert "tla2py check manifest.json --point 2" in done.stdout
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
    done = gate(run_cli, examples, "manifest.json", *options)
    assert (done.code, {reason for reason, _ in done.reasons}) == (1, {Reason.DRIFT})
    assert (2, DriftKind.CHECK, "the invariant Inside", None) in drifts(done)


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (lambda text: "[]", "manifest", ""),
        (lambda text: text.replace("exhaustive search", "symbolic"), "manifest", ""),
        (lambda text: text.replace("safety failure", "sad"), "manifest", "'sad'"),
    ],
)
def test_a_manifest_that_says_nothing(
    examples: Path, run_cli: RunCli, change: Callable[[str], str], code: str, named: str
) -> None:
    manifest = examples / "manifest.json"
    manifest.write_text(change(manifest.read_text()))
    done = gate(run_cli, examples, "manifest.json")
    assert (done.code, done.error.code) == (2, code)
    assert str(done.error.where).startswith("manifest.json")
    assert named in done.error.message


def test_a_config_of_a_manifest_that_is_missing(examples: Path, run_cli: RunCli) -> None:
    manifest = examples / "manifest.json"
    manifest.write_text(manifest.read_text().replace("Low.cfg", "Lov.cfg"))
    done = gate(run_cli, examples, "manifest.json")
    assert done.code == 2
    [unread] = [problem for problem in done.problems if problem.reason is Reason.UNREAD]
    assert "manifest.json" in unread.text
    assert "specifications/Lift/Lov.cfg" in unread.text


def test_one_model_that_cannot_be_read_stops_no_other(examples: Path, run_cli: RunCli) -> None:
    (examples / "Lift.tla").write_text(LIVE.replace("====\n", "Wrong == [ nonsense\n====\n"))
    done = gate(run_cli, examples, "manifest.json", "--timeout", "1m", "--memory", "256MiB")
    red(done, 2, (Reason.UNREAD, None))
    unread = [problem.text for problem in done.problems]
    assert [text.partition(".cfg")[0] for text in unread] == ["Low", "Inside", "Live", "Stops", "High"]
    assert all("Lift.tla:" in text for text in unread)
    assert [len(gated.decision.points) for gated in done.reported.gated] == [1]
    swept = run_cli("sweep", "manifest.json", "-o", "store", "--executor", "local", cwd=examples)
    assert swept.code == 2
    assert swept.executed == 0
    assert "Low.cfg" in swept.stderr
    planned = run_cli("sweep", "manifest.json", "-o", "store", "--dry-run", cwd=examples)
    assert [name in planned.stdout for name in ("Low.cfg", "Symbolic.cfg", "Huge.cfg")] == [True] * 3
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
    for record in loose_records(examples / "store"):
        with open_archive(record) as archive:
            (execution,) = archive.record.executions
            argvs[" ".join(execution.invariants)] = " ".join(execution.argv)
    assert "-simulate num=3 " in argvs["Low"]
    assert "-simulate num=5 " in argvs["Inside"]
    assert "-workers 2 " in argvs["Ok"]
    assert "-simulate" not in argvs["Ok"]
