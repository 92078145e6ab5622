"""A sweep: parameters, their points in grid order, and the model of every point; pure but for reading files."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tla2py.axes import group_parameters, read_parameters, replaceable_standard
from tla2py.cfg.read import ConfigFile
from tla2py.cfg.render import default_template
from tla2py.errors import InputError
from tla2py.grid import (
    MODEL_LISTS,
    MODEL_PARAMETERS,
    Excluded,
    Parameter,
    Point,
    unknown_in_grid,
    walk_grid,
)
from tla2py.manifest import read_manifest
from tla2py.model import Model
from tla2py.run import Limits, TlcOptions
from tla2py.sweepconfigs import read_configs, with_found_configs
from tla2py.sweepfile import ExpectPoint, ExpectSection, SweepFile, nearest, read_sweep_file, read_sweep_text
from tla2py.sweepmodel import Sources, point_model
from tla2py.sweeptext import Source
from tla2py.syntax import Spec, load_spec
from tla2py.told import with_told
from tla2py.units import parse_duration, parse_memory
from tla2py.where import failing_predicate


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep file together with the modules it speaks of."""

    name: str
    path: Path
    text: str
    file: SweepFile
    source: Source
    specs: Mapping[str, Spec]
    configs: Mapping[str, ConfigFile]
    parameters: tuple[Parameter, ...]
    points: tuple[Point, ...]
    options: TlcOptions
    limits: Limits
    template: str
    # The indices of points whose actions are to be counted though the file does not ask for it.
    counted: frozenset[int] = frozenset()
    # The models of a manifest that are no points of it, each with the reason.
    left_out: tuple[str, ...] = ()

    @property
    def expect(self) -> ExpectSection | None:
        """What the file expects of its points."""
        return self.file.expect

    def model(self, point: Point) -> Model:
        """The model of a point. Raises InputError (``unassigned``, ``unknown-definition``) naming the place."""
        return point_model(self.sources, point.parameters)

    def spec(self, point: Point) -> Spec:
        """The module of a point with all that it reaches."""
        return self.sources.spec(point.parameters)

    @cached_property
    def sources(self) -> Sources:
        """What the models of the points are made from."""
        return Sources(
            file=self.file,
            source=self.source,
            specs=self.specs,
            configs=self.configs,
            parameters=self.parameters,
        )

    def excluded(self) -> Iterator[Excluded]:
        """The combinations of the parameters that are no points, with the reason for each."""
        groups = group_parameters(self.file, self.source, self.parameters)
        for item in walk_grid(self.file, self.source, groups, failing_predicate(self.sources)):
            if isinstance(item, Excluded):
                yield item


def load_sweep(path: Path, libraries: Sequence[Path] = ()) -> Sweep:
    """A sweep read from its file, or from a ``manifest.json``, and checked against its modules.

    ``libraries`` are further module folders of a manifest, which names none itself.

    Raises InputError before anything runs: what ``read_sweep_file``, ``read_manifest``, ``with_told`` and ``load_spec``
    raise, and ``unknown-constant``, ``unknown-parameter``, ``unknown-definition``, ``empty-parameter``,
    ``duplicate-point``, ``grid-key`` (also for a row of expectations).
    """
    if path.suffix == ".json":
        manifest = read_manifest(path, libraries)
        sweep = _loaded(path, manifest.file, manifest.source, manifest.told)
        return replace(sweep, left_out=manifest.left_out)
    if libraries:
        hint = 'libraries = ["lib"]'
        raise InputError("usage", "-L is for a manifest; a sweep file names its folders itself", hint=hint)
    return _loaded(path, *read_sweep_file(path))


