"""``tla2py lint``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tla2py.cli import options as opt
from tla2py.cli.console import err, print_error, show, show_json
from tla2py.cli.options import argument, option
from tla2py.errors import ExitCode, Tla2pyError
from tla2py.lint.subject import read_dialect
from tla2py.model.finding import Severity, alike_findings
from tla2py.sweep.rules import lint_paths, lint_with_module
from tla2py.text import listed
from tla2py.tlc.tools.toolchain import find_jar
from tla2py.view.tools import finding_text, findings_summary


def lint_command(
    files: Annotated[
        list[Path],
        argument(
            "PATH...", "Configs, modules (for the config beside them), sweep files, or folders with these."
        ),
    ],
    library: opt.Libraries = None,
    tla2tools: opt.Jar = None,
    form: Annotated[
        Literal["text", "json"], option("--format text|json", "How findings are printed.")
    ] = "text",
) -> None:
    """Find mistakes in configs and sweep files that TLC ignores or misreads, without running TLC.

    A config belongs to the module that you name, otherwise to one whose name is a prefix of the config's: beside it, above it or in -L;
    where none has its names, to the only one beside it or above that has them.

    Exit codes: 0 nothing found, 1 an error or a warning, 2 an unreadable file or an expectation that cannot apply.

    Examples:
      tla2py lint Spec.cfg Spec.tla
      tla2py lint models/*.cfg
      tla2py lint sweep.toml
      tla2py lint .
    """
    dialect = read_dialect(find_jar(tla2tools))
    report = lint_paths(files, library or [], dialect, opt.pluscal_translator(tla2tools))
    for config in report.text_only:
        skipped = f"{config}: no module matches its name; only its text is checked"
        err().print(f"{skipped}; to name the module: {lint_with_module(config)}", markup=False)
    # Many modules can have the same mistake, such as a module that they all need.
    mistakes: dict[str, list[Tla2pyError]] = {}
    partly: dict[str, list[Path]] = {}
    for error, unread in report.errors:
        mistakes.setdefault(error.message, []).append(error)
        files_elsewhere = [file for file in unread if str(file) != (error.where or "").split(":")[0]]
        partly.setdefault(error.message, []).extend(files_elsewhere)
    for message, (error, *others) in mistakes.items():
        print_error(error)
        if places := {each.where: None for each in others if each.where not in (None, error.where)}:
            err().print(f"  the same at {listed(places, 10)}", markup=False)
        if partly[message]:
            err().print(f"  so only partly read: {listed(partly[message], 10)}", markup=False)
    if report.skipped and form == "text":
        named = f"to name the module: {lint_with_module(report.skipped[0])}"
        err().print(f"no single module matches {listed(report.skipped, 10)}; {named}", markup=False)
    if form == "json":
        show_json(
            {
                "findings": [finding.to_dict() for finding in report.findings],
                "files": len(report.files),
                "text_only": [str(file) for file in report.text_only],
                "unread": [str(file) for _, files in report.errors for file in files],
                "not_linted": [str(file) for file in report.skipped],
                "unreached": report.unreached,
            }
        )
    elif report.findings or report.unread < len(report.files):
        for findings in alike_findings(report.findings):
            show(finding_text(*findings))
        counts = len(report.files), report.unread, len(report.skipped), report.unreached
        err().print(findings_summary(report.findings, *counts))
    bad = any(finding.severity is not Severity.NOTE for finding in report.findings)
    raise typer.Exit(ExitCode.NOT_RUN if report.errors else ExitCode.UNEXPECTED if bad else ExitCode.OK)
