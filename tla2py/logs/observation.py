"""A module that takes exactly the steps of a specification that agree with a log.

Each line of the log is a step: of the action that it names, with the arguments that it gives, to a state that it shows
parts of. All of that may be missing. A first line of the action ``Init`` shows the initial state instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import starmap
from typing import IO

from tla2py.errors import InputError
from tla2py.logs.action_model import Behavior, find_behavior
from tla2py.logs.formats import shown
from tla2py.logs.literal import COUNT_NAME, LOG_MODULE, LOG_NAME, string_text, write_log
from tla2py.logs.mapping import MATCH_MODULE, MATCH_TEXT, Observation, said_text
from tla2py.model.logs import LogMap, LogObservation, Vocabulary
from tla2py.model.model import Config, Extension, Model, Position
from tla2py.text import did_you_mean
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.levels import Level, Levels
from tla2py.tla.parse import parse_expression

OBSERVED = "Observed_"
POSITION = "Tla2py_line"
"""The variable that holds the number of the next line."""

_HIDDEN = "Tla2py_hidden"
# No action has this name.
_INITIAL = "initial state"
_LINE = f"{LOG_NAME}[{POSITION}]"


def observed_module(
    spec: ModuleGraph,
    config: Config = Config(),  # noqa: B008 - it is frozen
    *,
    unobserved: int = 0,
    actions: Collection[str] = (),
    expressions: Iterable[str] = (),
    place: Callable[..., str | None] = lambda *_, **__: None,
) -> Extension:
    """The module that checks logs of a specification, the same for all of them; the run adds the log as ``LOG_MODULE``.

    ``config`` names its behaviour. Up to ``unobserved`` steps of ``actions``, or
    of any action, may come before each line. ``expressions`` are those that lines show beside the variables, such as the
    keys of ``LogMap.state``. ``place`` is where a key of ``[logs]`` is written.

    Raises InputError: ``log-behavior``, ``log-action`` for an unobserved action that is missing, and
    ``expression-syntax``.
    """
    behavior = find_behavior(spec, config)
    state = list(dict.fromkeys([*(each.name for each in spec.variables), *expressions]))
    for each in expressions:
        _check_expression(spec, each, place("map", "state", value=each))
    arguments: dict[str, frozenset[str]] = {}
    for way in behavior.ways:
        for name in _names(way.names):
            arguments[name] = arguments.get(name, frozenset()) | way.arguments
    for each in actions:
        if each not in arguments:
            raise _unknown(spec.root.name, "action", each, arguments, place("unobserved", value=each))
    main = f"{OBSERVED}{spec.root.name}"
    # Names of the specification are taken.
    steps = dict.fromkeys(spec.scope.names, "")
    definitions = [*_lines(behavior, steps, hiding=unobserved > 0)]
    if unobserved:
        definitions += _hidden(behavior, steps, unobserved, frozenset(actions))
    steps = {name: action for name, action in steps.items() if action}
    variables = [POSITION, *([_HIDDEN] if unobserved else [])]
    started = "".join(f" /\\ {name} = 0" for name in variables[1:])
    text = "\n".join(
        [
            f"---- MODULE {main} ----",
            "\\* Written by tla2py: the steps that agree with a log.",
            f"EXTENDS {', '.join((spec.root.name, *behavior.standard, LOG_MODULE, MATCH_MODULE))}",
            f"VARIABLES {', '.join(variables)}",
            _shows("Tla2py_Begins", state, f"{LOG_NAME}[1]", ""),
            _shows("Tla2py_Seen", state, _LINE, "'"),
            "Tla2py_Init ==",
            f'{behavior.init} /\\ {POSITION} = (IF {LOG_NAME}[1].action = "{_INITIAL}" THEN 2 ELSE 1) /\\',
            f"({POSITION} = 2 => Tla2py_Begins){started}",
            *definitions,
            "Tla2py_Next ==\n" + " \\/ ".join(steps),
            "====",
            "",
        ]
    )
    return Extension(
        extends=(main,),
        modules={f"{main}.tla": text, f"{MATCH_MODULE}.tla": MATCH_TEXT},
        vocabulary=Vocabulary(
            steps=steps,
            arguments={name: tuple(sorted(known)) for name, known in sorted(arguments.items())},
            state=tuple(state),
            init_names=tuple(sorted(behavior.init_names - arguments.keys())),
        ),
    )


def write_observed(
    file: IO[str],
    vocabulary: Vocabulary,
    observations: Iterable[Observation],
    *,
    model_values: Collection[str] = (),
    null: str | None = None,
) -> None:
    """Write the observations of a log to ``file``, the ``Tla2pyLog.tla`` of a run.

    ``model_values`` are those of the model: a string of that name stands for them too. Raises InputError:
    ``log-action``, ``log-argument``, ``log-variable``, ``log-value``.
    """

    def record(number: int, observation: Observation) -> str:
        _check(vocabulary, observation, first=not number)
        where, action = observation.line.where, observation.action or ""
        if not number and action in vocabulary.init_names:
            action = _INITIAL
        parts = [f"action |-> {string_text(action, where)}"]
        for name, values in (("args", observation.args), ("state", observation.state)):
            said = [
                f"{string_text(key, where)} :> {said_text(value, where, f'{name}.{key}', model_values, null)}"
                for key, value in values.items()
            ]
            listed = " @@ ".join(said)
            parts.append(f"{name} |-> {f'({listed})' if said else '<<>>'}")
        return f"[{', '.join(parts)}]"

    write_log(file, starmap(record, enumerate(observations)))


def _check(vocabulary: Vocabulary, observation: Observation, *, first: bool) -> None:
    """Raise InputError for an unknown action (``log-action``), argument (``log-argument``) or variable (``log-variable``)."""
    where, action, owner = observation.line.where, observation.action, "the specification"
    if first and action in vocabulary.init_names:
        known: Collection[str] = ()
    elif action is None:
        known = {name for each in vocabulary.arguments.values() for name in each}
    elif action in vocabulary.arguments:
        known = vocabulary.arguments[action]
    else:
        raise _unknown(owner, "action", action, vocabulary.arguments, where, "; [logs.map] actions renames")
    for name in observation.args:
        if name not in known:
            raise _unknown(shown(action) if action else owner, "argument", name, known, where)
    for name in observation.state:
        if name not in vocabulary.state:
            raise _unknown(owner, "variable", name, vocabulary.state, where)


def _unknown(
    owner: str, what: str, name: str, known: Iterable[str], where: str | None, more: str = ""
) -> InputError:
    names = sorted(known)
    return InputError(
        f"log-{what}",  # codes: log-action, log-argument, log-variable
        f"{owner} has no {what} {shown(name)}",
        where=where,
        hint=did_you_mean(name, names, f"its {what}s are {', '.join(names) or 'none'}{more}"),
    )


def _check_expression(spec: ModuleGraph, text: str, where: str | None) -> None:
    """Raise InputError (``expression-syntax``, ``log-variable``, ``expression-fails``) for what no line can show."""
    try:
        expression = parse_expression(text)
    except InputError as error:
        raise InputError(error.code, error.message, where=where, hint=error.hint) from None
    variables = {each.name for each in spec.variables}
    if not expression.names & (variables | spec.definitions.keys()):
        raise _unknown(spec.root.name, "variable", text, variables, where)
    if Levels(spec.resolver).of_expression(expression.body, spec.scope) > Level.STATE:
        raise InputError(
            "expression-fails",
            f"{text} is not about a state, which is what a line shows",
            where=where,
            hint="leave out primes and temporal operators: a line shows the state after its step",
        )


def _names(names: Iterable[str]) -> set[str]:
    """The names that a log may use for actions: those of an instance also without its name."""
    return {each for name in names for each in (name, name.rpartition("!")[2])}


def _lines(behavior: Behavior, steps: dict[str, str], *, hiding: bool) -> Iterator[str]:
    """The definitions of the steps that take a line."""
    hidden = f" /\\ {_HIDDEN}' = 0" if hiding else ""
    for way in behavior.ways:
        name = _new("Line", way.action, steps)
        yield from way.written(f"{name}_Step", lambda each: f'Tla2py_Gives({_LINE}, "{each}", {each})')
        names, arguments = (_set(each) for each in (_names(way.names), way.arguments))
        named = f' /\\ {_LINE}.action # ""' if way.within else ""
        yield (
            f"{name} == Tla2py_UpTo({POSITION}, {COUNT_NAME}) /\\ Tla2py_Matches({_LINE}, {names}, {arguments}){named} /\\ "
            f"{name}_Step /\\ Tla2py_Seen /\\ {POSITION}' = Tla2py_After({POSITION}){hidden}"
        )


def _hidden(
    behavior: Behavior, steps: dict[str, str], unobserved: int, actions: frozenset[str]
) -> Iterator[str]:
    """The definitions of the steps between lines."""
    for way in behavior.ways:
        if (not actions and way.within is None) or actions & _names(way.names):
            name = _new("Unobserved", way.action, steps)
            yield from way.written(f"{name}_Step", None)
            yield (
                f"{name} == Tla2py_UpTo({POSITION}, {COUNT_NAME}) /\\ "
                f"Tla2py_UpTo(Tla2py_After({_HIDDEN}), {unobserved}) /\\ "
                f"{name}_Step /\\ {POSITION}' = {POSITION} /\\ {_HIDDEN}' = Tla2py_After({_HIDDEN})"
            )


def _new(kind: str, action: str, steps: dict[str, str]) -> str:
    """A new name for a step of an action, which is added to the steps."""
    name = base = f"{kind}_{action.replace('!', '_')}"
    number = 1
    while name in steps:
        number += 1
        name = f"{base}_{number}"
    steps[name] = action
    return name


def _shows(name: str, state: Iterable[str], line: str, prime: str) -> str:
    """The definition that what a line shows of a state agrees with it."""
    parts = (
        f"(Tla2py_Shows({line}, {quoted}) => Tla2py_Agrees(({each}){prime}, {line}.state[{quoted}]))"
        for each in state
        for quoted in [string_text(each, "")]
    )
    return f"{name} ==\n" + " /\\\n".join(parts)


def _set(names: Iterable[str]) -> str:
    return "{" + ", ".join(f'"{name}"' for name in sorted(names)) + "}"


ObservedPlace = Callable[..., str]
"""Where a key of ``[logs]`` is written, or a ``value`` in it."""


@dataclass(frozen=True, kw_only=True)
class ObservedLogs:
    """How logs are checked against a specification alone.

    ``unobserved`` is how many steps of ``actions``, or of any action, may come before each line. ``place`` is where a key
    of ``[logs]`` is written. ``silent`` is the share of lines that may say nothing.
    """

    map: LogMap
    unobserved: int
    actions: tuple[str, ...]
    place: ObservedPlace
    silent: float = 0.0
    _modules: dict[tuple[int, str | None, str | None, str | None], Extension] = field(default_factory=dict)

    def model(self, model: Model) -> Model:
        """The model that takes the steps of the log. It keeps the constants, the constraints and the invariants.

        Properties tell of infinite behaviours, and symmetry and views of states without a log.
        Raises InputError: ``log-behavior``, ``log-action``, ``log-argument``, ``expression-syntax``.
        """
        config = model.config
        extension = self._module(model.spec, config)
        config = Config(
            init="Tla2py_Init",
            next="Tla2py_Next",
            assignments=config.assignments,
            substitutions=config.substitutions,
            invariants=config.invariants,
            constraints=config.constraints,
            action_constraints=config.action_constraints,
            alias=config.alias,
            check_deadlock=False,
        )
        return replace(
            model,
            config=config,
            permuted=(),
            default_specification=False,
            position=Position(expression=POSITION, length=COUNT_NAME),
            extension=extension,
        )

    def observed(self, model: Model) -> LogObservation:
        """How a run of such a model reads its log."""
        assert model.extension is not None
        assert model.extension.vocabulary is not None
        return LogObservation(map=self.map, vocabulary=model.extension.vocabulary, silent=self.silent)

    def _module(self, spec: ModuleGraph, config: Config) -> Extension:
        key = (id(spec), config.specification, config.init, config.next)
        if key not in self._modules:
            module = observed_module(
                spec,
                config,
                unobserved=self.unobserved,
                actions=self.actions,
                expressions=self.map.state,
                place=self.place,
            )
            assert module.vocabulary is not None
            known = module.vocabulary.arguments
            for action in self.map.actions.values():
                if action not in known and action not in module.vocabulary.init_names:
                    where = self.place("map", "actions", value=action)
                    raise _unknown(spec.root.name, "action", action, known, where)
            arguments = {name for each in known.values() for name in each}
            for name in self.map.args:
                if name not in arguments:
                    where = self.place("map", "args", value=name)
                    raise _unknown(spec.root.name, "argument", name, arguments, where)
            self._modules[key] = module
        return self._modules[key]
