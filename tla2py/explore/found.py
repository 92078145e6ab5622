"""The counterexamples of a store, without their states."""

from __future__ import annotations

from dataclasses import dataclass

from tla2py.explore.view import StoreView
from tla2py.tables.files import table_files
from tla2py.tables.traces import last_changes, trace_actions
from tla2py.trace.course import Course, course_of


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTrace:
    """A counterexample of a store.

    ``points`` are the points with its run, ``trace`` its number there, ``length`` its number of states. ``actions`` is
    empty if TLC printed none. ``changed`` are the variables that its last step changes.
    """

    points: tuple[int, ...]
    trace: int
    length: int
    actions: tuple[str, ...]
    course: Course
    changed: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"point {self.point}, trace {self.trace}"

    @property
    def point(self) -> int:
        """The first point with its run."""
        return self.points[0]

    @property
    def name(self) -> str:
        """The violated definition, or the kind if TLC names none."""
        return self.course.name


def all_found(view: StoreView) -> list[StoredTrace]:
    """A store's counterexamples, and its simulated behaviours that violate nothing."""
    if not view.trace_rows:
        return []
    actions = trace_actions(table_files(view.store, "states"))
    changed = last_changes(table_files(view.store, "changes"), view.trace_rows)
    modules = [each.name for each in view.manifest.parameters if each.kind == "module"]
    points: dict[str, list[int]] = {}
    module: dict[str, str] = {}
    for point in view.points:
        points.setdefault(point.run_id, []).append(point.point)
        module[point.run_id] = "".join(point.parameters[name] for name in modules)
    found = []
    for row in view.trace_rows:
        if row.run_id in points:
            key = (row.run_id, row.trace)
            steps = actions.get(key, ())
            found.append(
                StoredTrace(
                    points=tuple(points[row.run_id]),
                    trace=row.trace,
                    length=row.length,
                    actions=steps,
                    course=course_of(row.label, module[row.run_id], steps, row),
                    changed=changed.get(key, frozenset()),
                )
            )
    return found
