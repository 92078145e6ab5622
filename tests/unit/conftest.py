"""Sweeps over small modules, loaded without running anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER
from tla2py.sweep.load import load_sweep
from tla2py.sweep.sweep import Sweep

BOX = r"""---- MODULE Box ----
EXTENDS Integers, Sequences, FiniteSets
CONSTANTS
  Low,       \* a number, may be negative
  Origin,    \* a tuple
  Who,       \* a set of model values
  Nil,       \* a model value
  Table,     \* a function on Who
  Pick(_, _) \* an operator
VARIABLE box
Limit == 3
Other == 4
Init == box = [w \in Who |-> Nil]
Next == \E w \in Who :
  /\ box[w] = Nil
  /\ Table[w] < Limit
  /\ box' = [box EXCEPT ![w] = Pick(Low, Origin[1])]
Spec == Init /\ [][Next]_box
Full == \E w \in Who : box[w] = Nil
====
"""

LoadSweep = Callable[[str], Sweep]


@pytest.fixture
def load(tmp_path: Path) -> LoadSweep:
    """``load(text)`` is the sweep of a sweep file beside the modules Counter and Box."""
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "Box.tla").write_text(BOX)

    def load(text: str) -> Sweep:
        path = tmp_path / "sweep.toml"
        path.write_text(text)
        return load_sweep(path)

    return load
