"""``[logs.map]``: from the fields of a log that was not written for it to an action, its arguments and the state."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tla2py.errors import InputError
from tla2py.logs.formats import JsonValue, LogLine, type_name
from tla2py.logs.literal import scalar_text, string_text, value_error
from tla2py.model.logs import LogMap, LogRemark

_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a line says: the action or None, its arguments, and parts of the state after it."""

    line: LogLine
    action: str | None
    args: Mapping[str, JsonValue]
    state: Mapping[str, JsonValue]


@dataclass(slots=True)
class Mapper:
    """The observations of lines; ``remarks`` collects the fields that nothing uses, once each."""

    map: LogMap = field(default_factory=LogMap)
    remarks: list[LogRemark] = field(default_factory=list)
    _used: frozenset[str] = frozenset()
    _reported: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        given = self.map
        paths = (given.action, given.clock or "", *given.args.values(), *given.state.values(), *given.drop)
        tops = (path.partition(".")[0] for path in paths)
        self._used = frozenset({"args", "state", "clock", *tops, *given.ignore})

    def kept(self, lines: Iterable[LogLine], *, required: bool = True) -> Iterator[LogLine]:
        """The lines without those to drop. Raises InputError (``log-empty``) if some are ``required`` and none is left."""
        found, name = not required, ""
        for line in lines:
            name = line.file
            if any(_found(line.fields, path) in values for path, values in self.map.drop.items()):
                continue
            found = True
            yield line
        if not found:
            hint = "keep the lines that report steps"
            raise InputError("log-empty", "[logs.map] drops every line of the log", where=name, hint=hint)

    def steps(self, logs: Sequence[Iterable[LogLine]]) -> Iterator[LogLine]:
        """The lines of the files of one run that are steps, in their order. Raises InputError as ``merged`` does.

        A file of several may be empty.
        """
        return merged([self.kept(log, required=len(logs) == 1) for log in logs], self.map.clock)

    def observations(self, logs: Sequence[Iterable[LogLine]]) -> Iterator[Observation]:
        """What each step of a run says. Raises InputError (``log-field``, ``log-empty``), and as ``merged`` does."""
        return map(self.observation, self.steps(logs))

    def observation(self, line: LogLine) -> Observation:
        """What a line says. Raises InputError (``log-field``)."""
        fields = line.fields
        if not fields.keys() <= self._used:
            for name in sorted(fields.keys() - self._used - self._reported):
                self._reported.add(name)
                text = f"the field {name} is not used: map it in [logs.map], or list it in ignore"
                self.remarks.append(LogRemark(line.file, line.number, text))
        args = dict(_object(line, "args"))
        state = dict(_object(line, "state"))
        for values, paths in ((args, self.map.args), (state, self.map.state)):
            for name, path in paths.items():
                if (value := _found(fields, path)) is not _ABSENT:
                    values[name] = value  # type: ignore[assignment]
        action = _found(fields, self.map.action)
        if action is _ABSENT or action is None:
            return Observation(line=line, action=None, args=args, state=state)
        if not isinstance(action, str):
            raise _wrong(line, self.map.action, "the name of an action", action)  # type: ignore[arg-type]
        return Observation(line=line, action=self.map.actions.get(action, action), args=args, state=state)


def merged(logs: Sequence[Iterable[LogLine]], clock: str | None) -> Iterator[LogLine]:
    """The lines of the files of one run in the order of their clocks; lines with equal clocks in the order of the files.

    Raises InputError: ``log-clock`` for a line without a number as its clock, or with one below that of the line
    before; ``log-unordered`` for several files without a clock.
    """
    if clock is None:
        if len(logs) > 1:
            hint = 'name the field of their clock: [logs.map] clock = "clock"'
            raise InputError("log-unordered", f"{len(logs)} files of one run have no order", hint=hint)
        for each in logs:
            yield from each
        return
    yield from heapq.merge(*(_clocked(each, clock) for each in logs), key=lambda line: _clock(line, clock))


def _clocked(lines: Iterable[LogLine], clock: str) -> Iterator[LogLine]:
    """The lines of a file, whose clock must not run backwards."""
    before: tuple[float, int] | None = None
    for line in lines:
        now = _clock(line, clock)
        if before is not None and now < before[0]:
            problem = f"{clock} runs backwards: {now:,} after {before[0]:,} in line {before[1]}"
            hint = "merge by a clock that only grows within a process, such as a Lamport clock"
            raise InputError("log-clock", problem, where=line.where, hint=hint)
        before = now, line.number
        yield line


def _clock(line: LogLine, clock: str) -> float:
    value = _found(line.fields, clock)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        shown = "missing" if value is _ABSENT else type_name(value)  # type: ignore[arg-type]
        hint = "each line of a run with a clock has it, as a number"
        raise InputError("log-clock", f"the clock {clock} is {shown}", where=line.where, hint=hint)
    return value


