"""What no point refers to is removed, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.conftest import RunCli
from tests.unit.records import executed
from tests.unit.store.test_store import MANIFEST, files
from tla2py.model.model import InputFile, Inputs
from tla2py.model.run import OUTPUTS, ModuleText, digest_text
from tla2py.store.store import ManifestPoint, Store, points_table
from tla2py.store.write import prune

TEXTS = {digest_text(text): text for text in ("first", "second", "wrapper", "nobody's")}
FIRST, SECOND, WRAPPER, NOBODYS = TEXTS


def run_id(number: int) -> str:
    return f"{number:032}"


def write(store: Store, folder: Path, number: int, *texts: str) -> None:
    """Write a record that names modules, an input and an output."""
    run = executed(folder / f"{number}", run_id(number), "invariant")
    output = run.folders[0] / OUTPUTS / "out" / "log.txt"
    output.parent.mkdir(parents=True)
    output.write_text("x" * 1000)
    modules = tuple(
        ModuleText(name, text) for name, text in zip(("Spec.tla", "Other.tla"), texts, strict=False)
    )
    inputs = Inputs(files=(InputFile("in.txt", f"{number:064}"),))
    record = replace(
        run.record, modules=modules, inputs=inputs, outputs=(InputFile("out/log.txt", "0" * 64),)
    )
    store.write_record(replace(run, record=record))
    store.storage.make(("inputs",))
    store.storage.write({f"inputs/{number:064}": lambda sink: sink.write(b"in")})


def point_at(store: Store, *numbers: int) -> None:
    """Make the points those with these runs."""
    points = [
        ManifestPoint(point=index, run_id=run_id(number), parameters={"N": "1"})
        for index, number in enumerate(numbers, 1)
    ]
    manifest = msgspec.structs.replace(MANIFEST, files={FIRST: "First.tla"})
    store.write_manifest(manifest, points_table(MANIFEST.parameters, points), TEXTS)


@pytest.fixture
def store(tmp_path: Path) -> Store:
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


def test_nothing_that_a_point_needs_is_removed(store: Store, tmp_path: Path) -> None:
    before = files(tmp_path / "store")
    foreseen = prune(store, dry_run=True)
    assert files(tmp_path / "store") == before
    assert prune(store) == foreseen
    assert foreseen.counts == {"record": 2, "output": 2, "source": 1, "input": 2}
    assert foreseen.size > 2000
    kept = {run_id(number) for number in (1, 2, 4, 5)}
    assert store.recorded() == kept
    for each in kept:
        with Store(store.path).archive(each) as archive:
            assert archive.record.run_id == each
    assert used(tmp_path / "store") == {
        *(f"sources/{text}.tla" for text in (FIRST, SECOND, WRAPPER)),
        *(f"inputs/{number:064}" for number in (1, 2, 4, 5)),
        *(f"outputs/{run_id(number)}/out/log.txt" for number in (1, 2, 4, 5)),
    }
    assert not (tmp_path / "store" / "outputs" / run_id(3)).exists()
    after = files(tmp_path / "store")
    assert not prune(store, dry_run=True).counts
    assert not prune(store).counts
    assert files(tmp_path / "store").keys() == after.keys()


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:50]])
def test_a_damaged_record_is_kept_for_the_sweep_that_repeats_it(
    store: Store, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    for number in (4, 6):
        file = tmp_path / "store" / "records" / f"{run_id(number)}.zip"
        file.write_bytes(damage(file.read_bytes()))
    assert prune(store).counts["record"] == 2
    assert store.record_ids().loose == {run_id(4)}


def test_points_that_all_changed_leave_no_pack(store: Store, tmp_path: Path) -> None:
    point_at(store, 8)
    store.write_probes(())
    prune(store)
    assert not store.recorded()
    assert not list((tmp_path / "store" / "records").iterdir())


def test_the_command_prints_what_it_removes(store: Store, run_cli: RunCli, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    foreseen = run_cli("prune", folder, "--dry-run", code=0)
    assert foreseen.stdout.startswith("would remove 2 records, 2 outputs, 1 source, 2 inputs from")
    pruned = run_cli("prune", folder, code=0)
    assert pruned.stdout.startswith("removed 2 records, 2 outputs, 1 source, 2 inputs from")
    assert "kB" in pruned.stdout
    again = run_cli("prune", folder)
    assert (again.code, again.stdout) == (0, f"nothing to remove from {folder}\n")
    with store.lock():
        assert run_cli("prune", folder).code == 2
    assert run_cli("prune", tmp_path / "none").code == 2
