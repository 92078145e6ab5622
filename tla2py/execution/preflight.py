"""Checks of a sweep and of a single model before TLC runs."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from tla2py.config.expect_comment import config_expectation
from tla2py.config.read import read_config
from tla2py.errors import InputError, Tla2pyError
from tla2py.execution.default_model import CheckModel
from tla2py.lint import Dialect, Finding, Severity, lint_file, lint_options, lint_parsed, read_dialect
from tla2py.lint.accept import apply_acceptance
from tla2py.lint.configs import module_of
from tla2py.lint.sweeps.rules import lint_sweep
from tla2py.sweep.checks import config_facts, config_problems
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep, load_sweep, sweep_of_configs
from tla2py.sweep.vacuity import check_expectations
from tla2py.syntax import Translate
from tla2py.text import parameter_text
from tla2py.toolchain.toolchain import Jar, Toolchain
from tla2py.toolchain.unicode import check_readable

# tla2py compensates for the first; the run itself reports the second.
_SILENT = frozenset({"check-deadlock", "nothing-checked"})


def lint_plan(sweep: Sweep, plan: Plan, jar: Jar, warn: Callable[[Finding], None]) -> tuple[Finding, ...]:
    """The warnings of lint on a sweep; those that are not accepted go to ``warn``.

    Raises InputError for a finding that is an error.

    Findings do not stop the models of a manifest, whose results are on record.
    """
    found = lint_sweep(sweep, plan, jar_dialect(jar))
    _report(apply_acceptance(found, sweep.file.accept).open, warn, refuse=not sweep.entries)
    return only_warnings(found)


def check_plan(sweep: Sweep, plan: Plan, toolchain: Toolchain) -> None:
    """Raise InputError as ``check_expectations`` and, if TLC cannot read a module, ``check_readable`` do."""
    check_expectations(sweep, plan)
    # An unreadable model of a manifest does not stop the others.
    if not sweep.entries:
        check_readable(plan.sources, plan.paths, toolchain)


def lint_check(check: CheckModel, config: Path, jar: Jar, warn: Callable[[Finding], None]) -> None:
    """Lint the config and the options of a single model.

    Warnings go to ``warn``. Raises InputError for a finding that is an error.
    """
    spec = check.model.spec
    specs = {spec.root.name: spec}
    dialect = jar_dialect(jar)
    if check.verbatim is not None:
        _report(lint_parsed(check.verbatim, specs, complete=True, dialect=dialect), warn)
        return
    # The options complete the config.
    files = [read_config(config)] if config.is_file() else []
    found = [each for file in files for each in lint_parsed(file, specs, complete=False, dialect=dialect)]
    _report([*found, *lint_options(spec, check.given, *files)], warn)


def file_errors(
    file: Path, libraries: Sequence[Path] = (), translate: Translate | None = None
) -> list[Tla2pyError]:
    """The errors of a sweep file, or of a config with its module, found without running TLC.

    A config not named after a module beside it is checked without one.
    """
    try:
        return list(_file_errors(file, libraries, translate))
    except Tla2pyError as error:
        return [error]


def check_facts(file: Path, sweep: Sweep, plan: Plan) -> None:
    """Raise InputError (``config-proves-nothing``) for a point whose config checks nothing."""
    for point, run in zip(plan.points, plan.runs, strict=True):
        for problem in config_problems(config_facts(run, sweep.spec(point.parameters)), sweep.file.accept):
            raise InputError(
                "config-proves-nothing",
                f"the config checks nothing useful for {parameter_text(point.parameters)}: {problem}",
                where=str(file),
                hint=f"'tla2py cfg {file}' shows the config of each point",
            )


def _file_errors(file: Path, libraries: Sequence[Path], translate: Translate | None) -> Iterator[Tla2pyError]:
    if file.suffix == ".cfg":
        config_expectation(read_config(file).text, file)
        module = module_of(file)
        if module is None:
            yield from _only_errors(lint_file(file, None))
            return
        sweep = sweep_of_configs(module, glob.escape(str(file)), libraries, translate=translate)
    else:
        manifest = file.suffix == ".json"
        sweep = load_sweep(file, libraries if manifest else (), translate=translate)
    plan = plan_sweep(sweep, "")
    check_expectations(sweep, plan)
    errors = list(_only_errors(lint_sweep(sweep, plan)))
    yield from errors
    if not errors:
        check_facts(file, sweep, plan)


def _only_errors(findings: Iterable[Finding]) -> Iterator[Tla2pyError]:
    return (finding.to_error() for finding in findings if finding.severity is Severity.ERROR)


def only_warnings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The warnings among findings."""
    return tuple(each for each in findings if each.severity is Severity.WARNING and each.code not in _SILENT)


def jar_dialect(jar: Jar) -> Dialect | None:
    """The config keywords of a jar's TLC."""
    return read_dialect(jar.path, jar.version)


def _report(findings: Iterable[Finding], warn: Callable[[Finding], None], *, refuse: bool = True) -> None:
    """Pass findings to ``warn``, but raise the last error as InputError if ``refuse``."""
    errors = []
    for finding in findings:
        if finding.severity is Severity.ERROR:
            errors.append(finding)
        elif finding.code not in _SILENT:
            warn(finding)
    for finding in errors[:-1] if refuse else errors:
        warn(finding)
    if errors and refuse:
        raise errors[-1].to_error()
