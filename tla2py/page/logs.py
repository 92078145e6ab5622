"""The logs of a store, the ones that no behaviour explains first."""

from __future__ import annotations

from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.markup import Element, element, number_cell, number_title, row, table
from tla2py.tables.details import unmatched_lines
from tla2py.tables.files import table_files
from tla2py.tables.read import read_rows
from tla2py.text import counted, cut

_ORDER = (Verdict.VIOLATED, Verdict.BROKEN, Verdict.INCONCLUSIVE, Verdict.EXCLUDED, Verdict.HOLDS)
_COLUMNS = ("run_id", "point", "file", "verdict", "matched", "lines", "first_unmatched")
_LONGEST = 300


def logs_table(view: StoreView) -> Element | None:
    """A row per log: how much of it some behaviour explains, and the first line that none does; None without logs."""
    files = table_files(view.store, "logs")
    found = [(*each[:3], Verdict(each[3]), *each[4:]) for each in read_rows(files, _COLUMNS)]
    if not found:
        return None
    texts = unmatched_lines(files, table_files(view.store, "log_lines"))
    rows = []
    for run_id, point, file, verdict, matched, lines, first in sorted(
        found, key=lambda each: _ORDER.index(each[3])
    ):
        explained = "-" if matched is None else f"{matched:,} of {lines:,}"
        text = element("code", cut(texts[run_id].text, _LONGEST)) if run_id in texts else ""
        style = (
            "t2-good" if verdict is Verdict.HOLDS else "t2-bad" if verdict is Verdict.VIOLATED else "t2-odd"
        )
        rows.append(
            row(
                element("td", element("code", file)),
                element("td", element("a", verdict.value, href=f"#point-{point}"), class_=style),
                number_cell(explained),
                number_cell("-" if first is None else f"{first:,}"),
                element("td", text),
            )
        )
    held = sum(each[3] is Verdict.HOLDS for each in found)
    titles = (
        "log",
        "verdict",
        number_title("lines explained"),
        number_title("first unexplained"),
        "its text",
    )
    return table(f"{held} of {counted(len(found), 'log')} explained", titles, rows)
