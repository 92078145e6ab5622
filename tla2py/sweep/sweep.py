"""A sweep: parameters, their points in grid order, and the model of every point; pure but for reading files."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from tla2py.config.read import ConfigFile
from tla2py.config.render import default_template
from tla2py.config.wrapper import build_config
from tla2py.errors import InputError
from tla2py.model.model import Model
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.axes import group_parameters, read_parameters
from tla2py.sweep.configs import read_configs, with_found_configs
from tla2py.sweep.examples_manifest import Entry, ManifestSweep, Unread, manifest_sweep, read_manifest
from tla2py.sweep.expectations import with_told
from tla2py.sweep.file import ExpectPoint, ExpectSection, SweepFile, read_sweep_file, read_sweep_text
from tla2py.sweep.grid import (
    Excluded,
    Parameter,
    Point,
    walk_grid,
)
from tla2py.sweep.names import check_matches, check_names
from tla2py.sweep.options import search_limits, search_options
from tla2py.sweep.point_model import Sources, point_model
from tla2py.sweep.predicate import failing_predicate
from tla2py.sweep.source import Source
from tla2py.syntax import ModuleGraph, Translate, load_modules
from tla2py.toolchain.installed import module_folder
from tla2py.toolchain.overrides import override_modules, read_override
from tla2py.toolchain.releases import COMMUNITY
from tla2py.toolchain.toolchain import Override


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep file together with the modules it speaks of."""

    name: str
    path: Path
    text: str
    file: SweepFile
    source: Source
    specs: Mapping[str, ModuleGraph]
    configs: Mapping[str, ConfigFile]
    parameters: tuple[Parameter, ...]
    points: tuple[Point, ...]
    options: TlcOptions
    limits: Limits
    template: str
    # The indices of points whose actions are to be counted though the file does not ask for it.
    counted: frozenset[int] = frozenset()
    # The models of a manifest that are no points of it, each with the reason.
    left_out: tuple[str, ...] = ()
    # The models of a manifest that could not be read.
    unread: tuple[Unread, ...] = ()
    # The Java classes that TLC is given.
    overrides: tuple[Override, ...] = ()
    # The options of points, by index, that have others than the rest.
    special: Mapping[int, TlcOptions] = field(default_factory=dict)
    # What a manifest says of its points, by index.
    entries: Mapping[int, Entry] = field(default_factory=dict)

    def options_of(self, point: Point) -> TlcOptions:
        """How TLC is to search a point."""
        return self.special.get(point.index, self.options)

    @property
    def workers(self) -> int:
        """The most threads that a run of it takes."""
        return max([self.options.workers, *(each.workers for each in self.special.values())])

    @property
    def expect(self) -> ExpectSection | None:
        """What the file expects of its points."""
        return self.file.expect

    def model(self, point: Point) -> Model:
        """The model of a point. Raises InputError (``unassigned``, ``unknown-definition``) naming the place."""
        return point_model(self.sources, point.parameters)

    def spec(self, point: Point) -> ModuleGraph:
        """The module of a point with all that it reaches."""
        return self.sources.spec(point.parameters)

    @cached_property
    def sources(self) -> Sources:
        """What the models of the points are made from."""
        return Sources(
            file=self.file,
            source=self.source,
            specs=self.specs,
            configs=self.configs,
            parameters=self.parameters,
        )

    def excluded(self) -> Iterator[Excluded]:
        """The combinations of the parameters that are no points, with the reason for each."""
        groups = group_parameters(self.file, self.source, self.parameters)
        for item in walk_grid(self.file, self.source, groups, failing_predicate(self.sources)):
            if isinstance(item, Excluded):
                yield item


def load_sweep(path: Path, libraries: Sequence[Path] = (), *, translate: Translate | None = None) -> Sweep:
    """A sweep read from its file, or from a ``manifest.json``, and checked against its modules.

    ``libraries`` are further module folders of a manifest, which names none itself. ``translate`` is for PlusCal, see ``load_modules``.

    Raises InputError before anything runs: what ``read_sweep_file``, ``read_manifest``, ``with_told`` and ``load_modules``
    raise, and ``unknown-constant``, ``unknown-parameter``, ``unknown-definition``, ``empty-parameter``,
    ``duplicate-point``, ``grid-key`` (also for a row of expectations).
    """
    if path.suffix == ".json":
        return sweep_of_models(path, read_manifest(path), libraries, translate=translate)
    if libraries:
        hint = 'libraries = ["lib"]'
        raise InputError("usage", "-L is for a manifest; a sweep file names its folders itself", hint=hint)
    return _loaded(path, *read_sweep_file(path), translate=translate)


def sweep_of_models(
    path: Path,
    entries: Sequence[Entry],
    libraries: Sequence[Path] = (),
    *,
    translate: Translate | None = None,
) -> Sweep:
    """The sweep of models of manifests, as if a sweep file at ``path`` said it.

    A model that cannot be read stops no other. Raises InputError as ``manifest_sweep`` does.
    """
    manifest = manifest_sweep(path, entries, libraries, translate=translate)
    sweep = _loaded(path, manifest.file, manifest.source, manifest.told, manifest)
    points: list[Point] = []
    unread = [*manifest.unread]
    for point in sweep.points:
        try:
            build_config(sweep.model(point))
        except InputError as error:
            entry = manifest.entries[point.parameters["module"], point.parameters["config"]]
            unread.append(Unread(entry=entry, error=error))
        else:
            points.append(replace(point, index=len(points) + 1))
    if not points:
        raise unread[0].error
    said = {
        point.index: manifest.entries[point.parameters["module"], point.parameters["config"]]
        for point in points
    }
    own = {index: entry.options(sweep.options) for index, entry in said.items()}
    return replace(
        sweep,
        points=tuple(points),
        left_out=manifest.left_out,
        unread=tuple(unread),
        special={index: options for index, options in own.items() if options != sweep.options},
        entries=said,
    )


