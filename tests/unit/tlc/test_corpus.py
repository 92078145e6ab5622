"""TLC's output in every case of the corpus, read as the corpus expects."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.tlc.corpus import FOLDER, Case, iter_cases, summary
from tla2py.tlc.output.messages import iter_messages, plain_to_messages
from tla2py.tlc.output.result import interpret_log

CASES = list(iter_cases())
PLAIN = [case for case in CASES if case.plain is not None]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_reads_what_tlc_said(case: Case) -> None:
    assert summary(case.interpret()) == case.expected


@pytest.mark.parametrize("case", PLAIN, ids=str)
def test_reads_it_without_frames_too(case: Case) -> None:
    read = summary(case.interpret(case.plain, framed=False))
    assert less(read, read) == less(case.expected, read)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_log_alone_says_the_same(case: Case) -> None:
    """A log has no exit status and no names of what was checked; everything else must be there."""
    logs = [iter_messages(case.stdout.splitlines(keepends=True))]
    if case.plain is not None:
        logs.append(plain_to_messages(case.plain.splitlines(keepends=True)))
    for log in logs:
        result = interpret_log(log)
        read = summary(result)
        assert result.verdict.value == case.expected["verdict"]
        found, told = ([kind for kind, _ in each.get("violations", [])] for each in (read, case.expected))
        assert found == told
        assert len(result.traces) == len(case.expected.get("traces", []))


def test_every_text_of_the_corpus_is_read() -> None:
    named = {f"{case.name}/{case.version}.txt" for case in CASES}
    named |= {f"{case.name}/{case.version}.plain.txt" for case in PLAIN}
    assert named == {f"{path.parent.name}/{path.name}" for path in FOLDER.glob("*/*.txt")}


def less(reading: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    """A summary without the parts that a plain log lacks: the numbers of messages, and in some cases the depth."""
    diagnostics = [diagnostic.split()[0] for diagnostic in reading.get("diagnostics", [])]
    stats = [*reading.get("stats", [])]
    if stats and plain["stats"][3] is None:
        stats[3] = None
    return {**reading, "diagnostics": diagnostics, "stats": stats}
