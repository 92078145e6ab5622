"""Settings of the Toolbox that an ``MC.cfg`` lacks are named by lint, sweep, gate and check."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import RunCli

MODULE = """---- MODULE Steps ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Spec == Init /\\ [][Next]_x
Small == x < 9
====
"""
LAUNCH = """<?xml version="1.0" encoding="UTF-8"?>
<launchConfiguration><stringAttribute key="specName" value="Steps"/>%s</launchConfiguration>
"""
NO_DEADLOCK = '<booleanAttribute key="modelCorrectnessCheckDeadlock" value="false"/>'
CONSTRAINT = '<stringAttribute key="modelParameterContraint" value="x &lt; 2"/>'


@pytest.fixture
def toolbox(tmp_path: Path) -> Path:
    """Return a folder with a model of the Toolbox, whose deadlock check is off."""
    (tmp_path / "Steps.tla").write_text(MODULE)
    folder = tmp_path / "Steps.toolbox/Model_1"
    folder.mkdir(parents=True)
    (folder / "MC.tla").write_text("---- MODULE MC ----\nEXTENDS Steps, TLC\n====\n")
    (folder / "Steps.tla").write_text(MODULE)
    (folder / "MC.cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\n")
    (tmp_path / "Steps.toolbox/Steps___Model_1.launch").write_text(LAUNCH % NO_DEADLOCK)
    return tmp_path


@pytest.mark.parametrize(
    "command", [("lint", "Steps.toolbox"), ("sweep", "Steps.toolbox"), ("gate", "Steps.toolbox")]
)
def test_a_deadlock_check_that_is_off_in_the_toolbox_is_named(
    run_cli: RunCli, toolbox: Path, command: tuple[str, ...]
) -> None:
    done = run_cli(*command, cwd=toolbox, code=0 if command[0] == "lint" else 1)
    output = " ".join((done.stdout + done.stderr).split())
    launch = "Steps.toolbox/Steps___Model_1.launch"
    message = f"the Toolbox model {launch} has settings that the config lacks: deadlock checking is off"
    assert output.count(message) == 1
    assert f"to copy them into a sweep file: tla2py init Steps.tla --launch {launch}" in output


def test_a_constraint_beside_the_config_is_named_until_the_config_has_one(
    run_cli: RunCli, toolbox: Path
) -> None:
    folder = toolbox / "Steps.toolbox/Model_1"
    (folder / "Steps.launch").write_text(LAUNCH % CONSTRAINT)
    (toolbox / "Steps.toolbox/Steps___Model_1.launch").unlink()
    done = run_cli("lint", "MC.cfg", cwd=folder)
    assert "has settings that the config lacks: the constraint x < 2" in " ".join(done.stdout.split())
    (folder / "MC.tla").write_text("---- MODULE MC ----\nEXTENDS Steps, TLC\nBound == x < 2\n====\n")
    (folder / "MC.cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\nCONSTRAINT Bound\n")
    assert "the Toolbox" not in run_cli("lint", "MC.cfg", cwd=folder).stdout
