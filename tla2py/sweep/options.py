"""What a sweep file gives its runs, and what a command has otherwise: options, limits, inputs, values, points."""

from __future__ import annotations

import glob
import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from tla2py import toml
from tla2py.errors import InputError
from tla2py.model.model import LIST_FIELDS, GivenVariable, InputFile, Inputs, is_inside
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.axes import replaces_definition
from tla2py.sweep.file import SweepFile, SweepText
from tla2py.sweep.grid import Points, unknown_parameter
from tla2py.sweep.sections import VARIABLES, FilesSection, Scalar, listed_text
from tla2py.text import parse_duration, parse_memory, parse_percent, parse_size
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import Translate
from tla2py.tlc.config.render import default_template
from tla2py.tlc.process.command import check_path, kept_file, matching_files, outside_error
from tla2py.tlc.tools.community import class_file
from tla2py.tlc.tools.installed import COMMUNITY, module_folder
from tla2py.tlc.tools.toolchain import Override

# Options with a key of their own: passed as options they would contradict what tla2py reports.
_OWN = {
    "-config": 'write config = "FILE.cfg" beside module',
    "-coverage": "write coverage = true",
    "-depth": "write depth = 50",
    "-generate": 'write mode = "generate"',
    "-metadir": "remove it: each run has its own folder",
    "-recover": "remove it: each run starts afresh",
    "-seed": "write seed = 1",
    "-simulate": 'write mode = "simulate"',
    "-workers": "write workers = 2",
}


def search_options(file: SweepFile, overrides: Sequence[Override]) -> TlcOptions:
    """The TLC options of all points.

    Raises InputError: ``wrong-mode`` for a key of the other mode, ``wrong-type``, ``duration``, and ``own-option`` for an option that
    has a key of its own.
    """
    checking = file.sections.tlc.mode == "check"
    other = "simulate" if checking else "check"
    for key in ("num", "depth", "budget", "behaviours") if checking else ("graph",):
        if getattr(file.sections.tlc, key):
            where, hint = file.place("tlc", key), f'set mode = "{other}" in [tlc], or remove {key}'
            raise InputError("wrong-mode", f'{key} applies only to mode = "{other}"', where=where, hint=hint)
    for option in file.sections.tlc.options:
        if option in _OWN:
            where = file.place("tlc", "options", value=option)
            raise InputError(
                "own-option", f"{option} does not belong in options", where=where, hint=_OWN[option]
            )
    return TlcOptions(
        mode=file.sections.tlc.mode,
        find=file.sections.tlc.find,
        workers=file.sections.tlc.workers,
        seed=file.sections.tlc.seed,
        num=file.sections.tlc.num,
        depth=file.sections.tlc.depth,
        coverage=file.sections.tlc.coverage,
        graph=file.sections.tlc.graph,
        behaviours=file.sections.tlc.behaviours,
        options=tuple(file.sections.tlc.options),
        overrides=tuple(map(class_file, overrides)),
        java_options=(*file.sections.tlc.java_options, *_stop_after(file)),
    )


def _stop_after(file: SweepFile) -> list[str]:
    """The option that ends TLC after its budget. Raises InputError (``duration``) unless it is below the timeout."""
    if file.sections.tlc.budget is None:
        return []
    where = file.place("tlc", "budget")
    seconds = math.ceil(parse_duration(file.sections.tlc.budget, where))
    if seconds >= parse_duration(file.sections.tlc.timeout, file.place("tlc", "timeout")):
        text = f"the budget reaches the timeout, {file.sections.tlc.timeout}"
        hint = "raise timeout in [tlc]; TLC needs some seconds more than its budget"
        raise InputError("duration", text, where=where, hint=hint)
    return [f"-Dtlc2.TLC.stopAfter={seconds}"]


def search_limits(file: SweepFile) -> Limits:
    """The limits of a run. Raises InputError: ``duration``, ``memory``, ``disk``, and ``percent`` for the rule of a search."""
    tlc = file.sections.tlc
    parse_percent(file.sections.grid.within, file.place("grid", "within"))
    return Limits(
        timeout_seconds=parse_duration(tlc.timeout, file.place("tlc", "timeout")),
        memory_bytes=parse_memory(tlc.memory, file.place("tlc", "memory")),
        disk_bytes=None if tlc.disk is None else parse_size(tlc.disk, file.place("tlc", "disk")),
        trust=tlc.trust,
    )


def input_files(file: SweepFile, points: Points) -> dict[str, tuple[InputFile, ...]]:
    """The files that match each pattern of ``[inputs]``, copied and hashed.

    A parameter's name in braces, ``{environment.LOG}``, stands for its value, so a point can have files of its own.
    Raises InputError: ``input-missing``, ``input-path``, ``grid-key``.
    """
    for pattern in file.sections.outputs.files:
        if not is_inside(pattern):
            raise outside_error(pattern, file.place("outputs", "files", value=pattern))
    kept: dict[Path, str] = {}
    found: dict[str, tuple[InputFile, ...]] = {}
    named = [name for pattern in file.sections.inputs.files for name in re.findall(r"\{([^{}]*)\}", pattern)]
    for point in points.first_with(named) if file.sections.inputs.files else ():
        for pattern in file.sections.inputs.files:
            where = file.place("inputs", "files", value=pattern)
            chosen = _chosen(pattern, point.parameters, where)
            if chosen not in found:
                files = matching_files(file.folder, chosen, where)
                kept |= {path: kept_file(path) for path in files.values() if path not in kept}
                found[chosen] = tuple(InputFile(name, kept[path]) for name, path in sorted(files.items()))
    return found


