"""Values and texts as numbers, so that each is stored once and equal values have equal numbers."""

from __future__ import annotations

from typing import TypeAlias

from tla2py.values import Value
from tla2py.values.canonical import CONSECUTIVE, Form, canonical
from tla2py.values.canonical import FUNCTION as FUNCTION_FORM
from tla2py.values.canonical import RECORD as RECORD_FORM
from tla2py.values.canonical import SEQUENCE as SEQUENCE_FORM
from tla2py.values.canonical import SET as SET_FORM
from tla2py.values.tla_text import format_form

SET, SEQUENCE, RECORD, FUNCTION = range(4)
"""The first number of a composite node."""

Node: TypeAlias = "str | list[int]"

# What is nested deeper stays text.
_DEEPEST = 50


class Nodes:
    """The distinct values of several traces; a value's number is its place in ``rows``.

    A row is the TLA+ text of a scalar, or a list: the kind, then the numbers of the parts. A set and a sequence have
    elements; a record has the numbers of field names and values in turn, a function those of keys and values.
    """

    def __init__(self) -> None:
        self.rows: list[Node] = []
        self._known: dict[tuple[int, ...] | str, int] = {}

    def text(self, text: str) -> int:
        """The number of a text."""
        return self._number(text, text)

    def value(self, value: Value) -> int:
        """The number of a value."""
        return self._form(canonical(value), 0)

    def _form(self, form: Form, depth: int) -> int:
        below = depth + 1
        match form:
            case _ if depth > _DEEPEST:
                pass
            case (rank, _, elements) if rank in (SET_FORM, SEQUENCE_FORM) and elements[-1:] != (CONSECUTIVE,):
                kind = SET if rank == SET_FORM else SEQUENCE
                return self._composite(kind, *(self._form(each, below) for each in elements))
            case (rank, count, names, values) if rank == RECORD_FORM and count:
                pairs = zip(map(self.text, names), (self._form(each, below) for each in values), strict=True)
                return self._composite(RECORD, *(number for pair in pairs for number in pair))
            case (rank, count, keys, values) if rank == FUNCTION_FORM and count:
                both = zip(keys, values, strict=True)
                return self._composite(FUNCTION, *(self._form(each, below) for pair in both for each in pair))
        return self.text(format_form(form))

    def _composite(self, *row: int) -> int:
        return self._number(row, list(row))

    def _number(self, key: tuple[int, ...] | str, row: Node) -> int:
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.rows)
            self.rows.append(row)
        return number
