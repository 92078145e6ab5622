"""Logs that were not written for a specification: their fields, the lines to leave out, and several files of one run."""

from __future__ import annotations

import pytest

from tla2py.errors import InputError
from tla2py.logs.map import Mapper, merged
from tla2py.logs.read import JsonValue, LogLine
from tla2py.model.logs import LogMap


def lines(*fields: dict[str, JsonValue], file: str = "run") -> list[LogLine]:
    return [LogLine(file=file, number=number, fields=each) for number, each in enumerate(fields, 1)]


def test_fields_become_actions_arguments_and_state() -> None:
    mapper = Mapper(
        LogMap(
            action="event.name",
            actions={"prepare": "RMPrepare"},
            args={"r": "node", "n": "given.1"},
            state={"Len(queue)": "event.queued"},
            drop={"level": ("debug",)},
            ignore=("pid",),
        )
    )
    found = list(
        mapper.observations(
            [
                lines(
                    {"level": "debug", "event": {"name": "tick"}},
                    {"event": {"name": "prepare", "queued": 2}, "node": "rm1", "pid": 7},
                    {"event": {"name": "Commit"}, "time": 3},
                    {"event": {}, "time": 4, "args": {"r": "rm2"}, "given": ["a", 5]},
                )
            ]
        )
    )
    assert [(each.action, dict(each.args), dict(each.state)) for each in found] == [
        ("RMPrepare", {"r": "rm1"}, {"Len(queue)": 2}),
        ("Commit", {}, {}),
        (None, {"r": "rm2", "n": 5}, {}),
    ]
    assert [(remark.file, remark.line) for remark in mapper.remarks] == [("run", 3)]
    assert "time" in mapper.remarks[0].text


@pytest.mark.parametrize("fields", [{"action": 3}, {"args": ["rm1"]}, {"state": "x"}])
def test_fields_of_another_form(fields: dict[str, JsonValue]) -> None:
    with pytest.raises(InputError) as raised:
        list(Mapper().observations([lines({}, fields)]))
    assert (raised.value.code, raised.value.where) == ("log-field", "run:2")


def test_a_log_whose_lines_are_all_dropped() -> None:
    with pytest.raises(InputError) as raised:
        list(Mapper(LogMap(drop={"a": (1,)})).observations([lines({"a": 1})]))
    assert raised.value.code == "log-empty"


def test_files_of_one_run_are_merged_by_their_clock() -> None:
    first, second = lines({"t": 1}, {"t": 4}, file="a"), lines({"t": 1}, {"t": 2}, {"t": 4.5}, file="b")
    assert [line.where for line in merged([first, second], "t")] == ["a:1", "b:1", "b:2", "a:2", "b:3"]


@pytest.mark.parametrize(
    ("fields", "where"),
    [(({"t": 2}, {"t": 1}), "run:2"), (({"t": 1}, {}), "run:2"), (({"t": "1"},), "run:1")],
)
def test_clocks_that_give_no_order(fields: tuple[dict[str, JsonValue], ...], where: str) -> None:
    with pytest.raises(InputError) as raised:
        list(merged([lines(*fields)], "t"))
    assert (raised.value.code, raised.value.where) == ("log-clock", where)


def test_files_without_a_clock() -> None:
    assert len(list(merged([lines({}, {})], None))) == 2
    with pytest.raises(InputError) as raised:
        list(merged([lines({}), lines({})], None))
    assert raised.value.code == "log-unordered"
