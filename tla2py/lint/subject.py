"""What rules look at: a config or the model of a sweep's points; and the registry of the rules."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from tla2py.errors import Place
from tla2py.model.finding import Finding, Severity
from tla2py.model.model import Config, Model
from tla2py.model.run import Mode
from tla2py.tla.graph import ModuleGraph, ScopedExpression, find_bodies, reached
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Span
from tla2py.tla.tree import deeply
from tla2py.tlc.config.read import ConfigFile, config_file
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.config.statements import FIELDS, KEYWORDS, Binding, Statements, Token, read_statements
from tla2py.tlc.tools.jar import Jar, class_constant

_READER = "tlc2/tool/impl/ModelConfig.class"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The keywords that the TLC of a jar knows."""

    jar: Jar
    keywords: frozenset[str]


@lru_cache(maxsize=16)
def read_dialect(jar: Jar) -> Dialect | None:
    """The dialect of a jar, None if it lacks the class that reads configs in every release."""
    try:
        with zipfile.ZipFile(jar.path) as archive:
            content = archive.read(_READER)
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    return Dialect(jar=jar, keywords=frozenset(word for word in KEYWORDS if class_constant(word) in content))


# A constant, the text of its value, and the place of that text.
AssignedValue: TypeAlias = "tuple[str, str, Callable[[], Place]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A name under a keyword; ``key`` is the keyword's field in ``Config``."""

    key: str
    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A config, or the model of a sweep's points.

    The model of a sweep has no ``statements``. ``specs`` are the modules, if known, and ``shown`` names them.
    ``complete`` means that TLC gets no other input, such as constants from a sweep file. ``dialect`` is None if the TLC
    is unknown. ``permuted`` are the constants that a sweep's symmetry lists, ``workers`` those of TLC. ``configs``
    are those that TLC reads, by default ``config``. With ``everything`` rules also report, as ignored, what no check reaches.
    ``mode`` is TLC's; ``replaced`` are the names that a sweep gives other values, each with the names in these.
    """

    path: Path
    config: Config
    statements: Statements
    mentions: tuple[Mention, ...]
    specs: tuple[ModuleGraph, ...]
    shown: str
    complete: bool
    dialect: Dialect | None
    permuted: tuple[str, ...] = ()
    workers: int = 1
    mode: Mode = "check"
    configs: tuple[Config, ...] = ()
    replaced: Mapping[str, frozenset[str]] = field(default_factory=dict)
    everything: bool = False

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """The file's assignments to constants."""
        return self.statements.bindings

    @property
    def values(self) -> Iterator[AssignedValue]:
        """The file's values of constants, except operators and constants of one module (``= [Module] value``)."""
        return _values(self.bindings, self.path)

    def at(self, token: Token | None) -> Place:
        """The place of a token in the file."""
        return Place(file=str(self.path)) if token is None else _place(token, self.path)

    def of(self, *keys: str) -> tuple[Mention, ...]:
        """The names under keywords, given as fields of ``Config``."""
        return tuple(mention for mention in self.mentions if mention.key in keys)


def mentions_of(statements: Statements, path: Path) -> Iterator[Mention]:
    """The names under the keywords of a config file."""
    for statement in statements.statements:
        if key := FIELDS.get(statement.keyword.text):
            for name in statement.names:
                yield Mention(key=key, name=name.text, place=_place(name.token, path))


def remaining_values(given: Iterable[AssignedValue], *files: ConfigFile) -> Iterator[AssignedValue]:
    """The values in configs that ``given`` does not override."""
    names = {name for name, _, _ in given}
    for file in files:
        yield from (each for each in _values(file.statements.bindings, file.path) if each[0] not in names)


def _values(bindings: Iterable[Binding], path: Path) -> Iterator[AssignedValue]:
    for each in bindings:
        if each.sign == "=" and each.tokens and not each.arguments and each.module is None:
            yield each.name.text, each.value, partial(_place, each.tokens[0], path)


def _place(token: Token, path: Path) -> Place:
    return Place(file=str(path), line=token.line, column=token.column)


def keyword_of(key: str) -> str:
    """The keyword of a field of ``Config``, in the singular."""
    return next(word for word, field in FIELDS.items() if field == key)


def dropped_statements(model: Model, config: Config, text: str) -> list[str]:
    """The statements of a model's config that a rendered text lacks.

    The template may add statements, and may replace defaults of the model, which no file states.
    """
    rendered = _read(text)
    given = {name for name, _ in (*rendered.assignments, *rendered.substitutions)} & {*model.filled}
    own = tuple(each for each in config.assignments if each.name not in given)
    config = replace(config, assignments=own)
    if model.default_specification and (rendered.specification or rendered.init):
        config = replace(config, specification=None)
    found = set(_statements(rendered))
    # Both are read back, so layout does not count.
    wanted = _statements(_read(render_config(config, default_template())))
    dropped = [each for each in wanted if each not in found]
    if config.check_deadlock and not rendered.check_deadlock:
        dropped.append("CHECK_DEADLOCK TRUE")
    return dropped


