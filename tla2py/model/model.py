"""The parts of a TLC config, named as in TLC's grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from tla2py.errors import InputError
from tla2py.model.logs import LogInput, Vocabulary
from tla2py.tla.constant_types import infer_types
from tla2py.tla.example_values import guess_values
from tla2py.tla.graph import ModuleGraph

# What a parameter of a sweep changes in a model.
ParameterKind = Literal[
    "constant",
    "definition",
    "model",
    "module",
    "config",
    "seed",
    "environment",
    "java_properties",
    "log",
]
# The fields of a config that name one definition, and those that list definitions.
NAME_FIELDS = ("specification", "init", "next", "symmetry", "view", "alias", "periodic", "rl_reward")
# What only a config can name: no key of [model].
_ONLY_IN_CONFIGS = ("periodic", "rl_reward")
MODEL_NAMES = tuple(name for name in NAME_FIELDS if name not in _ONLY_IN_CONFIGS)
LIST_FIELDS = ("invariants", "properties", "constraints", "action_constraints", "postconditions", "possible")


class Assignment(NamedTuple):
    """``name = value`` of a config; a tuple because users' templates unpack it."""

    name: str
    value: str


class Substitution(NamedTuple):
    """``name <- definition`` of a config, ``definition`` perhaps with a ``[Module]`` before it; a tuple for the same reason."""

    name: str
    definition: str


# Operators that a config names as SANY does, where modules and tla2py use another spelling.
CONFIG_SYMBOLS = {"<=": r"\leq", ">=": r"\geq"}


def is_expression(text: str) -> bool:
    """Whether a text in a list of definitions is an expression, and not a name that a config can have."""
    return re.fullmatch(r"\w+", text) is None


def qualified(name: str, value: str) -> str:
    """``Name``, or ``[Module]Name`` if the value names a module; without the arguments of an operator."""
    module = re.match(r"\[\w+\]", value)
    return (module[0] if module else "") + name.partition("(")[0]


def bare_name(name: str) -> str:
    """Return the last part of ``[Module]Name`` or ``Instance!Name``."""
    return re.split(r"(?<=\w)[]!]+(?=.)", name)[-1].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The content of a TLC config; assignments and substitutions are in the order written.

    The lists may hold expressions, each among ``expressions`` with the name of its definition, by which TLC sees it.
    """

    specification: str | None = None
    init: str | None = None
    next: str | None = None
    assignments: tuple[Assignment, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    postconditions: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    symmetry: str | None = None
    view: str | None = None
    alias: str | None = None
    periodic: str | None = None
    rl_reward: str | None = None
    check_deadlock: bool = True
    expressions: tuple[Assignment, ...] = ()

    def named(self) -> Config:
        """The config with definitions for expressions, as TLC reads it."""
        config = self.listing({text: name for name, text in self.expressions})
        symbols = CONFIG_SYMBOLS
        substitutions = tuple(
            Substitution(symbols.get(name, name), symbols.get(by, by)) for name, by in self.substitutions
        )
        return replace(config, expressions=(), substitutions=substitutions)

    def listing(self, shown: Mapping[str, str]) -> Config:
        """The config with other names for those in its lists."""
        lists: dict[str, Any] = {
            key: tuple(shown.get(each, each) for each in getattr(self, key)) for key in LIST_FIELDS
        }
        return replace(self, **lists) if shown else self

    @property
    def replaced_names(self) -> dict[str, str]:
        """What replaces the names of the root, which the config itself uses: not ``<- [Module]``."""
        return {name: by for name, by in self.substitutions if not by.startswith("[")}

    @property
    def replacing_names(self) -> dict[str, str]:
        """By the bare name of a definition, in whatever module, the definition that replaces it."""
        return {bare_name(name): bare_name(by) for name, by in self.substitutions}

    def names(self) -> Iterator[tuple[str, str]]:
        """The names of definitions, each with its field."""
        for key in (*NAME_FIELDS, *LIST_FIELDS):
            value = getattr(self, key)
            yield from ((key, name) for name in (value if isinstance(value, tuple) else (value,)) if name)


class GivenVariable(NamedTuple):
    """An environment variable or a Java property: its name and its value."""

    name: str
    value: str


class InputFile(NamedTuple):
    """A file that a run may read, or has written: its path in the run's folder and the sha256 of its content."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a run may read besides its modules; ``outputs`` are the patterns of the files to keep."""

    environment: tuple[GivenVariable, ...] = ()
    java_properties: tuple[GivenVariable, ...] = ()
    files: tuple[InputFile, ...] = ()
    outputs: tuple[str, ...] = ()
    log: LogInput | None = None

    def facts(self) -> dict[str, object]:
        """What belongs in a run's digest; empty without inputs, as in the digests from before inputs existed."""
        facts = {
            "environment": self.environment,
            "java_properties": self.java_properties,
            "files": self.files,
            "outputs": self.outputs,
            "log": self.log and self.log.facts(),
        }
        return {name: value for name, value in facts.items() if value}

    def without(self, names: Iterable[str]) -> Inputs:
        """The inputs without files of these names, which the run's folder has anyway."""
        taken = {*names}
        files = tuple(file for file in self.files if file.path not in taken)
        return self if files == self.files else replace(self, files=files)


