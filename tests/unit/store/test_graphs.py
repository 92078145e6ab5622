"""State graphs in parts: the rows do not depend on how a record is cut, nor on how many processes read it."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.unit.records import executed
from tla2py.errors import StoreError
from tla2py.store.graph_rows import GRAPH_TABLES
from tla2py.store.manifest import Manifest
from tla2py.store.refresh import refresh_tables, stored_table, table_files
from tla2py.store.store import ManifestPoint, Store, points_table
from tla2py.tlc.process.os_facts import Machine

RUN = "a" * 32
STATES = 300


def dump() -> str:
    """A graph as TLC writes it; the last states are there for the second time."""
    lines = ["strict digraph DiskGraph {", "nodesep=0.35;"]
    for number in range(STATES):
        style = ",style = filled]" if number < 3 else "];"
        label = f'/\\\\ n = {number}\\n/\\\\ of = [name |-> \\"\N{GREEK SMALL LETTER ALPHA}\\", id |-> m{number % 5}]'
        lines.append(f'{number - 150} [label="{label}"{style}')
        lines.append(f'{number - 150} -> {number - 149} [label="Add({number % 7})",color="black"];')
        lines.append(f'{number - 150} -> {number - 150} [style="dashed"];')
        # Parallel steps that TLC cannot tell apart, perhaps on both sides of a cut.
        lines += [f"{number - 150} -> 7;"] * 3
    lines += [line for line in lines if "[label=" in line and "->" not in line][:20]
    return "\n".join([*lines, "{rank = same; " + ";".join(map(str, range(900))) + ";}", "}"])


def describe(store: Store) -> None:
    points = points_table([], [ManifestPoint(point=1, run_id=RUN, parameters={})])
    manifest = Manifest(tla2py_version="0", name="graph", modules=["Spec"], sweep="", parameters=[])
    store.write_manifest(manifest, points, {})


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of one run whose graph has many small parts."""
    monkeypatch.setattr("tla2py.store.record.GRAPH_PART_BYTES", 2000)
    store = Store.create(tmp_path / "store")
    describe(store)
    run = executed(tmp_path / "streams", RUN, "success", "success")
    (run.folders[0] / "graph.dot").write_text(dump(), "utf-8")
    store.write_record(run)
    return store


def cores(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    machine = Machine(memory_bytes=1 << 30, cores=count, limited=False)
    monkeypatch.setattr("tla2py.store.refresh.this_machine", lambda: machine)


def tables(store: Store) -> list[list[dict[str, object]]]:
    with store.lock():
        refresh_tables(store, anew=True)
    return [stored_table(store, name).to_pylist() for name in GRAPH_TABLES]


def test_the_rows_are_the_same_however_many_processes_read_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores(monkeypatch, 1)
    alone = states, edges = tables(store)
    assert len(table_files(store, "graph_states")) == 1
    assert [row["fingerprint"] for row in states] == list(range(-150, 150))
    assert [row["initial"] for row in states] == [True] * 3 + [False] * (STATES - 3)
    assert states[7]["state"] == (
        '{"n":{"#bigint":"7"},"of":{"id":"m2","name":"\N{GREEK SMALL LETTER ALPHA}"},"#meta":{"modelValues":["m2"]}}'
    )
    assert edges[:2] == [
        {"run_id": RUN, "source": -150, "target": -149, "action": "Add", "action_args": ["0"]},
        {"run_id": RUN, "source": -150, "target": 7, "action": None, "action_args": None},
    ]
    assert len(edges) == 2 * STATES
    cores(monkeypatch, 2)
    assert tables(store) == alone
    assert len(table_files(store, "graph_edges")) == 2


def test_an_older_record_has_the_graph_in_one_piece(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores(monkeypatch, 1)
    before = tables(store)
    older = Store.create(tmp_path / "older")
    describe(older)
    target = tmp_path / "older.zip"
    with store.archive(RUN) as archive, zipfile.ZipFile(target, "w") as copy:
        parts = archive.graph_parts()
        blocks = (block for part in parts for block in archive.graph_blocks(part))
        copy.writestr("1/graph.dot", b"".join(blocks))
        for name in archive._archive.namelist():
            if name not in parts:
                copy.writestr(name, archive._archive.read(name))
    assert len(parts) > 20
    shutil.copy(target, tmp_path / "older" / "records" / f"{RUN}.zip")
    with older.archive(RUN) as archive:
        assert archive.graph_parts() == ["1/graph.dot"]
    assert tables(older) == before


def test_a_damaged_part_is_reported_by_whatever_process_reads_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores(monkeypatch, 2)
    [file] = (Path(store.path) / "records").glob("*.zip")
    content = file.read_bytes()
    place = content.index(b"1/graph-0009.dot")
    file.write_bytes(content[: place + 60] + bytes(50) + content[place + 110 :])
    with pytest.raises(StoreError) as caught, store.lock():
        refresh_tables(store, anew=True)
    assert caught.value.code == "record-damaged"
