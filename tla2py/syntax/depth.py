"""Deep recursion for nested expressions: a function of a thousand pairs, a long chain of ELSE IF."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tla2py.errors import InputError

# Deeper than SANY itself gets with the stack of a thread, and safe for the C stack of Python 3.10.
_FRAMES = 8000

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def deeply(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function with a higher recursion limit; beyond that it raises ``InputError`` ``too-deep``."""

    @functools.wraps(function)
    def follow(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _FRAMES))
        try:
            return function(*args, **kwargs)
        except RecursionError:
            raise InputError(
                "too-deep",
                "an expression is nested too deeply",
                hint="split it into several definitions",
            ) from None
        finally:
            sys.setrecursionlimit(before)

    return follow
