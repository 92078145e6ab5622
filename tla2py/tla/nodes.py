"""The node types of tree-sitter-tlaplus, the parts of its nodes, and the digest of their tokens."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from tree_sitter import Node

from tla2py.tla.forms import EMPTY_TUPLE
from tla2py.tla.module import Expression
from tla2py.tla.tree import COMMENTS, SourceText, parse_tree

NAMED_SETS = {"nat_number_set", "int_number_set", "real_number_set", "boolean_set", "string_set"}
LITERALS = {
    **dict.fromkeys(("nat_number", "real_number", "binary_number", "octal_number", "hex_number"), "number"),
    "string": "string",
    "boolean": "boolean",
}
# Constructs whose arguments are the expressions among their children, in order.
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
# The spelling of every operator symbol by its node type.
SYMBOLS: dict[str, str] = {
    # Sets, for the modules that define them.
    "nat_number_set": "Nat", "int_number_set": "Int", "real_number_set": "Real", "boolean_set": "BOOLEAN",
    "string_set": "STRING",
    "always": "[]", "amp": "&", "ampamp": "&&", "assign": ":=", "asterisk": "^*", "bnf_rule": "::=",
    "circ": "\\o", "compose": "@@", "dol": "$", "doldol": "$$", "domain": "DOMAIN", "dots_2": "..",
    "dots_3": "...", "enabled": "ENABLED", "eq": "=", "equiv": "<=>", "eventually": "<>", "excl": "!!",
    "geq": ">=", "gt": ">", "hashhash": "##", "iff": "<=>", "implies": "=>", "land": "/\\",
    "ld_ttile": "=|", "leads_to": "~>", "leq": "<=", "lnot": "~", "lor": "\\/", "ls_ttile": "-|",
    "lt": "<", "map_from": "<:", "map_to": ":>", "minus": "-", "minusminus": "--", "mod": "%",
    "modmod": "%%", "mul": "*", "mulmul": "**", "negative": "-.", "neq": "#", "plus": "+",
    "plus_arrow": "-+->", "plusplus": "++", "pow": "^", "powerset": "SUBSET", "powpow": "^^",
    "prime": "'", "qq": "??", "rd_ttile": "|=", "rs_ttile": "|-", "setminus": "\\", "slash": "/",
    "slashslash": "//", "sup_hash": "^#", "sup_plus": "^+", "times": "\\X", "unchanged": "UNCHANGED",
    "union": "UNION", "vert": "|", "vertvert": "||",
}  # fmt: skip


def spell_symbol(node_type: str) -> str:
    r"""The spelling of a symbol, by default its node type as in ``\oplus``."""
    return SYMBOLS.get(node_type, "\\" + node_type)


def field(node: Node, name: str) -> Node:
    """The child in a field; if a syntax error left it out, the node's last child."""
    child = node.child_by_field_name(name)
    if child is not None:
        return child
    return node.children[-1] if node.children else node


def flatten(expr: Expression) -> tuple[Expression, ...]:
    """The parts of a left-leaning chain of one operator."""
    parts: list[Expression] = []
    link = expr
    while link.shape == "apply" and link.operator == expr.operator and len(link.arguments) == 2:
        parts.append(link.arguments[1])
        link = link.arguments[0]
    return (link, *reversed(parts))


def bare_symbol(node: Node) -> str:
    """The operator symbol of a node."""
    return spell_symbol(next((c for c in node.named_children if c.type not in COMMENTS), node).type)


def declared_name(source: SourceText, node: Node) -> str:
    """The name that a node declares, "" for punctuation."""
    if node.type == "operator_declaration":
        return declared_name(source, field(node, "name"))
    if node.type in {"infix_op_symbol", "prefix_op_symbol", "postfix_op_symbol"}:
        return bare_symbol(node)
    if node.type in {"identifier", "identifier_ref"}:
        return source.text(node)
    # Some operators are bare node types, as in a definition of "-.".
    return spell_symbol(node.type) if node.is_named and node.type not in COMMENTS else ""


