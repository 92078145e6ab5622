"""What others wrote down: EXPECT in configs, and configs that cannot be read, gated with the real TLC."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Ended
from tests.conftest import RunCli
from tests.integration.gate.lift import LIFT, NO_CI, red, refused
from tla2py.gate.problem import Reason

LIVE = LIFT.replace("====\n", "Arrives == <>(floor = Top)\nStop == floor < 1 /\\ floor' = floor + 1\n====\n")
CONFIGS = {
    "Low": "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = 2 Goal = 7\n\\* EXPECT SafetyFailure Low\n",
    "Inside": "SPECIFICATION Spec\nINVARIANT Inside\nCONSTANTS Top = 2 Goal = 7\n\\* EXPECT Success\n",
    "Live": "SPECIFICATION Spec\nPROPERTY Arrives\nCONSTANTS Top = 1 Goal = 7\n_EXPECT LIVENESS_VIOLATION\n",
    "Stops": "INIT Init\nNEXT Stop\nCONSTANTS Top = 1 Goal = 7\n\\* EXPECT DeadlockFailure\n",
    "High": "SPECIFICATION Spec\nCONSTANTS Top = 9 Goal = 7\n\\* EXPECT AssumptionFailure\n",
}
TOML = 'module = "Lift.tla"\nconfig = "models/*.cfg"\n[tlc]\ntimeout = "1m"\nmemory = "256MiB"\n'
OVERRIDES = "the sweep file's [expect] overrides EXPECT at models/Low.cfg:4:4"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    (tmp_path / "Lift.tla").write_text(LIVE)
    (tmp_path / "models").mkdir()
    for name, text in CONFIGS.items():
        (tmp_path / "models" / f"{name}.cfg").write_text(text)
    (tmp_path / "sweep.toml").write_text(TOML)
    return tmp_path


def gate(run_cli: RunCli, folder: Path, *options: str, code: int | None = None) -> Ended:
    command = ("gate", "sweep.toml", "-o", "store", "--executor", "local", *options)
    return run_cli(*command, cwd=folder, env=NO_CI, code=code)


def test_what_configs_expect_is_gated(models: Path, run_cli: RunCli) -> None:
    assert [len(gated.decision.points) for gated in gate(run_cli, models, code=0).reported.gated] == [5]
    # Another expectation is another judgement, not another run.
    low, stops = models / "models" / "Low.cfg", models / "models" / "Stops.cfg"
    low.write_text(CONFIGS["Low"].replace("SafetyFailure Low", "Success"))
    stops.write_text(CONFIGS["Stops"].replace("DeadlockFailure", "SafetyFailure"))
    done = gate(run_cli, models, "--sarif", "s.sarif")
    assert done.executed == 0
    red(done, 1, (Reason.UNEXPECTED, 4), (Reason.UNEXPECTED, 5))
    told = (("Low", "Low", "holds"), ("Stops", "violation_deadlock", "violation_safety"))
    for problem, (config, *words) in zip(done.problems, told, strict=True):
        assert problem.point is not None
        point = done.reported.gated[0].decision.points[problem.point - 1]
        assert point.point.parameters["config"] == f"models/{config}.cfg"
        assert all(word in problem.text for word in words)
    # A row of the sweep file goes before what its config says.
    row = "[[expect.point]]\nmatch = { config = 'models/Low.cfg' }\nviolates = ['Low']\n"
    (models / "sweep.toml").write_text(TOML + row)
    stops.write_text(CONFIGS["Stops"])
    [gated] = gate(run_cli, models, code=0).reported.gated
    assert [each for each in gated.decision.notices if "EXPECT" in each] == [OVERRIDES]


def test_the_sweep_file_wins_over_what_a_config_expects(models: Path, run_cli: RunCli) -> None:
    only = TOML.replace("models/*.cfg", "models/Low.cfg")
    (models / "sweep.toml").write_text(f"{only}[expect]\nverdict = 'holds'\n")
    done = gate(run_cli, models)
    red(done, 1, (Reason.UNEXPECTED, 1))
    assert f"note: {OVERRIDES}" in done.stdout
    assert OVERRIDES in run_cli("sweep", "sweep.toml", "--executor", "local", cwd=models).stderr
    # Rows alone leave the other points to their configs.
    (models / "sweep.toml").write_text(f"{only}[expect]\n")
    assert "overrides" not in gate(run_cli, models, code=0).stdout


@pytest.mark.parametrize(
    ("said", "code", "named"),
    [
        ("EXPECT SafetyFailure Lov", "expect-unchecked", "Lov"),
        ("EXPECT Success Low", "expect-contradiction", "['Low']"),
    ],
)
def test_what_a_config_cannot_expect(models: Path, run_cli: RunCli, said: str, code: str, named: str) -> None:
    (models / "models" / "Low.cfg").write_text(CONFIGS["Low"].replace("EXPECT SafetyFailure Low", said))
    refused(gate(run_cli, models), code, "models/Low.cfg:4:4", named)
    assert not (models / "store").exists()
