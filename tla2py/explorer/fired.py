"""Which actions never fired, from the coverage that TLC counted."""

from __future__ import annotations

from dataclasses import dataclass

from tla2py.explore import StoreView


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverFired:
    """An action that led to no state at some points; ``everywhere`` says that it did at none where actions were counted.

    ``line`` is where the action begins in ``module``, from 1; ``points`` are numbered as in the sweep.
    """

    name: str
    module: str
    line: int
    points: tuple[int, ...]
    everywhere: bool


def never_fired(view: StoreView) -> list[NeverFired]:
    """The actions that fired nowhere, then those that did not at some points; by module and line.

    TLC counts the disjuncts of an action separately, under one name: the action fired if one of them did. Nothing is
    said of runs without coverage.
    """
    columns = ("run_id", "kind", "module", "name", "begin_line", "generated")
    points: dict[str, list[int]] = {}
    for point in view.manifest.points:
        points.setdefault(point.run_id, []).append(point.point)
    fired: dict[tuple[str, int, str], dict[str, int]] = {}
    for row in view.arrow("coverage").select(columns).to_pylist():
        if row["kind"] == "action" and row["run_id"] in points:
            runs = fired.setdefault((row["module"], row["begin_line"], row["name"]), {})
            runs[row["run_id"]] = runs.get(row["run_id"], 0) + (row["generated"] or 0)
    found = [
        NeverFired(
            name=name,
            module=module,
            line=line,
            points=tuple(sorted(p for run, count in runs.items() if not count for p in points[run])),
            everywhere=not any(runs.values()),
        )
        for (module, line, name), runs in sorted(fired.items())
    ]
    return sorted((one for one in found if one.points), key=lambda one: not one.everywhere)
