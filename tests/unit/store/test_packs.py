"""Packs of records: nothing is lost, whatever happens between two writes."""

from __future__ import annotations

import contextlib
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from pathlib import Path

import pytest

from tests.stores import identities
from tests.unit.records import executed
from tests.unit.store.test_store import MANIFEST, POINTS
from tla2py.errors import StoreError
from tla2py.model.run import RunRecord
from tla2py.store.pack import identity
from tla2py.store.storage import Storage, Write
from tla2py.store.store import Store

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


def add_to(store: Store, folder: Path, number: int, case: str) -> None:
    store.write_record(executed(folder / f"again-{number}-{case}", run_id(number), case))


def test_a_pack_holds_the_records_as_they_were(store: Store) -> None:
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


def test_a_large_record_is_read_where_it_is(store: Store, tmp_path: Path) -> None:
    big = executed(tmp_path / "big", run_id(7), "invariant")
    (big.folders[0] / "stdout.txt").write_bytes(os.urandom(3 << 20))
    store.write_record(big)
    before = read(store)
    store.pack()
    assert read(store) == before


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
        assert identities(store).keys() == {run_id(0), run_id(2)}
        assert store.record_ids().loose == {run_id(1)}
    with pytest.raises(StoreError) as raised, store.archive(run_id(1)):
        pass
    assert raised.value.code == "record-damaged"


def test_damage_in_a_pack_is_found_when_the_record_is_read(store: Store) -> None:
    before = read(store)
    store.pack()
    [pack] = records(store).glob("*.zip")
    data = bytearray(pack.read_bytes())
    place = store.record_ids().place(run_id(1))[0]
    assert not isinstance(place, str)
    data[place.offset + place.size // 2] ^= 1
    pack.write_bytes(data)
    with pytest.raises(StoreError, match="CRC") as raised, store.archive(run_id(1)):
        pass
    assert raised.value.code == "record-damaged"
    for whole in (0, 2):
        with store.archive(run_id(whole)) as archive:
            assert archive.record == before[run_id(whole)][0]


def test_a_truncated_pack_has_the_records_before_its_end(store: Store) -> None:
    store.pack()
    [pack] = records(store).glob("*.zip")
    place = store.record_ids().place(run_id(1))[0]
    assert not isinstance(place, str)
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
    with pytest.raises(StoreError, match=f"the record of {run_id(0)}"), store.archive(run_id(1)):
        pass


def test_a_changed_points_table_is_not_believed(store: Store) -> None:
    [file] = (Path(store.path) / "points").iterdir()
    data = file.read_bytes()
    for place in range(0, len(data), 7):
        file.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(StoreError, match="is damaged"):
            store.points_table()
    store.write_manifest(MANIFEST, POINTS, {})
    assert store.points_table() == POINTS


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
