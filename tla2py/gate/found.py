"""The results of a store, as the gate reads them."""

from __future__ import annotations

from tla2py.explore.view import StoreView
from tla2py.gate.decision import Found, OtherInputs
from tla2py.tables.details import action_rows, run_notes, unmatched_lines
from tla2py.tables.files import table_files
from tla2py.trace.trace import Trace


def read_found(view: StoreView, other_inputs: OtherInputs | None = None) -> Found:
    """The results of a store's runs."""
    fired: dict[str, set[str]] = {}
    idle: dict[str, set[str]] = {}
    for row in action_rows(table_files(view.store, "coverage")):
        names, others = fired.setdefault(row.run_id, set()), idle.setdefault(row.run_id, set())
        if row.kind == "action":
            (names if row.generated else others).add(row.name)
    return Found(
        rows={row.run_id: row for row in view.run_rows},
        fired={run_id: sorted(names) for run_id, names in fired.items()},
        idle={run_id: sorted(names - fired[run_id]) for run_id, names in idle.items()},
        lengths={key: row.length for key, row in view.shortest_traces.items()},
        lines=unmatched_lines(table_files(view.store, "logs"), table_files(view.store, "log_lines")),
        other_inputs=other_inputs,
        notes=tuple(run_notes(table_files(view.store, "diagnostics"), view.run_rows)),
    )


def read_trace(view: StoreView, run_id: str, name: str) -> Trace | None:
    """A run's shortest counterexample to a name, or None."""
    point = view.points.of_run(run_id)
    shortest = view.shortest_traces.get((run_id, name))
    return None if point is None or shortest is None else view.trace(point.point, shortest.trace)
