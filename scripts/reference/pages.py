"""The generated pages and the functions that make them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from scripts.reference.api import api_page
from scripts.reference.cli import cli_page
from scripts.reference.errors import errors_page
from tla2py.mutation.operators import OPERATORS
from tla2py.store.schema import TABLES, Column, runs_columns

ROOT = Path(__file__).resolve().parents[2]
_TABLES_HEAD = """\
# Tables

Generated from the code: the tables of a [store](../store.md), as `tla2py query` and `tla2py.open_store` read them.
"""
_OPERATORS_HEAD = """\
# Mutation operators

Generated from the code: the changes that `tla2py mutate` makes to a specification, to see [what no check notices](../mutation.md).
"""


def _tables_page() -> str:
    """The columns of every table."""
    return f"{_TABLES_HEAD}\n{_tables_document()}"


def _operators_page() -> str:
    """The operators that change a specification."""
    return f"{_OPERATORS_HEAD}\n{_operators_table()}"


def _operators_table() -> str:
    rows = [
        f"| `{each.name}` | `{_cell(each.before)}` | `{_cell(each.after)}` | {_cell(each.reason)} |"
        for each in OPERATORS.values()
    ]
    return "\n".join(["| operator | before | after | the mistake |", "|---|---|---|---|", *rows, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


# Paths are relative to the root of the repository; each function returns the whole file.
PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/cli.md": cli_page,
    "docs/reference/python.md": api_page,
    "docs/reference/errors.md": errors_page,
    "docs/reference/operators.md": _operators_page,
    "docs/reference/tables.md": _tables_page,
}


_ROWS = {
    "runs": "One row per point. Each parameter has a column under its own name, after `point`.",
    "traces": "One row per counterexample.",
    "states": "One row per state of a counterexample.",
    "changes": "One row for each innermost part of a variable that a step changed.",
    "diagnostics": "One row per error or warning that TLC or SANY printed.",
    "prints": (
        "One row per value that Print, PrintT or an Assert printed in a run's first execution, up to 1,000; `print_count` "
        "of `runs` counts all of them. `tla2py check` shows the values as they come."
    ),
    "simulations": (
        "One row per run that simulated, with the counts of its first execution. TLC 2.15 and 2.19 count behaviours only "
        "where all `num` were generated. The lengths are those of the behaviours that `behaviours = true` keeps; with "
        "coverage, TLC 2.20 also counts the states that each action generated (`generated` of `coverage`)."
    ),
    "logs": "One row per log that a point checks; empty unless the sweep has logs.",
    "mutants": "One row per mutant of the specification; empty unless `tla2py mutate` wrote the store.",
    "log_lines": (
        "One row per line of such a log. `actions` and `states` are null where the module that reads the log is the user's own."
    ),
    "log_mutants": "One row per changed log, in the store of `--mutate-logs`.",
    "graph_states": "One row per reachable state; empty unless the graph was requested.",
    "graph_edges": "One row per step between reachable states; empty unless the graph was requested. Parallel steps that TLC cannot tell "
    "apart, as those of TLC 2.15 and 1.7.4 without arguments, are one row.",
    "coverage": "One row per action or expression of TLC's last coverage report; empty unless coverage was requested.",
}


def _tables_document() -> str:
    """The columns of every table, as Markdown."""
    parts = []
    for name, columns in {"runs": runs_columns(()), **TABLES}.items():
        parts += [f"## `{name}`", "", _ROWS[name], "", *_columns(columns), ""]
    return "\n".join(parts)


def _columns(columns: Iterable[Column]) -> list[str]:
    rows = [f"| `{c.name}` | {c.type}{', nullable' if c.nullable else ''} | {c.doc} |" for c in columns]
    return ["| column | type | description |", "|---|---|---|", *rows]
