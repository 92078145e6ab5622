"""The hook for pre-commit, its entry run as it stands on the files that it would be given, in a repository."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests import command
from tests.command import Ended, tool
from tests.integration.gate.lift import LIFT, SWEEP

ROOT = Path(__file__).resolve().parents[3]
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text()
CONFIG = "SPECIFICATION Spec\nINVARIANT Low\nCONSTANTS Top = 2 Goal = 7\n"


def told(key: str) -> str:
    (found,) = re.findall(rf"^(?:- |  ){key}: (.*)$", HOOKS, re.MULTILINE)
    return str(found)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Files that are added to a repository: what the hook is for, and what it is to pass over."""
    (tmp_path / "specs").mkdir()
    for name, text in (
        ("specs/Lift.tla", LIFT),
        ("specs/LiftLow.cfg", CONFIG),
        ("specs/sweep.toml", SWEEP),
        ("specs/large-sweep.toml", SWEEP),
        ("setup.cfg", "[metadata]\nname = lift\n"),
        ("pyproject.toml", "[project]\n"),
    ):
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    return tmp_path


def commit(repository: Path, *, process: bool = False) -> tuple[list[str], Ended]:
    """The files that pre-commit would hand over, and how the entry ends, within this process unless asked otherwise."""
    staged = tool("git", "diff", "--cached", "--name-only", cwd=repository, check=True)
    wanted, unwanted = told("files"), told("exclude")
    names = [n for n in staged.stdout.split() if re.search(wanted, n) and not re.search(unwanted, n)]
    program, *arguments = [*shlex.split(told("entry")), *names]
    if not process:
        assert program == "tla2py"
        return names, command.run(*arguments, cwd=repository, env={"HOME": str(repository)})
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = tool(program, *arguments, cwd=repository, env={"PATH": path, "HOME": str(repository)})
    return names, Ended(done.returncode, done.stdout, done.stderr)


def test_it_is_silent_when_all_is_well(repository: Path) -> None:
    names, done = commit(repository, process=True)
    assert names == ["specs/LiftLow.cfg", "specs/large-sweep.toml", "specs/sweep.toml"]
    assert done == Ended(0, "", "")
    assert told("language") == "python"


@pytest.mark.parametrize(
    ("file", "old", "new", "code", "where"),
    [
        ("LiftLow.cfg", "Goal = 7", "Goal = Roof", "model-value", "3:26"),
        ("LiftLow.cfg", "INVARIANT Low", "CHECK_DEADLOCK FALSE", "config-proves-nothing", None),
        ("LiftLow.cfg", "INVARIANT Low", "INVARIANT Low \\* EXPECT Sucess", "config-expect", "2:18"),
        ("LiftLow.cfg", "Top = 2", "Top = -2", "config-syntax", "3:17"),
        ("sweep.toml", "match = { Top = 2 }", "match = { Top = 3 }", "expect-no-point", "15:1"),
        ("sweep.toml", "[tlc]", "[tcl]", "unknown-key", "9:1"),
    ],
)
def test_it_names_what_is_wrong(
    repository: Path, file: str, old: str, new: str, code: str, where: str | None
) -> None:
    path = repository / "specs" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    _, done = commit(repository)
    assert done.code == 2
    assert done.refusal == (code, f"specs/{file}" + (f":{where}" if where else ""))
    assert done.stdout == ""


def test_it_names_every_file_that_is_wrong(repository: Path) -> None:
    (repository / "specs" / "LiftLow.cfg").write_text("INVARIANT Lov\n")
    (repository / "specs" / "sweep.toml").write_text("modul = 1\n")
    _, done = commit(repository)
    assert done.code == 2
    files = [str(error.where).split(":")[0] for error in done.reported.errors]
    assert files == ["specs/LiftLow.cfg", "specs/sweep.toml"]
