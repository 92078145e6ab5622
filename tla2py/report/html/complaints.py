"""What TLC says of the points that are broken."""

from __future__ import annotations

from tla2py.explore import StoreView
from tla2py.report.diagnostics import complaints, excerpt_lines, points_broken
from tla2py.show.markup import Element, element
from tla2py.tables.read import list_of


def complaints_list(view: StoreView) -> Element | None:
    """The first error of every broken point, each once, at its place; None where no point is broken."""
    said = complaints(view, list_of(view.arrow("runs")))
    if not said:
        return None
    items = []
    for complaint, points in said.items():
        lines = [complaint.text]
        if complaint.place is not None:
            lines = [f"{complaint.place}: {complaint.text}"]
            lines += [line.plain for line in excerpt_lines(complaint.place)]
        items.append(element("li", points_broken(points), element("pre", "\n".join(lines))))
    return element("ul", *items)
