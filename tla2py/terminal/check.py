"""The result of one check as text."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.execution.check import Checked
from tla2py.model.model import filled_text
from tla2py.model.outcome import OUTCOME_WORDS, REMEDIES, Verdict, simulation_words, unfinished
from tla2py.sweep.checks import DEADLOCK, Check, checks_of
from tla2py.sweep.judge import NO_STATES
from tla2py.tables.rows import explaining_errors
from tla2py.terminal.diagnostics import diagnostics_text
from tla2py.terminal.figures import number, seconds
from tla2py.terminal.layout import VERDICT_STYLES
from tla2py.terminal.traces import trace_text
from tla2py.text import counted
from tla2py.tlc.output.notes import notes_of

# More checked definitions than this are counted, not named.
_MOST = 6
_NOTHING_ELSE = ", and nothing else was checked"


def _checks(checked: Checked) -> tuple[Check, ...]:
    return checks_of(checked.record.executions[0].config_text, checked.record.options)


def _checked(checked: Checked) -> str:
    """What was checked, in short, with the config that requests it."""
    checks = _checks(checked)
    names = [check.name for check in checks if check != DEADLOCK]
    shown = names[:_MOST] + [f"{len(names) - _MOST} more"] * (len(names) > _MOST)
    shown += ["no deadlock"] * (DEADLOCK in checks)
    text = ", ".join(shown) or "nothing was checked but ASSUME"
    text += _NOTHING_ELSE * (checks == (DEADLOCK,))
    return f"{text} ({checked.config})" if checked.config is not None else text


def check_text(checked: Checked, *, full: bool = False) -> RenderableType:
    """The counterexamples, TLC's other errors, and a last line with verdict and statistics."""
    result, record = checked.result, checked.record
    parts: list[RenderableType] = []
    for trace in result.traces:
        parts += [trace_text(trace, full=full), ""]
    errors = explaining_errors(result)
    parts += diagnostics_text(errors)
    parts += [Text(f"{text}\n", "yellow") for text in notes_of(result)]
    if result.verdict is Verdict.INCONCLUSIVE and not result.simulated:
        parts.append(Text(REMEDIES[result.outcome]))
    if checked.filled:
        parts.append(Text(filled_text(checked.filled), "dim"))
    verdict = Text(result.verdict.value, VERDICT_STYLES[result.verdict])
    names = ", ".join(v.label for v in result.violations)
    if result.simulated:
        words = simulation_words(result.stats.behaviours, result.stats.generated)
        verdict = Text(words, VERDICT_STYLES[result.verdict])
    elif result.verdict is Verdict.HOLDS:
        of_nothing = f"; {NO_STATES}" * (result.stats.distinct == 0)
        verdict.append(f": {_checked(checked)}{of_nothing}", "")
    else:
        verdict.append(f": {names}" if names else f" ({OUTCOME_WORDS[result.outcome]})", "")
        verdict.append(_NOTHING_ELSE * (bool(names) and _checks(checked) == (DEADLOCK,)), "")
    stats = result.stats
    if stats.generated is not None:
        least = "at least " * unfinished(result.outcome, record.executions[0].termination_reason)
        first = " by the first execution" * (len(record.executions) > 1)
        verdict.append(
            f"; {least}{counted(stats.generated, 'state')} generated, {number(stats.distinct)} distinct, "
            f"depth {number(stats.depth)}{first}",
            "",
        )
    verdict.append(f", {seconds(sum(e.wall_seconds for e in record.executions))}", "")
    parts.append(verdict)
    return Group(*parts)
