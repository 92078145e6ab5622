"""What the summary of a sweep says of actions that never fired, from TLC's own counts."""

from __future__ import annotations

from pathlib import Path

import pytest

import tla2py
from tests.conftest import RunCli
from tla2py.analysis.points import disabled_actions

pytestmark = pytest.mark.java

STEPS = r"""---- MODULE Steps ----
EXTENDS Naturals
CONSTANT Max
VARIABLE x
Init == x = 0
Up == x < Max /\ x' = x + 1
Jump == x > 2 /\ x' = 0
Never == x > Max /\ x' = 0
Natural == x \in Nat
Either(n) == x = n /\ x' = n
Next == Up \/ Jump \/ Never \/ Either(0) \/ Either(100)
Spec == Init /\ [][Next]_x
====
"""
SWEEP = """\
module = "Steps.tla"
[model]
check_deadlock = false
invariants = ["Natural"]
[parameters]
Max = [1, 2, 3]
[tlc]
memory = "256MiB"
timeout = "1m"
"""


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    (tmp_path / "Steps.tla").write_text(STEPS)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    return tmp_path / "sweep.toml"


def test_actions_that_never_fired_are_named(sweep: Path, run_cli: RunCli) -> None:
    sweep.write_text(SWEEP + "coverage = true\n")
    ended = run_cli("sweep", sweep, "--executor", "local", "-o", sweep.parent / "store", code=0)
    said = [line.strip() for line in ended.stdout.partition("Actions that never fired")[2].splitlines()]
    assert said[1:3] == ["Never  Steps:8  at any point", "Jump  Steps:7  at points 1, 2"]
    # Either fires as Either(0), if not as Either(100).
    assert "Either" not in ended.stdout
    view = tla2py.open_store(sweep.parent / "store")
    assert [(one.name, one.disabled, one.never_enabled) for one in disabled_actions(view)] == [
        ("Never", (1, 2, 3), True),
        ("Jump", (1, 2), False),
    ]


def test_nothing_is_said_without_counts(sweep: Path, run_cli: RunCli) -> None:
    ended = run_cli("sweep", sweep, "--executor", "local", "-o", sweep.parent / "store")
    assert "never fired" not in ended.stdout
    assert not disabled_actions(tla2py.open_store(sweep.parent / "store"))
