"""What copies of definitions print, read from TLC's output."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tla2py.values import Value, ValueTextError, format_value, parse_value

Binding: TypeAlias = tuple[tuple[str, str], ...]
"""Names and the values that they are bound to, as TLA+ text."""


def printed_tuples(output: str) -> Iterator[Value]:
    """The tuples that a further run printed, which begin with "tla2py: "; TLC breaks long ones into lines."""
    pending = ""
    for line in output.splitlines():
        if line.startswith(('<<"tla2py: ', '<< "tla2py: ')):
            pending = line
        elif pending:
            pending += "\n" + line
        with contextlib.suppress(ValueTextError):
            if pending:
                yield parse_value(pending)
                pending = ""


def bound(names: Iterable[Value], values: Iterable[Value]) -> Binding:
    """The binding that a further run printed as a tuple of names and one of values."""
    return tuple(zip(map(str, names), map(format_value, values), strict=True))
