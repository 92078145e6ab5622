"""Linting files and folders: configs with their modules, and sweep files."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tla2py import toml
from tla2py.errors import InputError, Place, Tla2pyError
from tla2py.lint import rules
from tla2py.lint.launch import missing_launch_settings
from tla2py.lint.subject import (
    RULES,
    UNREACHED,
    Dialect,
    Mention,
    Subject,
    constants,
    finding,
    mentions_of,
    rule,
    run_rules,
)
from tla2py.model.finding import Finding, Severity, apply_acceptance
from tla2py.model.model import Config
from tla2py.sweep.file import FOLDER_FILE, files_below, read_folder_file
from tla2py.sweep.folder import NO_MODULE, excluded_configs, find_models, module_of_config
from tla2py.sweep.grid import Point
from tla2py.sweep.judge import check_expectations
from tla2py.sweep.load import load_sweep
from tla2py.sweep.options import Loading, library_folders
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.text import listed
from tla2py.tla.example_values import assumed_conjuncts
from tla2py.tla.graph import ModuleGraph, ScopedExpression, closure, find_bodies
from tla2py.tla.instrument import with_definitions
from tla2py.tla.parse import Translate
from tla2py.tla.tree import deeply
from tla2py.tlc.config.read import ConfigFile
from tla2py.tlc.config.statements import read_statements

RULES["unread-parameter"] = Severity.WARNING


def unread_parameters(sweep: Sweep, plan: Plan) -> Iterator[Finding]:
    """The constants and definitions under ``[parameters]`` that nothing reads at any point.

    An ASSUME on such a constant alone does not count, except in a module without variables.
    """
    unread = {each.name for each in sweep.parameters if each.kind in ("constant", "definition")}
    # Such a name is only replaced in one module, or at one instance.
    unread = {name for name in unread if re.fullmatch(r"\w+", name)}
    seen: set[object] = set()
    for point, run in plan.at(plan.outlines):
        spec = sweep.spec(point.parameters)
        if not unread or not spec.variables:
            return
        texts = {text: text for _, text in run.config.expressions}
        texts |= {**dict(run.config.assignments), **dict(run.config.substitutions)}
        texts |= sweep.assigned(point.parameters)
        replaced = closure({name: frozenset(re.findall(r"\w+", text)) for name, text in texts.items()})
        names = {name for _, name in run.config.names()}
        key = (id(spec), frozenset(names), frozenset(replaced.items()))
        if key not in seen:
            seen.add(key)
            unread -= _read(spec, names, replaced)
    for name in sorted(unread):
        place = Place.parse(sweep.file.place("parameters", name))
        message = (
            f"no definition that TLC checks or searches with reads {name}: its values give the same model"
        )
        yield finding("unread-parameter", place, message, "remove it, or use it in the specification", name)


@deeply
def _read(spec: ModuleGraph, names: set[str], replaced: Mapping[str, frozenset[str]]) -> frozenset[str]:
    direct = names.union(*(replaced.get(name, ()) for name in names))
    found = constants(spec, find_bodies(spec, direct), replaced) | direct
    for expr, scope in assumed_conjuncts(spec):
        related = constants(spec, [ScopedExpression(expr=expr, scope=scope)], replaced)
        # A relation says which points there are.
        if len(related) > 1:
            found |= related
    return found


@rule(Severity.WARNING, "deadlock-option")
def deadlock_options(subject: Subject) -> Iterator[Finding]:
    """TLC's -deadlock means: do not check for deadlock."""
    for mention in subject.of("options"):
        if mention.name == "-deadlock" and subject.config.check_deadlock:
            message = "-deadlock turns the check for deadlock off"
            hint = "if you mean that, write check_deadlock = false in [model]"
            yield finding("deadlock-option", mention.place, message, hint)


def lint_sweep(
    sweep: Sweep, plan: Plan, dialect: Dialect | None = None, *, everything: bool = False
) -> tuple[Finding, ...]:
    """The findings on a sweep and its configs; with ``everything`` also, as ignored, on what no check reaches."""
    ignored = sweep.file.sections.lint.ignore
    found = list(_rules_findings(sweep, plan, dialect, everything=everything))
    if not everything:
        found = [each for each in found if each.ignored != UNREACHED]
    for code in ignored:
        found += rules.unknown_rule(code, Place.parse(sweep.file.place("lint", "ignore", value=code)))
    every = rules.EVERY_RULE if sweep.selection.no_lint else None
    return tuple(dict.fromkeys(rules.mark_ignored(found, dict.fromkeys(ignored, rules.IN_SWEEP_FILE), every)))


