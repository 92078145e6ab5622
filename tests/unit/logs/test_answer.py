"""What a log's run means, changed logs, and logs written as modules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tla2py.logs.answer import answer_of
from tla2py.logs.files import LogText, write_log_module
from tla2py.logs.mutate import Changes, Target, change_logs
from tla2py.logs.observation import observed_module
from tla2py.model.logs import LogEdit, LogFile, LogInput, LogMap, LogObservation
from tla2py.model.model import Config, Inputs
from tla2py.model.outcome import Outcome, Stats, Verdict
from tla2py.model.run import Progress, RunResult
from tla2py.tla.parse import load_modules
from tla2py.tlc.output.messages import with_log
from tla2py.tlc.output.prints import read_progress

FILES = (LogFile("a.ndjson", "a.ndjson"),)
LOG = LogInput(path="a.ndjson", files=FILES, lines=4, position="l", entries="Log")
LINES = [b'{"config": 1}\n', b'{"n": 1, "s": "x"}\n', b'{"skipped": null}\n', b'{"n": [2, true]}\n']
ENTRIES = ('[n |-> 1, s |-> "x"]', "[n |-> <<2, TRUE>>]", "{}")


def result(progress: tuple[Progress, ...], outcome: Outcome = Outcome.SUCCESS) -> RunResult:
    verdict = {Outcome.SUCCESS: Verdict.HOLDS, Outcome.TIMEOUT: Verdict.INCONCLUSIVE}[outcome]
    return RunResult(outcome=outcome, verdict=verdict, progress=progress, stats=Stats(generated=1))


def plain(last: int) -> tuple[Progress, ...]:
    return tuple(Progress(position=number, length=4) for number in range(1, last + 1))


@pytest.fixture
def text(tmp_path: Path) -> LogText:
    (tmp_path / "a.ndjson").write_bytes(b"".join(LINES))
    return LogText(log=LOG, files=[tmp_path / "a.ndjson"])


def answered(text: LogText, found: RunResult) -> tuple[Verdict, int | None, int | None]:
    found = with_log(found, LOG)
    answer, _ = answer_of(found, text)
    assert answer.lines == 4
    return found.verdict, answer.matched, answer.first_unmatched


def test_a_log_holds_if_every_line_is_explained(text: LogText) -> None:
    assert answered(text, result(plain(5))) == (Verdict.HOLDS, 4, None)
    assert answered(text, result(plain(3))) == (Verdict.VIOLATED, 2, 3)
    assert answered(text, result(plain(3), Outcome.TIMEOUT)) == (Verdict.INCONCLUSIVE, 2, None)
    # The lines that a module leaves out count.
    numbered = enumerate(ENTRIES, 1)
    progress = tuple(Progress(position=number, length=2, entry=entry) for number, entry in numbered)
    assert answered(text, result(progress[:2])) == (Verdict.VIOLATED, 3, 4)
    assert answered(text, result(progress[:1])) == (Verdict.VIOLATED, 1, 2)
    assert answered(text, result(progress)) == (Verdict.HOLDS, 4, None)
    # Without a count there is no guess.
    log = LogInput(path="a", files=LOG.files, lines=4)
    found = with_log(result(()), log)
    assert found.verdict is Verdict.INCONCLUSIVE
    answer, _ = answer_of(found, replace(text, log=log))
    assert (answer.lines, answer.matched, answer.first_unmatched) == (4, None, None)


@pytest.mark.parametrize(
    ("text", "progress"),
    [
        ('<<"tla2py:log", 3>>', Progress(position=3)),
        ('<<"tla2py:log", 3, 7, {}>>', Progress(position=3, length=7, entry="{}")),
        ('<<"tla2py:log", 3, 7, <<1>>>>', Progress(position=3, length=7, entry="<<1>>")),
        ('<< "tla2py:log",\n   3,\n   7,\n   {1} >>', Progress(position=3, length=7, entry="{1}")),
        ('<<"other", 3>>', None),
    ],
)
def test_progress_is_read_from_what_tlc_prints(text: str, progress: Progress | None) -> None:
    assert read_progress(text) == progress


MUTATE_LINES: list[dict[str, object]] = [
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
    target = written(tmp_path, [*MUTATE_LINES], end="")
    changes = changed(target)
    lines = [edit for _, edit in changes.edits if edit.change != "field"]
    first, second, third = MUTATE_LINES
    # Lines 1 and 2 are equal, so that most changes to line 2 give the same log as those to line 1.
    assert [(edit.line, edit.change, contents(target, edit)) for edit in lines] == [
        (1, "double", [first, first, second, third]),
        (1, "drop", [second, third]),
        (2, "swap", [first, third, second]),
        (3, "double", [first, second, third, third]),
        (3, "drop", [first, second]),
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
    assert len({*everything, json.dumps(MUTATE_LINES)}) == len(everything) + 1
    assert changes.left_out == 0


def test_ignored_fields_stay_and_values_are_those_of_all_logs(tmp_path: Path) -> None:
    target = written(tmp_path, [*MUTATE_LINES])
    changes = change_logs([target], [target.file], NAMES, ignore=["to", "state.seen", "state.up"])
    assert {edit.field for _, edit in changes.edits} == {None, "action"}
    # Values are those of all logs.
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


def test_two_files_of_one_run(tiny_spec: Path, tmp_path: Path) -> None:
    vocabulary = observed_module(load_modules(tiny_spec)).vocabulary
    assert vocabulary is not None
    mapped = LogMap(clock="t", drop={"action": ("idle",)}, ignore=("u",))
    (tmp_path / "a.ndjson").write_text('{"action": "Up", "t": 1}\n\n{"action": "idle", "u": 2}\n{"t": 5}\n')
    (tmp_path / "b.ndjson").write_text('{"action": "Up", "t": 3, "state": {"x": 2}, "host": 7}\n')
    names = ("a.ndjson", "b.ndjson")
    files = tuple(LogFile(name, name) for name in names)
    seen = LogObservation(map=mapped, vocabulary=vocabulary)
    log = LogInput(path="run", files=files, lines=5, observed=seen)
    remarks = write_log_module(Inputs(log=log), Config(), tmp_path).remarks
    assert [(remark.file, remark.line, remark.refuses) for remark in remarks] == [("b.ndjson", 1, False)]
    assert "Tla2py_Count == 3\n" in (tmp_path / "Tla2pyLog.tla").read_text()
    text = LogText(log=log, files=[tmp_path / name for name in names])
    places = [(line.number, line.place) for line in text.lines()]
    assert places == [(1, "a.ndjson:1"), (2, "b.ndjson:1"), (3, "a.ndjson:4")]
    (tmp_path / "b.ndjson").write_text('{"t": 3}\n{"t": 2}\n')
    [remark] = write_log_module(Inputs(log=log), Config(), tmp_path).remarks
    assert (remark.file, remark.line, remark.refuses) == ("b.ndjson", 2, True)
    assert len(list(text.lines())) < 4
