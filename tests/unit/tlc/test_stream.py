"""The message stream cut at any byte, or with output of the model or the JVM anywhere, never reads as success."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.tlc.corpus import Case, iter_cases, summary
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import TerminationReason
from tla2py.tlc.output.messages import Message, UserText, iter_messages
from tla2py.tlc.output.result import interpret
from tla2py.tlc.output.states import iter_with_traces

CASES = list(iter_cases())
FRAMED = [case for case in CASES if b"@!@!@STARTMSG" in case.stdout]
cases = st.sampled_from(FRAMED)

# Lines that a model or the JVM can print; a model prints one value per line, and strings in quotes.
PRINTED = (
    '"@!@!@STARTMSG 2193:0 @!@!@"',
    '"@!@!@ENDMSG 2110 @!@!@"',
    '<<"@!@!@STARTMSG 2217:4 @!@!@", 1>>',
    "Model checking completed. No error has been found.",
    "Error: Invariant Inv is violated.",
    "State 1: <Initial predicate>",
    "/\\ x = 1",
    "Finished in 00s at (2001-02-03 04:05:06)",
    "Progress(3) at 2001-02-03 04:05:06: 3 states generated, 3 distinct states found, 0 states left on queue.",
    "Picked up JAVA_TOOL_OPTIONS: -Xmx1g",
    "Warning: something the JVM warns of",
    "",
)
printed = st.one_of(
    st.sampled_from(PRINTED),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30).map('"{}"'.format),
).map(lambda line: line.encode() + b"\n")
ENDS = st.sampled_from([None, "timeout", "memory", "output", "killed"])


@given(cases, st.data(), ENDS)
def test_cut_anywhere(case: Case, data: st.DataObject, ended_by: TerminationReason | None) -> None:
    cut = case.stdout[: data.draw(st.integers(0, len(case.stdout)))]
    exit_code = data.draw(st.sampled_from([case.exit_code, 0, 137, -9, 255, 1]))
    result = replace(case, exit_code=exit_code).interpret(cut, ended_by)

    if result.verdict is Verdict.HOLDS:
        assert case.expected["verdict"] == "holds"
        assert case.stdout[len(cut) :].strip() == b""
        assert exit_code == 0
        assert ended_by is None
    known = [tuple(violation) for violation in case.expected.get("violations", [])]
    # TLC may name a temporal property only at the end of the text.
    assert all((v.kind, v.name) in known or not v.name for v in result.violations)
    assert len(result.traces) <= len(case.expected.get("traces", []))


@pytest.mark.parametrize("case", FRAMED, ids=str)
def test_every_trace_that_is_whole_is_kept_when_cut(case: Case) -> None:
    whole = case.interpret().traces
    lines = case.stdout.splitlines(keepends=True)
    for end in range(0, len(lines), 7):
        traces = case.interpret(b"".join(lines[:end])).traces
        assert [trace.states for trace in traces[:-1]] == [
            trace.states for trace in whole[: len(traces)][:-1]
        ]


def between_messages(stdout: bytes) -> list[int]:
    """The numbers of the lines before which others may print: outside messages, and not within SANY's output."""
    places, depth, sany = [], 0, False
    for number, line in enumerate(stdout.splitlines()):
        if not depth and not sany:
            places.append(number)
        if b"@!@!@STARTMSG" in line and line.rstrip().endswith(b"@!@!@"):
            depth += 1
            sany = sany or b" 2220:" in line
        elif line.startswith(b"@!@!@ENDMSG"):
            depth -= 1
            sany = sany and b" 2219 " not in line
    return places


def without_prints(reading: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in reading.items() if name != "prints"}


@given(cases, st.lists(st.tuples(st.integers(0, 10_000), printed), max_size=5))
def test_output_between_messages_changes_nothing(case: Case, lines: list[tuple[int, bytes]]) -> None:
    places = between_messages(case.stdout)
    text = case.stdout.splitlines(keepends=True)
    for number, line in lines:
        text[places[number % len(places)]] = line + text[places[number % len(places)]]

    assert without_prints(summary(case.interpret(b"".join(text)))) == without_prints(case.expected)


