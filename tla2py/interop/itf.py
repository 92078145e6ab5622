"""Traces in ITF (Apalache's ADR-015): reads those of tla2py, Apalache and Quint, and writes without loss.

``#meta`` holds what ITF cannot express. For the trace: what it violates, and whether it ends in stuttering or is cut
off. For a state: the action that led to it, with arguments and location. Other readers ignore ``#meta``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from tla2py.errors import InputError
from tla2py.interop.location import read_location
from tla2py.trace.trace import UNKNOWN, State, Trace, is_trace_kind
from tla2py.values import Json, Value, state_from_itf, state_to_itf
from tla2py.values.itf import ITF_PAGE

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
