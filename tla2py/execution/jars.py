"""What depends on the jar of a sweep: recorded runs that do not apply, and how logs are read."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tla2py.model.run import Run
from tla2py.store.store import Store
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph
from tla2py.tables.files import intact_files
from tla2py.tables.runs import run_rows
from tla2py.toolchain.community import community_suits
from tla2py.toolchain.jar import Jar

# The modules that read a log, and the classes that do it.
_READING = ("Json", "IOUtils")
_CLASSES = ("tlc2/overrides/{}.class", "tlc2/module/{}.class")


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierJar:
    """A jar that made runs of a store: its TLC, its sha256, and the number of missing runs that it has an answer to."""

    tlc: str
    sha256: str
    runs: int


def earlier_jars(store: Store, missing: Sequence[Run]) -> Iterator[EarlierJar]:
    """The earlier jars of a store with runs that differ from missing ones in nothing else."""
    files = intact_files(store, "runs") if missing else None
    if not files:
        return
    recorded = store.recorded()
    made = {row.jar_sha256: row.tlc for row in run_rows(files) if row.jar_sha256}
    for sha256, tlc in made.items():
        count = sum(
            run.jar_sha256 != sha256 and replace(run, jar_sha256=sha256).run_id in recorded for run in missing
        )
        if count:
            yield EarlierJar(tlc=tlc or "", sha256=sha256, runs=count)


def with_readable_logs(sweep: Sweep, jar: Jar) -> Sweep:
    """The sweep as this TLC can read its logs."""
    places = [jar.path, *(override.copy for override in sweep.overrides)]
    if sweep.community is not None and community_suits(jar):
        places.append(sweep.community.copy)
    known = {name for name in _READING if any(_has_class(place, name) for place in places)}
    return literal_logs(sweep, {*_READING} - known)


def literal_logs(sweep: Sweep, lacking: Iterable[str] = _READING) -> Sweep:
    """The sweep with logs as modules for those of its modules that need one of these."""
    lacks = {*lacking}
    literal = frozenset(
        spec.root.name
        for spec in sweep.specs.values()
        # A module may define the operators itself.
        if spec.root.name in sweep.logs.readers and lacks & {*spec.standard, *(m.name for m in spec.modules)}
    )
    if not literal:
        return sweep
    return replace(sweep, logs=replace(sweep.logs, literal=literal), community=None)


def needing_specs(sweep: Sweep) -> Iterator[ModuleGraph]:
    """The specifications of a sweep with the standard modules that TLC has to have."""
    for spec in sweep.specs.values():
        if spec.root.name in sweep.logs.literal:
            yield replace(spec, standard=tuple(name for name in spec.standard if name not in _READING))
        else:
            yield spec


@lru_cache(maxsize=32)
def _has_class(place: Path, name: str) -> bool:
    files = [each.format(name) for each in _CLASSES]
    if place.is_dir():
        return any((place / file).is_file() for file in files)
    with zipfile.ZipFile(place) as archive:
        return not {*archive.namelist()}.isdisjoint(files)
