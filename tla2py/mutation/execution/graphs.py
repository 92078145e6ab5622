"""State graphs compared by TLC's fingerprints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tla2py.store.store import Store

# A step with its label, or a state; what follows a state's label tells whether it is initial.
_STEP = re.compile(rb'^(-?\d+ -> -?\d+)(?: \[label="((?:[^"\\]|\\.)*)")?', re.MULTILINE)
_STATE = re.compile(rb'^(-?\d+) \[label="(?:[^"\\]|\\.)*"(.*)$', re.MULTILINE)


def same_graph(store: Store, first: str, second: str) -> bool:
    """Whether the state graphs of two runs have the same initial states and the same labelled steps."""
    return graph_facts(store, first) == graph_facts(store, second)


def graph_facts(store: Store, run_id: str) -> frozenset[bytes]:
    """The states of a run's graph, those that are initial, and the steps with their actions."""
    return frozenset(_facts(store, run_id))


def _facts(store: Store, run_id: str) -> Iterator[bytes]:
    with store.archive(run_id) as archive:
        for part in archive.graph_parts():
            for block in archive.graph_blocks(part):
                for step, label in _STEP.findall(block):
                    yield step + b" " + label
                for state, rest in _STATE.findall(block):
                    yield state + (b" initial" if b"style = filled" in rest else b"")
