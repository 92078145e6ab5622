"""Types of TLA+ values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_PLURALS = {
    "number": "numbers",
    "boolean": "booleans",
    "string": "strings",
    "set": "sets",
    "function": "functions",
    "sequence": "sequences",
    "record": "records",
    "tuple": "tuples",
    "model value": "model values",
}
# A function can also be one of the narrower kinds, and so on.
_NARROWER = {
    "function": ("sequence", "record", "tuple"),
    "sequence": ("tuple",),
}


@dataclass(frozen=True, slots=True)
class Type:
    """A type of TLA+ values; ``element`` is that of a set's members or a function's values, None if unknown."""

    kind: str
    element: Type | None = None

    @property
    def height(self) -> int:
        """The depth of nesting."""
        return 1 + (self.element.height if self.element is not None else 0)

    def __str__(self) -> str:
        if self.kind != "set":
            return self.kind
        return f"set of {_PLURALS[self.element.kind] if self.element is not None else 'model values'}"


NUMBER = Type("number")
BOOLEAN = Type("boolean")
STRING = Type("string")
SET = Type("set")
FUNCTION = Type("function")
SEQUENCE = Type("sequence")
RECORD = Type("record")
TUPLE = Type("tuple")
MODEL_VALUE = Type("model value")


def merge(types: Sequence[Type]) -> Type:
    """The narrowest of the types that agree with the first."""
    result = types[0]
    for other in types[1:]:
        if not agree(result, other):
            continue
        kind = other.kind if other.kind in _NARROWER.get(result.kind, ()) else result.kind
        elements = [each for each in (result.element, other.element) if each is not None]
        result = Type(kind, merge(elements) if elements else None)
    return result


def agree(one: Type, other: Type) -> bool:
    """Whether a value can have both types."""
    if one.kind == other.kind:
        return one.element is None or other.element is None or agree(one.element, other.element)
    return other.kind in _NARROWER.get(one.kind, ()) or one.kind in _NARROWER.get(other.kind, ())
