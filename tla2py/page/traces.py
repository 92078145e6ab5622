"""The counterexamples of a store, step by step and by process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from tla2py.errors import InputError
from tla2py.explain.kinds import Found
from tla2py.explore.contrast import differing, nearest
from tla2py.explore.grid import GridPoint
from tla2py.explore.view import StoreView
from tla2py.page.glossary import Glossary, definition_view, words_view
from tla2py.page.points import varying
from tla2py.show.lanes import trace_lanes
from tla2py.show.lanes_svg import lanes_svg
from tla2py.show.markup import Element, element
from tla2py.show.plain import derived, headline, runs_of
from tla2py.show.trace_html import trace_view
from tla2py.text import parameter_text
from tla2py.tlc.output.behaviours import SIMULATED
from tla2py.trace.trace import Trace

# More counterexamples than this are first shown sorted into kinds.
_FEW = 3
_MOST_LISTED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the views of counterexamples need to know."""

    view: StoreView
    points: Sequence[GridPoint]
    lanes: str | None
    messages: str | None
    glossary: Glossary = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "glossary", Glossary(self.view))


def find_traces(view: StoreView) -> list[Found]:
    """The counterexamples, the shortest of each kind first; behaviours of a simulation that violate nothing are none."""
    kinds = view.kinds().kinds
    ordered = [kind.shortest for kind in kinds] + [found for kind in kinds for found in kind.members[1:]]
    return [found for found in ordered if found.name != SIMULATED]


def trace_articles(
    shown: Shown, found: Sequence[Found], largest: int
) -> tuple[dict[tuple[int, int], Element], Element | None]:
    """The counterexamples step by step by point and number, as many as ``largest`` bytes hold, and a list of all."""
    articles: dict[tuple[int, int], Element] = {}
    size = 0
    for one in found:
        article = _article(shown, one)
        size += len(ET.tostring(article, encoding="unicode", method="html").encode())
        if size > largest:
            break
        articles[one.point, one.trace] = article
    listed = _listed(found, set(articles)) if len(found) > min(_FEW, len(articles)) else None
    return dict(sorted(articles.items())), listed


def _article(shown: Shown, found: Found) -> Element:
    trace = shown.view.trace(found.point, found.trace)
    modules = shown.glossary.modules(found.point)
    point = next(point for point in shown.points if point.point == found.point)
    name = f"point-{found.point}-trace-{found.trace}"
    # The first trace of a point is the one that is meant where none is named.
    anchor = f"point-{found.point}-step" if found.trace == 1 else f"{name}-step"
    parameters = parameter_text({name: point.parameters[name] for name in varying(shown.points)})
    return element(
        "article",
        element("h3", element("a", f"Point {found.point}: {headline(trace)}", href=f"#{name}")),
        element("p", element("code", parameters)),
        definition_view(modules, trace.name) if trace.name else None,
        _contrast(shown, point),
        _lanes(shown, trace, name),
        words_view(modules, trace),
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


def _contrast(shown: Shown, point: GridPoint) -> Element | None:
    """The nearest point that holds, in a line."""
    there = nearest(shown.points, point)
    if there is None:
        return None
    said = ", ".join(f"{name} = {value} instead of {here}" for name, value, here in differing(there, point))
    other = there.point
    return element(
        "p",
        "The nearest point that holds is ",
        element("a", str(other), href=f"#point-{other}"),
        f": {said}.",
    )


def _lanes(shown: Shown, trace: Trace, name: str) -> Element | None:
    try:
        lanes = trace_lanes(trace, shown.lanes, messages=shown.messages)
    except InputError:
        # Processes that cannot be told are no mistake, unless they were asked for.
        if shown.lanes or shown.messages:
            raise
        return None
    said = "By process, time going down" + "; arrows are messages" * bool(shown.messages)
    if any(row.derived for row in lanes.rows):
        # An argument tells who acts where it names one whose part changed.
        said += "; who acts is derived from " + "arguments, else from " * derived(trace)
        said += "whose part of the state changed"
    return element(
        "figure",
        element("figcaption", said),
        element(
            "div", lanes_svg(lanes), class_="wide", tabindex="0", role="region", aria_label=f"lanes of {name}"
        ),
    )


def _listed(found: Sequence[Found], whole: set[tuple[int, int]]) -> Element:
    titles = ("point", "trace", "violates", "states", "actions")
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    body = element("tbody")
    for one in sorted(found, key=lambda one: (one.point, one.trace))[:_MOST_LISTED]:
        here = (one.point, one.trace) in whole
        link = (
            element("a", str(one.trace), href=f"#point-{one.point}-trace-{one.trace}")
            if here
            else str(one.trace)
        )
        body.append(
            element(
                "tr",
                element("th", str(one.point), scope="row", class_="t2-n"),
                element("td", link, class_="t2-n"),
                element("td", one.name),
                element("td", str(one.length), class_="t2-n"),
                element("td", runs_of(list(one.actions))),
            )
        )
    left, apart = len(found) - _MOST_LISTED, len(found) - len(whole)
    said = f"All {len(found)} counterexamples"
    said += f", the first {_MOST_LISTED} of them" * (left > 0)
    said += f"; {apart} are not shown below: tla2py trace STORE POINT --trace TRACE prints one" * (apart > 0)
    return element("table", element("caption", said), element("thead", head), body)