NO_INPUTS = Inputs()


def is_inside(path: str) -> bool:
    """Whether a relative path with slashes stays in its folder."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


LOG_TAG = "tla2py:log"
"""The first element of what TLC prints about the progress through a log."""

LEVEL = 'TLCGet("level")'
"""The expression that counts the lines in modules whose steps are exactly the lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What counts the lines of a log.

    ``expression`` is a state function, such as a variable; ``entries`` names the sequence that it goes through, if known,
    and ``length`` the number of its elements if only that is.
    """

    expression: str
    entries: str | None = None
    length: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What tla2py adds to a specification: ``modules`` are texts by file name, ``extends`` those to extend for the root.

    The run adds the module of its log. ``vocabulary`` is what the log may say of the specification, if anything.
    """

    extends: tuple[str, ...]
    modules: Mapping[str, str] = field(default_factory=dict)
    vocabulary: Vocabulary | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A module with a config, and with values that a config may not be able to express.

    constants: TLA+ text for constants.
    replacements: the name of a definition, or an expression, to replace a definition (``Name`` or ``[Module]Name``).
    permuted: constants whose permutations are the symmetry.
    filled: constants that nothing assigns, each the model value of its own name.
    default_specification: whether the specification is ``Spec`` only because nothing sets the behaviour.
    position: what counts the lines of the log that the model explains; TLC then prints each new maximum.
    extension: modules of tla2py's own that TLC starts from.
    """

    spec: ModuleGraph
    config: Config = field(default_factory=Config)
    constants: tuple[Assignment, ...] = ()
    replacements: tuple[Substitution, ...] = ()
    permuted: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    default_specification: bool = False
    position: Position | None = None
    extension: Extension | None = None


def filled_constants(
    spec: ModuleGraph,
    assigned: Container[str],
    config: Path | None,
    where: Path,
    how: Callable[[str, str], str],
) -> tuple[str, ...]:
    """The constants that nothing assigns; each becomes the model value of its own name.

    ``where`` is the user's file; ``how(name, value)`` is an assignment as written there. Raises InputError
    (``unassigned``) for a constant that must be a number, a set or the like, and for any if a config is given: without
    tla2py, TLC would stop.
    """
    names = tuple(each.name for each in spec.constants if each.name not in assigned)
    types = infer_types(spec) if names else {}
    for name in names:
        kind = types[name]
        if kind.needs_value:
            example = how(name, guess_values(spec, types)[name])
            raise InputError(
                "unassigned",
                f"constant {name} has no value, and the module needs a {kind.demand}: {kind.reason}",
                where=str(config or where),
                hint=f"{kind.where} needs it; assign a value, such as {example}",
            )
    for name in names if config is not None else ():
        message = f"constant {name} has no value, and the config does not assign it"
        hint = f"write CONSTANT {name} = {name} there if it is a model value"
        raise InputError("unassigned", message, where=str(config), hint=hint)
    return names


def filled_text(names: Sequence[str]) -> str:
    """A sentence on the constants that nothing assigns."""
    what = "a model value of its own name" if len(names) == 1 else "model values of their own names"
    return f"not assigned, so {what}: {', '.join(names)}"


def without_names(config: Config, names: Container[str]) -> Config:
    """The config without its assignments and substitutions for some names, ``Name`` or ``[Module]Name``."""
    return replace(
        config,
        assignments=tuple(each for each in config.assignments if qualified(*each) not in names),
        substitutions=tuple(each for each in config.substitutions if qualified(*each) not in names),
    )


def assigned_names(config: Config) -> set[str]:
    """The names that a config assigns or substitutes, operators without their arguments."""
    return {name.partition("(")[0] for name, _ in (*config.assignments, *config.substitutions)}


def default_specification(spec: ModuleGraph, where: str, how: Callable[[str, str], str]) -> str:
    """``Spec``, if the module defines it. Raises InputError (``no-specification``) with candidates.

    ``how(key, name)`` is a setting of ``specification``, ``init`` or ``next`` as the user writes it.
    """
    if "Spec" in spec.definitions:
        return "Spec"
    hint = f"define one in {spec.root.name}, such as Spec == Init /\\ [][Next]_vars, and name it"
    if spec.candidates.specification:
        hint = f"write {how('specification', spec.candidates.specification[0])}"
        others = spec.candidates.specification[1:]
        hint += f"; other candidates: {', '.join(others)}" if others else ""
    elif spec.candidates.init and spec.candidates.next:
        hint = f"write {how('init', spec.candidates.init[0])} and {how('next', spec.candidates.next[0])}"
    message = f"no specification is given and {spec.root.name} defines no Spec"
    raise InputError("no-specification", message, where=where, hint=hint)


def unnameable(name: str, definitions: Container[str], where: str | None) -> InputError | None:
    """The error for a definition of a named instance such as ``I!Inv``, which a config cannot name."""
    if "!" not in name or name not in definitions:
        return None
    alone = name.rpartition("!")[2]
    alone = f"{alone}_" if alone in definitions else alone
    message = f"{name} belongs to a named instance, which a TLC config cannot refer to"
    hint = f"define {alone} == {name} in the module, and write {alone} here"
    return InputError("instance-name", message, where=where, hint=hint)
