"""Options that tla2py had before its first release, each with what replaces it."""

from __future__ import annotations

_REPLACEMENTS = {
    (
        "sweep",
        "--refine",
    ): "tla2py explain STORE --suggest N prints points that could refute a law, for include in [grid]",
    ("sweep", "--confirm"): "give --within a smaller share, such as 1%: more points are drawn then",
}


def replacement_of(command: str, option: str) -> str | None:
    """Return what replaces a removed option of a command, None for any other option."""
    return _REPLACEMENTS.get((command, option))
