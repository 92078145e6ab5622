"""Standard streams that are closed, or whose reader ends: no exit code depends on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import environment
from tests.conftest import RunCli

pytestmark = pytest.mark.java

CLOSED = (">&-", ">&- 2>&- <&-")
GATE = ("gate", "sweep.toml", "--executor", "local", "--junit", "junit.xml")


def code(folder: Path, command: tuple[str, ...], redirection: str) -> int:
    """The exit code of a command whose shell closes standard streams."""
    script = f'exec "$@" {redirection}'
    return subprocess.run(
        ["/bin/sh", "-c", script, "sh", sys.executable, "-m", "tla2py", *command],
        cwd=folder,
        env=environment(),
        timeout=120,
        check=False,
    ).returncode


def unread(folder: Path, command: tuple[str, ...]) -> tuple[int, str]:
    """The exit code of a command without a reader of its output, and its standard error."""
    read, write = os.pipe()
    os.close(read)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "tla2py", *command],
            cwd=folder,
            env=environment(),
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        os.close(write)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(("text", "number"), [(None, 1), ("module =", 2)], ids=["unexpected", "broken"])
def test_a_verdict_needs_no_reader(tiny_sweep: Path, text: str | None, number: int) -> None:
    folder = tiny_sweep.parent
    tiny_sweep.write_text(text or tiny_sweep.read_text().replace("[1, 2, 3]", "[3]"))
    for redirection in CLOSED:
        assert code(folder, GATE, redirection) == number, redirection
        report = folder / "junit.xml"
        assert report.read_text().rstrip().endswith("</testsuites>")
        report.unlink()
    ended, stderr = unread(folder, GATE)
    assert (ended, "Traceback" in stderr) == (number, False), stderr


def test_output_that_nobody_reads_ends(run_cli: RunCli, tiny_sweep: Path) -> None:
    folder = tiny_sweep.parent
    assert run_cli("sweep", "sweep.toml", "--executor", "local").code == 1
    for command in (
        ("query", "runs/sweep", "SELECT a.point FROM runs a, runs b, runs c"),
        ("trace", "runs/sweep", "3"),
        ("cfg", "sweep.toml"),
        ("lint", "sweep.toml"),
        ("sweep", "--help"),
    ):
        ended, stderr = unread(folder, command)
        assert (ended, "Traceback" in stderr) == (run_cli(*command).code, False), stderr
