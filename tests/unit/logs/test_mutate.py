"""Changes to logs: which there are, what they give, and which a sample has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tla2py.logs.mutate import Changes, Target, change_logs
from tla2py.model.logs import LogEdit

LINES: list[dict[str, object]] = [
    {"action": "Send", "to": "n1", "state": {"term": 1, "up": True, "seen": [{"id": 4}]}},
    {"action": "Send", "to": "n1", "state": {"term": 1, "up": True, "seen": [{"id": 4}]}},
    {"action": "Receive", "to": "n2", "state": {"term": 2.5, "seen": []}, "note": None},
]
NAMES = ("Send", "Receive", "n1")


def written(folder: Path, lines: Sequence[object], name: str = "a.ndjson", end: str = "\n") -> Target:
    file = folder / name
    file.write_text("\n".join(map(json.dumps, lines)) + end)
    return Target(name, name, file)


def changed(*targets: Target, sample: int | None = None, seed: int = 0) -> Changes:
    return change_logs(targets, [each.file for each in targets], NAMES, sample=sample, seed=seed)


def contents(target: Target, edit: LogEdit) -> list[object]:
    with target.file.open("rb") as lines:
        return [json.loads(line) for line in edit.applied(lines)]


def test_lines_and_fields_are_changed(tmp_path: Path) -> None:
    target = written(tmp_path, [*LINES], end="")
    changes = changed(target)
    lines = [(edit.line, edit.change) for _, edit in changes.edits if edit.change != "field"]
    # Lines 1 and 2 are equal, so that most changes to line 2 give the same log as those to line 1.
    assert lines == [(1, "double"), (1, "drop"), (2, "swap"), (3, "double"), (3, "drop")]
    first, second, third = LINES
    assert [contents(target, edit) for _, edit in changes.edits if edit.change != "field"] == [
        [first, first, second, third],
        [second, third],
        [first, third, second],
        [first, second, third, third],
        [first, second],
    ]
    fields = {(edit.line, edit.field): edit for _, edit in changes.edits if edit.change == "field"}
    assert {name for line, name in fields if line == 1} == {"action", "to", "state.up", "state.seen"}
    assert {name for line, name in fields if line == 3} == {"action", "to", "state.seen"}
    flipped = fields[1, "state.up"]
    assert (flipped.before, flipped.after, flipped.action) == ("true", "false", "Send")
    expected = {**first, "state": {"term": 1, "up": False, "seen": [{"id": 4}]}}
    assert contents(target, flipped) == [expected, second, third]
    # The type is kept: term has one integer and one other number.
    assert changes.constant == ("state.seen[].id",)
    # However often a value occurs, and whatever the seed: no log comes twice, none is the original.
    everything = [json.dumps(contents(target, edit)) for _, edit in changes.edits]
    assert len({*everything, json.dumps(LINES)}) == len(everything) + 1
    assert changes.left_out == 0


def test_ignored_fields_stay(tmp_path: Path) -> None:
    target = written(tmp_path, [*LINES])
    changes = change_logs([target], [target.file], NAMES, ignore=["to", "state.seen", "state.up"])
    assert {edit.field for _, edit in changes.edits} == {None, "action"}


def test_values_are_those_of_all_logs(tmp_path: Path) -> None:
    one, other = written(tmp_path, [{"x": 1}]), written(tmp_path, [{"x": 2}], "b.ndjson")
    changes = change_logs([one], [one.file, other.file], NAMES)
    # A log with one line is not emptied.
    assert [edit.change for _, edit in changes.edits] == ["double", "field"]
    assert contents(one, changes.edits[1][1]) == [{"x": 2}]


def test_a_sample_is_the_same_each_time_and_lasts(tmp_path: Path) -> None:
    rows = [{"x": number, "y": "ab"[number % 2]} for number in range(30)]
    target = written(tmp_path, [*rows])
    whole = changed(target)
    sample = changed(target, sample=20)
    assert sample == changed(target, sample=20)
    assert len(sample.edits) == 20
    assert sample.left_out == len(whole.edits) - 20
    assert {*sample.edits} <= {*whole.edits}
    assert {*sample.edits} != {*changed(target, sample=20, seed=1).edits}
    # With one more log half of the sample is as it was, but for values.
    more = changed(target, written(tmp_path, [*reversed(rows)], "b.ndjson"), sample=20)
    places = {(edit.line, edit.change, edit.field) for place, edit in more.edits if place == 0}
    assert places <= {(edit.line, edit.change, edit.field) for _, edit in sample.edits}


def test_lines_that_are_no_json_stay(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text('{"x": 1}\nnot JSON\n{"x": 2, "half": "\\ud800", "\\udfff": 1}\n{"\\udfff": 2}\n')
    changes = change_logs([Target("a", "a", file)], [file], NAMES)
    assert {edit.line for _, edit in changes.edits} == {1, 3, 4}
    assert "\\udfff" in {edit.field for _, edit in changes.edits}
    for _, edit in changes.edits:
        with file.open("rb") as lines:
            assert len([*edit.applied(lines)]) == 4 + edit.added
