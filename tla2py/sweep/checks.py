"""What TLC checks at a point, parsed from the config text that TLC reads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from tla2py.lint.constants import mistaken_names
from tla2py.lint.definitions import is_temporal
from tla2py.lint.views import hidden_variables
from tla2py.model.finding import Acceptance, accepted_reason
from tla2py.model.model import NAME_FIELDS, Assignment, Config
from tla2py.model.run import Run, TlcOptions
from tla2py.model.trace import ViolationKind, label_of
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.instrument import with_definitions
from tla2py.tlc.config.read import parse_config
from tla2py.tlc.config.statements import literal_names

_DECLARED = ("environment", "java_properties")
# Options that change what TLC searches; the others change only speed and output.
_SEARCH_OPTIONS = ("mode", "find", "check_deadlock", "seed", "num", "depth", "options", "java_options")


CheckKind: TypeAlias = ViolationKind | Literal["property"]


@dataclass(frozen=True, slots=True, order=True)
class Check:
    """One thing that TLC checks, with the name of its definition or of an assertion."""

    kind: CheckKind
    name: str = ""

    @property
    def label(self) -> str:
        """The label of its violations, see ``label_of``."""
        return label_of(self.kind, self.name)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


DEADLOCK = Check("deadlock")
# Of a run whose verdict is whether some behaviour reaches the end of its log.
LOG = Check("postcondition", "log")


def check_phrase(text: str) -> str:
    """A check from a lock, as part of a sentence."""
    return text if text == str(DEADLOCK) else f"the {text}"


class DoubtfulProperty(NamedTuple):
    """A temporal property that TLC misjudges, and the finding that says why."""

    name: str
    code: Literal["symmetry-liveness", "view-liveness"]

    @property
    def text(self) -> str:
        """The problem in words."""
        cause = "symmetry" if self.code == "symmetry-liveness" else "a view"
        return f"{self.name} is not decided: with {cause} TLC may miss violations of liveness, or report false ones"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFacts:
    """What a config says.

    - ``checked``: sorted by kind and name
    - ``dropped``: requested by the sweep file but turned off by an option of TLC
    - ``mistaken``: (constant, name) where TLC makes a model value of the name of a definition or of another constant
    - ``doubtful``: temporal properties that TLC misjudges under symmetry, or with a view that hides a variable
    - ``searched``: statements that shape the search, such as ``constraint Small``
    - ``values``: a digest of constants, options, variables and properties
    - ``digest``: over all that changes what TLC checks, except layout and the texts of the user's modules
    - ``config``: the parsed text
    """

    checked: tuple[Check, ...]
    dropped: tuple[Check, ...]
    model_values: tuple[str, ...]
    mistaken: tuple[tuple[str, str], ...]
    doubtful: tuple[DoubtfulProperty, ...]
    searched: tuple[str, ...]
    values: str
    digest: str
    config: Config


def config_facts(run: Run, spec: ModuleGraph) -> ConfigFacts:
    """The facts about a run's config. Raises InputError (``config-syntax``) if TLC would misread it."""
    written = run.config.expressions
    config = parse_config(run.config_text, Path("MC.cfg")).config.listing(dict(written))
    spec = with_definitions(spec, [text for _, text in written])
    assertions = [Check("assert", each.name) for each in run.assertions]
    checked = {*_checks(config, deadlock=_deadlock(run.options)), *assertions}
    if run.assumptions:
        # Without a behaviour there is neither a state nor a deadlock.
        checked = {Check("assumption", each.name) for each in run.assumptions}
    if run.inputs.log is not None and run.inputs.log.decides:
        checked.add(LOG)
    # What the sweep file requests, whatever the template renders.
    requested = {*_checks(run.config, deadlock=run.options.check_deadlock), *assertions}
    names = frozenset[str]().union(*(literal_names(text) or () for _, text in config.assignments))
    constants = {constant.name for constant in spec.constants}
    given = [pair for pair in config.substitutions if pair[0] in constants]
    replaced = [pair for pair in config.substitutions if pair[0] not in constants]
    searched = [
        *map(" ".join, _list_definitions(config)),
        *(f"substitution {name} <- {by}" for name, by in replaced),
    ]
    options = _options(run)
    valued = {key: value for key, value in options.items() if key != "check_deadlock"}
    filled = {key: value for key, value in asdict(config).items() if value and key != "check_deadlock"}
    # The generated wrapper module is part of the config.
    wrapper = [sha256 for name, sha256 in run.modules if name == f"{run.main}.tla"]
    # A substitution that the user's modules do not define has its value there.
    inside = any(by.rpartition(" ")[2] not in spec.definitions for _, by in config.substitutions)
    values = [spec.root.name, config.assignments, given, valued, wrapper if inside else []]
    digested = [run.main, filled, options, wrapper if run.main != spec.root.name else []]
    return ConfigFacts(
        checked=tuple(sorted(checked)),
        dropped=() if run.assumptions else tuple(sorted(requested - checked)),
        model_values=tuple(sorted(names)),
        mistaken=tuple(mistaken_names(config.assignments, spec)),
        doubtful=tuple(_doubtful_properties(config, spec)),
        searched=tuple(sorted(searched)),
        values=_digest_of(values),
        digest=_digest_of(digested),
        config=config,
    )


