"""One command under its guard, as a run starts it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from tla2py.tlc.process.process import execute_argv

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
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, tmp_path], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == "0 None\n", done.stderr
    assert (tmp_path / "stdout.txt").read_text() == "done\n"
    assert (tmp_path / "stderr.txt").read_text() == ""


def test_a_command_sees_no_more_than_its_streams(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        command = ("/bin/sh", "-c", 'ls -l /proc/self/fd | grep -c -e pipe -e socket; echo "$TLA2PY_FOLDER"')
        ended = execute_argv(command, tmp_path, tmp_path, timeout_seconds=20, memory_bytes=1 << 30)
    assert ended.exit_code == 0
    # ls itself writes to grep through a pipe, and there is no other.
    assert (tmp_path / "stdout.txt").read_text() == "1\n\n"


def test_a_command_that_has_told_its_end_is_not_waited_for(tmp_path: Path) -> None:
    def predict(output: Path) -> int | None:
        return 12 if output.read_text().endswith("done\n") else None

    command = ("/bin/sh", "-c", "echo begun; sleep 0.3; echo done; sleep 60")
    ended = execute_argv(
        command, tmp_path, tmp_path, timeout_seconds=40, memory_bytes=1 << 30, predict=predict
    )
    assert (ended.exit_code, ended.termination_reason) == (12, None)
    assert ended.wall_seconds < 30


def test_a_command_that_tells_nothing_ends_as_it_does(tmp_path: Path) -> None:
    ended = execute_argv(
        ("/bin/sh", "-c", "exit 7"),
        tmp_path,
        tmp_path,
        timeout_seconds=20,
        memory_bytes=1 << 30,
        predict=lambda _: None,
    )
    assert (ended.exit_code, ended.termination_reason) == (7, None)


def test_a_command_that_removes_its_streams_has_no_answer(tmp_path: Path) -> None:
    work = tmp_path / "run"
    work.mkdir()
    command = ("/bin/sh", "-c", "echo word; rm ../stdout.txt; mkdir ../stdout.txt; sleep 60")
    ended = execute_argv(command, work, tmp_path, timeout_seconds=40, memory_bytes=1 << 30)
    assert (ended.exit_code, ended.termination_reason) == (None, None)
    assert ended.wall_seconds < 40
    assert "removed or replaced" in (tmp_path / "stdout.txt").read_text()


def test_streams_may_vanish_while_they_are_read(tmp_path: Path) -> None:
    output = tmp_path / "stdout.txt"

    def read(_: object) -> None:
        output.unlink()
        output.read_bytes()

    for predict, watch in ((read, None), (None, read)):
        ended = execute_argv(
            ("/bin/sh", "-c", "sleep 60"),
            tmp_path,
            tmp_path,
            timeout_seconds=40,
            memory_bytes=1 << 30,
            predict=predict,
            watch=watch,
        )
        assert (ended.exit_code, ended.termination_reason) == (None, None)
        assert "removed or replaced" in output.read_text()