def sweep_of_configs(
    module: Path, pattern: str, libraries: Sequence[Path] = (), *, translate: Translate | None = None
) -> Sweep:
    """The sweep of a module with each of the configs that a pattern such as ``models/*.cfg`` finds.

    Its text is that of a sweep file beside the module. Raises InputError as ``load_sweep`` does, ``usage`` for a file
    that is not a module, and ``config-missing`` when the pattern finds none.
    """
    if module.suffix != ".tla":
        raise InputError(
            "usage",
            f"--configs is for a module, and {module} is none",
            hint="quote the pattern: tla2py sweep --configs 'models/*.cfg' Spec.tla",
        )
    if not module.is_file():
        raise InputError(
            "module-missing",
            f"no such module: {module}",
            hint="name a .tla file by its path from where you are",
        )
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 - it may be absolute
    paths = sorted(path for path in found if Path(path).is_file())
    if not paths:
        raise InputError(
            "config-missing",
            f"no config is found by {pattern}",
            hint="a pattern is relative to where you are, as in 'models/*.cfg'",
        )
    folder = module.parent

    def shown(path: Path | str) -> str:
        return json.dumps(Path(os.path.relpath(path, folder)).as_posix(), ensure_ascii=False)

    text = f"module = {json.dumps(module.name)}\nconfig = [{', '.join(shown(path) for path in paths)}]\n"
    if libraries:
        text += f"libraries = [{', '.join(shown(path) for path in libraries)}]\n"
    path = module.with_suffix(".configs.toml")
    file, source = read_sweep_text(f"name = {json.dumps(module.stem)}\n{text}", path)
    return _loaded(path, file, source, translate=translate)


def _loaded(
    path: Path,
    file: SweepFile,
    source: Source,
    told: Sequence[ExpectPoint] = (),
    manifest: ManifestSweep | None = None,
    *,
    translate: Translate | None = None,
) -> Sweep:
    base = path.parent
    file = with_found_configs(file, source, base)
    names = [file.module] if isinstance(file.module, str) else file.module
    libraries = [base / folder for folder in file.libraries]
    libraries = [
        module_folder(Path(named)) if named == COMMUNITY and not folder.is_dir() else folder
        for named, folder in zip(file.libraries, libraries, strict=True)
    ]
    for folder, shown in zip(libraries, file.libraries, strict=True):
        if not folder.is_dir():
            raise InputError(
                "library-missing",
                f"no such folder: {shown}",
                where=source.place("libraries", value=shown),
                hint=f"libraries are folders with modules, relative to the sweep file, or {COMMUNITY}",
            )
    overrides = tuple(
        read_override(base / name, source.place("tlc", "overrides", value=name))
        for name in file.tlc.overrides
    )
    libraries += [override_modules(override) for override in overrides]
    if not file.tlc.translate:
        translate = None
    specs = manifest.specs if manifest else {}
    if manifest is None:
        specs = {name: load_modules(base / name, libraries, translate=translate) for name in names}
    if not specs:
        raise InputError(
            "empty-parameter",
            "module is an empty list",
            where=source.place("module"),
            hint='name one, as in module = "Spec.tla"',
        )
    check_names(file, source, specs)
    configs = manifest.configs if manifest else read_configs(file, source, base, specs)
    file = with_told(file, configs, told)
    groups = group_parameters(file, source, read_parameters(file, source, specs))
    parameters = tuple(parameter for group in groups for parameter in group)
    check_matches(file, source, [parameter.name for parameter in parameters])
    sources = Sources(file=file, source=source, specs=specs, configs=configs, parameters=parameters)
    walk = walk_grid(file, source, groups, failing_predicate(sources))
    return Sweep(
        name=_name(file.name or path.stem, source),
        path=path,
        text="\n".join(source.lines) + "\n",
        file=file,
        source=source,
        specs=specs,
        configs=configs,
        parameters=parameters,
        points=tuple(item for item in walk if isinstance(item, Point)),
        options=search_options(file, source, overrides),
        limits=search_limits(file, source),
        template=_template(file, source, base),
        overrides=overrides,
    )


def _name(name: str, source: Source) -> str:
    """The name of a sweep, which is also that of its store below ``runs``."""
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise InputError(
            "sweep-name",
            f"name = {name!r} is a path out of the folder of stores",
            where=source.place("name"),
            hint="a store elsewhere is named with -o",
        )
    return name


def _template(file: SweepFile, source: Source, base: Path) -> str:
    if file.template is None:
        return default_template()
    try:
        return (base / file.template).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            "template-missing",
            f"no such template: {file.template}",
            where=source.place("template"),
            hint="templates are relative to the sweep file; without one default.cfg.j2 is used",
        ) from error
