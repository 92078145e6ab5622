"""Rules on the text of a config, and the findings on a file: all rules, without those that the user ignores."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tla2py.errors import InputError, Place

# These modules register their rules.
from tla2py.lint import constants
from tla2py.lint import definitions as definitions
from tla2py.lint import faults as faults
from tla2py.lint import names as names
from tla2py.lint import views as views
from tla2py.lint.launch import missing_launch_settings
from tla2py.lint.subject import (
    RULES,
    AssignedValue,
    Dialect,
    Mention,
    Subject,
    finding,
    keyword_of,
    mentions_of,
    remaining_values,
    rule,
    run_rules,
)
from tla2py.model.finding import Finding, Severity
from tla2py.model.model import Config
from tla2py.text import did_you_mean
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import Translate
from tla2py.tlc.config.read import ConfigFile, config_beside, config_file, ignored_codes, read_config_text
from tla2py.tlc.config.statements import FIELDS, KEYWORDS, LISTS, MISTAKE_CODES, Statements, read_statements
from tla2py.tlc.tools.community import load_specification

_CHECKED = ("INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES")
_SECTIONS = {**FIELDS, "CONSTANT": "constants", "CONSTANTS": "constants"}


@rule(Severity.ERROR, *MISTAKE_CODES)
def mistakes(subject: Subject) -> Iterator[Finding]:
    """The mistakes found while parsing."""
    for mistake in subject.statements.mistakes:
        severity = Severity.WARNING if mistake.harmless else Severity.ERROR
        place = subject.at(mistake.token)
        yield finding(mistake.code, place, mistake.message, mistake.hint, severity=severity)


@rule(Severity.WARNING, "type-constraint")
def type_constraints(subject: Subject) -> Iterator[Finding]:
    """TLC up to 1.7.4 ignores it; later versions stop at it."""
    stops = subject.dialect is not None and "TYPE_CONSTRAINT" not in subject.dialect.keywords
    does, severity = "stops at" if stops else "up to 1.7.4 ignores", Severity.ERROR if stops else None
    for statement in subject.statements.statements:
        for name in statement.names if statement.keyword.text == "TYPE_CONSTRAINT" else ():
            message, hint = f"TLC {does} TYPE_CONSTRAINT {name.text}", f"write INVARIANT {name.text}"
            place = subject.at(statement.keyword)
            yield finding("type-constraint", place, message, hint, name.text, severity)


@rule(Severity.ERROR, "duplicate-assignment")
def duplicate_assignments(subject: Subject) -> Iterator[Finding]:
    """TLC reports nothing: ``<-`` overrides ``=``, otherwise the last one counts."""
    seen: dict[tuple[str, str, str | None], tuple[str, str, int]] = {}
    for binding in subject.bindings:
        module = binding.module.text if binding.module else None
        key = (binding.name.text, binding.arguments, module)
        before = seen.get(key)
        if before is not None and before[:2] != (binding.sign, binding.value):
            overridden = before[0] == "<-" and binding.sign == "="
            which = "the one with <-" if overridden else "the later one"
            message = f"{binding.name.text} is also assigned in line {before[2]}: TLC silently uses {which}"
            yield finding("duplicate-assignment", subject.at(binding.name.token), message, "keep one of them")
        seen[key] = (binding.sign, binding.value, binding.name.token.line)


@rule(Severity.ERROR, "string-escape")
def string_escapes(subject: Subject) -> Iterator[Finding]:
    """TLC takes the text between the quotation marks literally; in a module it does not."""
    for binding in subject.bindings:
        for token in binding.tokens:
            text = token.text
            if text.startswith('"') and "\\" in text:
                message = f"TLC takes the backslash in {text} literally; in a module it begins an escape"
                hint = f"define the string in the module and write {binding.name.text} <- DEFINITION"
                yield finding("string-escape", subject.at(token), message, hint)


@rule(Severity.WARNING, "empty-section")
def empty_sections(subject: Subject) -> Iterator[Finding]:
    """TLC silently checks nothing for it."""
    comments = subject.statements.comments
    begins = [statement.keyword.offset for statement in subject.statements.statements]
    for statement in subject.statements.statements:
        word = statement.keyword.text
        empty = word in _CHECKED and statement.end == statement.keyword.end
        following = min((begin for begin in begins if begin >= statement.end), default=sys.maxsize)
        # A commented list is empty on purpose.
        if empty and not any(statement.end <= each.offset < following for each in comments):
            message = f"{word} names nothing: TLC checks nothing for it"
            yield finding("empty-section", subject.at(statement.keyword), message, "name what to check", word)


@rule(Severity.WARNING, "commented-keyword")
def commented_keywords(subject: Subject) -> Iterator[Finding]:
    """The names after the comment belong to the section before it."""
    comments = subject.statements.comments
    for statement in subject.statements.statements:
        section = _SECTIONS.get(statement.keyword.text)
        tokens = [name.token for name in statement.names] + [b.name.token for b in statement.bindings]
        for token in tokens:
            before = [each for each in comments if statement.keyword.offset < each.offset < token.offset]
            between = [each for each in tokens if before and before[-1].offset < each.offset < token.offset]
            word = re.sub(r"^\\\*+|^\(\*+|\*+\)$", "", before[-1].text).strip(" :") if before else ""
            if between or word not in KEYWORDS or _SECTIONS.get(word, section) == section:
                continue
            message = f"{word} is in a comment: TLC reads {token.text} as part of {statement.keyword.text}"
            hint = f"write {word} outside the comment, or comment out {token.text} too"
            yield finding("commented-keyword", subject.at(token), message, hint, word)


@rule(Severity.NOTE, "check-deadlock")
@rule(Severity.ERROR, "unknown-keyword")
def unknown_keywords(subject: Subject) -> Iterator[Finding]:
    """A TLC that does not know the keyword takes it for a name, or stops at it.

    For CHECK_DEADLOCK tla2py uses the option -deadlock, which every version knows.
    """
    dialect = subject.dialect
    if dialect is None:
        return
    section = ""
    for statement in subject.statements.statements:
        word = statement.keyword.text
        if word not in KEYWORDS - dialect.keywords - {"_EXPECT", "TYPE_CONSTRAINT"}:
            section = word
            continue
        reads = "takes it for a constant" if section.startswith("CONSTANT") else "stops at it"
        reads = f"reads it as part of {section}" if section in LISTS else reads
        message = f"{dialect.jar.tlc} does not know {word} and {reads}"
        place = subject.at(statement.keyword)
        if word == "CHECK_DEADLOCK":
            hint = "tla2py passes it as an option; without tla2py use -deadlock, which means: do not check"
            yield finding("check-deadlock", place, message, hint)
        else:
            yield finding("unknown-keyword", place, message, f"{dialect.jar.newer}; or remove {word}", word)
    for mention in subject.of(*FIELDS.values()):
        # The file of a config has been read above.
        if keyword_of(mention.key) not in dialect.keywords and mention.place.file.endswith(".toml"):
            message = f"{dialect.jar.tlc} does not know {keyword_of(mention.key)}"
            hint = f"{dialect.jar.newer}; or remove {mention.key}"
            yield finding("unknown-keyword", mention.place, message, hint, keyword_of(mention.key))
    known = dialect.keywords & {"POSTCONDITION", "POSTCONDITIONS"}
    for mention in subject.of("postconditions")[1:] if known == {"POSTCONDITION"} else ():
        message = f"{dialect.jar.tlc} allows one postcondition"
        hint = f"{dialect.jar.newer}; or define one that conjoins them"
        yield finding("unknown-keyword", mention.place, message, hint, "POSTCONDITIONS")


EVERY_RULE = "--no-lint"
IN_SWEEP_FILE = "ignored by [lint]"


@rule(Severity.WARNING, "unknown-rule")
def unknown_rules(subject: Subject) -> Iterator[Finding]:
    """A misspelt code ignores nothing."""
    for code, comment in ignored_codes(subject.statements.comments).items():
        yield from unknown_rule(code, subject.at(comment))


def unknown_rule(code: str, place: Place) -> Iterator[Finding]:
    """The finding on a code that is ignored but is not a rule of lint."""
    if code not in RULES:
        hint = did_you_mean(code, sorted(RULES), "docs/lint.md lists the rules")
        yield finding("unknown-rule", place, f"lint has no rule {code}", hint, code)


def shown_findings(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings to show: ignored errors become notes, and other ignored findings are left out."""
    for each in findings:
        if not each.ignored:
            yield each
        elif each.severity is Severity.ERROR:
            yield each.as_note()


