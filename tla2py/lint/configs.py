"""Linting a config file with its module."""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tla2py.config.places import config_beside
from tla2py.config.read import ConfigFile, config_file, read_config_text
from tla2py.config.statements import read_statements
from tla2py.errors import InputError, Place

# These modules register their rules.
from tla2py.lint import constants as constants
from tla2py.lint import definitions as definitions
from tla2py.lint import ignore as ignore
from tla2py.lint import model_values as model_values
from tla2py.lint import names as names
from tla2py.lint import symmetry as symmetry
from tla2py.lint import text as text
from tla2py.lint import types as types
from tla2py.lint.finding import RULES, Finding, run_rules
from tla2py.lint.jar import Dialect
from tla2py.lint.subject import AssignedValue, Mention, Subject, mentions_of, remaining_values
from tla2py.syntax import ModuleGraph, Translate
from tla2py.toolchain.community import load_specification

_UNKNOWN = ("unknown-definition", "unknown-constant")


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
        specs = {module.name: load_specification(module, libraries, translate=translate)}
    return lint_parsed(file, specs, complete=True, dialect=dialect)


def lint_parsed(
    file: ConfigFile,
    specs: Mapping[str, ModuleGraph],
    *,
    complete: bool,
    dialect: Dialect | None = None,
    used: Container[tuple[str, str]] | None = None,
) -> tuple[Finding, ...]:
    """The findings on a parsed config; ``complete`` means that TLC gets no input besides it.

    ``used`` are as in ``unknown_names``.
    """
    if complete:
        mentions = mentions_of(file.statements, file.path)
        return _lint(file, specs, mentions, complete=True, dialect=dialect)
    # A sweep may override the names in its configs, so they are linted with its points.
    rest = RULES.keys() - set(_UNKNOWN)
    found = _lint(file, specs, (), complete=False, dialect=dialect, codes=rest)
    return (*unknown_names(file, specs, used), *found)


def lint_options(spec: ModuleGraph, constants: Mapping[str, str], *files: ConfigFile) -> Iterator[Finding]:
    """The findings on constants given to ``check`` as options; they override those of its configs."""
    values = [(name, text, partial(Place, file=f"-c {name}=...")) for name, text in constants.items()]
    return lint_values(spec, values, files)


def lint_values(
    spec: ModuleGraph,
    values: Sequence[AssignedValue],
    files: Iterable[ConfigFile],
    permuted: Container[str] = (),
) -> Iterator[Finding]:
    """The findings on values that override those of configs; ``permuted`` are the constants of a symmetry."""
    yield from types.wrong_types(spec, values, permuted)
    whole = [*values, *remaining_values(values, *files)]
    yield from names.misspelt_names(spec, whole)
    yield from model_values.odd_model_values(spec, whole)


def unknown_names(
    file: ConfigFile, specs: Mapping[str, ModuleGraph], used: Container[tuple[str, str]] | None = None
) -> Iterator[Finding]:
    """The findings on names in a config that none of the modules declares.

    ``used`` are the keys and names of a sweep's points, which may override those of the config.
    """
    mentions = mentions_of(file.statements, file.path)
    taken = [each for each in mentions if used is None or (each.key, each.name) in used]
    for finding in _lint(file, specs, taken, complete=False, codes=_UNKNOWN):
        yield replace(finding, hint=_other_module(file.path, specs) or finding.hint)


def check_config_names(file: ConfigFile, specs: Mapping[str, ModuleGraph]) -> None:
    """Check the names in a config. Raises InputError: ``unknown-definition``, ``unknown-constant``."""
    for finding in unknown_names(file, specs):
        if finding.refuses:
            raise finding.to_error()


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
    codes: Collection[str] = RULES,
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
    return tuple(
        ignore.mark_ignored(run_rules(subject, codes), ignore.comment_reasons(file.statements, file.path))
    )


# How many folders above a config may have its module.
_LEVELS = 3


def module_of(config: Path, libraries: Sequence[Path] = ()) -> Path | None:
    """The module of a config: beside it, in the folders above, nearest first, or in ``libraries``; None without one.

    It is ``Spec.tla`` for ``Spec.cfg``, otherwise ``MCSpec.tla``, otherwise the longest prefix.
    """
    above = [Path(os.path.normpath(config.parent / ("../" * level))) for level in range(_LEVELS + 1)]
    found = (_module_in(folder, config) for folder in dict.fromkeys([*above, *libraries]))
    return next((module for module in found if module is not None), None)


def _module_in(folder: Path, config: Path) -> Path | None:
    beside = {path.stem: path for path in folder.glob("*.tla")}
    wrapper = beside.get(f"MC{config.stem}") or beside.get(f"MC_{config.stem}")
    begun = [path for stem, path in beside.items() if config.stem.startswith(stem)]
    return beside.get(config.stem) or wrapper or max(begun, key=lambda path: len(path.stem), default=None)


def config_of(module: Path) -> Path:
    """The config of a module. Raises InputError (``config-missing``)."""
    path = config_beside(module)
    if path is None:
        hint = f"name a config: tla2py lint FILE.cfg {module.name}"
        raise InputError("config-missing", f"no {module.stem}.cfg beside {module}", hint=hint)
    return path
