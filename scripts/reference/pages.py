"""The generated pages and the functions that make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from scripts.reference.api import api_page
from scripts.reference.cli import cli_page
from scripts.reference.errors import errors_page
from tla2py.mutation.operators import OPERATORS
from tla2py.store.schema import tables_document

ROOT = Path(__file__).resolve().parents[2]
_TABLES = "## Tables\n\n"
_OPERATORS = "## Operators\n\n"


def _store_page() -> str:
    """The existing page of the store, with its tables rewritten."""
    written = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    return written.partition(_TABLES)[0] + _TABLES + tables_document()


def _mutation_page() -> str:
    """The existing page of mutants, with its operators rewritten."""
    written = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    return written.partition(_OPERATORS)[0] + _OPERATORS + _operators_table()


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
    "docs/mutation.md": _mutation_page,
    "docs/store.md": _store_page,
}
