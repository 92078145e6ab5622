"""The findings of lint for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from tla2py.lint import Finding, Severity
from tla2py.show.markup import printable
from tla2py.text import counted

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


def group_findings(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings grouped by everything except their place, in order of the first of each group."""
    same: dict[object, list[Finding]] = {}
    for each in findings:
        same.setdefault((each.code, each.message, each.hint), []).append(each)
    return list(same.values())


def finding_text(finding: Finding, *same: Finding) -> Text:
    """A finding in a few lines: place, severity, code and what TLC does; below it what would be right, and where else."""
    text = Text()
    text.append(printable(str(finding.place)), style="bold")
    text.append(": ")
    text.append(f"{finding.severity.value}[{finding.code}]", style=_STYLES[finding.severity])
    text.append(f" {printable(finding.message)}")
    if finding.hint:
        text.append(f"\n    {printable(finding.hint)}", style="dim")
    if same:
        places = ", ".join(printable(str(each.place)) for each in same)
        text.append(f"\n    the same at {places}", style="dim")
    return text


def findings_summary(findings: Sequence[Finding], files: int, unread: int, skipped: int) -> str:
    """The number of findings of each severity, of files, of those not read whole, and of configs without a module."""
    counts = [
        counted(number, severity.value)
        for severity in Severity
        if (number := sum(each.severity is severity for each in findings))
    ]
    looked = counted(files, "file")
    lost = f", {unread} of which could not be read whole" if unread else ""
    left = f"; {counted(skipped, 'config')} without a module not linted" if skipped else ""
    return (f"{', '.join(counts)} in {looked}" if counts else f"nothing found in {looked}") + lost + left
