"""Traces made by hand, and elements of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from tla2py.model.trace import State, Trace
from tla2py.tla.value import Function, ModelValue, Record, Value

P, Q, R = ModelValue("p"), ModelValue("q"), ModelValue("r")


def on(*values: Value) -> Function:
    """A function on the first of the processes p, q, r, one per value."""
    return Function(zip((P, Q, R), values, strict=False))


def message(number: int = 1, **fields: Value) -> Record:
    """A message with a field ``number`` and others."""
    return Record({"number": number, **fields})


def made(*steps: tuple[Any, ...], **given: Any) -> Trace:
    """A trace of steps: action, values, optional arguments, and optional derived ones as a mapping.

    The keywords are further fields of the trace.
    """
    states = tuple(_state(index, *step) for index, step in enumerate(steps, 1))
    return Trace(**{"kind": "invariant", "name": "Safe", "states": states, **given})


def _state(
    index: int,
    action: str | None,
    values: Mapping[str, Value],
    args: tuple[str, ...] | None = None,
    derived: Mapping[str, str] | None = None,
) -> State:
    more = tuple((derived or {}).items())
    action = action if index > 1 else None
    return State(index=index, action=action, action_args=args, location=None, values=values, derived=more)


def styled(picture: Element, style: str) -> list[Element]:
    return [found for found in picture.iter() if style in found.get("class", "").split()]


def marks(element: Element, tag: str) -> list[str]:
    """The texts of all elements of a tag, sorted."""
    return sorted("".join(found.itertext()) for found in element.iter(tag))
