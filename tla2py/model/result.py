"""The result of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tla2py.model.outcome import (
    CoverageItem,
    Diagnostic,
    Outcome,
    Stats,
    Verdict,
    Violation,
    is_simulated,
)
from tla2py.model.run import RunRecord
from tla2py.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run had come in its log when it printed a new maximum.

    ``position`` is the value of the expression that counts, ``length`` that of the log as the module reads it, and
    ``entry`` its element there as TLA+ text; None if the sequence is not known.
    """

    position: int
    length: int | None = None
    entry: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The interpretation of a run's executions, or of one of them; always derivable from the raw record.

    Outcome and statistics are those of the first execution; violations and traces are those of all. ``undecided`` names
    the definitions that a further execution under ``find = "each"`` could not decide within its limits. ``prints`` are
    the first values that Print, PrintT or an Assert printed in the first execution, ``print_count`` counts all of them.
    ``progress`` is that through the log that the run checks, if its lines are counted.
    """

    outcome: Outcome
    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    traces: tuple[Trace, ...] = ()
    stats: Stats = field(default_factory=Stats)
    coverage: tuple[CoverageItem, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    undecided: tuple[str, ...] = ()
    tlc_version: str | None = None
    tlc_revision: str | None = None
    prints: tuple[str, ...] = ()
    print_count: int = 0
    progress: tuple[Progress, ...] = ()

    @property
    def simulated(self) -> bool:
        """Whether a simulation ended by its own budget without a violation."""
        stats = self.stats
        return is_simulated(
            self.outcome, distinct=stats.distinct, generated=stats.generated, behaviours=stats.behaviours
        )

    @property
    def trace_length(self) -> int | None:
        """The number of states of the shortest trace of a violation, None without one."""
        lengths = [len(trace.states) for trace in self.traces if trace.states and not trace.cut_off]
        return min(lengths) if self.violations and lengths else None


# The folder in an execution's folder where TLC works.
WORK = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """An executed run.

    ``folders`` hold the output of its executions, which TLC cannot open for writing; it worked in ``WORK`` below each.
    A ``cancelled`` run was stopped on request; its result means nothing.
    """

    record: RunRecord
    folders: tuple[Path, ...]
    result: RunResult
    cancelled: bool

    @property
    def output(self) -> str:
        """What TLC printed in the first execution."""
        return (self.folders[0] / "stdout.txt").read_text(encoding="utf-8", errors="replace")
