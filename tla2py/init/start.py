"""What a first sweep file takes from the config beside its module."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tla2py.config.read import read_config
from tla2py.errors import InputError
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS, Config, qualified
from tla2py.syntax import ModuleGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The config that a sweep file starts from; an empty one if there is none or it cannot be read.

    constants: the values of constants; ``substitutions`` those that replace constants and definitions.
    left: assignments that a sweep file cannot state.
    """

    path: Path | None = None
    config: Config = field(default_factory=Config)
    constants: dict[str, str] = field(default_factory=dict)
    substitutions: dict[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()


def start_of(spec: ModuleGraph) -> Start:
    """The start for a module: ``X.cfg`` beside ``X.tla``, or else the config in the module's file, or ``models/X.cfg``."""
    assert spec.root.path is not None
    beside = spec.root.path.with_suffix(".cfg")
    for path in (beside, spec.root.path, beside.parent / "models" / beside.name):
        with contextlib.suppress(InputError):
            return _start(path, read_config(path).config, spec)
    return Start()


def _start(path: Path, config: Config, spec: ModuleGraph) -> Start:
    declared = {constant.name for constant in spec.constants}
    constants: dict[str, str] = {}
    substitutions: dict[str, str] = {}
    left: list[str] = []
    for name, text in config.assignments:
        if name.partition("(")[0] not in declared | spec.definitions.keys():
            continue  # TLC ignores it
        if "(" in name or text.startswith("["):
            left.append(f"{name} = {text}")
        elif name in declared:
            constants[name] = text
        else:
            # The model value that replaces a definition cannot have its name.
            substitutions[name] = f"{name}Value" if text == name else text
    for name, definition in config.substitutions:
        substitutions[qualified(name, definition)] = definition.rpartition(" ")[2]
        constants.pop(name, None)
    known: dict[str, Any] = {
        key: tuple(name for name in getattr(config, key) if name in spec.definitions) for key in LIST_FIELDS
    }
    known |= {key: name for key in NAME_FIELDS if (name := getattr(config, key)) in spec.definitions}
    config = Config(check_deadlock=config.check_deadlock, **known)
    return Start(path=path, config=config, constants=constants, substitutions=substitutions, left=tuple(left))


def is_part(name: str, values: Mapping[str, str]) -> bool:
    """Whether the set of a constant is a part of another one's; of two equal sets that of the longer name is."""
    own = _elements(values[name])
    return bool(own) and any(
        own < (other := _elements(text)) or (own == other and len(name) > len(whole))
        for whole, text in values.items()
    )


def _elements(text: str) -> set[str]:
    return (
        {each.strip() for each in text[1:-1].split(",")} if text.startswith("{") and text != "{}" else set()
    )
