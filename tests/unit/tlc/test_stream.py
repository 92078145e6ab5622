"""TLC's output read: messages, states, endings, of every length and version."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.records import execution
from tests.unit.tlc.corpus import FOLDER, Case, iter_cases, summary
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import Mode, RunResult, TerminationReason, TlcOptions
from tla2py.tla.itf import state_from_itf, state_to_itf
from tla2py.tla.value import Opaque, format_value
from tla2py.tlc.output.codes import Code
from tla2py.tlc.output.messages import Message, UserText, iter_messages
from tla2py.tlc.output.result import interpret, interpret_execution, unnamed
from tla2py.tlc.output.states import StateReader, iter_with_traces
from tla2py.tlc.process.process import ends_predictably, exit_status

CASES = list(iter_cases())
FRAMED = [case for case in CASES if b"@!@!@STARTMSG" in case.stdout]
cases = st.sampled_from(FRAMED)

# Lines that a model or the JVM can print; a model prints one value per line, and strings in quotes.
PRINTED = (
    *('"@!@!@STARTMSG 2193:0 @!@!@"', '"@!@!@ENDMSG 2110 @!@!@"', '<<"@!@!@STARTMSG 2217:4 @!@!@", 1>>', ""),
    *("Model checking completed. No error has been found.", "Error: Invariant Inv is violated."),
    *("State 1: <Initial predicate>", "/\\ x = 1", "Finished in 00s at (2001-02-03 04:05:06)"),
    "Progress(3) at 2001-02-03 04:05:06: 3 states generated, 3 distinct states found, 0 states left on queue.",
    *("Picked up JAVA_TOOL_OPTIONS: -Xmx1g", "Warning: something the JVM warns of"),
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
        assert (case.expected["verdict"], exit_code, ended_by) == ("holds", 0, None)
        assert case.stdout[len(cut) :].strip() == b""
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
        complete = [trace.states for trace in whole[: len(traces)][:-1]]
        assert [trace.states for trace in traces[:-1]] == complete


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
def test_noise_is_no_answer(text: bytes, ended_by: TerminationReason | None, exit_code: int | None) -> None:
    lines = text.splitlines(keepends=True)
    result = interpret(iter_messages(lines), exit_code=exit_code, termination_reason=ended_by)
    assert result.verdict is not Verdict.HOLDS
    assert result.outcome is not Outcome.SUCCESS
    assert list(iter_with_traces(iter_messages(lines))) is not None


def test_a_command_stopped_before_it_began() -> None:
    ends: dict[TerminationReason | None, Outcome] = {"timeout": Outcome.TIMEOUT, "killed": Outcome.KILLED}
    ends |= {"memory": Outcome.OUT_OF_MEMORY, None: Outcome.NOT_STARTED}
    for ended_by, outcome in ends.items():
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


def options_of(case: str) -> TlcOptions:
    told: dict[str, Any] = json.loads((FOLDER / case / "expected.json").read_text())
    options = tuple(told.get("options", ()))
    mode: Mode = "simulate" if "-simulate" in options else "generate" if "-generate" in options else "check"
    return TlcOptions(mode=mode, options=options, java_options=tuple(told.get("java_options", ())))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_is_the_real_one_or_none(case: Case, tmp_path: Path) -> None:
    if not ends_predictably(options_of(case.name)):
        return
    # It is called at any time, even when more output follows what looks like the last message.
    so_far = tmp_path / "stdout.txt"
    for line in re.finditer(rb"\n", case.stdout):
        so_far.write_bytes(case.stdout[: line.end()])
        assert exit_status(so_far) in (None, case.exit_code)


@pytest.mark.parametrize("version", ["2.15", "2.19", "2.20"])
def test_it_is_known_for_what_models_do(version: str) -> None:
    codes = {"success": 0, "invariant": 12, "invariant-initial": 12, "deadlock": 11, "liveness-lasso": 13}
    for case, code in codes.items():
        assert exit_status(FOLDER / case / f"{version}.txt") == code
        assert ends_predictably(options_of(case))


def test_nothing_is_known_before_the_last_message(tmp_path: Path) -> None:
    text = (FOLDER / "success" / "2.15.txt").read_bytes()
    assert text.endswith(b"@!@!@\n")
    cut = tmp_path / "stdout.txt"
    for length in (0, 3, len(text) // 2, len(text) - 1):
        cut.write_bytes(text[:length])
        assert exit_status(cut) is None
    # It is waited for where more is written.
    for options in (
        *(TlcOptions(options=("-continue",)), TlcOptions(options=("-dump", "states"))),
        TlcOptions(java_options=("-XX:ArchiveClassesAtExit=x",)),
        *(TlcOptions(graph=True), TlcOptions(mode="simulate")),
    ):
        assert not ends_predictably(options)


def test_a_name_that_itf_has_for_itself_is_none() -> None:
    values = StateReader().read_values("/\\ x = 1\n/\\ #set = 2")
    assert list(values) == ["x"]
    assert state_from_itf(state_to_itf(values)).keys() == values.keys()
    # The inside of a deep value is kept as text.
    deep = "<<" * 200 + "1" + ">>" * 200
    values = StateReader().read_values(f"/\\ x = {deep}\n/\\ y = 1")
    assert values["x"] != Opaque(deep)
    assert format_value(values["x"]) == deep
    assert state_from_itf(state_to_itf(values)) == values


def test_equal_parts_are_read_once() -> None:
    reader = StateReader()
    first = reader.read_values('/\\ log = <<[id |-> 1, of |-> "a"], {b}>>\n/\\ n = 1')
    second = reader.read_values('/\\ log = <<[id |-> 2, of |-> "a"], [id |-> 1, of |-> "a"]>>\n/\\ n = 2')
    (one, _), (_, again) = first["log"], second["log"]  # type: ignore[misc, str-unpack]
    assert one is again


def message(code: int, level: int, body: str) -> Iterator[bytes]:
    for line in (f"@!@!@STARTMSG {code}:{level} @!@!@", *body.split("\n"), f"@!@!@ENDMSG {code} @!@!@"):
        yield f"{line}\n".encode()


def long_log(states: int, width: int) -> Iterator[bytes]:
    """A log with a trace in which one variable always changes and one never does."""
    yield from message(2110, 1, "Invariant Inv is violated.")
    yield from message(2121, 1, "The behavior up to this point is:")
    for index in range(1, states + 1):
        numbers = ", ".join(str(index + offset) for offset in range(width))
        head = f"{index}: <Act line 1, col 1 to line 2, col 2 of module M>"
        yield from message(2217, 4, f"{head}\n/\\ x = <<{numbers}>>\n/\\ y = {{{{1}}}}\n")
    yield from message(2186, 0, "Finished in 100ms at (2001-02-03 04:05:06)")


def peak(states: int) -> int:
    tracemalloc.start()
    reader, read = StateReader(), 0
    try:
        for item in iter_messages(long_log(states, 400)):
            if isinstance(item, Message) and item.code == 2217:
                assert reader.read(item.text) is not None
                read += 1
        assert read == states
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_trace() -> None:
    # The reader's cache reaches its bound within the shorter trace.
    assert peak(1_200) < 1.2 * peak(600)


def test_equal_texts_become_the_identical_value() -> None:
    result = interpret(iter_messages(long_log(300, 50)), exit_code=12, termination_reason=None)
    states = result.traces[0].states
    assert len({id(state.values["y"]) for state in states}) == 1
    assert len({state.values["x"] for state in states}) == 300


@pytest.mark.parametrize("width", [1, 200_000])
def test_a_value_of_megabytes(width: int) -> None:
    result = interpret(iter_messages(long_log(2, width)), exit_code=12, termination_reason=None)
    last = result.traces[0].states[-1].values["x"]
    assert isinstance(last, tuple)
    assert len(last) == width


VERSION = (2262, 0, "TLC2 Version 2026.04.29.165030")
HEAD = (VERSION, (2190, 0, "Finished computing initial states: 1 distinct"))
FIRST = (2217, 4, "1: <Init line 1>\nx = 0\n")
STATES = ((2264, 1, "The following behavior constitutes a counter-example:\n"), FIRST)
SUCCESS = (2193, 0, "Model checking completed. No error has been found.")
COUNTS = (2199, 0, "3 states generated, 3 distinct states found, 0 states left on queue.")
END = (2186, 0, "Finished in 12ms at (2026-04-29 17:01:00)")
TAIL = (COUNTS, END)
CANDIDATES = {"invariant": ("Inv",), "temporal_property": ("A", "B", "C"), "postcondition": ("P", "Q")}
EXECUTION = replace(execution("success")[0], config_text="", invariants=("Inv",), properties=())
Framed = tuple[int, int, str]


def stream(*messages: Framed) -> bytes:
    return b"".join(line for each in messages for line in message(*each))


def read(*messages: Framed, exit_code: int) -> RunResult:
    found = iter_messages(stream(*HEAD, *messages, *TAIL).splitlines(keepends=True))
    return interpret(found, exit_code=exit_code, termination_reason=None, candidates=CANDIDATES)


def violated(result: RunResult) -> list[tuple[str, str]]:
    return [(each.kind, each.name) for each in result.violations]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Temporal property B was violated.\n", ["B"]),
        ("Temporal properties A and C were violated.\n", ["A", "C"]),
        ("Temporal properties A, B, and C were violated.\n", ["A", "B", "C"]),
    ],
)
def test_temporal_properties_are_those_that_the_message_names(text: str, names: list[str]) -> None:
    result = read((Code.TEMPORAL_PROPERTY, 1, text), *STATES, (2218, 4, "2: Stuttering"), exit_code=13)
    assert violated(result) == [("temporal_property", name) for name in names]
    assert result.outcome is Outcome.VIOLATION_LIVENESS
    [trace] = result.traces
    assert (trace.name, trace.stuttering) == (names[0], True)
    # So no further run is needed to find the names.
    assert not any(unnamed(violation) for violation in result.violations)
    assert not unnamed(trace)
    # Without names they have to be found.
    result = read((Code.TEMPORAL_PROPERTY, 1, "Temporal properties were violated.\n"), *STATES, exit_code=13)
    assert violated(result) == [("temporal_property", "")]


def test_a_postcondition_of_several_is_named() -> None:
    place = "at line 9, col 6 to line 9, col 20 of module M"
    false = (2404, 1, f"Postcondition Q {place} is false.")
    assert violated(read(SUCCESS, false, exit_code=10)) == [("postcondition", "Q")]
    # Beside another violation TLC's exit status is that of the invariant.
    behavior = (Code.BEHAVIOR, 1, "The behavior up to this point is:")
    result = read((Code.INVARIANT, 1, "Invariant Inv is violated."), behavior, FIRST, false, exit_code=12)
    assert violated(result) == [("invariant", "Inv"), ("postcondition", "Q")]
    assert (result.outcome, result.verdict) == (Outcome.VIOLATION_SAFETY, Verdict.VIOLATED)
    failed = (2405, 1, f"Evaluating postcondition P {place} failed.\nIn applying <")
    result = read(SUCCESS, failed, exit_code=10)
    assert (violated(result), result.verdict) == ([], Verdict.BROKEN)


@pytest.mark.parametrize("level", [1, 2, 5, 9])
def test_no_message_of_an_error_is_green(level: int) -> None:
    """Whatever its number, known or not, and even if TLC ends as after a success."""
    for code in (*range(1000, 3200), *range(4000, 4200), 5000, 7001, 9999, 20000):
        result = read((code, level, "Something."), SUCCESS, exit_code=0)
        assert result.verdict is not Verdict.HOLDS or code in (Code.BEHAVIOR, Code.COUNTEREXAMPLE), code
    # Nor is a counterexample to nothing.
    assert read(*STATES, SUCCESS, exit_code=0).outcome is Outcome.ERROR


def test_a_run_that_hides_messages_does_not_hold() -> None:
    lines = stream(*HEAD, SUCCESS, *TAIL).splitlines(keepends=True)
    hiding = TlcOptions(options=("-continue", "-suppressMessages", "2110"))
    for options in (hiding, TlcOptions(options=("-continue",), java_options=("-Dtlc2.output.MP=2110",))):
        assert interpret_execution(EXECUTION, options, lines).outcome is Outcome.BOUNDED_SUCCESS
    assert interpret_execution(EXECUTION, TlcOptions(), lines).outcome is Outcome.SUCCESS


@pytest.mark.parametrize("workers", [1, 3])
def test_a_simulation_may_end_before_tlc_reports(workers: int) -> None:
    """TLC's reporting thread prints the counts, and may start when a short simulation has ended."""
    messages = (Code.MODE_SIMULATE, 0, "Running Random Simulation"), (2269, 0, "Computed 1 initial states...")
    lines = stream(VERSION, *messages, END).splitlines(keepends=True)
    result = interpret_execution(EXECUTION, TlcOptions(mode="simulate", num=5, workers=workers), lines)
    assert (result.simulated, result.stats.behaviours, result.stats.generated) == (True, 5 * workers, None)


def test_of_a_long_stack_only_the_first_frames_are_shown() -> None:
    frames = [f"\n\tat tlc2.tool.Tool.eval(Tool.java:{line})" for line in range(1000)]
    text = f"TLC threw an unexpected exception.\nThe exception was a java.lang.StackOverflowError\n{''.join(frames)}"
    (found,) = (each for each in read((1000, 1, text), exit_code=255).diagnostics if each.severity == "error")
    assert found.text.endswith("(Tool.java:2)\n\t...")
    assert found.text.count("\n\tat ") == 3
