"""A sweep: parameters, their points in grid order, and the model of every point; pure but for reading files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tla2py.cfg.render import default_template, render_config
from tla2py.cfg.wrapper import build_config
from tla2py.errors import InputError
from tla2py.model import Model
from tla2py.run import Limits, Run, TlcOptions, digest_run, digest_text
from tla2py.sweepfile import ExpectSection, Scalar, Source, SweepFile, nearest, read_sweep_file
from tla2py.syntax import Spec, infer_kinds, load_spec, needs_definition
from tla2py.values import Opaque, Value, parse_value

# Keys of [model] that may be parameters too; "" stands for none.
MODEL_PARAMETERS = ("specification", "init", "next", "symmetry", "view", "alias")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An axis of the grid: a constant, a definition, a key of [model], ``module`` or ``seed``, and its values as text."""

    name: str
    kind: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One combination: its index in grid order, from 1, and the text of every parameter."""

    index: int
    parameters: Mapping[str, str]


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

    @property
    def expect(self) -> ExpectSection | None:
        """What the file expects of its points."""
        return self.file.expect

    def model(self, point: Point) -> Model:
        """The model of a point. Raises InputError (``unassigned``, ``unknown-definition``) naming the place."""
        return _model(self, point)

    def plan(self, jar_sha256: str) -> Plan:
        """Every point's run, in grid order, and the texts of all modules by their sha256."""
        return plan_sweep(self, jar_sha256)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be executed: one run per point, in grid order, and the module texts that they share."""

    points: tuple[Point, ...]
    runs: tuple[Run, ...]
    sources: dict[str, str] = field(default_factory=dict)


def load_sweep(path: Path) -> Sweep:
    """A sweep read from its file and checked against its modules.

    Raises InputError before anything runs: what ``read_sweep_file`` and ``load_spec`` raise, and
    ``unknown-constant``, ``unknown-parameter``, ``unknown-definition``, ``empty-parameter``, ``duplicate-point``,
    ``grid-key``.
    """
    file, source = read_sweep_file(path)
    base = path.parent
    names = [file.module] if isinstance(file.module, str) else file.module
    libraries = [base / folder for folder in file.libraries]
    for folder, shown in zip(libraries, file.libraries, strict=True):
        if not folder.is_dir():
            raise InputError("library-missing", f"no such folder: {shown}", where=source.place("libraries", value=shown))
    specs = {name: load_spec(base / name, libraries) for name in names}
    if not specs:
        raise InputError("empty-parameter", "module is an empty list", where=source.place("module"))
    _check_names(file, source, specs)
    parameters = _parameters(file, source, specs)
    return Sweep(
        name=file.name or path.stem,
        path=path,
        text="\n".join(source.lines) + "\n",
        file=file,
        source=source,
        specs=specs,
        parameters=parameters,
        points=tuple(_points(file, source, parameters)),
        options=TlcOptions(
            mode=file.tlc.mode,
            find=file.tlc.find,
            workers=_positive(file.tlc.workers, source, "workers"),
            check_deadlock=file.model.check_deadlock,
            seed=file.tlc.seed,
            num=file.tlc.num,
            depth=file.tlc.depth,
            coverage=file.tlc.coverage,
            options=tuple(file.tlc.options),
            java_options=tuple(file.tlc.java_options),
        ),
        limits=Limits(
            timeout_seconds=parse_duration(file.tlc.timeout, source.place("tlc", "timeout")),
            memory_bytes=parse_memory(file.tlc.memory, source.place("tlc", "memory")),
        ),
        template=_template(file, source, base),
    )


def plan_sweep(sweep: Sweep, jar_sha256: str) -> Plan:
    """The runs of a sweep. Raises InputError as ``Sweep.model`` does, and ``duplicate-point``."""
    runs, sources, modules = [], {}, {}
    for name, spec in sweep.specs.items():
        modules[name] = tuple((f"{m.name}.tla", digest_text(m.text)) for m in spec.modules)
        sources.update({digest_text(m.text): m.text for m in spec.modules})
    for point in sweep.points:
        model = sweep.model(point)
        config, main, wrapper = build_config(model)
        used = modules[point.parameters.get("module", next(iter(sweep.specs)))]
        if wrapper is not None:
            sources[digest_text(wrapper)] = wrapper
            used = ((f"{main}.tla", digest_text(wrapper)), *used)
        text = render_config(config, sweep.template)
        options = sweep.options
        if "seed" in point.parameters:
            options = replace(options, seed=int(point.parameters["seed"]))
        runs.append(
            Run(
                run_id=digest_run(main, used, text, options, jar_sha256),
                main=main,
                modules=used,
                config=config,
                config_text=text,
                template=sweep.template,
                options=options,
                limits=sweep.limits,
                jar_sha256=jar_sha256,
            )
        )
    return Plan(sweep.points, tuple(runs), sources)


def value_text(value: Scalar) -> str:
    """A value of a sweep file as TLA+ text."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else value.strip()


