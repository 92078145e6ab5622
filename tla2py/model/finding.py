"""Findings: mistakes in a config, a module or a sweep, which a user may ignore or accept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from tla2py.errors import InputError, Place


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


def alike_findings(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return the findings in groups that differ in their place only, in the order of the first of each."""
    groups: dict[tuple[str, str, str | None], list[Finding]] = {}
    for each in findings:
        groups.setdefault((each.code, each.message, each.hint), []).append(each)
    return list(groups.values())
