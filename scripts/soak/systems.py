"""The five systems, and sweeps over random parts of their small grids."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# The time limit of each run of TLC.
TIMEOUT_MINUTES = 5
# The TOML values of each parameter.
_VALUES = dict[str, list[str]]


@dataclasses.dataclass(frozen=True)
class System:
    """A system: its folder and module, the fixed part of its sweep file, and its parameters' values."""

    folder: str
    module: str
    model: str
    values: _VALUES


SYSTEMS = (
    System(
        "kip320",
        "Kip320FirstTry.tla",
        '[model]\nspecification = "Spec"\ninvariants = ["WeakIsr", "StrongIsr"]\ncheck_deadlock = false\n',
        {
            "Replicas": ['"{b1, b2}"'],
            "MaxLeaderEpoch": ["1", "2"],
            "LogSize": ["1", "2"],
            "MaxRecords": ["1", "2"],
        },
    ),
    System(
        "compaction",
        "FairCompaction.tla",
        '[model]\nspecification = "Spec"\ninvariants = ["TypeSafe", "CompactionHorizonCorrectness", "CompactedLedgerLeak"]\n'
        '[constants]\nConsumeTimesLimit = 2\nModelProducer = false\nModelConsumer = false\nValueSpace = "{1}"\n'
        'KeySpace = "{1}"\n',
        {
            "MessageSentLimit": ["1", "2"],
            "CompactionTimesLimit": ["1", "2", "3"],
            "RetainNullKey": ["false", "true"],
            "MaxCrashTimes": ["0", "1"],
        },
    ),
    System(
        "ledger_chaining",
        "LedgerChaining.tla",
        '[model]\ninit = "Init"\nnext = "Next"\ninvariants = ["TypeOK", "EntryOrderMaintained", "OnlyOneLedgerOpenAtATime"]\n'
        'constraints = ["LedgerLimit"]\n',
        {
            "Clients": ['"{c1}"', '"{c1, c2}"'],
            "LedgerLimit": ['"md_next_lid < 3"', '"md_next_lid < 4"', '"md_next_lid < 5"'],
        },
    ),
    System(
        "kafka_transactions",
        "kafka_transactions_for_web.tla",
        '[model]\nspecification = "Spec"\ninvariants = ["TypeOK", "NoBadStateResponse"]\ncheck_deadlock = false\n'
        '[constants]\nTxnLogPartitions = "{p1}"\nTransactionIds = "{tid1}"\nTopicPartitions = "{tp1}"\n'
        "MaxCoordinatorChanges = 0\n",
        {
            "Brokers": ['"{b1}"', '"{b1, b2}"'],
            "Clients": ['"{c1}"', '"{c1, c2}"'],
            "symmetry": ['""', '"Symmetry"'],
        },
    ),
    System(
        "bookkeeper",
        "BookKeeperProtocol.tla",
        '[model]\nspecification = "Spec"\ninvariants = ["TypeOK", "NoDivergenceBetweenClientAndMetaData"]\n'
        'symmetry = "Symmetry"\ncheck_deadlock = false\n[constants]\nClients = "{c1, c2}"\nInflightLimit = 1\n'
        "WriteQuorum = 1\nAckQuorum = 1\n",
        {"Bookies": ['"{b1}"', '"{b1, b2}"'], "SendLimit": ["1", "2"]},
    ),
)


def make_sweep(folder: Path, system: System, chance: random.Random) -> Path:
    """A sweep file for a random part of a system's grid."""
    chosen = {
        name: sorted(chance.sample(values, chance.randint(1, len(values))))
        for name, values in system.values.items()
    }
    lines = [f"module = {str(ROOT / 'specs' / system.folder / system.module)!r}", 'name = "soak"']
    lines += [f"libraries = [{str(ROOT / 'specs' / 'lib')!r}]", system.model, "[parameters]"]
    lines += [f"{name} = [{', '.join(values)}]" for name, values in chosen.items()]
    each = chance.choice(["first", "each"])
    warm = chance.choice(["true", "false"])
    lines += ["[tlc]", f'find = "{each}"', f"warm = {warm}"]
    lines += [f'timeout = "{TIMEOUT_MINUTES}m"', 'memory = "768MiB"']
    file = folder / "sweep.toml"
    file.write_text("\n".join(lines) + "\n")
    return file
