"""Linting a config file, with the module it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

# The rules register themselves.
from tla2py.config.read import ConfigFile, config_file, read_config_text
from tla2py.config.statements import read_statements
from tla2py.errors import InputError, Place
from tla2py.lint import constants as constants
from tla2py.lint import definitions as definitions
from tla2py.lint import names as names
from tla2py.lint import text as text
from tla2py.lint import types as types
from tla2py.lint.finding import Finding, finding_of, run_checks
from tla2py.lint.jar import Dialect
from tla2py.lint.subject import Mention, Subject, beside, mentions_of
from tla2py.syntax import ModuleGraph, Translate, load_modules


def lint_file(
    path: Path,
    module: Path | None,
    libraries: Sequence[Path] = (),
    dialect: Dialect | None = None,
    translate: Translate | None = None,
) -> tuple[Finding, ...]:
    """The findings on a config, by their places; without a module only the text is looked at.

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
    """The findings on a config that is read; ``complete`` says that TLC is given nothing beside it."""
    # What a sweep lays over the config is looked at with its points, and so is what it leaves of the config.
    mentions = tuple(mentions_of(file.statements, file.path)) if complete else ()
    return run_checks(_subject(file, specs, mentions, complete=complete, dialect=dialect))


def lint_options(spec: ModuleGraph, constants: Mapping[str, str], *files: ConfigFile) -> tuple[Finding, ...]:
    """The findings on constants that ``check`` is given as options, over what a config says, if there is one."""
    values = [(name, text, partial(Place, file=f"-c {name}=...")) for name, text in constants.items()]
    found = types.wrong_types(spec, values), names.misspelt_names(spec, [*values, *beside(values, *files)])
    return tuple(map(finding_of, chain(*found)))


def check_names(file: ConfigFile, specs: Mapping[str, ModuleGraph], *, undeclared: bool = False) -> None:
    """See that every name that a config uses is declared by at least one of the modules.

    With ``undeclared`` it may give values to constants that none declares, which TLC does not mind. Raises InputError: ``unknown-definition`` and ``unknown-constant``, at the name's place in the config.
    """
    subject = _subject(file, specs, tuple(mentions_of(file.statements, file.path)), complete=False)
    for finding in run_checks(subject):
        if finding.code == "unknown-definition" or (finding.code == "unknown-constant" and not undeclared):
            raise replace(finding, hint=_other_module(file.path, specs) or finding.hint).to_error()


def _other_module(config: Path, specs: Mapping[str, ModuleGraph]) -> str | None:
    """What to say of a config that is named after another module than it is used with."""
    own = module_of(config)
    if own is None or own.name in {Path(name).name for name in specs}:
        return None
    return f"{config.name} is named after {own.name}, which is not the module here"


def _subject(
    file: ConfigFile,
    specs: Mapping[str, ModuleGraph],
    mentions: tuple[Mention, ...],
    *,
    complete: bool,
    dialect: Dialect | None = None,
) -> Subject:
    return Subject(
        path=file.path,
        config=file.config,
        statements=file.statements,
        mentions=mentions,
        specs=tuple(specs.values()),
        shown=", ".join(specs),
        complete=complete,
        dialect=dialect,
    )


def module_of(config: Path) -> Path | None:
    """The module beside a config: the one whose name begins the config's, the longest of them, else MC of that name.

    ``Spec.tla`` for ``Spec.cfg`` and ``SpecSmall.cfg``. None where there is none.
    """
    beside = {path.stem: path for path in config.parent.glob("*.tla")}
    wrapper = beside.get(f"MC{config.stem}") or beside.get(f"MC_{config.stem}")
    begun = [path for stem, path in beside.items() if config.stem.startswith(stem)]
    return beside.get(config.stem) or wrapper or max(begun, key=lambda path: len(path.stem), default=None)


def config_of(module: Path) -> Path:
    """The config of a module. Raises InputError (``config-missing``)."""
    path = module.with_suffix(".cfg")
    if not path.is_file():
        hint = f"name a config: tla2py lint FILE.cfg {module.name}"
        raise InputError("config-missing", f"{module} has no {path.name} beside it", hint=hint)
    return path
