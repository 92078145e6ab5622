"""Linting files and folders: configs with their modules, and sweep files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tla2py import toml
from tla2py.errors import InputError, Tla2pyError
from tla2py.lint.accept import apply_acceptance
from tla2py.lint.configs import config_of, lint_file, module_of
from tla2py.lint.finding import Finding
from tla2py.lint.ignore import shown_findings
from tla2py.lint.jar import Dialect
from tla2py.lint.sweeps.rules import lint_sweep
from tla2py.sweep.load.sweeps import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.vacuity import check_expectations
from tla2py.syntax import Translate


@dataclass(frozen=True, slots=True, kw_only=True)
class LintedFile:
    """A config, with its module if known, or a sweep file."""

    file: Path
    module: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport:
    """The findings on files, and each error with the files that it left partly unread.

    ``skipped`` are the configs in folders that have no module.
    """

    files: tuple[LintedFile, ...]
    findings: tuple[Finding, ...]
    errors: tuple[tuple[Tla2pyError, tuple[Path, ...]], ...]
    skipped: tuple[Path, ...]

    @property
    def unread(self) -> int:
        """The number of files that were not read completely."""
        return sum(len(files) for _, files in self.errors)

    @property
    def text_only(self) -> tuple[Path, ...]:
        """The configs without a module; only their text was linted."""
        unread = {file for _, files in self.errors for file in files}
        return tuple(
            each.file
            for each in self.files
            if each.file.suffix == ".cfg" and each.module is None and each.file not in unread
        )


def lint_paths(
    paths: Sequence[Path],
    libraries: Sequence[Path],
    dialect: Dialect | None,
    translate: Translate | None = None,
) -> LintReport:
    """The report on files and folders. Raises InputError (``usage``, ``config-missing``) if there is nothing to lint."""
    skipped: list[Path] = []
    files = tuple(_linted_files(paths, libraries, skipped))
    found: dict[Finding, None] = {}
    # Several configs of one module share the errors of that module.
    errors: dict[str, tuple[Tla2pyError, list[Path]]] = {}
    for each in files:
        try:
            for finding in shown_findings(_findings(each, libraries, dialect, translate)):
                found[finding] = None
        except Tla2pyError as error:
            errors.setdefault(str(error), (error, []))[1].append(each.file)
    return LintReport(
        files=files,
        findings=tuple(found),
        errors=tuple((error, tuple(unread)) for error, unread in errors.values()),
        skipped=tuple(skipped),
    )


def module_beside(config: Path) -> Path:
    """The only module beside a config, or a placeholder if there are several."""
    modules = list(config.parent.glob("*.tla"))
    return modules[0] if len(modules) == 1 else config.parent / "MODULE.tla"


def _findings(
    each: LintedFile, libraries: Sequence[Path], dialect: Dialect | None, translate: Translate | None
) -> Iterator[Finding]:
    if each.file.suffix not in (".cfg", ".tla"):
        sweep = load_sweep(each.file, libraries if each.file.suffix == ".json" else (), translate=translate)
        plan = plan_sweep(sweep, "")
        for config in sweep.configs.values():
            if config.problem is not None:
                yield from lint_file(config.path, None, (), dialect)
        findings = apply_acceptance(lint_sweep(sweep, plan, dialect), sweep.file.accept)
        yield from findings.open
        yield from (each.finding for each in findings.accepted if each.finding.ignored)
        check_expectations(sweep, plan)
        for error in plan.errors:
            raise error
        return
    # Findings on the text are kept even if the module cannot be read.
    yield from lint_file(each.file, None, (), dialect)
    if each.module is not None:
        yield from lint_file(each.file, each.module, libraries, dialect, translate)


def _linted_files(
    paths: Sequence[Path], libraries: Sequence[Path], skipped: list[Path]
) -> Iterator[LintedFile]:
    """The files to lint; adds the configs of folders that have no module to ``skipped``."""
    files = [path for path in paths if not path.is_dir()]
    modules = [file for file in files if file.suffix == ".tla"]
    configs = [file for file in files if file.suffix == ".cfg"]
    for file in files:
        if file.suffix not in (".tla", ".cfg", ".toml", ".json"):
            raise InputError(
                "usage",
                f"{file} is not a config, module or sweep file",
                hint="name files that end in .cfg, .tla or .toml",
            )
    swept = {module.resolve() for file in files if file.suffix == ".toml" for module in _swept(file)}
    if configs and len(modules) > 1:
        hint = "name one module, or none: tla2py finds the module beside a config by its name"
        raise InputError("usage", "several modules for the configs", hint=hint)
    for folder in (path for path in paths if path.is_dir()):
        found = [*_within(folder, libraries)]
        linted = [each for each in found if each.module is not None or each.file.suffix != ".cfg"]
        if not linted:
            raise _nothing_in(folder)
        skipped += [each.file for each in found if each not in linted]
        yield from linted
    for file in files:
        if file.suffix == ".cfg":
            yield LintedFile(file=file, module=modules[0] if modules else module_of(file, libraries))
        elif file.suffix != ".tla":
            yield LintedFile(file=file)
        elif not configs and (file.with_suffix(".cfg").is_file() or file.resolve() not in swept):
            yield LintedFile(file=config_of(file), module=file)


def _within(folder: Path, libraries: Sequence[Path]) -> Iterator[LintedFile]:
    """The configs and sweep files below a folder, except hidden ones."""
    for path in sorted(folder.rglob("*")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts) or not path.is_file():
            continue
        if path.suffix == ".cfg":
            yield LintedFile(file=path, module=module_of(path, libraries))
        elif path.suffix == ".toml" and _swept(path):
            yield LintedFile(file=path)


def _swept(file: Path) -> list[Path]:
    """The modules that a TOML file names; none if it is not a sweep file."""
    try:
        named = toml.loads(file.read_text(encoding="utf-8")).get("module", [])
    except (OSError, ValueError):
        return []
    return [file.parent / str(name) for name in (named if isinstance(named, list) else [named])]


def _nothing_in(folder: Path) -> InputError:
    for config in sorted(folder.rglob("*.cfg")):
        if any(config.parent.glob("*.tla")):
            configs, module = config.parent / "*.cfg", module_beside(config)
            return InputError(
                "usage",
                f"no config in {folder} is named after a module beside it, and there is no sweep file",
                hint=f"name the module: tla2py lint {configs} {module}",
            )
    return InputError(
        "usage",
        f"{folder} has no config beside a module, and no sweep file",
        hint="name a folder with .cfg files beside their modules, or with sweep files",
    )
