"""Each system behaves as the published one, state by state.

The counts of states and the length of a shortest counterexample are those that TLC reported of the published modules.
A module that differs in one action, or in the order in which it looks for one successor, differs in them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.systems.conftest import Answers
from tests.systems.rows import TABLES, Row, read_rows
from tla2py.model.run import RunResult

pytestmark = pytest.mark.systems

ROWS = [row for table in TABLES for row in read_rows(table)]

# Violations without a name: an ASSUME has none unless the module gives it one.
NAMELESS = ("deadlock", "assumption")

# What is violated where TLC, or the reference, gives no name.
UNNAMED = {"violation_deadlock": "deadlock", "violation_liveness": "temporal_property"}


def _parameter(row: Row) -> object:
    return pytest.param(row, id=row.id, marks=[] if row.small else pytest.mark.reference)


@pytest.mark.parametrize("row", [_parameter(row) for row in ROWS])
def test_a_row_of_the_reference(
    row: Row, answers: Answers, record_property: Callable[[str, object], None]
) -> None:
    result, seconds = answers.result(row)
    record_property("system", row.system)
    record_property("generated", result.stats.generated or 0)
    record_property("seconds", seconds)
    answer = _answer(result)
    for name in ("generated", "distinct", "depth"):
        if getattr(row, name) is None:
            # TLC 2.15 prints no depth after a liveness violation, where we have it from its progress lines; and how
            # many states it has, when it looks for lassos three seconds after its start, is a matter of speed.
            answer[name] = None
    assert answer == {name: getattr(row, name) for name in answer}
    assert all(violation.name or violation.kind in NAMELESS for violation in result.violations)
    if row.outcome in UNNAMED and row.violated is None:
        assert {violation.kind for violation in result.violations} == {UNNAMED[row.outcome]}


VIOLATED = [row for row in ROWS if row.outcome.startswith("violation") and row.trace_length]
# One of each kind and system in `make test-systems`.
SAMPLE = {(row.system, row.outcome): row.id for row in reversed(VIOLATED) if row.small}


def _sampled(row: Row) -> object:
    sampled = SAMPLE.get((row.system, row.outcome)) == row.id
    return pytest.param(row, id=row.id, marks=[] if sampled else pytest.mark.reference)


@pytest.mark.parametrize("row", [_sampled(row) for row in VIOLATED])
def test_tlc_confirms_the_counterexample(row: Row, answers: Answers) -> None:
    found = answers.confirmations(row)
    assert found
    assert all(each.confirmed for each in found), found


def _answer(result: RunResult) -> dict[str, object]:
    trace = result.traces[0] if result.traces else None
    return {
        "outcome": result.outcome.value,
        "violated": next(
            (v.name for v in result.violations if v.kind in ("invariant", "action_property")), None
        ),
        "generated": result.stats.generated,
        "distinct": result.stats.distinct,
        "depth": result.stats.depth,
        # Of an error in evaluation the reference has the behavior that led to it.
        "trace_length": result.trace_length if result.violations or trace is None else len(trace.states),
        "lasso_back_to": trace.loop_start if trace else None,
        "stuttering": trace.stuttering if trace else False,
    }


def test_no_row_was_lost() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)
    assert {row.system for row in ROWS} >= {"compaction", "kip320", "ledger_chaining"}
