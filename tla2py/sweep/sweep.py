"""A sweep: its parameters, its points in grid order, and the model of each point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from tla2py.config.statements import MISTAKE_CODES
from tla2py.config.wrapper import build_config
from tla2py.errors import InputError
from tla2py.logs.literal import MODULES
from tla2py.model.inputs import InputFile, Inputs
from tla2py.model.model import Model
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.axes import group_parameters, read_parameters
from tla2py.sweep.configs import (
    configs_text,
    expand_config_patterns,
    expand_log_patterns,
    library_folders,
    read_configs,
    read_sweep_logs,
)
from tla2py.sweep.examples_manifest import Entry, ManifestSweep, Unread, manifest_sweep, read_manifest
from tla2py.sweep.expectations import ExpectedRows, with_external_rows
from tla2py.sweep.file import read_sweep_file, read_sweep_text
from tla2py.sweep.grid import Excluded, walk_grid
from tla2py.sweep.names import check_expected_parameters, check_names, sweep_name
from tla2py.sweep.options import (
    check_variables,
    input_files,
    input_parameters,
    inputs_of,
    search_limits,
    search_options,
    template_text,
)
from tla2py.sweep.point_model import ModelInputs, point_model
from tla2py.sweep.points import NO_POINTS, Point, Points
from tla2py.sweep.predicate import failing_predicate
from tla2py.sweep.sections import Expectation, ExpectPoint, ExpectSection, SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.syntax import Translate
from tla2py.toolchain.community import community_classes, load_specification
from tla2py.toolchain.overrides import class_file, override_modules, read_override
from tla2py.toolchain.toolchain import Override


@dataclass(frozen=True, kw_only=True)
class Sweep(ModelInputs):
    """A sweep file with its modules, configs and points.

    - ``input_files``: the files that runs may read, by pattern, as they were when the sweep was loaded
    - ``excluded``: the combinations that are left out
    - ``counted``: indices of points with coverage, even if the file does not request it
    - ``vacuity``: whether to ask TLC what could not fail
    - ``no_lint``: whether to ignore all rules of lint
    - ``left_out``: models of a manifest that TLC cannot run, each with the reason
    - ``unread``: models of a manifest that could not be read
    - ``community``: classes of the installed CommunityModules, for the points whose modules come from there
    - ``special``: options by index of the point, if they differ from ``options``
    - ``entries``: models of a manifest by index of the point
    """

    name: str
    path: Path
    text: str
    points: Points = NO_POINTS
    options: TlcOptions
    limits: Limits
    template: str
    excluded: tuple[Excluded, ...] = ()
    counted: frozenset[int] = frozenset()
    vacuity: bool = False
    no_lint: bool = False
    left_out: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()
    overrides: tuple[Override, ...] = ()
    community: Override | None = None
    input_files: Mapping[str, tuple[InputFile, ...]] = field(default_factory=dict)
    special: Mapping[int, TlcOptions] = field(default_factory=dict)
    entries: Mapping[int, Entry] = field(default_factory=dict)

    def options_of(self, point: Point) -> TlcOptions:
        """The TLC options of a point."""
        options = self.special.get(point.index, self.options)
        if self.community is None or not self.spec(point.parameters).installed:
            return options
        return replace(options, overrides=(*options.overrides, class_file(self.community)))

    @property
    def classes(self) -> tuple[Override, ...]:
        """The Java classes of all points."""
        return self.overrides if self.community is None else (*self.overrides, self.community)

    def inputs_of(self, point: Point, model: Model) -> Inputs:
        """What the run of a point with this model may read besides its modules."""
        inputs = inputs_of(self.file, self.input_files, point.parameters)
        return self.logs.inputs(inputs, model, point.parameters)

    @property
    def workers(self) -> int:
        """The largest number of worker threads of a run."""
        return max([self.options.workers, *(each.workers for each in self.special.values())])

    @property
    def expect(self) -> ExpectSection:
        """The expectations of the points."""
        return self.file.expect or ExpectSection()

    def expectation(self, point: Point) -> Expectation:
        """The expectation that a point is judged by."""
        number = self.expected_rows.number(point.parameters)
        return self.expect if number is None else self.expect.point[number]

    def row_numbers(self) -> Iterator[int | None]:
        """The number, from 0, of the row of expectations that each point is judged by; None is the section itself."""
        known: dict[tuple[int, ...], int | None] = {}
        for place, key in enumerate(self.points.keys(self.expected_rows.names)):
            if key not in known:
                known[key] = self.expected_rows.number(self.points[place].parameters)
            yield known[key]

    @cached_property
    def input_parameters(self) -> tuple[str, ...]:
        """The parameters that say what a run may read besides its modules."""
        return input_parameters(self.file, self.kinds)

    @cached_property
    def expected_rows(self) -> ExpectedRows:
        """The rows of expectations, found by the texts that they match."""
        return ExpectedRows(self.expect, self.logs.logs)

    def model(self, point: Point) -> Model:
        """The model of a point. Raises InputError: ``unassigned``, ``unknown-definition``."""
        return point_model(self, point.parameters)


def load_sweep(
    path: Path,
    libraries: Sequence[Path] = (),
    *,
    translate: Translate | None = None,
    no_lint: bool = False,
) -> Sweep:
    """The sweep of a sweep file, or of a ``manifest.json``, checked against its modules.

    ``libraries`` are module folders for a manifest, which cannot name any. ``translate`` is for PlusCal, see
    ``load_modules``.

    Raises InputError: ``unknown-constant``, ``unknown-parameter``, ``unknown-definition``, ``empty-parameter``,
    ``duplicate-point``, ``grid-key`` (also for a row of expectations), and what ``read_sweep_file``, ``read_manifest``,
    ``with_external_rows`` and ``load_modules`` raise.
    """
    if path.suffix == ".json":
        sweep = sweep_of_models(path, read_manifest(path), libraries, translate=translate)
        return replace(sweep, no_lint=no_lint)
    if libraries:
        hint = 'libraries = ["lib"]'
        raise InputError(
            "usage", "-L applies only to manifests; a sweep file names its own folders", hint=hint
        )
    return _loaded(path, *read_sweep_file(path), translate=translate, no_lint=no_lint)


def sweep_of_models(
    path: Path,
    entries: Sequence[Entry],
    libraries: Sequence[Path],
    *,
    translate: Translate | None = None,
) -> Sweep:
    """The sweep of the models of manifests; ``path`` is where its sweep file would be.

    Raises InputError as ``manifest_sweep`` does.
    """
    manifest = manifest_sweep(path, entries, libraries, translate=translate)
    sweep = _loaded(path, manifest.file, manifest.source, manifest.expectations, manifest)
    points: list[Mapping[str, str]] = []
    unread = [*manifest.unread]
    for point in sweep.points:
        try:
            build_config(sweep.model(point))
        except InputError as error:
            entry = manifest.entries[point.parameters["module"], point.parameters["config"]]
            unread.append(Unread(entry=entry, error=error))
        else:
            points.append(point.parameters)
    if not points:
        raise unread[0].error
    entry_of = {
        index: manifest.entries[parameters["module"], parameters["config"]]
        for index, parameters in enumerate(points, 1)
    }
    own = {index: entry.options(sweep.options) for index, entry in entry_of.items()}
    return replace(
        sweep,
        points=Points.of(sweep.points.columns, points),
        left_out=manifest.left_out,
        unread=tuple(unread),
        special={index: options for index, options in own.items() if options != sweep.options},
        entries=entry_of,
    )


def sweep_of_configs(
    module: Path,
    pattern: str,
    libraries: Sequence[Path] = (),
    *,
    translate: Translate | None = None,
    no_lint: bool = False,
) -> Sweep:
    """The sweep of a module over the configs that match a pattern such as ``models/*.cfg``.

    Its text is that of a sweep file beside the module. Raises InputError as ``load_sweep`` does, ``usage`` for a file
    that is not a module, and ``config-missing`` if no config matches.
    """
    path = module.with_suffix(".configs.toml")
    text = configs_text(module, pattern, libraries)
    return sweep_of_text(path, text, translate=translate, no_lint=no_lint)


def sweep_of_text(
    path: Path, text: str, *, translate: Translate | None = None, no_lint: bool = False
) -> Sweep:
    """The sweep of a text, as if a sweep file at this path had it. Raises InputError as ``load_sweep`` does."""
    file, source = read_sweep_text(text, path)
    return _loaded(path, file, source, translate=translate, no_lint=no_lint)


def _loaded(
    path: Path,
    file: SweepFile,
    source: SweepText,
    external: Sequence[ExpectPoint] = (),
    manifest: ManifestSweep | None = None,
    *,
    translate: Translate | None = None,
    no_lint: bool = False,
) -> Sweep:
    base = path.parent
    file, logs = expand_log_patterns(expand_config_patterns(file, source, base), source, base)
    libraries = library_folders(file, source, base)
    overrides = tuple(
        read_override(base / name, source.place("tlc", "overrides", value=name))
        for name in file.tlc.overrides
    )
    libraries += [override_modules(override) for override in overrides]
    for key, listed in (("module", file.module), ("config", file.config)):
        if listed == []:
            raise InputError(
                "empty-parameter",
                f"{key} is an empty list",
                where=source.place(key),
                hint="name at least one, or remove config",
            )
    if manifest is not None:
        specs = manifest.specs
    else:
        names = [file.module] if isinstance(file.module, str) else file.module
        translate = translate if file.tlc.translate else None
        # What reads a log may do without the CommunityModules.
        load = partial(load_specification, translate=translate, instead=MODULES if logs else None)
        specs = {name: load(base / name, libraries) for name in names}
    check_names(file, source, specs)
    check_variables(file, source)
    ignored = MISTAKE_CODES if no_lint else file.lint.ignore
    configs = manifest.configs if manifest else read_configs(file, source, base, ignored)
    file = with_external_rows(file, configs, external)
    groups = group_parameters(file, source, read_parameters(file, source, specs))
    parameters = tuple(parameter for group in groups for parameter in group)
    check_expected_parameters(file, source, [parameter.name for parameter in parameters])
    sweep = Sweep(
        name=sweep_name(file.name or path.stem, source),
        path=path,
        text="\n".join(source.lines) + "\n",
        file=file,
        source=source,
        specs=specs,
        configs=configs,
        parameters=parameters,
        options=search_options(file, source, overrides),
        limits=search_limits(file, source),
        template=template_text(file, source, base),
        vacuity=file.tlc.vacuity,
        no_lint=no_lint,
        overrides=overrides,
        community=community_classes(specs.values()),
        logs=read_sweep_logs(file, source, base, specs, logs),
    )
    grid = walk_grid(file, source, groups, failing_predicate(sweep))
    return replace(
        sweep,
        points=grid.points,
        excluded=grid.excluded,
        input_files=input_files(file, source, base, grid.points),
    )