def inputs_of(
    file: SweepFile, files: Mapping[str, tuple[InputFile, ...]], parameters: Mapping[str, str]
) -> Inputs:
    """The inputs of the run of a point; ``files`` are those of ``input_files``."""
    environment, properties = (_variables(kind, file, parameters) for kind in VARIABLES)
    found = (files[_chosen(pattern, parameters, None)] for pattern in file.sections.inputs.files)
    return Inputs(
        environment=environment,
        java_properties=properties,
        files=tuple(sorted({each for group in found for each in group})),
        outputs=tuple(file.sections.outputs.files),
    )


def _chosen(pattern: str, parameters: Mapping[str, str], where: str | None) -> str:
    """A pattern with the values of a point's parameters."""

    def value(name: re.Match[str]) -> str:
        if name[1] not in parameters:
            raise unknown_parameter(name[1], list(parameters), where or "")
        return parameters[name[1]]

    return re.sub(r"\{([^{}]*)\}", value, pattern)


def _variables(kind: str, file: SweepFile, parameters: Mapping[str, str]) -> tuple[GivenVariable, ...]:
    found = {name: str(value) for name, value in getattr(file.sections, kind).items()}
    start = f"{kind}."
    found |= {name.removeprefix(start): text for name, text in parameters.items() if name.startswith(start)}
    return tuple(sorted(GivenVariable(*pair) for pair in found.items()))


def template_text(file: SweepFile) -> str:
    """The template of a sweep's configs. Raises InputError (``template-missing``)."""
    if file.sections.template is None:
        return default_template()
    try:
        return (file.folder / file.sections.template).read_text(encoding="utf-8")
    except OSError as error:
        text, where = f"no such template: {file.sections.template}", file.place("template")
        hint = "templates are relative to the sweep file; the default is default.cfg.j2"
        raise InputError("template-missing", text, where=where, hint=hint) from error


def library_folders(file: SweepFile) -> list[Path]:
    """The module folders that a sweep file names. Raises InputError (``library-missing``)."""
    folders = []
    for name in file.sections.libraries:
        folder = file.folder / name
        if name == COMMUNITY and not folder.is_dir():
            folder = module_folder(Path(name))
        if not folder.is_dir():
            where = file.place("libraries", value=name)
            hint = f"name folders with modules, relative to the sweep file, or {COMMUNITY}"
            raise InputError("library-missing", f"no such folder: {name}", where=where, hint=hint)
        folders.append(folder)
    return folders


def given_files(names: Iterable[Path], module: Path | None = None) -> tuple[InputFile, ...]:
    """The files of ``--input``, copied and hashed, at their paths in the run's folder, see ``path_in_run``.

    Raises InputError: ``input-missing``, ``input-path``, also for two files that would have one path.
    """
    found: dict[str, Path] = {}
    for name in names:
        path = path_in_run(name, module)
        check_path(path, None)
        if found.setdefault(path, name).resolve() != name.resolve():
            text = f"{found[path]} and {name} would both be {path} in the run's folder"
            raise InputError("input-path", text, hint="rename one of them")
    return tuple(InputFile(path, kept_file(file)) for path, file in sorted(found.items()))


def path_in_run(file: Path, module: Path | None) -> str:
    """Where a run sees a file: as below the folder of ``module``, or else below the current one, or else by its bare name."""
    names = [Path(os.path.relpath(file, module.parent)).as_posix()] if module is not None else []
    return next((name for name in (*names, file.as_posix()) if is_inside(name)), file.name)


def with_listed_configs(file: SweepFile) -> SweepFile:
    """A sweep file whose patterns, such as ``models/*.cfg``, are replaced by the matching configs.

    Raises InputError (``config-missing``) for a pattern without a match.
    """
    names = config_names(file)
    found: dict[str, None] = {}
    for name in names:
        if not glob.has_magic(name) or (file.folder / name).exists():
            found[name] = None
            continue
        matching = sorted(
            path.relative_to(file.folder).as_posix() for path in file.folder.glob(name) if path.is_file()
        )
        if not matching:
            where, hint = file.place("config", value=name), "patterns are relative to the sweep file"
            raise InputError("config-missing", f"no config matches {name}", where=where, hint=hint)
        found.update(dict.fromkeys(matching))
    return file if found == dict.fromkeys(names) else file.with_sections(config=list(found))


def config_names(file: SweepFile) -> list[str]:
    """The configs that a sweep file names."""
    return (
        file.sections.config
        if isinstance(file.sections.config, list)
        else [file.sections.config]
        if file.sections.config
        else []
    )


