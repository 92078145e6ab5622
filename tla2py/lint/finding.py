"""A finding, the rule that made it, and the registry of all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from tla2py.errors import InputError, Place

if TYPE_CHECKING:
    from tla2py.lint.subject import Subject


class Severity(str, Enum):
    """How bad a finding is.

    An error: TLC does not check what is written, or refuses it. A warning: what is written is hardly what is meant. A
    note: the TLC at hand lacks something that tla2py makes up for.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong at a place: the code of the rule, what TLC does with it, and what would be right."""

    code: str
    severity: Severity
    place: Place
    message: str
    hint: str | None

    def to_dict(self) -> dict[str, object]:
        """The finding as an object of JSON."""
        return {
            "file": self.place.file,
            "line": self.place.line or 0,
            "column": self.place.column or 0,
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "hint": self.hint,
        }

    def to_error(self) -> InputError:
        """The error that it makes when it is to be run."""
        return InputError(self.code, self.message, where=str(self.place), hint=self.hint)


# What a rule gives: the code, where, what TLC does, what would be right.
Found: TypeAlias = "tuple[str, Place, str, str | None]"
Check: TypeAlias = "Callable[[Subject], Iterator[Found]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A kind of finding; ``title`` says in a few words what it is."""

    code: str
    severity: Severity
    title: str


RULES: dict[str, Rule] = {}
CHECKS: list[Check] = []


def rule(severity: Severity, **titles: str) -> Callable[[Check], Check]:
    """Register a function that finds one or more kinds of mistakes; ``_`` in a kind's name stands for ``-``."""

    def register(check: Check) -> Check:
        for name, title in titles.items():
            code = name.replace("_", "-")
            RULES[code] = Rule(code=code, severity=severity, title=title)
        CHECKS.append(check)
        return check

    return register


def run_checks(subject: Subject) -> tuple[Finding, ...]:
    """All findings of a subject, by their places."""
    found = dict.fromkeys(finding_of(each) for check in CHECKS for each in check(subject))
    return tuple(sorted(found, key=lambda each: each.place.order))


def finding_of(found: Found) -> Finding:
    """What a rule gives, with the severity of the rule."""
    code, place, message, hint = found
    return Finding(code=code, severity=RULES[code].severity, place=place, message=message, hint=hint)
