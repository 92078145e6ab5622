"""Checks of the names in a sweep file against its modules and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from tla2py.errors import InputError
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS
from tla2py.model.model import unnameable
from tla2py.sweep.axes import replaceable_standard
from tla2py.sweep.grid import unknown_parameter
from tla2py.sweep.sections import SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.syntax import ModuleGraph
from tla2py.text import did_you_mean


def check_names(file: SweepFile, source: SweepText, specs: Mapping[str, ModuleGraph]) -> None:
    """Check that at least one of the modules declares each name that the file uses.

    Raises InputError: ``unknown-constant``, ``unknown-definition``, ``unknown-name``.
    """
    constants = sorted({c.name for spec in specs.values() for c in spec.constants})
    definitions = sorted({name for spec in specs.values() for name in spec.definitions})
    shown = ", ".join(specs)
    for name in file.constants:
        if name not in constants:
            raise InputError(
                "unknown-constant",
                f"{shown} declares no constant {name}" + (", but defines it" if name in definitions else ""),
                where=source.place("constants", name),
                hint="replace a definition in [substitutions] or [parameters]"
                if name in definitions
                else did_you_mean(name, constants, f"its constants: {', '.join(constants) or 'none'}"),
            )
    for name in file.substitutions:
        _check_substitution(name, source, specs)
    model = file.model
    for key in (*LIST_FIELDS, *NAME_FIELDS):
        value = getattr(model, key)
        symmetric = key in NAME_FIELDS and isinstance(value, list)
        what, known = ("constant", constants) if symmetric else ("definition", definitions)
        for name in value if isinstance(value, list) else [value] if value else []:
            where = source.place("model", key, value=name)
            if name not in known:
                raise unknown_name(name, what, known, where, shown)
            if error := unnameable(name, definitions, where):
                raise error


def _check_substitution(name: str, source: SweepText, specs: Mapping[str, ModuleGraph]) -> None:
    found = re.fullmatch(r"\[(\w+)\]\s*(\S+)", name)
    spaces = list(specs.values())
    if found:
        modules = {module.name: module for spec in spaces for module in spec.modules}
        if found[1] in {module for spec in spaces for module in spec.standard}:
            return
        if found[1] not in modules:
            where = source.place("substitutions", name)
            raise unknown_name(found[1], "module", list(modules), where, ", ".join(specs))
        module = modules[found[1]]
        known = [*(c.name for c in module.constants), *(d.name for d in module.definitions)]
        # It sees the names of the modules that it extends.
        known += [n for spec in spaces if module in spec.modules for n in spec.scope_of(module).names]
        bare, shown = found[2], module.name
    else:
        known = [c.name for spec in spaces for c in spec.constants]
        known += [n for spec in spaces for n in spec.definitions]
        bare, shown = name, ", ".join(specs)
    if bare not in known and not replaceable_standard(bare):
        where = source.place("substitutions", name)
        raise unknown_name(bare, "constant or definition", known, where, shown)


def check_expected_parameters(file: SweepFile, source: SweepText, parameters: list[str]) -> None:
    """Check that the rows of expectations match on parameters only. Raises InputError (``grid-key``)."""
    for number, row in enumerate(file.expect.point if file.expect else ()):
        for name in row.match:
            if name not in parameters:
                raise unknown_parameter(name, parameters, source.place("expect", "point", number, "match"))


def unknown_name(name: str, what: str, known: list[str], where: str, shown: str) -> InputError:
    """The error for a name that the modules ``shown`` do not declare as a ``what``."""
    return InputError(
        "unknown-definition" if what == "definition" else "unknown-name",
        f"{shown} has no {what} {name}",
        where=where,
        hint=did_you_mean(name, known, "'tla2py inspect' lists what a module defines"),
    )


def sweep_name(name: str, source: SweepText) -> str:
    """The name of a sweep, also of its store below ``runs``. Raises InputError (``sweep-name``)."""
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise InputError(
            "sweep-name",
            f"name = {name!r} is a path outside the folder of stores",
            where=source.place("name"),
            hint="put the store elsewhere with -o",
        )
    return name
