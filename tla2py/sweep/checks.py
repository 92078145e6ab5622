"""What the config of a point really asks of TLC, read back from the text that TLC reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path

from tla2py.config.literal import literal_names
from tla2py.config.read import parse_config
from tla2py.lint.temporal import parts_of
from tla2py.lint.values import mistaken_names
from tla2py.model.config import Config
from tla2py.model.run import Run, TlcOptions
from tla2py.syntax import ModuleGraph

# Options of a run that change what is searched; the others change only how fast, or what is told of it.
_SEARCH_OPTIONS = ("mode", "find", "check_deadlock", "seed", "num", "depth", "options", "java_options")


@dataclass(frozen=True, slots=True, order=True)
class Check:
    """One thing that TLC checks: invariant, property, postcondition or deadlock, and the definition's name."""

    kind: str
    name: str = ""

    @property
    def label(self) -> str:
        """The name by which a violation of it goes: the definition's, or ``deadlock``."""
        return self.name or self.kind

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


DEADLOCK = Check("deadlock")


def the_check(text: str) -> str:
    """A check as a lock has it, within a sentence."""
    return text if text == str(DEADLOCK) else f"the {text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFacts:
    """What a config says.

    ``checked`` is in order of kind and name. ``dropped`` was asked for but is not in the text, as with a template that
    leaves it out. ``mistaken`` are (constant, name) where the config makes a model value of a name that the module
    declares. ``doubtful`` are temporal properties that are checked under symmetry. ``digest`` is over all that changes what is checked, but for layout and the texts of the user's modules.
    ``searched`` is what a config says besides what it checks, such as ``constraint Small``, and besides the constants, of
    which ``values`` is a digest, and of the options.
    """

    checked: tuple[Check, ...]
    dropped: tuple[Check, ...]
    model_values: tuple[str, ...]
    mistaken: tuple[tuple[str, str], ...]
    doubtful: tuple[str, ...]
    searched: tuple[str, ...]
    values: str
    digest: str


def config_facts(run: Run, spec: ModuleGraph) -> ConfigFacts:
    """What the config of a run says. Raises InputError (``config-syntax``) for a text that TLC would misread."""
    said = parse_config(run.config_text, Path("MC.cfg")).config
    checked = set(_checks(said, deadlock=_deadlock(run.options)))
    asked = asked_of(run)
    values = {constant: literal_names(text) or frozenset() for constant, text in said.assignments}
    return ConfigFacts(
        checked=tuple(sorted(checked)),
        dropped=tuple(sorted(asked - checked)),
        model_values=tuple(sorted({name for names in values.values() for name in names})),
        mistaken=tuple(mistaken_names(said.assignments, spec)),
        doubtful=tuple(name for name in said.properties if _is_temporal(name, spec)) if said.symmetry else (),
        searched=tuple(sorted(_searched(said, spec))),
        values=_values(run, said, spec),
        digest=_digest(run, said, generated=run.main != spec.root.name),
    )


class ConfigProblemKind(Enum):
    """Why a config proves nothing, whatever TLC says."""

    DROPPED = "dropped"
    NOTHING_CHECKED = "nothing-checked"
    MODEL_VALUE = "model-value"
    SYMMETRY = "symmetry"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """A problem that makes a config prove nothing.

    ``check`` is what the config was to check, ``constant`` and ``name`` are the assignment that is mistaken.
    """

    kind: ConfigProblemKind
    check: Check | None = None
    constant: str | None = None
    name: str | None = None

    def __str__(self) -> str:
        """The problem for a person."""
        match self.kind:
            case ConfigProblemKind.DROPPED:
                return f"the config does not check {the_check(str(self.check))}, which the sweep file lists"
            case ConfigProblemKind.NOTHING_CHECKED:
                return "nothing is checked: the config has no invariant and no property, and deadlock is not looked for"
            case ConfigProblemKind.MODEL_VALUE:
                return (
                    f"the config gives {self.constant} the model value {self.name}, "
                    f"not what the module declares as {self.name}"
                )
            case ConfigProblemKind.SYMMETRY:
                return (
                    f"{self.check and self.check.name} is not decided: with symmetry TLC misses violations of liveness, "
                    "and sees some that are none"
                )