def comment_reasons(statements: Statements, path: Path) -> dict[str, str]:
    """Where a config ignores rules, by code."""
    codes = ignored_codes(statements.comments)
    return {code: f"ignored in {path}:{comment.line}" for code, comment in codes.items()}


def mark_ignored(
    findings: Iterable[Finding], reasons: Mapping[str, str], every: str | None = None
) -> Iterator[Finding]:
    """The findings, marked as ignored if their codes have ``reasons``; ``every`` is a reason for all codes."""
    for each in findings:
        reason = reasons.get(each.code, every)
        yield replace(each, ignored=reason) if reason and not each.ignored else each


def unread_modules(specs: Iterable[ModuleGraph]) -> Iterator[Finding]:
    """A note on each module that only SANY reads: TLC runs it, and tla2py infers nothing from its definitions."""
    for module in (module for spec in specs for module in spec.modules):
        if module.unread is not None:
            place = Place.parse(module.where(module.unread.span))
            message = f"only SANY can read module {module.name}, not tla2py ({module.unread.message})"
            hint = "TLC runs it; what tla2py infers from definitions, such as lint, leaves it out"
            yield finding("unread-module", place, message, hint, module.name, Severity.NOTE)


_UNKNOWN = ("unknown-definition", "unknown-constant")


def lint_file(
    path: Path,
    module: Path | None,
    libraries: Sequence[Path] = (),
    dialect: Dialect | None = None,
    translate: Translate | None = None,
) -> tuple[Finding, ...]:
    """The findings on a config, ordered by place; without a module only the text is linted.

    Raises InputError: ``config-missing``, and as ``load_modules`` does.
    """
    content = read_config_text(path)
    file = config_file(read_statements(content), content, path)
    specs = {module.name: load_specification(module, libraries, translate=translate)} if module else {}
    found = _lint(file, specs, mentions_of(file.statements, path), complete=True, dialect=dialect)
    notes = [*unread_modules(specs.values()), *missing_launch_settings(path, file.config)]
    return (*notes, *found)


