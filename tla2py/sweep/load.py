"""A sweep loaded from its file, from configs or from a folder: what it names found, read and checked."""

from __future__ import annotations

import glob
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tla2py.errors import InputError, Tla2pyError
from tla2py.lint.rules import check_config_names
from tla2py.logs.file_reads import SourceTexts
from tla2py.logs.files import NO_LOGS, SweepLogs, read_logs
from tla2py.logs.literal import MODULES
from tla2py.logs.sections import find_logs
from tla2py.model.model import Config
from tla2py.sweep.axes import (
    check_expected_parameters,
    check_names,
    group_parameters,
    read_parameters,
    sweep_name,
)
from tla2py.sweep.file import (
    FOLDER_FILE,
    SweepFile,
    folder_file,
    read_folder_file,
    read_sweep_file,
    read_sweep_text,
    sweep_file_of,
)
from tla2py.sweep.folder import excluded_configs, find_models
from tla2py.sweep.grid import Points, walk_grid
from tla2py.sweep.options import (
    PLAIN,
    Loading,
    config_names,
    input_files,
    library_folders,
    search_limits,
    search_options,
    template_text,
    with_listed_configs,
    with_settings,
)
from tla2py.sweep.predicates import expected_laws, failing_predicate
from tla2py.sweep.selection import Selection, Unread
from tla2py.sweep.specification import Specification
from tla2py.sweep.sweep import Sweep, with_config_rows
from tla2py.tla.graph import ModuleGraph
from tla2py.tlc.config.read import ConfigFile, read_config
from tla2py.tlc.config.statements import MISTAKE_CODES, read_statements
from tla2py.tlc.config.wrapper import build_config
from tla2py.tlc.tools.community import community_classes, load_specification, override_modules, read_override


def _read_sweep_logs(
    file: SweepFile,
    specs: Mapping[str, ModuleGraph],
    logs: Mapping[str, Sequence[str]],
) -> SweepLogs:
    """The logs of a sweep file. Raises InputError as ``read_logs`` does."""
    if not logs:
        return NO_LOGS
    start = "environment."
    names = [
        *file.sections.environment,
        *(n.removeprefix(start) for n in file.sections.parameters if n.startswith(start)),
    ]
    given = {SourceTexts("environment", name) for name in names}
    given |= {SourceTexts("file", name) for name in file.sections.inputs.files}
    sections = file.sections
    return read_logs(
        file.folder, logs, specs, given, sections.logs, partial(file.place, "logs"), sections.accept
    )


def _read_configs(file: SweepFile, ignored: Container[str]) -> dict[str, ConfigFile]:
    """The configs of a sweep, by their names in its file; ``ignored`` are rules of lint.

    Raises InputError: ``config-missing``, and as ``read_config`` does if no config can be read.
    """
    found = {}
    errors = []
    for name in config_names(file):
        if not (file.folder / name).is_file():
            where, hint = file.place("config", value=name), "configs are relative to the sweep file"
            raise InputError("config-missing", f"no such config: {name}", where=where, hint=hint)
        path = file.folder / name
        try:
            found[name] = read_config(path, ignored)
        except InputError as error:
            # The file's path depends on the current folder, its name in the sweep does not.
            problem = str(error.line).replace(str(path), name)
            empty = read_statements("")
            found[name] = ConfigFile(path=path, config=Config(), text="", statements=empty, problem=problem)
            errors.append(error)
    if errors and len(errors) == len(found):
        raise errors[0]
    return found


def configs_sections(module: Path, pattern: str, libraries: Sequence[Path]) -> dict[str, Any]:
    """The sections of a sweep file beside a module that lists the configs that match a pattern.

    Raises InputError: ``usage``, ``config-missing``.
    """
    if module.suffix != ".tla":
        hint = "quote the pattern: tla2py sweep --configs 'models/*.cfg' Spec.tla"
        raise InputError("usage", f"--configs needs a module, not {module}", hint=hint)
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 - it may be absolute
    paths = sorted(path for path in found if Path(path).is_file())
    if not paths:
        raise InputError(
            "config-missing",
            f"no config matches {pattern}",
            hint="a pattern is relative to the current folder, as in 'models/*.cfg'",
        )
    config = [relative_name(path, module) for path in paths]
    return module_sections(module, config=config, libraries=libraries)


