"""The documentation of the mutation operators, generated from their registry."""

from __future__ import annotations

from tla2py.mutation.operators import OPERATORS


def operators_document() -> str:
    """The operators with their examples, as a Markdown table."""
    rows = [
        f"| `{each.name}` | `{_cell(each.before)}` | `{_cell(each.after)}` | {_cell(each.reason)} |"
        for each in OPERATORS.values()
    ]
    return "\n".join(["| operator | before | after | the mistake |", "|---|---|---|---|", *rows, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
