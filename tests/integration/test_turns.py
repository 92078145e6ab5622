"""Readers of a store on which two sweeps take turns: whatever they read, it is of one of the two."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from tla2py.errors import ExitCode
from tla2py.execution.listener import SILENT
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.gate.run import gate
from tla2py.spark.choice import choose_executor
from tla2py.tlc.tools.toolchain import find_toolchain

pytestmark = pytest.mark.java

MODULE = """---- MODULE {0} ----
EXTENDS Naturals
CONSTANT Max
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % (Max + 1)
Spec == Init /\\ [][Next]_x
Small == x < {1}
====
"""
# What each says of the points that both have is wrong of the other.
SWEEP = """module = "{0}.tla"
[model]
invariants = ["Small"]
[parameters]
Max = {1}
[tlc]
memory = "256MiB"
[expect]
verdict = "holds"
[[expect.point]]
match = {{ Max = {2} }}
violates = ["Small"]
"""
SWEEPS = {"few": ("Low", 3, "[1, 2, 3]", 3), "many": ("High", 5, "[3, 1, 2, 4, 5]", 5)}
POINTS = {"few": 3, "many": 5}
EVERY = 25
HERE = choose_executor("local", None, SILENT)


def take_turns(folder: Path) -> None:
    """Sweep by turns without end; now and then the runs are executed again."""
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    for turn in range(10**9):
        for name in SWEEPS:
            sweep_once(folder, name, fresh=name == "few" and turn % EVERY == EVERY - 1)


def sweep_once(folder: Path, name: str, *, fresh: bool = False) -> None:
    [sweep] = SweepOptions().load([folder / f"{name}.toml"])
    [result] = run_sweeps([sweep], find_toolchain(None), HERE, store=folder / "store", fresh=fresh)
    assert result.exit_code == ExitCode.OK


@contextmanager
def turns_in(folder: Path) -> Iterator[None]:
    """A folder with a store on which a process sweeps by turns."""
    for name, (module, limit, values, violated) in SWEEPS.items():
        (folder / f"{module}.tla").write_text(MODULE.format(module, limit))
        (folder / f"{name}.toml").write_text(SWEEP.format(module, values, violated))
        sweep_once(folder, name)
    program = "import sys; from pathlib import Path\nfrom tests.integration.test_turns import take_turns\n"
    program += "take_turns(Path(sys.argv[1]))"
    with subprocess.Popen(
        [sys.executable, "-c", program, folder],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        try:
            yield
            assert process.poll() is None
        finally:
            process.terminate()


def gate_often(folder: Path, count: int) -> None:
    """Gate a store so many times, and while it changes often enough between two gates; each answer has to be right."""
    seen: list[str] = []
    with turns_in(folder):
        while len(seen) < count or sum(one != other for one, other in pairwise(seen)) < count / 20:
            [gated] = gate([str(folder / "store")], HERE)
            name = gated.sweep.path.stem
            found = [problem.text for problem in gated.decision.all_problems]
            assert (gated.decision.exit_code, found) == (ExitCode.OK, []), (name, len(seen))
            assert len(gated.decision.points) == POINTS[name]
            assert all(point.row is not None for point in gated.decision.points)
            seen.append(name)


def test_gates_while_two_sweeps_take_turns(tmp_path: Path) -> None:
    gate_often(tmp_path, 40)


@pytest.mark.long
def test_two_thousand_gates_while_two_sweeps_take_turns(tmp_path: Path) -> None:
    gate_often(tmp_path, 2000)
