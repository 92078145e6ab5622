"""The processes of a trace, which of them took each step, and the messages between them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from tla2py.errors import InputError
from tla2py.model.trace import State, Trace
from tla2py.tla.value import Function, Interval, ModelValue, Record, Value, format_value, in_order, same_value
from tla2py.tla.value_text import ValueTextError, parse_value

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
        kinds = [(name.strip(), _find_processes(trace, name.strip())) for name in by.split(",")]
        wrong = next((name for name, kind in kinds if not kind), by)
        found = tuple(dict.fromkeys(one for _, kind in kinds for one in kind or ())) if wrong == by else None
        problem = f"{wrong} is neither a constant that is a set nor a variable that is a function"
    else:
        found = tuple(dict.fromkeys(_process(trace, one) for one in by))
        problem = "no processes given"
    if not found:
        known = sorted({*keyed_variables(trace), *filter(partial(_find_processes, trace), trace.constants)})
        hint = "list the processes in Python, as in lanes(['p1', 'p2'])"
        if known:
            hint = (
                f"use one of {', '.join(known)}, or list the processes in Python, as in lanes(['p1', 'p2'])"
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
            changed = tuple(
                process
                for process in processes
                if any(
                    not same_value(
                        part_of(before.values[name], process), part_of(state.values[name], process)
                    )
                    for name, keys in keyed.items()
                    if process in keys
                )
            )
            bound = [texts[text] for _, text in state.derived if text in texts]
            # A quantifier may range over other processes, such as future leaders; the one that changed acts.
            who = tuple(one for one in bound if one in changed)[:1] or changed
            yield Actors(who, derived=bool(who))
        before = state


def _guess(trace: Trace) -> Processes | None:
    domains = Counter(keyed_variables(trace).values())
    constants = {frozenset(found) for name in trace.constants if (found := _find_processes(trace, name))}

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
    constants = [name for name in trace.constants if frozenset(_find_processes(trace, name) or ()) == those]
    return ", ".join(constants or [name for name, keys in keyed_variables(trace).items() if keys == those])


def _numbered(keys: Iterable[Value]) -> bool:
    return any(isinstance(key, int) for key in keys)


def _find_processes(trace: Trace, name: str) -> Processes | None:
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


# Common names of the fields for a message's ends.
_SENDERS = ("source", "src", "msource", "from", "sender", "frm")
_RECEIVERS = ("dest", "dst", "mdest", "to", "receiver", "target", "rcvr")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A message, sent in the step of row ``sent`` and received in that of row ``received``, None if never received.

    A message is received when a step removes it from the set or bag, or when a process takes on the values of its
    fields. ``sender`` and ``receiver`` are processes, None if unknown. ``again`` is the row of the state after the step
    that receives it in the next round of a lasso.
    """

    text: str
    sender: Value | None
    receiver: Value | None
    sent: int
    received: int | None
    again: int | None = None

    @property
    def lost(self) -> bool:
        """Whether nobody receives it."""
        return self.received is None and self.again is None

    @property
    def drawn(self) -> bool:
        """Whether its sender or receiver is known."""
        return self.sender is not None or self.receiver is not None

    @property
    def stub(self) -> bool:
        """Whether it was not received and has no known receiver."""
        return self.receiver is None and self.received is None


def message_arrows(
    trace: Trace, processes: Processes, messages: str, sender: str | None, receiver: str | None
) -> Iterator[Arrow]:
    """The messages sent through a variable, one arrow for each receiver. Raises InputError (``no-messages``).

    ``sender`` and ``receiver`` name the fields that hold a message's ends; common names are recognised by default.
    """
    acting = [actor.who for actor in actors(trace, processes)]
    readings = list(_readings(trace, processes))
    bags = _bags(trace, messages)
    last = len(bags)
    start = last if trace.loop_start is None else trace.loop_start - trace.states[0].index
    # What is left at the end of a lasso may be received by the step that closes it, or later in the next round.
    for row, message, taken in _sent(bags + bags[start:], last):
        again = start + taken - last if taken is not None and taken >= last else None
        received = taken if again is None else None
        senders = _ends(message, sender, _SENDERS, processes) or acting[row]
        receivers = _ends(message, receiver, _RECEIVERS, processes)
        if received is not None:
            times = dict.fromkeys(receivers or acting[received], received)
        else:
            times = _first_readings(message, readings, row + 1)
        for one in receivers or (*times,) or (None,):
            yield Arrow(
                text=format_value(message),
                sender=senders[0] if len(senders) == 1 else None,
                receiver=one,
                sent=row,
                received=received if one is None else times.get(one),
                again=again,
            )


