"""``tla2py lint``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, print_error, show, show_json
from tla2py.cli.options import Jar, Libraries
from tla2py.cli.translate import pluscal_translator
from tla2py.errors import ExitCode
from tla2py.lint import Severity
from tla2py.lint.jar import read_dialect
from tla2py.lint.sweeps.files import lint_paths, module_beside
from tla2py.reports.lint import finding_text, findings_summary, group_findings
from tla2py.toolchain.toolchain import find_jar


class Format(str, Enum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"


def lint_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Configs, modules (for the config beside them), sweep files, or folders with these.",
        ),
    ],
    library: Libraries = None,
    tla2tools: Jar = None,
    form: Annotated[Format, typer.Option("--format", help="How findings are printed.")] = Format.TEXT,
) -> None:
    """Find mistakes in configs and sweep files that TLC ignores or misreads, without running TLC.

    A config belongs to the module that you name, otherwise to one whose name is a prefix of the config's: beside it, above it or in -L.

    Exit codes: 0 nothing found, 1 an error or a warning, 2 an unreadable file or an expectation that cannot apply.

    Examples:
      tla2py lint Spec.cfg Spec.tla
      tla2py lint models/*.cfg
      tla2py lint sweep.toml
      tla2py lint .
    """
    dialect = read_dialect(find_jar(tla2tools))
    report = lint_paths(files, library or [], dialect, pluscal_translator(tla2tools))
    for config in report.text_only:
        skipped = f"{config}: no module matches its name; only its text is checked"
        named = f"tla2py lint {config} {module_beside(config)}"
        err().print(f"{skipped}; to name the module: {named}", markup=False)
    for error, unread in report.errors:
        print_error(error)
        if (error.where or "").split(":")[0] not in map(str, unread):
            err().print(f"  so only partly read: {', '.join(map(str, unread))}", markup=False)
    if form is Format.JSON:
        show_json(
            {
                "findings": [finding.to_dict() for finding in report.findings],
                "files": len(report.files),
                "text_only": [str(file) for file in report.text_only],
                "unread": [str(file) for _, files in report.errors for file in files],
                "not_linted": [str(file) for file in report.skipped],
            }
        )
    elif report.findings or report.unread < len(report.files):
        for same in group_findings(report.findings):
            show(finding_text(*same))
        counts = len(report.files), report.unread, len(report.skipped)
        err().print(findings_summary(report.findings, *counts))
    bad = any(finding.severity is not Severity.NOTE for finding in report.findings)
    raise typer.Exit(ExitCode.NOT_RUN if report.errors else ExitCode.UNEXPECTED if bad else ExitCode.OK)
