"""Stores at URIs answer as in a folder, and no kill leaves half a file."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import fs

import tla2py
from tests.conftest import COUNTER, RunCli
from tests.integration.test_sweep import sweeping, wait_until_gone
from tests.objects import Storage, serving
from tests.raising import raises
from tests.stores import TIMES, identities, record_ids
from tests.unit.records import executed
from tests.unit.store.test_store import MANIFEST, POINTS, stated
from tla2py.analysis.view import StoreView
from tla2py.errors import StoreError
from tla2py.model.run import digest_text
from tla2py.store import remote
from tla2py.store.address import Address, below
from tla2py.store.fragments import read_list
from tla2py.store.read import run_rows
from tla2py.store.refresh import prune, refresh_tables, table_files, tables_current
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.store import Store
from tla2py.view.page import report_page


@pytest.fixture
def bucket(storage: Storage, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bucket for one test, which this process can access too."""
    for name, value in storage.env.items():
        monkeypatch.setenv(name, value)
    return storage.bucket(f"b{abs(hash(request.node.name))}")


def answers(view: StoreView) -> dict[str, list[dict[str, object]]]:
    """Every table without the columns that differ between runs."""
    rows = {name: view.arrow(name).to_pylist() for name in TABLE_NAMES}
    return {name: [{key: row[key] for key in row.keys() - TIMES} for row in rows[name]] for name in rows}


def refusal(act: Callable[[], object]) -> StoreError:
    began = time.monotonic()
    raised = raises(StoreError, act)
    assert time.monotonic() - began < 60
    assert len(str(raised).splitlines()) <= 2
    return raised


def test_a_store_is_the_same_wherever_it_is(
    storage: Storage, bucket: str, tiny_sweep: Path, tmp_path: Path, run_cli: RunCli
) -> None:
    address = f"s3://{bucket}/runs/mine"
    swept = run_cli("sweep", tiny_sweep, "--executor", "local", "-o", address, code=1)
    assert f"tla2py trace {address} 3" in swept.stdout
    kept = storage.objects(f"{bucket}/runs/mine")
    names = {"store.json", "findings.json", "passed.json", "points", "records", "sources", "tables"}
    assert {name.partition("/")[0] for name in kept} == names
    # Existing runs are not repeated, and reading writes nothing.
    again = run_cli("sweep", tiny_sweep, "--executor", "local", "-o", storage.uri(f"{bucket}/runs/mine"))
    assert (again.executed, again.cached) == (0, 3)
    assert "Small" in run_cli("trace", address, code=0).stdout
    assert "point 3" in run_cli("gate", address, code=1).stdout
    there = tla2py.open_store(address)
    assert "Small" in report_page(there, target=tmp_path)
    now = storage.objects(f"{bucket}/runs/mine")
    # The manifest and the findings are written each time.
    for name in ("store.json", "findings.json"):
        del kept[name], now[name]
    assert now == kept
    # The same store in a folder, by its path and by its URI.
    here = tmp_path / "a folder"
    fs.copy_files(f"{bucket}/runs/mine", str(here), storage.files, fs.LocalFileSystem())
    shutil.rmtree(here / "tables")
    (here / "tables").mkdir()
    for place in (here, f"file://{here}"):
        view = tla2py.open_store(place)
        # TLC says again why; only a sweep asks it.
        assert answers(view) == {**answers(there), "because": []}
        assert view.trace(3).states == there.trace(3).states
    assert list(there.runs.verdict) == ["holds", "holds", "violated"]
    same = run_cli("sweep", tiny_sweep, "--executor", "local", "-o", f"file://{here}")
    assert (same.executed, same.cached) == (0, 3)
    assert answers(tla2py.open_store(here)) == answers(there)


@pytest.mark.faults
def test_a_kill_costs_runs_in_flight(storage: Storage, bucket: str, tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    parameters = "[parameters]\nMax = [1, 2, 3, 4, 5, 6]\n"
    (tmp_path / "sweep.toml").write_text(f'module = "Counter.tla"\n{parameters}[tlc]\nwarm = false\n')
    store, scratch = f"s3://{bucket}/killed", tmp_path / "scratch"
    scratch.mkdir()
    command = ["sweep", str(tmp_path / "sweep.toml"), "--executor", "local"]
    argv = [sys.executable, "-m", "tla2py", *command]
    process = sweeping(argv, store, os.environ | {"TMPDIR": str(scratch)})
    # A second writer arrives; the first is stopped meanwhile, because it might finish.
    process.send_signal(signal.SIGSTOP)
    busy = refusal(lambda: Store(store).lock().__enter__())
    assert busy.code == "store-busy"
    assert [str(each) in str(busy) for each in (process.pid, socket.gethostname())] == [True, True]
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=30) == -signal.SIGKILL
    assert not wait_until_gone(scratch)
    kept = record_ids(store)
    assert 0 < len(kept) < 6
    for run_id in kept:
        with Store(store).archive(run_id) as archive:
            assert b"Model checking completed" in b"".join(archive.stdout(1))
    rest = run_cli(*command, "-o", store, code=0)
    assert (rest.executed, rest.cached) == (6 - len(kept), len(kept))
    now = record_ids(store)
    assert kept.items() <= now.items()
    assert len(now) == 6
    assert not storage.objects(f"{bucket}/killed/claims")
    assert list(tla2py.open_store(store).runs.distinct) == [2, 3, 4, 5, 6, 7]


