"""What a config names is held against the modules it is for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tla2py.cfg.literal import literal_names
from tla2py.cfg.read import ConfigFile
from tla2py.errors import InputError
from tla2py.grid import MODEL_LISTS, MODEL_PARAMETERS
from tla2py.sweepfile import nearest
from tla2py.syntax import Spec
from tla2py.syntax.standard import standard_module_of


def check_config_names(file: ConfigFile, specs: Mapping[str, Spec], *, undeclared: bool = False) -> None:
    """Every name a config uses is declared by at least one of the modules.

    With ``undeclared`` it may give values to constants that none declares, which TLC does not mind. Raises InputError: ``unknown-definition`` and ``unknown-constant``, at the name's place in the config.
    """
    definitions = {name for spec in specs.values() for name in spec.definitions}
    constants = {constant.name for spec in specs.values() for constant in spec.constants}
    substitutes = {value for _, value in file.config.substitutions}
    shown = ", ".join(specs)
    for name in _checked(file):
        # A constant may stand for another one, but is nothing to check.
        if name not in definitions and not (name in constants and name in substitutes):
            message = f"{shown} has no definition {name}"
            raise _unknown("unknown-definition", message, name, definitions, file)
    for name, value in () if undeclared else (*file.config.assignments, *file.config.substitutions):
        name = name.partition("(")[0]
        # What a module says of itself alone is not looked at, nor is what a standard module defines.
        own = name in constants | definitions
        # A model value that is only listed, to be used in a set elsewhere, says the same as the set alone.
        listed = name == value and any(
            other != name and name in (literal_names(text) or ()) for other, text in file.config.assignments
        )
        if own or listed or standard_module_of(name) or "!" in name or value.startswith("["):
            continue
        message = f"{shown} declares no constant {name}"
        raise _unknown("unknown-constant", message, name, constants | definitions, file)


def _checked(file: ConfigFile) -> Iterator[str]:
    config = file.config
    for key in MODEL_LISTS:
        yield from getattr(config, key)
    for key in MODEL_PARAMETERS:
        if (name := getattr(config, key)) is not None:
            yield name
    for _, value in config.substitutions:
        if not value.startswith("["):
            yield value


def _unknown(code: str, message: str, name: str, known: Iterable[str], file: ConfigFile) -> InputError:
    close = nearest(name, sorted(known))
    return InputError(
        code,
        message,
        where=_place(file, name),
        hint=f"did you mean {close}?" if close else "'tla2py inspect' lists what a module declares",
    )


def _place(file: ConfigFile, name: str) -> str:
    for number, line in enumerate(file.text.splitlines(), 1):
        if found := re.search(rf"(?<![\w!]){re.escape(name)}(?![\w!])", line.partition("\\*")[0]):
            return f"{file.path}:{number}:{found.start() + 1}"
    return str(file.path)
