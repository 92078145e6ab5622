"""The program of two-phase commit: its logs have the form they should, and no process is left."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.command import tool
from tests.systems.rows import SPECS
from tla2py.tla.parse import load_modules
from tla2py.tlc.tools.java import find_java

FOLDER = SPECS / "two_phase"
# No timeout decides a run: the transaction manager waits far longer than the run may take.
PATIENT = ("--timeout", "10000", "--limit", "300")
# With this seed rm1 gives up.
SEED = ("--seed", "3", "--crash", "0")
NAMES = ("tm", "rm1", "rm2", "rm3")

Line = dict[str, Any]


def command(out: Path, options: Sequence[str]) -> list[str]:
    return [sys.executable, "-B", str(FOLDER / "two_phase.py"), str(out), *options]


def processes(out: Path) -> list[psutil.Process]:
    """The processes that a run in this folder has started and that still run."""
    every = psutil.process_iter(["cmdline"])
    return [process for process in every if str(out) in " ".join(process.info["cmdline"] or [])]


def transact(out: Path, *options: str) -> tuple[list[Line], str]:
    """The merged log of a run, and the last word on it."""
    done = tool(*command(out, options), check=True)
    assert (done.stderr, processes(out)) == ("", [])
    return read(out / "run-001.ndjson"), done.stdout.strip()


def read(log: Path) -> list[Line]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def voters(lines: Sequence[Line]) -> list[str]:
    """The resource managers that the transaction manager heard of, once for each message."""
    return [line["args"]["r"] for line in lines if line["action"] == "TMRcvPrepared"]


def check_form(out: Path, lines: list[Line]) -> None:
    definitions = load_modules(FOLDER / "TwoPhase.tla").root.definitions
    parameters = {action.name: set(action.parameters) for action in definitions}
    for line in lines:
        assert list(line) == ["action", "args", "state", "clock"]
        assert set(line["args"]) == parameters[line["action"]]
        assert len(line["state"]) == 1
        assert line["state"].keys() <= {"tmState", "rmState"}
    own = {name: read(out / "run-001" / f"{name}.ndjson") for name in NAMES}
    for name, its in own.items():
        clocks = [line["clock"] for line in its]
        assert clocks == sorted(set(clocks)), name
        assert [line for line in lines if line in its] == its
    assert len(lines) == sum(map(len, own.values()))
    assert [line["clock"] for line in lines] == sorted(line["clock"] for line in lines)


def test_all_commit_and_crashed_processes_come_back_and_finish(tmp_path: Path) -> None:
    out = tmp_path / "all"
    lines, said = transact(out, "--abort", "0", "--crash", "0", *PATIENT)
    check_form(out, lines)
    assert said == "run-001: rm1 committed, rm2 committed, rm3 committed: consistent"
    before = lines[: [line["action"] for line in lines].index("TMCommit")]
    assert set(voters(before)) == {"rm1", "rm2", "rm3"}
    # With this seed each of them crashes once it has prepared.
    out = tmp_path / "crashed"
    lines, said = transact(out, "--seed", "6", "--abort", "0", "--crash", "1", *PATIENT)
    check_form(out, lines)
    assert said == "run-001: rm1 committed, rm2 committed, rm3 committed: consistent"


def test_the_bug_counts_a_repeated_message(tmp_path: Path) -> None:
    lines, said = transact(tmp_path, "--bug", *SEED, *PATIENT)
    check_form(tmp_path, lines)
    assert "rm2 committed, rm3 committed: " in said
    assert "RMPrepare" not in [line["action"] for line in read(tmp_path / "run-001" / "rm1.ndjson")]
    assert len(voters(lines)) == 3
    assert set(voters(lines)) <= {"rm2", "rm3"}


def test_a_run_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    done = tool(*command(tmp_path, ["--limit", "0"]))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"no decision within 0.0 seconds, see {tmp_path / 'run-001'}\n"
    assert processes(tmp_path) == []


def test_no_process_outlives_the_program(tmp_path: Path) -> None:
    # Nobody prepares, and nobody decides.
    options = ["--abort", "1", "--crash", "0", *PATIENT]
    with subprocess.Popen(command(tmp_path, options)) as program:
        parties = [tmp_path / "run-001" / f"{name}.ndjson" for name in NAMES[1:]]
        while not all(log.exists() and log.read_text() for log in parties):
            assert program.poll() is None
            time.sleep(0.05)
        children = psutil.Process(program.pid).children()
        assert len(children) == len(NAMES)
        program.kill()
    assert psutil.wait_procs(children, timeout=300)[1] == []


@pytest.mark.jars
def test_the_trace_specification_tells_right_logs_from_wrong(newer_tlc: Path, tmp_path: Path) -> None:
    right, _ = transact(tmp_path / "right", "--crash", "0", "--abort", "0", *PATIENT)
    wrong, _ = transact(tmp_path / "wrong", "--bug", *SEED, *PATIENT)
    assert trace(newer_tlc, tmp_path / "right") == (0, None, len(right) + 1)
    at = [line["action"] for line in wrong].index("TMCommit")
    assert trace(newer_tlc, tmp_path / "wrong") == (10, at + 1, at + 1)


def trace(jar: Path, out: Path) -> tuple[int, int | None, int]:
    """TLC's exit status for a log, the first line that no behaviour explains, and the number of distinct states."""
    classes = os.pathsep.join([str(jar), str(jar.with_name("CommunityModules.jar"))])
    java = [str(find_java().path), "-XX:+UseSerialGC", "-cp", classes, "tlc2.TLC"]
    asked = ("-metadir", out / "states", "-workers", "1", "TwoPhaseTrace.tla")
    done = tool(*java, *asked, cwd=FOLDER, env={**os.environ, "LOG": str(out / "run-001.ndjson")})
    line = re.search(r'"no behaviour explains line", (\d+)', done.stdout)
    distinct = re.search(r"(\d+) distinct states found", done.stdout)
    assert distinct is not None, done.stdout
    return done.returncode, int(line[1]) if line else None, int(distinct[1])


def test_make_validate_tells_right_runs_from_wrong() -> None:
    done = tool(sys.executable, str(SPECS.parent / "scripts" / "validate.py"), "--runs", "2", code=0)
    assert "4 runs of the program" in done.stdout
    assert "of 2 runs with the bug are not explained" in done.stdout
