"""Changes to logs that hold, each of which a trace specification should reject: lines and the values of their fields."""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tla2py.logs.formats import JsonValue, plain_json
from tla2py.model.logs import LogChange, LogEdit
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.tree import deeply

# The way to a value: names of fields, and indices of elements.
_Path: TypeAlias = "tuple[str | int, ...]"
# A field in whichever element of a list it is, and the type of its value.
_Field: TypeAlias = "tuple[tuple[str | None, ...], type]"
# Of more different values in a field, the first ones stand for all.
_MOST_VALUES = 1000
# At most this many strings are compared with the names in the modules.
_MOST_NAMES = 10_000


class Target(NamedTuple):
    """A log to change: its name, which decides what a sample has of it, its file as the user names it, and that file."""

    name: str
    path: str
    file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes to some logs, each with the place of its target, in the order of the logs.

    ``left_out`` counts those outside of the sample, ``constant`` are the fields that have one value in all logs.
    """

    edits: tuple[tuple[int, LogEdit], ...]
    left_out: int
    constant: tuple[str, ...]


@deeply
def named_strings(spec: ModuleGraph) -> frozenset[str]:
    """The names of a specification's definitions, and the strings in it: what a line may call an action."""
    library = {module.name for module in spec.installed}
    found = set(spec.definitions)
    for module in spec.modules:
        if module.name not in library:
            bodies = (each.body for each in module.definitions if each.body is not None)
            found.update(
                each.text.strip('"')
                for body in bodies
                for each in body.walk()
                if each.shape == "literal" and each.operator == "string"
            )
    return frozenset(found)