def _rules_findings(
    sweep: Sweep, plan: Plan, dialect: Dialect | None, *, everything: bool
) -> Iterator[Finding]:
    samples = list(plan.at(plan.outlines))
    configs = tuple(run.config for _, run in samples)
    used = {name for config in configs for name in config.names()}
    for file, specs in _modules_of_configs(sweep):
        yield from rules.lint_parsed(file, specs, dialect, used, configs)
    values = list(_value_findings(sweep, configs))
    for file in sweep.specification.configs.values():
        own = [each for each in values if each.place.file == str(file.path)]
        values = [each for each in values if each not in own]
        yield from rules.mark_ignored(own, rules.comment_reasons(file.statements, file.path))
    yield from values
    yield from unread_parameters(sweep, plan)
    yield from rules.unread_modules(sweep.specification.modules.values())
    yield from sweep.specification.logs.findings()
    seen: set[object] = set()
    for point, run in samples:
        permuted = _permuted(sweep, point)
        module, config = point.parameters.get("module"), point.parameters.get("config")
        asked = (*run.config.names(), run.config.check_deadlock, run.options.workers)
        replaced = _replaced_definitions(sweep, point) if run.config.view else {}
        names = (module, config, permuted, frozenset(replaced.items()), *asked)
        if names not in seen:
            seen.add(names)
            base = sweep.config(point.parameters)
            if base is not None:
                yield from missing_launch_settings(base.path, run.config)
            spec = sweep.spec(point.parameters)
            subject = Subject(
                path=base.path if base is not None else sweep.file.path,
                config=run.config,
                statements=read_statements(""),
                mentions=tuple(_mentions(sweep, base, run.config)),
                specs=(with_definitions(spec, [text for _, text in run.config.expressions]),),
                shown=spec.root.name,
                complete=False,
                dialect=dialect,
                permuted=permuted,
                workers=run.options.workers,
                mode=run.options.mode,
                replaced=replaced,
                everything=everything,
            )
            reasons = rules.comment_reasons(base.statements, base.path) if base else {}
            yield from rules.mark_ignored(run_rules(subject), reasons)


def _replaced_definitions(sweep: Sweep, point: Point) -> dict[str, frozenset[str]]:
    """Return the definitions that a point gives other values, each with the words in its value."""
    definitions = sweep.spec(point.parameters).definitions
    replaced = {}
    for key, text in sweep.assigned(point.parameters).items():
        name = key.rpartition("]")[2]
        if name in definitions:
            replaced[name] = frozenset(re.findall(r"\w+", text))
    return replaced


def _modules_of_configs(sweep: Sweep) -> list[tuple[ConfigFile, dict[str, ModuleGraph]]]:
    """The configs that some point has, each with the modules of its points."""
    names = {id(spec): name for name, spec in sweep.specification.modules.items()}
    found: dict[Path, tuple[ConfigFile, dict[str, ModuleGraph]]] = {}
    for point in sweep.points.first_with(("module", "config")):
        if (file := sweep.config(point.parameters)) is not None:
            spec = sweep.spec(point.parameters)
            found.setdefault(file.path, (file, {}))[1][names[id(spec)]] = spec
    return list(found.values())


def _value_findings(sweep: Sweep, configs: Sequence[Config]) -> Iterator[Finding]:
    """The findings on values of constants; each value is linted once, however many points have it."""
    specs = {id(spec): spec for spec in sweep.specification.modules.values()}
    # By module and symmetry the values of constants, and the configs with further ones.
    values: dict[tuple[int, tuple[str, ...]], dict[tuple[str, str], None]] = defaultdict(dict)
    files: dict[tuple[int, tuple[str, ...]], dict[Path, ConfigFile]] = defaultdict(dict)
    # Every value of each module, config and symmetry; all numbers are alike.
    groups = [("module", "config", "symmetry", name) for name in sweep.points.names]
    for point in sweep.points.first_with(("module", "config", "symmetry"), *groups, same=str.isdecimal):
        key = id(sweep.spec(point.parameters)), _permuted(sweep, point)
        values[key].update(dict.fromkeys(sweep.assigned(point.parameters).items()))
        if (file := sweep.config(point.parameters)) is not None:
            files[key][file.path] = file
    for key, given in values.items():
        placed = [(name, text, partial(_place, sweep, name, text)) for name, text in given]
        yield from rules.lint_values(specs[key[0]], placed, files[key].values(), configs, key[1])