def _doubtful_properties(config: Config, spec: ModuleGraph) -> Iterator[DoubtfulProperty]:
    hides = config.view is not None and hidden_variables(config.view, spec)
    if not config.symmetry and not hides:
        return
    for name in config.properties:
        if name not in spec.definitions or not is_temporal(name, spec):
            continue
        if config.symmetry:
            yield DoubtfulProperty(name, "symmetry-liveness")
        if hides:
            yield DoubtfulProperty(name, "view-liveness")


class ConfigProblem(NamedTuple):
    """A reason why a config proves nothing, whatever TLC finds: its code, the reason in words, and the check concerned."""

    code: Literal["not-in-config", "nothing-checked", "model-value", "symmetry-liveness", "view-liveness"]
    text: str
    subject: str | None = None


def config_problems(
    facts: ConfigFacts, acceptance: Acceptance, ignored: Container[str]
) -> Iterator[ConfigProblem]:
    """The reasons why a config proves nothing, whatever TLC finds.

    ``[accept]`` may accept symmetry and views. ``ignored`` are names of findings, such as ``model-value N``.
    """
    for check in facts.dropped:
        text = f"the config does not check {check_phrase(str(check))}, which the sweep file lists"
        yield ConfigProblem("not-in-config", text, check.label)
    if not facts.checked:
        text = "nothing is checked: the config has no invariant and no property, and the check for deadlock is off"
        yield ConfigProblem("nothing-checked", text)
    for constant, name in facts.mistaken:
        if f"model-value {constant}" not in ignored:
            text = f"the config gives {constant} the model value {name} and ignores the module's {name}"
            yield ConfigProblem("model-value", text)
    for each in facts.doubtful:
        if accepted_reason(acceptance, each.code, each.name) is None:
            yield ConfigProblem(each.code, each.text, each.name)


def checks_of(
    config_text: str, options: TlcOptions, expressions: Sequence[Assignment] = ()
) -> tuple[Check, ...]:
    """What TLC checks, in the order of the config, with ``expressions`` as written; nothing without behaviours.

    Raises InputError as ``config_facts`` does.
    """
    config = parse_config(config_text, Path("MC.cfg")).config.listing(dict(expressions))
    if not (config.specification or config.init):
        return ()
    return tuple(dict.fromkeys(_checks(config, deadlock=_deadlock(options))))


def only_deadlock(runs: Sequence[Run]) -> bool:
    """Whether all points check deadlock and nothing else."""
    for run in runs:
        others = bool(run.assumptions) or any(_checks(run.config, deadlock=False))
        if others or not _deadlock(run.options) or run.inputs.log is not None:
            return False
    # The template, the same for all points, may add checks.
    return bool(runs) and checks_of(runs[0].config_text, runs[0].options) == (DEADLOCK,)


def _deadlock(options: TlcOptions) -> bool:
    return options.check_deadlock and "-deadlock" not in options.options


def _checks(config: Config, *, deadlock: bool) -> Iterable[Check]:
    yield from (Check("invariant", name) for name in config.invariants)
    yield from (Check("property", name) for name in config.properties)
    yield from (Check("postcondition", name) for name in (*config.postconditions, *config.possible))
    if deadlock:
        yield DEADLOCK


def named_definitions(config: Config) -> Iterable[tuple[str, str]]:
    """The kind and name of each definition that decides what TLC searches and checks."""
    yield from ((kind, name) for kind, name in _list_definitions(config) if kind != "alias")
    yield from ((check.kind, check.name) for check in _checks(config, deadlock=False))


def _list_definitions(config: Config) -> Iterable[tuple[str, str]]:
    yield from ((key, name) for key in NAME_FIELDS if (name := getattr(config, key)))
    yield from (("constraint", name) for name in config.constraints)
    yield from (("action constraint", name) for name in config.action_constraints)


def _options(run: Run) -> dict[str, object]:
    """The options, variables and properties that a run's result may depend on."""
    options = {key: value for key, value in asdict(run.options).items() if key in _SEARCH_OPTIONS}
    # Those of runs that declare none of them have the digests of before.
    declared = {key: value for key, value in run.inputs.facts().items() if key in _DECLARED}
    return options | declared


def _digest_of(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
