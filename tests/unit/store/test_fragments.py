"""Tables as fragments: whatever the fragments are, the rows are those of one derivation of all records."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from tests.raising import raises
from tests.stores import table_rows
from tests.unit.records import executed
from tests.unit.store.test_tables import CASES, make_store
from tla2py.analysis.view import open_view
from tla2py.cli.app import run_command
from tla2py.errors import StoreError
from tla2py.store import refresh
from tla2py.store.foreign import open_tables
from tla2py.store.fragments import Fragment, TableList, read_list, write_list
from tla2py.store.record_rows import derive_fragment
from tla2py.store.refresh import Group, refresh_tables, row_counts, stored_table, tables_current
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.store import ManifestPoint, Store, points_table

Tables = Mapping[str, list[dict[str, object]]]


def all_rows(store: Store) -> Tables:
    return {name: table_rows(store.path, name) for name in TABLE_NAMES}


def list_of(store: Store) -> TableList:
    tables = read_list(store.storage)
    assert tables is not None
    return tables


def table_names(tables: TableList) -> set[str]:
    return {*tables.names} - {tables.manifest.points}


def on_disk(store: Store) -> set[str]:
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


def runs_of(fragment: Fragment) -> int:
    return sum(file.rows for file in fragment.files["results"])


def test_runs_that_come_one_by_one(
    whole: tuple[Store, Tables], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "_MOST_FRAGMENTS", 4)
    made = make_store(tmp_path / "store", ())
    points, counts = list(whole[0].points()), []
    manifest = made.manifest()
    # The last first, so that fragments are not in the order of the points.
    for number, case in reversed([*enumerate(CASES * 2, 1)]):
        made.write_record(executed(tmp_path / "streams", f"{number:032}", case))
        made.write_manifest(manifest, points_table(manifest.parameters, points), {})
        assert refresh_tables(made)
        assert not refresh_tables(made)
        assert on_disk(made) >= table_names(list_of(made))
        counts.append([runs_of(each) for each in list_of(made).fragments])
    assert counts[3:5] == [[1, 1, 1, 1], [5]]
    assert [len(each) for each in counts] == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]
    assert all_rows(made) == whole[1]
    # All anew, also in groups of one run.
    for group in (refresh._GROUP_RUNS, 1):
        monkeypatch.setattr(refresh, "_GROUP_RUNS", group)
        assert refresh_tables(made, anew=True)
        assert [runs_of(each) for each in list_of(made).fragments] == [12]
        assert all_rows(made) == whole[1]


def test_a_large_fragment_is_not_written_anew(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "_MOST_FRAGMENTS", 1)
    monkeypatch.setattr(refresh, "_LARGE", list_of(store).fragments[0].size - 1)
    [large] = list_of(store).fragments
    parameters = {"N": "1", "Flag": "TRUE", "depth": "1"}
    more = [ManifestPoint(point=n, run_id=f"{n:032}", parameters=parameters) for n in (14, 15)]
    points = points_table(store.manifest().parameters, [*store.points(), *more])
    store.write_manifest(store.manifest(), points, {})
    for number in (14, 15):
        store.write_record(executed(tmp_path / f"{number}", f"{number:032}", "success"))
        refresh_tables(store)
    assert [runs_of(each) for each in list_of(store).fragments] == [12, 2]
    assert list_of(store).fragments[0] == large


def test_rows_of_runs_without_a_point_are_dropped_and_come_back(
    whole: tuple[Store, Tables], store: Store
) -> None:
    manifest, points = store.manifest(), list(store.points())
    store.write_manifest(manifest, points_table(manifest.parameters, points[:6]), {})
    assert not tables_current(store)
    assert refresh_tables(store)
    assert [runs_of(each) for each in list_of(store).fragments] == [6]
    kept = {f"{number:032}" for number in range(1, 7)}
    for name, rows in whole[1].items():
        assert table_rows(store.path, name) == [row for row in rows if row["run_id"] in kept]
    store.write_manifest(manifest, points_table(manifest.parameters, points), {})
    refresh_tables(store)
    assert all_rows(store) == whole[1]


def test_a_record_that_is_another_is_derived_again(store: Store, tmp_path: Path) -> None:
    store.write_record(executed(tmp_path / "new", f"{1:032}", "deadlock"))
    assert refresh_tables(store)
    assert table_rows(store.path, "runs")[0]["outcome"] == "violation_deadlock"
    assert [runs_of(each) for each in list_of(store).fragments] == [11, 1]


def test_fragments_that_others_make(whole: tuple[Store, Tables], tmp_path: Path) -> None:
    made = make_store(tmp_path / "store", CASES * 2)

    def derive(store: Store, groups: Iterable[Group]) -> Iterator[Fragment]:
        for group in groups:
            for run_id, record in group.items():
                # A process that has nothing but the address.
                fragment = derive_fragment(Store(store.path), [{run_id: record, "f" * 32: record}])
                assert fragment is not None
                yield fragment

    assert derive_fragment(made, [{"f" * 32: "1-0"}]) is None
    assert refresh_tables(made, derive=derive)
    [fragment] = list_of(made).fragments
    assert (runs_of(fragment), len(fragment.files["results"])) == (12, 12)
    assert all_rows(made) == whole[1]
    assert row_counts(made)["runs"] == 12


@pytest.mark.parametrize("name", ["results", "states", "coverage", "diagnostics"])
@pytest.mark.parametrize("how", ["edited", "gone"])
def test_a_damaged_fragment_is_derived_again(
    whole: tuple[Store, Tables], store: Store, name: str, how: str
) -> None:
    [written] = list_of(store).of(name)
    file = Path(store.path) / written.name
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-9] + bytes(9))
    if name == "results":
        # Its readers are the refreshes.
        (Path(store.path) / list_of(store).of("runs")[0].name).unlink()
    assert all_rows(store) == whole[1]


@pytest.mark.parametrize("damage", [b"tracex", b""])
def test_a_damaged_list_hides_no_rows(whole: tuple[Store, Tables], store: Store, damage: bytes) -> None:
    file = Path(store.path) / "tables" / "current.json"
    data = file.read_bytes()
    assert b"traces" in data
    file.write_bytes(data.replace(b"traces", damage) if damage else data[: len(data) // 2])
    refresh_tables(store)
    assert all_rows(Store(store.path)) == whole[1]


def test_a_reader_sees_one_moment(
    whole: tuple[Store, Tables], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, points = open_tables(store.path), list(store.points())
    for count in (3, 12, 6):
        # Each time the rows of other runs are dropped, and the points are others.
        manifest = msgspec.structs.replace(store.manifest(), name=f"{count}")
        store.write_manifest(manifest, points_table(manifest.parameters, points[:count]), {})
        assert len(open_tables(store.path).points()) == count
        assert (reader.manifest().name, len(reader.points())) == ("cases", 13)
        assert {name: stored_table(reader, name).to_pylist() for name in TABLE_NAMES} == whole[1]
    tables = list_of(store)
    assert on_disk(store) == table_names(tables) | {each for each in tables.retired if "tables" in each}
    # A while later nobody reads them any more.
    monkeypatch.setattr(refresh, "_RETIRED_SECONDS", 0.0)
    refresh_tables(store, anew=True)
    assert on_disk(store) == table_names(list_of(store))
    [points_file] = (Path(store.path) / "points").iterdir()
    assert points_file.name == Path(store.manifest().points).name


def test_a_sweep_does_not_change_what_readers_see_until_its_end(store: Store) -> None:
    with store.lock():
        manifest = msgspec.structs.replace(store.manifest(), name="next")
        store.write_manifest(manifest, points_table(manifest.parameters, []), {})
        view = open_view(store.path)
        assert (view.manifest.name, len(view.points), len(view.run_rows)) == ("cases", 13, 12)
        refresh_tables(store)
    view = open_view(store.path)
    assert (view.manifest.name, len(view.points), len(view.run_rows)) == ("next", 0, 0)


KILLED = """
import os, sys
from tla2py.store.store import Store
from tla2py.store import refresh
from tla2py.store import record_rows
module, name = sys.argv[2].split(".")
module = {"record_rows": record_rows, "refresh": refresh}[module]
setattr(module, name, lambda *_, **__: os.kill(os.getpid(), 9))
refresh.refresh_tables(Store(sys.argv[1]), anew=True)
"""


@pytest.mark.parametrize(
    "where", ["record_rows.fragment_of", "refresh._merged", "refresh._join", "refresh.write_list"]
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
    assert on_disk(store) == table_names(tables) | {each for each in tables.retired if "tables" in each}


def test_a_list_that_names_files_elsewhere_is_not_believed(store: Store, tmp_path: Path) -> None:
    mine = tmp_path / "mine.parquet"
    mine.write_text("mine")
    listed = msgspec.structs.replace(list_of(store), retired={"tables/../../mine.parquet": 0.0})
    write_list(store.storage, listed)
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
    before = list_of(made).fragments
    assert "Spec.tla" in {row["file"] for row in table_rows(made.path, "diagnostics")}
    manifest = msgspec.structs.replace(manifest, sweep="# a line more\n")
    made.write_manifest(manifest, made.points_table(), {})
    assert refresh_tables(made)
    assert (list_of(made).fragments != before) is derived


def test_the_command(whole: tuple[Store, Tables], store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    before = list_of(store)
    run_command(["tables", str(store.path)])
    shown = capsys.readouterr().out
    assert "states" in shown
    assert f"{len(whole[1]['states'])}" in shown
    assert before.names & list_of(store).names == {store.manifest().points}
    assert all_rows(store) == whole[1]


def test_packs_that_are_missing_are_told_until_tables_are_made_without_them(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packs = sorted((Path(store.path) / "records").glob("pack-*"))
    kept = {file: shutil.copy(file, tmp_path) for file in packs}
    for file in packs:
        file.unlink()
    assert raises(StoreError, open_view, store.path, match="12 runs").code == "records-lost"
    for file, copy in kept.items():
        shutil.copy(copy, file)
    assert len(open_view(store.path).run_rows) == 12
    for file in packs:
        file.unlink()
    store.write_record(executed(tmp_path / "streams", f"{1:032}", CASES[0]))
    raises(StoreError, open_view, store.path, match="11 runs")
    run_command(["tables", str(store.path)])
    assert "lacks the records of 11 runs" in capsys.readouterr().err
    assert len(open_view(store.path).run_rows) == 1
