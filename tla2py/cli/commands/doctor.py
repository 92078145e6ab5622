"""``tla2py doctor``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tla2py.cli.console import out, show_json
from tla2py.cli.diagnosis import OK, PROBLEM, WARNING, examine
from tla2py.cli.options import Jar, Json
from tla2py.errors import EXIT_OK, EXIT_UNEXPECTED

_STYLES = {OK: "green", WARNING: "yellow", PROBLEM: "bold red"}


def doctor_command(
    tla2tools: Jar = None,
    self_test: Annotated[
        bool, typer.Option(help="Run TLC on a small model of which the answer is known.")
    ] = True,
    as_json: Json = False,
) -> None:
    """See whether everything that sweeps need is here, and what to do about what is not.

    Exit code 1 when there is a problem; a warning is none. Examples: tla2py doctor; tla2py doctor --no-self-test --json
    """
    findings = []
    for finding in examine(tla2tools, self_test=self_test):
        findings.append(finding)
        if as_json:
            continue
        console = out()
        console.print(f"{finding.state:8}", style=_STYLES[finding.state], end="")
        console.print(f"{finding.about:10} {finding.found}")
        if finding.remedy:
            console.print(f"{'':18} -> {finding.remedy}")
    if as_json:
        show_json([asdict(finding) for finding in findings])
    bad = any(finding.state == PROBLEM for finding in findings)
    raise typer.Exit(EXIT_UNEXPECTED if bad else EXIT_OK)