def comparable(text: str) -> Value:
    """A value for comparison: ``{b2,b1}`` equals ``{b1, b2}``; what is no value is compared as text."""
    try:
        return parse_value(text)
    except InputError:
        return Opaque(" ".join(text.split()))


def parse_duration(value: str | int, where: str | None = None) -> float:
    """Seconds of ``90``, ``"90s"``, ``"2m"``, ``"1h30m"``. Raises InputError (``duration``)."""
    text = str(value).replace(" ", "")
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", text)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        seconds = float(text)
    elif parts and "".join(number + unit for number, unit in parts) == text:
        seconds = sum(float(n) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}[u] for n, u in parts)
    else:
        raise InputError("duration", f"{value!r} is no duration", where=where, hint='write "90s", "2m" or "1h30m"')
    if seconds <= 0:
        raise InputError("duration", "a duration is more than nothing", where=where)
    return seconds


def parse_memory(value: str | int, where: str | None = None) -> int:
    """Bytes of ``"512MiB"``, ``"1GiB"``, ``"2g"`` or a number of bytes. Raises InputError (``memory``)."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:([kmgt])i?b?|b)?", str(value).strip(), re.IGNORECASE)
    size = int(float(found[1]) * 1024 ** " kmgt".index((found[2] or " ").lower())) if found else 0
    if not found:
        raise InputError("memory", f"{value!r} is no amount of memory", where=where, hint='write "512MiB" or "2GiB"')
    if size < 128 * 1024**2:
        raise InputError("memory", f"{value!r} is less than a JVM needs", where=where, hint='at least "128MiB"')
    return size


def _positive(number: int, source: Source, key: str) -> int:
    if number < 1:
        raise InputError("wrong-type", f"{key} must be 1 or more", where=source.place("tlc", key))
    return number


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
                hint="a definition is replaced in [substitutions] or [parameters]" if name in definitions
                else f"did you mean {close}?" if close else f"its constants: {', '.join(constants) or 'none'}",
            )
    for name in file.substitutions:
        bare = re.sub(r"^\[\w+\]\s*", "", name)
        if bare == name and name not in constants and name not in definitions and not _standard(name):
            raise _unknown(name, "constant or definition", constants + definitions, source.place("substitutions", name), shown)
    model = file.model
    for key in ("invariants", "properties", "constraints", "action_constraints", "postconditions"):
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


def _standard(name: str) -> bool:
    """Definitions of standard modules that models replace, such as Nat by a finite set."""
    return name in {"Nat", "Int", "Real", "Seq", "STRING", "BOOLEAN"}


def _unknown(name: str, what: str, known: list[str], where: str, shown: str) -> InputError:
    close = nearest(name, known)
    return InputError(
        "unknown-definition" if what == "definition" else "unknown-name",
        f"{shown} has no {what} {name}",
        where=where,
        hint=f"did you mean {close}?" if close else "'tla2py inspect' lists what a module defines",
    )


def _parameters(file: SweepFile, source: Source, specs: Mapping[str, Spec]) -> tuple[Parameter, ...]:
    found = []
    if isinstance(file.module, list):
        found.append(Parameter(name="module", kind="module", values=tuple(file.module)))
    constants = {c.name for spec in specs.values() for c in spec.constants}
    definitions = {name for spec in specs.values() for name in spec.definitions}
    for name, values in file.parameters.items():
        where = source.place("parameters", name)
        if not values:
            raise InputError("empty-parameter", f"parameter {name} has no values", where=where)
        if name in constants:
            kind = "constant"
        elif name in definitions or re.match(r"\[\w+\]", name) or _standard(name):
            kind = "definition"
        elif name in MODEL_PARAMETERS:
            kind = "model"
        else:
            raise _unknown_parameter(name, sorted(constants | definitions), where, ", ".join(specs))
        for key, section in (("constants", file.constants), ("substitutions", file.substitutions)):
            if name in section:
                raise InputError(
                    "assigned-twice", f"{name} is a parameter and in [{key}]", where=where, hint="keep one of them"
                )
        texts = tuple(value_text(value) for value in values)
        seen: dict[Value, str] = {}
        for text in texts:
            key_value = comparable(text) if kind == "constant" else Opaque(text)
            if key_value in seen:
                raise InputError("duplicate-point", f"parameter {name} has the value {text} twice", where=where)
            seen[key_value] = text
        found.append(Parameter(name=name, kind=kind, values=texts))
    if file.grid.repeat > 1:
        if file.tlc.mode != "simulate":
            raise InputError(
                "grid-key", "repeat is for simulation: a check gives the same answer each time",
                where=source.place("grid", "repeat"), hint='set mode = "simulate" in [tlc], or leave repeat out',
            )
        seeds = tuple(str(file.tlc.seed + n) for n in range(file.grid.repeat))
        found.append(Parameter(name="seed", kind="seed", values=seeds))
    return tuple(found)


def _unknown_parameter(name: str, known: list[str], where: str, shown: str) -> InputError:
    close = nearest(name, known)
    return InputError(
        "unknown-parameter",
        f"parameter {name} is neither a constant nor a definition of {shown}",
        where=where,
        hint=f"did you mean {close}?" if close else "'tla2py inspect' lists what a module declares",
    )


def _points(file: SweepFile, source: Source, parameters: tuple[Parameter, ...]) -> Iterator[Point]:
    names = [parameter.name for parameter in parameters]
    kinds = {parameter.name: parameter.kind for parameter in parameters}

    def key(name: str, text: str) -> Value:
        return comparable(text) if kinds[name] in ("constant", "seed") else Opaque(text)

    def row(values: Mapping[str, Scalar], where: str, *, whole: bool) -> dict[str, str]:
        for name in values:
            if name not in names:
                close = nearest(name, names)
                raise InputError(
                    "grid-key", f"{name} is no parameter of this sweep", where=where,
                    hint=f"did you mean {close}?" if close else f"its parameters: {', '.join(names) or 'none'}",
                )
        missing = [name for name in names if name not in values]
        if whole and missing:
            raise InputError("grid-key", f"an included point lacks {', '.join(missing)}", where=where)
        return {name: value_text(value) for name, value in values.items()}

    exclude_at, include_at = source.place("grid", "exclude"), source.place("grid", "include")
    excluded = [{n: key(n, t) for n, t in row(r, exclude_at, whole=False).items()} for r in file.grid.exclude]
    seen: set[tuple[Value, ...]] = set()
    index = 0
    for values in itertools.product(*(parameter.values for parameter in parameters)):
        keys = {name: key(name, text) for name, text in zip(names, values, strict=True)}
        if any(all(keys[name] == value for name, value in rule.items()) for rule in excluded):
            continue
        index += 1
        seen.add(tuple(keys.values()))
        yield Point(index=index, parameters=dict(zip(names, values, strict=True)))
    for included in file.grid.include:
        texts = row(included, include_at, whole=True)
        identity = tuple(key(name, texts[name]) for name in names)
        if identity in seen:
            shown = ", ".join(f"{n} = {texts[n]}" for n in names)
            raise InputError("duplicate-point", f"the included point is in the grid already: {shown}", where=include_at)
        seen.add(identity)
        index += 1
        yield Point(index=index, parameters={name: texts[name] for name in names})
    if index == 0:
        raise InputError("empty-grid", "no point is left after exclude", where=exclude_at)


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
                raise _unknown(name, "definition", list(spec.definitions), sweep.source.place("parameters", key, value=name),
                               spec.root.name)
            chosen[key] = name or None
    assigned = {name: value_text(value) for name, value in file.constants.items()} | values
    replaced = {**file.substitutions, **{n: t for n, t in assigned.items() if n not in {c.name for c in spec.constants}}}
    constants = []
    for constant in spec.constants:
        if constant.name in assigned:
            constants.append((constant.name, assigned[constant.name]))
        elif constant.name not in replaced:
            constants.append((constant.name, _own_name(sweep, spec, constant.name)))
    known = {m for other in sweep.specs.values() for m in other.definitions} | {c.name for o in sweep.specs.values() for c in o.constants}
    replacements = tuple(
        (name, text) for name, text in replaced.items()
        # A variant that lacks a name another one declares is checked without it.
        if name in spec.definitions or name not in known or name in {c.name for c in spec.constants}
    )
    specification, init, next_ = (chosen["specification"], chosen["init"], chosen["next"])
    if not (specification or init or next_):
        specification = _default_specification(sweep, spec)
    return Model(
        spec=spec,
        specification=_name(specification),
        init=_name(init),
        next=_name(next_),
        constants=tuple(constants),
        replacements=replacements,
        invariants=tuple(base.invariants),
        properties=tuple(base.properties),
        constraints=tuple(base.constraints),
        action_constraints=tuple(base.action_constraints),
        postconditions=tuple(base.postconditions),
        symmetry=chosen["symmetry"],
        view=_name(chosen["view"]),
        alias=_name(chosen["alias"]),
        check_deadlock=base.check_deadlock,
    )


def _name(value: str | tuple[str, ...] | None) -> str | None:
    assert not isinstance(value, tuple)
    return value


def _own_name(sweep: Sweep, spec: Spec, name: str) -> str:
    """An unassigned constant's own name as its model value, unless the module needs more of it."""
    kind = infer_kinds(spec)[name]
    if needs_definition(kind):
        raise InputError(
            "unassigned",
            f"constant {name} is assigned nowhere and must be a {kind.kind}: {kind.reason}",
            where=str(sweep.path),
            hint=f"{kind.where} needs it; add {name} to [constants] or [parameters]",
        )
    return name


def _default_specification(sweep: Sweep, spec: Spec) -> str:
    if "Spec" in spec.definitions:
        return "Spec"
    raise InputError(
        "no-specification",
        f"[model] names no specification and {spec.root.name} defines no Spec",
        where=sweep.source.place("model"),
        hint=f"candidates: {', '.join([*spec.specifications, *spec.inits, *spec.nexts]) or 'none'}",
    )
