"""``tla2py lint``, and the same rules before a check and a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from tla2py import toml
from tla2py.cli.console import err, print_error, show, show_json
from tla2py.cli.options import Jar, Libraries
from tla2py.cli.translate import use_translator
from tla2py.config.read import read_config
from tla2py.errors import EXIT_NOT_RUN, EXIT_OK, EXIT_UNEXPECTED, InputError, Tla2pyError
from tla2py.execution.check import CheckModel
from tla2py.lint import Dialect, Finding, Severity, lint_file, lint_options, lint_parsed, read_dialect
from tla2py.lint.configs import config_of, module_of
from tla2py.lint.sweeps.rules import lint_sweep
from tla2py.reports.lint import (
    finding_text,
    findings_alike,
    findings_github,
    findings_json,
    findings_sarif,
    findings_summary,
)
from tla2py.sweep.plan import Plan, plan_sweep
from tla2py.sweep.sweep import Sweep, load_sweep
from tla2py.sweep.vacuity import check_expectations
from tla2py.toolchain.toolchain import Jar as Tla2tools
from tla2py.toolchain.toolchain import find_jar

# What tla2py makes up for, or says where it is run.
_SILENT = frozenset({"check-deadlock", "nothing-checked"})


class Format(str, Enum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """A file to lint, and the module it is for where one is given or found."""

    file: Path
    module: Path | None


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
    Examples: tla2py lint Spec.cfg Spec.tla; tla2py lint models/*.cfg; tla2py lint Spec.tla; tla2py lint sweep.toml;
    tla2py lint .
    """
    dialect = _dialect(find_jar(tla2tools))
    use_translator(tla2tools, True)
    jobs = list(_jobs(files))
    found: dict[Finding, None] = {}
    # One of a module is the same for each of its configs.
    errors: dict[str, tuple[Tla2pyError, list[Path]]] = {}
    for job in jobs:
        try:
            for finding in _findings(job, library or [], dialect):
                found[finding] = None
        except Tla2pyError as error:
            errors.setdefault(str(error), (error, []))[1].append(job.file)
    for told, unread in errors.values():
        print_error(told)
        if (told.where or "").split(":")[0] not in map(str, unread):
            err().print(f"  not read whole for it: {', '.join(map(str, unread))}", markup=False)
    findings = tuple(found)
    lost = sum(len(unread) for _, unread in errors.values())
    _print(findings, len(jobs), lost, form)
    bad = any(finding.severity is not Severity.NOTE for finding in findings)
    raise typer.Exit(EXIT_NOT_RUN if errors else EXIT_UNEXPECTED if bad else EXIT_OK)


def _jobs(paths: Sequence[Path]) -> Iterator[_Job]:
    """What is to be linted. Raises InputError (``usage``) for configs with more than one module."""
    files = [path for path in paths if not path.is_dir()]
    modules = [file for file in files if file.suffix == ".tla"]
    configs = [file for file in files if file.suffix == ".cfg"]
    for file in files:
        if file.suffix not in (".tla", ".cfg", ".toml", ".json"):
            raise InputError(
                "usage",
                f"{file} is no config, module or sweep file",
                hint="name files that end in .cfg, .tla or .toml",
            )
    swept = {module.resolve() for file in files if file.suffix == ".toml" for module in _swept(file)}
    if configs and len(modules) > 1:
        hint = "give one module, or none: the module beside a config is found by its name"
        raise InputError("usage", "configs with more than one module", hint=hint)
    for folder in (path for path in paths if path.is_dir()):
        found = [_Job(file=file, module=module_of(file)) for file in _within(folder)]
        if not found:
            raise _nothing_in(folder)
        yield from found
    for file in files:
        if file.suffix == ".cfg":
            yield _Job(file=file, module=modules[0] if modules else module_of(file))
        elif file.suffix != ".tla":
            yield _Job(file=file, module=None)
        elif not configs and (file.with_suffix(".cfg").is_file() or file.resolve() not in swept):
            yield _Job(file=config_of(file), module=file)


def _nothing_in(folder: Path) -> InputError:
    for config in sorted(folder.rglob("*.cfg")):
        if any(config.parent.glob("*.tla")):
            return InputError(
                "usage",
                f"no config in {folder} is named after a module beside it, and there is no sweep file",
                hint=f"name the module: tla2py lint {config.parent / '*.cfg'} {_module_beside(config)}",
            )
    return InputError(
        "usage",
        f"{folder} has no config beside a module, and no sweep file",
        hint="name a folder with .cfg files beside their modules, or with sweep files",
    )


def _module_beside(config: Path) -> Path:
    """The only module beside a config; where there are several, what stands for one of them."""
    modules = list(config.parent.glob("*.tla"))
    return modules[0] if len(modules) == 1 else config.parent / "MODULE.tla"


def _within(folder: Path) -> Iterator[Path]:
    """The configs beside their modules, and the sweep files, of a folder and those in it, but for hidden ones."""
    for path in sorted(folder.rglob("*")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts) or not path.is_file():
            continue
        if (path.suffix == ".cfg" and module_of(path)) or (path.suffix == ".toml" and _swept(path)):
            yield path


def _swept(file: Path) -> list[Path]:
    """The modules that a sweep file names, none where it is no sweep file."""
    try:
        named = toml.loads(file.read_text(encoding="utf-8")).get("module", [])
    except (OSError, ValueError):
        return []
    return [file.parent / str(name) for name in (named if isinstance(named, list) else [named])]


def _findings(job: _Job, libraries: Sequence[Path], dialect: Dialect | None) -> Iterator[Finding]:
    if job.file.suffix != ".cfg":
        sweep = load_sweep(job.file, libraries if job.file.suffix == ".json" else ())
        plan = plan_sweep(sweep, "")
        yield from lint_sweep(sweep, plan, dialect)
        check_expectations(sweep, plan)
        return
    # What the text alone tells is told also where the module cannot be read.
    yield from lint_file(job.file, None, (), dialect)
    if job.module is None:
        told = f"{job.file}: no module beside it is named as it begins; only its text is looked at"
        named = f"tla2py lint {job.file} {_module_beside(job.file)}"
        err().print(f"{told}; to name the module: {named}", markup=False)
    else:
        yield from lint_file(job.file, job.module, libraries, dialect)


def _print(findings: Sequence[Finding], files: int, unread: int, form: Format) -> None:
    if form is Format.JSON:
        show_json(findings_json(findings))
    elif form is Format.SARIF:
        typer.echo(findings_sarif(findings), nl=False)
    elif form is Format.GITHUB:
        for line in findings_github(findings):
            typer.echo(line)
    elif findings or unread < files:
        for alike in findings_alike(findings):
            show(finding_text(*alike))
        err().print(findings_summary(findings, files, unread))


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
    spec = check.model.spec
    specs = {spec.root.name: spec}
    if check.verbatim is not None:
        _warn(lint_parsed(check.verbatim, specs, complete=True, dialect=_dialect(jar)))
        return
    # What is given beside it completes it.
    files = [read_config(config)] if config.is_file() else []
    found = [
        each for file in files for each in lint_parsed(file, specs, complete=False, dialect=_dialect(jar))
    ]
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
