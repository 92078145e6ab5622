"""The documentation of the tables, made from their schemas."""

from __future__ import annotations

from collections.abc import Iterable

from tla2py.tables.schema import TABLES, Column, runs_columns

_ROWS = {
    "runs": "A row per point. After `point` comes a column per parameter, under its own name.",
    "traces": "A row per counterexample.",
    "states": "A row per state of a counterexample.",
    "changes": "A row per smallest part of a variable that a step changed.",
    "diagnostics": "A row per error or warning that TLC or SANY printed.",
    "graph_states": "A row per reachable state; empty unless the graph was asked for.",
    "graph_edges": "A row per step from one reachable state to another; empty unless the graph was asked for.",
    "coverage": "A row per action, or expression, of TLC's last coverage report; empty unless it was asked for.",
}


def tables_document() -> str:
    """The columns of every table, as Markdown."""
    parts = []
    for name, columns in {"runs": runs_columns(()), **TABLES}.items():
        parts += [f"### `{name}`", "", _ROWS[name], "", *_columns(columns), ""]
    return "\n".join(parts)


def _columns(columns: Iterable[Column]) -> list[str]:
    rows = [f"| `{c.name}` | {c.type}{', may be null' if c.nullable else ''} | {c.doc} |" for c in columns]
    return ["| column | type | holds |", "|---|---|---|", *rows]
