"""Locations in the JSON of traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from tla2py.errors import InputError
from tla2py.model.trace import UNKNOWN, Location, State, Trace, is_trace_kind
from tla2py.tla.itf import ITF_PAGE, Json, state_from_itf, state_to_itf
from tla2py.tla.value import Record, Value
from tla2py.tla.value_text import format_value


def read_location(data: Json, keys: Sequence[str]) -> Location | None:
    """The location in an object with a ``module`` and these keys for begin line, begin column, end line, end column."""
    if not isinstance(data, dict) or not isinstance(module := data.get("module"), str):
        return None
    match [data.get(key) for key in keys]:
        case [int(begin_line), int(begin_column), int(end_line), int(end_column)]:
            return Location(
                module=module,
                begin_line=begin_line,
                begin_column=begin_column,
                end_line=end_line,
                end_column=end_column,
            )
    return None


Object = dict[str, Json]
# Quint stores the name of the action in this variable.
_QUINT_ACTION = "mbt::actionTaken"
_LOCATION = ("begin_line", "begin_column", "end_line", "end_column")


def is_itf(data: object) -> TypeGuard[Object]:
    """Whether JSON looks like a trace in ITF."""
    return isinstance(data, dict) and isinstance(data.get("states"), list) and "vars" in data


def trace_to_itf(trace: Trace, parameters: Mapping[str, Value] | None = None) -> Object:
    """A trace in ITF; ``parameters`` become its ``params``, with their values in the first state.

    Stuttering becomes a loop from the last state to itself.
    """
    constants = dict(parameters or {})
    states: list[Json] = []
    for position, state in enumerate(trace.states):
        values = {**constants, **state.values} if position == 0 else state.values
        written = state_to_itf(values)
        meta = written.pop("#meta", {})
        assert isinstance(meta, dict)
        states.append({"#meta": {"index": position, **_step(state), **meta}, **written})
    variables = list(dict.fromkeys(name for state in trace.states for name in state.values))
    made: Object = {"format": "ITF", "kind": trace.kind, "name": trace.name, "stuttering": trace.stuttering}
    if trace.loop_action is not None:
        made["loopAction"] = trace.loop_action
    if trace.loop_action_args is not None:
        made["loopActionArgs"] = [*trace.loop_action_args]
    if trace.cut_off:
        made["cutOff"] = True
    itf: Object = {"#meta": made, "params": [*constants], "vars": [*variables], "states": states}
    start = len(trace.states) if trace.stuttering else trace.loop_start
    if start is not None:
        itf["loop"] = start - 1
    return itf


def _step(state: State) -> Object:
    step: Object = {}
    if state.action is not None:
        step["action"] = state.action
    if state.action_args is not None:
        step["actionArgs"] = [*state.action_args]
    if state.location is not None:
        place = {key: getattr(state.location, key) for key in _LOCATION}
        step["location"] = {"module": state.location.module, **place}
    return step


def trace_from_itf(data: Object) -> Trace:
    """The trace of an ITF file. Only ``#meta`` can name what it violates. Raises InputError (``itf-syntax``)."""
    meta = data.get("#meta")
    about = meta if isinstance(meta, dict) else {}
    listed = data["states"]
    assert isinstance(listed, list)
    constants = _constants(data)
    states = [_state(position, item, constants) for position, item in enumerate(listed)]
    if not states:
        raise _bad("it has no states")
    loop = data.get("loop")
    if loop is not None and not (isinstance(loop, int) and 0 <= loop < len(states)):
        raise _bad(f"its loop starts at {loop!r}, which is not a state")
    stuttering = about.get("stuttering") is True
    kind, name = about.get("kind"), about.get("name")
    action, args = about.get("loopAction"), about.get("loopActionArgs")
    return Trace(
        kind=kind if is_trace_kind(kind) else UNKNOWN if loop is None else "temporal_property",
        name=name if isinstance(name, str) else "",
        states=tuple(states),
        loop_start=int(str(loop)) + 1 if loop is not None and not stuttering else None,
        loop_action=action if isinstance(action, str) else None,
        loop_action_args=tuple(map(str, args)) if isinstance(args, list) else None,
        stuttering=stuttering,
        cut_off=about.get("cutOff") is True,
    )


def _constants(data: Object) -> frozenset[str]:
    params = data.get("params")
    return frozenset(map(str, params)) if isinstance(params, list) else frozenset()


def _state(position: int, item: Json, constants: frozenset[str]) -> State:
    if not isinstance(item, dict):
        raise _bad(f"state {position} is not an object")
    meta = item.get("#meta")
    about = meta if isinstance(meta, dict) else {}
    values = {name: value for name, value in state_from_itf(item).items() if name not in constants}
    action, args = about.get("action"), about.get("actionArgs")
    if action is None and position and isinstance(taken := values.get(_QUINT_ACTION), str):
        action = taken
    return State(
        index=position + 1,
        action=action if isinstance(action, str) else None,
        action_args=tuple(map(str, args)) if isinstance(args, list) else None,
        location=read_location(about.get("location"), _LOCATION),
        values=values,
    )


def _bad(message: str) -> InputError:
    return InputError("itf-syntax", f"not a trace in ITF: {message}", hint=ITF_PAGE)


_DUMP_LOCATION = ("beginLine", "beginColumn", "endLine", "endColumn")


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
            raise _dump_bad("an action is not a triple of state, action and state")
        source, target = _numbered(edge[0])[0], _numbered(edge[2])[0]
        # A backward edge closes a lasso; a self-loop is stuttering.
        if target <= source:
            end = (source, target, edge[1])
        else:
            actions[target] = edge[1]
    listed = behaviour["state"]
    assert isinstance(listed, list)
    states = [_dump_state(*_numbered(item), actions) for item in listed]
    if [state.index for state in states] != list(range(1, len(states) + 1)) or not states:
        raise _dump_bad("its states are not numbered from 1")
    if max(actions, default=1) > len(states):
        raise _dump_bad("an action leads to a missing state")
    if end is not None and not end[1] <= end[0] == len(states):
        raise _dump_bad("its lasso does not close at the last state")
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
    raise _dump_bad("a state is not a pair of a number and an object")


def _dump_state(index: int, values: Object, actions: dict[int, Object]) -> State:
    action = actions.get(index, {})
    name, args = _action(action)
    return State(
        index=index,
        action=name,
        action_args=args,
        location=read_location(action.get("location"), _DUMP_LOCATION),
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
    raise _dump_bad(f"not a value: {json!r}")


def _dump_bad(message: str) -> InputError:
    return InputError(
        "dump-syntax",
        f"not a TLC trace dump: {message}",
        hint="TLC writes one with -dumpTrace json FILE",
    )
