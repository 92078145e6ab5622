"""TLC's errors at the broken and excluded points."""

from __future__ import annotations

from tla2py.explore.view import StoreView
from tla2py.model.outcome import Verdict
from tla2py.show.markup import Element, element
from tla2py.terminal.diagnostics import errors_with_points, excerpt_lines, points_are


def errors_list(view: StoreView) -> Element | None:
    """The first errors of the broken and excluded points, each once, with its place; None if there are none."""
    items = []
    for verdict in (Verdict.BROKEN, Verdict.EXCLUDED):
        for error, points in errors_with_points(view, view.run_rows, verdict).items():
            lines = [error.text]
            if error.place is not None:
                lines = [f"{error.place}: {error.text}"]
                lines += [line.plain for line in excerpt_lines(error.place)]
            items.append(element("li", points_are(points, verdict.value), element("pre", "\n".join(lines))))
    return element("ul", *items) if items else None
