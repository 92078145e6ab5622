"""Processes of TLC: their streams, their pool, their end."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.command import environment, tool
from tests.conftest import COUNTER, COUNTER_SWEEP, SPECS, RunCli, spec
from tla2py.analysis.view import open_view
from tla2py.tlc.process.os_facts import this_machine
from tla2py.tlc.process.process import ProcessEnd, execute_argv

DRIVER = """
import os, sys
from pathlib import Path
from tla2py.tlc.process.process import execute_argv
opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(40)]
ended = execute_argv(("/bin/sh", "-c", "cat; echo done"), Path(sys.argv[1]), Path(sys.argv[1]), timeout_seconds=20, memory_bytes=1 << 30)
print(ended.exit_code, ended.termination_reason)
"""


def test_a_driver_may_have_many_files_open(tmp_path: Path) -> None:
    # The guard's pipe then has a number of two digits, which some shells cannot redirect to.
    done = tool(sys.executable, "-c", DRIVER, tmp_path)
    assert done.stdout == "0 None\n", done.stderr
    assert (tmp_path / "stdout.txt").read_text() == "done\n"
    assert (tmp_path / "stderr.txt").read_text() == ""


def executed(folder: Path, script: str, *, work: Path | None = None, **watching: Any) -> ProcessEnd:
    """What becomes of a script of the shell whose streams are in a folder."""
    command = ("/bin/sh", "-c", script)
    return execute_argv(command, work or folder, folder, timeout_seconds=40, memory_bytes=1 << 30, **watching)


def test_a_command_sees_its_streams_alone_and_its_end_is_believed(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        script = 'ls -l /proc/self/fd | grep -c -e pipe -e socket; echo "$TLA2PY_FOLDER"'
        assert executed(tmp_path, script).exit_code == 0
    # ls itself writes to grep through a pipe, and there is no other.
    assert (tmp_path / "stdout.txt").read_text() == "1\n\n"

    def predict(output: Path) -> int | None:
        return 12 if output.read_text().endswith("done\n") else None

    ended = executed(tmp_path, "echo begun; sleep 0.3; echo done; sleep 60", predict=predict)
    assert (ended.exit_code, ended.termination_reason) == (12, None)
    assert ended.wall_seconds < 30


def test_a_command_that_removes_its_streams_has_no_answer(tmp_path: Path) -> None:
    work = tmp_path / "run"
    work.mkdir()
    script = "echo word; rm ../stdout.txt; mkdir ../stdout.txt; sleep 60"
    ended = executed(tmp_path, script, work=work)
    assert (ended.exit_code, ended.termination_reason) == (None, None)
    assert ended.wall_seconds < 40
    assert "removed or replaced" in (tmp_path / "stdout.txt").read_text()


def test_streams_may_vanish_while_they_are_read(tmp_path: Path) -> None:
    output = tmp_path / "stdout.txt"

    def read(_: object) -> None:
        output.unlink()
        output.read_bytes()

    for predict, watch in ((read, None), (None, read)):
        ended = executed(tmp_path, "sleep 60", predict=predict, watch=watch)
        assert (ended.exit_code, ended.termination_reason) == (None, None)
        assert "removed or replaced" in output.read_text()


OURS = (sys.executable, "-m", "tla2py")
CLOSED = (">&-", ">&- 2>&- <&-")
GATE = ("gate", "sweep.toml", "--executor", "local", "--junit", "junit.xml")


def code(folder: Path, command: tuple[str, ...], redirection: str) -> int:
    """The exit code of a command whose shell closes standard streams."""
    shell = ("/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *OURS, *command)
    return tool(*shell, cwd=folder, env=environment(), timeout=120).returncode


def unread(folder: Path, command: tuple[str, ...]) -> tuple[int, str]:
    """The exit code of a command without a reader of its output, and its standard error."""
    read, write = os.pipe()
    os.close(read)
    try:
        argv, pipe = [*OURS, *command], subprocess.PIPE
        ended = subprocess.run(argv, cwd=folder, env=environment(), stdout=write, stderr=pipe, timeout=120)
    finally:
        os.close(write)
    return ended.returncode, ended.stderr.decode()


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


def test_two_sweeps_share_the_slots(tmp_path: Path, run_cli: RunCli) -> None:
    assert this_machine().cores >= 2
    # A search without end takes as long as it may.
    shutil.copy(SPECS / "Endless.tla", tmp_path)
    for name in ("a", "b"):
        shutil.copy(SPECS / "endless.toml", tmp_path / f"{name}.toml")
    done = run_cli("sweep", "a.toml", "b.toml", "--executor", "local", "-o", "stores", code=0)
    spans = []
    for name in ("a", "b"):
        # The same run, in the store of each.
        [row] = open_view(tmp_path / "stores" / name).arrow("runs").to_pylist()
        assert row["outcome"] == "timeout"
        spans.append((row["started_at"], row["started_at"] + timedelta(seconds=row["wall_seconds"])))
    (first, first_end), (second, second_end) = spans
    assert max(first, second) < min(first_end, second_end)
    for name in ("a", "b"):
        assert f"{name}: 1 run to execute" in done.stderr
        assert f"{name}: the one point is as expected" in done.stderr


def test_an_error_in_one_sweep_keeps_what_the_others_have(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    for name in ("a", "b"):
        (tmp_path / f"{name}.toml").write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2]"))
    done = run_cli("sweep", "a.toml", "b.toml", "--executor", "local", code=0)
    # One sweep has all of its runs, the other some.
    (tmp_path / "b.toml").write_text(COUNTER_SWEEP)
    (tmp_path / "c.toml").write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    done = run_cli("sweep", "a.toml", "b.toml", "c.toml", "--executor", "local", code=1)
    assert "nothing to run: all 2 runs are in runs/a already" in done.stderr
    assert "b: 1 run to execute, 2 are there already" in done.stderr
    assert "c: 1 run to execute" in done.stderr
    for name, points in (("a", 2), ("b", 3), ("c", 1)):
        view = open_view(tmp_path / "runs" / name)
        assert len(view.run_rows) == len(view.points) == points


# What the algorithm of Ends has; without its last disjunct the translation has no step after the end.
ALONE = {"declaration": "", "statement": "n := 1", "end": ""}
TWO = {"declaration": "process p \\in {4, 7}", "statement": "n := n + 1", "end": "end process"}
STUCK = {**TWO, "statement": "await n = 0; n := 1"}


@pytest.mark.parametrize(("parts", "ends"), [(ALONE, True), (TWO, True), (STUCK, False)])
def test_only_a_termination_suggests_to_allow_deadlock(
    run_cli: RunCli, tmp_path: Path, parts: dict[str, str], ends: bool
) -> None:
    module = tmp_path / "Ends.tla"
    module.write_text(spec("modules/Ends").format(**parts))
    sweep = module.with_name("sweep.toml")
    sweep.write_text('module = "Ends.tla"\n')
    for ended in (run_cli("check", module), run_cli("sweep", sweep, "--executor", "local")):
        assert ended.code == 1
        assert "deadlock" in ended.stdout
        assert ("check_deadlock = false" in " ".join(ended.stdout.split())) is ends
    sweep.write_text(sweep.read_text() + "[model]\ncheck_deadlock = false\n")
    assert run_cli("sweep", sweep, "--executor", "local").code == 0


def test_points_with_the_same_model_share_a_run(tmp_path: Path, run_cli: RunCli) -> None:
    # A set of one element has no symmetry.
    asked = ("sweep", SPECS / "symmetric.toml", "--executor", "local")
    done = run_cli(*asked, code=1)
    assert "symmetric: 2 runs to execute" in done.stderr
    told = "4 points with 2 different models; each is run once for all of its points"
    assert f"symmetric: {told}" in done.stderr
    rows = open_view(tmp_path / "runs/symmetric").run_rows
    assert [row.verdict.value for row in rows] == ["holds", "holds", "violated", "violated"]
    assert len({row.run_id for row in rows}) == 2
    # Of all points, and of those that a limited sweep runs.
    some = run_cli(*asked, "--points", "2-3", code=1)
    assert "different model" not in some.stderr
    assert [row.point for row in open_view(tmp_path / "runs/symmetric/limited").run_rows] == [1, 2, 3, 4]
