"""Types of constants, inferred from how a module uses them."""

from __future__ import annotations

from tla2py.syntax.types.constants import ConstantType, compared_types, infer_types, required_types
from tla2py.syntax.types.type import Type

__all__ = ["ConstantType", "Type", "compared_types", "infer_types", "required_types"]
