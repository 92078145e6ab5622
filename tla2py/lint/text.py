"""Rules on the text of a config, without its module."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from tla2py.config.literal import FIELDS, KEYWORDS, LISTS
from tla2py.config.statements import MISTAKE_CODES, Statement
from tla2py.lint.finding import Finding, Severity, finding, rule
from tla2py.lint.subject import Subject, keyword_of

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
    for statement in subject.statements.statements:
        for name in statement.names if statement.keyword.text == "TYPE_CONSTRAINT" else ():
            does = "stops at" if stops else "up to 1.7.4 ignores"
            yield finding(
                "type-constraint",
                subject.at(statement.keyword),
                f"TLC {does} TYPE_CONSTRAINT {name.text}",
                f"write INVARIANT {name.text}",
                name.text,
                Severity.ERROR if stops else None,
            )


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
            if token.text.startswith('"') and "\\" in token.text:
                message = (
                    f"TLC takes the backslash in {token.text} literally; in a module it begins an escape"
                )
                hint = f"define the string in the module and write {binding.name.text} <- DEFINITION"
                yield finding("string-escape", subject.at(token), message, hint)


@rule(Severity.WARNING, "empty-section")
def empty_sections(subject: Subject) -> Iterator[Finding]:
    """TLC silently checks nothing for it."""
    comments = subject.statements.tokens.comments
    begins = [statement.keyword.offset for statement in subject.statements.statements]
    for statement in subject.statements.statements:
        empty = statement.keyword.text in _CHECKED and statement.end == statement.keyword.end
        following = min((begin for begin in begins if begin >= statement.end), default=sys.maxsize)
        # A commented list is empty on purpose.
        if empty and not any(statement.end <= each.offset < following for each in comments):
            message = f"{statement.keyword.text} names nothing: TLC checks nothing for it"
            word = statement.keyword.text
            yield finding("empty-section", subject.at(statement.keyword), message, "name what to check", word)


@rule(Severity.WARNING, "commented-keyword")
def commented_keywords(subject: Subject) -> Iterator[Finding]:
    """The names after the comment belong to the section before it."""
    comments = subject.statements.tokens.comments
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


@rule(Severity.ERROR, "unknown-keyword")
def unknown_keywords(subject: Subject) -> Iterator[Finding]:
    """A TLC that does not know the keyword takes it for a name, or stops at it."""
    dialect = subject.dialect
    if dialect is None:
        return
    for before, statement in _lacking(subject):
        word = statement.keyword.text
        if word not in ("CHECK_DEADLOCK", "_EXPECT"):
            hint = f"{dialect.jar.newer}; or remove {word}"
            taken = _taken(subject, word, before)
            yield finding("unknown-keyword", subject.at(statement.keyword), taken, hint, word)
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


@rule(Severity.NOTE, "check-deadlock")
def check_deadlock(subject: Subject) -> Iterator[Finding]:
    """tla2py uses the option -deadlock, which every version knows."""
    for before, statement in _lacking(subject):
        if statement.keyword.text == "CHECK_DEADLOCK":
            taken = _taken(subject, "CHECK_DEADLOCK", before)
            hint = "tla2py passes it as an option; without tla2py use -deadlock, which means: do not check"
            yield finding("check-deadlock", subject.at(statement.keyword), taken, hint)


def _lacking(subject: Subject) -> Iterator[tuple[str, Statement]]:
    """The statements whose keyword this TLC lacks, each with the keyword of the section that swallows it."""
    section = ""
    for statement in subject.statements.statements:
        word = statement.keyword.text
        if subject.dialect and word in KEYWORDS - subject.dialect.keywords - {"_EXPECT", "TYPE_CONSTRAINT"}:
            yield section, statement
        else:
            section = word


def _taken(subject: Subject, word: str, section: str) -> str:
    label = subject.dialect.jar.tlc if subject.dialect else "TLC"
    if section in LISTS:
        return f"{label} does not know {word} and reads it as part of {section}"
    if section.startswith("CONSTANT"):
        return f"{label} does not know {word} and takes it for a constant"
    return f"{label} does not know {word} and stops at it"
