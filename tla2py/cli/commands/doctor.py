"""``tla2py doctor``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tla2py.cli.console import out, show_json
from tla2py.cli.diagnosis import examine
from tla2py.cli.options import Jar, Json
from tla2py.errors import ExitCode

_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


def doctor_command(
    tla2tools: Jar = None,
    self_test: Annotated[bool, typer.Option(help="Run TLC on a small model with a known answer.")] = True,
    as_json: Json = False,
) -> None:
    """Check that everything that sweeps need is installed, and say how to fix what is missing.

    Exit code 1 if there is a problem; warnings do not count.

    Examples:
      tla2py doctor
      tla2py doctor --no-self-test --json
    """
    examinations = []
    for each in examine(tla2tools, self_test=self_test):
        examinations.append(each)
        if as_json:
            continue
        console = out()
        console.print(f"{each.state:8}", style=_STYLES[each.state], end="")
        console.print(f"{each.about:10} {each.found}")
        if each.remedy:
            console.print(f"{'':18} -> {each.remedy}")
    if as_json:
        show_json([asdict(each) for each in examinations])
    bad = any(each.state == "problem" for each in examinations)
    raise typer.Exit(ExitCode.UNEXPECTED if bad else ExitCode.OK)