def _object(line: LogLine, name: str) -> Mapping[str, JsonValue]:
    value = line.fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(line, name, "an object", value)
    return value


def _found(fields: JsonValue, path: str) -> object:
    """The value of a field by its path; a field whose name has dots comes first."""
    if isinstance(fields, dict) and path in fields:
        return fields[path]
    value = fields
    for name in path.split("."):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return _ABSENT
    return value


def _wrong(line: LogLine, name: str, wanted: str, value: JsonValue) -> InputError:
    hint = 'a line is an object such as {"action": "Send", "args": {"to": "n1"}, "state": {"sent": 1}}'
    return InputError(
        "log-field", f"{name} must be {wanted}, not {type_name(value)}", where=line.where, hint=hint
    )


MATCH_MODULE = "Tla2pyMatch"
"""The name of the module that compares values with what a log says."""

GIVES, SHOWS = "Tla2py_Gives", "Tla2py_Shows"
"""The operators that compare an argument, and whether a line shows a variable; both take the line and a name."""

_DEEPEST = 60

# TLC refuses to compare values of different types, so the text of a value decides its type. Said is <<0, text>> for
# numbers, booleans and the value of null, <<1, string, texts of model values>>, <<2, keys with what is said>>, <<3, elements>>.
MATCH_TEXT = f"""---- MODULE {MATCH_MODULE} ----
\\* Written by tla2py: compares values with what a log says of them.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Begins(text, characters) == SubSeq(text, 1, 1) \\in characters
LOCAL Digits == {{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-"}}
LOCAL Quote == {{"\\""}}
LOCAL IsKey(key, name) ==
  LET text == ToString(key) IN IF Begins(text, Quote) THEN key = name ELSE text = name
RECURSIVE Tla2py_Agrees(_, _)
Tla2py_Agrees(value, said) ==
  CASE said[1] = 0 -> ToString(value) = said[2]
    [] said[1] = 1 ->
         LET text == ToString(value)
         IN  IF Begins(text, Quote) THEN value = said[2] ELSE text \\in said[3]
    [] said[1] = 2 ->
         LET text == ToString(value)
         IN  IF text \\in {{"<<>>", "<< >>"}} \\/ ~Begins(text, {{"[", "(", "<"}})
             THEN said[2] = <<>> /\\ Begins(text, {{"<"}})
             ELSE \\A i \\in 1..Len(said[2]) :
                    \\E key \\in DOMAIN value :
                      IsKey(key, said[2][i][1]) /\\ Tla2py_Agrees(value[key], said[2][i][2])
    [] said[1] = 3 ->
         LET text == ToString(value)
             size == Len(said[2])
         IN  CASE Begins(text, {{"<"}}) ->
                    /\\ Len(value) = size
                    /\\ \\A i \\in 1..size : Tla2py_Agrees(value[i], said[2][i])
               [] Begins(text, {{"{{"}})
                    \\/ (Begins(text, Digits) /\\ \\E i \\in 2..Len(text) : SubSeq(text, i, i) = ".") ->
                    /\\ \\A element \\in value : \\E i \\in 1..size : Tla2py_Agrees(element, said[2][i])
                    /\\ \\A i \\in 1..size : \\E element \\in value : Tla2py_Agrees(element, said[2][i])
               [] OTHER -> FALSE
Tla2py_After(number) == number + 1
Tla2py_UpTo(number, bound) == number <= bound
Tla2py_Matches(line, names, arguments) ==
  /\\ line.action = "" \\/ line.action \\in names
  /\\ DOMAIN line.args \\subseteq arguments
Tla2py_Gives(line, name, value) == name \\in DOMAIN line.args => Tla2py_Agrees(value, line.args[name])
Tla2py_Shows(line, name) == name \\in DOMAIN line.state
====
"""


def said_text(
    value: JsonValue, where: str, path: str, model_values: Collection[str], null: str | None, depth: int = 0
) -> str:
    """What a log says of a value, as the TLA+ text that ``Tla2py_Agrees`` takes; ``path`` leads to it, ``depth`` levels down.

    A string also stands for the model value of that name. Raises InputError (``log-value``).
    """
    if depth > _DEEPEST:
        raise value_error(f"{path} is nested deeper than {_DEEPEST} levels", where)

    def inner(part: JsonValue, name: str) -> str:
        return said_text(part, where, name, model_values, null, depth + 1)

    match value:
        case str():
            model_value = f"{{{string_text(value, where)}}}" if value in model_values else "{}"
            return f"<<1, {string_text(value, where)}, {model_value}>>"
        case dict():
            pairs = (
                f"<<{string_text(key, where)}, {inner(each, f'{path}.{key}')}>>"
                for key, each in value.items()
            )
            return f"<<2, <<{', '.join(pairs)}>>>>"
        case list():
            return f"<<3, <<{', '.join(inner(each, path) for each in value)}>>>>"
    return f"<<0, {string_text(scalar_text(value, where, path, null), where)}>>"