@pytest.fixture
def address(bucket: str) -> str:
    """Return an empty address on S3."""
    return f"s3://{bucket}/deep/store"


READ = """
from tla2py.analysis.view import open_view
open_view(address).arrow("runs")
"""
WRITE = """
from tla2py.store.store import Store
Store(address).storage.write({"large": wait})
"""
# A process that is killed as soon as it has written a line.
WAITING = """
import sys, time
address = sys.argv[1]

def wait(*_):
    print("here", flush=True)
    time.sleep(60)

{act}
wait()
"""


@pytest.mark.faults
@pytest.mark.parametrize("act", [READ, WRITE], ids=["reader", "writer"])
def test_a_kill_leaves_no_copy_of_what_is_stored_elsewhere(act: str, address: str, tmp_path: Path) -> None:
    store = made(address, tmp_path)
    with store.lock():
        refresh_tables(store)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING.format(act=act), address],
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        assert [*scratch.iterdir()]
        process.kill()
    # The guard of the process removes them, within seconds.
    deadline = time.monotonic() + 30
    while [*scratch.iterdir()] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [*scratch.iterdir()]


def made(address: Address, folder: Path) -> Store:
    store = Store.create(address)
    store.write_manifest(MANIFEST, POINTS, {digest_text("text\n"): "text\n", digest_text("more\n"): "more\n"})
    store.write_record(executed(folder, "a" * 32, "invariant"))
    return store


def test_what_is_written_reads_back(address: str, tmp_path: Path) -> None:
    assert refusal(lambda: Store.open(address)).code == "store-missing"
    store = made(address, tmp_path)
    assert stated(Store.open(address)) == MANIFEST == stated(Store.create(address))
    assert store.points_table() == POINTS
    assert store.sources() == {digest_text(text): text for text in ("text\n", "more\n")}
    assert store.recorded() == {"a" * 32}
    assert not tables_current(store)
    assert refresh_tables(store)
    assert not refresh_tables(store)
    refresh_tables(made(tmp_path / "here", tmp_path / "again"))
    assert answers(tla2py.open_store(address)) == answers(tla2py.open_store(tmp_path / "here"))
    # Written again, as with --fresh, and once more in the same second.
    store.write_record(executed(tmp_path / "new", "a" * 32, "invariant", "invariant"))
    store.write_record(executed(tmp_path / "newer", "a" * 32, "deadlock"))
    assert refresh_tables(store)
    assert tla2py.open_store(address).runs.violated[0][0]["kind"] == "deadlock"
    names = [name for folder in ("", "records", "tables") for name in store.storage.names(folder)]
    assert not [name for name in names if name[0] == "."]


def test_an_edited_table_is_made_again(address: str, tmp_path: Path) -> None:
    store = made(address, tmp_path)
    refresh_tables(store)

    def name() -> str:
        tables = read_list(store.storage)
        assert tables is not None
        [file] = tables.of("runs")
        return file.name

    before = name()
    with store.storage.open(before) as source:
        whole = source.read()
    view = tla2py.open_store(address)
    assert view.run_rows
    store.storage.write({before: lambda sink: sink.write(whole[:-9] + bytes(9))})
    # An open store keeps its copy.
    assert [file.read_bytes() for file in table_files(view.store, "runs")] == [whole]
    assert answers(tla2py.open_store(address)) == answers(view)
    assert name() != before


def test_what_is_missing_or_damaged(address: str, tmp_path: Path) -> None:
    store = made(address, tmp_path)
    damaged = refusal(lambda: store.archive("b" * 32).__enter__())
    assert (damaged.code, "b" * 32 in str(damaged)) == ("record-damaged", True)
    store.storage.write({f"records/{'b' * 32}.zip": lambda sink: sink.write(b"PK half of it")})
    assert refusal(lambda: store.archive("b" * 32).__enter__()).code == "record-damaged"
    with pytest.raises(FileNotFoundError):
        store.source("0" * 64)
    store.storage.write({"store.json": lambda sink: sink.write(b"{}")})
    for use in (Store.open, Store.create):
        assert refusal(lambda use=use: use(address)).code == "not-a-store"  # type: ignore[misc]


