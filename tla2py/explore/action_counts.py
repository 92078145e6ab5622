"""How often actions fired, over all points of a store whose actions TLC counted."""

from __future__ import annotations

from dataclasses import dataclass

from tla2py.explore.view import StoreView
from tla2py.tables.details import action_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCount:
    """The states that an action generated, all of them and new ones, in all runs of a store.

    ``line`` is where the action begins in ``module``, from 1. It was counted at ``points``, numbered as in the sweep,
    and led to no state at those of ``idle``. ``module`` and ``name`` are as TLC prints them.
    """

    name: str
    module: str
    line: int
    generated: int
    distinct: int
    points: tuple[int, ...]
    idle: tuple[int, ...]

    @property
    def everywhere(self) -> bool:
        """Whether the action led to no state anywhere."""
        return not self.generated


def action_counts(view: StoreView) -> list[ActionCount]:
    """All actions that were counted, by module and line; empty where no run has coverage.

    TLC counts the disjuncts of an action apart, under one name and place: these are one action here.
    """
    points: dict[str, list[int]] = {}
    for point in view.manifest.points:
        points.setdefault(point.run_id, []).append(point.point)
    counts: dict[tuple[str, int, str], dict[str, tuple[int, int]]] = {}
    for row in action_rows(view.store.table("coverage")):
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
            idle=tuple(
                sorted(p for run, (generated, _) in runs.items() if not generated for p in points[run])
            ),
        )
        for (module, line, name), runs in sorted(counts.items())
    ]


def never_fired(view: StoreView) -> list[ActionCount]:
    """The actions that fired nowhere, then those that did not at some points; by module and line."""
    return sorted((one for one in action_counts(view) if one.idle), key=lambda one: not one.everywhere)
