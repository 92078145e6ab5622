"""Laws that say when a property is violated."""

from __future__ import annotations

from tla2py.laws.law import Law, LawFound, find_law

__all__ = ["Law", "LawFound", "find_law"]
