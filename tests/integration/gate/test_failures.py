"""What fails beside a gate's decision: it says so, decides and writes its reports all the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree as ET

import pytest

from tests import command
from tests.conftest import RunCli
from tests.integration.gate.lift import LIFT, NO_CI, SWEEP, Folder

# The function of each analysis that raises, and what the gate says then.
ANALYSES = {
    "why": ("tla2py.replay.why._causes", "no cause found: "),
    "kinds-to-explain": ("tla2py.analysis.questions.make_kinds", "no causes of violations: "),
    "vacuity": ("tla2py.execution.vacuity.plan_probes", "the vacuity check failed: "),
    "laws": ("tla2py.gate.report_model.explain_store", "no laws: "),
    "kinds": ("tla2py.gate.report_model.coarse_kinds", "counterexamples are left out: "),
}
REPORTS = ("junit.xml", "found.sarif", "summary.md")


@pytest.fixture(scope="session")
def red_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a point violates unexpectedly, not explained yet."""
    folder = tmp_path_factory.mktemp("red")
    (folder / "Lift.tla").write_text(LIFT)
    (folder / "sweep.toml").write_text(SWEEP[: SWEEP.index("[[expect.point]]")])
    gate = ("gate", "sweep.toml", "-o", "store", "--executor", "local", "--no-why", "--no-vacuity")
    command.run(*gate, cwd=folder, env=NO_CI, code=1)
    return folder


@pytest.fixture
def unexplained(red_once: Path, tmp_path: Path, run_cli: RunCli) -> Folder:
    here = tmp_path / "red"
    shutil.copytree(red_once, here)
    found = Folder(here, run_cli)
    found.sweep.write_text(SWEEP[: SWEEP.index("[[expect.point]]")])
    return found


def fail(*_: object, **__: object) -> NoReturn:
    raise IndexError("nothing is left")


def reports(folder: Folder) -> str:
    """The texts of the reports, each of which is whole."""
    junit, sarif, summary = (folder.path / name for name in REPORTS)
    ET.parse(junit)
    json.loads(sarif.read_text())
    return junit.read_text() + sarif.read_text() + summary.read_text()


OPTIONS = ("--junit", REPORTS[0], "--sarif", REPORTS[1], "--summary", REPORTS[2])


@pytest.mark.parametrize("analysis", ANALYSES)
def test_an_analysis_that_fails_is_a_reason(
    unexplained: Folder, monkeypatch: pytest.MonkeyPatch, analysis: str
) -> None:
    function, words = ANALYSES[analysis]
    monkeypatch.setattr(function, fail)
    ended = unexplained.gate("--vacuity" if analysis == "vacuity" else "--no-vacuity", *OPTIONS, code=1)
    said = " ".join(ended.stdout.split())
    assert f"{words}tla2py failed with IndexError: nothing is left (test_failures.py:" in said
    assert "Traceback" not in ended.stderr
    assert "unexpected" in reports(unexplained)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("tla2py.gate.run.run_sweeps", "tla2py failed with IndexError: nothing is left"),
        ("tla2py.cli.gate.evidence_of", "tla2py failed with IndexError: nothing is left"),
        ("tla2py.cli.gate.gate_summary", "unexpected"),
    ],
)
def test_a_gate_that_fails_writes_its_reports(
    unexplained: Folder, monkeypatch: pytest.MonkeyPatch, function: str, words: str
) -> None:
    monkeypatch.setattr(function, fail)
    ended = unexplained.gate("--no-why", "--no-vacuity", *OPTIONS, code=2)
    assert ended.error.code == "gate-failed"
    assert "tla2py failed with IndexError: nothing is left (test_failures.py:" in ended.stderr
    assert "this is a bug in tla2py or a problem of this machine" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert words in reports(unexplained)
