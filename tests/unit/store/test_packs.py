"""Packs of records lose nothing, and prune removes only what no point needs."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import msgspec
import pytest

from tests.command import tool
from tests.conftest import RunCli
from tests.stores import identities
from tests.unit.records import executed
from tests.unit.store.test_store import MANIFEST, POINTS, files
from tla2py.errors import StoreError
from tla2py.model.model import InputFile, Inputs
from tla2py.model.run import OUTPUTS, ModuleText, RunRecord, digest_text
from tla2py.store.pack import identity
from tla2py.store.refresh import prune
from tla2py.store.storage import Storage, Write
from tla2py.store.store import ManifestPoint, Store, points_table

CASES = ("invariant", "deadlock", "success")


def run_id(number: int) -> str:
    return f"{number:032}"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with three loose records."""
    made = Store.create(tmp_path / "store")
    made.write_manifest(MANIFEST, POINTS, {})
    for number, case in enumerate(CASES):
        made.write_record(executed(tmp_path / "streams", run_id(number), case))
    return made


def records(store: Store) -> Path:
    return Path(store.path) / "records"


def suffixes(store: Store) -> list[str]:
    return sorted(file.suffix for file in records(store).iterdir())


def read(store: Store) -> dict[str, tuple[RunRecord, bytes]]:
    """The record and the output of each run that a new process finds."""
    fresh, found = Store(store.path), {}
    for each in sorted(fresh.recorded()):
        with fresh.archive(each) as archive, archive.stdout(1) as stdout:
            found[each] = archive.record, stdout.read()
    return found


def damaged_record(store: Store, number: int, match: str | None = None) -> StoreError:
    """The error that reading the record of a run raises."""
    with pytest.raises(StoreError, match=match) as raised, store.archive(run_id(number)):
        pass
    return raised.value


def add_to(store: Store, folder: Path, number: int, case: str) -> None:
    store.write_record(executed(folder / f"again-{number}-{case}", run_id(number), case))


READ_AT_ONCE = """
import sys, threading
from tla2py.store.store import Store
sys.setswitchinterval(1e-6)
store = Store(sys.argv[1])
runs = sorted(store.recorded())
barrier, found = threading.Barrier(len(runs)), []
def read(run_id):
    barrier.wait()
    with store.archive(run_id) as archive:
        found.append(archive.record.run_id)
threads = [threading.Thread(target=read, args=(run_id,)) for run_id in runs]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(*sorted(found))
"""


