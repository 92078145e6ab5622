"""The script and the style of the explorer, built from ``web/``."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

_FOLDER = Path(__file__).parent / "bundle"


File: TypeAlias = Literal["page.js", "widget.js", "explorer.css"]


@cache
def built(name: File) -> str:
    """The text of a built file."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def bundle(name: File) -> str:
    """The text of a built file, as it can stand in HTML."""
    return built(name).replace("</", "<\\/")


def content_policy(script: str, style: str, *, connect: str = "'none'") -> str:
    """A content security policy for a page with this script and this style, which sends requests to ``connect`` alone."""
    return (
        f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
