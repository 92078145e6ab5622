"""What the commands add to the traces of a TLC log."""

from __future__ import annotations

from tla2py.cli.console import show
from tla2py.errors import ExitCode
from tla2py.interop import TraceFile
from tla2py.model.outcome import Verdict
from tla2py.terminal.diagnostics import diagnostics_text


def show_errors(found: TraceFile) -> ExitCode:
    """Show TLC's errors in a log without an answer, and return the exit code."""
    verdict = found.result.verdict
    answered = verdict is Verdict.HOLDS or (verdict is Verdict.VIOLATED and found.result.traces)
    if answered or found.result.simulated:
        return ExitCode.OK
    for each in diagnostics_text([each for each in found.result.diagnostics if each.severity == "error"]):
        show(each)
    # An example behaviour of another tool has no verdict.
    inconclusive = verdict is Verdict.INCONCLUSIVE and found.format == "log"
    if verdict is Verdict.BROKEN:
        return ExitCode.NOT_RUN
    return ExitCode.INCONCLUSIVE if inconclusive else ExitCode.OK