def messages_variable(trace: Trace, processes: Processes) -> str | None:
    """The only variable whose records all name processes in a field for senders or receivers; None if there is no such."""

    def says_who(message: Value) -> bool:
        return any(_ends(message, None, usual, processes) for usual in (_SENDERS, _RECEIVERS))

    found = []
    for name in trace.states[0].values if trace.states else ():
        bags = [_bag(state.values.get(name)) for state in trace.states]
        messages = [message for bag in bags for message in bag or ()]
        if None not in bags and messages and all(map(says_who, messages)):
            found.append(name)
    return found[0] if len(found) == 1 else None


def _sent(bags: Sequence[Counter[Value]], last: int) -> list[tuple[int, Value, int | None]]:
    """For each message that a step before row ``last`` sent: its row, the message, and the row that removed it, if any.

    Of equal messages, the one sent first is removed first.
    """
    sent: list[tuple[int, Value]] = []
    taken: dict[int, int] = {}
    waiting: dict[Value, deque[int]] = {}
    before = Counter[Value]()
    for row, bag in enumerate(bags):
        for message in _in_order(before - bag):
            taken[waiting[message].popleft()] = row
        for message in _in_order(bag - before):
            waiting.setdefault(message, deque()).append(len(sent))
            sent.append((row, message))
        before = bag
    return [(row, message, taken.get(place)) for place, (row, message) in enumerate(sent) if 0 < row < last]


def _bags(trace: Trace, messages: str) -> list[Counter[Value]]:
    found = [_bag(state.values.get(messages)) for state in trace.states]
    bags = [bag for bag in found if bag is not None]
    if len(bags) < len(found):
        known = [name for name, value in trace.states[0].values.items() if _bag(value) is not None]
        raise InputError(
            "no-messages",
            f"{messages} is not a set, a bag or a sequence of messages in every state",
            hint=f"sets, bags and sequences: {', '.join(known) or 'none'}",
        )
    return bags


_Reading: TypeAlias = tuple[int, Value, Record, Record]
"""A row, a process and its record before and after: the change shows the message it read if messages are not removed."""


def _readings(trace: Trace, processes: Processes) -> Iterator[_Reading]:
    keyed = keyed_variables(trace, processes)
    for row in range(1, len(trace.states)):
        for name, keys in keyed.items():
            for process in (each for each in processes if each in keys):
                old, new = (part_of(trace.states[at].values[name], process) for at in (row - 1, row))
                if isinstance(old, Record) and isinstance(new, Record) and not same_value(old, new):
                    yield row, process, old, new


def _first_readings(message: Value, readings: Sequence[_Reading], since: int) -> dict[Value, int]:
    """The processes that read a message, each with its first row.

    The fields that its record shares with the message, at least two, change to the message's values.
    """
    found: dict[Value, int] = {}
    for row, process, *records in readings:
        if row < since or not isinstance(message, Record):
            continue
        common = [name for name in records[1] if name in message]
        before, after = (
            all(name in record and same_value(record[name], message[name]) for name in common)
            for record in records
        )
        if len(common) > 1 and after and not before:
            found.setdefault(process, row)
    return found


def _bag(value: Value | None) -> Counter[Value] | None:
    """The elements of a set, a bag or a sequence with their counts; None for another value."""
    if isinstance(value, (frozenset, tuple)):
        return Counter(value)
    if isinstance(value, Function) and all(type(times) is int for times in value.values()):
        return +Counter({message: times for message, times in value.items() if isinstance(times, int)})
    return None


def _in_order(bag: Counter[Value]) -> list[Value]:
    """The elements of a bag in canonical order, with repetitions."""
    return [message for message in in_order(bag) for _ in range(bag[message])]


def _ends(message: Value, field: str | None, usual: Sequence[str], processes: Processes) -> Processes:
    """The processes in a field of a message: the given one, or the first with a common name."""
    if not isinstance(message, Record):
        return ()
    for name in (field,) if field else usual:
        if name in message:
            return tuple(one for one in processes if _is_or_has(message[name], one))
    return ()


def _is_or_has(value: Value, process: Value) -> bool:
    """Whether a value is the process, or a set that contains it."""
    if isinstance(value, Interval):
        return type(process) is int and process in value
    return any(same_value(process, one) for one in (value if isinstance(value, frozenset) else (value,)))
