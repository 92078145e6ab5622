"""What TLC answers about the shortest counterexamples of the five systems, compared with their READMEs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest
from mcp import Client
from mcp.types import TextContent

from tests import command
from tests.systems.rows import SPECS
from tla2py.analysis.view import StoreView, open_view
from tla2py.cli.mcp import build_server
from tla2py.cli.mcp_runner import CallRunner

pytestmark = pytest.mark.systems


class Known(NamedTuple):
    """A counterexample that a README tells, of the model in ``known``: its length, what is FALSE at its end, a value there."""

    module: str
    length: int
    action: str
    conjunct: str
    witness: str
    expression: str
    value: str


KNOWN = [
    # The metadata say that the ledger is empty, and c1 has an entry acknowledged.
    Known(
        *("bookkeeper/BookKeeperProtocolNoFence.tla", 14, "RecoveryClientClosesLedger"),
        *("clients[c].lac <= meta_last_entry", "c = c1"),
        *("<<meta_last_entry, {c \\in Clients : clients[c].lac > meta_last_entry}>>", "<<0, {c1}>>"),
    ),
    # The third ledger is written while the first and the second are there.
    Known(
        *("compaction/FairCompaction.tla", 12, "CompactorPhaseTwoWrite"),
        *("Cardinality({n \\in 1..CompactionTimesLimit : compactedLedgers[n] # Nil}) < 3", ""),
        *("{n \\in 1..3 : compactedLedgers[n] # Nil}", "{1, 2, 3}"),
    ),
    # Two clients with different ids get the same producer id.
    Known(
        *("kafka_transactions/TxnRecovery.tla", 14, "ReceiveInitPidResponse"),
        *("client[c].tid = client[d].tid", "c = c4, d = c3"),
        *("Cardinality({client[c].tid : c \\in {d \\in Clients : client[d].pid = 2}})", "2"),
    ),
    # b3 is in the ISR, and the committed record is gone from its log.
    Known(
        *("kip320/Kip320FirstTry.tla", 13, "FollowerTruncate"),
        *("GetEndOffset(replica) > offset", "offset = 0, replica = b3"),
        *("{b \\in quorumState.isr : replicaLog[b].endOffset = 0}", "{b3}"),
    ),
    # The list holds ledgers 3 and 4, the invariant looks at ledgers 1 and 2.
    Known(
        *("ledger_chaining/LedgerChaining.tla", 18, "AppendLedgerSuccess"),
        *("l1 = l2", "l1 = 2, l2 = 1"),
        *("<<md_llist, {n \\in DOMAIN md_ledgers : md_ledgers[n].open}>>", "<<<<3, 4>>, {1, 2, 4}>>"),
    ),
]


def bytes_until_the_cause(view: StoreView, folder: Path, known: Known) -> tuple[int, int]:
    """How much there is to read from the error on to the last state of TLC's output, and to the cause in a tool's answer."""
    with view.store.archive(view.run_rows[0].run_id) as archive:
        output = archive.stdout(1).read().decode()
    begin, end = output.index("is violated"), output.rindex("@!@!@STARTMSG 2217")
    states = output[begin : output.index("@!@!@ENDMSG", end)]

    async def ask() -> str:
        async with Client(build_server(CallRunner(roots=[folder], output=folder / "runs"))) as client:
            given = {"store": "runs/sweep", "point": 1, "ask": "why"}
            [content] = (await client.call_tool("trace", given)).content
            assert isinstance(content, TextContent)
            return content.text

    answer = anyio.run(ask)
    cause = json.dumps(f"{known.conjunct} is FALSE", ensure_ascii=False).strip('"')
    return len(states.encode()), answer.index(cause) + len(cause)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.module.partition("/")[0])
def test_the_shortest_counterexample_of_a_system(known: Known, tmp_path: Path) -> None:
    system = known.module.partition("/")[0]
    model = Path(__file__).with_name("known") / f"{system}.toml"
    head = f'module = "{SPECS / known.module}"\nlibraries = ["{SPECS / "lib"}"]\n'
    (tmp_path / "sweep.toml").write_text(head + model.read_text("utf-8"))
    command.run("sweep", "sweep.toml", "--executor", "local", cwd=tmp_path, code=1)
    view = open_view(tmp_path / "runs/sweep")
    last = view.with_values(known.expression).trace(1).states[-1]
    assert (last.index, last.evaluated) == (known.length, ((known.expression, known.value),))
    (kind,) = view.turning()
    (turn,) = kind.turns
    found = turn.example
    assert found.turning is not None
    assert found.turning_state is not None
    witness = ", ".join(sorted(f"{name} = {value}" for name, value in found.witness))
    assert (found.turning.conjunct.text, witness) == (known.conjunct, known.witness)
    assert (found.turning_state.index, found.turning_state.action) == (known.length, known.action)
    because = f"because {known.conjunct} is FALSE in state {known.length}, after {known.action}"
    assert view.why_line(1, 1) == because
    assert because in (SPECS / known.module).with_name("README.md").read_text("utf-8")
    raw, answered = bytes_until_the_cause(view, tmp_path, known)
    page = (SPECS.parent / "docs" / "agents.md").read_text("utf-8")
    assert f"| {system} | {raw:,} | {answered} |" in page
    # Breadth first TLC finds a shortest counterexample.
    essential = view.essential(1)
    assert (essential.shortest, essential.undecided) == (essential.trace, ())
