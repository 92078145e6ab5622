"""The result of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tla2py.errors import ExitCode
from tla2py.model.finding import Findings
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.store import Store
from tla2py.sweep.judge import Mismatch, exit_code, left_out
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The result of a sweep: its rows of the table ``runs`` and the mismatches with its expectations.

    ``executed`` counts the runs executed now, ``cached`` those that the store had. ``records`` is the store of its records; of a
    limited sweep ``store``, with its points and tables, may be another one. ``executors`` counts what each executed now.
    ``searched`` is whether rounds chose the points.
    """

    sweep: Sweep
    plan: Plan
    store: Store
    records: Store
    executed: int
    cached: int
    runs: Sequence[RunRow]
    mismatches: tuple[Mismatch, ...]
    findings: Findings
    executors: Mapping[str, int]
    searched: bool = False

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that ran this sweep."""
        complete = len(self.runs) == len(self.sweep.numbers) and not self.sweep.selection.unread
        return exit_code(self.mismatches, complete=complete and not self.unchecked)

    @property
    def unchecked(self) -> bool:
        """Whether nothing was checked, because every point contradicts an ASSUME."""
        points = self.sweep.points
        return 0 < len(self.runs) == len(self.sweep.numbers) and all(
            left_out(self.sweep, self.sweep.expectation(points[row.point - 1]), row) for row in self.runs
        )

    @property
    def empty_points(self) -> tuple[int, ...]:
        """The points that hold only because TLC found no state."""
        return tuple(
            row.point
            for row in self.runs
            if row.verdict is Verdict.HOLDS and row.distinct == 0 and not row.assumption_count
        )
