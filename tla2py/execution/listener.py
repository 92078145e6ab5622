"""A listener to what a sweep reports while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tla2py.execution.progress import SweepProgress
from tla2py.execution.result import SweepResult
from tla2py.model.finding import Finding
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.tla.module import Remark
from tla2py.tlc.tools.jar import Jar


class Listener:
    """A listener that ignores everything; subclasses override what they report."""

    def warned(self, finding: Finding | Remark, *same: Finding) -> None:
        """Lint found something, perhaps the ``same`` elsewhere, or PlusCal was translated on a copy or may be out of date."""

    def found(self, finding: Finding) -> None:
        """The results of a sweep show something doubtful."""

    def planned(self, sweep: Sweep, plan: Plan) -> None:
        """A sweep passed every check; nothing has run yet."""

    def told(self, text: str) -> None:
        """Something makes a sweep run otherwise than the last one did, or than its options say."""

    def reached(self, files: Iterable[Path]) -> None:
        """The files that a check reads are known."""

    def jar_chosen(self, jar: Jar) -> None:
        """Sweeps are about to use this jar."""

    def executing(
        self,
        sweep: Sweep,  # noqa: ARG002
        missing: int,  # noqa: ARG002
        cached: int,  # noqa: ARG002
    ) -> AbstractContextManager[Callable[[SweepProgress], None]]:
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

    def warned(self, finding: Finding | Remark, *same: Finding) -> None:
        """Pass the findings on."""
        for one in (finding, *same):
            self._on_finding(one)

    def found(self, finding: Finding) -> None:
        """Pass the finding on."""
        self._on_finding(finding)
