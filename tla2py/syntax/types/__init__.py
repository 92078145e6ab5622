"""Types of constants, inferred from how a module uses them."""

from __future__ import annotations

from tla2py.syntax.types.type import ConstantKind, Use, find_uses, infer_kinds, needs_definition

__all__ = ["ConstantKind", "Use", "find_uses", "infer_kinds", "needs_definition"]
