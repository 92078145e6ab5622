"""What depends on the jar of a sweep: recorded runs that do not apply, how logs are read, which models may not run."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tla2py.errors import InputError, ToolchainError
from tla2py.model.run import Run
from tla2py.store.store import Store
from tla2py.sweep.load.sweeps import without_models
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph
from tla2py.tables.files import intact_files
from tla2py.tables.runs import run_rows
from tla2py.toolchain.community import check_classes, community_suits
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


def without_refused(sweep: Sweep, jar: Jar) -> Sweep:
    """A sweep of models without those that ``check_classes`` refuses, which are among its ``unread``.

    Raises what ``without_models`` raises.
    """
    refused = {
        name: error for name, spec in sweep.specs.items() if (error := _refusal(sweep, spec, jar)) is not None
    }
    if not refused:
        return sweep
    modules = {point.index: point.parameters["module"] for point in sweep.points}
    errors = {index: refused[name] for index, name in modules.items() if name in refused}
    specs = {name: spec for name, spec in sweep.specs.items() if name not in refused}
    return replace(without_models(sweep, errors), specs=specs)


def _refusal(sweep: Sweep, spec: ModuleGraph, jar: Jar) -> InputError | ToolchainError | None:
    texts = {module.name: module.text for module in spec.modules}
    paths = {module.name: module.where() for module in spec.modules}
    try:
        check_classes(sweep.community, [spec], jar, texts, paths, trust=sweep.limits.trust)
    except (InputError, ToolchainError) as error:
        return error
    return None
