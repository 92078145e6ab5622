"""Checks of a sweep and of a single model before TLC runs."""

from __future__ import annotations

import glob
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path

from tla2py.config.expect_comment import config_expectation
from tla2py.config.read import read_config
from tla2py.config.statements import MISTAKE_CODES
from tla2py.errors import InputError, Tla2pyError
from tla2py.execution.default_model import CheckModel
from tla2py.execution.jars import needing_specs
from tla2py.lint import Finding, Severity
from tla2py.lint.accept import apply_acceptance
from tla2py.lint.configs import lint_file, lint_options, lint_parsed, module_of
from tla2py.lint.ignore import EVERY_RULE, mark_ignored, shown_findings
from tla2py.lint.jar import read_dialect
from tla2py.lint.sweeps.rules import lint_sweep
from tla2py.sweep.checks import config_facts, config_problems
from tla2py.sweep.load.sweeps import load_sweep, sweep_of_configs
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep
from tla2py.sweep.vacuity import check_expectations
from tla2py.syntax import Translate
from tla2py.text import parameter_text
from tla2py.toolchain.community import check_classes
from tla2py.toolchain.jar import Jar
from tla2py.toolchain.needs import check_needs, check_wrappers
from tla2py.toolchain.toolchain import Toolchain
from tla2py.toolchain.unicode import check_readable

# tla2py compensates for the first; the run itself reports the second.
_SILENT = frozenset({"check-deadlock", "nothing-checked"})


def lint_plan(sweep: Sweep, plan: Plan, jar: Jar, warn: Callable[[Finding], None]) -> tuple[Finding, ...]:
    """The warnings of lint on a sweep, and its ignored errors; warnings that are not accepted go to ``warn``.

    Raises InputError for a finding that is an error, and as ``check_sweep_classes``, ``check_needs`` and
    ``check_wrappers`` do.

    Findings do not stop the models of a manifest, whose results are on record.
    """
    check_sweep_classes(sweep, plan, jar)
    # A model of a manifest that needs a newer TLC does not stop the others.
    if not sweep.entries:

        def place(key: str, value: str) -> str:
            return sweep.source.place("tlc", key, value=value)

        check_needs(needing_specs(sweep), sweep.options, jar, place)
        texts = dict.fromkeys(
            plan.sources[each.sha256] for _, run in plan.outlines() for each in run.modules[:1]
        )
        check_wrappers(texts, jar, sweep.path)
    found = lint_sweep(sweep, plan, read_dialect(jar))
    _report(apply_acceptance(found, sweep.file.accept).open, warn, refuse=not sweep.entries)
    return lasting_findings(found)


def check_sweep_classes(sweep: Sweep, plan: Plan, jar: Jar) -> None:
    """Raise InputError and ToolchainError as ``check_classes`` does."""
    specs = sweep.specs.values()
    check_classes(sweep.community, specs, jar, plan.sources, plan.paths, trust=sweep.limits.trust)


def check_plan(sweep: Sweep, plan: Plan, toolchain: Toolchain) -> None:
    """Raise InputError as ``check_expectations`` and, if TLC cannot read a module, ``check_readable`` do."""
    check_expectations(sweep, plan)
    # An unreadable model of a manifest does not stop the others.
    if not sweep.entries:
        check_readable(plan.sources, plan.paths, toolchain)


def lint_check(check: CheckModel, jar: Jar, warn: Callable[[Finding], None], *, no_lint: bool) -> None:
    """Lint the config and the options of a single model.

    Warnings go to ``warn``, and ignored errors as notes. Raises InputError for a finding that is an error.
    """
    found = mark_ignored(_check_findings(check, jar, no_lint), {}, EVERY_RULE if no_lint else None)
    _report(shown_findings(found), warn)


def _check_findings(check: CheckModel, jar: Jar, no_lint: bool) -> Iterator[Finding]:
    spec = check.model.spec
    specs = {spec.root.name: spec}
    dialect = read_dialect(jar)
    if check.verbatim is not None:
        yield from lint_parsed(check.verbatim, specs, complete=True, dialect=dialect)
        return
    # The options complete the config.
    files = [read_config(check.config, MISTAKE_CODES if no_lint else ())] if check.config else []
    for file in files:
        yield from lint_parsed(file, specs, complete=False, dialect=dialect)
    yield from lint_options(spec, check.given, *files)


def file_errors(
    file: Path, libraries: Sequence[Path], translate: Translate | None, *, no_lint: bool
) -> list[Tla2pyError]:
    """The errors of a sweep file, or of a config with its module, found without running TLC.

    Without a module for a config, only the config's text is checked.
    """
    try:
        return list(_file_errors(file, libraries, translate, no_lint))
    except Tla2pyError as error:
        return [error]


def check_facts(file: Path, sweep: Sweep, plan: Plan, ignored: Container[str] = ()) -> None:
    """Raise InputError (``config-proves-nothing``) for a point whose config checks nothing.

    ``ignored`` are names of findings.
    """
    for point, run in plan.samples():
        facts = config_facts(run, sweep.spec(point.parameters))
        for problem in config_problems(facts, sweep.file.accept, ignored):
            raise InputError(
                "config-proves-nothing",
                f"the config checks nothing useful for {parameter_text(point.parameters)}: {problem}",
                where=str(file),
                hint=f"'tla2py cfg {file}' shows the config of each point",
            )


def _file_errors(
    file: Path, libraries: Sequence[Path], translate: Translate | None, no_lint: bool
) -> Iterator[Tla2pyError]:
    if file.suffix == ".cfg":
        config_expectation(read_config(file, MISTAKE_CODES if no_lint else ()).text, file)
        module = module_of(file, libraries)
        if module is None:
            yield from _only_errors(lint_file(file, None) if not no_lint else ())
            return
        pattern = glob.escape(str(file))
        sweep = sweep_of_configs(module, pattern, libraries, translate=translate, no_lint=no_lint)
    else:
        manifest = file.suffix == ".json"
        sweep = load_sweep(file, libraries if manifest else (), translate=translate, no_lint=no_lint)
    for config in sweep.configs.values():
        if config.problem is not None:
            read_config(config.path)
    plan = plan_sweep(sweep, "")
    yield from plan.errors
    check_expectations(sweep, plan)
    found = lint_sweep(sweep, plan)
    errors = list(_only_errors(found))
    yield from errors
    if not errors:
        check_facts(file, sweep, plan, {each.name for each in found if each.ignored})


def _only_errors(findings: Iterable[Finding]) -> Iterator[Tla2pyError]:
    return (finding.to_error() for finding in findings if finding.refuses)


def lasting_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that belong to a sweep's results: warnings, and errors that the user ignores."""
    return tuple(
        each
        for each in findings
        if each.severity is not Severity.NOTE and not each.refuses and each.code not in _SILENT
    )


def _report(findings: Iterable[Finding], warn: Callable[[Finding], None], *, refuse: bool = True) -> None:
    """Pass findings to ``warn``, but raise the last error as InputError if ``refuse``."""
    errors = []
    for finding in findings:
        if finding.refuses:
            errors.append(finding)
        elif finding.code not in _SILENT:
            warn(finding)
    for finding in errors[:-1] if refuse else errors:
        warn(finding)
    if errors and refuse:
        raise errors[-1].to_error()
