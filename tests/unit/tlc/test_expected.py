"""Expectations in a config, in every notation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla2py.errors import InputError
from tla2py.model.outcome import Outcome, Verdict
from tla2py.tlc.config.read import config_expectation, parse_config

PATH = Path("Model.cfg")


@pytest.mark.parametrize(
    ("line", "result", "violates"),
    [
        ("\\* EXPECT Success", Verdict.HOLDS, ()),
        ("\\* EXPECT SafetyFailure", Outcome.VIOLATION_SAFETY, ()),
        ("\\* EXPECT: LivenessFailure", Outcome.VIOLATION_LIVENESS, ()),
        ("INVARIANT Inv \\* EXPECT DeadlockFailure", Outcome.VIOLATION_DEADLOCK, ()),
        ("\\* EXPECT AssumptionFailure", Outcome.VIOLATION_ASSUMPTION, ()),
        ("\\* EXPECT StutteringFailure", Outcome.VIOLATION_LIVENESS, ()),
        ("\\* EXPECT RuntimeErrorFailure", Verdict.BROKEN, ()),
        ("_EXPECT NO_VIOLATION", Verdict.HOLDS, ()),
        ("  _EXPECT ASSERT_VIOLATION", Outcome.VIOLATION_ASSERT, ()),
        ("\\* _EXPECT SAFETY_VIOLATION", Outcome.VIOLATION_SAFETY, ()),
        ("_EXPECT SAFETY_VIOLATION \\* as the paper says", Outcome.VIOLATION_SAFETY, ()),
        ("\\* EXPECT SafetyFailure WeakIsr, StrongIsr", Outcome.VIOLATION_SAFETY, ("WeakIsr", "StrongIsr")),
        ("\\* EXPECT violated WeakIsr", Verdict.VIOLATED, ("WeakIsr",)),
    ],
)
def test_a_result_is_read(line: str, result: Verdict | Outcome, violates: tuple[str, ...]) -> None:
    told = config_expectation(f"SPECIFICATION Spec\n{line}\n", PATH)
    assert told is not None
    assert (told.result, told.violates) == (result, violates)
    assert told.where == f"Model.cfg:2:{line.index('EXPECT') + 1}"


@pytest.mark.parametrize(
    "line", ["", "\\* we expect Success", "CONSTANT EXPECTED = 1", "\\* EXPECTED Success"]
)
def test_nothing_is_said(line: str) -> None:
    assert config_expectation(f"SPECIFICATION Spec\n{line}\n", PATH) is None


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("\\* EXPECT SaftyFailure", "Model.cfg:1:4", "EXPECT SaftyFailure is not a result of TLC"),
        ("\\* EXPECT", "Model.cfg:1:4", "EXPECT is not a result of TLC"),
        ("\\* EXPECT Success\n\\* EXPECT Success", "Model.cfg:2:4", "a second EXPECT"),
        ("\\* EXPECT SafetyFailure (Inv)", "Model.cfg:1:4", "not a name: (Inv)"),
    ],
)
def test_what_is_not_understood_is_no_success(text: str, place: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        config_expectation(text, PATH)
    assert (raised.value.code, raised.value.where) == ("config-expect", place)
    assert said in raised.value.message


def test_the_statement_is_not_for_a_tlc_that_does_not_know_it() -> None:
    config = parse_config("INVARIANT Inv\n_EXPECT SAFETY_VIOLATION Inv\nCONSTANT A = 1\n", PATH)
    assert config.config.invariants == ("Inv",)
    assert config.config.assignments == (("A", "1"),)
    assert config.text.split() == ["INVARIANT", "Inv", "CONSTANT", "A", "=", "1"]
