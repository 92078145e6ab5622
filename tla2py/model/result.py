"""What came of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tla2py.model.outcome import CoverageItem, Diagnostic, Outcome, Stats, Verdict, Violation
from tla2py.model.run import RunRecord
from tla2py.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The answer of a run.

    Outcome and statistics are those of the first execution; violations and traces are those of all. ``undecided`` names
    what a further execution under ``find = "each"`` could not settle within its limits.
    """

    outcome: Outcome
    verdict: Verdict
    violations: tuple[Violation, ...]
    traces: tuple[Trace, ...]
    stats: Stats
    coverage: tuple[CoverageItem, ...]
    diagnostics: tuple[Diagnostic, ...]
    undecided: tuple[str, ...]
    tlc_version: str | None
    tlc_revision: str | None

    @property
    def trace_length(self) -> int | None:
        """The number of states of the shortest trace of a violation, None without one."""
        lengths = [len(trace.states) for trace in self.traces if trace.states and not trace.cut_off]
        return min(lengths) if self.violations and lengths else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """A run that was executed: its record, the folders that hold the streams of its executions, its result.

    ``cancelled`` says that it was stopped on request, so that its record says nothing.
    """

    record: RunRecord
    folders: tuple[Path, ...]
    result: RunResult
    cancelled: bool
