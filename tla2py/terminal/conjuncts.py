"""The conjuncts of a violated invariant as text for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tla2py.replay.conjuncts import ConjunctRow, Conjuncts
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
    for row in found.rows:
        text = cut(row.conjunct.text, _LONGEST, "…")
        values = Text.assemble(*(_MARKS[value] for value in row.values))
        table.add_row(_place(row), f"{text} =>" if row.conjunct.role == "condition" else text, values)
    return Group(
        Text(title + headline(found.trace), "bold red"),
        table,
        Text("T: TRUE, F: FALSE, -: not evaluated, because of a condition or of an earlier FALSE", "dim"),
        *_turning(found),
    )


def _place(row: ConjunctRow) -> str:
    return f"{row.conjunct.module}:{row.conjunct.line}:{row.conjunct.column}"


def _turning(found: Conjuncts) -> list[RenderableType]:
    row, state = found.turning, found.turning_state
    if row is None or state is None:
        return [Text("no conjunct is FALSE in any state", "bold")]
    witness = ", ".join(f"{name} = {value}" for name, value in row.witnesses[found.trace.states.index(state)])
    return [
        Text(f"FALSE first in state {state.index}, after {action_text(state)}:", "bold"),
        Text(f"  {row.conjunct.text}"),
        Text(f"  in {row.conjunct.definition} at {_place(row)}{f', for {witness}' if witness else ''}"),
    ]
