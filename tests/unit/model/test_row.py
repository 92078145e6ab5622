"""Notes on rows of the table ``runs``."""

from __future__ import annotations

import pytest

from tla2py.model.outcome import Outcome, Verdict
from tla2py.model.row import RunRow, collision_notes


def row(point: int, optimistic: float | None, observed: float | None, verdict: Verdict) -> RunRow:
    return RunRow(
        run_id=str(point),
        point=point,
        outcome=Outcome.SUCCESS,
        verdict=verdict,
        violated=(),
        collision_optimistic=optimistic,
        collision_observed=observed,
    )


def test_a_likely_collision_is_noted_with_the_larger_estimate() -> None:
    rows = [
        row(1, 1e-12, 2e-7, Verdict.HOLDS),
        row(2, 1e-12, 2e-5, Verdict.HOLDS),
        row(3, 3e-6, None, Verdict.HOLDS),
    ]
    [note] = collision_notes(rows)
    assert "up to 2.0E-05" in note
    assert note.endswith("(points 2-3)")


@pytest.mark.parametrize(
    "rows",
    [
        [row(1, None, None, Verdict.HOLDS)],
        [row(1, 1e-9, 1e-7, Verdict.HOLDS)],
        # A violation was seen, whatever else was missed.
        [row(1, 1e-3, 1e-3, Verdict.VIOLATED)],
    ],
)
def test_what_says_nothing_about_a_missed_state_is_not_noted(rows: list[RunRow]) -> None:
    assert list(collision_notes(rows)) == []
