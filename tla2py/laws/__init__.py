"""Laws that say when a property is violated."""

from __future__ import annotations

from tla2py.laws.law import SECONDS, Law, LawFound, find_law

__all__ = ["SECONDS", "Law", "LawFound", "find_law"]
