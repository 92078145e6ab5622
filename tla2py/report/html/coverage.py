"""Which actions fired, over all points whose actions were counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from tla2py.explore import StoreView
from tla2py.show.markup import Element, element


@dataclass(slots=True)
class _Count:
    generated: int = 0
    distinct: int = 0
    points: set[int] = field(default_factory=set)
    fired: set[int] = field(default_factory=set)


def coverage_view(view: StoreView) -> Element | None:
    """A row per action, those that fired nowhere first and in red; None where no run counted its actions."""
    points: dict[str, list[int]] = {}
    for point in view.manifest.points:
        points.setdefault(point.run_id, []).append(point.point)
    counts: dict[tuple[str, int, str], _Count] = {}
    for row in view.arrow("coverage").to_pylist():
        if row["kind"] != "action" or row["run_id"] not in points:
            continue
        # TLC counts the disjuncts of an action apart, under one name and place.
        count = counts.setdefault((row["module"], row["begin_line"], row["name"]), _Count())
        count.generated += row["generated"] or 0
        count.distinct += row["distinct"] or 0
        count.points.update(points[row["run_id"]])
        if row["generated"]:
            count.fired.update(points[row["run_id"]])
    if not counts:
        return None
    rows = sorted(counts.items(), key=lambda entry: (bool(entry[1].generated), entry[0]))
    idle = sum(not count.generated for count in counts.values())
    said = (
        f"{len(counts)} actions: {idle} never fired" if idle else f"all {len(counts)} actions fired somewhere"
    )
    titles = ("action", "module", "states generated", "new ones", "fired at points")
    head = [
        element("th", title, scope="col", class_="t2-n" if n > 1 else None) for n, title in enumerate(titles)
    ]
    body = element("tbody", *(_row(*entry) for entry in rows))
    return element("table", element("caption", said), element("thead", element("tr", *head)), body)


def _row(key: tuple[str, int, str], count: _Count) -> Element:
    module, line, name = key
    share = f"{len(count.fired)} of {len(count.points)}"
    action = element("th", element("code", name), " (never fired)" * (not count.generated), scope="row")
    cells = [
        element("td", text, class_="t2-n") for text in (f"{count.generated:,}", f"{count.distinct:,}", share)
    ]
    style = None if count.generated else "t2-bad"
    return element("tr", action, element("td", f"{module}:{line}", class_="t2-dim"), *cells, class_=style)
