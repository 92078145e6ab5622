"""The findings of lint for a terminal, as SARIF 2.1.0 and as GitHub's annotations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from rich.text import Text

from tla2py.lint import RULES, Finding, Severity
from tla2py.reports.annotations import github_command
from tla2py.reports.sarif import Json, sarif_document
from tla2py.show.markup import printable
from tla2py.text import counted

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def findings_alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings that differ in their places alone, each such lot where its first one was."""
    alike: dict[object, list[Finding]] = {}
    for each in findings:
        alike.setdefault((each.code, each.message, each.hint), []).append(each)
    return list(alike.values())


def finding_text(finding: Finding, *alike: Finding) -> Text:
    """A finding in a few lines: place, severity, code and what TLC does; below it what would be right, and where else."""
    text = Text()
    text.append(printable(str(finding.place)), style="bold")
    text.append(": ")
    text.append(f"{finding.severity.value}[{finding.code}]", style=_STYLES[finding.severity])
    text.append(f" {printable(finding.message)}")
    if finding.hint:
        text.append(f"\n    {printable(finding.hint)}", style="dim")
    if alike:
        places = ", ".join(printable(str(each.place)) for each in alike)
        text.append(f"\n    the same at {places}", style="dim")
    return text


def findings_summary(findings: Sequence[Finding], files: int, unread: int) -> str:
    """How many findings there are of each severity, in how many files, and how many of these could not be read whole."""
    counts = [
        counted(number, severity.value)
        for severity in Severity
        if (number := sum(each.severity is severity for each in findings))
    ]
    looked = counted(files, "file")
    lost = f", {unread} of which could not be read whole" if unread else ""
    return (f"{', '.join(counts)} in {looked}" if counts else f"nothing found in {looked}") + lost


def findings_json(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """One object per finding."""
    return [finding.to_dict() for finding in findings]


def findings_github(findings: Sequence[Finding]) -> list[str]:
    """One workflow command per finding, which annotates its line."""
    return [
        github_command(_COMMANDS[each.severity], each.code, _words(each), each.place) for each in findings
    ]


def findings_sarif(findings: Sequence[Finding]) -> str:
    """One run with a rule per kind of finding; the same findings give the same text."""
    codes = sorted({finding.code for finding in findings})
    rules: list[Json] = [
        {
            "id": f"lint/{code}",
            "name": RULES[code].title,
            "shortDescription": {"text": RULES[code].title},
            "defaultConfiguration": {"level": RULES[code].severity.value},
            "properties": {"tags": ["tla+", "model checking"]},
        }
        for code in codes
    ]
    return sarif_document(rules, [_result(finding, codes.index(finding.code)) for finding in findings])


def _result(finding: Finding, rule: int) -> Json:
    place = finding.place
    key = json.dumps([finding.code, place.file, finding.message])
    return {
        "ruleId": f"lint/{finding.code}",
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": _words(finding)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(place.file)},
                    "region": {"startLine": place.line or 1, "startColumn": place.column or 1},
                }
            }
        ],
        "partialFingerprints": {
            "primaryLocationLineHash": f"{hashlib.sha256(key.encode()).hexdigest()[:16]}:1"
        },
    }


def _words(finding: Finding) -> str:
    return printable(f"{finding.message}; {finding.hint}" if finding.hint else finding.message)
