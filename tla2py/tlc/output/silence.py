"""A run that TLC ends with an error but without a message (tlaplus#763), and the message that another TLC prints for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tla2py.model.outcome import Diagnostic, Verdict
from tla2py.model.run import RETRIED, Execution, RunResult


def is_silent(result: RunResult) -> bool:
    """Return whether TLC stopped with an error and does not say which."""
    return result.verdict is Verdict.BROKEN and result.outcome not in RETRIED and not _errors(result)


def is_telling(result: RunResult) -> bool:
    """Return whether a TLC says why it stopped.

    Without states it may have stopped at what it does not know, such as an option.
    """
    return result.verdict is Verdict.BROKEN and bool(result.stats.generated) and bool(_errors(result))


def add_message(result: RunResult, pairs: Sequence[tuple[Execution, RunResult]]) -> RunResult:
    """Return the result, with the message of another TLC if its own TLC stopped without one.

    The other TLC is that of an execution for ``message``; the verdict stays that of the run's own.
    """
    if not is_silent(result):
        return result
    for execution, answer in pairs:
        if execution.purpose == "message" and is_telling(answer):
            error = _attribute(_errors(answer)[0], result, answer)
            return replace(result, diagnostics=(*result.diagnostics, error))
    return result


def _errors(result: RunResult) -> list[Diagnostic]:
    return [diagnostic for diagnostic in result.diagnostics if diagnostic.severity == "error"]


def _attribute(error: Diagnostic, result: RunResult, answer: RunResult) -> Diagnostic:
    """Return an error with the versions of the TLC that kept silent and of the one that printed it."""
    silent = f"TLC {result.tlc_version or 'in use'}"
    text = f"{silent} stopped without a message; TLC {answer.tlc_version} says:\n{error.text}"
    return replace(error, text=text)
