"""A folder of configs as a gate, and what configs expect, with the real TLC."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import CommandResult, tool
from tests.conftest import RunCli
from tests.integration.gate.lift import LIFT, NO_CI, drifts, red, refused
from tla2py.gate.reasons import Reason

CONFIGS = {
    "Lift.cfg": "SPECIFICATION Spec\nINVARIANT Inside\nCONSTANTS Top = 2 Goal = 7\n",
    "models/Lift_bug.cfg": "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = 2 Goal = 7\n",
    "models/MCNaiveLift.cfg": "SPECIFICATION Spec\nINVARIANT Inside\nCONSTANTS Top = 1 Goal = 7\n",
    "models/goal.cfg": "\\* TLC has to report a violation of NotThere.\n"
    "SPECIFICATION Spec\nINVARIANTS Inside NotThere\nCONSTANTS Top = 3 Goal = 3\n",
    "models/known.cfg": "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = 3 Goal = 7\n\\* EXPECT SafetyFailure Low\n",
}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / "Lift.tla").write_text(LIFT)
    (tmp_path / "models").mkdir()
    for name, text in CONFIGS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def gate(run_cli: RunCli, folder: Path, *options: str, code: int | None = None) -> CommandResult:
    return run_cli("gate", ".", "--executor", "local", *options, cwd=folder, env=NO_CI, code=code)


def test_a_folder_is_recorded_confirmed_and_locked(models: Path, run_cli: RunCli) -> None:
    store = ("-o", "store")
    red(gate(run_cli, models, *store), 1, (Reason.UNEXPECTED, 2), (Reason.UNEXPECTED, 4))
    # What was guessed from names and comments is not believed.
    done = gate(run_cli, models, *store, "--record", "--no-coverage", "--no-vacuity")
    red(done, 2, (Reason.PROPOSED, 2), (Reason.UNEXPECTED, 3), (Reason.PROPOSED, 3), (Reason.PROPOSED, 4))
    assert done.executed == 0
    assert not (models / "models.lock").exists()
    text = (models / "models.toml").read_text()
    assert [line for line in text.splitlines() if line.startswith(("violates", "verdict", "proposed"))] == [
        'violates = ["Low"]',
        'proposed = "the name has bug; the run: violated Low"',
        'verdict = "violated"',
        'proposed = "the name has Naive; the run: holds"',
        'violates = ["NotThere"]',
        'proposed = "the comment in line 1: TLC has to report a violation of NotThere.; the run: violated NotThere"',
    ]
    # A person reads the rows: the naive lift is a guess that is wrong.
    kept = text.replace('"violated"\nproposed', '"holds"\nproposed')
    lines = [line for line in kept.splitlines() if not line.startswith("proposed")]
    (models / "models.toml").write_text("\n".join(lines))
    assert gate(run_cli, models, *store, "--record", "--no-coverage", "--no-vacuity").code == 0
    assert gate(run_cli, models, *store, "--locked").code == 0
    # The store is judged by the folder it came from.
    assert run_cli("gate", "store", cwd=models, env=NO_CI).code == 0
    # A new config is noticed.
    (models / "Lift_high.cfg").write_text(CONFIGS["Lift.cfg"].replace("Top = 2", "Top = 4"))
    done = gate(run_cli, models, *store, code=1)
    assert drifts(done) == {(2, "point", None, "module = Lift.tla, config = Lift_high.cfg")}


def test_what_cannot_be_read_is_a_row(models: Path, run_cli: RunCli) -> None:
    (models / "models" / "Lift_odd.cfg").write_text("SPECIFICATION Nothing\n")
    done = gate(run_cli, models, "--timeout", "1m", code=2)
    assert [problem.reason for problem in done.problems] == [Reason.UNREAD, *[Reason.UNEXPECTED] * 2]
    swept = run_cli("sweep", ".", "-o", "store", "--executor", "local", cwd=models, code=2)
    assert (swept.executed, "Lift_odd.cfg" in swept.stderr) == (5, True)
    planned = run_cli("sweep", ".", "-o", "store", "--dry-run", cwd=models, code=0)
    assert "Lift_odd.cfg cannot be run" in planned.stdout


def test_a_trace_names_the_file_that_its_run_read(tmp_path: Path, run_cli: RunCli) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "Lift.tla").write_text(f"{LIFT}\\* {name}\n")
        (tmp_path / name / "Lift.cfg").write_text(CONFIGS["models/Lift_bug.cfg"])
    run_cli("sweep", ".", "-o", "store", "--executor", "local", cwd=tmp_path, code=1)
    for point, name in (("1", "a"), ("2", "b")):
        steps = run_cli("trace", "store", point, cwd=tmp_path).stdout
        assert set(re.findall(r"\S+(?=\.tla:\d)", steps)) == {f"{name}/Lift"}


def test_what_is_left_out_of_a_gate_is_told(tmp_path: Path, run_cli: RunCli) -> None:
    inside = "SPECIFICATION Spec\nINVARIANT Inside\nCONSTANTS Top = 3 Goal = 7\n"
    (tmp_path / "Lift.tla").write_text(LIFT + f"---- CONFIG Other ----\n{inside}====\n")
    (tmp_path / "LIFT.CFG").write_text(inside)
    assert "not gated: Lift.tla CONFIG Other" in gate(run_cli, tmp_path, code=0).stdout


def test_options_change_all_configs_and_belong_to_the_lock(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Lift.tla").write_text(LIFT)
    (tmp_path / "Lift.cfg").write_text(CONFIGS["Lift.cfg"])
    options = ("-c", "Top=3", "--no-deadlock")
    done = gate(run_cli, tmp_path, *options, "--record", "--no-coverage", "--no-vacuity", code=0)
    assert "1 point with -c Top=3 --no-deadlock, as expected" in done.stdout
    assert '"--no-deadlock"' in (tmp_path / "models.lock").read_text()
    assert gate(run_cli, tmp_path, *options).code == 0
    other = gate(run_cli, tmp_path, "-c", "Top=2", "--no-deadlock", code=1)
    were, now = (f"--no-deadlock, -c Top={top}" for top in (3, 2))
    assert f"drift: the options that change the configs were {were} and are now {now}" in other.stdout
    assert "again: tla2py check models.toml --point 1 -c Top=2 --no-deadlock" in other.stdout
    run_cli("check", "models.toml", "--point", "1", *options, cwd=tmp_path, code=0)


def test_a_file_that_a_folder_is_given_is_read_by_its_runs(tmp_path: Path, run_cli: RunCli) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "Lift.tla").write_text(LIFT)
    (folder / "Lift.cfg").write_text(CONFIGS["Lift.cfg"])
    (tmp_path / "data.txt").write_text("1")
    first = run_cli("sweep", "specs", "--executor", "local", "--input", "data.txt", cwd=tmp_path)
    assert "1 run to execute" in first.stderr
    (tmp_path / "data.txt").write_text("2")
    second = run_cli("sweep", "specs", "--executor", "local", "--input", "data.txt", cwd=tmp_path)
    assert "1 run to execute" in second.stderr
    refused = run_cli("sweep", "specs", "--executor", "local", "-c", "Tup=3", cwd=tmp_path, code=2)
    assert "declares no constant Tup" in refused.stderr


LIVE = LIFT.replace("====\n", "Arrives == <>(floor = Top)\nStop == floor < 1 /\\ floor' = floor + 1\n====\n")
EXPECTING = {
    "Low": "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = 2 Goal = 7\n\\* EXPECT SafetyFailure Low\n",
    "Inside": "SPECIFICATION Spec\nINVARIANT Inside\nCONSTANTS Top = 2 Goal = 7\n\\* EXPECT Success\n",
    "Live": "SPECIFICATION Spec\nPROPERTY Arrives\nCONSTANTS Top = 1 Goal = 7\n_EXPECT LIVENESS_VIOLATION\n",
    "Stops": "INIT Init\nNEXT Stop\nCONSTANTS Top = 1 Goal = 7\n\\* EXPECT DeadlockFailure\n",
    "High": "SPECIFICATION Spec\nCONSTANTS Top = 9 Goal = 7\n\\* EXPECT AssumptionFailure\n",
}
TOML = 'module = "Lift.tla"\nconfig = "models/*.cfg"\n[tlc]\ntimeout = "1m"\nmemory = "256MiB"\n'
OVERRIDES = "the sweep file's [expect] overrides EXPECT at models/Low.cfg:4:4"


@pytest.fixture
def others(tmp_path: Path) -> Path:
    (tmp_path / "Lift.tla").write_text(LIVE)
    (tmp_path / "models").mkdir()
    for name, text in EXPECTING.items():
        (tmp_path / "models" / f"{name}.cfg").write_text(text)
    (tmp_path / "sweep.toml").write_text(TOML)
    return tmp_path


def judge(run_cli: RunCli, folder: Path, *options: str, code: int | None = None) -> CommandResult:
    command = ("gate", "sweep.toml", "-o", "store", "--executor", "local", *options)
    return run_cli(*command, cwd=folder, env=NO_CI, code=code)


def test_what_configs_expect_is_gated(others: Path, run_cli: RunCli) -> None:
    assert [len(gated.decision.points) for gated in judge(run_cli, others, code=0).reported.gated] == [5]
    # Another expectation is another judgement, not another run.
    low, stops = others / "models" / "Low.cfg", others / "models" / "Stops.cfg"
    low.write_text(EXPECTING["Low"].replace("SafetyFailure Low", "Success"))
    stops.write_text(EXPECTING["Stops"].replace("DeadlockFailure", "SafetyFailure"))
    done = judge(run_cli, others, "--sarif", "s.sarif")
    assert done.executed == 0
    red(done, 1, (Reason.UNEXPECTED, 4), (Reason.UNEXPECTED, 5))
    told = (("Low", "Low", "holds"), ("Stops", "violation_deadlock", "violation_safety"))
    for problem, (config, *words) in zip(done.problems, told, strict=True):
        assert problem.point is not None
        point = done.reported.gated[0].decision.points[problem.point - 1]
        assert point.point.parameters["config"] == f"models/{config}.cfg"
        assert all(word in problem.text for word in words)
    # A row of the sweep file overrides what its config says.
    row = "[[expect.point]]\nmatch = { config = 'models/Low.cfg' }\nviolates = ['Low']\n"
    (others / "sweep.toml").write_text(TOML + row)
    stops.write_text(EXPECTING["Stops"])
    [gated] = judge(run_cli, others, code=0).reported.gated
    assert [each for each in gated.decision.notices if "EXPECT" in each] == [OVERRIDES]


def test_the_sweep_file_wins_over_what_a_config_expects(others: Path, run_cli: RunCli) -> None:
    only = TOML.replace("models/*.cfg", "models/Low.cfg")
    (others / "sweep.toml").write_text(f"{only}[expect]\nverdict = 'holds'\n")
    done = judge(run_cli, others)
    red(done, 1, (Reason.UNEXPECTED, 1))
    assert f"note: {OVERRIDES}" in done.stdout
    assert OVERRIDES in run_cli("sweep", "sweep.toml", "--executor", "local", cwd=others).stderr
    # Rows alone leave the other points to their configs.
    (others / "sweep.toml").write_text(f"{only}[expect]\n")
    assert "overrides" not in judge(run_cli, others, code=0).stdout


@pytest.mark.parametrize(
    ("said", "code", "named"),
    [
        ("EXPECT SafetyFailure Lov", "expect-unchecked", "Lov"),
        ("EXPECT Success Low", "expect-contradiction", "['Low']"),
    ],
)
def test_what_a_config_cannot_expect(others: Path, run_cli: RunCli, said: str, code: str, named: str) -> None:
    (others / "models" / "Low.cfg").write_text(EXPECTING["Low"].replace("EXPECT SafetyFailure Low", said))
    refused(judge(run_cli, others), code, "models/Low.cfg:4:4", named)
    assert not (others / "store").exists()


def test_what_cfg_writes_is_no_model_of_the_folder(models: Path, run_cli: RunCli) -> None:
    """The line that --show-command prints is typed as printed, at the root of the repository."""
    before = gate(run_cli, models, "--show-command", "--no-why")
    [line] = [line.strip() for line in before.stdout.splitlines() if line.strip().startswith("plain: ")]
    write, _, rest = line.removeprefix("plain: ").partition(" && ")
    assert run_cli(*write.split()[1:], cwd=models).code == 0
    assert "is violated" in tool("sh", "-c", rest, cwd=models).stdout
    after = gate(run_cli, models, "--no-why")
    assert (after.reasons, after.executed) == (before.reasons, 0)
    assert "note: not gated: points (written by tla2py cfg)" in after.stdout
    # Beside files of the user's own each folder of a point is marked, and these files are gated as before.
    assert run_cli("cfg", "models.toml", "-o", "models", cwd=models).code == 0
    again = gate(run_cli, models, "--no-why")
    assert (again.reasons, again.executed) == (before.reasons, 0)
    assert "models/0001 (written by tla2py cfg)" in " ".join(again.stdout.split())
    # Named itself, such a folder is like any other.
    assert "0002/MC.cfg" in gate(run_cli, models / "points", "--no-why").stdout
    linted = run_cli("lint", ".", cwd=models)
    assert "MC.cfg" not in linted.stdout + linted.stderr


SYMMETRIC = """
---- MODULE Ring ----
EXTENDS Naturals, TLC
CONSTANT S
VARIABLE x
Init == x \\in S
Next == x' \\in S
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Comes == []<>(x \\in S)
Sym == Permutations(S)
====
"""
RING = "SPECIFICATION Spec\nCONSTANT S = {a, b}\nSYMMETRY Sym\nPROPERTY Comes\n"


def test_what_holds_for_many_configs_is_said_once(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Ring.tla").write_text(SYMMETRIC)
    for name in ("Ring.cfg", "Ring_two.cfg", "Ring_three.cfg"):
        (tmp_path / name).write_text(RING)
    for command in ("sweep", "gate"):
        done = run_cli(command, ".", "--executor", "local", "-o", "store", cwd=tmp_path, env=NO_CI)
        said = done.stderr + done.stdout
        assert [code for code, _ in done.findings].count("symmetry-liveness") == 3
        assert done.stderr.count("[symmetry-liveness]") == 1
        assert "the same at Ring_three.cfg:3:10, Ring_two.cfg:3:10" in " ".join(said.split())
        assert "Where it starts to break" not in said
    assert done.stdout.count("symmetry-liveness") <= 1


READING = """
---- MODULE Reading ----
EXTENDS Naturals, TLC
CONSTANT N
VARIABLE x
Init == x = 0
Next == x < N /\\ x' = x + 1 /\\ PrintT(x)
Small == x < 2
====
"""


def test_where_configs_break_has_no_order(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Reading.tla").write_text(READING)
    for n in (1, 3, 4):
        text = f"INIT Init\nNEXT Next\nCONSTANT N = {n}\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n"
        (tmp_path / f"Reading_{n}.cfg").write_text(text)
    done = run_cli("sweep", ".", "--executor", "local", cwd=tmp_path, code=1)
    assert "Where it starts to break" not in done.stdout
    assert done.stdout.count("violated: Small in 3") == 2
    # The trace to look at first is named as before.
    assert re.search(r"Next +tla2py trace runs/\S+ 2\n", done.stdout)
    sweep = tmp_path / "grid.toml"
    sweep.write_text(
        'module = "Reading.tla"\n[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["Small"]\n'
        "check_deadlock = false\n[parameters]\nN = [1, 3, 4]\n"
    )
    grid = run_cli("sweep", sweep, "--executor", "local", cwd=tmp_path, code=1)
    assert "Where it starts to break" in grid.stdout
