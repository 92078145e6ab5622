"""Linting a config file with its module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tla2py.config.read import ConfigFile, config_file, read_config_text
from tla2py.config.statements import read_statements
from tla2py.errors import InputError, Place

# These modules register their rules.
from tla2py.lint import constants as constants
from tla2py.lint import definitions as definitions
from tla2py.lint import names as names
from tla2py.lint import symmetry as symmetry
from tla2py.lint import text as text
from tla2py.lint import types as types
from tla2py.lint.finding import Finding, run_rules
from tla2py.lint.jar import Dialect
from tla2py.lint.subject import Mention, Subject, mentions_of, remaining_values
from tla2py.syntax import ModuleGraph, Translate, load_modules


def lint_file(
    path: Path,
    module: Path | None,
    libraries: Sequence[Path] = (),
    dialect: Dialect | None = None,
    translate: Translate | None = None,
) -> tuple[Finding, ...]:
    """The findings on a config, ordered by place; without a module only the text is linted.

    Raises InputError: ``config-missing``, and as ``load_modules`` does.
    """
    content = read_config_text(path)
    file = config_file(read_statements(content), content, path)
    specs = {}
    if module is not None:
        specs = {module.name: load_modules(module, libraries, translate=translate)}
    return lint_parsed(file, specs, complete=True, dialect=dialect)


def lint_parsed(
    file: ConfigFile, specs: Mapping[str, ModuleGraph], *, complete: bool, dialect: Dialect | None = None
) -> tuple[Finding, ...]:
    """The findings on a parsed config; ``complete`` means that TLC gets no input besides it."""
    # A sweep may override the names in its configs, so they are linted with its points.
    mentions = mentions_of(file.statements, file.path) if complete else ()
    return _lint(file, specs, mentions, complete=complete, dialect=dialect)


def lint_options(spec: ModuleGraph, constants: Mapping[str, str], *files: ConfigFile) -> tuple[Finding, ...]:
    """The findings on constants given to ``check`` as options; they override those of its configs."""
    values = [(name, text, partial(Place, file=f"-c {name}=...")) for name, text in constants.items()]
    misspelt = names.misspelt_names(spec, [*values, *remaining_values(values, *files)])
    return (*types.wrong_types(spec, values), *misspelt)


def check_config_names(
    file: ConfigFile, specs: Mapping[str, ModuleGraph], *, undeclared: bool = False
) -> None:
    """Check that at least one of the modules declares each name that a config uses.

    ``undeclared`` allows values of undeclared constants, which TLC ignores. Raises InputError at the name's place:
    ``unknown-definition``, ``unknown-constant``.
    """
    for finding in _lint(file, specs, mentions_of(file.statements, file.path), complete=False):
        if finding.code == "unknown-definition" or (finding.code == "unknown-constant" and not undeclared):
            raise replace(finding, hint=_other_module(file.path, specs) or finding.hint).to_error()


def _other_module(config: Path, specs: Mapping[str, ModuleGraph]) -> str | None:
    """The hint if a config is named after a module other than the one it is used with."""
    own = module_of(config)
    if own is None or own.name in {Path(name).name for name in specs}:
        return None
    return f"{config.name} is named after {own.name}, which this sweep does not use"


def _lint(
    file: ConfigFile,
    specs: Mapping[str, ModuleGraph],
    mentions: Iterable[Mention],
    *,
    complete: bool,
    dialect: Dialect | None = None,
) -> tuple[Finding, ...]:
    subject = Subject(
        path=file.path,
        config=file.config,
        statements=file.statements,
        mentions=tuple(mentions),
        specs=tuple(specs.values()),
        shown=", ".join(specs),
        complete=complete,
        dialect=dialect,
    )
    return run_rules(subject)


def module_of(config: Path) -> Path | None:
    """The module beside a config, or None: ``Spec.tla`` for ``Spec.cfg``, else ``MCSpec.tla``, else the longest prefix."""
    beside = {path.stem: path for path in config.parent.glob("*.tla")}
    wrapper = beside.get(f"MC{config.stem}") or beside.get(f"MC_{config.stem}")
    begun = [path for stem, path in beside.items() if config.stem.startswith(stem)]
    return beside.get(config.stem) or wrapper or max(begun, key=lambda path: len(path.stem), default=None)


def config_of(module: Path) -> Path:
    """The config of a module. Raises InputError (``config-missing``)."""
    path = module.with_suffix(".cfg")
    if not path.is_file():
        hint = f"name a config: tla2py lint FILE.cfg {module.name}"
        raise InputError("config-missing", f"no {path.name} beside {module}", hint=hint)
    return path
