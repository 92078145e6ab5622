"""What statuses add up to, and the limit on states."""

from __future__ import annotations

import pytest

from tla2py.model.mutant import Killer, MutantReport, MutantRow, Status
from tla2py.model.outcome import Outcome, Verdict, Violation
from tla2py.model.row import RunRow
from tla2py.mutation.mutant import with_budget
from tla2py.mutation.rounds import killers_of, status_of
from tla2py.mutation.trial import check_figures, definition_shares, score, sizes, status_counts


def row(
    number: int, status: Status, *names: str, point: int | None = None, definition: str = "A"
) -> MutantRow:
    return MutantRow(
        mutant=str(number),
        operator="drop-guard",
        definition=definition,
        module="M",
        line=number,
        column=1,
        before="x",
        after="y",
        status=status,
        killed_by=tuple(Killer("mutant" if name == "other" else "invariant", name) for name in names),
        point=point,
    )


REPORT = MutantReport(
    sweep="s",
    mutants=(
        row(1, "killed", "Safe", point=1),
        row(2, "killed", "Safe", "Typed", point=2),
        row(3, "killed", "other", point=2, definition="Safe"),
        row(4, "survived", definition="B"),
        row(5, "equivalent"),
        row(6, "stillborn", definition="C"),
    ),
    points=(1, 2),
    checks={"Safe": 5, "Typed": 5, "deadlock": 3},
)


def test_figures() -> None:
    assert status_counts(REPORT) == {"killed": 3, "survived": 1, "equivalent": 1, "stillborn": 1}
    assert (score(REPORT).killed, score(REPORT).of) == (3, 4)
    assert [(s.name, s.killed, s.of) for s in definition_shares(REPORT)] == [
        ("A", 2, 2),
        ("Safe", 1, 1),
        ("B", 0, 1),
    ]
    assert [(c.check, c.asked, c.kills, c.alone) for c in check_figures(REPORT)] == [
        ("Safe", 5, 2, 1),
        ("Typed", 5, 1, 0),
        ("deadlock", 3, 0, 0),
    ]
    assert sizes(REPORT) == [(1, 1), (2, 1)]


@pytest.mark.parametrize(
    ("outcome", "verdict", "distinct", "kinds", "status"),
    [
        (Outcome.SUCCESS, Verdict.HOLDS, 9, (), None),
        (Outcome.SUCCESS, Verdict.HOLDS, 10, (), "unknown"),
        (Outcome.SUCCESS, Verdict.HOLDS, 0, (), "stillborn"),
        (Outcome.ERROR_SPEC_PARSE, Verdict.BROKEN, None, (), "stillborn"),
        (Outcome.NOT_STARTED, Verdict.BROKEN, None, (), "unknown"),
        (Outcome.FAILURE_SPEC_EVAL, Verdict.BROKEN, None, (), "killed"),
        (Outcome.VIOLATION_ASSUMPTION, Verdict.EXCLUDED, None, (), "killed"),
        (Outcome.TIMEOUT, Verdict.INCONCLUSIVE, 5, (), "unknown"),
        (Outcome.VIOLATION_SAFETY, Verdict.VIOLATED, 12, ("invariant",), "killed"),
        (Outcome.VIOLATION_LIVENESS, Verdict.VIOLATED, 12, ("temporal_property",), "unknown"),
        (Outcome.VIOLATION_LIVENESS, Verdict.VIOLATED, 9, ("temporal_property",), "killed"),
    ],
)
def test_a_status(
    outcome: Outcome, verdict: Verdict, distinct: int | None, kinds: tuple[str, ...], status: str | None
) -> None:
    violated = tuple(Violation(kind=kind, name="P") for kind in kinds)  # type: ignore[arg-type]
    result = RunRow(
        run_id="0", point=1, outcome=outcome, verdict=verdict, distinct=distinct, violated=violated
    )
    assert status_of(result, 10) == status
    if status == "killed":
        word = {Verdict.BROKEN: "evaluation", Verdict.EXCLUDED: "assumption"}.get(verdict)
        assert [each.kind for each in killers_of(result)] == ([word] if word else list(kinds))


def test_a_budget_is_in_the_last_line_of_the_first_module() -> None:
    text = "---- MODULE A ----\n---- MODULE B ----\n====\nx == 1\n  =====\n---- MODULE C ----\n====\n"
    lines = with_budget(text, 7).split("\n")
    assert lines[4].startswith("tla2pyBudget == LET ")
    assert lines[4].endswith('TLCGet("distinct"), 7) =====')
    assert [n for n, line in enumerate(lines) if line != text.split("\n")[n]] == [4]
