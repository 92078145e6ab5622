"""How often each action was taken, over all points whose actions TLC counted."""

from __future__ import annotations

from tla2py.explore.action_counts import ActionCount, action_counts
from tla2py.explore.view import StoreView
from tla2py.show.markup import Element, element, number_cell, number_title, row, table


def coverage_view(view: StoreView) -> Element | None:
    """A row per action, those that never fired first and in red; None if no run counted its actions."""
    counts = sorted(action_counts(view), key=lambda count: not count.never_enabled)
    if not counts:
        return None
    never = sum(count.never_enabled for count in counts)
    actions = f"{len(counts)} action{'s' * (len(counts) > 1)}"
    caption = f"{actions}: {never} never fired" if never else f"all {actions} fired somewhere"
    numbers = map(number_title, ("states generated", "new ones", "fired at points"))
    return table(caption, ("action", "module", *numbers), map(_row, counts))


def _row(count: ActionCount) -> Element:
    share = f"{len(count.points) - len(count.disabled)} of {len(count.points)}"
    name = element("th", element("code", count.name), " (never fired)" * count.never_enabled, scope="row")
    place = element("td", f"{count.module}:{count.line}", class_="t2-dim")
    numbers = (f"{count.generated:,}", f"{count.distinct:,}", share)
    return row(name, place, *map(number_cell, numbers), class_="t2-bad" if count.never_enabled else None)
