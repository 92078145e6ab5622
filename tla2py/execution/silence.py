"""The message of another TLC for a run that TLC ends with an error but without a message (tlaplus#763)."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

from tla2py.errors import ToolchainError
from tla2py.execution.execute import RunExecution
from tla2py.model.outcome import Diagnostic, Verdict
from tla2py.model.run import Run, RunResult
from tla2py.store.rows import explaining_errors
from tla2py.tlc.tools.jar import copied_jar
from tla2py.tlc.tools.toolchain import Toolchain, found_jars


def add_missing_message(
    result: RunResult,
    run: Run,
    sources: Mapping[str, str],
    toolchain: Toolchain,
    cancelled: threading.Event | None = None,
) -> RunResult:
    """Return the result, with the message of another installed TLC if its own TLC stopped without one.

    The other TLC executes the run once more; the verdict stays that of the run's own jar. ``sources`` are module texts
    by sha256.
    """
    if result.verdict is not Verdict.BROKEN or explaining_errors(result):
        return result
    for found in found_jars():
        if found.jar is None or found.jar.sha256 == run.jar_sha256:
            continue
        try:
            other = replace(toolchain, jar=copied_jar(found.jar), others=())
        except ToolchainError:
            continue
        with RunExecution(run, sources, other, cancelled=cancelled).executed() as executed:
            answer = executed.result
        errors = explaining_errors(answer)
        # Without states the other TLC may have stopped at what it does not know, such as an option.
        if answer.verdict is Verdict.BROKEN and answer.stats.generated and errors:
            return replace(result, diagnostics=(*result.diagnostics, _attribute(errors[0], result, answer)))
    return result


def _attribute(error: Diagnostic, result: RunResult, answer: RunResult) -> Diagnostic:
    """Return an error with the versions of the TLC that kept silent and of the one that printed it."""
    silent = f"TLC {result.tlc_version or 'in use'}"
    text = f"{silent} stopped without a message; TLC {answer.tlc_version} says:\n{error.text}"
    return replace(error, text=text)
