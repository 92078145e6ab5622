"""The views that ``tla2py.trace.display`` registers: those of ``show``, and the explorer."""

from __future__ import annotations

from tla2py.explorer.widget import store_explorer
from tla2py.show.displays import html, lanes, text

__all__ = ["explorer", "html", "lanes", "text"]

explorer = store_explorer