def given_values(texts: Sequence[str], option: str = "-c") -> dict[str, str]:
    """The values of ``NAME=VALUE``, by name; ``option`` is how they are given. Raises InputError (``constant-syntax``)."""
    found = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (sign and name and value):
            hint = f'example: {option} "Replicas={{b1, b2}}"'
            raise InputError("constant-syntax", f"{option} {text!r} is not NAME=VALUE", hint=hint)
        found[name] = value
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """How a command has a sweep loaded.

    ``translate`` is for PlusCal, see ``load_modules``; ``no_lint`` lets configs pass that lint refuses. ``constants``, written
    ``NAME=VALUE``, ``no_deadlock`` and ``inputs`` change all configs of a folder.
    """

    translate: Translate | None = None
    no_lint: bool = False
    constants: tuple[str, ...] = ()
    no_deadlock: bool = False
    inputs: tuple[InputFile, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The options that say so, as a lock keeps them."""
        given = [f"-c {shlex.quote(text)}" for text in self.constants]
        inputs = [f"--input {each.path}" for each in self.inputs]
        return (*given, *["--no-deadlock"] * self.no_deadlock, *inputs)

    def applied(self, file: SweepFile, specs: Mapping[str, ModuleGraph]) -> SweepFile:
        """Return a sweep file with these changes; the modules say whether a name is a constant.

        Raises InputError (``constant-syntax``).
        """
        given = given_values(self.constants)
        replaced = {name for name in given if replaces_definition(name, specs.values())}
        sections, model = file.sections, file.sections.model
        if self.no_deadlock:
            model = msgspec.structs.replace(model, check_deadlock=False)
        constants = {name: text for name, text in given.items() if name not in replaced}
        return file.with_sections(
            constants=sections.constants | constants,
            substitutions=sections.substitutions | {name: given[name] for name in replaced},
            model=model,
            inputs=FilesSection(files=[*sections.inputs.files, *(each.path for each in self.inputs)]),
        )


PLAIN = Loading()
"""What loads a sweep as its file says."""


def with_settings(file: SweepFile, settings: Sequence[str]) -> SweepFile:
    """A sweep file with other values, each written ``NAME=VALUE``: every name is a parameter, of one value or of a list.

    Raises InputError (``constant-syntax``, ``wrong-type``).
    """
    given = given_values(settings, "--set")
    for name, text in given.items():
        file = _with_values(file, name, _values(name, text))
    source = SweepText(file.source.path, "\n".join(file.source.lines), frozenset(given))
    return replace(file, source=source)


def _values(name: str, text: str) -> list[Scalar | list[Scalar]]:
    """TLA+ text as the one value, or the values of a TOML list."""
    try:
        data = toml.loads(f"values = {text}") if text.startswith("[") else {}
    except toml.TOMLDecodeError:
        data = {}
    if data.keys() != {"values"}:
        return [text]
    kind: Any = list[Scalar]
    if name in LIST_FIELDS:
        kind = list[Scalar | list[Scalar]]
    try:
        values: list[Scalar | list[Scalar]] = msgspec.convert(data["values"], kind)
    except msgspec.ValidationError as error:
        raise InputError(
            "wrong-type",
            f"--set {name}: not a list of numbers, booleans and TLA+ text in quotation marks: {text}",
            hint=f'example: --set \'{name}=["{{b1}}", "{{b1, b2}}"]\'',
        ) from error
    return values


def _with_values(file: SweepFile, name: str, values: Sequence[Scalar | list[Scalar]]) -> SweepFile:
    # A single value does not advance with others.
    zipped = ([each for each in names if each != name or len(values) > 1] for names in file.sections.grid.zip)
    texts = [listed_text(each) if isinstance(each, list) else each for each in values]
    grid = msgspec.structs.replace(
        file.sections.grid,
        zip=[names for names in zipped if names],
        # An included point that has a value of its own is of another grid.
        include=[
            {**row, name: value} for row in file.sections.grid.include if name not in row for value in texts
        ],
    )
    tables = {key: getattr(file.sections, key) for key in ("constants", "substitutions", *VARIABLES)}
    left = {
        key: {each: value for each, value in table.items() if name not in (each, f"{key}.{each}")}
        for key, table in tables.items()
    }
    return file.with_sections(grid=grid, parameters={**file.sections.parameters, name: [*values]}, **left)


def chosen_places(text: str | None, points: int) -> tuple[int, ...]:
    """The places of points written as ``1,3-5``, all without a text. Raises InputError (``no-point``, ``usage``)."""
    if text is None:
        return tuple(range(points))
    found: dict[int, None] = {}
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        first, last = (int(bounds[1]), int(bounds[2] or bounds[1])) if bounds is not None else (1, 0)
        if first > last:
            raise InputError("usage", f"not a list of points: {text}", hint="example: --points 1,3-5")
        for number in range(first, last + 1):
            if not 1 <= number <= points:
                hint = f"choose points from 1 to {points}"
                raise InputError("no-point", f"the sweep has no point {number}", hint=hint)
            found[number - 1] = None
    return tuple(found)
