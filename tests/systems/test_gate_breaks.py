"""Each of the systems at a small size: gated and locked, then broken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tests.integration.gate.lift import NO_CI
from tests.systems.rows import SPECS

pytestmark = pytest.mark.systems

# Module, invariants, further keys of [model], constants.
SYSTEMS = {
    "kip320": (
        "Kip320FirstTry",
        ("WeakIsr", "StrongIsr"),
        "",
        'LogSize = 2\nMaxRecords = 2\nReplicas = "{b1, b2}"\nMaxLeaderEpoch = 1\n',
    ),
    "ledger_chaining": (
        "LedgerChaining",
        ("EntryOrderMaintained", "OnlyOneLedgerOpenAtATime"),
        'init = "Init"\nnext = "Next"\nconstraints = ["LedgerLimit"]\n',
        'Clients = "{c1}"\n',
    ),
    "compaction": (
        "compaction",
        ("TypeSafe", "CompactionHorizonCorrectness"),
        "",
        (
            "MessageSentLimit = 1\nCompactionTimesLimit = 1\nConsumeTimesLimit = 1\nMaxCrashTimes = 0\n"
            'KeySpace = "{1}"\nValueSpace = "{1}"\n'
            "RetainNullKey = false\nModelProducer = false\nModelConsumer = false\n"
        ),
    ),
    "bookkeeper": (
        "BookKeeperProtocol",
        ("TypeOK", "NoOutOfOrderEntries"),
        'specification = "Spec"\n',
        (
            'Clients = "{c1, c2}"\nBookies = "{b1}"\n'
            "WriteQuorum = 1\nAckQuorum = 1\nSendLimit = 1\nInflightLimit = 1\n"
        ),
    ),
    "kafka_transactions": (
        "kafka_transactions_for_web",
        ("TypeOK", "NoBadStateResponse"),
        'specification = "Spec"\n',
        (
            'TxnLogPartitions = "{p1}"\nTransactionIds = "{tid1}"\nTopicPartitions = "{tp1}"\n'
            'Brokers = "{b1}"\nClients = "{c1}"\nMaxCoordinatorChanges = 0\n'
        ),
    ),
    "two_phase": (
        "TwoPhase",
        ("TypeOK", "Consistent"),
        'specification = "Spec"\n',
        'RM = "{rm1, rm2}"\n',
    ),
}


def sweep_text(name: str) -> str:
    module, invariants, model, constants = SYSTEMS[name]
    names = ", ".join(f'"{invariant}"' for invariant in invariants)
    return (
        f'module = "{module}.tla"\nlibraries = ["../lib"]\n'
        f"[model]\ninvariants = [{names}]\ncheck_deadlock = false\n{model}"
        f'[constants]\n{constants}[tlc]\ntimeout = "2m"\nmemory = "512MiB"\n[expect]\nverdict = "holds"\n'
    )


@pytest.mark.parametrize("name", SYSTEMS)
def test_green_and_without_an_invariant_red(name: str, tmp_path: Path, run_cli: RunCli) -> None:
    for folder in (name, "lib"):
        shutil.copytree(SPECS / folder, tmp_path / folder)
    sweep = tmp_path / name / "gate.toml"
    sweep.write_text(sweep_text(name))

    def gate(code: int, *options: str) -> str:
        asked = ("gate", "gate.toml", "-o", "store", "--executor", "local", *options)
        done = run_cli(*asked, cwd=sweep.parent, env=NO_CI, code=code)
        return " ".join((done.stdout + done.stderr).split())

    gate(0, "--record")
    said = gate(0)
    assert "green gate 1 point, as expected" in said
    assert "nothing to run" in said
    first = SYSTEMS[name][1][0]
    sweep.write_text(sweep_text(name).replace(f'"{first}", ', "", 1))
    assert f"drift: no longer checks the invariant {first}" in gate(1)
