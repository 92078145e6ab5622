"""The model of a single check, from a config and options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tla2py.config.places import config_beside
from tla2py.config.read import ConfigFile, read_config
from tla2py.config.statements import MISTAKE_CODES
from tla2py.errors import InputError
from tla2py.execution.options import ModelOptions, given_constants
from tla2py.model.config import Assignment, Config, Substitution
from tla2py.model.model import (
    Model,
    assigned_names,
    default_specification,
    filled_constants,
    unnameable,
    without_names,
)
from tla2py.syntax import ModuleGraph, Translate
from tla2py.text import did_you_mean
from tla2py.toolchain.community import load_specification


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckModel:
    """The model of a check.

    ``verbatim`` is the config file if TLC gets it unchanged, ``config`` the one that the model starts from. ``given``
    are the constants of the options.
    """

    model: Model
    verbatim: ConfigFile | None
    config: Path | None = None
    given: Mapping[str, str] = field(default_factory=dict)


def default_model(
    module: Path,
    options: ModelOptions,
    libraries: Sequence[Path] = (),
    *,
    translate: Translate | None = None,
    no_lint: bool = False,
) -> CheckModel:
    """The model of a module: its config, named or beside it, overridden by the options.

    ``no_lint`` gives TLC a config that does not parse, if nothing overrides it.

    Raises InputError as ``load_modules`` and ``read_config`` do, and ``constant-syntax``, ``unknown-constant``,
    ``unknown-definition``, ``instance-name``, ``unassigned``, ``no-specification``, ``usage``.
    """
    spec = load_specification(module, libraries, translate=translate)
    named = options.config or config_beside(module)
    given = given_constants(options.constants)
    specification, init, next_ = options.specification, options.init, options.next
    invariants, properties = options.invariants, options.properties
    behaviour = tuple(name for name in (specification, init, next_) if name)
    verbatim = not (given or invariants or properties or behaviour)
    file = None
    if named is not None:
        file = read_config(named, MISTAKE_CODES if no_lint else (), verbatim=verbatim)
    if specification and (init or next_):
        raise InputError(
            "usage",
            "--specification excludes --init and --next",
            hint="give either --specification, or --init and --next",
        )
    _check_given(spec, given, (*invariants, *properties, *behaviour))
    config = file.config if file is not None else Config()
    if options.check_deadlock is not None:
        config = replace(config, check_deadlock=options.check_deadlock)
    if file is not None and verbatim:
        return CheckModel(model=Model(spec=spec, config=config), verbatim=file, config=file.path)
    config = without_names(config, given)
    names = {c.name for c in spec.constants}
    if specification:
        config = replace(config, specification=specification, init=None, next=None)
    elif init or next_:
        config = replace(config, specification=None, init=init or config.init, next=next_ or config.next)
        if not (config.init and config.next):
            raise InputError(
                "usage", "--init and --next go together", hint=f"add --{'next' if init else 'init'} NAME"
            )
    elif (spec.variables or invariants or properties) and not (
        config.specification or config.init or config.next
    ):
        specification = default_specification(spec, str(module), lambda key, name: f"--{key} {name}")
        config = replace(config, specification=specification)
    filled = filled_constants(
        spec,
        given.keys() | assigned_names(config),
        file.path if file is not None else None,
        module,
        lambda name, value: f"-c {shlex.quote(f'{name}={value}')}",
    )
    values = given | {name: name for name in filled}
    model = Model(
        spec=spec,
        config=replace(
            config,
            invariants=(*config.invariants, *(n for n in invariants if n not in config.invariants)),
            properties=(*config.properties, *(n for n in properties if n not in config.properties)),
        ),
        constants=tuple(
            Assignment(each.name, values[each.name]) for each in spec.constants if each.name in values
        ),
        replacements=tuple(Substitution(name, text) for name, text in given.items() if name not in names),
        filled=filled,
    )
    return CheckModel(model=model, verbatim=None, config=file.path if file else None, given=given)


def _check_given(spec: ModuleGraph, given: dict[str, str], names: Sequence[str]) -> None:
    constants = [c.name for c in spec.constants]
    for name, known in (
        *((name, [*constants, *spec.definitions]) for name in given),
        *((name, list(spec.definitions)) for name in names),
    ):
        if name not in known:
            raise InputError(
                "unknown-constant" if name in given else "unknown-definition",
                f"{spec.root.name} has no {'constant' if name in given else 'definition'} {name}",
                hint=did_you_mean(name, known, "'tla2py inspect' lists what a module declares"),
            )
    for name in names:
        if error := unnameable(name, spec.definitions, None):
            raise error