def sweep_of_configs(module: Path, pattern: str, libraries: Sequence[Path] = ()) -> Sweep:
    """The sweep of a module with each of the configs that a pattern such as ``models/*.cfg`` finds.

    Its text is that of a sweep file beside the module. Raises InputError as ``load_sweep`` does, and
    ``config-missing`` when the pattern finds none.
    """
    if not module.is_file():
        raise InputError("module-missing", f"no such module: {module}")
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 - it may be absolute
    paths = sorted(path for path in found if Path(path).is_file())
    if not paths:
        raise InputError("config-missing", f"no config is found by {pattern}")
    folder = module.parent

    def shown(path: Path | str) -> str:
        return json.dumps(Path(os.path.relpath(path, folder)).as_posix(), ensure_ascii=False)

    text = f"module = {json.dumps(module.name)}\nconfig = [{', '.join(shown(path) for path in paths)}]\n"
    if libraries:
        text += f"libraries = [{', '.join(shown(path) for path in libraries)}]\n"
    path = module.with_suffix(".configs.toml")
    return _loaded(path, *read_sweep_text(f"name = {json.dumps(module.stem)}\n{text}", path))


def _loaded(path: Path, file: SweepFile, source: Source, told: Sequence[ExpectPoint] = ()) -> Sweep:
    base = path.parent
    file = with_found_configs(file, source, base)
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
    configs = read_configs(file, source, base, specs)
    file = with_told(file, configs, told)
    groups = group_parameters(file, source, read_parameters(file, source, specs))
    parameters = tuple(parameter for group in groups for parameter in group)
    _check_matches(file, source, [parameter.name for parameter in parameters])
    sources = Sources(file=file, source=source, specs=specs, configs=configs, parameters=parameters)
    walk = walk_grid(file, source, groups, failing_predicate(sources))
    return Sweep(
        name=file.name or path.stem,
        path=path,
        text="\n".join(source.lines) + "\n",
        file=file,
        source=source,
        specs=specs,
        configs=configs,
        parameters=parameters,
        points=tuple(item for item in walk if isinstance(item, Point)),
        options=TlcOptions(
            mode=file.tlc.mode,
            find=file.tlc.find,
            workers=_positive(file.tlc.workers, source, "workers"),
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
    checking = file.tlc.mode == "check"
    other = "simulate" if checking else "check"
    for key in ("num", "depth", "behaviours") if checking else ("graph",):
        if getattr(file.tlc, key):
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
        _check_substitution(name, source, specs)
    model = file.model
    for key in MODEL_LISTS:
        for name in getattr(model, key) or ():
            if name not in definitions:
                raise _unknown(name, "definition", definitions, source.place("model", key, value=name), shown)
    for key in MODEL_PARAMETERS:
        value = getattr(model, key)
        for name in value if isinstance(value, list) else [value] if value else []:
            if name not in (constants if isinstance(value, list) else definitions):
                what = "constant" if isinstance(value, list) else "definition"
                known = constants if isinstance(value, list) else definitions
                raise _unknown(name, what, known, source.place("model", key, value=name), shown)


def _check_substitution(name: str, source: Source, specs: Mapping[str, Spec]) -> None:
    found = re.fullmatch(r"\[(\w+)\]\s*(\S+)", name)
    spaces = list(specs.values())
    if found:
        modules = {module.name: module for spec in spaces for module in spec.modules}
        if found[1] in {module for spec in spaces for module in spec.standard}:
            return
        if found[1] not in modules:
            where = source.place("substitutions", name)
            raise _unknown(found[1], "module", list(modules), where, ", ".join(specs))
        module = modules[found[1]]
        known = [*(c.name for c in module.constants), *(d.name for d in module.definitions)]
        # What a module extends is visible in it under the same name.
        known += [n for spec in spaces if module in spec.modules for n in spec.scope_of(module).names]
        bare, shown = found[2], module.name
    else:
        known = [c.name for spec in spaces for c in spec.constants]
        known += [n for spec in spaces for n in spec.definitions]
        bare, shown = name, ", ".join(specs)
    if bare not in known and not replaceable_standard(bare):
        where = source.place("substitutions", name)
        raise _unknown(bare, "constant or definition", known, where, shown)


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
