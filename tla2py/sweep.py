"""A sweep: parameters, their points in grid order, and the model of every point; pure but for reading files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tla2py.cfg.render import default_template
from tla2py.errors import InputError
from tla2py.grid import (
    MODEL_LISTS,
    MODEL_PARAMETERS,
    Parameter,
    Point,
    grid_points,
    read_parameters,
    replaceable_standard,
    unknown_in_grid,
    value_text,
)
from tla2py.model import Model, constant_values, default_specification
from tla2py.run import Limits, TlcOptions
from tla2py.sweepfile import ExpectSection, Source, SweepFile, nearest, read_sweep_file
from tla2py.syntax import Spec, load_spec
from tla2py.units import parse_duration, parse_memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A sweep file together with the modules it speaks of."""

    name: str
    path: Path
    text: str
    file: SweepFile
    source: Source
    specs: Mapping[str, Spec]
    parameters: tuple[Parameter, ...]
    points: tuple[Point, ...]
    options: TlcOptions
    limits: Limits
    template: str
    # The indices of points whose actions are to be counted though the file does not ask for it.
    counted: frozenset[int] = frozenset()

    @property
    def expect(self) -> ExpectSection | None:
        """What the file expects of its points."""
        return self.file.expect

    def model(self, point: Point) -> Model:
        """The model of a point. Raises InputError (``unassigned``, ``unknown-definition``) naming the place."""
        return _model(self, point)


def load_sweep(path: Path) -> Sweep:
    """A sweep read from its file and checked against its modules.

    Raises InputError before anything runs: what ``read_sweep_file`` and ``load_spec`` raise, and
    ``unknown-constant``, ``unknown-parameter``, ``unknown-definition``, ``empty-parameter``, ``duplicate-point``,
    ``grid-key`` (also for a row of expectations).
    """
    file, source = read_sweep_file(path)
    base = path.parent
    names = [file.module] if isinstance(file.module, str) else file.module
    libraries = [base / folder for folder in file.libraries]
    for folder, shown in zip(libraries, file.libraries, strict=True):
        if not folder.is_dir():
            raise InputError(
                "library-missing", f"no such folder: {shown}", where=source.place("libraries", value=shown)
            )
    specs = {name: load_spec(base / name, libraries) for name in names}
    if not specs:
        raise InputError("empty-parameter", "module is an empty list", where=source.place("module"))
    _check_names(file, source, specs)
    _check_mode(file, source)
    parameters = read_parameters(file, source, specs)
    _check_matches(file, source, [parameter.name for parameter in parameters])
    return Sweep(
        name=file.name or path.stem,
        path=path,
        text="\n".join(source.lines) + "\n",
        file=file,
        source=source,
        specs=specs,
        parameters=parameters,
        points=tuple(grid_points(file, source, parameters)),
        options=TlcOptions(
            mode=file.tlc.mode,
            find=file.tlc.find,
            workers=_positive(file.tlc.workers, source, "workers"),
            check_deadlock=file.model.check_deadlock,
            seed=file.tlc.seed,
            num=file.tlc.num,
            depth=file.tlc.depth,
            coverage=file.tlc.coverage,
            graph=file.tlc.graph,
            behaviours=file.tlc.behaviours,
            options=tuple(file.tlc.options),
            java_options=tuple(file.tlc.java_options),
        ),
        limits=Limits(
            timeout_seconds=parse_duration(file.tlc.timeout, source.place("tlc", "timeout")),
            memory_bytes=parse_memory(file.tlc.memory, source.place("tlc", "memory")),
        ),
        template=_template(file, source, base),
    )


def _positive(number: int, source: Source, key: str) -> int:
    if number < 1:
        raise InputError("wrong-type", f"{key} must be 1 or more", where=source.place("tlc", key))
    return number


def _check_mode(file: SweepFile, source: Source) -> None:
    """No key is given that the other mode alone understands."""
    others = {"check": ("num", "depth", "behaviours"), "simulate": ("graph",)}
    for key in others[file.tlc.mode]:
        if getattr(file.tlc, key):
            other = "simulate" if file.tlc.mode == "check" else "check"
            raise InputError(
                "wrong-mode",
                f'{key} is for mode = "{other}"',
                where=source.place("tlc", key),
                hint=f'set mode = "{other}" in [tlc], or leave {key} out',
            )


def _template(file: SweepFile, source: Source, base: Path) -> str:
    if file.template is None:
        return default_template()
    try:
        return (base / file.template).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            "template", f"no such template: {file.template}", where=source.place("template")
        ) from error


