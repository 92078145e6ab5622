"""The conjuncts of a violated invariant or of an action as text for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.instrument.prints import Binding
from tla2py.replay.conjuncts import Conjuncts
from tla2py.replay.enabled import Enabledness
from tla2py.show.plain import action_text, headline
from tla2py.terminal.layout import plain_table
from tla2py.text import cut

_LONGEST = 72
_MARKS = {True: ("T", "green"), False: ("F", "bold red"), None: ("-", "dim")}


def conjuncts_text(found: Conjuncts, title: str) -> RenderableType:
    """A line for each conjunct with its value in each state, then the one that turns FALSE first."""
    table = plain_table()
    table.add_column("place")
    table.add_column("conjunct", overflow="fold")
    table.add_column(f"states 1 to {len(found.trace.states)}", overflow="fold")
    turned = False
    for row in found.rows:
        if not row.conjunct.depth:
            turned = row.first_false is not None
        elif not turned:
            continue
        text = "  " * row.conjunct.depth + cut(row.conjunct.text, _LONGEST, "…")
        values = Text.assemble(*(_MARKS[value] for value in row.values))
        table.add_row(row.conjunct.place, f"{text} =>" if row.conjunct.role == "condition" else text, values)
    return Group(
        Text(title + headline(found.trace), "bold red"),
        table,
        Text(
            "T: TRUE, F: FALSE, -: not evaluated, because of a condition or of an earlier conjunct or part",
            "dim",
        ),
        *_turning(found),
    )


def enabled_text(found: Enabledness, title: str) -> RenderableType:
    """A line for each conjunct of an action, then the binding that gets furthest and what stops it."""
    table = plain_table()
    table.add_column("place")
    table.add_column("conjunct", overflow="fold")
    table.add_column("possible")
    for row in found.rows:
        text = cut(row.conjunct.text, _LONGEST, "…")
        table.add_row(row.conjunct.place, text, Text(*_MARKS[row.enabled]))
    verdict = "is enabled" if found.enabled else "is not enabled"
    title = f"{title}{found.action} {verdict} in state {found.state.index}"
    binding = _bound(found.binding)
    end: list[RenderableType] = []
    if found.stopped is not None:
        end = [
            Text(f"gets furthest{f' for {binding}' if binding else ''}, then is FALSE:", "bold"),
            Text(f"  {found.stopped.text}"),
            Text(f"  in {found.stopped.definition} at {found.stopped.place}"),
        ]
    elif binding:
        end = [Text(f"enabled for {binding}", "bold")]
    key = "T: ENABLED up to this conjunct, F: not for any binding that gets to it, -: none gets to it"
    return Group(Text(title, "bold" if found.enabled else "bold red"), table, Text(key, "dim"), *end)


def _turning(found: Conjuncts) -> list[Text]:
    row, state = found.turning, found.turning_state
    if row is None or state is None:
        return [Text("no conjunct is FALSE in any state", "bold")]
    here, witness = found.trace.states.index(state), found.witness
    step = f", after {action_text(state)}" if state.action else ""
    lines = [
        Text(f"FALSE first in state {state.index}{step}:", "bold"),
        Text(f"  {row.conjunct.text}"),
        Text(f"  in {row.conjunct.definition} at {row.conjunct.place}{found.blame}"),
    ]
    for part in found.parts(row):
        # The witness of a quantifier inside the conjunct.
        if part.conjunct.role == "body" and part.values[here] is part.conjunct.decisive:
            value = "TRUE" if part.conjunct.decisive else "FALSE"
            inner = tuple(each for each in part.witnesses[here] if each not in witness)
            lines.append(Text(f"  {value} for {_bound(inner)}: {cut(part.conjunct.text, _LONGEST, '…')}"))
    return lines


def _bound(binding: Binding) -> str:
    return ", ".join(f"{name} = {value}" for name, value in binding)
