"""Records and stores of strangers: damage is found, and content is data."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import RunCli
from tests.raising import raises
from tests.unit.analysis.stores import view_of
from tests.unit.records import CORPUS, executed
from tla2py.errors import StoreError
from tla2py.model.run import RECORD_VERSION, ExecutedRun, RunResult
from tla2py.store.fragments import Fragment, TableFile, file_digest, read_list, write_list
from tla2py.store.open_storage import open_storage
from tla2py.store.record import open_archive, write_archive
from tla2py.tlc.output.result import interpret_record


@pytest.fixture
def store(tmp_path: Path) -> Path:
    view_of(tmp_path, ({"N": "1"}, "invariant"), ({"N": "2"}, "success"))
    return tmp_path / "store"


def seal(store: Path) -> None:
    """Write the digests of the tables as they are now, as a stranger would."""
    storage = open_storage(str(store))
    tables = read_list(storage)
    assert tables is not None

    def sealed_file(file: TableFile) -> TableFile:
        path = store / file.name
        return msgspec.structs.replace(file, sha256=file_digest(path), size=path.stat().st_size)

    def sealed(fragment: Fragment) -> Fragment:
        files = {name: [*map(sealed_file, found)] for name, found in fragment.files.items()}
        return msgspec.structs.replace(fragment, files=files)

    runs, fragments = sealed(tables.runs), [*map(sealed, tables.fragments)]
    write_list(storage, msgspec.structs.replace(tables, runs=runs, fragments=fragments))


def changed(kind: str, table: pa.Table) -> pa.Table:
    rows = table.num_rows
    if kind == "other columns":
        return pa.table({"x": pa.array([1] * rows)})
    if kind == "nested":
        return pa.table({name: pa.array([[{"a": 1}]] * rows) for name in table.column_names})
    # A type that Arrow once made by unpickling its metadata.
    pickled = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": b"cos\nsystem\n(S'touch owned'\ntR.",
    }
    return table.cast(pa.schema([field.with_metadata(pickled) for field in table.schema]))


@pytest.mark.parametrize("kind", ["other columns", "nested", "pickled"])
def test_tables_with_a_hostile_schema_are_made_anew(run_cli: RunCli, store: Path, kind: str) -> None:
    before = run_cli("trace", store, "1", code=0)
    for name in ("runs", "states", "traces"):
        for file in (store / "tables" / name).glob("*.parquet"):
            pq.write_table(changed(kind, pq.read_table(file)), file)
    seal(store)
    assert run_cli("trace", store, "1").stdout == before.stdout
    assert run_cli("explain", store).code == 0
    assert not Path("owned").exists()
    assert not (store.parent / "owned").exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("points", "/dev/zero"),
        ("points", "../../../etc/passwd"),
        ("parameters", [{"name": "N", "kind": "constant", "column": "N", "type": "object"}]),
    ],
)
def test_a_manifest_names_no_other_file(run_cli: RunCli, store: Path, key: str, value: object) -> None:
    manifest = json.loads((store / "store.json").read_text())
    (store / "store.json").write_text(json.dumps({**manifest, key: value}))
    assert run_cli("trace", store, "1").error.code == "not-a-store"


@pytest.fixture
def run(tmp_path: Path) -> ExecutedRun:
    return executed(tmp_path, "a" * 32, "invariant", "success")


@pytest.fixture
def file(tmp_path: Path, run: ExecutedRun) -> Path:
    path = tmp_path / "record.zip"
    with path.open("wb") as sink:
        write_archive(sink, run.record, run.folders)
    return path


def test_records_of_other_names_and_versions(file: Path, run: ExecutedRun) -> None:
    with pytest.raises(StoreError) as damaged, open_archive(file, run_id="1" * 32):
        pass
    assert damaged.value.code == "record-damaged"
    assert "executes the run again" in str(damaged.value.hint)
    # One without a version is of the first.
    rewritten(file, record_version=None, originals=None)
    with open_archive(file) as archive:
        assert archive.record == replace(run.record, record_version=1)
        assert archive.record.modules[0].name == "Spec.tla"
    # One of a newer version is refused, and so is a missing one.
    rewritten(file, record_version=RECORD_VERSION + 1)
    assert raises(StoreError, read, file, match=rf"format {RECORD_VERSION + 1}\b").code == "record-damaged"
    assert raises(StoreError, read, file.with_name("none.zip")).code == "record-damaged"


def test_a_record_that_unpacks_to_gigabytes(file: Path, tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(file) as whole,
        zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bomb,
    ):
        with bomb.open("record.json", "w") as entry:
            entry.write(whole.read("record.json"))
            for _ in range(65):
                entry.write(b" " * (1 << 20))
        bomb.writestr("1/stdout.txt", whole.read("1/stdout.txt"))
    assert os.stat(tmp_path / "bomb.zip").st_size < 2 << 20  # noqa: PTH116
    assert raises(StoreError, open_archive(tmp_path / "bomb.zip").__enter__).code == "record-damaged"


def read(file: Path) -> RunResult:
    with open_archive(file) as archive:
        for number in range(1, len(archive.record.executions) + 1):
            archive.stderr(number)
        return interpret_record(archive.record, archive.stdout)


def test_what_was_written_is_what_is_read(file: Path, run: ExecutedRun, tmp_path: Path) -> None:
    with open_archive(file) as archive:
        assert archive.record == run.record
        for number, name in enumerate(("invariant", "success"), 1):
            with archive.stdout(number) as stdout:
                assert stdout.read() == (CORPUS / name / "2.20.txt").read_bytes()
            assert archive.stderr(number) == f"on standard error: {name}\n"
    # The reading can always be made again.
    assert read(file) == run.result
    # Equal records are equal files.
    other = executed(tmp_path / "other", "a" * 32, "invariant", "success")
    path = tmp_path / "other.zip"
    with path.open("wb") as sink:
        write_archive(sink, other.record, other.folders)
    assert path.read_bytes() == file.read_bytes()


def rewritten(file: Path, **fields: object) -> None:
    """Change fields in the JSON of an archive; None removes a field."""
    with zipfile.ZipFile(file) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    record = json.loads(content["record.json"]) | fields
    content["record.json"] = json.dumps({k: v for k, v in record.items() if v is not None}).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def test_a_record_cut_anywhere_is_damaged(file: Path) -> None:
    whole = file.read_bytes()
    for size in range(0, len(whole), 13):
        file.write_bytes(whole[:size])
        raised = raises(StoreError, read, file)
        assert raised.code == "record-damaged"
        assert str(file) in str(raised)


def test_a_flipped_bit_is_found_or_harmless(file: Path, run: ExecutedRun) -> None:
    whole = file.read_bytes()
    codes = []
    for place in range(0, len(whole), 5):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x11]) + whole[place + 1 :])
        try:
            assert read(file) == run.result
        except StoreError as error:
            codes.append(error.code)
    assert set(codes) == {"record-damaged"}
    assert len(codes) > len(whole) // 5 // 2


def test_another_error_while_a_record_is_open_is_not_its_fault(file: Path) -> None:
    for error in (OSError(28, "No space left on device"), KeyError("x"), RuntimeError("x")):
        with pytest.raises(type(error)) as raised, open_archive(file):
            raise error
        assert raised.value is error