def config_problems(facts: ConfigFacts) -> list[ConfigProblem]:
    """The problems that make a config prove nothing, whatever TLC says."""
    kind = ConfigProblemKind
    return [
        *(ConfigProblem(kind=kind.DROPPED, check=check) for check in facts.dropped),
        *([] if facts.checked else [ConfigProblem(kind=kind.NOTHING_CHECKED)]),
        *(ConfigProblem(kind=kind.MODEL_VALUE, constant=c, name=name) for c, name in facts.mistaken),
        *(ConfigProblem(kind=kind.SYMMETRY, check=Check("property", name)) for name in facts.doubtful),
    ]


def _is_temporal(name: str, spec: ModuleGraph) -> bool:
    return name in spec.definitions and "temporal" in parts_of(name, spec)


def checks_of(config_text: str, options: TlcOptions) -> tuple[Check, ...]:
    """What TLC checks of the behaviours of a config, in its order; nothing where there are none.

    Raises InputError as ``config_facts`` does.
    """
    said = parse_config(config_text, Path("MC.cfg")).config
    if not (said.specification or said.init):
        return ()
    return tuple(dict.fromkeys(_checks(said, deadlock=_deadlock(options))))


def asked_of(run: Run) -> frozenset[Check]:
    """What a run is to check, whatever a template makes of it."""
    return frozenset(_checks(run.config, deadlock=run.options.check_deadlock))


def only_deadlock(runs: Sequence[Run]) -> bool:
    """Whether nothing but deadlock is checked at any of a sweep's points."""
    if any(set(_checks(run.config, deadlock=False)) or not _deadlock(run.options) for run in runs):
        return False
    # A template can name more, and is one for all points.
    return bool(runs) and checks_of(runs[0].config_text, runs[0].options) == (DEADLOCK,)


def _deadlock(options: TlcOptions) -> bool:
    return options.check_deadlock and "-deadlock" not in options.options


def _checks(config: Config, *, deadlock: bool) -> Iterable[Check]:
    for kind, names in (
        ("invariant", config.invariants),
        ("property", config.properties),
        ("postcondition", config.postconditions),
    ):
        yield from (Check(kind, name) for name in names)
    if deadlock:
        yield DEADLOCK


def _searched(said: Config, spec: ModuleGraph) -> Iterable[str]:
    for key in ("specification", "init", "next", "symmetry", "view", "alias"):
        name = getattr(said, key)
        yield from [f"{key} {name}"] if name else []
    yield from (f"constraint {name}" for name in said.constraints)
    yield from (f"action constraint {name}" for name in said.action_constraints)
    constants = _constants(spec)
    yield from (f"substitution {name} <- {by}" for name, by in said.substitutions if name not in constants)


def _constants(spec: ModuleGraph) -> frozenset[str]:
    return frozenset(constant.name for constant in spec.constants)


def _values(run: Run, said: Config, spec: ModuleGraph) -> str:
    constants = _constants(spec)
    given = [pair for pair in said.substitutions if pair[0] in constants]
    options = {key: value for key, value in _options(run).items() if key != "check_deadlock"}
    # Values stand in the wrapper module where something is substituted by what the user's modules do not define.
    generated = any(by.rpartition(" ")[2] not in spec.definitions for _, by in said.substitutions)
    return _digest_of([spec.root.name, said.assignments, given, options, _wrapper(run) if generated else []])


def _digest(run: Run, said: Config, *, generated: bool) -> str:
    filled = {key: value for key, value in asdict(said).items() if value and key != "check_deadlock"}
    return _digest_of([run.main, filled, _options(run), _wrapper(run) if generated else []])


def _options(run: Run) -> dict[str, object]:
    return {key: value for key, value in asdict(run.options).items() if key in _SEARCH_OPTIONS}


def _wrapper(run: Run) -> list[str]:
    """The digest of the wrapper module that we write, which is a part of the config."""
    return [sha256 for name, sha256 in run.modules if name == f"{run.main}.tla"]


def _digest_of(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
