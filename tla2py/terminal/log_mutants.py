"""Which changes to logs went unnoticed, as tables: by change, field and action."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from tla2py.execution.log_mutants import LogMutants, general_field, shares
from tla2py.show.markup import printable
from tla2py.terminal.layout import plain_table
from tla2py.text import counted, cut

_MOST_ROWS = 20
# Of a value in an example.
_LONGEST = 40
_CHANGES = ("drop", "double", "swap", "field")


def log_mutants_view(mutants: LogMutants) -> Iterator[RenderableType]:
    """A summary: how many changed logs were accepted, and what was changed in them."""
    rows = mutants.rows
    yield Text(mutants.text)
    if not any(row.status == "accepted" for row in rows):
        return
    found = shares(rows, lambda row: (row.action or "", row.change))
    actions = shares(rows, lambda row: row.action or "")
    by_action = plain_table("action", *_CHANGES)
    for action in [*actions][:_MOST_ROWS]:
        cells = (found.get((action, change)) for change in _CHANGES)
        by_action.add_row(
            Text(printable(action) or "-"), *("" if cell is None else str(cell) for cell in cells)
        )
    changes = shares(rows, lambda row: row.change)
    by_action.add_row("all", *(str(changes[change]) if change in changes else "" for change in _CHANGES))
    yield by_action
    if len(actions) > _MOST_ROWS:
        yield Text(f"and {counted(len(actions) - _MOST_ROWS, 'more action')}", "dim")
    fields = {name: share for name, share in shares(rows, general_field).items() if share.accepted}
    if fields:
        by_field = plain_table("field", "accepted", "for example")
        for name in [*fields][:_MOST_ROWS]:
            first = next(row for row in rows if row.status == "accepted" and general_field(row) == name)
            before, after = (cut(text or "", _LONGEST) for text in (first.before, first.after))
            example = printable(f"{first.file}:{first.line} {before} -> {after}")
            by_field.add_row(Text(printable(name)), str(fields[name]), Text(example))
        yield by_field
        if len(fields) > _MOST_ROWS:
            yield Text(f"and {counted(len(fields) - _MOST_ROWS, 'more field')}", "dim")
    if mutants.constant:
        named = ", ".join(map(printable, mutants.constant[:_MOST_ROWS]))
        more = f" and {len(mutants.constant) - _MOST_ROWS} more" * (len(mutants.constant) > _MOST_ROWS)
        yield Text(f"not changed, with one value in all logs: {named}{more}", "dim")