def _check_names(file: SweepFile, source: Source, specs: Mapping[str, Spec]) -> None:
    """Every name the file uses is declared by at least one of the modules."""
    constants = sorted({c.name for spec in specs.values() for c in spec.constants})
    definitions = sorted({name for spec in specs.values() for name in spec.definitions})
    shown = ", ".join(specs)
    for name in file.constants:
        if name not in constants:
            close = nearest(name, constants)
            raise InputError(
                "unknown-constant",
                f"{shown} declares no constant {name}" + (", but defines it" if name in definitions else ""),
                where=source.place("constants", name),
                hint="a definition is replaced in [substitutions] or [parameters]"
                if name in definitions
                else f"did you mean {close}?"
                if close
                else f"its constants: {', '.join(constants) or 'none'}",
            )
    for name in file.substitutions:
        bare = re.sub(r"^\[\w+\]\s*", "", name)
        if (
            bare == name
            and name not in constants
            and name not in definitions
            and not replaceable_standard(name)
        ):
            raise _unknown(
                name,
                "constant or definition",
                constants + definitions,
                source.place("substitutions", name),
                shown,
            )
    model = file.model
    for key in MODEL_LISTS:
        for name in getattr(model, key):
            if name not in definitions:
                raise _unknown(name, "definition", definitions, source.place("model", key, value=name), shown)
    for key in MODEL_PARAMETERS:
        value = getattr(model, key)
        for name in value if isinstance(value, list) else [value] if value else []:
            if name not in (constants if isinstance(value, list) else definitions):
                what = "constant" if isinstance(value, list) else "definition"
                known = constants if isinstance(value, list) else definitions
                raise _unknown(name, what, known, source.place("model", key, value=name), shown)


def _check_matches(file: SweepFile, source: Source, parameters: list[str]) -> None:
    """Every row of expectations speaks of parameters; one that does not would never match."""
    for number, row in enumerate(file.expect.point if file.expect else ()):
        for name in row.match:
            if name not in parameters:
                raise unknown_in_grid(name, parameters, source.place("expect", "point", number, "match"))


def _unknown(name: str, what: str, known: list[str], where: str, shown: str) -> InputError:
    close = nearest(name, known)
    return InputError(
        "unknown-definition" if what == "definition" else "unknown-name",
        f"{shown} has no {what} {name}",
        where=where,
        hint=f"did you mean {close}?" if close else "'tla2py inspect' lists what a module defines",
    )


def _model(sweep: Sweep, point: Point) -> Model:
    file, values = sweep.file, dict(point.parameters)
    spec = sweep.specs[values.pop("module", next(iter(sweep.specs)))]
    values.pop("seed", None)
    base = file.model
    chosen: dict[str, str | tuple[str, ...] | None] = {}
    for key in MODEL_PARAMETERS:
        value = getattr(base, key)
        chosen[key] = tuple(value) if isinstance(value, list) else (value or None)
        if key in values and key not in {c.name for c in spec.constants}:
            name = values.pop(key)
            if name and name not in spec.definitions:
                raise _unknown(
                    name,
                    "definition",
                    list(spec.definitions),
                    sweep.source.place("parameters", key, value=name),
                    spec.root.name,
                )
            chosen[key] = name or None
    lists: dict[str, tuple[str, ...]] = {key: tuple(getattr(base, key)) for key in MODEL_LISTS}
    for key in MODEL_LISTS:
        if key in values and key not in {c.name for c in spec.constants}:
            lists[key] = tuple(name for name in re.split(r"[\s,]+", values.pop(key)) if name)
            for name in lists[key]:
                if name not in spec.definitions:
                    where = sweep.source.place("parameters", key, value=name)
                    raise _unknown(name, "definition", list(spec.definitions), where, spec.root.name)
    assigned = {name: value_text(value) for name, value in file.constants.items()} | values
    replaced = {
        **file.substitutions,
        **{n: t for n, t in assigned.items() if n not in {c.name for c in spec.constants}},
    }
    constants = constant_values(spec, assigned, replaced, str(sweep.path), "[constants] or [parameters]")
    known = {m for other in sweep.specs.values() for m in other.definitions} | {
        c.name for o in sweep.specs.values() for c in o.constants
    }
    replacements = tuple(
        (name, text)
        for name, text in replaced.items()
        # A variant that lacks a name another one declares is checked without it.
        if name in spec.definitions or name not in known or name in {c.name for c in spec.constants}
    )
    specification, init, next_ = (chosen["specification"], chosen["init"], chosen["next"])
    if not (specification or init or next_):
        specification = default_specification(spec, sweep.source.place("model"))
    return Model(
        spec=spec,
        specification=_name(specification),
        init=_name(init),
        next=_name(next_),
        constants=constants,
        replacements=replacements,
        invariants=lists["invariants"],
        properties=lists["properties"],
        constraints=lists["constraints"],
        action_constraints=lists["action_constraints"],
        postconditions=lists["postconditions"],
        symmetry=chosen["symmetry"],
        view=_name(chosen["view"]),
        alias=_name(chosen["alias"]),
        check_deadlock=base.check_deadlock,
    )


def _name(value: str | tuple[str, ...] | None) -> str | None:
    assert not isinstance(value, tuple)
    return value
