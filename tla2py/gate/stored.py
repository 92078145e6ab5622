"""A store as a gate reads it: its results, and how its inputs differ from those of a sweep file."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from tla2py.analysis.view import StoreView
from tla2py.cases.graph import graph_digests
from tla2py.errors import InputError, StoreError
from tla2py.execution import validate
from tla2py.execution.preflight import literal_logs
from tla2py.gate.decision import StoreFacts
from tla2py.model.mutant import MutantReport
from tla2py.model.row import RunRow
from tla2py.model.run import Run, RunRecord
from tla2py.model.trace import Trace
from tla2py.mutation.mutate import mutants_address
from tla2py.store.read import action_rows, run_notes, run_rows, said_lines, unmatched_lines
from tla2py.store.refresh import table_files
from tla2py.store.store import Store
from tla2py.sweep.file import folder_file
from tla2py.sweep.grid import parameters_key
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep


def read_found(view: StoreView) -> StoreFacts:
    """The results of a store's runs."""
    fired: dict[str, set[str]] = {}
    idle: dict[str, set[str]] = {}
    for row in action_rows(table_files(view.store, "coverage")):
        names, others = fired.setdefault(row.run_id, set()), idle.setdefault(row.run_id, set())
        if row.kind == "action":
            (names if row.generated else others).add(row.name)
    return StoreFacts(
        rows={row.run_id: row for row in view.run_rows},
        fired={run_id: sorted(names) for run_id, names in fired.items()},
        idle={run_id: sorted(names - fired[run_id]) for run_id, names in idle.items()},
        graphs=graph_digests(view),
        lengths={key: row.length for key, row in view.shortest_traces.items()},
        lines=unmatched_lines(table_files(view.store, "logs"), table_files(view.store, "log_lines")),
        said=said_lines(table_files(view.store, "logs")),
        notes=tuple(run_notes(table_files(view.store, "diagnostics"), view.run_rows)),
    )


def read_trace(view: StoreView, run_id: str, name: str) -> Trace | None:
    """A run's shortest counterexample to a name, or None."""
    point = view.points.of_run(run_id)
    shortest = view.shortest_traces.get((run_id, name))
    return None if point is None or shortest is None else view.trace(point.point, shortest.trace)


def sweep_file_of(store: Store, named: Path | None) -> Path:
    """The sweep file to judge a store by: the named one, else the store's own. Raises InputError (``sweep-unknown``)."""
    if named is not None:
        return named
    recorded = store.manifest().sweep_file
    if recorded is None or not (Path(recorded).is_file() or folder_file(Path(recorded)) is not None):
        gone = f"{store.path} was made from {recorded}, which does not exist"
        problem = gone if recorded else f"{store.path} does not name its sweep file"
        raise InputError("sweep-unknown", problem, hint="name the file with --sweep FILE")
    return Path(recorded)


def plan_stored(sweep: Sweep, store: Store, rows: Sequence[RunRow]) -> tuple[Plan, str | None]:
    """The plan of a sweep with the jar of a store, and how the store's inputs differ.

    ``rows`` are those of the store. Each point counts actions if its run in the store did.
    """
    jars = Counter(row.jar_sha256 or "" for row in rows)
    jar = jars.most_common(1)[0][0] if jars else ""
    plans = partial(plan_sweep, jar_sha256=jar)
    manifest = store.manifest()
    have = store.points().run_ids()
    every = range(1, len(sweep.points) + 1)
    ids = plans(sweep.select(counted=frozenset(every))).runs.ids
    if sweep.specification.logs.readers and have.isdisjoint(ids):
        # The TLC of the store may have had no Java classes that read logs.
        sweep = literal_logs(sweep)
        ids = plans(sweep.select(counted=frozenset(every))).runs.ids
    counted = frozenset(index for index, run_id in zip(every, ids, strict=True) if run_id in have)
    plan = plans(sweep.select(counted=counted))
    if not rows or set(plan.runs.ids) == have:
        return plan, None
    # The store may keep texts that none of its points uses any more.
    changed = sorted(Path(path).stem for sha256, path in plan.paths.items() if sha256 not in manifest.files)
    parts = [f"module {name} has changed" for name in changed if manifest.files]
    if manifest.settings:
        parts.append(f"it was made with --set {', '.join(manifest.settings)}")
    if manifest.sweep != sweep.file.text:
        parts.append(f"{sweep.file.path} has changed")
    return plan, _other_inputs(sweep, store, parts or _first_difference(sweep, plan, store))


