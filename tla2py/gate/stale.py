"""A store held against the sweep file at hand: the runs that the file calls for, and whether the store has those."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from tla2py.errors import InputError
from tla2py.gate.lock import parameters_key
from tla2py.model.run import Run, RunRecord
from tla2py.store.store import Manifest, Store
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.tables.runs import RunRow


def sweep_file_of(store: Store, named: Path | None) -> Path:
    """The sweep file to judge a store by: the one that is named, else the one the store was made from.

    Raises InputError (``sweep-unknown``) when there is none.
    """
    if named is not None:
        return named
    told = store.manifest().sweep_file
    if told is None or not Path(told).is_file():
        made = f"was made from {told}, which is not here" if told else "does not say which sweep file made it"
        raise InputError("sweep-unknown", f"{store.path} {made}", hint="name the file with --sweep FILE")
    return Path(told)


def plan_stored(sweep: Sweep, store: Store, rows: Sequence[RunRow]) -> tuple[Plan, str | None]:
    """The runs that a sweep calls for with the jar a store was made with, and how the store's inputs are other ones.

    ``rows`` are those of the store. Actions may have been counted or not, as the store has it.
    """
    jars = Counter(row.jar_sha256 or "" for row in rows)
    jar = jars.most_common(1)[0][0] if jars else ""
    manifest = store.manifest()
    have = {point.run_id for point in manifest.points}
    plain = plan_sweep(replace(sweep, counted=frozenset()), jar)
    counted = plan_sweep(replace(sweep, counted=frozenset(p.index for p in sweep.points)), jar)
    runs = tuple(
        mine if mine.run_id in have else other for mine, other in zip(counted.runs, plain.runs, strict=True)
    )
    plan = replace(plain, runs=runs)
    same = not rows or {run.run_id for run in runs} == have
    return plan, None if same else _difference(sweep, plan, store, manifest)


def _difference(sweep: Sweep, plan: Plan, store: Store, manifest: Manifest) -> str:
    """In words what is not as it was when the store was made, and how it gets what is missing."""
    # The store may have texts from before, which none of its points is of any more.
    changed = sorted(Path(path).stem for sha256, path in plan.paths.items() if sha256 not in manifest.files)
    parts = [f"module {name} is another one" for name in changed if manifest.files]
    if manifest.sweep != sweep.text:
        parts.append(f"{sweep.path} is another one")
    said = "; ".join(parts or _of_a_run(sweep, plan, store, manifest)) or "what differs is not known"
    again = shlex.join(["tla2py", "gate", str(sweep.path), "-o", str(store.path)])
    return f"{store.path} was made with other inputs than {sweep.path}: {said}; run '{again}' to execute what is missing"


def _of_a_run(sweep: Sweep, plan: Plan, store: Store, manifest: Manifest) -> list[str]:
    """What is another one at the first point that the store has another run of."""
    records = store.records().keys()
    made = {parameters_key(point.parameters): point.run_id for point in manifest.points}
    for point, run in zip(plan.points, plan.runs, strict=True):
        other = made.get(parameters_key(point.parameters))
        if other in records and other is not None and other != run.run_id:
            with store.archive(other) as archive:
                written = run.main not in {spec.root.name for spec in sweep.specs.values()}
                return list(_differences(run, archive.record, f"{run.main}.tla" if written else None))
    return []


def _differences(run: Run, record: RunRecord, wrapper: str | None) -> Iterator[str]:
    """What of a run is another one in a record; the wrapper module is a part of the config."""
    before = dict(record.modules)
    names = [name for name, sha256 in run.modules if before.get(name) != sha256]
    yield from (f"module {Path(name).stem} is another one" for name in names if name != wrapper)
    if wrapper in names or [each.config_text for each in record.executions[:1]] != [run.config_text]:
        yield "the config, or the template that it is made from, is another one"
    options, others = asdict(run.options), asdict(record.options)
    changed = [key for key, value in options.items() if value != others[key] and key != "coverage"]
    if changed:
        yield f"options of TLC are other ones: {', '.join(changed)}"
    if run.jar_sha256 != record.jar_sha256:
        yield "TLC is another one"
    if run.limits.trust != record.limits.trust:
        yield f"they were run with{'out' * run.limits.trust} trust"
