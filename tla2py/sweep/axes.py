"""Checks of the names in a sweep file against its modules and parameters."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from tla2py.errors import InputError
from tla2py.model.model import LIST_FIELDS, MODEL_NAMES, ParameterKind, is_expression, unnameable
from tla2py.sweep import sections
from tla2py.sweep.file import SweepFile, removed_parameter
from tla2py.sweep.grid import MODEL_KEYS, Parameter, key_of, unknown_parameter
from tla2py.text import did_you_mean, parameter_text
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.replacement import split_module
from tla2py.tlc.process.command import check_variable


def read_parameters(file: SweepFile, specs: Mapping[str, ModuleGraph]) -> tuple[Parameter, ...]:
    """The parameters of a sweep file.

    Raises InputError: ``empty-parameter``, ``unknown-parameter``, ``assigned-twice``, ``grid-key``, ``values``,
    ``wrong-type`` and ``variable-name`` for environment variables and Java properties.
    """
    found = []
    if isinstance(file.sections.module, list):
        found.append(Parameter(name="module", kind="module", values=tuple(file.sections.module)))
    if isinstance(file.sections.config, list):
        found.append(Parameter(name="config", kind="config", values=tuple(file.sections.config)))
    for section in sections.VARIABLES:
        for name in getattr(file.sections, section):
            check_variable(section, name, file.place(section, name))
    for name, values in file.sections.parameters.items():
        where = file.place("parameters", name)
        kind = _kind(name, specs, where)
        variable = name.partition(".")[2]
        for other, assigned in (
            ("in [constants]", name in file.sections.constants),
            ("in [substitutions]", name in file.sections.substitutions),
            (f"in [{kind}]", kind in sections.VARIABLES and variable in getattr(file.sections, kind)),
            ("the name of the logs of [logs]", name == "log" and file.sections.logs.files),
        ):
            if assigned:
                hint = "keep one of them"
                raise InputError(
                    "assigned-twice", f"{name} is both a parameter and {other}", where=where, hint=hint
                )
        if kind in sections.VARIABLES:
            check_variable(kind, variable, where)
        texts = _texts(name, values, where, specs, plain=kind in sections.VARIABLES)
        if not texts:
            raise InputError(
                "empty-parameter",
                f"parameter {name} has no values",
                where=where,
                hint="give it at least one, as in [1, 2] or { from = 1, to = 3 }",
            )
        found.append(Parameter(name=name, kind=kind, values=texts))
    if file.sections.logs.files:
        found.append(Parameter(name="log", kind="log", values=tuple(map(str, file.sections.logs.files))))
    if file.sections.grid.repeat > 1:
        if file.sections.tlc.mode == "check":
            raise InputError(
                "grid-key",
                "repeat applies only to simulation; a check gives the same answer each time",
                where=file.place("grid", "repeat"),
                hint='set mode = "simulate" in [tlc], or remove repeat',
            )
        seeds = tuple(str(file.sections.tlc.seed + n) for n in range(file.sections.grid.repeat))
        found.append(Parameter(name="seed", kind="seed", values=seeds))
    return tuple(found)


def group_parameters(file: SweepFile, parameters: Sequence[Parameter]) -> tuple[tuple[Parameter, ...], ...]:
    """The parameters in loop order, zipped ones in one group.

    Raises InputError: ``grid-key`` for a wrong zip, ``duplicate-point`` for a repeated value or zipped row.
    """
    where = file.place("grid", "zip")
    by_name = {parameter.name: parameter for parameter in parameters}
    group_of: dict[str, tuple[Parameter, ...]] = {}
    for names in file.sections.grid.zip:
        for name in names:
            if name not in by_name:
                raise unknown_parameter(name, list(by_name), where)
            if name in group_of or names.count(name) > 1:
                hint = "name a parameter in one list only"
                raise InputError("grid-key", f"{name} is zipped twice", where=where, hint=hint)
        group = tuple(by_name[name] for name in names)
        if len({len(parameter.values) for parameter in group}) > 1:
            counts = ", ".join(f"{parameter.name} has {len(parameter.values)}" for parameter in group)
            raise InputError(
                "grid-key",
                f"zipped parameters differ in their number of values: {counts}",
                where=where,
                hint="give each the same number of values, or remove one from zip",
            )
        group_of.update(dict.fromkeys(names, group))
    groups = dict.fromkeys(group_of.get(parameter.name, (parameter,)) for parameter in parameters)
    for group in groups:
        _check_rows(group, file)
    return tuple(groups)


def _check_rows(group: tuple[Parameter, ...], file: SweepFile) -> None:
    seen: set[Hashable] = set()
    for row in zip(*(parameter.values for parameter in group), strict=True):
        key = tuple(key_of(parameter.kind, text) for parameter, text in zip(group, row, strict=True))
        if key not in seen:
            seen.add(key)
            continue
        first = group[0]
        if len(group) == 1:
            keys = (first.name,) if first.kind in ("module", "config") else ("parameters", first.name)
            message, where = f"parameter {first.name} has the value {row[0]} twice", file.place(*keys)
        else:
            shown = parameter_text({p.name: text for p, text in zip(group, row, strict=True)})
            message, where = f"the zipped parameters have {shown} twice", file.place("grid", "zip")
        raise InputError("duplicate-point", message, where=where, hint="remove one of them")


def _kind(name: str, specs: Mapping[str, ModuleGraph], where: str) -> ParameterKind:
    for kind in sections.VARIABLES:
        if name.startswith(f"{kind}."):
            return kind
    constants = {c.name for spec in specs.values() for c in spec.constants}
    definitions = {name for spec in specs.values() for name in spec.definitions}
    if name in constants:
        return "constant"
    if name in definitions or re.match(r"\[\w+\]", name) or replaceable_standard(name):
        return "definition"
    if name in MODEL_KEYS:
        return "model"
    if name in sections.REMOVED_PARAMETERS:
        raise removed_parameter(name, where)
    raise InputError(
        "unknown-parameter",
        f"no constant or definition {name} in {', '.join(specs)}",
        where=where,
        hint=did_you_mean(
            name, sorted(constants | definitions), "'tla2py inspect' lists what a module declares"
        ),
    )


def _texts(
    name: str, values: sections.Values, where: str, specs: Mapping[str, ModuleGraph], *, plain: bool
) -> tuple[str, ...]:
    """The values of a parameter; ``plain`` ones are not TLA+ but text, of which nothing is stripped."""
    if plain and isinstance(values, list):
        if any(isinstance(value, bool) for value in values):
            hint = 'write the text that the run reads, such as "true" or "1"'
            raise InputError("wrong-type", f"{name} has a boolean value", where=where, hint=hint)
        return tuple(map(str, values))
    if not isinstance(values, sections.ValuesTable):
        return tuple(map(sections.listed_text, values))
    ranged = values.first is not None and values.last is not None
    sets = values.model_values is not None and values.sizes is not None
    if ranged == sets or (sets and (values.first, values.last) != (None, None)):
        raise InputError(
            "values",
            f"parameter {name} has no list of values and no complete rule",
            where=where,
            hint='write { from = 1, to = 8, step = 2 } or { model_values = "b", sizes = [2, 3] }',
        )
    if values.first is not None and values.last is not None:
        step = values.step
        numbers = range(values.first, values.last + (1 if step > 0 else -1), step) if step else range(0)
        if len(numbers) > sections.MOST_VALUES:
            raise InputError(
                "values",
                f"parameter {name} has {len(numbers):,} values",
                where=where,
                hint=f"the limit is {sections.MOST_VALUES:,}; use a larger step",
            )
        return tuple(map(str, numbers))
    assert values.model_values is not None
    assert values.sizes is not None
    return tuple(_model_values(values.model_values, size, where, specs) for size in values.sizes)


def _model_values(stem: str, size: int, where: str, specs: Mapping[str, ModuleGraph]) -> str:
    names = [f"{stem}{number}" for number in range(1, size + 1)]
    if not re.fullmatch(r"[A-Za-z]\w*", stem, re.ASCII):
        hint = 'write letters, as in model_values = "b" for b1, b2 and so on'
        raise InputError(
            "values", f"the name of a model value cannot begin with {stem!r}", where=where, hint=hint
        )
    for spec in specs.values():
        declared = {*spec.definitions, *(c.name for c in spec.constants), *(v.name for v in spec.variables)}
        if taken := sorted(declared.intersection(names)):
            text = f"{spec.root.name} declares {taken[0]}, so it cannot name a model value"
            raise InputError("values", text, where=where, hint="choose another beginning for the names")
    return f"{{{', '.join(names)}}}"


def replaceable_standard(name: str) -> bool:
    """Whether models may replace this definition of a standard module, such as Nat by a finite set."""
    return name in {"Nat", "Int", "Real", "Seq", "STRING", "BOOLEAN"}


def replaces_definition(name: str, specs: Iterable[ModuleGraph]) -> bool:
    """Whether a name is that of a definition, also of another module as in ``[Base]Limit``."""
    graphs = list(specs)
    if any(name == constant.name for spec in graphs for constant in spec.constants):
        return False
    defined = any(name in spec.definitions for spec in graphs)
    return defined or name.startswith("[") or replaceable_standard(name)


def check_names(file: SweepFile, specs: Mapping[str, ModuleGraph]) -> None:
    """Check that at least one of the modules declares each name that the file uses.

    Raises InputError: ``unknown-constant``, ``unknown-definition``, ``unknown-name``.
    """
    constants = sorted({c.name for spec in specs.values() for c in spec.constants})
    definitions = sorted({name for spec in specs.values() for name in spec.definitions})
    shown = ", ".join(specs)
    for name in file.sections.constants:
        if name not in constants:
            raise InputError(
                "unknown-constant",
                f"{shown} declares no constant {name}" + (", but defines it" if name in definitions else ""),
                where=file.place("constants", name),
                hint="replace a definition in [substitutions] or [parameters]"
                if name in definitions
                else did_you_mean(name, constants, f"its constants: {', '.join(constants) or 'none'}"),
            )
    for name in file.sections.substitutions:
        _check_substitution(name, file.place("substitutions", name), specs)
    for name in file.sections.parameters:
        if name.startswith("["):
            _check_substitution(name, file.place("parameters", name), specs)
    model = file.sections.model
    for key in (*LIST_FIELDS, *MODEL_NAMES):
        value = getattr(model, key)
        symmetric = key in MODEL_NAMES and isinstance(value, list)
        what, known = ("constant", constants) if symmetric else ("definition", definitions)
        for name in value if isinstance(value, list) else [value] if value else []:
            where = file.place("model", key, value=name)
            if key in LIST_FIELDS and is_expression(name):
                continue
            if name not in known:
                raise unknown_name(name, what, known, where, shown)
            if error := unnameable(name, definitions, where):
                raise error


def _check_substitution(name: str, where: str, specs: Mapping[str, ModuleGraph]) -> None:
    bare, module_name = split_module(name)
    spaces = list(specs.values())
    if module_name is not None:
        modules = {module.name: module for spec in spaces for module in spec.modules}
        if module_name in {module for spec in spaces for module in spec.standard}:
            return
        if module_name not in modules:
            raise unknown_name(module_name, "module", list(modules), where, ", ".join(specs))
        module = modules[module_name]
        if bare in {constant.name for constant in module.constants}:
            raise InputError(
                "unknown-name",
                f"{bare} is a constant of {module.name}: a config can give values to its definitions only",
                where=where,
                hint=f"write {bare} without [{module.name}], or change the INSTANCE that gives it a value",
            )
        known = [definition.name for definition in module.definitions]
        # It sees the names of the modules that it extends.
        known += [n for spec in spaces if module in spec.modules for n in spec.scope_of(module).names]
        shown = module.name
    else:
        known = [c.name for spec in spaces for c in spec.constants]
        known += [n for spec in spaces for n in spec.definitions]
        shown = ", ".join(specs)
    if bare not in known and not replaceable_standard(bare):
        raise unknown_name(bare, "constant or definition", known, where, shown)


def check_expected_parameters(file: SweepFile, parameters: list[str]) -> None:
    """Check that the rows of expectations match on parameters only. Raises InputError (``grid-key``)."""
    for number, row in enumerate(file.sections.expect.point if file.sections.expect else ()):
        for name in row.match if isinstance(row.match, dict) else ():
            if name not in parameters:
                raise unknown_parameter(name, parameters, file.place("expect", "point", number, "match"))


def unknown_name(name: str, what: str, known: list[str], where: str, shown: str) -> InputError:
    """The error for a name that the modules ``shown`` do not declare as a ``what``."""
    return InputError(
        "unknown-definition" if what == "definition" else "unknown-name",
        f"{shown} has no {what} {name}",
        where=where,
        hint=did_you_mean(name, known, "'tla2py inspect' lists what a module defines"),
    )


def sweep_name(file: SweepFile) -> str:
    """The name of a sweep, also of its store below ``runs``. Raises InputError (``sweep-name``)."""
    name = file.sections.name or file.path.stem
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        text = f"name = {name!r} is a path outside the folder of stores"
        hint = "put the store elsewhere with -o"
        raise InputError("sweep-name", text, where=file.place("name"), hint=hint)
    return name
