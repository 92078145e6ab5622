"""Findings, and the registry of the rules that make them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from tla2py.errors import InputError, Place

if TYPE_CHECKING:
    from tla2py.lint.subject import Subject


class Severity(StrEnum):
    """How bad a finding is.

    An error: TLC refuses what the config says, or checks something else. A warning: the config is probably not what you
    meant. A note: this TLC lacks something that tla2py makes up for.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A mistake at a place: the rule's code, what TLC does (``message``), and what would be right (``hint``).

    ``subject`` is the name of the definition, constant, action or parameter concerned; ``[accept]`` may name it.
    ``ignored`` says where the user ignores the rule, None if nowhere.
    """

    code: str
    severity: Severity
    place: Place
    message: str
    hint: str | None
    subject: str | None = None
    ignored: str | None = None

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @property
    def name(self) -> str:
        """The code and the subject, as ``[accept]`` names them."""
        return f"{self.code} {self.subject}" if self.subject else self.code

    def to_dict(self) -> dict[str, object]:
        """The finding as a JSON object."""
        return {
            "file": self.place.file,
            "line": self.place.line or 0,
            "column": self.place.column or 0,
            "code": self.code,
            "severity": self.severity.value,
            "message": self.message,
            "hint": self.hint,
            "subject": self.subject,
            "ignored": self.ignored,
        }

    @property
    def refuses(self) -> bool:
        """Whether it stops a run."""
        return self.severity is Severity.ERROR and self.ignored is None

    def as_note(self) -> Finding:
        """An ignored finding as a note that says where it is ignored."""
        return replace(self, severity=Severity.NOTE, hint=self.ignored)

    def to_error(self) -> InputError:
        """The error that stops a run."""
        return InputError(self.code, self.message, where=str(self.place), hint=self.hint)


Rule: TypeAlias = "Callable[[Subject], Iterator[Finding]]"

# The severity of each code.
RULES: dict[str, Severity] = {}
_RULES: dict[Rule, tuple[str, ...]] = {}


def rule(severity: Severity, *codes: str) -> Callable[[Rule], Rule]:
    """A decorator that registers a rule under the codes of its findings."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(codes, severity))
        _RULES[function] = codes
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
    return Finding(
        code=code,
        severity=severity or RULES[code],
        place=place,
        message=message,
        hint=hint,
        subject=subject,
    )


def result_warning(code: str, where: str, message: str, hint: str, subject: str | None) -> Finding:
    """A warning that results show, at ``file:line:column``; its code belongs to no rule."""
    return finding(code, Place.parse(where), message, hint, subject, Severity.WARNING)


def run_rules(subject: Subject, codes: Collection[str] = RULES) -> tuple[Finding, ...]:
    """The findings on a subject with one of these codes, ordered by place."""
    wanted = [rule for rule, own in _RULES.items() if not set(codes).isdisjoint(own)]
    found = dict.fromkeys(each for rule in wanted for each in rule(subject) if each.code in codes)
    return tuple(sorted(found, key=lambda each: each.place.order))