def module_sections(
    module: Path, *, config: str | list[str] | None, libraries: Iterable[Path]
) -> dict[str, Any]:
    """The first keys of a sweep file beside a module."""
    found = {"name": module.stem, "module": module.name, "config": config}
    found["libraries"] = [relative_name(path, module) for path in libraries]
    return {key: value for key, value in found.items() if value}


def relative_name(path: Path | str, module: Path) -> str:
    """A path as a sweep file beside a module names it."""
    return Path(os.path.relpath(path, module.parent)).as_posix()


def load_sweep(
    path: Path, libraries: Sequence[Path] = (), how: Loading = PLAIN, *, settings: Sequence[str] = ()
) -> Sweep:
    """The sweep of a sweep file, or of the configs below a folder, checked against its modules.

    ``libraries`` are further module folders for a folder. ``settings`` are values other than those of a sweep file, see
    ``with_settings``.

    Raises InputError: ``unknown-constant``, ``unknown-parameter``, ``unknown-definition``, ``empty-parameter``,
    ``duplicate-point``, ``grid-key`` (also for a row of expectations), and what ``read_sweep_file``,
    ``with_config_rows`` and ``load_modules`` raise; ``config-missing`` for a folder without a config that has a module.
    """
    if (own := folder_file(path)) is not None and not settings:
        return _sweep_of_folder(own, libraries, how)
    if how.options:
        hint = "write [constants], check_deadlock = false or [inputs]; --set gives other values for this time"
        raise InputError("usage", "-c, --no-deadlock and --input are for folders and --configs", hint=hint)
    if libraries:
        raise InputError("usage", "-L is for folders; a sweep file names its own", hint='libraries = ["lib"]')
    file = with_settings(read_sweep_file(path), settings)
    return _loaded(file, how).select(settings=tuple(settings))


def sweep_of_models(
    path: Path, models: Mapping[str, str], libraries: Sequence[Path], how: Loading = PLAIN, *, text: str = ""
) -> Sweep:
    """The sweep of modules by config, named relative to the folder of ``path``, where a sweep file of this text would be.

    Among its ``unread`` are configs that cannot be read, or whose module cannot, or with names that the module lacks.
    Raises InputError as ``load_sweep`` does, and the first config's error if none can be read.
    """
    base = path.parent
    specs: dict[str, ModuleGraph] = {}
    configs: dict[str, ConfigFile] = {}
    unread = []
    for config, module in models.items():
        try:
            spec = specs.get(module) or load_specification(base / module, libraries, translate=how.translate)
            read = read_config(base / config)
            check_config_names(read, {Path(module).name: spec})
        except InputError as error:
            unread.append(Unread(config=config, error=error))
            continue
        specs[module], configs[config] = spec, read
    if not configs:
        raise unread[0].error
    given = {
        "name": path.resolve().parent.name,
        "module": [models[config] for config in configs],
        "config": list(configs),
        "libraries": [Path(os.path.relpath(folder, base)).as_posix() for folder in libraries],
    }
    file = read_sweep_text(text, path, given)
    grid = msgspec.structs.replace(
        file.sections.grid,
        zip=[["module", "config"], *file.sections.grid.zip],
        # Such a row is about the configs, which have been left out.
        exclude=[row for row in file.sections.grid.exclude if [*row] != ["config"]],
    )
    sweep = _loaded(file.with_sections(grid=grid), how, read=(specs, configs))
    sweep = sweep.select(is_folder=True, unread=tuple(unread))
    errors: dict[int, Tla2pyError] = {}
    for point in sweep.points:
        try:
            build_config(sweep.model(point))
        except InputError as error:
            errors[point.index] = error
    return without_models(sweep, errors)


def without_models(sweep: Sweep, errors: Mapping[int, Tla2pyError]) -> Sweep:
    """A folder's sweep without the points that have an error, by index; their configs are among its ``unread``.

    Raises the error of the first unread config if no point is left.
    """
    configs = {point.index: point.parameters["config"] for point in sweep.points if point.index in errors}
    unread = [
        *sweep.selection.unread,
        *(Unread(config=configs[n], error=error) for n, error in errors.items()),
    ]
    left = [point.parameters for point in sweep.points if point.index not in errors]
    if not left:
        raise unread[0].error
    points = Points.of(sweep.points.names, left)
    return replace(sweep.select(unread=tuple(unread)), points=points)


