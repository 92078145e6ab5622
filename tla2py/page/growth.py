"""The growth of the runs' states and times, as charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_uppercase

from tla2py.errors import InputError
from tla2py.explore.grid import GridPoint, varying
from tla2py.explore.growth import Growth, Series, growth_view, make_growth
from tla2py.explore.view import StoreView
from tla2py.show.markup import Element, element
from tla2py.text import counted

# More curves cannot be told apart; longer names go into a legend.
_MOST_CURVES = 5
_LONGEST = 22


def growth_pictures(view: StoreView, points: Sequence[GridPoint]) -> Iterator[Element]:
    """The growth of states and time along each parameter whose values are numbers or sets."""
    for parameter in varying(points):
        for value in ("distinct", "wall_seconds"):
            try:
                growth = make_growth(view, parameter, value)
            except InputError:
                continue
            curves = [one for one in growth.series if len(one.numbers) > 1]
            if curves:
                yield _picture(growth, curves, varying(points))


def _picture(growth: Growth, found: Sequence[Series], parameters: Sequence[str]) -> Element:
    # The curves that reach the largest numbers.
    curves = sorted(found, key=lambda one: -one.numbers[-1])[:_MOST_CURVES]
    differ = [name for name in curves[0].fixed if len({one.fixed[name] for one in curves}) > 1]
    names = differ or [name for name in parameters if name != growth.parameter]
    named = tuple(replace(one, fixed={name: one.fixed[name] for name in names}) for one in curves)
    letters = max(len(one.label) for one in named) > _LONGEST
    picture = growth_view(replace(growth, series=named), ascii_uppercase[: len(named)] if letters else ())
    legend = element("ol", *(element("li", element("code", one.label)) for one in named)) if letters else None
    left = len(found) - len(curves)
    note = element("figcaption", f"{counted(left, 'curve')} with smaller numbers not shown") if left else None
    return element("div", picture, legend, note)
