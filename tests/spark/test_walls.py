"""The attacks of a run on everything outside it, from Spark's workers into a store on object storage."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.integration.spy import write_spy
from tests.integration.walls.attacker import SECRET, STOOD, Attacker
from tests.integration.walls.conftest import attacker
from tests.integration.walls.test_attacks import ATTACKS
from tests.objects import Storage
from tests.spark.test_jobs import Cluster, cluster
from tla2py.model.run import Wall

__all__ = ["attacker", "cluster"]

pytestmark = [pytest.mark.spark, pytest.mark.long]

# `stream-again` is left out: the standard error of a Spark worker is not one of the files of tla2py.
SPARK_ATTACKS: dict[str, tuple[Wall, str]] = {
    **{name: attack for name, attack in ATTACKS.items() if name != "stream-again"},
    "variables": ("secrets", '[ -n "$AWS_SECRET_ACCESS_KEY$SECRET_TOKEN" ]'),
    "credentials": ("files", "cat $HOME_OF_DRIVER/.aws/credentials"),
    "broadcast": ("files", "cat $BROADCAST"),
    "list-spark": ("files", "ls $SPARK_FOLDER"),
    "object-storage": ("network", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/'$STORAGE"),
}
# Each of the two runs waits until it knows the folder of the other.
SCRIPT = """
echo mine >notes
n=0
while [ ! -e others ] && [ $n -lt 1200 ]; do sleep 0.1; n=$((n + 1)); done
. ./others || exit 9
{tries}
"""
DRIVER = """
import json, os, sys, threading, time
from pathlib import Path
import psutil
import tla2py
from tla2py.spark.session import spark_session

base, master, address, port, attacks, script = Path(sys.argv[1]), *sys.argv[2:4], *map(json.loads, sys.argv[4:])
scratch = [Path(each) for each in json.loads(os.environ["SCRATCH"])]


def introduce():
    while not done.wait(0.05):
        try:
            folders = {file.parent for each in scratch for file in each.glob("tla2py-*/**/run/attack.sh")}
        except FileNotFoundError:
            continue  # another folder went while it was listed
        if len(folders) == 2:
            for own, other in zip(sorted(folders), reversed(sorted(folders))):
                (own / "new").write_text(f"OTHER='{other}'\\n")
                (own / "new").replace(own / "others")
            return


with spark_session(master) as session:
    context = session.sparkContext
    secret = context.broadcast(os.environ["SECRET_TOKEN"])
    workers = context.parallelize(range(2), 2).map(lambda _: (os.getpid(), len(secret.value))).collect()
    worker = psutil.Process(workers[0][0])
    daemon = worker.parent()
    executor = daemon.parent()
    known = {
        "TCP": context._gateway.gateway_parameters.port, "UDP": 9, "STORAGE": port, "BROADCAST": secret._path,
        "SPARK_FOLDER": context._temp_dir, "HOME_OF_DRIVER": base,
    }
    pairs = {"driver": (os.getpid(), executor.pid), "executor": (executor.pid, daemon.pid), "task": (daemon.pid, worker.pid)}
    tries = []
    for who, (driver, victim) in pairs.items():
        tries.append("; ".join(f"{name}='{value}'" for name, value in {**known, "DRIVER": driver, "VICTIM": victim}.items()))
        for name, (_, command) in attacks.items():
            tries.append(f"if ( {command} ) >/dev/null 2>&1; then what=done; else what=refused; fi")
            tries.append(f"printf '%s ' {who}.{name}=$what >>result.txt")
    (base / "attack.sh").write_text(script.replace("{tries}", "\\n".join(tries)))
    (base / "attack.sh").chmod(0o644)
    alive = [psutil.Process(), executor, daemon, worker]
    before = [each.as_dict(["nice", "cpu_affinity", "create_time"]) for each in alive]
    done = threading.Event()
    thread = threading.Thread(target=introduce)
    thread.start()
    try:
        view = tla2py.run_sweep(base / "sweep.toml", address, executor="spark")
    finally:
        done.set()
        thread.join()
    kept = before == [each.as_dict(["nice", "cpu_affinity", "create_time"]) for each in alive]
    found = [view.trace(point).states[0].values["found"] for point in (1, 2)]
    print(json.dumps({"kept": kept, "found": [dict(each) for each in found], "executors": [*view.runs.executor]}))
"""
SWEEP = """
module = "Use.tla"
[model]
invariants = ["Told"]
[parameters]
N = [1, 2]
[tlc]
overrides = ["spy"]
timeout = "5m"
memory = "256MiB"
[inputs]
files = ["attack.sh"]
"""


@pytest.fixture
def user() -> str:
    """This process's user: another may not be able to execute its Python, as Spark's workers do."""
    return "user" if os.geteuid() else "root"


def attack(attacker: Attacker, storage: Storage, master: str, scratch: list[str]) -> None:
    """Sweep a module that attacks, and check that no attack succeeds."""
    base, bucket = attacker.base, f"b-{attacker.base.name.rpartition('-')[2].replace('_', '-').lower()}"
    module = write_spy(base, {"ended": ("run", "sh attack.sh"), "found": ("read", "result.txt")})
    module.write_text(module.read_text().replace("VARIABLE", "CONSTANT N\nVARIABLE"))
    (base / "attack.sh").touch()
    (base / "sweep.toml").write_text(SWEEP)
    (base / ".aws").mkdir()
    (base / ".aws/credentials").write_text("[default]\naws_secret_access_key = secret\n")
    for path in (base / ".aws", *base.rglob("*")):
        path.chmod(0o777)
    address = f"s3://{storage.bucket(bucket)}/runs"
    variables = {**storage.env, "SCRATCH": json.dumps(scratch), "SPARK_CONF_DIR": str(base)}
    # Executors on a cluster have what their worker and Spark's configuration say.
    executor = {**storage.env, "PATH": attacker.path, "SECRET_TOKEN": SECRET}
    (base / "spark-defaults.conf").write_text(
        "".join(f"spark.executorEnv.{name} {text}\n" for name, text in executor.items())
    )
    told = [f"{name}={text}" for name, text in variables.items()]
    port = storage.endpoint.rpartition(":")[2]
    asked = (str(base), master, address, port, json.dumps(SPARK_ATTACKS), json.dumps(SCRIPT))
    process = attacker.popen("env", *told, sys.executable, "-c", DRIVER, *asked)
    out, err = process.communicate()
    assert process.returncode == 0, err
    told_of = json.loads(out.splitlines()[-1])
    assert told_of["executors"] == ["spark", "spark"]
    missing = json.loads(attacker.python(STOOD))["missing"]
    for found in told_of["found"]:
        assert found["ended"] == "exit 0", (found, err)
        results = dict(each.split("=") for each in found["found"].split())
        assert len(results) == 3 * len(SPARK_ATTACKS)
        walls = {name: SPARK_ATTACKS[name.partition(".")[2]][0] for name in results}
        refused = {name: "refused" for name, wall in walls.items() if wall not in missing}
        assert {name: results[name] for name in refused} == refused
    if not missing:
        assert told_of["kept"]


def test_attacks_from_a_run_on_spark(attacker: Attacker, storage: Storage) -> None:
    attack(attacker, storage, "local[2,4]", [str(attacker.base)])


def test_attacks_from_a_run_on_a_cluster(attacker: Attacker, storage: Storage, cluster: Cluster) -> None:
    attack(attacker, storage, cluster.master, [str(folder / "tmp") for folder in cluster.workers])
