"""Whether a store has the runs that a sweep file calls for."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from tla2py.errors import InputError
from tla2py.execution.jars import literal_logs
from tla2py.gate.decision import OtherInputs
from tla2py.gate.lock import parameters_key
from tla2py.model.run import Run, RunRecord
from tla2py.store.manifest import Manifest
from tla2py.store.store import Store
from tla2py.sweep.load.folder import folder_file
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tables.runs import RunRow


def sweep_file_of(store: Store, named: Path | None) -> Path:
    """The sweep file to judge a store by: the named one, else the store's own. Raises InputError (``sweep-unknown``)."""
    if named is not None:
        return named
    recorded = store.manifest().sweep_file
    if recorded is None or not (Path(recorded).is_file() or folder_file(Path(recorded)) is not None):
        problem = (
            f"{store.path} was made from {recorded}, which does not exist"
            if recorded
            else f"{store.path} does not name its sweep file"
        )
        raise InputError("sweep-unknown", problem, hint="name the file with --sweep FILE")
    return Path(recorded)


def plan_stored(sweep: Sweep, store: Store, rows: Sequence[RunRow]) -> tuple[Plan, OtherInputs | None]:
    """The plan of a sweep with the jar of a store, and how the store's inputs differ.

    ``rows`` are those of the store. Each point counts actions if its run in the store did.
    """
    jars = Counter(row.jar_sha256 or "" for row in rows)
    jar = jars.most_common(1)[0][0] if jars else ""
    manifest = store.manifest()
    have = store.points().run_ids()
    every = range(1, len(sweep.points) + 1)
    ids = plan_sweep(replace(sweep, counted=frozenset(every)), jar).runs.ids
    if sweep.logs.readers and have.isdisjoint(ids):
        # The TLC of the store may have had no Java classes that read logs.
        sweep = literal_logs(sweep)
        ids = plan_sweep(replace(sweep, counted=frozenset(every)), jar).runs.ids
    counted = frozenset(index for index, run_id in zip(every, ids, strict=True) if run_id in have)
    plan = plan_sweep(replace(sweep, counted=counted), jar)
    same = not rows or set(plan.runs.ids) == have
    return plan, None if same else _difference(sweep, plan, store, manifest)


def _difference(sweep: Sweep, plan: Plan, store: Store, manifest: Manifest) -> OtherInputs:
    # The store may keep texts that none of its points uses any more.
    changed = sorted(Path(path).stem for sha256, path in plan.paths.items() if sha256 not in manifest.files)
    parts = [f"module {name} has changed" for name in changed if manifest.files]
    if manifest.sweep != sweep.text:
        parts.append(f"{sweep.path} has changed")
    return OtherInputs(
        store=str(store.path),
        sweep_file=str(sweep.path),
        changes=parts or _first_difference(sweep, plan, store),
        command=gate_command(sweep, store),
    )


def gate_command(sweep: Sweep, store: Store) -> str:
    """The command that executes what a store lacks."""
    return shlex.join(["tla2py", "gate", str(sweep.path), "-o", str(store.path)])


def _first_difference(sweep: Sweep, plan: Plan, store: Store) -> list[str]:
    """How the first point whose run differs from the store's differs."""
    records = store.recorded()
    made = {parameters_key(point.parameters): point.run_id for point in store.points()}
    for point, run in zip(plan.points, plan.runs, strict=True):
        other = made.get(parameters_key(point.parameters))
        if other in records and other is not None and other != run.run_id:
            with store.archive(other) as archive:
                written = run.main not in {spec.root.name for spec in sweep.specs.values()}
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
