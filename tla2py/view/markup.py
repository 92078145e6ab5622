"""The templates of pages and pictures, and their CSS, which suits light and dark pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from tla2py.text import counted, cut, printable

_FOLDER = Path(__file__).parent
STYLE = (_FOLDER / "style.css").read_text(encoding="utf-8")
# Longer lines of logs and changes of mutants are cut.
_LONGEST_TEXT = 300


@cache
def templates() -> jinja2.Environment:
    """The templates, which escape what they are given."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(counted=counted, cut=lambda text: cut(text, _LONGEST_TEXT))
    return environment


def _finalize(value: object) -> object:
    """A text without control characters, and coordinates in few digits; markup is our own and passes."""
    if isinstance(value, float):
        return f"{round(value, 2):g}"
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
