"""The config keywords that a TLC knows, read from its class file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

from tla2py.errors import Place
from tla2py.lint.finding import Finding
from tla2py.model.model import Config, Model
from tla2py.tla.graph import ModuleGraph, Reached, named, reached
from tla2py.tla.levels import Level, Levels
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
    is unknown. ``permuted`` are the constants that a sweep's symmetry lists.
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


def steps(spec: ModuleGraph, specification: str) -> Iterator[Reached]:
    """The conjuncts of a specification without those on the initial state."""
    levels = Levels(spec.resolver)
    pending = list(named(spec, [specification]))
    while pending:
        each = pending.pop()
        if levels.of_expression(each.expr, each.scope) <= Level.STATE:
            continue
        entity = each.entity if each.expr.is_name() else None
        if each.expr.shape == "apply" and each.expr.operator == "/\\":
            pending += [
                Reached(expr=part, scope=each.scope, owner=each.owner) for part in each.expr.arguments
            ]
        elif entity is not None and entity.body is not None:
            pending.append(Reached(expr=entity.body, scope=entity.scope, owner=entity))
        else:
            yield each


def constants(
    spec: ModuleGraph,
    roots: Iterable[Reached],
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


# By code: a reason, or reasons by subject.
Acceptance: TypeAlias = Mapping[str, str | Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFinding:
    """A finding that ``[accept]`` accepts, with the reason given there."""

    finding: Finding
    reason: str

    def __str__(self) -> str:
        return f"{self.finding.name} ({self.reason})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The findings on a sweep, before and after its runs."""

    open: tuple[Finding, ...] = ()
    accepted: tuple[AcceptedFinding, ...] = ()

    @property
    def accepted_text(self) -> str:
        """The accepted findings with their reasons, each once."""
        return "; ".join(dict.fromkeys(map(str, self.accepted)))


NO_FINDINGS = Findings()


def accepted_reason(acceptance: Acceptance, code: str, subject: str | None) -> str | None:
    """The reason for which a finding is accepted, None if it is not or the reason is empty."""
    entry = acceptance.get(code)
    reason = entry.get(subject or "") if isinstance(entry, Mapping) else entry
    return reason or None


def apply_acceptance(findings: Iterable[Finding], acceptance: Acceptance) -> Findings:
    """The findings, each once. Errors cannot be accepted; findings of ignored rules are."""
    still, accepted = [], []
    for each in dict.fromkeys(findings):
        reason = each.ignored or accepted_reason(acceptance, each.code, each.subject)
        if reason is None or each.refuses:
            still.append(each)
        else:
            accepted.append(AcceptedFinding(finding=each, reason=reason))
    return Findings(open=tuple(still), accepted=tuple(accepted))
