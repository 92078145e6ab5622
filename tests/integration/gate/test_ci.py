"""What is shipped for CI hosts: the shell of the action and of GitLab's template, run as it stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.integration.gate.lift import LIFT, NO_CI, SWEEP
from tests.jars import remade_jar
from tests.stores import record_ids
from tla2py.toolchain.jar import bundled_jar

pytestmark = pytest.mark.java

ROOT = Path(__file__).resolve().parents[3]


def block(text: str, begin: str, key: str) -> str:
    """The lines of a block under ``key``, after the line ``begin``, without their indentation."""
    rest = text.partition(f"{begin}\n")[2].partition(f"{key}\n")[2].splitlines()
    depth = len(rest[0]) - len(rest[0].lstrip())
    kept = []
    for line in rest:
        if line.strip() and len(line) - len(line.lstrip()) < depth:
            break
        kept.append(line)
    return textwrap.dedent("\n".join(kept)) + "\n"


def run(script: str, shell: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in NO_CI}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return subprocess.run(
        [*shell, "-c", script],
        cwd=folder,
        env=kept | {"PATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def records(folder: Path) -> dict[Path, dict[str, str]]:
    """The identities of the records of all stores."""
    return {path.parent: record_ids(path.parent) for path in folder.rglob("store.json")}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with a sweep that is as expected and one that is not."""
    (tmp_path / "Lift.tla").write_text(LIFT)
    (tmp_path / "good.toml").write_text(SWEEP)
    (tmp_path / "bad.toml").write_text(SWEEP.replace('violates = ["Low"]', 'violates = ["Inside"]'))
    return tmp_path


def test_the_action_gates_and_keeps_what_it_ran(checkout: Path) -> None:
    script = block((ROOT / "action.yml").read_text(), "    - name: gate", "      run: |")
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
    outputs, summary = checkout / "outputs", checkout / "summary"
    github = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_WORKSPACE": str(checkout),
    }
    first = run(script, bash, checkout, SWEEPS="good.toml", OPTIONS="", **github)
    assert first.returncode == 0, first.stdout + first.stderr
    assert outputs.read_text() == "exit-code=0\n"
    assert "::error" not in first.stdout
    ran = records(checkout)
    again = run(script, bash, checkout, SWEEPS="good.toml", OPTIONS="--timeout 2m", **github)
    assert again.returncode == 0, again.stdout + again.stderr
    assert ran
    assert records(checkout) == ran
    both = run(script, bash, checkout, SWEEPS="good.toml bad.toml", OPTIONS="", **github)
    assert both.returncode == 1
    assert outputs.read_text().endswith("exit-code=1\n")
    assert "::error file=Lift.tla,line=16," in both.stdout
    assert "### :x: bad" in summary.read_text()
    results = json.loads((checkout / "tla2py.sarif").read_text())["runs"][0]["results"]
    assert "invariant/Low" in {result["ruleId"] for result in results}
    assert "<failure" in (checkout / "tla2py-junit.xml").read_text()


def test_the_action_runs_no_jar_of_a_pull_request(checkout: Path) -> None:
    script = block((ROOT / "action.yml").read_text(), "    - name: gate", "      run: |")
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
    remade_jar(bundled_jar(), checkout / "tools.jar", version="Version 2.99")
    (checkout / "tla2py.toml").write_text('tla2tools = "tools.jar"\n')
    github = {"GITHUB_OUTPUT": str(checkout / "outputs"), "GITHUB_WORKSPACE": str(checkout)}
    ended = run(script, bash, checkout, SWEEPS="good.toml", OPTIONS="", EVENT="pull_request", **github)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert "the jar tools.jar" in ended.stderr
    # Who trusts it finds its name in every report.
    options = {"OPTIONS": "--trust --summary summary.md", "EVENT": "pull_request"}
    ended = run(script, bash, checkout, SWEEPS="good.toml", **options, **github)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for report in ("tla2py-junit.xml", "tla2py.sarif", "summary.md"):
        assert "chooses the jar tools" in (checkout / report).read_text(), report


def test_gitlabs_template_gates_and_reports(checkout: Path) -> None:
    lines = block((ROOT / "docs" / "ci" / "gitlab.yml").read_text(), ".tla2py-gate:", "  script:")
    script = "\n".join(line.removeprefix("- ") for line in lines.splitlines())
    variables = {"TLA2PY_OPTIONS": "", "CI_PROJECT_DIR": str(checkout)}
    good = run(script, ["sh", "-e"], checkout, TLA2PY_SWEEPS="good.toml", **variables)
    assert good.returncode == 0, good.stdout + good.stderr
    assert "<failure" not in (checkout / "tla2py-junit.xml").read_text()
    ran = records(checkout)
    bad = run(script, ["sh", "-e"], checkout, TLA2PY_SWEEPS="bad.toml", **variables)
    assert bad.returncode == 1
    # The point that is in both is found by its digest, and so is the other: only expectations differ.
    assert ran
    assert records(checkout) == ran
    assert "<failure" in (checkout / "tla2py-junit.xml").read_text()
    assert (checkout / "tla2py.md").read_text().startswith("### :x: bad")
