"""TLA+ modules read from their text: the only part of tla2py that uses tree-sitter."""

from __future__ import annotations

from tla2py.syntax.expression import Expression, parse_expression
from tla2py.syntax.levels import Level
from tla2py.syntax.module import (
    Assumption,
    Constant,
    Definition,
    Instance,
    Module,
    Reference,
    Remark,
    Substitution,
    SyntaxProblem,
    Theorem,
    Variable,
)
from tla2py.syntax.parse import parse_module, read_text
from tla2py.syntax.search import load_spec, translate_with, untranslated
from tla2py.syntax.spec import Spec
from tla2py.syntax.standard import STANDARD_MODULES
from tla2py.syntax.term import Span

__all__ = [
    "STANDARD_MODULES",
    "Assumption",
    "Constant",
    "Definition",
    "Expression",
    "Instance",
    "Level",
    "Module",
    "Reference",
    "Remark",
    "Span",
    "Spec",
    "Substitution",
    "SyntaxProblem",
    "Theorem",
    "Variable",
    "load_spec",
    "parse_expression",
    "parse_module",
    "read_text",
    "translate_with",
    "untranslated",
]
