"""Records read back as they were written, and damaged records are detected."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.records import CORPUS, executed
from tla2py.errors import StoreError
from tla2py.model.run import RECORD_VERSION, Executed, RunResult
from tla2py.store.record import open_archive, write_archive
from tla2py.tlc.output.result import interpret_record


@pytest.fixture
def run(tmp_path: Path) -> Executed:
    return executed(tmp_path, "a" * 32, "invariant", "success")


@pytest.fixture
def file(tmp_path: Path, run: Executed) -> Path:
    path = tmp_path / "record.zip"
    with path.open("wb") as sink:
        write_archive(sink, run.record, run.folders)
    return path


def read(file: Path) -> RunResult:
    with open_archive(file) as archive:
        for number in range(1, len(archive.record.executions) + 1):
            archive.stderr(number)
        return interpret_record(archive.record, archive.stdout)


def test_what_was_written_is_what_is_read(file: Path, run: Executed) -> None:
    with open_archive(file) as archive:
        assert archive.record == run.record
        for number, name in enumerate(("invariant", "success"), 1):
            with archive.stdout(number) as stdout:
                assert stdout.read() == (CORPUS / name / "2.20.txt").read_bytes()
            assert archive.stderr(number) == f"on standard error: {name}\n"


def test_the_reading_can_always_be_made_again(file: Path, run: Executed) -> None:
    assert read(file) == run.result


def test_equal_records_are_equal_files(file: Path, tmp_path: Path) -> None:
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


def test_a_record_without_a_version_is_of_the_first(file: Path, run: Executed) -> None:
    rewritten(file, record_version=None, originals=None)
    with open_archive(file) as archive:
        assert archive.record == replace(run.record, record_version=1)
        assert archive.record.modules[0].name == "Spec.tla"


def test_a_record_of_a_newer_version_is_refused(file: Path) -> None:
    rewritten(file, record_version=RECORD_VERSION + 1)
    with pytest.raises(StoreError, match=rf"format {RECORD_VERSION + 1}\b") as raised, open_archive(file):
        pass
    assert raised.value.code == "record-damaged"


def test_a_missing_record(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised:
        read(tmp_path / "none.zip")
    assert raised.value.code == "record-damaged"


def test_a_record_cut_anywhere_is_damaged(file: Path) -> None:
    whole = file.read_bytes()
    for size in range(0, len(whole), 13):
        file.write_bytes(whole[:size])
        with pytest.raises(StoreError) as raised:
            read(file)
        assert raised.value.code == "record-damaged"
        assert str(file) in str(raised.value)


def test_a_flipped_bit_is_found_or_harmless(file: Path, run: Executed) -> None:
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
