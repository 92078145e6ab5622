"""Mismatches between expected and found results, and the exit code."""

from __future__ import annotations

import itertools
import re

import pytest

from tests.raising import raises
from tests.unit.conftest import LoadSweep
from tests.unit.rows import run_row
from tla2py.errors import ExitCode, InputError
from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.row import RunRow
from tla2py.sweep.judge import Mismatch, check_expectations, exit_code, judge
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sweep import Sweep

HEAD = """\
module = "Counter.tla"
[model]
invariants = ["Small"]
[parameters]
Max = ["{a, b}", 1, true]
"""
EACH = '[tlc]\nfind = "each"\n'


def judged(sweep: Sweep, *rows: RunRow) -> list[tuple[str, int]]:
    return [(mismatch.text, mismatch.exit_code) for mismatch in judge(sweep, rows)]


@pytest.mark.parametrize(("expected", "found"), list(itertools.product(Verdict, Verdict)))
def test_every_verdict_against_every_expectation(load: LoadSweep, expected: Verdict, found: Verdict) -> None:
    sweep = load(HEAD + f'[expect]\nverdict = "{expected.value}"\n')
    codes = {Verdict.BROKEN: ExitCode.NOT_RUN, Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE}
    said = (f"{found.value}, expected {expected.value}", codes.get(found, ExitCode.UNEXPECTED))
    assert judged(sweep, run_row(found.value)) == [said] * (found is not expected)
    # Where nothing is said a point is expected to hold, or to be excluded.
    if expected is Verdict.HOLDS:
        silent = [code for _, code in judged(load(HEAD), run_row(found.value))]
        assert silent == [said[1]] * (found not in (Verdict.HOLDS, Verdict.EXCLUDED))


def test_the_first_row_that_matches_counts(load: LoadSweep) -> None:
    text = '[expect]\nverdict = "holds"\n[[expect.point]]\nmatch = { Max = "{b,a}" }\nverdict = "violated"\n'
    sweep = load(HEAD + text + '[[expect.point]]\nmatch = {}\nverdict = "broken"\n')
    rows = [run_row("violated", "Small"), run_row("holds", point=2), run_row("broken", point=3)]
    assert judge(sweep, rows) == [Mismatch(2, "verdict", "holds, expected broken")]
    # It matches by value, and TRUE is not 1.
    sweep = load(HEAD + '[[expect.point]]\nmatch = { Max = 1 }\nverdict = "violated"\n')
    mismatches = judge(sweep, [run_row("holds", point=n) for n in (1, 2, 3)])
    assert [mismatch.point for mismatch in mismatches] == [2]


# Where all of one point has to be found, and where the first violation ends the search.
EACH_TWO, FIRST_TWO = (find + '[expect]\nviolates = ["A", "B"]\n' for find in (EACH, ""))
SMALL, DEADLOCK = ('[expect]\nviolates = ["' + name + '"]\n' for name in ("Small", "deadlock"))
NOTHING = '[expect]\nverdict = "violated"\nviolates = []\n'
LACKS_B, HAS_C = "does not violate B, expected to", "violates C, not expected to"


@pytest.mark.parametrize(
    ("text", "found", "said"),
    [
        ("", run_row("violated", "Small", "deadlock:"), ["violated (Small, deadlock), expected holds"]),
        (SMALL, run_row("violated", "Small"), []),
        (SMALL, run_row("holds"), ["holds, expected violated"]),
        (SMALL, run_row("excluded"), ["excluded, expected violated"]),
        (DEADLOCK, run_row("violated", "deadlock:"), []),
        (DEADLOCK, run_row("violated", "Small"), ["violates Small, not expected to"]),
        (NOTHING, run_row("violated", "Small"), ["violates Small, not expected to"]),
        (EACH_TWO, run_row("violated", "B", "A"), []),
        (EACH_TWO, run_row("violated", "A"), [LACKS_B]),
        (EACH_TWO, run_row("violated", "A", "C"), [LACKS_B, HAS_C]),
        (EACH_TWO, run_row("violated", "A", undecided=("C",)), [LACKS_B]),
        (FIRST_TWO, run_row("violated", "B"), []),
        (FIRST_TWO, run_row("violated", "C"), [HAS_C]),
        ("[expect]\ntrace_length = 3\n", run_row(trace_length=3), []),
        ("[expect]\ntrace_length = 3\n", run_row(trace_length=4), ["trace length is 4, expected 3"]),
        ("[expect]\ntrace_length = 3\n", run_row(), ["trace length is None, expected 3"]),
        ("[expect]\ndistinct = 10\n", run_row(), []),
        ("[expect]\ndistinct = 11\n", run_row(), ["distinct is 10, expected 11"]),
        ("[expect]\ndistinct = 11\n", run_row(distinct=None), ["distinct is None, expected 11"]),
        ("[expect]\ngenerated = 20\n", run_row(generated=20), []),
        ("[expect]\ngenerated = 20\n", run_row(generated=21), ["generated is 21, expected 20"]),
        ("[expect]\nmin_distinct = 10\n", run_row(), []),
        ("[expect]\nmin_distinct = 11\n", run_row(), ["distinct is 10, expected at least 11"]),
        ("[expect]\nmin_distinct = 1\n", run_row(distinct=None), ["distinct is None, expected at least 1"]),
    ],
)
def test_what_is_not_as_expected(load: LoadSweep, text: str, found: RunRow, said: list[str]) -> None:
    assert judged(load(HEAD + text), found) == [(each, ExitCode.UNEXPECTED) for each in said]


