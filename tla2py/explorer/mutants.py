"""What the mutants of a store change, in the lines of their modules."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tla2py.errors import Tla2pyError
from tla2py.explore.view import StoreView
from tla2py.mutation.mutant import one_line
from tla2py.mutation.row import MutantRow


def mutant_changes(view: StoreView) -> dict[str, dict[str, str]]:
    """For each mutant of a store, by its id: where it is, the operator, and the text before and after."""
    report = view.store.mutants()
    line_of = source_lines(view)
    return {each.mutant: _change(each, line_of) for each in (report.mutants if report is not None else ())}


def source_lines(view: StoreView) -> Callable[[str, int], str]:
    """A function from a module and a line to that line's text, "" if it is not known."""
    digests = {Path(path).stem: sha256 for sha256, path in view.manifest.files.items()}

    @cache
    def lines(module: str) -> list[str]:
        with contextlib.suppress(OSError, KeyError, Tla2pyError):
            return view.store.source(digests[module]).split("\n")
        return []

    def line_of(module: str, line: int) -> str:
        found = lines(module)
        return found[line - 1] if 1 <= line <= len(found) else ""

    return line_of


def _change(each: MutantRow, line_of: Callable[[str, int], str]) -> dict[str, str]:
    line, start = line_of(each.module, each.line), each.column - 1
    before, after = each.before, each.after
    # Within its line, unless it spans several.
    if line[start:].startswith(before):
        before, after = line, f"{line[:start]}{after}{line[start + len(before) :]}"
    return {
        "place": f"{each.module}:{each.line}",
        "definition": each.definition,
        "operator": each.operator,
        "before": one_line(before),
        "after": one_line(after),
    }
