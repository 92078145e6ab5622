"""How often actions were taken, over all points of a store whose actions TLC counted."""

from __future__ import annotations

from dataclasses import dataclass

from tla2py.explore.view import StoreView
from tla2py.tables.details import action_rows
from tla2py.tables.files import table_files
from tla2py.tables.read import read_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCount:
    """The states that an action generated in all runs of a store, and how many of them were distinct.

    ``module`` and ``name`` are as TLC prints them; ``line`` is where the action begins, from 1. ``points`` numbers the
    points at which TLC counted it, ``disabled`` those at which it was never enabled.
    """

    name: str
    module: str
    line: int
    generated: int
    distinct: int
    points: tuple[int, ...]
    disabled: tuple[int, ...]

    @property
    def never_enabled(self) -> bool:
        """Whether the action was enabled at none of the points."""
        return not self.generated


def action_counts(view: StoreView) -> list[ActionCount]:
    """The counted actions, by module and line; empty if no run has coverage.

    TLC counts the disjuncts of an action separately under one name and place; here they are one action.
    """
    files = table_files(view.store, "coverage")
    # Few sweeps ask for coverage.
    counted = {run_id for (run_id,) in read_rows(files, ("run_id",))}
    points: dict[str, list[int]] = {}
    for point in view.points if counted else ():
        if point.run_id in counted:
            points.setdefault(point.run_id, []).append(point.point)
    counts: dict[tuple[str, int, str], dict[str, tuple[int, int]]] = {}
    for row in action_rows(files):
        if row.kind == "action" and row.run_id in points:
            runs = counts.setdefault((row.module, row.begin_line, row.name), {})
            generated, distinct = runs.get(row.run_id, (0, 0))
            runs[row.run_id] = generated + row.generated, distinct + row.distinct
    return [
        ActionCount(
            name=name,
            module=module,
            line=line,
            generated=sum(generated for generated, _ in runs.values()),
            distinct=sum(distinct for _, distinct in runs.values()),
            points=tuple(sorted(p for run in runs for p in points[run])),
            disabled=tuple(
                sorted(p for run, (generated, _) in runs.items() if not generated for p in points[run])
            ),
        )
        for (module, line, name), runs in sorted(counts.items())
    ]


def disabled_actions(view: StoreView) -> list[ActionCount]:
    """The actions that were never enabled, then those never enabled at some points; each by module and line."""
    found = (count for count in action_counts(view) if count.disabled)
    return sorted(found, key=lambda count: not count.never_enabled)
