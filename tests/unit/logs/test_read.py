"""Reading logs: what is wrong with a line, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla2py.errors import InputError
from tla2py.logs.read import LogLines


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "run.ndjson"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    reader = LogLines(written(tmp_path, '\ufeff{"a": 1}\n\n  \r\n{"a": 2}'), "run.ndjson")
    assert [(line.where, line.fields) for line in reader] == [
        ("run.ndjson:1", {"a": 1}),
        ("run.ndjson:4", {"a": 2}),
    ]
    assert reader.remarks == []


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ('{"a": 1}\nstarted\n', "log-syntax", ":2"),
        ('{"a": 1}\n{"a": \n', "log-syntax", ":2"),
        ('{"a": 1}\n[1, 2]\n', "log-syntax", ":2"),
        ("null\n", "log-syntax", ":1"),
        ("[" * 100_000 + "\n", "log-syntax", ":1"),
        ("", "log-empty", ""),
        ("\n\n", "log-empty", ""),
        (b'{"a": 1}\n{"a": "\xe9"}\n', "log-encoding", ":2"),
        ('{"a": 1}\n'.encode("utf-16"), "log-encoding", ":1"),
    ],
)
def test_a_log_that_cannot_be_read(tmp_path: Path, text: str | bytes, code: str, where: str) -> None:
    with pytest.raises(InputError) as raised:
        list(LogLines(written(tmp_path, text), "run.ndjson"))
    assert (raised.value.code, raised.value.where) == (code, f"run.ndjson{where}")
    assert raised.value.hint


def test_a_log_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        list(LogLines(tmp_path / "none.ndjson"))
    assert raised.value.code == "log-unreadable"


def test_a_log_of_too_many_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        list(LogLines(written(tmp_path, '{"a": 1}\n' * 4), "run.ndjson", most_lines=3))
    assert (raised.value.code, raised.value.where) == ("log-large", "run.ndjson:4")


def test_a_field_of_several_types_is_reported_once(tmp_path: Path) -> None:
    text = '{"a": 1, "s": {"x": 1}}\n{"a": "1"}\n{"a": "2", "s": {"x": "2"}}\n{"a": null}\n'
    reader = LogLines(written(tmp_path, text), "run.ndjson")
    assert len(list(reader)) == 4
    assert [(remark.line, remark.text) for remark in reader.remarks] == [
        (2, "a is a string here and an integer in line 1"),
        (3, "s.x is a string here and an integer in line 1"),
    ]
