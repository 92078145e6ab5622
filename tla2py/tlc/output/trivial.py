"""Properties that TLC takes for FALSE before it computes a state, since a conjunct is a definition that is FALSE.

TLC 2.15, 1.7.4 and 2.20 then stop with "The spec is trivially false because D is false", and say the same where D is a
conjunct of the specification. So a run that checks what is left decides: if it computes states, D is in a property, which
each behaviour violates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tla2py.model.outcome import Diagnostic, Outcome, Verdict, Violation
from tla2py.model.run import Execution, RunResult
from tla2py.tlc.output.codes import Code

_FALSE = re.compile(r"trivially false because (\S+) is false")


def is_trivially_false(result: RunResult) -> bool:
    """Return whether TLC stopped because the specification or a property has a conjunct that is FALSE."""
    return result.verdict is Verdict.BROKEN and bool(false_definition(result))


def false_definition(result: RunResult) -> str:
    """Return the name of the definition for which TLC stopped, "" if it did not stop for one."""
    for diagnostic in result.diagnostics:
        if diagnostic.code == Code.TRIVIALLY_FALSE and (match := _FALSE.search(diagnostic.text)) is not None:
            return match[1]
    return ""


def find_trivial_violations(pairs: Sequence[tuple[Execution, RunResult]]) -> dict[str, str]:
    """Return the properties that TLC takes for FALSE alone, each with the definition for which it does."""
    definitions: dict[str, str] = {}
    for execution, result in pairs:
        alone = execution.purpose in ("run", "trivial", "rest") and len(execution.properties) == 1
        if alone and is_trivially_false(result):
            definitions[execution.properties[0]] = false_definition(result)
    return definitions


def add_trivial_violations(result: RunResult, rest: RunResult, definitions: dict[str, str]) -> RunResult:
    """Return the result with a violation of each property that TLC takes for FALSE.

    ``rest`` is the execution without these properties. If it computed no state, there is no behaviour that violates them.
    """
    stats = rest.stats
    has_states = bool(stats.generated or stats.initial or rest.violations)
    if not has_states:
        return result
    violations = list(result.violations)
    diagnostics = list(result.diagnostics)
    for name, definition in definitions.items():
        violations.append(Violation(kind="temporal_property", name=name))
        text = f"Every behaviour violates {name}, because its conjunct {definition} is FALSE."
        diagnostics.append(Diagnostic(code=Code.TRIVIALLY_FALSE, severity="error", text=text))
    outcome = result.outcome if rest.violations else Outcome.VIOLATION_LIVENESS
    return replace(
        result,
        outcome=outcome,
        verdict=Verdict.VIOLATED,
        violations=tuple(violations),
        diagnostics=tuple(diagnostics),
    )
