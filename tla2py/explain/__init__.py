"""Why properties break: laws over the parameters, and the points that would refute them."""

from __future__ import annotations

from tla2py.explain.explanation import Explanation, explain_store

__all__ = ["Explanation", "explain_store"]
