"""A store's counterexamples, step by step and by process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from tla2py.errors import InputError
from tla2py.explore.contrast import FindNearest, Neighbour
from tla2py.explore.found import StoredTrace
from tla2py.explore.grid import GridPoint
from tla2py.explore.kinds import kinds_table
from tla2py.explore.view import StoreView
from tla2py.page.glossary import Glossary, comments_view, definition_view
from tla2py.show.lanes import trace_lanes
from tla2py.show.lanes_svg import lanes_svg
from tla2py.show.markup import Element, Piece, element, number_cell, row, table
from tla2py.show.plain import derived, headline, runs_of
from tla2py.show.trace_html import trace_view
from tla2py.text import parameter_text
from tla2py.trace.trace import SIMULATED, Trace

# More counterexamples than this are also listed in tables.
_FEW = 3
_MOST_LISTED = 1000
# Of more counterexamples only the shortest of each kind is shown step by step.
_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceViews:
    """What the views of counterexamples have in common.

    ``points`` are those of the store by number, ``varying`` the parameters with several values. ``lanes`` to ``receiver``
    are arguments of ``Trace.lanes``.
    """

    view: StoreView
    points: Mapping[int, GridPoint]
    varying: Sequence[str]
    nearest: FindNearest
    lanes: str | None
    messages: str | None
    sender: str | None
    receiver: str | None
    glossary: Glossary


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSection:
    """The counterexamples of a store: tables of their kinds and of all, and the steps of some by point and number."""

    total: int
    kinds: Element | None
    listed: Element | None
    articles: Mapping[tuple[int, int], Element]


def trace_section(views: TraceViews, largest: int) -> TraceSection:
    """The counterexamples with their steps up to ``largest`` bytes, the shortest of each kind first.

    Of many counterexamples, only the shortest of each kind has its steps. Simulated behaviours that violate nothing are
    left out.
    """
    kinds = [kind for kind in views.view.kinds().kinds if kind.name != SIMULATED]
    shortest = [kind.shortest for kind in kinds]
    found = shortest + [each for kind in kinds for each in kind.members[1:]]
    articles: dict[tuple[int, int], Element] = {}
    size = 0
    for one in found if len(found) <= _MOST_SHOWN else shortest:
        article = _article(views, one)
        size += len(ET.tostring(article, encoding="unicode", method="html").encode())
        if size > largest:
            break
        articles[one.point, one.trace] = article

    def link(one: StoredTrace) -> Piece:
        shown = (one.point, one.trace) in articles
        return element("a", str(one), href=f"#point-{one.point}-trace-{one.trace}") if shown else str(one)

    return TraceSection(
        total=len(found),
        kinds=kinds_table(kinds, link) if len(found) > _FEW else None,
        listed=_listed(found, set(articles)) if len(found) > min(_FEW, len(articles)) else None,
        articles=dict(sorted(articles.items())),
    )


def _article(views: TraceViews, found: StoredTrace) -> Element:
    trace = views.view.trace(found.point, found.trace)
    modules = views.glossary.modules(found.point)
    point = views.points[found.point]
    name = f"point-{found.point}-trace-{found.trace}"
    # A link without a trace number means the point's first trace.
    anchor = f"point-{found.point}-step" if found.trace == 1 else f"{name}-step"
    parameters = parameter_text({name: point.parameters[name] for name in views.varying})
    return element(
        "article",
        element("h3", element("a", f"Point {found.point}: {headline(trace)}", href=f"#{name}")),
        element("p", element("code", parameters)),
        definition_view(modules, trace.name) if trace.name else None,
        _contrast(views.nearest(point, found.name)),
        _lanes(views, trace, name),
        comments_view(modules, trace),
        element(
            "div",
            trace_view(trace, anchor=anchor),
            class_="wide",
            tabindex="0",
            role="region",
            aria_label=f"steps of {name}",
        ),
        id=name,
    )


def _contrast(nearest: Sequence[Neighbour]) -> Element | None:
    """A line about the nearest points that hold."""
    parts: list[Element | str] = []
    for each in nearest:
        changes = ", ".join(f"{name} = {there} instead of {here}" for name, there, here in each.differs)
        link = element("a", str(each.point.point), href=f"#point-{each.point.point}")
        parts += ["; " if parts else "", link, f": {changes}"]
    if not parts:
        return None
    many = len(nearest) > 1
    return element("p", f"The nearest point{'s' * many} that hold{'s' * (not many)}: ", *parts, ".")


def _lanes(views: TraceViews, trace: Trace, name: str) -> Element | None:
    try:
        lanes = trace_lanes(
            trace, views.lanes, messages=views.messages, sender=views.sender, receiver=views.receiver
        )
    except InputError:
        # A trace need not have processes, unless they were requested.
        if views.lanes or views.messages:
            raise
        return None
    caption = "By process, time going down" + "; arrows are messages" * bool(lanes.arrows)
    if any(row.derived for row in lanes.rows):
        # An argument names the acting process if that process's part of the state changed.
        caption += "; the acting process is derived from " + "arguments, or from " * derived(trace)
        caption += "the part of the state that changed"
    return element(
        "figure",
        element("figcaption", caption),
        element(
            "div", lanes_svg(lanes), class_="wide", tabindex="0", role="region", aria_label=f"lanes of {name}"
        ),
    )


def _listed(found: Sequence[StoredTrace], whole: set[tuple[int, int]]) -> Element:
    rows = []
    for one in sorted(found, key=lambda one: (one.point, one.trace))[:_MOST_LISTED]:
        here = (one.point, one.trace) in whole
        link = (
            element("a", str(one.trace), href=f"#point-{one.point}-trace-{one.trace}")
            if here
            else str(one.trace)
        )
        point = element("th", str(one.point), scope="row", class_="t2-n")
        actions = runs_of(list(one.actions))
        rows.append(row(point, number_cell(link), one.name, number_cell(str(one.length)), actions))
    left, hidden = len(found) - _MOST_LISTED, len(found) - len(whole)
    caption = f"All {len(found)} counterexamples"
    caption += f", the first {_MOST_LISTED} listed" * (left > 0)
    caption += f"; {hidden} are not shown below: print one with tla2py trace STORE POINT --trace TRACE" * (
        hidden > 0
    )
    return table(caption, ("point", "trace", "violates", "states", "actions"), rows)
