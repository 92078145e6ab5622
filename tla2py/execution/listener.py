"""What a sweep reports while it is prepared and executed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tla2py.execution.executor import Completed
from tla2py.lint import Finding
from tla2py.store.storage import Address
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import Remark

if TYPE_CHECKING:
    from tla2py.execution.sweeps import SweepResult


@dataclass(slots=True)
class Progress:
    """The progress of a sweep; ``done`` counts runs, which are fewer than points where two points are one model."""

    total: int
    cached: int = 0
    done: int = 0
    violated: int = 0
    running: int = 0
    latest: Completed | None = None


class Listener:
    """A listener that ignores everything; subclasses override what they want to hear."""

    def translated(self, remark: Remark) -> None:
        """A module's PlusCal was translated on a copy, or its translation may be out of date."""

    def warned(self, finding: Finding) -> None:
        """The linter found something that does not stop the sweep, or more than one thing that does."""

    def planned(self, sweep: Sweep, plan: Plan) -> None:
        """A sweep passed every check; nothing has run yet."""

    def store_taken_over(self, store: Address, modules: Sequence[str], sweep: Sweep) -> None:
        """The store held results of other modules until now."""

    def fewer_slots(self, slots: int, memory_bytes: int) -> None:
        """The machine's memory allows only so many runs at once."""

    def executing(
        self,
        sweep: Sweep,  # noqa: ARG002
        missing: int,  # noqa: ARG002
        cached: int,  # noqa: ARG002
    ) -> AbstractContextManager[Callable[[Progress], None]]:
        """Runs are about to be executed; the function that is yielded hears of their progress."""
        return nullcontext(lambda _: None)

    def interrupted(self, left: int) -> None:
        """The user stopped the sweep with so many runs left."""

    def finished(self, result: SweepResult) -> None:
        """A sweep has ended and was judged."""


SILENT = Listener()


class FindingListener(Listener):
    """A listener that calls a function with the linter's findings and with remarks on PlusCal."""

    def __init__(self, on_finding: Callable[[Finding | Remark], None]) -> None:
        self._on_finding = on_finding

    def translated(self, remark: Remark) -> None:
        """Pass the remark on."""
        self._on_finding(remark)

    def warned(self, finding: Finding) -> None:
        """Pass the finding on."""
        self._on_finding(finding)
