"""TLA+ values as Python objects, TLA+ text and ITF, and the changes between two of them."""

from __future__ import annotations

from tla2py.values.canonical import same_value
from tla2py.values.diff import Change, changes
from tla2py.values.itf import Json, from_itf, state_from_itf, state_to_itf, to_itf
from tla2py.values.state_text import StateWriter, VariableText, json_text, state_text
from tla2py.values.tla_text import ValueTextError, format_value, parse_value
from tla2py.values.value import Function, Interval, ModelValue, Opaque, Record, Value

__all__ = [
    "Change",
    "Function",
    "Interval",
    "Json",
    "ModelValue",
    "Opaque",
    "Record",
    "StateWriter",
    "Value",
    "ValueTextError",
    "VariableText",
    "changes",
    "format_value",
    "from_itf",
    "json_text",
    "parse_value",
    "same_value",
    "state_from_itf",
    "state_text",
    "state_to_itf",
    "to_itf",
]
