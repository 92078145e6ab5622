"""The state graph and the behaviours of simulations, from TLC's files to the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tla2py
from tests.conftest import RunCli

pytestmark = pytest.mark.java

RING = Path(__file__).resolve().parent.parent / "specs" / "Ring.tla"
HEAD = f"""module = "{RING}"
[model]
specification = "Spec"
check_deadlock = false
[constants]
Nodes = "{{n1, n2, n3}}"
Broken = '"none"'
"""


def test_the_graph_has_every_state_and_every_step(tmp_path: Path, run_cli: RunCli) -> None:
    sweep = tmp_path / "ring.toml"
    sweep.write_text(HEAD + "[tlc]\ngraph = true\n")
    run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store", code=0)
    view = tla2py.open_store(tmp_path / "store")
    states, edges = view.graph_states, view.graph_edges
    assert len(states) == view.runs.distinct[0] == 12
    assert states.initial.sum() == 3
    values = {row.fingerprint: json.loads(str(row.state)) for row in states.itertuples()}
    # The graph is known: from hops < 3 to both other nodes, from 3 back to 1 at the same node.
    expected = {
        (before, hops, "Pass", after, hops + 1)
        for before in ("n1", "n2", "n3")
        for after in ("n1", "n2", "n3")
        for hops in range(3)
        if before != after
    } | {(node, 3, "Reset", node, 1) for node in ("n1", "n2", "n3")}
    found = {
        (
            values[row.source]["token"],
            int(values[row.source]["hops"]["#bigint"]),
            row.action,
            values[row.target]["token"],
            int(values[row.target]["hops"]["#bigint"]),
        )
        for row in edges.itertuples()
    }
    assert found == expected
    assert len(edges) == len(expected)


PARALLEL = """---- MODULE Parallel ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Add(n) == x' = (x + (n % 2)) % 3 /\\ y' = (y + (n \\div 4)) % 2
Next == \\E n \\in 0..7 : Add(n)
Spec == Init /\\ [][Next]_<<x, y>>
====
"""


def test_steps_that_tlc_cannot_tell_apart_are_one_row(tmp_path: Path, run_cli: RunCli, jar: Path) -> None:
    """Two numbers of eight lead from each state to each of its four successors."""
    (tmp_path / "Parallel.tla").write_text(PARALLEL)
    (tmp_path / "s.toml").write_text('module = "Parallel.tla"\n[tlc]\ngraph = true\n')
    run_cli(
        "sweep", "s.toml", "--executor", "local", "-o", "store", "--tla2tools", jar, "--workers", "2", code=0
    )
    view = tla2py.open_store(tmp_path / "store")
    rows = [repr(row) for row in view.arrow("graph_edges").to_pylist()]
    assert len(rows) == len(set(rows))
    states = len(view.graph_states)
    pairs = {(row["source"], row["target"]) for row in view.arrow("graph_edges").to_pylist()}
    assert (states, len(pairs)) == (6, 6 * 4)
    # TLC that prints arguments tells all steps apart.
    printed = view.arrow("graph_edges").to_pylist()[0]["action_args"] is not None
    assert len(rows) == 6 * (8 if printed else 4)


def test_a_simulation_keeps_its_behaviours(tmp_path: Path, run_cli: RunCli) -> None:
    sweep = tmp_path / "ring.toml"
    sweep.write_text(
        HEAD + '[grid]\nrepeat = 2\n[tlc]\nmode = "simulate"\nnum = 5\ndepth = 7\nbehaviours = true\n'
        '[expect]\nverdict = "inconclusive"\n'
    )
    done = run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store")
    view = tla2py.open_store(tmp_path / "store")
    assert set(view.runs.outcome) == {"bounded_success"}, done.stderr
    assert list(view.runs.seed) == [0, 1]
    assert len(view.traces) == 10
    assert set(view.traces.kind) == {"simulated"}
    assert view.runs.trace_length.isna().all()
    assert view.states.groupby(["run_id", "trace"]).size().min() >= 7
    # Other seeds, other behaviours.
    first, second = (view.states[view.states.run_id == run] for run in view.runs.run_id)
    assert list(first.state) != list(second.state)
    trace = view.trace(1)
    hops = [state.values["hops"] for state in trace.states]
    assert hops[:4] == [0, 1, 2, 3]


def test_a_key_of_the_other_mode_is_refused(tmp_path: Path, run_cli: RunCli) -> None:
    sweep = tmp_path / "ring.toml"
    sweep.write_text(HEAD + "[tlc]\nbehaviours = true\n")
    done = run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store", code=2)
    assert "ring.toml:9:1" in done.stderr
    assert not (tmp_path / "store").exists()