def _sweep_of_folder(path: Path, libraries: Sequence[Path], how: Loading) -> Sweep:
    file = read_folder_file(path)
    if file.sections.module:
        text = f"{path} names a module, so it is a sweep file and not about its folder"
        hint = f"rename it; in a {FOLDER_FILE} tla2py finds the modules and configs itself"
        raise InputError("folder-file", text, hint=hint)
    searched = [*library_folders(file), *libraries]
    found = find_models(path.parent, searched)
    models = found.modules
    if not models:
        raise found.error(path.parent)
    excluded = excluded_configs(file)
    taken = {config: module for config, module in models.items() if config not in excluded}
    if not taken:
        where = file.place("grid", "exclude")
        raise InputError(
            "config-missing", f"{path.name} excludes every config", where=where, hint="leave one of them in"
        )
    how = how if file.sections.tlc.translate else replace(how, translate=None)
    sweep = sweep_of_models(path, taken, searched, how, text=file.text)
    named = [f"{config} (excluded)" for config in models if config in excluded]
    unread = [each for each in found.unread if each.config not in excluded]
    return sweep.select(
        left_out=(*map(str, found.left_out), *named), unread=(*unread, *sweep.selection.unread)
    )


def sweep_of_configs(
    module: Path, pattern: str, libraries: Sequence[Path] = (), how: Loading = PLAIN
) -> Sweep:
    """The sweep of a module over the configs that match a pattern such as ``models/*.cfg``.

    Its text is that of a sweep file beside the module. Raises InputError as ``load_sweep`` and ``configs_sections`` do.
    """
    sections = configs_sections(module, pattern, libraries)
    return sweep_of_sections(module.with_suffix(".configs.toml"), sections, how)


def sweep_of_sections(path: Path, sections: Mapping[str, Any], how: Loading = PLAIN) -> Sweep:
    """The sweep of a file at this path that has these sections. Raises InputError as ``load_sweep`` does."""
    return _loaded(sweep_file_of(sections, path), how)


def _loaded(
    file: SweepFile,
    how: Loading,
    *,
    read: tuple[dict[str, ModuleGraph], dict[str, ConfigFile]] | None = None,
) -> Sweep:
    file = with_listed_configs(file)
    logs = find_logs(file.folder, file.sections.logs.files, partial(file.place, "logs"))
    # From here on the file names its logs, not patterns.
    file = file.with_sections(logs=msgspec.structs.replace(file.sections.logs, files=list(logs)))
    libraries = library_folders(file)
    overrides = tuple(
        read_override(file.folder / name, file.place("tlc", "overrides", value=name))
        for name in file.sections.tlc.overrides
    )
    libraries += [override_modules(override) for override in overrides]
    for key, given in (("module", file.sections.module), ("config", file.sections.config)):
        if given == []:
            hint = "name at least one, or remove config"
            raise InputError("empty-parameter", f"{key} is an empty list", where=file.place(key), hint=hint)
    if read is not None:
        specs, configs = read
    else:
        names = [file.sections.module] if isinstance(file.sections.module, str) else file.sections.module
        translate = how.translate if file.sections.tlc.translate else None
        # What reads a log may do without the CommunityModules.
        load = partial(load_specification, translate=translate, instead=MODULES if logs else None)
        specs = {name: load(file.folder / name, libraries) for name in names}
    own = file.sections.inputs
    file = how.applied(file, specs)
    check_names(file, specs)
    ignored = MISTAKE_CODES if how.no_lint else file.sections.lint.ignore
    if read is None:
        configs = _read_configs(file, ignored)
    file = with_config_rows(file, configs)
    groups = group_parameters(file, read_parameters(file, specs))
    parameters = tuple(parameter for group in groups for parameter in group)
    check_expected_parameters(file, [parameter.name for parameter in parameters])
    sweep = Sweep(
        name=sweep_name(file),
        file=file,
        specification=Specification(
            modules=specs,
            configs=configs,
            logs=_read_sweep_logs(file, specs, logs),
            overrides=overrides,
            community=community_classes(specs.values()),
        ),
        selection=Selection(
            options=search_options(file, overrides),
            limits=search_limits(file),
            vacuity=file.sections.tlc.vacuity,
            no_lint=how.no_lint,
            adjusted=how.options,
        ),
        parameters=parameters,
        template=template_text(file),
    )
    points, excluded = walk_grid(file, groups, failing_predicate(sweep, file.sections.grid.where))
    files = input_files(file.with_sections(inputs=own), points)
    files |= {each.path: (each,) for each in how.inputs}
    sweep = sweep.select(excluded=excluded).with_specification(input_files=files)
    return replace(sweep, laws=expected_laws(sweep), points=points)
