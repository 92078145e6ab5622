"""The error that a call raises, as a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

E = TypeVar("E", bound=Exception)


def raises(
    kind: type[E], function: Callable[..., object], *args: object, match: str | None = None, **options: object
) -> E:
    """The error of this kind that the function raises; its text matches the pattern."""
    with pytest.raises(kind, match=match) as caught:
        function(*args, **options)
    return caught.value
