"""Linting a sweep: each of its configs once, and each set of names that its points check once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tla2py.config.read import ConfigFile
from tla2py.config.statements import read_statements
from tla2py.errors import Place
from tla2py.lint.configs import lint_parsed, lint_values
from tla2py.lint.finding import Finding, Severity, finding, rule, run_rules
from tla2py.lint.ignore import EVERY_RULE, IN_SWEEP_FILE, comment_reasons, mark_ignored, unknown_rule
from tla2py.lint.jar import Dialect
from tla2py.lint.subject import Mention, Subject, mentions_of
from tla2py.lint.sweeps.unread import unread_parameters
from tla2py.model.config import Config
from tla2py.sweep.plan import Plan
from tla2py.sweep.points import Point
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph


@rule(Severity.WARNING, "deadlock-option")
def deadlock_options(subject: Subject) -> Iterator[Finding]:
    """TLC's -deadlock means: do not check for deadlock."""
    for mention in subject.of("options"):
        if mention.name == "-deadlock" and subject.config.check_deadlock:
            hint = "if you mean that, write check_deadlock = false in [model]"
            yield finding(
                "deadlock-option", mention.place, "-deadlock turns the check for deadlock off", hint
            )


def lint_sweep(sweep: Sweep, plan: Plan, dialect: Dialect | None = None) -> tuple[Finding, ...]:
    """The findings on a sweep and its configs."""
    ignored = sweep.file.lint.ignore
    found = list(_findings(sweep, plan, dialect))
    for code in ignored:
        found += unknown_rule(code, Place.parse(sweep.source.place("lint", "ignore", value=code)))
    every = EVERY_RULE if sweep.no_lint else None
    return tuple(dict.fromkeys(mark_ignored(found, dict.fromkeys(ignored, IN_SWEEP_FILE), every)))


def _findings(sweep: Sweep, plan: Plan, dialect: Dialect | None) -> Iterator[Finding]:
    samples = list(plan.outlines())
    used = {name for _, run in samples for name in run.config.names()}
    for file, specs in _modules_of_configs(sweep):
        yield from lint_parsed(file, specs, complete=False, dialect=dialect, used=used)
    values = list(_value_findings(sweep))
    for file in sweep.configs.values():
        own = [each for each in values if each.place.file == str(file.path)]
        values = [each for each in values if each not in own]
        yield from mark_ignored(own, comment_reasons(file.statements, file.path))
    yield from values
    yield from unread_parameters(sweep, plan)
    seen: set[object] = set()
    for point, run in samples:
        permuted = _permuted(sweep, point)
        module, config = point.parameters.get("module"), point.parameters.get("config")
        names = (module, config, permuted, *run.config.names(), run.config.check_deadlock)
        if names not in seen:
            seen.add(names)
            base = sweep.config(point.parameters)
            subject = _subject(sweep, base, run.config, sweep.spec(point.parameters), dialect)
            found = run_rules(replace(subject, permuted=permuted))
            yield from mark_ignored(found, comment_reasons(base.statements, base.path) if base else {})


def _modules_of_configs(sweep: Sweep) -> list[tuple[ConfigFile, dict[str, ModuleGraph]]]:
    """The configs that some point has, each with the modules of its points."""
    names = {id(spec): name for name, spec in sweep.specs.items()}
    found: dict[Path, tuple[ConfigFile, dict[str, ModuleGraph]]] = {}
    for point in sweep.points.first_with(("module", "config")):
        if (file := sweep.config(point.parameters)) is not None:
            spec = sweep.spec(point.parameters)
            found.setdefault(file.path, (file, {}))[1][names[id(spec)]] = spec
    return list(found.values())


def _value_findings(sweep: Sweep) -> Iterator[Finding]:
    """The findings on values of constants; each value is linted once, however many points have it."""
    given: dict[tuple[int, tuple[str, ...]], _Assigned] = {}
    # Every value of each module, config and symmetry; all numbers are alike.
    groups = [("module", "config", "symmetry", name) for name in sweep.points.columns]
    for point in sweep.points.first_with(("module", "config", "symmetry"), *groups, same=str.isdecimal):
        spec, permuted = sweep.spec(point.parameters), _permuted(sweep, point)
        each = given.setdefault((id(spec), permuted), _Assigned(spec=spec))
        each.values.update(dict.fromkeys(sweep.assigned(point.parameters).items()))
        if (file := sweep.config(point.parameters)) is not None:
            each.files[file.path] = file
    for (_, permuted), each in given.items():
        placed = [(name, text, partial(_place, sweep, name, text)) for name, text in each.values]
        yield from lint_values(each.spec, placed, each.files.values(), permuted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Assigned:
    """The values that a sweep gives to a module's constants, and the configs with further ones."""

    spec: ModuleGraph
    values: dict[tuple[str, str], None] = field(default_factory=dict)
    files: dict[Path, ConfigFile] = field(default_factory=dict)


def _place(sweep: Sweep, name: str, text: str) -> Place:
    varied = any(parameter.name == name for parameter in sweep.parameters)
    table = "parameters" if varied else "constants" if name in sweep.file.constants else "substitutions"
    return Place.parse(sweep.source.place(table, name, value=text))


def _permuted(sweep: Sweep, point: Point) -> tuple[str, ...]:
    """The constants that a point's symmetry permutes, if it names constants."""
    own = sweep.file.model.symmetry
    varied = point.parameters.get("symmetry", "TRUE")
    if varied != "TRUE":
        return tuple(re.findall(r"\w+", varied))
    return tuple(own) if isinstance(own, list) else ()


def _subject(
    sweep: Sweep, file: ConfigFile | None, config: Config, spec: ModuleGraph, dialect: Dialect | None
) -> Subject:
    return Subject(
        path=file.path if file is not None else sweep.path,
        config=config,
        statements=read_statements(""),
        mentions=tuple(_mentions(sweep, file, config)),
        specs=(spec,),
        shown=spec.root.name,
        complete=False,
        dialect=dialect,
    )


def _mentions(sweep: Sweep, file: ConfigFile | None, config: Config) -> Iterator[Mention]:
    varied = {parameter.name for parameter in sweep.parameters}
    in_config = {(m.key, m.name): m for m in mentions_of(file.statements, file.path)} if file else {}
    for key, name in config.names():
        table = "parameters" if key in varied else "model"
        own = table == "parameters" or getattr(sweep.file.model, key) is not None
        if (key, name) in in_config and not own:
            yield in_config[key, name]
        else:
            place = Place.parse(sweep.source.place(table, key, value=name))
            yield Mention(key=key, name=name, place=place)
    for option in sweep.options.options:
        yield Mention(
            key="options", name=option, place=Place.parse(sweep.source.place("tlc", "options", value=option))
        )
