"""Linting a sweep: the configs it starts from once, and what it makes of them by the names its points check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tla2py.config.read import ConfigFile
from tla2py.errors import Place
from tla2py.lint.configs import lint_parsed
from tla2py.lint.finding import Finding, Found, Severity, finding_of, rule, run_checks
from tla2py.lint.jar import Dialect
from tla2py.lint.names import misspelt_names
from tla2py.lint.subject import Mention, Subject, beside, mentions_of
from tla2py.lint.types import wrong_types
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS, Config
from tla2py.sweep.grid import Point
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.syntax import ModuleGraph


@rule(Severity.WARNING, deadlock_option="-deadlock, which turns the check off")
def deadlock_options(subject: Subject) -> Iterator[Found]:
    """TLC's -deadlock means: do not check for deadlock."""
    for mention in subject.of("options"):
        if mention.name == "-deadlock" and subject.config.check_deadlock:
            message = "-deadlock turns the check for deadlock off"
            yield (
                "deadlock-option",
                mention.place,
                message,
                "write check_deadlock = false in [model] to mean it",
            )


def lint_sweep(sweep: Sweep, plan: Plan, dialect: Dialect | None = None) -> tuple[Finding, ...]:
    """The findings on a sweep; each config is looked at once, and each set of names that points check."""
    found: dict[Finding, None] = {}
    for file in sweep.configs.values():
        found |= dict.fromkeys(lint_parsed(file, sweep.specs, complete=False, dialect=dialect))
    found |= dict.fromkeys(map(finding_of, _values(sweep)))
    seen: set[object] = set()
    for point, run in zip(plan.points, plan.runs, strict=True):
        names = (point.parameters.get("module"), point.parameters.get("config"), *_named(run.config))
        if names not in seen:
            seen.add(names)
            base = sweep.sources.config(point.parameters)
            found |= dict.fromkeys(run_checks(_subject(sweep, base, run.config, sweep.spec(point))))
    return tuple(found)


def _values(sweep: Sweep) -> Iterator[Found]:
    """What is wrong with the values of constants, each looked at once whatever number of points has it."""
    given: dict[tuple[int, tuple[str, ...]], _Given] = {}
    for point in sweep.points:
        spec, permuted = sweep.spec(point), _permuted(sweep, point)
        each = given.setdefault((id(spec), permuted), _Given(spec=spec))
        each.values.update(dict.fromkeys(sweep.sources.assigned(point.parameters).items()))
        if (file := sweep.sources.config(point.parameters)) is not None:
            each.files[file.path] = file
    for (_, permuted), each in given.items():
        placed = [(name, text, partial(_place, sweep, name, text)) for name, text in each.values]
        yield from wrong_types(each.spec, placed, permuted)
        yield from misspelt_names(each.spec, [*placed, *beside(placed, *each.files.values())])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What a sweep gives to the constants of a module: their values, and the configs that have others."""

    spec: ModuleGraph
    values: dict[tuple[str, str], None] = field(default_factory=dict)
    files: dict[Path, ConfigFile] = field(default_factory=dict)


def _place(sweep: Sweep, name: str, text: str) -> Place:
    varied = any(parameter.name == name for parameter in sweep.parameters)
    table = "parameters" if varied else "constants" if name in sweep.file.constants else "substitutions"
    return Place.parse(sweep.source.place(table, name, value=text))


def _permuted(sweep: Sweep, point: Point) -> tuple[str, ...]:
    """The constants that the symmetry of a point names, if it is one of constants."""
    own = sweep.file.model.symmetry
    varied = point.parameters.get("symmetry", "TRUE")
    if varied != "TRUE":
        return tuple(re.findall(r"\w+", varied))
    return tuple(own) if isinstance(own, list) else ()


def _named(config: Config) -> tuple[object, ...]:
    return (*(getattr(config, key) for key in (*LIST_FIELDS, *NAME_FIELDS)), config.check_deadlock)


def _subject(sweep: Sweep, file: ConfigFile | None, config: Config, spec: ModuleGraph) -> Subject:
    return Subject(
        path=file.path if file is not None else sweep.path,
        config=config,
        statements=None,
        mentions=tuple(_mentions(sweep, file, config)),
        specs=(spec,),
        shown=spec.root.name,
        complete=False,
        dialect=None,
    )


def _mentions(sweep: Sweep, file: ConfigFile | None, config: Config) -> Iterator[Mention]:
    varied = {parameter.name for parameter in sweep.parameters}
    said = {(m.key, m.name): m for m in mentions_of(file.statements, file.path)} if file else {}
    for key in (*LIST_FIELDS, *NAME_FIELDS):
        value = getattr(config, key)
        for name in value if isinstance(value, tuple) else [value] if value else []:
            table = "parameters" if key in varied else "model"
            own = table == "parameters" or getattr(sweep.file.model, key) is not None
            if (key, name) in said and not own:
                yield said[key, name]
            else:
                place = Place.parse(sweep.source.place(table, key, value=name))
                yield Mention(key=key, name=name, place=place)
    for option in sweep.options.options:
        yield Mention(
            key="options", name=option, place=Place.parse(sweep.source.place("tlc", "options", value=option))
        )
