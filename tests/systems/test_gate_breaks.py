"""Each of the systems at a small size, gated and locked, then broken in a copy: every way goes red by its own words."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import command
from tests.conftest import RunCli

pytestmark = pytest.mark.systems

SPECS = Path(__file__).resolve().parent.parent.parent / "specs"
NO_CI = dict.fromkeys(("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"))

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


@dataclass(frozen=True)
class Broken:
    """A copy of a system, to be broken: its sweep file, its module, and the gate."""

    name: str
    folder: Path
    run_cli: RunCli

    @property
    def sweep(self) -> Path:
        return self.folder / "gate.toml"

    def change(self, old: str, new: str) -> None:
        text = self.sweep.read_text()
        assert old in text
        self.sweep.write_text(text.replace(old, new, 1))

    def gate(self, *options: str) -> tuple[int, str]:
        done = self.run_cli(
            "gate", "gate.toml", "-o", "store", "--executor", "local", *options, cwd=self.folder, env=NO_CI
        )
        return done.code, " ".join((done.stdout + done.stderr).split())


def sweep_text(name: str) -> str:
    module, invariants, model, constants = SYSTEMS[name]
    names = ", ".join(f'"{invariant}"' for invariant in invariants)
    return (
        f'module = "{module}.tla"\nlibraries = ["../lib"]\n'
        f"[model]\ninvariants = [{names}]\ncheck_deadlock = false\n{model}"
        f'[constants]\n{constants}[tlc]\ntimeout = "2m"\nmemory = "512MiB"\n[expect]\nverdict = "holds"\n'
    )


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def broken(system: str, tmp_path: Path, run_cli: RunCli, locked: Path) -> Broken:
    """A copy of the system as it was when it was locked."""
    shutil.copytree(locked, tmp_path / "copy")
    return Broken(system, tmp_path / "copy" / system, run_cli)


@pytest.fixture(scope="module")
def locked(system: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The system with its sweep file, run and locked."""
    base = tmp_path_factory.mktemp(system)
    shutil.copytree(SPECS / system, base / system)
    shutil.copytree(SPECS / "lib", base / "lib")
    (base / system / "gate.toml").write_text(sweep_text(system))
    gate = ("gate", "gate.toml", "-o", "store", "--executor", "local", "--record")
    command.run(*gate, cwd=base / system, env=NO_CI, code=0)
    return base


def test_a_small_size_is_green(broken: Broken) -> None:
    code, said = broken.gate()
    assert code == 0, said
    assert "green gate 1 point, as expected" in said
    assert "nothing to run" in said


def test_a_deleted_invariant(broken: Broken) -> None:
    first = SYSTEMS[broken.name][1][0]
    broken.change(f'"{first}", ', "")
    code, said = broken.gate()
    assert code == 1, said
    assert f"drift: no longer checks the invariant {first}" in said
