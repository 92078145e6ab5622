"""What a sweep reports while it is prepared and executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tla2py.errors import ToolchainError
from tla2py.execution.estimate import TimeLeft
from tla2py.execution.inside import RunProgress
from tla2py.execution.jars import EarlierJar
from tla2py.lint import Finding
from tla2py.store.storage import Address
from tla2py.sweep.plan import Plan
from tla2py.sweep.points import Point
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import Remark
from tla2py.toolchain.jar import Jar

if TYPE_CHECKING:
    from tla2py.execution.sweeps import SweepResult


@dataclass(slots=True)
class Progress:
    """The progress of a sweep, in runs; points with the same model share a run.

    ``inside`` are the points of the runs that have lasted a second, the longest first, and their progress, as far as this
    machine executes them. ``left`` is None while too little is known.
    """

    done: int = 0
    violated: int = 0
    running: int = 0
    inside: Sequence[tuple[Point, RunProgress]] = ()
    left: TimeLeft | None = None


class Listener:
    """A listener that ignores everything; subclasses override what they report."""

    def warned(self, finding: Finding | Remark) -> None:
        """Lint found something, or PlusCal was translated on a copy or may be out of date."""

    def found(self, finding: Finding) -> None:
        """The results of a sweep show something doubtful."""

    def planned(self, sweep: Sweep, plan: Plan) -> None:
        """A sweep passed every check; nothing has run yet."""

    def store_taken_over(self, store: Address, modules: Sequence[str], sweep: Sweep) -> None:
        """The store held results of other modules until now."""

    def reached(self, files: Iterable[Path]) -> None:
        """The files that a check reads are known."""

    def jar_chosen(self, jar: Jar) -> None:
        """Sweeps are about to use this jar."""

    def jar_changed(self, sweep: Sweep, before: EarlierJar, jar: Jar) -> None:
        """Recorded runs do not apply, because another jar made them."""

    def without_spark(self) -> None:
        """The runs execute on threads, because pyspark is not installed."""

    def fewer_slots(self, slots: int, memory_bytes: int) -> None:
        """The machine's memory limits the number of concurrent runs."""

    def spark_failed(self, error: ToolchainError) -> None:
        """The runs execute on threads, because Spark did not start."""

    def executing(
        self,
        sweep: Sweep,  # noqa: ARG002
        missing: int,  # noqa: ARG002
        cached: int,  # noqa: ARG002
    ) -> AbstractContextManager[Callable[[Progress], None]]:
        """The execution of the missing runs starts; yields a function that is called with its progress."""
        return nullcontext(lambda _: None)

    def interrupted(self, left: int) -> None:
        """The user interrupted the sweep, with this number of runs left."""

    def finished(self, result: SweepResult) -> None:
        """A sweep has ended and was judged."""


SILENT = Listener()


class FindingListener(Listener):
    """A listener that calls a function with findings and remarks on PlusCal."""

    def __init__(self, on_finding: Callable[[Finding | Remark], None]) -> None:
        self._on_finding = on_finding

    def warned(self, finding: Finding | Remark) -> None:
        """Pass the finding on."""
        self._on_finding(finding)

    def found(self, finding: Finding) -> None:
        """Pass the finding on."""
        self._on_finding(finding)
