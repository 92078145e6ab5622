"""Rules on the text of a config alone."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from tla2py.config.literal import KEYWORDS
from tla2py.config.statements import LISTS, SINGLE, Statement
from tla2py.lint.finding import Found, Severity, rule
from tla2py.lint.subject import Subject

_CHECKED = ("INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES")
_SECTIONS = {**SINGLE, **LISTS, "CONSTANT": "constants", "CONSTANTS": "constants"}


@rule(
    Severity.ERROR,
    unreadable="a character after which TLC reads no further",
    syntax="what TLC's grammar does not have",
    comma="a comma between names or constants",
    value="a value that a config cannot say",
    repeated="a statement that is given twice",
    type_constraint="a keyword that does nothing",
)
def problems(subject: Subject) -> Iterator[Found]:
    """What cannot be read at all."""
    for problem in subject.statements.problems if subject.statements else ():
        yield problem.code, subject.at(problem.token), problem.message, problem.hint


@rule(Severity.ERROR, duplicate_assignment="a constant that is assigned twice")
def duplicate_assignments(subject: Subject) -> Iterator[Found]:
    """TLC says nothing: ``<-`` counts before ``=``, else the last counts."""
    seen: dict[tuple[str, str, str | None], tuple[str, str, int]] = {}
    for binding in subject.bindings:
        module = binding.module.text if binding.module else None
        key = (binding.name.text, binding.arguments, module)
        said = (binding.sign, binding.value)
        before = seen.get(key)
        if before is not None and before[:2] != said:
            counts = "=" not in (before[0], said[0]) or before[0] == said[0]
            which = "the later" if counts or said[0] == "<-" else "the one with <-"
            message = (
                f"{binding.name.text} is assigned in line {before[2]} too: TLC takes {which} without a word"
            )
            yield "duplicate-assignment", subject.at(binding.name.token), message, "keep one of them"
        seen[key] = (*said, binding.name.token.line)


@rule(Severity.ERROR, string_escape="an escape in a string")
def string_escapes(subject: Subject) -> Iterator[Found]:
    """TLC takes the text between the quotation marks as it is, other than in a module."""
    for binding in subject.bindings:
        for token in binding.tokens:
            if token.text.startswith('"') and "\\" in token.text:
                message = f"TLC takes the backslash in {token.text} as it is; in a module it is an escape"
                hint = f"define the string in the module: {binding.name.text} <- DEFINITION"
                yield "string-escape", subject.at(token), message, hint


@rule(Severity.WARNING, empty_section="a keyword without a name after it")
def empty_sections(subject: Subject) -> Iterator[Found]:
    """TLC checks nothing for it and does not say so."""
    comments = subject.statements.tokens.comments if subject.statements else ()
    begins = [statement.keyword.offset for statement in _statements(subject)]
    for statement in _statements(subject):
        alone = statement.keyword.text in _CHECKED and statement.end == statement.keyword.end
        following = min((begin for begin in begins if begin >= statement.end), default=sys.maxsize)
        # A list that is commented out is meant to be empty.
        if alone and not any(statement.end <= each.offset < following for each in comments):
            message = f"{statement.keyword.text} names nothing: TLC checks nothing for it"
            yield "empty-section", subject.at(statement.keyword), message, "name what is to be checked"


@rule(Severity.WARNING, commented_keyword="names whose own keyword is in a comment")
def commented_keywords(subject: Subject) -> Iterator[Found]:
    """What follows belongs to the section before it."""
    comments = subject.statements.tokens.comments if subject.statements else ()
    for statement in _statements(subject):
        section = _SECTIONS.get(statement.keyword.text)
        tokens = [name.token for name in statement.names] + [b.name.token for b in statement.bindings]
        for token in tokens:
            before = [each for each in comments if statement.keyword.offset < each.offset < token.offset]
            between = [each for each in tokens if before and before[-1].offset < each.offset < token.offset]
            word = re.sub(r"^\\\*+|^\(\*+|\*+\)$", "", before[-1].text).strip(" :") if before else ""
            if between or word not in KEYWORDS or _SECTIONS.get(word, section) == section:
                continue
            message = (
                f"{word} is in a comment: TLC takes {token.text} as one more of {statement.keyword.text}"
            )
            hint = f"write {word} outside of the comment, or comment {token.text} out too"
            yield "commented-keyword", subject.at(token), message, hint


@rule(Severity.WARNING, unknown_keyword="a keyword that the TLC at hand does not know")
def unknown_keywords(subject: Subject) -> Iterator[Found]:
    """An older TLC takes it for a name, or for what cannot begin a statement."""
    for before, statement in _lacking(subject):
        word = statement.keyword.text
        if word not in ("CHECK_DEADLOCK", "_EXPECT"):
            hint = "leave it out, or give a newer TLC with --tla2tools"
            yield "unknown-keyword", subject.at(statement.keyword), _taken(subject, word, before), hint


@rule(Severity.NOTE, check_deadlock="CHECK_DEADLOCK on a TLC that lacks it")
def check_deadlock(subject: Subject) -> Iterator[Found]:
    """tla2py gives TLC the option, which every version knows."""
    for before, statement in _lacking(subject):
        if statement.keyword.text == "CHECK_DEADLOCK":
            taken = _taken(subject, "CHECK_DEADLOCK", before)
            hint = "tla2py gives it to TLC as an option; without tla2py give -deadlock, which means: do not check"
            yield "check-deadlock", subject.at(statement.keyword), taken, hint


def _statements(subject: Subject) -> tuple[Statement, ...]:
    return subject.statements.statements if subject.statements else ()


def _lacking(subject: Subject) -> Iterator[tuple[str, Statement]]:
    """The statements whose keyword the TLC at hand lacks, each with the keyword of the section it falls into."""
    section = ""
    for statement in _statements(subject):
        word = statement.keyword.text
        if subject.dialect and word in KEYWORDS - subject.dialect.keywords - {"_EXPECT", "TYPE_CONSTRAINT"}:
            yield section, statement
        else:
            section = word


def _taken(subject: Subject, word: str, section: str) -> str:
    label = subject.dialect.label if subject.dialect else "TLC"
    if section in LISTS:
        return f"{label} does not know {word} and takes it for one more of {section}"
    if section.startswith("CONSTANT"):
        return f"{label} does not know {word} and takes it for a constant"
    return f"{label} does not know {word} and stops at it"
