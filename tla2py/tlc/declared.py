"""Checks of the variables and files that a sweep or a check declares for its runs."""

from __future__ import annotations

import re
from pathlib import Path

from tla2py.errors import InputError, reason_of
from tla2py.model.inputs import is_inside
from tla2py.tlc.inputs import RESERVED_FILES, RESERVED_VARIABLES, keep_input

_FILE_HINT = "name files by a relative path in this folder, or by a pattern such as data/*.csv"


def check_variable(kind: str, name: str, where: str | None) -> None:
    """Raise InputError (``variable-name``) for a name that no run can have."""
    if kind == "java_properties" and (not name or "=" in name):
        raise InputError(
            "variable-name",
            f"not the name of a Java property: {name!r}",
            where=where,
            hint="write NAME=VALUE",
        )
    if kind == "environment" and not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise InputError(
            "variable-name",
            f"not the name of an environment variable: {name!r}",
            where=where,
            hint="use letters, digits and underscores",
        )
    if kind == "environment" and name in RESERVED_VARIABLES:
        raise InputError(
            "variable-name",
            f"a run cannot choose {name}: the shell or Java reads it first",
            where=where,
            hint="give options for Java in java_options, and choose another name for anything else",
        )


def matching_files(base: Path, pattern: str, where: str | None) -> dict[str, Path]:
    """The files that match a pattern, by their path in the run's folder.

    Raises InputError: ``input-missing``, ``input-path``.
    """
    if not is_inside(pattern):
        raise outside_error(pattern, where)
    found = {file.relative_to(base).as_posix(): file for file in base.glob(pattern) if file.is_file()}
    if not found:
        raise InputError("input-missing", f"no file matches {pattern}", where=where, hint=_FILE_HINT)
    for path in found:
        check_path(path, where)
    return found


def outside_error(pattern: str, where: str | None) -> InputError:
    """The error for a path or a pattern that leads out of the run's folder."""
    return InputError("input-path", f"{pattern} is outside of the run's folder", where=where, hint=_FILE_HINT)


def check_path(path: str, where: str | None) -> None:
    """Raise InputError (``input-path``) for a path that a run writes itself, and for a Java class."""
    if path.endswith(".class"):
        raise InputError(
            "input-path",
            f"TLC would load {path} in place of definitions",
            where=where,
            hint="name Java classes with --overrides, or overrides in [tlc] of a sweep file",
        )
    reserved = path.partition("/")[0]
    if reserved in RESERVED_FILES:
        raise InputError(
            "input-path",
            f"each run writes its own {reserved}",
            where=where,
            hint="give the file another name, or a narrower pattern",
        )


def kept_file(file: Path) -> str:
    """The sha256 of a file, of which a private copy is kept. Raises InputError (``input-missing``)."""
    try:
        return keep_input(file)
    except OSError as error:
        raise InputError(
            "input-missing", f"cannot read {file}: {reason_of(error)}", hint="name files that you can read"
        ) from error
