"""Stores: files are written whole or not at all, and other folders are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.command import tool
from tests.conftest import file_size_limit
from tests.raising import raises
from tests.stores import table_rows
from tests.unit.records import executed
from tests.unit.rows import mutant_row
from tla2py.errors import StoreError
from tla2py.model.mutant import LeftOut, MutantReport
from tla2py.model.run import digest_text
from tla2py.store.manifest import STORE_VERSION, Manifest, ManifestParameter
from tla2py.store.refresh import refresh_tables
from tla2py.store.store import ManifestPoint, Store, points_table

MANIFEST = Manifest(
    tla2py_version="1.2.3",
    name="tiny",
    modules=["Spec"],
    sweep='module = "Spec.tla"\n',
    parameters=[ManifestParameter(name="N", kind="constant", column="N", type="integer")],
)
POINTS = points_table(MANIFEST.parameters, [ManifestPoint(point=1, run_id="a" * 32, parameters={"N": "1"})])


def stated(store: Store) -> Manifest:
    """A store's manifest without the name of its points table."""
    return msgspec.structs.replace(store.manifest(), points="")


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "store"


@pytest.fixture
def store(path: Path) -> Store:
    """A store with its manifest and the record of one run."""
    made = Store.create(path)
    made.write_manifest(MANIFEST, POINTS, {digest_text("text\n"): "text\n"})
    made.write_record(executed(path.parent, "a" * 32, "invariant"))
    return made


def test_a_store_that_is_only_named_touches_nothing(path: Path) -> None:
    Store(path)
    assert not path.exists()
    raises(StoreError, Store.open, path)
    assert not path.exists()


def test_what_is_written_reads_back(store: Store, path: Path) -> None:
    assert stated(Store.open(path)) == MANIFEST
    assert (path / "sources" / f"{digest_text('text' + chr(10))}.tla").read_text() == "text\n"
    with Store.open(path).archive("a" * 32) as archive:
        assert archive.record == executed(path.parent / "again", "a" * 32, "invariant").record
    assert stated(Store.create(path)) == MANIFEST
    assert not list(path.rglob(".tmp-*"))
    # Sources are written once.
    source = next((path / "sources").iterdir())
    before = source.stat().st_mtime_ns
    store.write_manifest(MANIFEST, POINTS, {source.stem: "text\n"})
    assert source.stat().st_mtime_ns == before


@pytest.mark.parametrize("begun", [False, True])
def test_an_empty_folder_and_a_store_whose_making_was_cut_short_become_stores(
    path: Path, begun: bool
) -> None:
    path.mkdir(parents=True)
    made = Store.create(path) if begun else Store(path)
    with made.lock():
        if begun:
            (path / "sources" / "0.tla").write_text("text")
            (path / ".tmp-half").write_text("{")
    assert raises(StoreError, Store.open, path).code == "not-a-store"
    Store.create(path).write_manifest(MANIFEST, POINTS, {})
    assert stated(Store.open(path)) == MANIFEST


@pytest.mark.parametrize("run", ["../../x", "", "a b", "a\n"])
def test_no_run_leads_out_of_the_store(store: Store, run: str) -> None:
    odd = points_table([], [ManifestPoint(point=1, run_id=run, parameters={})])
    store.write_manifest(msgspec.structs.replace(MANIFEST, parameters=[]), odd, {})
    assert raises(StoreError, store.points, match="is not a run").code == "not-a-store"


def test_points_are_written_anew_if_they_are_damaged(store: Store, path: Path) -> None:
    [file] = (path / "points").iterdir()
    data = file.read_bytes()
    for place in range(0, len(data), 7):
        file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        raises(StoreError, store.points_table, match="is damaged")
    for damage in (file.read_bytes(), b"half", None):
        file.write_bytes(damage) if damage else file.unlink()
        assert raises(StoreError, store.points).code == "not-a-store"
        store.write_manifest(MANIFEST, POINTS, {})
        assert store.points_table() == POINTS
    other = points_table(MANIFEST.parameters, [])
    store.write_manifest(MANIFEST, other, {})
    assert [each.name for each in (path / "points").iterdir()] != [file.name]
    assert len(store.points()) == 0


@pytest.mark.parametrize(
    "text",
    [
        *(None, "", "not json", "[]", "3", "{}", "\xff"),
        '{"format": "other"}',
        '{"format": "tla2py-store"}',
        '{"format": "tla2py-store", "version": "new"}',
        '{"format": "tla2py-store", "version": null, "points": 3}',
    ],
)
def test_what_is_not_a_store_is_left_alone(path: Path, text: str | None) -> None:
    path.mkdir(parents=True)
    (path / "precious.txt").write_text("mine")
    if text is not None:
        (path / "store.json").write_text(text, encoding="latin-1")
    before = files(path)
    for use in (Store.open, Store.create):
        raised = raises(StoreError, use, path)
        assert raised.code == "not-a-store"
        assert len(str(raised).splitlines()) <= 2
    assert files(path) == before
    assert [entry.name for entry in path.iterdir() if entry.is_dir()] == []
    for use in (Store.open, Store.create):
        assert raises(StoreError, use, path / "precious.txt").code == "not-a-store"
    assert files(path) == before


