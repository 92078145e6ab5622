"""How much the lines of a log say, and what a log that says nothing may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tla2py.logs.formats import JsonValue, LogLine, shown
from tla2py.logs.mapping import Observation
from tla2py.model.logs import LogContent, LogMap, LogRemark, Vocabulary
from tla2py.text import listed

_MOST_FIELDS = 8
_MOST_HINTS = 4
# Names that are less alike than this are not confused.
_LEAST_ALIKE = 0.6
# A name such as st is short for state, one letter is not.
_SHORTEST = 2


def says_something(observation: Observation) -> bool:
    """Return whether a line names an action, an argument or a part of the state.

    An empty object agrees with every record and function, so a variable that has it is not compared.
    """
    if observation.action is not None or observation.args:
        return True
    return any(value != {} for value in observation.state.values())


@dataclass(slots=True)
class ContentCounter:
    """Count the lines of a log that say something while its observations pass through.

    ``fields`` are those of the lines that say nothing, by path, each with its first value that is not null.
    """

    said: int = 0
    silent: int = 0
    first_silent: LogLine | None = None
    first_silent_entry: int | None = None
    fields: dict[tuple[str, ...], JsonValue] = field(default_factory=dict)

    def count(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """Yield the observations, and count them."""
        for entry, observation in enumerate(observations, 1):
            if says_something(observation):
                self.said += 1
            else:
                self._add_silent(entry, observation.line)
            yield observation

    @property
    def content(self) -> LogContent:
        """What was counted."""
        first = self.first_silent
        return LogContent(
            said=self.said,
            silent=self.silent,
            first_silent=None if first is None else first.where,
            first_silent_entry=self.first_silent_entry,
        )

    def _add_silent(self, entry: int, line: LogLine) -> None:
        self.silent += 1
        if self.first_silent is None:
            self.first_silent, self.first_silent_entry = line, entry
        for path, value in _fields_by_path(line.fields):
            if self.fields.get(path) is None:
                self.fields[path] = value


def _fields_by_path(fields: Mapping[str, JsonValue]) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """Yield the fields of a line, and those of the objects in it."""
    for name, value in fields.items():
        yield (name,), value
        if isinstance(value, dict):
            for inner_name, inner_value in value.items():
                yield (name, inner_name), inner_value


def refusal(counter: ContentCounter, log_map: LogMap, vocabulary: Vocabulary) -> LogRemark | None:
    """Return the remark that refuses a log of which no line says anything, None if one does."""
    first = counter.first_silent
    if counter.said or first is None:
        return None
    names = [shown(path[0]) for path in counter.fields if len(path) == 1]
    having = f"its fields are {listed(names, _MOST_FIELDS)}" if names else "its lines have no fields"
    text = f"no line names an action, an argument or a part of the state; {having}."
    hints = FieldHints(log_map, vocabulary).find(counter.fields)
    paths = [log_map.action, "args", "state", *log_map.args.values(), *log_map.state.values()]
    read = f"The fields that are read: {', '.join(dict.fromkeys(paths))}; [logs.map] names others."
    return LogRemark(first.file, first.number, "\n".join([text, *hints, read]), refuses=True)


class FieldHints:
    """Find the fields that were probably meant as an action, its arguments or the state, by their values or names."""

    def __init__(self, log_map: LogMap, vocabulary: Vocabulary) -> None:
        self._map = log_map
        self._actions = {*vocabulary.arguments, *vocabulary.init_names, *log_map.actions}
        self._arguments = {name for names in vocabulary.arguments.values() for name in names}
        self._state = {*vocabulary.state}

    def find(self, fields: Mapping[tuple[str, ...], JsonValue]) -> list[str]:
        """Return a hint for each such field, without those inside of another one."""
        hints: dict[tuple[str, ...], str] = {}
        for path, value in fields.items():
            hint = None if path[:1] in hints else self._hint(path, value)
            if hint is not None and len(hints) < _MOST_HINTS:
                hints[path] = hint
        return list(hints.values())

    def _hint(self, path: tuple[str, ...], value: JsonValue) -> str | None:
        if value == {} and path[:1] == ("state",):
            return f"{_path_text(path)} is an empty object, which compares nothing."
        for mapped in (*self._map.state.values(), *self._map.args.values()):
            if are_alike(path, mapped):
                return _renaming(path, mapped)
        if isinstance(value, dict):
            return self._hint_of_object(path, value)
        if isinstance(value, str) and are_alike(path, self._map.action):
            return _renaming(path, self._map.action)
        if isinstance(value, str) and value in self._actions:
            return _mapping(path, "action", None)
        if path[-1] in self._state:
            return _mapping(path, "state", path[-1])
        if path[-1] in self._arguments:
            return _mapping(path, "args", path[-1])
        return None

    def _hint_of_object(self, path: tuple[str, ...], value: Mapping[str, JsonValue]) -> str | None:
        for key, known in (("state", self._state), ("args", self._arguments)):
            names = [name for name in value if name in known]
            if len(path) == 1 and path != (key,) and (names or are_alike(path, key)):
                return _renaming(path, key)
            if len(path) > 1 and names:
                return _mapping((*path, names[0]), key, names[0])
        return None


def are_alike(path: tuple[str, ...], name: str) -> bool:
    """Return whether a field's path is a slip or a short form of a name that is read."""
    text, meant = ".".join(path).casefold(), name.casefold()
    if len(text) >= _SHORTEST and (meant.startswith(text) or text.startswith(meant)):
        return True
    return difflib.SequenceMatcher(None, text, meant).ratio() >= _LEAST_ALIKE


def _renaming(path: tuple[str, ...], meant: str) -> str:
    return f"{_path_text(path)}: did you mean {meant}?"


def _mapping(path: tuple[str, ...], key: str, name: str | None) -> str:
    """Return how ``[logs.map]`` reads a field as the action, or as the argument or variable ``name``."""
    text = _path_text(path)
    reading = f'"{text}"' if name is None else f'{{ {shown(name)} = "{text}" }}'
    return f"{text}: read it with {key} = {reading} under [logs.map]."


def _path_text(path: tuple[str, ...]) -> str:
    return shown(".".join(path))
