"""Rules that the user ignores: with ``--no-lint``, in ``[lint]`` of a sweep file, or in a comment of a config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tla2py.config.ignore_comment import ignored_codes
from tla2py.config.statements import Statements
from tla2py.errors import Place
from tla2py.lint.finding import RULES, Finding, Severity, finding, rule
from tla2py.lint.subject import Subject
from tla2py.text import did_you_mean

EVERY_RULE = "--no-lint"
IN_SWEEP_FILE = "ignored by [lint]"


@rule(Severity.WARNING, "unknown-rule")
def unknown_rules(subject: Subject) -> Iterator[Finding]:
    """A misspelt code ignores nothing."""
    for code, comment in ignored_codes(subject.statements.tokens.comments).items():
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
    codes = ignored_codes(statements.tokens.comments)
    return {code: f"ignored in {path}:{comment.line}" for code, comment in codes.items()}


def mark_ignored(
    findings: Iterable[Finding], reasons: Mapping[str, str], every: str | None = None
) -> Iterator[Finding]:
    """The findings, marked as ignored if their codes have ``reasons``; ``every`` is a reason for all codes."""
    for each in findings:
        reason = reasons.get(each.code, every)
        yield replace(each, ignored=reason) if reason and not each.ignored else each
