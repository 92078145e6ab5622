"""The axes of a grid: what a parameter is, its values one by one or by rule, and which parameters go together."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

from tla2py.errors import InputError
from tla2py.model.config import ParameterKind
from tla2py.sweep.file import SweepFile, Values, ValuesTable
from tla2py.sweep.grid import MODEL_KEYS, Parameter, key_of, unknown_in_grid
from tla2py.sweep.source import Source
from tla2py.syntax import ModuleGraph
from tla2py.text import did_you_mean, parameter_text
from tla2py.toml import value_text

# A slip of the pen such as to = 1000000000 is told rather than waited for.
_MOST_VALUES = 100_000


def read_parameters(
    file: SweepFile, source: Source, specs: Mapping[str, ModuleGraph]
) -> tuple[Parameter, ...]:
    """The parameters of a sweep file, each told apart as a constant, a definition or a key of [model].

    Raises InputError: ``empty-parameter``, ``unknown-parameter``, ``assigned-twice``, ``grid-key``, ``values``.
    """
    found = []
    listings: tuple[tuple[Literal["module", "config"], object], ...] = (
        ("module", file.module),
        ("config", file.config),
    )
    for axis, listed in listings:
        if isinstance(listed, list):
            if not listed:
                raise InputError(
                    "empty-parameter",
                    f"{axis} is an empty list",
                    where=source.place(axis),
                    hint=f"name at least one, or leave {axis} out"
                    if axis == "config"
                    else 'name one, as in module = "Spec.tla"',
                )
            found.append(Parameter(name=axis, kind=axis, values=tuple(listed)))
    for name, values in file.parameters.items():
        where = source.place("parameters", name)
        kind = _kind(name, specs, where)
        for key, section in (("constants", file.constants), ("substitutions", file.substitutions)):
            if name in section:
                raise InputError(
                    "assigned-twice",
                    f"{name} is a parameter and in [{key}]",
                    where=where,
                    hint="keep one of them",
                )
        texts = _texts(name, values, where, specs)
        if not texts:
            raise InputError(
                "empty-parameter",
                f"parameter {name} has no values",
                where=where,
                hint="give it at least one, as in [1, 2] or { from = 1, to = 3 }",
            )
        found.append(Parameter(name=name, kind=kind, values=texts))
    if file.grid.repeat > 1:
        if file.tlc.mode == "check":
            raise InputError(
                "grid-key",
                "repeat is for simulation: a check gives the same answer each time",
                where=source.place("grid", "repeat"),
                hint='set mode = "simulate" in [tlc], or leave repeat out',
            )
        seeds = tuple(str(file.tlc.seed + n) for n in range(file.grid.repeat))
        found.append(Parameter(name="seed", kind="seed", values=seeds))
    return tuple(found)


def group_parameters(
    file: SweepFile, source: Source, parameters: Sequence[Parameter]
) -> tuple[tuple[Parameter, ...], ...]:
    """The parameters in the order of the loops, those that ``zip`` lets go together in one group.

    Raises InputError: ``grid-key`` for a wrong zip, ``duplicate-point`` where a value, or a row of a group, is repeated.
    """
    where = source.place("grid", "zip")
    by_name = {parameter.name: parameter for parameter in parameters}
    group_of: dict[str, tuple[Parameter, ...]] = {}
    for names in file.grid.zip:
        for name in names:
            if name not in by_name:
                raise unknown_in_grid(name, list(by_name), where)
            if name in group_of or names.count(name) > 1:
                raise InputError(
                    "grid-key",
                    f"{name} is zipped twice",
                    where=where,
                    hint="name a parameter once, in one of the lists",
                )
        group = tuple(by_name[name] for name in names)
        if len({len(parameter.values) for parameter in group}) > 1:
            counts = ", ".join(f"{parameter.name} has {len(parameter.values)}" for parameter in group)
            raise InputError(
                "grid-key",
                f"zipped parameters have as many values as each other: {counts}",
                where=where,
                hint="give each the same number of values, or leave one of them out of zip",
            )
        group_of.update(dict.fromkeys(names, group))
    groups = dict.fromkeys(group_of.get(parameter.name, (parameter,)) for parameter in parameters)
    for group in groups:
        _check_rows(group, source)
    return tuple(groups)


def _check_rows(group: tuple[Parameter, ...], source: Source) -> None:
    seen: set[Hashable] = set()
    for row in zip(*(parameter.values for parameter in group), strict=True):
        key = tuple(key_of(parameter.kind, text) for parameter, text in zip(group, row, strict=True))
        if key not in seen:
            seen.add(key)
            continue
        first = group[0]
        if len(group) == 1:
            keys = (first.name,) if first.kind in ("module", "config") else ("parameters", first.name)
            message, where = f"parameter {first.name} has the value {row[0]} twice", source.place(*keys)
        else:
            shown = parameter_text({p.name: text for p, text in zip(group, row, strict=True)})
            message, where = f"the zipped parameters have {shown} twice", source.place("grid", "zip")
        raise InputError("duplicate-point", message, where=where, hint="leave one of them out")


def _kind(name: str, specs: Mapping[str, ModuleGraph], where: str) -> ParameterKind:
    constants = {c.name for spec in specs.values() for c in spec.constants}
    definitions = {name for spec in specs.values() for name in spec.definitions}
    if name in constants:
        return "constant"
    if name in definitions or re.match(r"\[\w+\]", name) or replaceable_standard(name):
        return "definition"
    if name in MODEL_KEYS:
        return "model"
    raise InputError(
        "unknown-parameter",
        f"parameter {name} is neither a constant nor a definition of {', '.join(specs)}",
        where=where,
        hint=did_you_mean(
            name, sorted(constants | definitions), "'tla2py inspect' lists what a module declares"
        ),
    )


def _texts(name: str, values: Values, where: str, specs: Mapping[str, ModuleGraph]) -> tuple[str, ...]:
    if not isinstance(values, ValuesTable):
        return tuple(value_text(value) for value in values)
    numbers = values.first is not None and values.last is not None
    sets = values.model_values is not None and values.sizes is not None
    if numbers == sets or (sets and (values.first, values.last) != (None, None)):
        raise InputError(
            "values",
            f"parameter {name} has neither a list of values nor a rule",
            where=where,
            hint='write { from = 1, to = 8, step = 2 } or { model_values = "b", sizes = [2, 3] }',
        )
    if values.first is not None and values.last is not None:
        return _numbers(name, values.first, values.last, values.step, where)
    assert values.model_values is not None
    assert values.sizes is not None
    return tuple(_model_values(values.model_values, size, where, specs) for size in values.sizes)


def _numbers(name: str, first: int, last: int, step: int, where: str) -> tuple[str, ...]:
    if step == 0:
        raise InputError(
            "values",
            f"parameter {name} has the step 0",
            where=where,
            hint="write a step such as 1, 2 or -1, or leave it out for 1",
        )
    numbers = range(first, last + (1 if step > 0 else -1), step)
    if len(numbers) > _MOST_VALUES:
        raise InputError(
            "values",
            f"parameter {name} has {len(numbers):,} values",
            where=where,
            hint=f"{_MOST_VALUES:,} are the most; take a larger step",
        )
    return tuple(str(number) for number in numbers)


def _model_values(stem: str, size: int, where: str, specs: Mapping[str, ModuleGraph]) -> str:
    names = [f"{stem}{number}" for number in range(1, size + 1)]
    if not re.fullmatch(r"[A-Za-z]\w*", stem, re.ASCII) or stem.startswith(("WF_", "SF_")):
        raise InputError(
            "values",
            f"{stem!r} does not begin the name of a model value",
            where=where,
            hint='write letters, as in model_values = "b" for b1, b2 and so on',
        )
    if not 0 <= size <= _MOST_VALUES:
        raise InputError(
            "values",
            f"a set of {size:,} model values",
            where=where,
            hint=f"a size is a number from 0 to {_MOST_VALUES:,}",
        )
    for spec in specs.values():
        for taken in (
            *spec.definitions,
            *(c.name for c in spec.constants),
            *(v.name for v in spec.variables),
        ):
            if taken in names:
                raise InputError(
                    "values",
                    f"the model value {taken} would have a name that {spec.root.name} declares",
                    where=where,
                    hint="begin the names otherwise",
                )
    return f"{{{', '.join(names)}}}"


def replaceable_standard(name: str) -> bool:
    """Whether a name is a definition of a standard module that models replace, such as Nat by a finite set."""
    return name in {"Nat", "Int", "Real", "Seq", "STRING", "BOOLEAN"}
