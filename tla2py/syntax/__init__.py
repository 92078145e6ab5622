"""TLA+ modules parsed with tree-sitter."""

from __future__ import annotations

from tla2py.syntax.expression import Span
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
    SyntaxMistake,
    Variable,
)
from tla2py.syntax.module_graph import ModuleGraph
from tla2py.syntax.parse import parse_module, read_text
from tla2py.syntax.search import Translate, load_modules, load_texts
from tla2py.syntax.standalone import StandaloneExpression, parse_expression
from tla2py.syntax.standard import STANDARD_MODULES

__all__ = [
    "STANDARD_MODULES",
    "Assumption",
    "Constant",
    "Definition",
    "Instance",
    "Level",
    "Module",
    "ModuleGraph",
    "Reference",
    "Remark",
    "Span",
    "StandaloneExpression",
    "Substitution",
    "SyntaxMistake",
    "Translate",
    "Variable",
    "load_modules",
    "load_texts",
    "parse_expression",
    "parse_module",
    "read_text",
]