def test_a_newer_store_is_refused(store: Store, path: Path) -> None:
    data = json.loads((path / "store.json").read_text())
    # A newer store shares only the version with ours.
    newer = {"format": data["format"], "version": STORE_VERSION + 1, "tla2py_version": "99.0"}
    (path / "store.json").write_text(json.dumps(newer))
    before = files(path)
    for use in (Store.open, Store.create):
        assert raises(StoreError, use, path, match=r"99\.0").code == "store-too-new"
    assert files(path) == before


def test_a_full_disk_leaves_what_was_there(store: Store, path: Path) -> None:
    before = files(path)
    big = executed(path.parent / "big", "b" * 32, "invariant")
    (big.folders[0] / "stdout.txt").write_bytes(os.urandom(1 << 20))
    attempts: list[Callable[[], None]] = [
        lambda: store.write_record(big),
        lambda: store.write_manifest(MANIFEST, POINTS, {digest_text("new"): "new" * 100_000}),
        lambda: store.storage.write({"store.json": lambda sink: sink.write(b"x" * 100_000)}),
    ]
    for attempt in attempts:
        with file_size_limit(1 << 16):
            assert raises(StoreError, attempt).code == "store-unwritable"
        assert files(path) == before
    store.write_record(big)
    assert "b" * 32 in store.recorded()


def test_a_file_is_written_whole_or_not_at_all(store: Store, path: Path) -> None:
    before = files(path)

    def half(sink: object) -> None:
        sink.write(b"half")  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.storage.write({"store.json": half})
    assert files(path) == before
    # A record is never seen half written.
    seen: list[list[str]] = []
    file = path / "records" / f"{'c' * 32}.zip"

    def slowly(sink: object) -> None:
        for _ in range(3):
            sink.write(b"part")  # type: ignore[attr-defined]
            seen.append([p.name for p in file.parent.glob("*.zip")])

    store.storage.write({f"records/{file.name}": slowly})
    assert all(file.name not in names for names in seen)
    assert file.read_bytes() == b"part" * 3


def test_one_sweep_at_a_time(store: Store, path: Path) -> None:
    program = f"from pathlib import Path\nfrom tla2py.store.store import Store\nwith Store(Path({str(path)!r})).lock(): print('held')"
    with store.lock():
        with pytest.raises(StoreError) as raised, Store(path).lock():
            pass
        assert raised.value.code == "store-busy"
        other = tool(sys.executable, "-c", program)
        assert other.returncode == 1
        assert "another sweep is writing" in other.stderr
        # Reading still works.
        assert stated(Store.open(path)) == MANIFEST
    other = tool(sys.executable, "-c", program, check=True)
    assert other.stdout == "held\n"
    # A lock ends with its holder.
    killed = program.replace("print('held')", "import os; os.kill(os.getpid(), 9)")
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -9
    with store.lock():
        pass


def test_leftovers_of_a_killed_sweep_are_removed(store: Store, path: Path) -> None:
    before = files(path)
    tables = path / "tables"
    for folder in (path, path / "records", path / "sources", tables):
        (folder / ".tmp-half").write_bytes(b"half")
    (tables / ".tmp-folder").mkdir()
    (tables / ".tmp-folder" / "runs.parquet").write_bytes(b"half")
    with store.lock():
        after = files(path)
    after.pop(".lock")
    assert after == before
    assert not list(tables.iterdir())


def test_an_address_is_a_folder() -> None:
    for address in ("runs/mine", "file:/data/runs", "file:///data/runs", "c:/runs", "odd:name"):
        folder = Path("/data/runs" if address.startswith("file:") else address)
        assert Store(address).path == Store(Path(address)).path == folder


def test_mutants_are_one_table(store: Store, path: Path) -> None:
    killed = mutant_row("a", "killed", "I", point=1, trace_length=3, run_id="r")
    left_out = (LeftOut(point=3, parameters="N=1", reason="no"),)
    report = MutantReport(
        sweep="s", mutants=(killed,), points=(1,), left_out=left_out, checks={"I": 2}, total=2
    )
    assert store.mutants() is None
    store.write_mutants(report)
    assert store.mutants() == report
    refresh_tables(store)
    assert table_rows(path, "mutants") == [msgspec.json.decode(msgspec.json.encode(killed))]
    # A round of mutants replaces the points.
    store.write_manifest(MANIFEST, POINTS, {})
    assert store.mutants() == report
    file = path / store.manifest().mutants
    file.write_bytes(file.read_bytes()[:-9] + bytes(9))
    raises(StoreError, store.mutants, match="is damaged")
    store.write_manifest(MANIFEST, POINTS, {})
    assert store.mutants() is None
