"""What TLC says of the points that are broken or excluded."""

from __future__ import annotations

from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.markup import Element, element
from tla2py.terminal.diagnostics import complaints, excerpt_lines, points_are


def complaints_list(view: StoreView) -> Element | None:
    """The first error of every broken or excluded point, each once, at its place; None where there is none."""
    items = []
    for verdict in (Verdict.BROKEN, Verdict.EXCLUDED):
        for complaint, points in complaints(view, view.run_rows, verdict).items():
            lines = [complaint.text]
            if complaint.place is not None:
                lines = [f"{complaint.place}: {complaint.text}"]
                lines += [line.plain for line in excerpt_lines(complaint.place)]
            items.append(element("li", points_are(points, verdict.value), element("pre", "\n".join(lines))))
    return element("ul", *items) if items else None