def _other_inputs(sweep: Sweep, store: Store, changes: Sequence[str]) -> str:
    """How the inputs of a store differ from those of its sweep file, and the command that catches up."""
    command = shlex.join(["tla2py", "gate", str(sweep.file.path), "-o", str(store.path)])
    return (
        f"{store.path} was made from other inputs than {sweep.file.path}: "
        f"{'; '.join(changes) or 'the difference is unknown'}; run '{command}' to execute the missing runs"
    )


def _first_difference(sweep: Sweep, plan: Plan, store: Store) -> list[str]:
    """How the first point whose run differs from the store's differs."""
    records = store.recorded()
    made = {parameters_key(point.parameters): point.run_id for point in store.points()}
    for point, run in zip(plan.points, plan.runs, strict=True):
        other = made.get(parameters_key(point.parameters))
        if other in records and other is not None and other != run.run_id:
            with store.archive(other) as archive:
                written = run.main not in {spec.root.name for spec in sweep.specification.modules.values()}
                return list(_differences(run, archive.record, f"{run.main}.tla" if written else None))
    return []


def _differences(run: Run, record: RunRecord, wrapper: str | None) -> Iterator[str]:
    # The wrapper module is a part of the config.
    before = dict(record.modules)
    names = [name for name, sha256 in run.modules if before.get(name) != sha256]
    yield from (f"module {Path(name).stem} has changed" for name in names if name != wrapper)
    if wrapper in names or [each.config_text for each in record.executions[:1]] != [run.config_text]:
        yield "the config or its template has changed"
    options, others = asdict(run.options), asdict(record.options)
    changed = [key for key, value in options.items() if value != others[key] and key != "coverage"]
    if changed:
        yield f"TLC options have changed: {', '.join(changed)}"
    inputs, had = run.inputs.facts(), record.inputs.facts()
    if other := sorted(key for key in inputs.keys() | had.keys() if inputs.get(key) != had.get(key)):
        yield f"declared inputs have changed: {', '.join(other)}"
    if run.jar_sha256 != record.jar_sha256:
        yield "the TLC jar has changed"
    if run.limits.trust != record.limits.trust:
        yield f"they ran with{'out' * run.limits.trust} trust"


def stored_mutants(
    sweep: Sweep, store: Store, runs: Sequence[RunRow]
) -> tuple[validate.LogMutants, str | None]:
    """The changed logs that a store has, and how their inputs differ from those of the sweep file."""
    mutated, mutants = validate.mutated_sweep(sweep, runs)
    if mutated is None:
        return mutants, None
    try:
        own = Store.open(validate.log_mutants_address(store.path))
    except StoreError:
        return validate.LogMutants(), _other_inputs(sweep, store, ["no logs were changed"])
    _, other_inputs = plan_stored(mutated, own, [*run_rows(table_files(own, "runs"))])
    return replace(mutants, rows=validate.mutant_rows(own)), other_inputs


def stored_report(sweep: Sweep, plan: Plan, store: Store) -> tuple[MutantReport | None, str | None]:
    """The mutants that ran for a store, and what is missing if their original is another one."""
    if sweep.file.sections.mutation is None:
        return None, None
    try:
        own = Store.open(mutants_address(store.path))
        report = own.mutants()
        ran = own.points().run_ids() if report is not None else set()
    except StoreError:
        report, ran = None, set()
    if report is not None and all(plan.runs.ids[point - 1] in ran for point in report.points):
        return report, None
    return None, _other_inputs(sweep, store, ["mutants of the specification have not run"])
