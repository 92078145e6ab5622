"""The parameters of a point as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping


def parameter_text(parameters: Mapping[str, str]) -> str:
    """``Late = 2, Grace = 0``; of a sweep without parameters the one point is ``the model``."""
    return ", ".join(f"{name} = {value_shown(text)}" for name, text in parameters.items()) or "the model"


def value_shown(text: str) -> str:
    """The text of a value; there is none where a parameter leaves something out, as a symmetry."""
    return text or "(none)"
