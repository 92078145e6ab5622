"""Locations in the JSON of traces."""

from __future__ import annotations

from collections.abc import Sequence

from tla2py.trace.trace import Location
from tla2py.values import Json


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
