"""The step of the specification that differs least from a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tla2py.instrument.prints import Binding
from tla2py.logs.read import JsonValue
from tla2py.values import Function, Interval, ModelValue, Record, Value, format_value

_MISSING = "nothing"


class Difference(NamedTuple):
    """What a line says and what a step has: the field, and both values as text."""

    field: str
    line: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStep:
    """A step that the specification allows: its action, the values bound, the state after it, and how it differs."""

    action: str
    binding: Binding
    values: Mapping[str, Value]
    differences: tuple[Difference, ...] = ()


def nearest_of(steps: Sequence[LogStep], line: str, action: str, binding: Binding) -> LogStep | None:
    """The step that differs least from a line.

    ``action`` and ``binding`` are those that the line stands for. A line of the form ``{"action": .., "args": .., "state":
    ..}`` is compared field by field, of any other one only the action and its arguments.
    """
    try:
        fields = json.loads(line)
    except ValueError:
        fields = None
    compared = [
        replace(step, differences=tuple(_differences(step, fields, action, binding))) for step in steps
    ]
    # Of several, one whose values occur in the line.
    return min(
        compared,
        key=lambda step: (
            len(step.differences),
            step.action != action,
            sum(value.strip('"') not in line for _, value in step.binding),
        ),
        default=None,
    )


def _differences(step: LogStep, fields: object, action: str, binding: Binding) -> Iterator[Difference]:
    found = dict(step.binding)
    if step.action != action:
        yield Difference("action", action, step.action)
    args = fields.get("args") if isinstance(fields, dict) else None
    state = fields.get("state") if isinstance(fields, dict) else None
    if isinstance(args, dict):
        for name, value in args.items():
            if name in found and found[name].strip('"') != _text(value):
                yield Difference(name, json.dumps(value), found[name])
    else:
        for name, text in binding:
            if name in found and found[name] != text:
                yield Difference(name, text, found[name])
    for name, value in state.items() if isinstance(state, dict) else ():
        if name in step.values:
            yield from _unequal(step.values[name], value, name)


def stated_action(line: str) -> str | None:
    """The action that a line of that form names."""
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    action = fields.get("action") if isinstance(fields, dict) else None
    return action if isinstance(action, str) else None


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _unequal(value: Value, said: JsonValue, path: str) -> Iterator[Difference]:
    """The parts of a value that differ from what a line says of it."""
    if isinstance(said, dict) and isinstance(value, (Record, Function)):
        named = {key if isinstance(key, str) else format_value(key): item for key, item in value.items()}
        for name, part in said.items():
            if name in named:
                yield from _unequal(named[name], part, f"{path}.{name}")
            else:
                yield Difference(f"{path}.{name}", json.dumps(part), _MISSING)
    elif not _agrees(value, said):
        yield Difference(path, json.dumps(said), format_value(value))


def _agrees(value: Value, said: JsonValue) -> bool:
    if isinstance(said, list):
        if isinstance(value, tuple):
            return len(value) == len(said) and all(map(_agrees, value, said))
        if isinstance(value, (frozenset, Interval)):
            elements = list(value)
            return all(any(_agrees(each, part) for part in said) for each in elements) and all(
                any(_agrees(each, part) for each in elements) for part in said
            )
        return False
    if isinstance(said, dict):
        return not any(_unequal(value, said, "")) if isinstance(value, (Record, Function)) else not said
    # A string may stand for a model value; the value of null is not known here.
    plain = value.name if isinstance(value, ModelValue) else value
    return said is None or (plain == said and isinstance(plain, bool) == isinstance(said, bool))