def lint_parsed(
    file: ConfigFile,
    specs: Mapping[str, ModuleGraph],
    dialect: Dialect | None,
    used: Container[tuple[str, str]],
    configs: tuple[Config, ...],
) -> tuple[Finding, ...]:
    """The findings on a config of a sweep, which may override its names.

    ``used`` are as in ``unknown_names``; ``configs`` are those that TLC reads.
    """
    # The names that the sweep keeps are linted with its points.
    rest = RULES.keys() - set(_UNKNOWN)
    found = _lint(file, specs, (), complete=False, dialect=dialect, codes=rest, configs=configs)
    return (*unknown_names(file, specs, used), *found)


def lint_values(
    spec: ModuleGraph,
    values: Sequence[AssignedValue],
    files: Iterable[ConfigFile],
    configs: Sequence[Config],
    permuted: Container[str] = (),
) -> Iterator[Finding]:
    """The findings on values that override those of config files; ``configs`` are those that TLC reads, ``permuted`` the constants of a symmetry."""
    yield from constants.wrong_types(spec, values, configs, permuted)
    whole = [*values, *remaining_values(values, *files)]
    yield from names.misspelt_names(spec, whole)
    yield from constants.odd_model_values(spec, whole)


def unknown_names(
    file: ConfigFile, specs: Mapping[str, ModuleGraph], used: Container[tuple[str, str]] | None = None
) -> Iterator[Finding]:
    """The findings on names in a config that none of the modules declares.

    ``used`` are the keys and names of a sweep's points, which may override those of the config.
    """
    mentions = mentions_of(file.statements, file.path)
    taken = [each for each in mentions if used is None or (each.key, each.name) in used]
    yield from _lint(file, specs, taken, complete=False, codes=_UNKNOWN)


def check_config_names(file: ConfigFile, specs: Mapping[str, ModuleGraph]) -> None:
    """Check the names in a config. Raises InputError: ``unknown-definition``, ``unknown-constant``."""
    for found in unknown_names(file, specs):
        if found.refuses:
            raise found.to_error()


def _lint(
    file: ConfigFile,
    specs: Mapping[str, ModuleGraph],
    mentions: Iterable[Mention],
    *,
    complete: bool,
    dialect: Dialect | None = None,
    codes: Collection[str] = RULES,
    configs: tuple[Config, ...] = (),
) -> tuple[Finding, ...]:
    subject = Subject(
        path=file.path,
        config=file.config,
        statements=file.statements,
        mentions=tuple(mentions),
        specs=tuple(specs.values()),
        shown=", ".join(specs),
        complete=complete,
        dialect=dialect,
        configs=configs,
        everything=complete,
    )
    return tuple(mark_ignored(run_rules(subject, codes), comment_reasons(file.statements, file.path)))


# How many folders above a config may have its module.
_LEVELS = 3


def module_of(config: Path, libraries: Sequence[Path] = ()) -> Path | None:
    """The module of a config: beside it, in the folders above, nearest first, or in ``libraries``; None without one.

    It is ``Spec.tla`` for ``Spec.cfg``, otherwise ``MCSpec.tla``, otherwise the longest prefix.
    """
    above = [Path(os.path.normpath(config.parent / ("../" * level))) for level in range(_LEVELS + 1)]
    found = (_module_in(folder, config) for folder in dict.fromkeys([*above, *libraries]))
    return next((module for module in found if module is not None), None)


def _module_in(folder: Path, config: Path) -> Path | None:
    beside = {path.stem: path for path in folder.glob("*.tla")}
    wrapper = beside.get(f"MC{config.stem}") or beside.get(f"MC_{config.stem}")
    begun = [path for stem, path in beside.items() if config.stem.startswith(stem)]
    return beside.get(config.stem) or wrapper or max(begun, key=lambda path: len(path.stem), default=None)


def config_of(module: Path) -> Path:
    """The config of a module. Raises InputError (``config-missing``)."""
    path = config_beside(module)
    if path is None:
        hint = f"name a config: tla2py lint FILE.cfg {module.name}"
        raise InputError("config-missing", f"no {module.stem}.cfg beside {module}", hint=hint)
    return path