def _place(sweep: Sweep, name: str, text: str) -> Place:
    varied = any(parameter.name == name for parameter in sweep.parameters)
    table = (
        "parameters" if varied else "constants" if name in sweep.file.sections.constants else "substitutions"
    )
    return Place.parse(sweep.file.place(table, name, value=text))


def _permuted(sweep: Sweep, point: Point) -> tuple[str, ...]:
    """The constants that a point's symmetry permutes, if it names constants."""
    own = sweep.file.sections.model.symmetry
    varied = point.parameters.get("symmetry", "TRUE")
    if varied != "TRUE":
        return tuple(re.findall(r"\w+", varied))
    return tuple(own) if isinstance(own, list) else ()


def _mentions(sweep: Sweep, file: ConfigFile | None, config: Config) -> Iterator[Mention]:
    varied = {parameter.name for parameter in sweep.parameters}
    in_config = {(m.key, m.name): m for m in mentions_of(file.statements, file.path)} if file else {}
    for key, name in config.names():
        table = "parameters" if key in varied else "model"
        own = table == "parameters" or getattr(sweep.file.sections.model, key) is not None
        if (key, name) in in_config and not own:
            yield in_config[key, name]
        else:
            place = Place.parse(sweep.file.place(table, key, value=name))
            yield Mention(key=key, name=name, place=place)
    for option in sweep.selection.options.options:
        place = Place.parse(sweep.file.place("tlc", "options", value=option))
        yield Mention(key="options", name=option, place=place)


@dataclass(frozen=True, slots=True, kw_only=True)
class LintedFile:
    """A config, with its module if known, or a sweep file; ``error`` says why it is not read."""

    file: Path
    module: Path | None = None
    error: Tla2pyError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport:
    """The findings on files, and each error with the files that it left partly unread.

    ``skipped`` are the configs in folders that have no module. ``unreached`` counts findings on definitions that no check reaches.
    """

    files: tuple[LintedFile, ...]
    findings: tuple[Finding, ...]
    errors: tuple[tuple[Tla2pyError, tuple[Path, ...]], ...]
    skipped: tuple[Path, ...]
    unreached: int

    @property
    def unread(self) -> int:
        """The number of files that were not read completely."""
        return sum(len(files) for _, files in self.errors)

    @property
    def text_only(self) -> tuple[Path, ...]:
        """The configs without a module; only their text was linted."""
        unread = {file for _, files in self.errors for file in files}
        return tuple(
            each.file
            for each in self.files
            if each.file.suffix.lower() == ".cfg" and each.module is None and each.file not in unread
        )


def lint_paths(
    paths: Sequence[Path],
    libraries: Sequence[Path],
    dialect: Dialect | None,
    translate: Translate | None = None,
) -> LintReport:
    """The report on files and folders. Raises InputError (``usage``, ``config-missing``) if there is nothing to lint."""
    skipped: list[Path] = []
    files = tuple(_linted_files(paths, libraries, skipped))
    every: dict[Finding, None] = {}
    # Several configs of one module share the errors of that module.
    errors: dict[str, tuple[Tla2pyError, list[Path]]] = {}
    for each in files:
        try:
            for finding in _findings(each, libraries, dialect, translate):
                every[finding] = None
        except Tla2pyError as error:
            errors.setdefault(str(error), (error, []))[1].append(each.file)
    partly = tuple((error, tuple(unread)) for error, unread in errors.values())
    found = dict.fromkeys(rules.shown_findings(every))
    beyond = {replace(each, ignored=None) for each in every if each.ignored == UNREACHED}
    return LintReport(
        files=files,
        findings=tuple(found),
        errors=partly,
        skipped=tuple(skipped),
        unreached=len(beyond - found.keys()),
    )


def lint_with_module(config: Path) -> str:
    """The command that lints a config with the module beside it; where there are several, these are listed."""
    modules = sorted(config.parent.glob("*.tla"))
    if len(modules) == 1:
        return f"tla2py lint {config} {modules[0]}"
    names = listed([each.name for each in modules], 10)
    return f"tla2py lint {config} {config.parent / 'MODULE.tla'}" + f", one of {names}" * bool(names)


