"""What tree-sitter-tlaplus calls the constructs of the language, and how its nodes are taken apart."""

from __future__ import annotations

from tree_sitter import Node

from tla2py.syntax.expression import Expression
from tla2py.syntax.tree import COMMENTS

NAMED_SETS = {"nat_number_set", "int_number_set", "real_number_set", "boolean_set", "string_set"}
LITERALS = {
    "nat_number": "number",
    "real_number": "number",
    "binary_number": "number",
    "octal_number": "number",
    "hex_number": "number",
    "string": "string",
    "boolean": "boolean",
}
# Constructs whose parts are all the expressions among their children, in order.
PLAIN = {
    "if_then_else": "IF",
    "finite_set_literal": "{}",
    "tuple_literal": "<<>>",
    "set_of_functions": "[->]",
    "function_evaluation": "[]",
    "prev_func_val": "@",
    "step_expr_or_stutter": "[]_",
    "step_expr_no_stutter": "<>_",
}
BINDERS = {"bounded_quantification": "", "function_literal": "[|->]", "set_filter": "{:}", "set_map": "{|}"}
QUANTIFIERS = {"forall": "\\A", "exists": "\\E", "temporal_forall": "\\AA", "temporal_exists": "\\EE"}
NOT_EXPRESSIONS = COMMENTS | {
    "langle_bracket", "rangle_bracket", "rangle_bracket_sub", "maps_to", "all_map_to", "set_in", "label_as",
    "forall", "exists", "temporal_forall", "temporal_exists", "identifier", "case_arrow", "case_box",
}  # fmt: skip


def field(node: Node, name: str) -> Node:
    """Return the child in a field; where an error left it out, the node's last child stands for it."""
    child = node.child_by_field_name(name)
    if child is not None:
        return child
    return node.children[-1] if node.children else node


def flatten(expr: Expression) -> tuple[Expression, ...]:
    """Return the parts of a left-leaning chain of one operator."""
    parts: list[Expression] = []
    link = expr
    while link.shape == "apply" and link.operator == expr.operator and len(link.arguments) == 2:
        parts.append(link.arguments[1])
        link = link.arguments[0]
    return (link, *reversed(parts))
