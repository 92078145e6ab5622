"""Messages of TLC's releases of 2026, in the form of its sources, and messages that no release has."""

from __future__ import annotations

import pytest

from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.run import Execution, RunResult, TlcOptions
from tla2py.tlc.output.codes import Code
from tla2py.tlc.output.messages import iter_messages
from tla2py.tlc.output.result import interpret, interpret_execution, unnamed

HEAD = (
    (2262, 0, "TLC2 Version 2026.04.29.165030"),
    (2190, 0, "Finished computing initial states: 1 distinct"),
)
STATES = (
    (2264, 1, "The following behavior constitutes a counter-example:\n"),
    (2217, 4, "1: <Init line 1>\nx = 0\n"),
)
SUCCESS = (2193, 0, "Model checking completed. No error has been found.")
TAIL = (
    (2199, 0, "3 states generated, 3 distinct states found, 0 states left on queue."),
    (2186, 0, "Finished in 12ms at (2026-04-29 17:01:00)"),
)
CANDIDATES = {"invariant": ("Inv",), "temporal_property": ("A", "B", "C"), "postcondition": ("P", "Q")}
EXECUTION = Execution(
    argv=(),
    config_text="",
    invariants=("Inv",),
    properties=(),
    check_deadlock=True,
    purpose="run",
    exit_code=0,
    termination_reason=None,
    wall_seconds=0,
    cpu_seconds=0,
    peak_memory_bytes=0,
    started_at="2026-01-01T00:00:00+00:00",
)
Framed = tuple[int, int, str]


def stream(*messages: Framed) -> bytes:
    return b"".join(
        f"@!@!@STARTMSG {code}:{level} @!@!@\n{text}\n@!@!@ENDMSG {code} @!@!@\n".encode()
        for code, level, text in messages
    )


def read(*messages: Framed, exit_code: int) -> RunResult:
    lines = stream(*HEAD, *messages, *TAIL).splitlines(keepends=True)
    return interpret(
        iter_messages(lines), exit_code=exit_code, termination_reason=None, candidates=CANDIDATES
    )


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


def test_without_names_they_have_to_be_found() -> None:
    result = read((Code.TEMPORAL_PROPERTY, 1, "Temporal properties were violated.\n"), *STATES, exit_code=13)
    assert violated(result) == [("temporal_property", "")]


def test_a_postcondition_is_named_beside_another_violation() -> None:
    """TLC's exit status is that of the invariant."""
    result = read(
        (Code.INVARIANT, 1, "Invariant Inv is violated."),
        (Code.BEHAVIOR, 1, "The behavior up to this point is:"),
        (2217, 4, "1: <Init line 1>\nx = 0\n"),
        (2404, 1, "Postcondition Q at line 9, col 6 to line 9, col 20 of module M is false."),
        exit_code=12,
    )
    assert violated(result) == [("invariant", "Inv"), ("postcondition", "Q")]
    assert (result.outcome, result.verdict) == (Outcome.VIOLATION_SAFETY, Verdict.VIOLATED)


def test_a_postcondition_of_several_is_named() -> None:
    false = "Postcondition Q at line 9, col 6 to line 9, col 20 of module M is false."
    assert violated(read(SUCCESS, (2404, 1, false), exit_code=10)) == [("postcondition", "Q")]
    failed = (
        "Evaluating postcondition P at line 9, col 6 to line 9, col 20 of module M failed.\nIn applying <"
    )
    result = read(SUCCESS, (2405, 1, failed), exit_code=10)
    assert (violated(result), result.verdict) == ([], Verdict.BROKEN)


@pytest.mark.parametrize("level", [1, 2, 5, 9])
def test_no_message_of_an_error_is_green(level: int) -> None:
    """Whatever its number, known or not, and even if TLC ends as after a success."""
    for code in (*range(1000, 3200), *range(4000, 4200), 5000, 7001, 9999, 20000):
        result = read((code, level, "Something."), SUCCESS, exit_code=0)
        assert result.verdict is not Verdict.HOLDS or code in (Code.BEHAVIOR, Code.COUNTEREXAMPLE), code


def test_a_counterexample_to_nothing_is_no_success() -> None:
    assert read(*STATES, SUCCESS, exit_code=0).outcome is Outcome.ERROR


@pytest.mark.parametrize(
    "options",
    [
        TlcOptions(options=("-continue", "-suppressMessages", "2110")),
        TlcOptions(options=("-continue",), java_options=("-Dtlc2.output.MP=2110",)),
    ],
)
def test_a_run_that_hides_messages_does_not_hold(options: TlcOptions) -> None:
    lines = stream(*HEAD, SUCCESS, *TAIL).splitlines(keepends=True)
    assert interpret_execution(EXECUTION, options, lines).outcome is Outcome.BOUNDED_SUCCESS
    assert interpret_execution(EXECUTION, TlcOptions(), lines).outcome is Outcome.SUCCESS


@pytest.mark.parametrize("workers", [1, 3])
def test_a_simulation_may_end_before_tlc_reports(workers: int) -> None:
    """TLC's reporting thread prints the counts, and may start when a short simulation has ended."""
    messages = (Code.MODE_SIMULATE, 0, "Running Random Simulation"), (2269, 0, "Computed 1 initial states...")
    lines = stream(HEAD[0], *messages, TAIL[1]).splitlines(keepends=True)
    result = interpret_execution(EXECUTION, TlcOptions(mode="simulate", num=5, workers=workers), lines)
    assert (result.simulated, result.stats.behaviours, result.stats.generated) == (True, 5 * workers, None)
