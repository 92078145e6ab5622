"""``tla2py lint``, and the same rules before a check and a sweep."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err, print_error, show, show_json
from tla2py.cli.options import Jar, Libraries
from tla2py.cli.translate import use_translator
from tla2py.config.read import read_config
from tla2py.errors import EXIT_NOT_RUN, EXIT_OK, EXIT_UNEXPECTED
from tla2py.execution.check import CheckModel
from tla2py.lint import Dialect, Finding, Severity, lint_options, lint_parsed, read_dialect
from tla2py.lint.sweeps.files import lint_paths, module_beside
from tla2py.lint.sweeps.rules import lint_sweep
from tla2py.reports.lint import finding_text, findings_alike, findings_summary
from tla2py.sweep.plan import Plan
from tla2py.sweep.sweep import Sweep
from tla2py.toolchain.toolchain import Jar as Tla2tools
from tla2py.toolchain.toolchain import find_jar

# What tla2py makes up for, or says where it is run.
_SILENT = frozenset({"check-deadlock", "nothing-checked"})


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
    """Tell what TLC misreads in configs and sweep files, without running it.

    A config is for the one module that is given, else for the module beside it whose name begins its own. Exit codes:
    0 nothing found, 1 an error or a warning, 2 a file could not be read, or an expectation in it says nothing.
    Examples: tla2py lint Spec.cfg Spec.tla; tla2py lint models/*.cfg; tla2py lint sweep.toml; tla2py lint .
    """
    use_translator(tla2tools, True)
    report = lint_paths(files, library or [], _dialect(find_jar(tla2tools)))
    for config in report.text_only:
        told = f"{config}: no module beside it is named as it begins; only its text is looked at"
        named = f"tla2py lint {config} {module_beside(config)}"
        err().print(f"{told}; to name the module: {named}", markup=False)
    for error, unread in report.errors:
        print_error(error)
        if (error.where or "").split(":")[0] not in map(str, unread):
            err().print(f"  not read whole for it: {', '.join(map(str, unread))}", markup=False)
    if form is Format.JSON:
        show_json([finding.to_dict() for finding in report.findings])
    elif report.findings or report.unread < len(report.files):
        for alike in findings_alike(report.findings):
            show(finding_text(*alike))
        err().print(findings_summary(report.findings, len(report.files), report.unread))
    bad = any(finding.severity is not Severity.NOTE for finding in report.findings)
    raise typer.Exit(EXIT_NOT_RUN if report.errors else EXIT_UNEXPECTED if bad else EXIT_OK)


def warn_sweep(sweep: Sweep, plan: Plan, jar: Tla2tools) -> tuple[Finding, ...]:
    """Lint a sweep that is to be run: warnings on standard error, which are returned. Raises InputError for an error.

    The models of a manifest are others', with results on record: what is found of them stops nothing.
    """
    found = tuple(lint_sweep(sweep, plan, _dialect(jar)))
    _warn(found, refuse=not sweep.entries)
    return only_warnings(found)


def only_warnings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What is hardly meant as it is written, though TLC takes it."""
    return tuple(each for each in findings if each.severity is Severity.WARNING and each.code not in _SILENT)


def warn_check(check: CheckModel, config: Path, jar: Tla2tools) -> None:
    """Lint a single run as ``warn_sweep`` does: its config, where there is one, and the constants given beside it."""
    spec, dialect = check.model.spec, _dialect(jar)
    specs = {spec.root.name: spec}
    if check.verbatim is not None:
        _warn(lint_parsed(check.verbatim, specs, complete=True, dialect=dialect))
        return
    # What is given beside it completes it.
    files = [read_config(config)] if config.is_file() else []
    found = [each for file in files for each in lint_parsed(file, specs, complete=False, dialect=dialect)]
    _warn([*found, *lint_options(spec, check.given, *files)])


def _warn(findings: Iterable[Finding], *, refuse: bool = True) -> None:
    """Print warnings on standard error. Raises InputError for the last error, after printing those before it."""
    errors = []
    for finding in findings:
        if finding.severity is Severity.ERROR:
            errors.append(finding)
        elif finding.code not in _SILENT:
            err().print(finding_text(finding))
    for finding in errors if not refuse else errors[:-1]:
        err().print(finding_text(finding))
    if errors and refuse:
        raise errors[-1].to_error()


def _dialect(jar: Tla2tools) -> Dialect | None:
    return read_dialect(jar.path, jar.version)