@given(cases, st.sampled_from(["Picked up options", '"@!@!@ENDMSG 2110 @!@!@"', "é", "1"]))
def test_output_on_the_line_of_a_frame_changes_nothing(case: Case, before: str) -> None:
    places = set(between_messages(case.stdout))
    text = [
        before.encode() + line if number in places and line.startswith(b"@!@!@STARTMSG") else line
        for number, line in enumerate(case.stdout.splitlines(keepends=True))
    ]

    assert without_prints(summary(case.interpret(b"".join(text)))) == without_prints(case.expected)


@given(cases, st.lists(st.tuples(st.integers(0, 10_000), printed), min_size=1, max_size=5))
def test_output_inside_messages_never_betters_a_verdict(case: Case, lines: list[tuple[int, bytes]]) -> None:
    text = case.stdout.splitlines(keepends=True)
    for number, line in lines:
        text[number % len(text)] = line + text[number % len(text)]
    result = case.interpret(b"".join(text))

    assert result.verdict.value == case.expected["verdict"] or result.verdict is not Verdict.HOLDS
    if case.expected["verdict"] == "violated":
        assert result.verdict is Verdict.VIOLATED


@given(st.binary(max_size=400) | st.lists(st.one_of(st.sampled_from([b"@!@!@", b"STARTMSG ", b"ENDMSG ", b"2110", b":1 ", b" @!@!@\n", b"2217:4 ", b"1: <A line 1>\n", b"/\\ x = ", b"\n"]), printed)).map(b"".join), ENDS, st.sampled_from([0, 12, None, -9]))  # fmt: skip
@example(b"@!@!@STARTMSG 999999999999999999:9 @!@!@\n", None, 0)
@example(
    b"@!@!@STARTMSG 2217:4 @!@!@\n999999999999999999999999: <A>\n/\\ x = 1\n@!@!@ENDMSG 2217 @!@!@\n", None, 0
)
@example(b"@!@!@STARTMSG 2217:4 @!@!@\n@!@!@ENDMSG 2217 @!@!@\n", None, 0)
def test_nothing_raises_and_nothing_holds(
    text: bytes, ended_by: TerminationReason | None, exit_code: int | None
) -> None:
    lines = text.splitlines(keepends=True)
    result = interpret(iter_messages(lines), exit_code=exit_code, termination_reason=ended_by)

    assert result.verdict is not Verdict.HOLDS
    assert result.outcome is not Outcome.SUCCESS
    assert list(iter_with_traces(iter_messages(lines))) is not None


@pytest.mark.parametrize(
    ("ended_by", "outcome"),
    [
        ("timeout", Outcome.TIMEOUT),
        ("memory", Outcome.OUT_OF_MEMORY),
        ("killed", Outcome.KILLED),
        (None, Outcome.NOT_STARTED),
    ],
)
def test_a_command_stopped_before_it_began(ended_by: TerminationReason | None, outcome: Outcome) -> None:
    assert interpret((), exit_code=None, termination_reason=ended_by).outcome is outcome


@given(cases, st.data())
def test_bytes_damaged_anywhere(case: Case, data: st.DataObject) -> None:
    damaged = bytearray(case.stdout)
    for _ in range(data.draw(st.integers(1, 20))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    result = case.interpret(bytes(damaged))

    if case.exit_code:
        assert result.verdict is not Verdict.HOLDS


@given(cases)
def test_every_line_is_in_a_message_or_free(case: Case) -> None:
    items = list(iter_messages(case.stdout.splitlines(keepends=True)))
    text = "\n".join(item.text for item in items)

    assert all(isinstance(item, (Message, UserText)) for item in items)
    for line in case.stdout.decode().splitlines():
        if not line.startswith("@!@!@") and "@!@!@STARTMSG" not in line:
            assert line in text
