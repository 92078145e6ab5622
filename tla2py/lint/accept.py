"""``[accept]``: findings that the author of a sweep file has looked at and accepts, each with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tla2py.lint.finding import Finding

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
