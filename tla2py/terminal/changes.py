"""The difference between the answers of two checks, as text."""

from __future__ import annotations

from tla2py.execution.check import Checked
from tla2py.model.outcome import OUTCOME_WORDS, Verdict
from tla2py.tables.rows import explaining_errors
from tla2py.terminal.figures import number


def answer_change(before: Checked, after: Checked) -> str | None:
    """What changed in the answer, such as ``verdict holds -> violated``, or None."""
    old, new = _facts(before), _facts(after)
    changed = [f"{name} {old[name]} -> {new[name]}" for name in old if old[name] != new[name]]
    if changed:
        return ", ".join(changed)
    if before.traces != after.traces:
        return "another counterexample"
    different = explaining_errors(before.result) != explaining_errors(after.result)
    return "other messages" if different or before.prints != after.prints else None


def _facts(checked: Checked) -> dict[str, str]:
    result = checked.result
    plain = bool(result.violations) or result.verdict is Verdict.HOLDS
    lengths = [str(len(trace.states)) for trace in result.traces]
    return {
        "verdict": result.verdict.value
        if plain
        else f"{result.verdict.value} ({OUTCOME_WORDS[result.outcome]})",
        "violated": ", ".join(violation.label for violation in result.violations) or "nothing",
        "trace length": ", ".join(lengths) or "none",
        "generated": number(result.stats.generated),
        "distinct": number(result.stats.distinct),
        "depth": number(result.stats.depth),
    }
