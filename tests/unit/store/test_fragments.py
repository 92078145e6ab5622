"""Tables as fragments: whatever the fragments are, the rows are those of one derivation of all records."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest

from tests.stores import table_rows
from tests.unit.records import executed
from tests.unit.store.test_tables import CASES, make_store
from tla2py.analysis.view import open_view
from tla2py.cli.app import run_command
from tla2py.errors import StoreError
from tla2py.store import keep
from tla2py.store import keep as merge
from tla2py.store.derive import settle
from tla2py.store.fragments import (
    Fragment,
    PendingRuns,
    TableList,
    pending_names,
    read_list,
    write_list,
    write_pending,
)
from tla2py.store.points import points_table
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.store import Store
from tla2py.store.write import Group, derive_here, refresh_tables, row_counts, table_files, tables_current

Tables = Mapping[str, list[dict[str, object]]]


def all_rows(store: Store) -> Tables:
    return {name: table_rows(store.path, name) for name in TABLE_NAMES}


def list_of(store: Store) -> TableList:
    tables = read_list(store.storage)
    assert tables is not None
    return tables


def on_disk(store: Store) -> set[str]:
    """The names of the files of the tables."""
    return {str(file.relative_to(store.path)) for file in (Path(store.path) / "tables").glob("*/*.parquet")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Tables]:
    """A store of twelve runs and its rows, derived at once."""
    made = make_store(tmp_path_factory.mktemp("fragments") / "store", CASES * 2)
    refresh_tables(made)
    return made, all_rows(made)


@pytest.fixture
def store(whole: tuple[Store, Tables], tmp_path: Path) -> Store:
    """A copy with its tables."""
    return Store(shutil.copytree(whole[0].path, tmp_path / "copy"))


def with_points(store: Store, count: int) -> None:
    """Leave a store its first points."""
    manifest, points = store.manifest(), list(store.points())
    store.write_manifest(manifest, points_table(manifest.parameters, points[:count]), {})


@pytest.mark.parametrize("tier", [2, 3, 8])
def test_runs_that_come_one_by_one(
    whole: tuple[Store, Tables], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: int
) -> None:
    monkeypatch.setattr(merge, "_TIER", tier)
    made = make_store(tmp_path / "store", ())
    points = list(whole[0].points())
    manifest = made.manifest()
    # The last first, so that fragments are not in the order of the points.
    for number, case in reversed([*enumerate(CASES * 2, 1)]):
        made.write_record(executed(tmp_path / "streams", f"{number:032}", case))
        made.write_manifest(manifest, points_table(manifest.parameters, points), {})
        assert refresh_tables(made)
        assert not refresh_tables(made)
        assert on_disk(made) >= set(list_of(made).names)
    assert all_rows(made) == whole[1]
    assert len(list_of(made).fragments) < 12
    assert refresh_tables(made, anew=True)
    assert all_rows(made) == whole[1]


def test_groups_of_one_run(
    whole: tuple[Store, Tables], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep, "_GROUP_RUNS", 1)
    monkeypatch.setattr(merge, "_TIER", 100)
    refresh_tables(store, anew=True)
    assert len(list_of(store).fragments) == 12
    assert all_rows(store) == whole[1]
    assert open_view(store.path).trace(2).states == open_view(whole[0].path).trace(2).states
    monkeypatch.setattr(merge, "_TIER", 8)
    with_points(store, 11)
    refresh_tables(store)
    assert sorted(each.runs for each in list_of(store).fragments) == [1, 1, 1, 8]
    assert table_rows(store.path, "runs") == whole[1]["runs"][:11]


def test_rows_of_runs_without_a_point_are_dropped_and_come_back(
    whole: tuple[Store, Tables], store: Store
) -> None:
    points = list(store.points())
    with_points(store, 6)
    assert not tables_current(store)
    assert refresh_tables(store)
    assert [each.runs for each in list_of(store).fragments] == [6]
    kept = {f"{number:032}" for number in range(1, 7)}
    for name, rows in whole[1].items():
        assert table_rows(store.path, name) == [row for row in rows if row["run_id"] in kept]
    manifest = store.manifest()
    store.write_manifest(manifest, points_table(manifest.parameters, points), {})
    refresh_tables(store)
    assert all_rows(store) == whole[1]


def test_a_record_that_is_another_is_derived_again(store: Store, tmp_path: Path) -> None:
    store.write_record(executed(tmp_path / "new", f"{1:032}", "deadlock"))
    assert refresh_tables(store)
    assert table_rows(store.path, "runs")[0]["outcome"] == "violation_deadlock"
    assert [each.runs for each in list_of(store).fragments] == [11, 1]


def test_fragments_that_workers_leave(whole: tuple[Store, Tables], tmp_path: Path) -> None:
    made = make_store(tmp_path / "store", CASES * 2)
    run_ids = [point.run_id for point in made.points()]
    # A process that has nothing but the address.
    first = settle(Store(made.path), run_ids[:5], 1)
    again = settle(Store(made.path), run_ids[4:9], 1)
    assert first is not None
    assert again is not None
    assert (first.runs, again.runs) == (5, 4)
    assert settle(Store(made.path), ["f" * 32], 1) is None
    assert len(pending_names(made.storage)) == 2
    assert refresh_tables(made)
    assert not pending_names(made.storage)
    assert {first.id, again.id} < {each.id for each in list_of(made).fragments}
    assert all_rows(made) == whole[1]
    # A task that is repeated after the refresh.
    write_pending(made.storage, first)
    refresh_tables(made)
    assert all_rows(made) == whole[1]
    assert row_counts(made)["runs"] == 12


@pytest.mark.parametrize("name", ["results", "states", "coverage", "diagnostics"])
@pytest.mark.parametrize("how", ["edited", "gone"])
def test_a_damaged_fragment_is_derived_again(
    whole: tuple[Store, Tables], store: Store, name: str, how: str
) -> None:
    [fragment] = list_of(store).fragments
    file = Path(store.path) / "tables" / name / f"{fragment.id}.parquet"
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-9] + bytes(9))
    if name == "results":
        # Its readers are the refreshes.
        (Path(store.path) / "tables" / "runs" / f"{list_of(store).runs.id}.parquet").unlink()
    assert all_rows(store) == whole[1]


@pytest.mark.parametrize("damage", [b"tracex", b""])
def test_a_damaged_list_or_pending_fragment_hides_no_rows(
    whole: tuple[Store, Tables], tmp_path: Path, damage: bytes
) -> None:
    made = make_store(tmp_path / "store", CASES * 2)
    settle(Store(made.path), [point.run_id for point in made.points()], 1)
    [pending] = (Path(made.path) / "tables" / "pending").iterdir()
    for file in (pending, Path(made.path) / "tables" / "current.json"):
        data = file.read_bytes()
        assert b"traces" in data
        file.write_bytes(data.replace(b"traces", damage) if damage else data[: len(data) // 2])
        refresh_tables(made)
        assert all_rows(Store(made.path)) == whole[1]


def test_a_reader_of_the_list_before_finishes(whole: tuple[Store, Tables], store: Store) -> None:
    before = {name: table_files(store, name) for name in TABLE_NAMES}
    refresh_tables(store, anew=True)
    assert all(file.exists() for files in before.values() for file in files)
    refresh_tables(store, anew=True)
    assert not any(file.exists() for files in before.values() for file in files)
    tables = list_of(store)
    assert on_disk(store) == {*tables.names, *tables.retired}
    assert all_rows(store) == whole[1]


KILLED = """
import os, sys
from tla2py.store.store import Store
from tla2py.store import derive, write
module, name = sys.argv[2].split(".")
module = {"derive": derive, "write": write}[module]
setattr(module, name, lambda *_, **__: os.kill(os.getpid(), 9))
write.refresh_tables(Store(sys.argv[1]), anew=True)
"""


@pytest.mark.parametrize(
    "where", ["derive.write_pending", "write.write_list", "write.pending_name", "write._join"]
)
def test_a_kill_loses_nothing(whole: tuple[Store, Tables], store: Store, where: str) -> None:
    before = all_rows(store)
    done = subprocess.run([sys.executable, "-c", KILLED, str(store.path), where], check=False)
    assert done.returncode == -9
    assert all_rows(store) == before
    refresh_tables(store)
    refresh_tables(store, anew=True)
    assert all_rows(store) == whole[1]
    tables = list_of(store)
    assert on_disk(store) == {*tables.names, *tables.retired}
    assert not pending_names(store.storage)


def test_tables_of_version_1_are_read_while_the_store_cannot_be_written(
    whole: tuple[Store, Tables], store: Store
) -> None:
    old = {
        name: pq.read_table(table_files(store, name)[0]) for name in TABLE_NAMES if table_files(store, name)
    }
    tables = Path(store.path) / "tables"
    shutil.rmtree(tables)
    tables.mkdir()
    for name, table in old.items():
        pq.write_table(table, tables / f"{name}.parquet")
    digests = {file.stem: _sha256(file) for file in tables.iterdir()}
    (tables / "digests.json").write_text(json.dumps({"made_from": "then", "size": {}, "sha256": digests}))
    with store.lock():
        assert len(open_view(store.path).run_rows) == 12
        assert open_view(store.path).arrow("states").to_pylist() == whole[1]["states"]
    # Carried over once it can.
    assert open_view(store.path).arrow("runs").to_pylist() == whole[1]["runs"]
    refresh_tables(store, anew=True)
    assert not [*tables.glob("*.parquet")]
    assert not (tables / "digests.json").exists()


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_list_that_names_files_elsewhere_is_not_believed(store: Store, tmp_path: Path) -> None:
    mine = tmp_path / "mine.parquet"
    mine.write_text("mine")
    tables = read_list(store.storage)
    assert tables is not None
    write_list(store.storage, msgspec.structs.replace(tables, retired=["tables/../../mine.parquet"]))
    assert read_list(store.storage) is None
    refresh_tables(store)
    assert mine.read_text() == "mine"


@pytest.mark.parametrize(("sweep_file", "derived"), [("Spec.tla", True), ("other.toml", False)])
def test_rows_that_name_a_file_that_changed_are_derived_again(
    tmp_path: Path, sweep_file: str, derived: bool
) -> None:
    made = make_store(tmp_path / "store", ("parse-error", "invariant"))
    manifest = msgspec.structs.replace(made.manifest(), sweep_file=sweep_file)
    made.write_manifest(manifest, made.points_table(), {})
    refresh_tables(made)
    before = {each.id for each in list_of(made).fragments}
    assert "Spec.tla" in {row["file"] for row in table_rows(made.path, "diagnostics")}
    manifest = msgspec.structs.replace(manifest, sweep="# a line more\n")
    made.write_manifest(manifest, made.points_table(), {})
    assert refresh_tables(made)
    assert ({each.id for each in list_of(made).fragments} != before) is derived


def test_the_command(whole: tuple[Store, Tables], store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    before = {each.id for each in list_of(store).fragments}
    run_command(["tables", str(store.path)])
    shown = capsys.readouterr().out
    assert "states" in shown
    assert f"{len(whole[1]['states'])}" in shown
    assert before.isdisjoint(each.id for each in list_of(store).fragments)
    assert all_rows(store) == whole[1]


def test_packs_that_are_missing_are_named_until_tables_are_made_without_them(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packs = sorted((Path(store.path) / "records").glob("pack-*"))
    kept = {file: shutil.copy(file, tmp_path) for file in packs}
    for file in packs:
        file.unlink()
    with pytest.raises(StoreError, match=f"12 runs .* no records/{packs[1].name}") as error:
        open_view(store.path)
    assert error.value.code == "records-lost"
    for file, copy in kept.items():
        shutil.copy(copy, file)
    assert len(open_view(store.path).run_rows) == 12
    for file in packs:
        file.unlink()
    store.write_record(executed(tmp_path / "streams", f"{1:032}", CASES[0]))
    with pytest.raises(StoreError, match="11 runs"):
        open_view(store.path)
    run_command(["tables", str(store.path)])
    assert "lacks the records of 11 runs" in capsys.readouterr().err
    assert len(open_view(store.path).run_rows) == 1


def test_runs_are_counted_as_their_rows_are_made(store: Store) -> None:
    pending = PendingRuns(store.storage)
    counts = []

    def derive(store: Store, groups: Iterable[Group]) -> Iterator[Fragment]:
        counts.append(pending.count())
        yield from derive_here(store, groups)
        counts.append(pending.count())

    with store.lock():
        refresh_tables(store, derive=derive, anew=True)
    assert counts == [0, 12]