def _findings(
    each: LintedFile, libraries: Sequence[Path], dialect: Dialect | None, translate: Translate | None
) -> Iterator[Finding]:
    if each.error is not None:
        raise each.error
    if each.file.suffix.lower() not in (".cfg", ".tla"):
        sweep = load_sweep(each.file, how=Loading(translate=translate))
        plan = plan_sweep(sweep, "")
        for config in sweep.specification.configs.values():
            if config.problem is not None:
                yield from rules.lint_file(config.path, None, (), dialect)
        findings = apply_acceptance(
            lint_sweep(sweep, plan, dialect, everything=True), sweep.file.sections.accept
        )
        yield from findings.open
        yield from (each.finding for each in findings.accepted if each.finding.ignored)
        check_expectations(sweep, plan)
        for error in plan.errors:
            raise error
        return
    # Findings on the text are kept even if the module cannot be read.
    yield from rules.lint_file(each.file, None, (), dialect)
    if each.module is not None:
        yield from rules.lint_file(each.file, each.module, libraries, dialect, translate)


def _linted_files(
    paths: Sequence[Path], libraries: Sequence[Path], skipped: list[Path]
) -> Iterator[LintedFile]:
    """The files to lint; adds the configs of folders that have no module to ``skipped``."""
    files = [path for path in paths if not path.is_dir()]
    modules = [file for file in files if file.suffix == ".tla"]
    configs = [file for file in files if file.suffix == ".cfg"]
    for file in files:
        if file.suffix not in (".tla", ".cfg", ".toml", ".json"):
            text = f"{file} is not a config, module or sweep file"
            raise InputError("usage", text, hint="name files that end in .cfg, .tla or .toml")
    swept = {module.resolve() for file in files if file.suffix == ".toml" for module in _swept(file)}
    if configs and len(modules) > 1:
        hint = "name one module, or none: tla2py finds the module beside a config by its name"
        raise InputError("usage", "several modules for the configs", hint=hint)
    for folder in (path for path in paths if path.is_dir()):
        yield from _files_of_folder(folder, libraries, skipped)
    for file in files:
        if file.suffix == ".cfg":
            yield LintedFile(file=file, module=modules[0] if modules else module_of_config(file, libraries))
        elif file.suffix != ".tla":
            yield LintedFile(file=file)
        elif not configs and (file.with_suffix(".cfg").is_file() or file.resolve() not in swept):
            yield LintedFile(file=rules.config_of(file), module=file)


def _files_of_folder(folder: Path, libraries: Sequence[Path], skipped: list[Path]) -> Iterator[LintedFile]:
    """Yield the models and sweep files below a folder; add the configs whose module is not clear to ``skipped``.

    Raises InputError: ``usage``, and as ``read_folder_file`` does.
    """
    file = read_folder_file(folder / FOLDER_FILE)
    models = find_models(folder, [*library_folders(file), *libraries])
    linted = [
        LintedFile(file=folder / config, module=Path(os.path.normpath(folder / module)))
        for config, module in models.modules.items()
    ]
    unclear = [each.config for each in models.left_out if each.reason == NO_MODULE]
    for unread in models.unread:
        if unread.config in excluded_configs(file):
            continue
        if unread.error.code == "outside-folder":
            linted.append(LintedFile(file=folder / unread.config, error=unread.error))
        elif unread.error.code == "module-missing":
            unclear.append(unread.config)
        else:
            # The mistake that makes a config unreadable is in its text.
            linted.append(LintedFile(file=folder / unread.config))
    for path in files_below(folder):
        if path.suffix == ".toml" and path.is_file() and _swept(path):
            linted.append(LintedFile(file=path))
    configs = sorted(folder / name for name in unclear)
    if not linted:
        text, hint = f"{folder} has no config", "'tla2py init MODULE.tla' writes a sweep file"
        if configs:
            text = f"no single module matches {listed(configs, 10)}"
            config = configs[0] if len(configs) == 1 else folder / "*.cfg"
            hint = f"to name the module: {lint_with_module(config)}"
        raise InputError("usage", f"{text}, and there is no sweep file", hint=hint)
    skipped += configs
    yield from sorted(linted, key=lambda each: each.file)


def _swept(file: Path) -> list[Path]:
    """The modules that a TOML file names; none if it is not a sweep file."""
    try:
        named = toml.loads(file.read_text(encoding="utf-8")).get("module", [])
    except (OSError, ValueError):
        return []
    return [file.parent / str(name) for name in (named if isinstance(named, list) else [named])]
