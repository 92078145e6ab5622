"""Which of the points that break are the smallest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tla2py.sweep import comparable
from tla2py.values import ModelValue, Value


def at_most(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    """Whether a point is at most as large as another in every parameter.

    Numbers compare by value, FALSE is less than TRUE, sets of model values compare by size; anything else compares
    only with its equal.
    """
    return all(_at_most(comparable(text), comparable(right[name])) for name, text in left.items())


def minimal_points(points: Sequence[Mapping[str, str]]) -> list[int]:
    """The positions of the points that no other is smaller than."""
    return [
        here
        for here, point in enumerate(points)
        if not any(
            at_most(other, point) and not at_most(point, other) for there, other in enumerate(points) if there != here
        )
    ]


def _at_most(left: Value, right: Value) -> bool:
    if isinstance(left, int) and isinstance(right, int) and isinstance(left, bool) == isinstance(right, bool):
        return left <= right
    if _of_model_values(left) and _of_model_values(right):
        assert isinstance(left, frozenset)
        assert isinstance(right, frozenset)
        return len(left) <= len(right)
    return left == right


def _of_model_values(value: Value) -> bool:
    return isinstance(value, frozenset) and all(isinstance(element, ModelValue) for element in value)
