"""The mutants of a store: the survivors in the lines that they change, and what the statuses add up to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tla2py.explore.view import StoreView
from tla2py.explorer.mutants import source_lines
from tla2py.mutation.figures import check_figures, definition_shares, score, sizes, status_counts
from tla2py.mutation.mutant import one_line
from tla2py.mutation.row import MutantReport, MutantRow
from tla2py.show.markup import Element, element, number_cell, number_title, row, table
from tla2py.text import counted, cut

_LONGEST = 300


def mutants_section(view: StoreView) -> Element | None:
    """The tables of survivors, definitions and checks; None without mutants."""
    report = view.store.mutants()
    if report is None:
        return None
    return element(
        "div",
        _survivors(report, source_lines(view)),
        _definitions(report),
        _checks(report),
        element("p", _sums(report), class_="t2-dim"),
    )


def _survivors(report: MutantReport, line_of: Callable[[str, int], str]) -> Element:
    rows = [
        row(
            element("td", f"{each.module}:{each.line}", class_="t2-dim"),
            element("td", element("code", each.definition)),
            each.operator,
            element("td", element("code", cut(line_of(each.module, each.line).strip(), _LONGEST))),
            element("td", element("code", cut(_change(each), _LONGEST))),
            element("td", element("code", each.mutant), class_="t2-dim"),
        )
        for each in report.with_status("survived")
    ]
    titles = ("place", "definition", "operator", "line", "change", "mutant")
    return table(f"{counted(len(rows), 'change')} that no check notices", titles, rows)


def _definitions(report: MutantReport) -> Element:
    rows = [
        row(element("td", element("code", share.name)), number_cell(f"{share.killed} of {share.of}"))
        for share in definition_shares(report)
    ]
    return table("mutants killed, of those killed and survived", ("definition", number_title("killed")), rows)


def _checks(report: MutantReport) -> Element:
    rows = [
        row(element("td", element("code", each.check)), *_numbers([each.asked, each.kills, each.alone]))
        for each in check_figures(report)
    ]
    return table(
        "what notices mutants", ("check", *map(number_title, ("asked", "notices", "it alone"))), rows
    )


def _numbers(values: Sequence[int | None]) -> list[Element]:
    return [number_cell("" if value is None else f"{value:,}") for value in values]


def _sums(report: MutantReport) -> str:
    share = score(report)
    statuses = ", ".join(f"{count:,} {status}" for status, count in status_counts(report).items())
    died = ", ".join(f"{count:,} at point {point}" for point, count in sizes(report))
    out = "".join(f"; point {each.point} left out: {each.reason}" for each in report.left_out)
    return f"{share.killed:,} of {share.of:,} killed that could be; {statuses}; killed {died}{out}"


def _change(mutant: MutantRow) -> str:
    return f"{one_line(mutant.before)} -> {one_line(mutant.after) or '(nothing)'}"