def _read(text: str) -> Config:
    return config_file(read_statements(text), text, Path("MC.cfg")).config


def _statements(config: Config) -> Iterator[str]:
    """The statements that TLC acts on; of a name's assignments that is the last, unless ``<-`` overrides it."""
    yield from (f"{keyword_of(key)} {name}" for key, name in config.names())
    yield from (f"{name} <- {definition}" for name, definition in config.substitutions)
    substituted = {name for name, _ in config.substitutions}
    assigned = {name: value for name, value in config.assignments if name not in substituted}
    yield from (f"{name} = {value}" for name, value in assigned.items())


def conjuncts(each: ScopedExpression, *beside: str) -> Iterator[ScopedExpression]:
    """The conjuncts of a formula, through the names of definitions; ``beside`` are further operators to look into."""
    expr, entity = each.expr, each.entity
    if expr.operator in beside or (expr.shape == "apply" and expr.operator == "/\\"):
        for part in expr.arguments:
            yield from conjuncts(ScopedExpression(expr=part, scope=each.scope, owner=each.owner), *beside)
    elif expr.is_name() and entity is not None and entity.body is not None:
        yield from conjuncts(ScopedExpression(expr=entity.body, scope=entity.scope, owner=entity), *beside)
    else:
        yield each


def steps(spec: ModuleGraph, specification: str) -> Iterator[ScopedExpression]:
    """The conjuncts of a specification without those on the initial state."""
    levels = Levels(spec.resolver)
    for each in (part for root in find_bodies(spec, [specification]) for part in conjuncts(root)):
        if levels.of_expression(each.expr, each.scope) > Level.STATE:
            yield each


def constants(
    spec: ModuleGraph,
    roots: Iterable[ScopedExpression],
    replaced: Mapping[str, frozenset[str]],
    *,
    beyond: Collection[str] = (),
) -> frozenset[str]:
    """The constants, and the names in ``replaced``, that some expressions read."""
    found: set[str] = set()
    declared = {constant.name for constant in spec.constants}
    for each in reached(spec, roots, replaced, beyond=beyond):
        if each.expr.shape == "apply":
            name = each.expr.operator.rpartition("!")[2]
            found.add(each.entity.declaration.name if each.entity is not None else name)
            found.update(replaced.get(name, ()))
    return frozenset(found & (declared | replaced.keys()))


# Why a finding is ignored that is not about what is checked.
UNREACHED = "no check reaches it"
Reach: TypeAlias = frozenset[tuple[str, Span]]
"""Expressions, each as the name of its module and its place there."""


@deeply
def checked(spec: ModuleGraph, *configs: Config) -> Reach:
    """The expressions that the names in configs, in their expressions and in the values of their constants reach."""
    texts = [
        name
        for config in configs
        for _, name in (*config.names(), *config.substitutions, *config.expressions)
    ]
    roots = find_bodies(spec, dict.fromkeys(word for text in texts for word in re.findall(r"\w+", text)))
    return frozenset((each.scope.module.name, each.expr.span) for each in reached(spec, roots, {}))


Rule: TypeAlias = Callable[[Subject], Iterator[Finding]]

# The severity of each code.
RULES: dict[str, Severity] = {}
_RULES: dict[Rule, tuple[str, ...]] = {}


def rule(severity: Severity, *codes: str) -> Callable[[Rule], Rule]:
    """A decorator that registers a rule under the codes of its findings."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(codes, severity))
        _RULES[function] = (*_RULES.get(function, ()), *codes)
        return function

    return register


def finding(
    code: str,
    place: Place,
    message: str,
    hint: str | None,
    subject: str | None = None,
    severity: Severity | None = None,
) -> Finding:
    """A finding, by default with the severity of its code."""
    severity = severity or RULES[code]
    return Finding(code=code, severity=severity, place=place, message=message, hint=hint, subject=subject)


def result_warning(code: str, where: str, message: str, hint: str, subject: str | None) -> Finding:
    """A warning that results show, at ``file:line:column``; its code belongs to no rule."""
    return finding(code, Place.parse(where), message, hint, subject, Severity.WARNING)


def run_rules(subject: Subject, codes: Collection[str] = RULES) -> tuple[Finding, ...]:
    """The findings on a subject with one of these codes, ordered by place."""
    wanted = [rule for rule, own in _RULES.items() if not set(codes).isdisjoint(own)]
    found = dict.fromkeys(each for rule in wanted for each in rule(subject) if each.code in codes)
    return tuple(sorted(found, key=lambda each: each.place.order))
