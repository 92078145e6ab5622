"""The processes of a trace, and which of them took each step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from tla2py.errors import InputError
from tla2py.trace.trace import State, Trace
from tla2py.values import (
    Function,
    Interval,
    ModelValue,
    Record,
    Value,
    ValueTextError,
    format_value,
    parse_value,
    same_value,
)
from tla2py.values.canonical import in_order

Processes = tuple[Value, ...]

# A longer interval is not a set of processes.
_MOST_NUMBERED = 1000


class Actors(NamedTuple):
    """The processes that took a step.

    ``derived`` means that TLC's printed arguments name none: they are the first process in the derived arguments whose
    part of the state changed, or all with a changed part.
    """

    who: Processes
    derived: bool


def processes_of(trace: Trace, by: str | Iterable[str | Value] | None = None) -> Processes:
    """The processes that ``by`` gives, see ``Trace.lanes``, in canonical order or in the given order.

    Raises InputError (``no-processes``).
    """
    found: Processes | None
    if by is None:
        found = _guess(trace)
        problem = "cannot guess the processes: no variables are functions on two or more names in every state"
    elif isinstance(by, str):
        kinds = [(name.strip(), _named(trace, name.strip())) for name in by.split(",")]
        wrong = next((name for name, kind in kinds if not kind), by)
        found = tuple(dict.fromkeys(one for _, kind in kinds for one in kind or ())) if wrong == by else None
        problem = f"{wrong} is neither a constant that is a set nor a variable that is a function"
    else:
        found = tuple(dict.fromkeys(_process(trace, one) for one in by))
        problem = "no processes given"
    if not found:
        known = sorted({*keyed_variables(trace), *filter(partial(_named, trace), trace.constants)})
        hint = (
            f"use one of {', '.join(known)}, or list the processes in Python, as in lanes(['p1', 'p2'])"
            if known
            else "list the processes in Python, as in lanes(['p1', 'p2'])"
        )
        raise InputError("no-processes", problem, hint=hint)
    return found


def keyed_variables(trace: Trace, processes: Processes | None = None) -> dict[str, frozenset[Value]]:
    """The keys of each variable that is a function with the same keys in every state.

    With ``processes``, all of them are keys, or all keys are processes of one kind among several. A short sequence is not
    a function on some of many numbered processes.
    """
    found: dict[str, frozenset[Value]] = {}
    for variable in trace.states[0].values if trace.states else ():
        domains = {_keys(state.values.get(variable)) for state in trace.states}
        keys = domains.pop()
        if not keys or domains:
            continue
        wanted = keys if processes is None else frozenset(processes)
        if wanted <= keys or (keys < wanted and not _numbered(keys)):
            found[variable] = keys
    return found


def part_of(value: Value, process: Value) -> Value:
    """The value of a function or sequence at a process."""
    if isinstance(value, tuple):
        assert isinstance(process, int)
        return value[process - 1]
    assert isinstance(value, (Function, Record))
    return value[process]  # type: ignore[index]


def acting(trace: Trace) -> list[Actors] | None:
    """Who took each step; None if the processes cannot be inferred or none acts."""
    try:
        found = list(actors(trace, processes_of(trace)))
    except InputError:
        return None
    return found if any(actor.who for actor in found) else None


def actors(trace: Trace, processes: Processes) -> Iterator[Actors]:
    """Who took each step of a trace; empty for its first state."""
    keyed = keyed_variables(trace, processes)
    texts = {format_value(process): process for process in processes}
    before: State | None = None
    for state in trace.states:
        printed = tuple(texts[text] for text in state.action_args or () if text in texts)
        if before is None:
            yield Actors((), derived=False)
        elif printed:
            # The first process among the arguments acts, as in Send(sender, receiver).
            yield Actors(printed[:1], derived=False)
        else:
            changed = _changed(before.values, state.values, keyed, processes)
            bound = [texts[text] for _, text in state.derived if text in texts]
            # A quantifier may range over other processes, such as future leaders; the one that changed acts.
            who = tuple(one for one in bound if one in changed)[:1] or changed
            yield Actors(who, derived=bool(who))
        before = state


def _changed(
    before: Mapping[str, Value],
    after: Mapping[str, Value],
    keyed: Mapping[str, frozenset[Value]],
    processes: Processes,
) -> Processes:
    return tuple(
        process
        for process in processes
        if any(
            not same_value(part_of(before[name], process), part_of(after[name], process))
            for name, keys in keyed.items()
            if process in keys
        )
    )


def _guess(trace: Trace) -> Processes | None:
    domains: dict[frozenset[Value], int] = {}
    for keys in keyed_variables(trace).values():
        domains[keys] = domains.get(keys, 0) + 1
    constants = {frozenset(found) for name in trace.constants if (found := _named(trace, name))}

    def rank(keys: frozenset[Value]) -> tuple[bool, int, int]:
        return keys in constants, domains[keys], len(keys)

    # Numbers are places of a sequence more often than processes, and the fields of a single record are not processes.
    likely = [
        keys
        for keys, count in domains.items()
        if len(keys) > 1
        and not _numbered(keys)
        and (keys in constants or count > 1 or all(isinstance(key, ModelValue) for key in keys))
    ]
    best = max(likely, key=rank, default=None)
    # Where readers are in one constant and writers in another, a variable such as pc has both.
    best = max((keys for keys in likely if best is not None and keys > best), key=len, default=best)
    return tuple(in_order(best)) if best else None


def guess_source(trace: Trace, processes: Processes) -> str:
    """The names that a guess of processes rests on: constants that are their set, or variables that are functions on them."""
    those = frozenset(processes)
    constants = [name for name in trace.constants if frozenset(_named(trace, name) or ()) == those]
    return ", ".join(constants or [name for name, keys in keyed_variables(trace).items() if keys == those])


def _numbered(keys: Iterable[Value]) -> bool:
    return any(isinstance(key, int) for key in keys)


def _named(trace: Trace, name: str) -> Processes | None:
    if name in trace.constants:
        try:
            value = parse_value(trace.constants[name])
        except ValueTextError:
            return None
        if isinstance(value, Interval) and value.size <= _MOST_NUMBERED:
            return tuple(value)
        return tuple(in_order(value)) if isinstance(value, frozenset) else None
    keys = keyed_variables(trace).get(name)
    return tuple(in_order(keys)) if keys else None


def _process(trace: Trace, given: str | Value) -> Value:
    """The model value of that name if the trace has one, or the process as given."""
    if isinstance(given, str):
        for keys in keyed_variables(trace).values():
            if ModelValue(given) in keys:
                return ModelValue(given)
    return given


def _keys(value: Value | None) -> frozenset[Value]:
    if isinstance(value, tuple):
        return frozenset(range(1, len(value) + 1))
    if isinstance(value, Function):
        return frozenset(value)
    # Processes may be strings, which TLC prints as fields of a record.
    return frozenset(value) if isinstance(value, Record) else frozenset()
