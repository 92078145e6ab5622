"""The answer of a run on its log, in lines of the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tla2py.logs.answer import answer_of
from tla2py.logs.files import LogText
from tla2py.model.logs import LogFile, LogInput
from tla2py.model.outcome import Outcome, Stats, Verdict
from tla2py.model.run import Progress, RunResult
from tla2py.tlc.output.messages import with_log
from tla2py.tlc.output.prints import read_progress

LOG = LogInput(
    path="a.ndjson", files=(LogFile("a.ndjson", "a.ndjson"),), lines=4, position="l", entries="Log"
)
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


def test_the_lines_that_a_module_leaves_out_count(text: LogText) -> None:
    progress = tuple(
        Progress(position=number, length=2, entry=entry) for number, entry in enumerate(ENTRIES, 1)
    )
    assert answered(text, result(progress[:2])) == (Verdict.VIOLATED, 3, 4)
    assert answered(text, result(progress[:1])) == (Verdict.VIOLATED, 1, 2)
    assert answered(text, result(progress)) == (Verdict.HOLDS, 4, None)


def test_without_a_count_there_is_no_guess(text: LogText) -> None:
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
        (
            '<< "tla2py:log",\n   3,\n   7,\n   [n |-> 1] >>',
            Progress(position=3, length=7, entry="[n |-> 1]"),
        ),
        ('<<"other", 3>>', None),
    ],
)
def test_progress_is_read_from_what_tlc_prints(text: str, progress: Progress | None) -> None:
    assert read_progress(text) == progress
