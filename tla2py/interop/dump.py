"""Traces that TLC writes with ``-dumpTrace json`` (rolling releases since 2022).

tla2py does not ask TLC for such files: beyond the log they only name the parameters, and there is none for a state with
a value that TLC cannot enumerate. The JSON is less precise than a log: sets and sequences are both lists, model values
are strings, and function keys are text. Lists are read as sequences and objects as records.
"""

from __future__ import annotations

from typing import TypeGuard

from tla2py.errors import InputError
from tla2py.interop.location import read_location
from tla2py.trace.trace import UNKNOWN, State, Trace
from tla2py.values import Json, Record, Value, format_value

Object = dict[str, Json]
_LOCATION = ("beginLine", "beginColumn", "endLine", "endColumn")


def is_dump(data: object) -> TypeGuard[Object]:
    """Whether JSON looks like a dump of a trace."""
    return isinstance(data, dict) and isinstance(_behaviour(data).get("state"), list)


def trace_from_dump(data: Object) -> Trace:
    """The trace of a dump, which does not name what it violates. Raises InputError (``dump-syntax``)."""
    behaviour = _behaviour(data)
    actions: dict[int, Object] = {}
    end: tuple[int, int, Object] | None = None
    edges = behaviour.get("action", [])
    for edge in edges if isinstance(edges, list) else []:
        if not (isinstance(edge, list) and len(edge) == 3 and isinstance(edge[1], dict)):
            raise _bad("an action is not a triple of state, action and state")
        source, target = _numbered(edge[0])[0], _numbered(edge[2])[0]
        # A backward edge closes a lasso; a self-loop is stuttering.
        if target <= source:
            end = (source, target, edge[1])
        else:
            actions[target] = edge[1]
    listed = behaviour["state"]
    assert isinstance(listed, list)
    states = [_state(*_numbered(item), actions) for item in listed]
    if [state.index for state in states] != list(range(1, len(states) + 1)) or not states:
        raise _bad("its states are not numbered from 1")
    if max(actions, default=1) > len(states):
        raise _bad("an action leads to a missing state")
    if end is not None and not end[1] <= end[0] == len(states):
        raise _bad("its lasso does not close at the last state")
    lasso = end if end is not None and end[1] < end[0] else None
    name, args = _action(lasso[2]) if lasso else (None, None)
    return Trace(
        kind=UNKNOWN if end is None else "temporal_property",
        name="",
        states=tuple(states),
        loop_start=lasso[1] if lasso else None,
        loop_action=name,
        loop_action_args=args,
        stuttering=end is not None and lasso is None,
    )


def _behaviour(data: Object) -> Object:
    """The object with states and actions; the objects around it differ between versions."""
    inner = data.get("counterexample")
    return inner if isinstance(inner, dict) else data


def _numbered(item: Json) -> tuple[int, Object]:
    if isinstance(item, list) and len(item) == 2:
        index, values = item
        if isinstance(index, int) and isinstance(values, dict):
            return index, values
    raise _bad("a state is not a pair of a number and an object")


def _state(index: int, values: Object, actions: dict[int, Object]) -> State:
    action = actions.get(index, {})
    name, args = _action(action)
    return State(
        index=index,
        action=name,
        action_args=args,
        location=read_location(action.get("location"), _LOCATION),
        values={variable: _value(value) for variable, value in values.items()},
    )


def _action(action: Object) -> tuple[str | None, tuple[str, ...] | None]:
    """The name and arguments of an action."""
    name, context, parameters = (action.get(key) for key in ("name", "context", "parameters"))
    args = None
    if isinstance(context, dict) and isinstance(parameters, list) and parameters:
        values = [context.get(str(parameter)) for parameter in parameters]
        args = tuple(arg if isinstance(arg, str) else format_value(_value(arg)) for arg in values)
    return (str(name) if name is not None else None), args


def _value(json: Json) -> Value:
    if isinstance(json, list):
        return tuple(_value(part) for part in json)
    if isinstance(json, dict):
        return Record({name: _value(part) for name, part in json.items()})
    if isinstance(json, (bool, int, str)):
        return json
    raise _bad(f"not a value: {json!r}")


def _bad(message: str) -> InputError:
    return InputError(
        "dump-syntax",
        f"not a TLC trace dump: {message}",
        hint="TLC writes one with -dumpTrace json FILE",
    )