def declared_parameters(source: SourceText, node: Node) -> tuple[str, ...]:
    """The names of a definition's parameters."""
    names = (declared_name(source, child) for child in node.children_by_field_name("parameter"))
    return tuple(name for name in names if name)


def introduced_names(source: SourceText, node: Node) -> tuple[tuple[str, ...], bool]:
    """The names that a binder introduces, and whether they stand for the parts of a tuple."""
    introduced = node.children_by_field_name("intro")
    pattern = any(child.type == "tuple_of_identifiers" for child in introduced)
    names = chain.from_iterable(
        child.named_children if child.type == "tuple_of_identifiers" else [child] for child in introduced
    )
    texts = [source.text(name) for name in names if name.type == "identifier"]
    if texts == [EMPTY_TUPLE]:
        return (), True
    return tuple(texts), pattern


_ITEMS = frozenset({"conj_item", "disj_item"})
_PUNCTUATION = r"== << >> /\ \/ -> <- |-> =< /= -| (+) (-) (.) (/) (\X)".split()  # noqa: SIM905
_SIGNS = sorted(
    {sign for sign in (*SYMBOLS.values(), *_PUNCTUATION) if not re.search(r"[A-Za-z]", sign)},
    key=lambda sign: (-len(sign), sign),
)
# What begins a list item or a comment; most nodes have none of them inside.
_MARKED = re.compile("/\\\\|\\\\/|∧|∨|\\\\land|\\\\lor|\\\\\\*|\\(\\*".encode())
_TOKEN = re.compile(rf'"(?:[^"\\\n]|\\.)*"|\\?\w+|{"|".join(map(re.escape, _SIGNS))}|\S', re.ASCII)


def digest_tokens(source: SourceText, node: Node) -> str:
    """The digest of a node: 16 hexadecimal digits over its tokens."""
    parts: list[bytes] = []
    reached = node.start_byte
    for offset, resumed, mark in _marks(source, node):
        parts += [source.content[reached:offset], mark]
        reached = max(reached, resumed)
    parts.append(source.content[reached : node.end_byte])
    tokens = _TOKEN.findall(b"".join(parts).decode(errors="replace"))
    return hashlib.sha256("\n".join(tokens).encode()).hexdigest()[:16]


def _marks(source: SourceText, node: Node) -> Iterator[tuple[int, int, bytes]]:
    """The places of a text's comments and list items in order: where the mark goes, and where the text resumes."""
    pending: list[Node | int] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, int):
            yield each, each, " » ".encode()
        elif each.type in COMMENTS:
            yield each.start_byte, each.end_byte, b" "
        else:
            if each.type in _ITEMS:
                yield each.start_byte, each.start_byte, " « ".encode()
                pending.append(each.end_byte)
            if _MARKED.search(source.content, each.start_byte, each.end_byte):
                pending += reversed(each.children)


# Hundreds of mutants share their modules.
@lru_cache(maxsize=256)
def without_comments(text: str) -> str:
    """The text with its comments blanked out, and no blanks at the ends of lines: all else keeps its line and column.

    A text that does not parse, or whose line ends are not all ``\\n``, stays as it is.
    """
    source = SourceText.of(text, keep_tabs=True)
    root = parse_tree(source)
    if root.has_error or source.whole != text:
        return text
    content, parts, reached, pending = source.content, list[bytes](), 0, [root]
    while pending:
        node = pending.pop()
        if node.type not in COMMENTS:
            pending += reversed(node.children)
            continue
        blank = re.sub(r"\S", " ", content[node.start_byte : node.end_byte].decode())
        parts += [content[reached : node.start_byte], blank.encode()]
        reached = node.end_byte
    blanked = b"".join([*parts, content[reached:]]).decode()
    return "\n".join(line.rstrip() for line in blanked.split("\n"))
