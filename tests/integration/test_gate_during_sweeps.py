"""Gates of a store that two sweeps write by turns."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP
from tla2py.errors import ExitCode
from tla2py.execution.listener import SILENT
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.gate.run import gate
from tla2py.spark.choice import choose_executor
from tla2py.tlc.tools.toolchain import find_toolchain

ROOT = Path(__file__).parents[2]


def calling(call: str, folder: Path) -> list[str]:
    """The command of a process that calls a function of this module with ``folder``."""
    names = "from pathlib import Path\nfrom tests.integration.test_gate_during_sweeps import *\n"
    return [sys.executable, "-c", f"import sys\n{names}folder = Path(sys.argv[1])\n{call}", str(folder)]


# What each says of the points that both have is wrong of the other.
EXPECTED = '[expect]\nverdict = "holds"\n[[expect.point]]\nmatch = {{ Max = {} }}\nviolates = ["Small"]\n'
SWEEPS = {"few": ("Low", 3, "[1, 2, 3]", 3), "many": ("High", 5, "[3, 1, 2, 4, 5]", 5)}
HERE = choose_executor("local", None, SILENT)


def take_turns(folder: Path) -> None:
    """Sweep by turns without end; now and then the runs are executed again."""
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    for turn in count(1):
        for name in SWEEPS:
            sweep_once(folder, name, fresh=name == "few" and turn % 25 == 0)


def sweep_once(folder: Path, name: str, *, fresh: bool = False) -> None:
    [sweep] = SweepOptions().load([folder / f"{name}.toml"])
    [result] = run_sweeps([sweep], find_toolchain(None), HERE, store=folder / "store", fresh=fresh)
    assert result.exit_code == ExitCode.OK


@contextlib.contextmanager
def turns_in(folder: Path) -> Iterator[None]:
    """A folder with a store on which a process sweeps by turns."""
    for name, (module, limit, values, violated) in SWEEPS.items():
        text = COUNTER.replace("MODULE Counter", f"MODULE {module}").replace("x < 3", f"x < {limit}")
        (folder / f"{module}.tla").write_text(text)
        sweep = COUNTER_SWEEP.replace("Counter.tla", f"{module}.tla").replace("[1, 2, 3]", values)
        (folder / f"{name}.toml").write_text(sweep + EXPECTED.format(violated))
        sweep_once(folder, name)
    with subprocess.Popen(calling("take_turns(folder)", folder), cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        try:
            yield
            assert process.poll() is None
        finally:
            process.terminate()


@pytest.mark.parametrize("count", [40, pytest.param(2000, marks=pytest.mark.long)])
def test_gates_while_two_sweeps_take_turns(tmp_path: Path, count: int) -> None:
    seen: list[str] = []
    with turns_in(tmp_path):
        while len(seen) < count or sum(one != other for one, other in pairwise(seen)) < count / 20:
            [gated] = gate([str(tmp_path / "store")], HERE)
            name = gated.sweep.file.path.stem
            found = [problem.text for problem in gated.decision.all_problems]
            assert (gated.decision.exit_code, found) == (ExitCode.OK, []), (name, len(seen))
            assert len(gated.decision.points) == {"few": 3, "many": 5}[name]
            assert all(point.row is not None for point in gated.decision.points)
            seen.append(name)