def test_what_is_not_a_store_is_left_alone_and_places_that_are_none(storage: Storage, bucket: str) -> None:
    with storage.files.open_output_stream(f"{bucket}/precious/mine.txt") as sink:
        sink.write(b"mine")
    assert refusal(lambda: Store.create(f"s3://{bucket}/precious")).code == "not-a-store"
    assert refusal(lambda: Store.create(f"s3://{bucket}")).code == "not-a-store"
    assert list(storage.objects(bucket)) == ["precious/mine.txt"]
    assert "endpiont" in str(refusal(lambda: Store.create(f"s3://{bucket}/runs?endpiont=1")))
    secret = refusal(lambda: Store(f"s3://key:secret@{bucket}/runs"))
    assert (secret.code, "key" in secret.message) == ("store-secret", False)
    assert refusal(lambda: Store.create("s3://nobodys/runs")).code == "bucket-missing"
    assert refusal(lambda: Store.open("s3://nobodys/runs")).code == "bucket-missing"
    assert refusal(lambda: Store("s3://nobodys/runs").lock().__enter__()).code == "bucket-missing"


@pytest.mark.parametrize("size", [100, 3 << 20])
def test_a_writer_that_fails_leaves_what_was_there(address: str, tmp_path: Path, size: int) -> None:
    store = made(address, tmp_path)
    refresh_tables(store)
    whole = os.urandom(size)
    store.storage.write({"records/big.zip": lambda sink: sink.write(whole)})

    def half(sink: object) -> None:
        sink.write(whole[: size // 2])  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    before = store.storage.stamps("records"), store.storage.stamps("tables")
    with pytest.raises(KeyboardInterrupt):
        store.storage.write({"records/big.zip": half})

    def tables() -> None:
        with store.storage.staging("tables") as folder:
            (folder / "runs.parquet").write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tables()
    assert (store.storage.stamps("records"), store.storage.stamps("tables")) == before
    with store.storage.open("records/big.zip") as source:
        source.seek(size // 2)
        assert source.read() == whole[size // 2 :]


def test_many_records_are_fetched_ahead_and_in_order(bucket: str) -> None:
    place = remote.Remote(f"s3://{bucket}/many")
    names = [f"records/{number}" for number in range(40)]
    place.write({name: lambda sink, name=name: sink.write(name.encode()) for name in names})  # type: ignore[misc]
    place.prefetch([*names, *names[:3], "records/none"])
    for name in [*names, *names[:3]]:
        with place.open(name) as source:
            assert source.read().decode() == name
    with pytest.raises(FileNotFoundError):
        place.open("records/none")
    assert not place._ahead


def test_records_are_packed_in_place(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tla2py.store.pack._MOST_PACKS", 7)
    store = made(address, tmp_path)
    big = executed(tmp_path, "b" * 32, "deadlock")
    (big.folders[0] / "stdout.txt").write_bytes(output := os.urandom(3 << 20))
    store.write_record(big)
    store.storage.write({f"records/{'0' * 32}.zip": lambda sink: sink.write(b"PK half of it")})
    reader = Store(address)
    assert not identities(reader)
    for generation in range(1, 10):
        store.write_record(executed(tmp_path / str(generation), f"{generation:032}", "invariant"))
        store.pack()
    ids = Store(address).record_ids()
    run_ids = identities(Store(address)).keys()
    assert run_ids == {"a" * 32, "b" * 32, *(f"{number:032}" for number in range(1, 10))}
    assert ({*ids.loose}, len(ids.packs)) == ({"0" * 32}, 2)
    assert len(store.storage.names("records")) == 2 * len(ids.packs) + 1
    for each in (reader, store):
        each.prefetch(run_ids)
        for run_id in run_ids:
            with each.archive(run_id) as archive, archive.stdout(1) as stdout:
                assert archive.record.run_id == run_id
                assert (stdout.read() == output) == (run_id == "b" * 32)
    # A reader of before finds records in the packs that replaced others.
    for generation in range(10, 17):
        store.write_record(executed(tmp_path / str(generation), f"{generation:032}", "invariant"))
        store.pack()
    with reader.archive(f"{9:032}") as archive:
        assert archive.record.run_id == f"{9:032}"
    for missing in ("0" * 32, "c" * 32):
        assert refusal(reader.archive(missing).__enter__).code == "record-damaged"


def test_a_store_is_pruned_where_it_is(address: str, tmp_path: Path) -> None:
    store = made(address, tmp_path)
    store.write_record(executed(tmp_path, "b" * 32, "deadlock"))
    store.storage.make(("inputs", f"outputs/{'b' * 32}/deep"))
    leftovers = [f"inputs/{'9' * 64}", f"outputs/{'b' * 32}/deep/log.txt"]
    store.storage.write({name: lambda sink: sink.write(b"x") for name in leftovers})
    refresh_tables(store)
    store.write_probes(())
    foreseen = prune(store, dry_run=True)
    assert foreseen.counts == {"record": 1, "output": 1, "source": 2, "input": 1}
    assert prune(store) == foreseen
    assert store.recorded() == {"a" * 32}
    assert not any(map(store.storage.tree, ("outputs", "inputs")))
    assert not prune(store, dry_run=True).counts
    assert len(run_rows(table_files(store, "runs"))) == 1


def test_one_sweep_at_a_time(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"s3://{bucket}/one"
    store = Store.create(address)
    with store.lock():
        assert len(store.storage.names("claims")) == 1
        assert refusal(lambda: Store(address).lock().__enter__()).code == "store-busy"
        assert len(store.storage.names("claims")) == 1
    assert not store.storage.names("claims")
    # The claim of a machine that disappeared expires.
    words = json.dumps({"host": "far", "machine": "another", "pid": os.getpid()}).encode()
    store.storage.write({"claims/x.json": lambda sink: sink.write(words)})
    busy = refusal(lambda: store.lock().__enter__())
    assert (busy.code, "far" in str(busy)) == ("store-busy", True)
    monkeypatch.setattr(remote, "_EXPIRY_SECONDS", 0.5)
    time.sleep(1.6)  # The times of objects are whole seconds.
    with store.lock():
        assert "x.json" not in store.storage.names("claims")


def test_a_claim_lasts_as_long_as_its_process(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_RENEWAL_SECONDS", 0.1)
    store = Store.create(f"s3://{bucket}/renewed")
    with store.lock():
        first = store.storage.stamps("claims")
        time.sleep(1.3)
        assert store.storage.stamps("claims").keys() == first.keys()
        assert store.storage.stamps("claims") != first
    assert not store.storage.names("claims")
    address = f"s3://{bucket}/held"
    program = f"import os\nfrom tla2py.store.store import Store\nwith Store({address!r}).lock(): os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    store = Store(address)
    assert len(store.storage.names("claims")) == 1
    with store.lock():
        assert len(store.storage.names("claims")) == 1


def test_who_is_not_let_in(storage: Storage, bucket: str, tmp_path: Path) -> None:
    address = storage.uri(f"{bucket}/runs")
    store = made(address, tmp_path)
    refresh_tables(store)
    storage.check_credentials(0)
    try:
        acts: tuple[Callable[[], object], ...] = (lambda: Store.open(address), lambda: Store.create(address))
        acts += (lambda: store.write_manifest(MANIFEST, POINTS, {}), lambda: store.lock().__enter__())
        for told in map(refusal, acts):
            assert told.code == "store-denied"
            assert "AWS_ACCESS_KEY_ID" in str(told)
    finally:
        storage.check_credentials(None)


def forward(source: socket.socket, sink: socket.socket) -> None:
    """Forward data one way until an end closes; the thread of the other way then closes its socket too."""
    with source:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


def serve_between(door: socket.socket, endpoint: str) -> None:
    """Accept connections and forward their data until the door is closed."""
    host, port = endpoint.split(":")
    while True:
        try:
            ours = door.accept()[0]
        except OSError:
            return
        theirs = socket.create_connection((host, int(port)))
        for pair in ((ours, theirs), (theirs, ours)):
            threading.Thread(target=forward, args=pair, daemon=True).start()


@pytest.mark.long
def test_a_server_that_is_away_a_moment_costs_nothing(storage: Storage, bucket: str, tmp_path: Path) -> None:
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    address = f"s3://{bucket}/away?endpoint_override=127.0.0.1:{door.getsockname()[1]}&scheme=http"
    run = executed(tmp_path, "a" * 32, "invariant")

    def open_door() -> None:
        time.sleep(8)
        door.listen()
        serve_between(door, storage.endpoint)

    threading.Thread(target=open_door, daemon=True).start()
    began = time.monotonic()
    Store(address).write_record(run)
    assert time.monotonic() - began > 7
    # A thread blocked in accept would not notice the close.
    door.shutdown(socket.SHUT_RDWR)
    door.close()
    assert Store(f"s3://{bucket}/away").recorded() == {"a" * 32}


@pytest.mark.long
def test_a_server_that_goes_away(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        address = served.uri(f"{served.bucket('gone')}/runs")
        store = made(address, tmp_path)
    run = executed(tmp_path / "b", "b" * 32, "invariant")
    assert refusal(lambda: store.write_record(run)).code == "store-unreachable"


def test_addresses() -> None:
    assert below("runs", "mine") == Path("runs/mine")
    assert below("file:///data", "mine") == Path("/data/mine")
    assert below("s3://bucket/runs/?scheme=http", "mine") == "s3://bucket/runs/mine?scheme=http"
    # ``Path`` drops one of the slashes.
    assert Store(Path("s3://bucket/runs")).path == "s3://bucket/runs"
