"""The findings on a sweep: those of lint, and those that its results show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tla2py.errors import Place
from tla2py.lint.accept import Findings, apply_acceptance
from tla2py.lint.finding import Finding, Severity
from tla2py.sweep.sweep import Sweep


def sweep_findings(sweep: Sweep, linted: Iterable[Finding]) -> Findings:
    """The findings on a sweep; ``linted`` are lint's.

    An entry of ``[accept]`` that accepts none of them is a finding too.
    """
    findings = apply_acceptance(linted, sweep.file.accept)
    unused = apply_acceptance(_unused_entries(sweep, findings), sweep.file.accept)
    return Findings(open=(*unused.open, *findings.open), accepted=findings.accepted)


def _unused_entries(sweep: Sweep, findings: Findings) -> Iterator[Finding]:
    used = {
        name
        for each in findings.accepted
        for name in ((each.finding.code, ""), (each.finding.code, each.finding.subject or ""))
    }
    for code, entry in sweep.file.accept.items():
        for subject in entry if isinstance(entry, Mapping) else ("",):
            if (code, subject) not in used:
                keys = ("accept", code, subject) if subject else ("accept", code)
                yield Finding(
                    code="accept-unused",
                    severity=Severity.WARNING,
                    place=Place.parse(sweep.source.place(*keys)),
                    message=f"{' '.join(keys[1:])} accepts nothing: there is no such finding, or no reason",
                    hint="remove the entry, or correct the name",
                    subject=code,
                )
