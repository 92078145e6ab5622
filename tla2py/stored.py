"""A store held against the sweep file at hand: the runs that the file calls for, and whether the store has those."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tla2py.errors import InputError
from tla2py.plan import Plan, plan_sweep
from tla2py.store import Manifest, Store
from tla2py.sweep import Sweep


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


def plan_stored(
    sweep: Sweep, store: Store, rows: Mapping[str, Mapping[str, object]]
) -> tuple[Plan, str | None]:
    """The runs that a sweep calls for with the jar a store was made with, and how the store's inputs are other ones.

    ``rows`` are those of ``runs`` by run id. Actions may have been counted or not, as the store has it.
    """
    jars = Counter(str(row["jar_sha256"]) for row in rows.values())
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
    """In words what is not as it was when the store was made."""
    have = store.source_digests()
    changed = sorted(
        name.removesuffix(".tla")
        for name, sha256 in {module for run in plan.runs for module in run.modules}
        if sha256 not in have
    )
    parts = [f"module {name} is another one" for name in changed]
    if manifest.sweep != sweep.text:
        parts.append(f"{sweep.path} is another one")
    said = "; ".join(parts) or "its config, its options, its template or its TLC differ"
    return f"{store.path} was made with other inputs than {sweep.path}: {said}"
