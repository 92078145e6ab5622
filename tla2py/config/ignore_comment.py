r"""Rules of lint that a config ignores: a comment ``\* tla2py: ignore CODE ...``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tla2py.config.tokens import Token

_IGNORE = re.compile(r"\\\*+\s*tla2py:\s*ignore\b:?(.*)")


def ignored_codes(comments: Iterable[Token]) -> dict[str, Token]:
    """The codes that the comments of a config ignore, each with its comment."""
    return {
        code: comment
        for comment in comments
        if (found := _IGNORE.match(comment.text))
        for code in re.findall(r"[\w-]+", found[1])
    }