def test_what_a_further_run_could_not_settle_is_inconclusive(load: LoadSweep) -> None:
    sweep = load(HEAD + EACH_TWO)
    assert judged(sweep, run_row("violated", "A", undecided=("B", "C"))) == [(LACKS_B, ExitCode.INCONCLUSIVE)]
    # A wrong verdict is told alone.
    sweep = load(HEAD + '[expect]\nverdict = "holds"\ndistinct = 99\n')
    assert [text for text, _ in judged(sweep, run_row("inconclusive"))] == ["inconclusive, expected holds"]


@pytest.mark.parametrize("codes", [c for n in range(4) for c in itertools.permutations([*ExitCode][1:], n)])
@pytest.mark.parametrize("complete", [True, False])
def test_two_goes_before_one_and_one_before_three(codes: tuple[ExitCode, ...], complete: bool) -> None:
    mismatches = [Mismatch(n, "verdict", "holds", code) for n, code in enumerate(codes, 1)]
    present = {*codes} if complete else {*codes, ExitCode.NOT_RUN}
    expected = next((code for code in (2, 1, 3) if code in present), ExitCode.OK)
    assert exit_code(mismatches, complete=complete) == expected


def test_a_row_speaks_of_parameters(load: LoadSweep) -> None:
    row = "[[expect.point]]\nmatch = {}\n[[expect.point]]\nverdict = 'holds'\nmatch = { Maxi = 1 }\n"
    raised = raises(InputError, load, HEAD + row, match="Max")
    assert raised.code == "grid-key"
    assert str(raised.where).endswith("sweep.toml:10:1")
    # It may match by a predicate.
    sweep = load(FOUR + "[[expect.point]]\nmatch = 'Max > 2'\nverdict = 'violated'\n")
    assert [*sweep.row_numbers()] == [None, None, 1, 0]
    assert [sweep.expectation(point).verdict for point in sweep.points] == [None, None, "violated", "holds"]


def test_an_outcome_is_finer_than_a_verdict(load: LoadSweep) -> None:
    sweep = load(HEAD + '[expect]\noutcome = "violation_safety"\n')
    assert judged(sweep, run_row("violated", "Small", outcome=Outcome.VIOLATION_SAFETY)) == []
    [said] = judged(sweep, run_row("violated", "deadlock:", outcome=Outcome.VIOLATION_DEADLOCK))
    assert said == ("violation_deadlock (deadlock), expected violation_safety", ExitCode.UNEXPECTED)
    [wrong] = judged(sweep, run_row("holds", outcome=Outcome.SUCCESS))
    assert wrong == ("holds, expected violated (violation_safety)", ExitCode.UNEXPECTED)
    assert judged(sweep, run_row("broken", outcome=Outcome.ERROR_SPEC_PARSE))[0][1] == ExitCode.NOT_RUN
    # An assumption may be expected to be false.
    sweep = load(HEAD + '[expect]\noutcome = "violation_assumption"\n')
    assert judged(sweep, run_row("excluded")) == []
    assert [code for _, code in judged(sweep, run_row("holds"))] == [ExitCode.UNEXPECTED]
    # An outcome has to be one of TLC's.
    raised = raises(InputError, load, HEAD + '[expect]\noutcome = "safety"\n', match=r"expect\.outcome")
    assert "violation_safety" in str(raised.hint)


FOUR = (
    HEAD.replace('["{a, b}", 1, true]', "[1, 2, 3, 4]")
    + "[[expect.point]]\nmatch = { Max = 4 }\nverdict = 'holds'\n"
)


@pytest.mark.parametrize(
    ("match", "code", "words"),
    [
        ("Max > 9", "expect-no-point", "this expectation matches no point: Max > 9"),
        ("Max > 3", "expect-no-point", "earlier rows match its points"),
        ("Maxi > 2", "unknown-name", "unknown name: Maxi"),
        ("Max + 1", "not-a-predicate", "Max + 1 is 2, not true or false"),
    ],
)
def test_a_predicate_has_to_match_some_point(load: LoadSweep, match: str, code: str, words: str) -> None:
    sweep = load(f"{FOUR}[[expect.point]]\nmatch = '{match}'\n")
    raised = raises(InputError, check_expectations, sweep, plan_sweep(sweep, ""), match=re.escape(words))
    assert raised.code == code
    assert "sweep.toml:" in str(raised.where)
