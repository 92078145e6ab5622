"""The messages of a counterexample: their senders, receivers and steps."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.show.processes import Processes, actors, keyed_variables, part_of
from tla2py.trace.trace import Trace
from tla2py.values import Function, Interval, Record, Value, format_value, same_value
from tla2py.values.canonical import in_order

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
    found = []
    for name in trace.states[0].values if trace.states else ():
        bags = [_bag(state.values.get(name)) for state in trace.states]
        messages = [message for bag in bags for message in bag or ()]
        if None not in bags and messages and all(_says_who(message, processes) for message in messages):
            found.append(name)
    return found[0] if len(found) == 1 else None


def _says_who(message: Value, processes: Processes) -> bool:
    return any(_ends(message, None, usual, processes) for usual in (_SENDERS, _RECEIVERS))


def _sent(bags: Sequence[dict[Value, int]], last: int) -> list[tuple[int, Value, int | None]]:
    """For each message that a step before row ``last`` sent: its row, the message, and the row that removed it, if any.

    Of equal messages, the one sent first is removed first.
    """
    sent: list[tuple[int, Value]] = []
    taken: dict[int, int] = {}
    waiting: dict[Value, deque[int]] = {}
    before: dict[Value, int] = {}
    for row, bag in enumerate(bags):
        for message in _more(bag, before):
            taken[waiting[message].popleft()] = row
        for message in _more(before, bag):
            waiting.setdefault(message, deque()).append(len(sent))
            sent.append((row, message))
        before = bag
    return [(row, message, taken.get(place)) for place, (row, message) in enumerate(sent) if 0 < row < last]


def _bags(trace: Trace, messages: str) -> list[dict[Value, int]]:
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


@dataclass(frozen=True, slots=True)
class _Reading:
    """A step's change of a process's record, which shows the message it read if messages are not removed."""

    row: int
    process: Value
    before: Record
    after: Record

    def takes_on(self, message: Value) -> bool:
        """Whether the fields shared with a message, at least two, changed to the message's values."""
        if not isinstance(message, Record):
            return False
        common = [name for name in self.after if name in message]
        return (
            len(common) > 1
            and all(same_value(self.after[name], message[name]) for name in common)
            and not all(
                name in self.before and same_value(self.before[name], message[name]) for name in common
            )
        )


def _readings(trace: Trace, processes: Processes) -> Iterator[_Reading]:
    keyed = keyed_variables(trace, processes)
    for row in range(1, len(trace.states)):
        for name, keys in keyed.items():
            for process in (each for each in processes if each in keys):
                old, new = (part_of(trace.states[at].values[name], process) for at in (row - 1, row))
                if isinstance(old, Record) and isinstance(new, Record) and not same_value(old, new):
                    yield _Reading(row, process, old, new)


def _first_readings(message: Value, readings: Sequence[_Reading], since: int) -> dict[Value, int]:
    """The processes that read a message, each with its first row."""
    found: dict[Value, int] = {}
    for reading in readings:
        if reading.row >= since and reading.takes_on(message):
            found.setdefault(reading.process, reading.row)
    return found


def _bag(value: Value | None) -> dict[Value, int] | None:
    """The elements of a set, a bag or a sequence with their counts; None for another value."""
    if isinstance(value, frozenset):
        return dict.fromkeys(value, 1)
    if isinstance(value, tuple):
        return dict(Counter(value))
    if isinstance(value, Function) and all(type(times) is int for times in value.values()):
        return {message: times for message, times in value.items() if isinstance(times, int) and times > 0}
    return None


def _more(few: dict[Value, int], many: dict[Value, int]) -> list[Value]:
    """The elements of the second bag beyond those of the first, in canonical order, with repetitions."""
    messages = in_order(message for message, times in many.items() if times > few.get(message, 0))
    return [message for message in messages for _ in range(many[message] - few.get(message, 0))]


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
