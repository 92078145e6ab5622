"""The configs that a sweep starts from: found by patterns, parsed, and checked against its modules."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Container, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from tla2py.config.read import ConfigFile, read_config, unread_config
from tla2py.errors import InputError
from tla2py.logs.calls import Source
from tla2py.logs.files import NO_LOGS, SweepLogs, read_logs
from tla2py.logs.sections import find_logs
from tla2py.sweep.sections import SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.syntax import ModuleGraph
from tla2py.toolchain.installed import module_folder
from tla2py.toolchain.releases import COMMUNITY


def expand_config_patterns(file: SweepFile, source: SweepText, base: Path) -> SweepFile:
    """A sweep file whose patterns, such as ``models/*.cfg``, are replaced by the matching configs.

    Raises InputError (``config-missing``) for a pattern without a match.
    """
    names = _names(file)
    if not any(glob.has_magic(name) and not (base / name).exists() for name in names):
        return file
    found: dict[str, None] = {}
    for name in names:
        if not glob.has_magic(name) or (base / name).exists():
            found[name] = None
            continue
        matching = sorted(path.relative_to(base).as_posix() for path in base.glob(name) if path.is_file())
        if not matching:
            raise InputError(
                "config-missing",
                f"no config matches {name}",
                where=source.place("config", value=name),
                hint="patterns are relative to the sweep file",
            )
        found.update(dict.fromkeys(matching))
    return msgspec.structs.replace(file, config=list(found))


def expand_log_patterns(
    file: SweepFile, source: SweepText, base: Path
) -> tuple[SweepFile, dict[str, tuple[str, ...]]]:
    """A sweep file that names its logs instead of patterns, and the files of each. Raises InputError as ``find_logs`` does."""
    found = find_logs(base, file.logs.files, partial(source.place, "logs"))
    logs = msgspec.structs.replace(file.logs, files=list(found))
    return msgspec.structs.replace(file, logs=logs), found


def read_sweep_logs(
    file: SweepFile,
    source: SweepText,
    base: Path,
    specs: Mapping[str, ModuleGraph],
    logs: Mapping[str, Sequence[str]],
) -> SweepLogs:
    """The logs of a sweep file. Raises InputError as ``read_logs`` does."""
    if not logs:
        return NO_LOGS
    start = "environment."
    names = [*file.environment, *(n.removeprefix(start) for n in file.parameters if n.startswith(start))]
    given = {
        *(Source("environment", name) for name in names),
        *(Source("file", name) for name in file.inputs.files),
    }
    return read_logs(base, logs, specs, given, file.logs, partial(source.place, "logs"))


def read_configs(
    file: SweepFile, source: SweepText, base: Path, ignored: Container[str]
) -> dict[str, ConfigFile]:
    """The configs of a sweep, by their names in its file; ``ignored`` are rules of lint.

    Raises InputError: ``config-missing``, and as ``read_config`` does if no config can be read.
    """
    found = {}
    errors = []
    for name in _names(file):
        if not (base / name).is_file():
            raise InputError(
                "config-missing",
                f"no such config: {name}",
                where=source.place("config", value=name),
                hint="configs are relative to the sweep file",
            )
        path = base / name
        try:
            found[name] = read_config(path, ignored)
        except InputError as error:
            # The file's path depends on the current folder, its name in the sweep does not.
            found[name] = unread_config(path, str(error.line).replace(str(path), name))
            errors.append(error)
    if errors and len(errors) == len(found):
        raise errors[0]
    return found


def configs_text(module: Path, pattern: str, libraries: Sequence[Path]) -> str:
    """The text of a sweep file beside a module that lists the configs that match a pattern.

    Raises InputError: ``usage``, ``module-missing``, ``config-missing``.
    """
    if module.suffix != ".tla":
        raise InputError(
            "usage",
            f"--configs needs a module, not {module}",
            hint="quote the pattern: tla2py sweep --configs 'models/*.cfg' Spec.tla",
        )
    if not module.is_file():
        raise InputError(
            "module-missing",
            f"no such module: {module}",
            hint="name a .tla file, relative to the current folder",
        )
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 - it may be absolute
    paths = sorted(path for path in found if Path(path).is_file())
    if not paths:
        raise InputError(
            "config-missing",
            f"no config matches {pattern}",
            hint="a pattern is relative to the current folder, as in 'models/*.cfg'",
        )
    folder = module.parent

    def shown(path: Path | str) -> str:
        return json.dumps(Path(os.path.relpath(path, folder)).as_posix(), ensure_ascii=False)

    text = f"module = {json.dumps(module.name)}\nconfig = [{', '.join(shown(path) for path in paths)}]\n"
    if libraries:
        text += f"libraries = [{', '.join(shown(path) for path in libraries)}]\n"
    return f"name = {json.dumps(module.stem)}\n{text}"


def library_folders(file: SweepFile, source: SweepText, base: Path) -> list[Path]:
    """The module folders that a sweep file names. Raises InputError (``library-missing``)."""
    folders = []
    for name in file.libraries:
        folder = base / name
        if name == COMMUNITY and not folder.is_dir():
            folder = module_folder(Path(name))
        if not folder.is_dir():
            raise InputError(
                "library-missing",
                f"no such folder: {name}",
                where=source.place("libraries", value=name),
                hint=f"name folders with modules, relative to the sweep file, or {COMMUNITY}",
            )
        folders.append(folder)
    return folders


def _names(file: SweepFile) -> list[str]:
    return file.config if isinstance(file.config, list) else [file.config] if file.config else []