def change_logs(
    targets: Sequence[Target],
    logs: Iterable[Path],
    names: Collection[str],
    *,
    ignore: Collection[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> Changes:
    """The changes to some logs: lines dropped, doubled or swapped with the next, values of fields replaced.

    A field gets another value of its type that it has in one of ``logs``; a boolean is flipped. ``names`` are what a line
    may call an action, ``ignore`` fields that nothing reads on purpose. ``sample`` limits the number of changes; ``seed`` chooses them and the values. What two changes
    have in common is made once. Raises OSError.
    """
    values = _Values(ignored=frozenset(ignore))
    for log in logs:
        for _, line in _numbered(log):
            values.add(plain_json(line))
    action, order = values.action_path(names), count()
    ranked = (
        (each.rank, next(order), place, each)
        for place, target in enumerate(targets)
        for each in _candidates(target, values, action, seed)
    )
    # Those with the smallest digests: a log more or less hardly changes which of the others are chosen.
    chosen = list(ranked) if sample is None else heapq.nsmallest(sample, ranked)
    edits = [(place, each.made()) for _, _, place, each in chosen]
    edits.sort(key=lambda each: (each[0], each[1].line, each[1].change, each[1].field or ""))
    return Changes(edits=tuple(edits), left_out=next(order) - len(edits), constant=values.constant())


class _Candidate(NamedTuple):
    """A possible change: the digest that decides whether it is chosen, and the edit; for a field also its path and line."""

    rank: int
    edit: LogEdit
    path: _Path = ()
    line: bytes = b""

    def made(self) -> LogEdit:
        """The edit with the text of the line."""
        if not self.path:
            return self.edit
        content: JsonValue = json.loads(self.line)
        holder = content
        for step in self.path[:-1]:
            holder = holder[step]  # type: ignore[index]
        holder[self.path[-1]] = json.loads(self.edit.after or "")  # type: ignore[index]
        return replace(self.edit, text=_text(content))


@dataclass(slots=True)
class _Values:
    """The values that the fields of some logs have, as JSON, in the order in which they occur.

    ``ignored`` are paths such as ``args.0.name`` of fields to leave out.
    """

    ignored: frozenset[str]
    found: defaultdict[_Field, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, content: JsonValue) -> None:
        for path, value in _fields(content):
            if any(".".join(map(str, path[:end])) in self.ignored for end in range(1, len(path) + 1)):
                continue
            known = self.found[_field(path), type(value)]
            if len(known) < _MOST_VALUES:
                known[_text(value)] = None

    def others(self, path: _Path, value: JsonValue) -> list[str]:
        """The other values of a field."""
        found, text = self.found.get((_field(path), type(value)), {}), _text(value)
        if isinstance(value, bool):
            return [_text(not value)] if found else []
        return sorted(each for each in found if each != text)

    def constant(self) -> tuple[str, ...]:
        """The fields with one value, which nothing can be replaced by."""
        counts = Counter[str]()
        for (path, kind), values in self.found.items():
            counts[_shown(path)] += 2 if kind is bool else len(values)
        return tuple(sorted(name for name, count in counts.items() if count == 1))

    def action_path(self, names: Collection[str]) -> tuple[str | None, ...] | None:
        """The field that names the action: the one with the most values that are names in the modules."""
        counts = {
            path: sum(json.loads(text) in names for text in [*values][:_MOST_NAMES])
            for (path, kind), values in self.found.items()
            if kind is str and None not in path
        }
        best = max(counts, key=lambda path: (counts[path], -len(path)), default=None)
        return best if best is not None and counts[best] else None


def _candidates(
    target: Target, values: _Values, action_path: tuple[str | None, ...] | None, seed: int
) -> Iterator[_Candidate]:
    """The possible changes to a log, without those that give the same log as it is, or as another one gives."""
    before: bytes | None = None
    lines = _numbered(target.file)
    current = next(lines, None)

    def rank(number: int, name: str) -> int:
        return int.from_bytes(sha256(f"{seed} {target.name}:{number} {name}".encode()).digest()[:8], "big")

    while current is not None:
        following = next(lines, None)
        number, text = current
        content = plain_json(text)
        if content is None:
            before, current = text, following
            continue
        edit = LogEdit(file=target.path, line=number, change="drop", action=_at(content, action_path))
        only = before is None and following is None
        # Of equal lines that follow each other, each would give the same.
        changes: list[LogChange] = [] if text == before else ["double"] if only else ["drop", "double"]
        if following is not None and following[1] != text:
            changes.append("swap")
        for change in changes:
            yield _Candidate(rank(number, change), replace(edit, change=change))
        for path, value in _fields(content):
            if others := values.others(path, value):
                name = _shown(path)
                chosen = rank(number, name)
                after = others[chosen % len(others)]
                made = replace(edit, change="field", field=name, before=_text(value), after=after)
                yield _Candidate(chosen, made, path, text)
        before, current = text, following


def _numbered(file: Path) -> Iterator[tuple[int, bytes]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            yield number, line.rstrip(b"\r\n")


def _fields(content: JsonValue, path: _Path = ()) -> Iterator[tuple[_Path, JsonValue]]:
    """The fields of a value, at any depth, that are no records themselves; elements of lists are none."""
    if isinstance(content, dict):
        for name, value in content.items():
            if value is not None and not isinstance(value, dict):
                yield (*path, name), value
            yield from _fields(value, (*path, name))
    elif isinstance(content, list):
        for index, value in enumerate(content):
            yield from _fields(value, (*path, index))


def _field(path: _Path) -> tuple[str | None, ...]:
    return tuple(None if isinstance(step, int) else step for step in path)


def _shown(path: Sequence[str | int | None]) -> str:
    """A path as text, with elements as TLA+ counts them: ``event.entries[1].term``."""
    parts = (
        f".{step}" if isinstance(step, str) else "[]" if step is None else f"[{step + 1}]" for step in path
    )
    return _writable("".join(parts).removeprefix("."))


def _at(content: JsonValue, path: tuple[str | None, ...] | None) -> str | None:
    """The string at a path."""
    if path is None:
        return None
    for step in path:
        if not isinstance(content, dict) or step not in content:
            return None
        content = content[step]
    return _writable(content) if isinstance(content, str) else None


def _text(value: JsonValue) -> str:
    """A value as JSON that can be written as UTF-8."""
    return _writable(json.dumps(value, ensure_ascii=False))


def _writable(text: str) -> str:
    """A text that can be written as UTF-8: half of a character, which JSON may have, becomes its escape."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
