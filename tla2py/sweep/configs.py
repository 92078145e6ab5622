"""The configs that a sweep starts from: found by patterns, read, and held against its modules."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tla2py.config.read import ConfigFile, read_config
from tla2py.errors import InputError
from tla2py.lint import check_names
from tla2py.sweep.file import SweepFile
from tla2py.sweep.source import Source
from tla2py.syntax import ModuleGraph


def with_found_configs(file: SweepFile, source: Source, base: Path) -> SweepFile:
    """A sweep file whose patterns such as ``models/*.cfg`` are replaced by the configs that they find.

    Raises InputError (``config-missing``) for a pattern that finds none.
    """
    names = file.config if isinstance(file.config, list) else [file.config] if file.config else []
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
                f"no config is found by {name}",
                where=source.place("config", value=name),
                hint="configs are relative to the sweep file, patterns too",
            )
        found.update(dict.fromkeys(matching))
    return msgspec.structs.replace(file, config=list(found))


def read_configs(
    file: SweepFile, source: Source, base: Path, specs: Mapping[str, ModuleGraph]
) -> dict[str, ConfigFile]:
    """The configs that a sweep starts from, by the names in its file; what they name has to be there.

    Raises InputError: ``config-missing``, and as ``read_config`` and ``check_names`` do.
    """
    names = file.config if isinstance(file.config, list) else [file.config] if file.config else []
    found = {}
    for name in names:
        if not (base / name).is_file():
            raise InputError(
                "config-missing",
                f"no such config: {name}",
                where=source.place("config", value=name),
                hint="configs are relative to the sweep file",
            )
        found[name] = read_config(base / name)
        check_names(found[name], specs)
    return found