def test_threads_read_the_first_records_of_a_process(store: Store) -> None:
    """Now and then msgspec crashed the process if several threads decoded its first record at once."""
    for _ in range(8):
        done = tool(sys.executable, "-c", READ_AT_ONCE, store.path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == [run_id(number) for number in range(len(CASES))]


def test_a_pack_holds_the_records_as_they_were(store: Store, tmp_path: Path) -> None:
    # A large one is read where it is.
    big = executed(tmp_path / "big", run_id(7), "invariant")
    (big.folders[0] / "stdout.txt").write_bytes(os.urandom(3 << 20))
    store.write_record(big)
    before = read(store)
    loose = {file.stem: file.read_bytes() for file in records(store).iterdir()}
    store.pack()
    assert read(store) == before
    assert suffixes(store) == [".parquet", ".zip"]
    [pack] = records(store).glob("*.zip")
    with zipfile.ZipFile(pack) as archive:
        assert {name.removesuffix(".zip"): archive.read(name) for name in archive.namelist()} == loose
        crcs = {info.filename: info.CRC for info in archive.infolist()}
    ids = store.record_ids()
    assert identities(store) == {each: identity(len(loose[each]), crcs[f"{each}.zip"]) for each in loose}
    assert list(identities(store)) == sorted(loose)
    assert ids.place("x")[0] == "records/x.zip"
    assert not ids.loose
    assert ids.generation() == 1


def test_a_loose_record_counts_before_packed_ones_and_the_last_pack_before_others(
    store: Store, tmp_path: Path
) -> None:
    for generation, case in enumerate(("invariant", "deadlock", "success"), 1):
        add_to(store, tmp_path, 0, case)
        loose = read(store)[run_id(0)]
        assert run_id(0) not in identities(store)
        store.pack()
        assert read(store)[run_id(0)] == loose
        assert len(identities(store)) == 3
        assert store.record_ids().generation() == generation


def test_a_reader_follows_a_record_into_packs(store: Store, tmp_path: Path) -> None:
    reader = Store(store.path)
    reader.record_ids()
    store.pack()
    for number in range(3, 12):
        add_to(store, tmp_path, number, "success")
        store.pack()
    with reader.archive(run_id(1)) as archive:
        assert archive.record.run_id == run_id(1)


def test_many_packs_become_one(store: Store, tmp_path: Path) -> None:
    store.pack()
    before = read(store)
    counts = []
    for number in range(3, 40):
        add_to(store, tmp_path, number, "success")
        before |= read(store)
        store.pack()
        counts.append(len(store.record_ids().packs))
    assert read(store) == before
    assert counts == [*range(2, 33), 1, *range(2, 7)]
    assert suffixes(store) == [".parquet"] * counts[-1] + [".zip"] * counts[-1]


def test_full_packs_stay(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tla2py.store.pack._RECORDS", 2)
    monkeypatch.setattr("tla2py.store.pack._MOST_PACKS", 2)
    before, counts = read(store), []
    for number in range(3, 9):
        store.pack()
        counts.append(len(store.record_ids().packs))
        add_to(store, tmp_path, number, "success")
        before |= read(store)
    # Two and one, then one more each time, of which no more than two are not full.
    assert counts == [2, 3, 3, 4, 4, 5]
    assert read(store) == before


def test_what_a_merge_replaces_is_not_copied(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tla2py.store.pack._MOST_PACKS", 7)
    for generation in range(1, 9):
        add_to(store, tmp_path / str(generation), 0, "success")
        store.pack()
    [pack] = store.record_ids().packs
    assert pack.entries.num_rows == 3


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda _: b"", lambda _: b"half" * 9]
)
def test_a_damaged_record_is_not_packed(store: Store, damage: Callable[[bytes], bytes]) -> None:
    file = records(store) / f"{run_id(1)}.zip"
    file.write_bytes(damage(file.read_bytes()))
    for _ in range(2):
        store.pack()
        assert ({*identities(store)}, {*store.record_ids().loose}) == ({run_id(0), run_id(2)}, {run_id(1)})
    assert damaged_record(store, 1).code == "record-damaged"


def test_a_pack_that_is_damaged_or_truncated_has_its_other_records(store: Store) -> None:
    before = read(store)
    store.pack()
    [pack] = records(store).glob("*.zip")
    data = bytearray(pack.read_bytes())
    place = store.record_ids().place(run_id(1))[0]
    assert not isinstance(place, str)
    data[place.offset + place.size // 2] ^= 1
    pack.write_bytes(data)
    assert damaged_record(store, 1, "CRC").code == "record-damaged"
    for whole in (0, 2):
        with store.archive(run_id(whole)) as archive:
            assert archive.record == before[run_id(whole)][0]
    pack.write_bytes(pack.read_bytes()[: place.offset + 10])
    for seen in (store, Store(store.path)):
        assert [*identities(seen)] == [run_id(0)]
    assert read(store).keys() == {run_id(0)}


@pytest.mark.parametrize("damage", [None, lambda data: data[:-9], lambda data: bytes(9) + data[9:]])
def test_a_lost_index_is_made_again(
    store: Store, tmp_path: Path, damage: Callable[[bytes], bytes] | None
) -> None:
    store.pack()
    add_to(store, tmp_path, 2, "deadlock")
    store.pack()
    assert store.record_ids().generation() == 2
    before = read(store)
    [_, file] = sorted(records(store).glob("*.parquet"))
    before_ids = identities(store)
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage(file.read_bytes()))
    assert read(store) == before
    assert identities(Store(store.path)) == before_ids
    Store(store.path).pack()
    assert suffixes(store) == [".parquet", ".parquet", ".zip", ".zip"]
    found = Store(store.path).record_ids()
    assert not any(pack.lost for pack in found.packs)
    assert (identities(store), found.generation(), read(store)) == (before_ids, 2, before)


def test_no_flipped_bit_in_an_index_gives_another_record(store: Store) -> None:
    store.pack()
    [file] = records(store).glob("*.parquet")
    data = file.read_bytes()
    for number in range(0, 8 * len(data), 37):
        flipped = bytearray(data)
        flipped[number // 8] ^= 1 << number % 8
        file.write_bytes(flipped)
        for name in identities(Store(store.path)):
            # A damaged record raises.
            with contextlib.suppress(StoreError), Store(store.path).archive(name) as archive:
                assert archive.record.run_id == name


def test_a_record_of_another_run_is_damaged(store: Store) -> None:
    shutil.copy(records(store) / f"{run_id(0)}.zip", records(store) / f"{run_id(1)}.zip")
    store.pack()
    damaged_record(store, 1, f"the record of {run_id(0)}")


class Killed(BaseException):
    """Ends a process at some step."""


def killed_after(store: Store, steps: int) -> bool:
    """Pack, and stop before the next of so many writes and removals; whether that was before the end."""
    left = steps

    def step() -> None:
        nonlocal left
        if not left:
            raise Killed
        left -= 1

    class Faulty(Storage):
        def write(self, files: Mapping[str, Write]) -> None:
            step()
            super().write(files)

        def remove(self, names: Iterable[str]) -> None:
            for name in names:
                step()
                super().remove([name])

    faulty = Store(store.path)
    faulty.storage = Faulty(Path(store.path))
    try:
        faulty.pack()
    except Killed:
        return True
    return False


def test_an_end_between_any_two_steps_loses_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tla2py.store.pack._MOST_PACKS", 7)
    for number in range(3, 10):
        store.pack()
        add_to(store, tmp_path, number, "success")
    add_to(store, tmp_path, 0, "success")
    before, steps, saved = read(store), 0, tmp_path / "saved"
    shutil.copytree(store.path, saved)
    for steps in count():
        ended = not killed_after(store, steps)
        assert read(store) == before
        store.pack()
        assert read(store) == before
        packs = len(store.record_ids().packs)
        assert suffixes(store) == [".parquet"] * packs + [".zip"] * packs
        if ended:
            assert packs == 1
            break
        shutil.rmtree(store.path)
        shutil.copytree(saved, store.path)
    assert steps > 20


TEXTS = {digest_text(text): text for text in ("first", "second", "wrapper", "nobody's")}
FIRST, SECOND, WRAPPER, NOBODYS = TEXTS


def write(prune_store: Store, folder: Path, number: int, *texts: str) -> None:
    """Write a record that names modules, an input and an output."""
    run = executed(folder / f"{number}", run_id(number), "invariant")
    output = run.folders[0] / OUTPUTS / "out" / "log.txt"
    output.parent.mkdir(parents=True)
    output.write_text("x" * 1000)
    modules = tuple(map(ModuleText, ("Spec.tla", "Other.tla"), texts))
    inputs = Inputs(files=(InputFile("in.txt", f"{number:064}"),))
    outputs = (InputFile("out/log.txt", "0" * 64),)
    record = replace(run.record, modules=modules, inputs=inputs, outputs=outputs)
    prune_store.write_record(replace(run, record=record))
    prune_store.storage.make(("inputs",))
    prune_store.storage.write({f"inputs/{number:064}": lambda sink: sink.write(b"in")})


def point_at(prune_store: Store, *numbers: int) -> None:
    """Make the points those with these runs."""
    runs = enumerate(map(run_id, numbers), 1)
    points = [ManifestPoint(point=index, run_id=run, parameters={"N": "1"}) for index, run in runs]
    manifest = msgspec.structs.replace(MANIFEST, files={FIRST: "First.tla"})
    prune_store.write_manifest(manifest, points_table(MANIFEST.parameters, points), TEXTS)


@pytest.fixture
def prune_store(tmp_path: Path) -> Store:
    """A store with the records of six runs, of which points refer to 1, 2 and 4, and with 5 as a probe.

    1 and 2 share a pack with 3; 4 and 6 are loose.
    """
    made = Store.create(tmp_path / "store")
    point_at(made, 1, 2, 4, 7)
    for number in (1, 2, 3):
        write(made, tmp_path / "streams", number, FIRST, *[SECOND] * (number == 3))
    made.pack()
    write(made, tmp_path / "streams", 5, SECOND)
    made.pack()
    for number in (4, 6):
        write(made, tmp_path / "streams", number, FIRST, *[WRAPPER] * (number == 4))
    made.write_probes([run_id(5)])
    return made


def used(folder: Path) -> set[str]:
    """The files beside tables and records."""
    return {name for name in files(folder) if name.partition("/")[0] in ("sources", "inputs", "outputs")}


def test_nothing_that_a_point_needs_is_removed(prune_store: Store, tmp_path: Path) -> None:
    before = files(tmp_path / "store")
    foreseen = prune(prune_store, dry_run=True)
    assert files(tmp_path / "store") == before
    assert prune(prune_store) == foreseen
    assert foreseen.counts == {"record": 2, "output": 2, "source": 1, "input": 2}
    assert foreseen.size > 2000
    kept = {run_id(number) for number in (1, 2, 4, 5)}
    assert prune_store.recorded() == kept
    for each in kept:
        with Store(prune_store.path).archive(each) as archive:
            assert archive.record.run_id == each
    assert used(tmp_path / "store") == {
        *(f"sources/{text}.tla" for text in (FIRST, SECOND, WRAPPER)),
        *(f"inputs/{number:064}" for number in (1, 2, 4, 5)),
        *(f"outputs/{run_id(number)}/out/log.txt" for number in (1, 2, 4, 5)),
    }
    assert not (tmp_path / "store" / "outputs" / run_id(3)).exists()
    after = files(tmp_path / "store")
    assert not prune(prune_store, dry_run=True).counts
    assert not prune(prune_store).counts
    assert files(tmp_path / "store").keys() == after.keys()


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:50]])
def test_a_damaged_record_is_kept_for_the_sweep_that_repeats_it(
    prune_store: Store, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    for number in (4, 6):
        file = tmp_path / "store" / "records" / f"{run_id(number)}.zip"
        file.write_bytes(damage(file.read_bytes()))
    assert (prune(prune_store).counts["record"], {*prune_store.record_ids().loose}) == (2, {run_id(4)})


def test_points_that_all_changed_leave_no_pack(prune_store: Store, tmp_path: Path) -> None:
    point_at(prune_store, 8)
    prune_store.write_probes(())
    prune(prune_store)
    assert not prune_store.recorded()
    assert not list((tmp_path / "store" / "records").iterdir())


def test_the_command_prints_what_it_removes(prune_store: Store, run_cli: RunCli, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    foreseen = run_cli("prune", folder, "--dry-run", code=0)
    assert foreseen.stdout.startswith("would remove 2 records, 2 outputs, 1 source, 2 inputs from")
    pruned = run_cli("prune", folder, code=0)
    assert pruned.stdout.startswith("removed 2 records, 2 outputs, 1 source, 2 inputs from")
    assert "kB" in pruned.stdout
    again = run_cli("prune", folder)
    assert (again.code, again.stdout) == (0, f"nothing to remove from {folder}\n")
    with prune_store.lock():
        assert run_cli("prune", folder).code == 2
    assert run_cli("prune", tmp_path / "none").code == 2
