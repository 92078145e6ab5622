"""The lexemes (tokens) of printed values, and which of their sequences are kept as text (``SUBSET S``, ``[S -> T]``)."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Every character except white space belongs to a lexeme. An unterminated string runs to the end, where the parser
# rejects it. No two alternatives match the same long stretch, which keeps the scan linear.
LEXEME = re.compile(
    r"""[,{}()\[\]]|<<|>>|[A-Za-z_]\w*"""
    r"""|-?[0-9]+(?:\s*\.\.\s*-?[0-9]+)?(?!\w)"""
    r"""|"[^"\\]*(?:\\.[^"\\]*)*"?"""
    r"""|\|->|:>|@@|->(?!>)|\w+|\\\w+"""  # a model value may be a lone hyphen, as in <<->>
    r"""|<[A-Za-z][^<>"]*(?:<[^<>"]*>[^<>"]*)*>"""  # <expression ...>, <Operator ...>, <LAZY <...>>
    r"""|\S""",
    re.DOTALL,
)
_CLOSED_BY = {"<<": ">>", "{": "}", "[": "]", "(": ")"}
_CLOSERS = frozenset(_CLOSED_BY.values())
_SEPARATORS = frozenset({",", ":>", "@@", "|->"})
# These make the enclosing brackets opaque ...
_OF_GROUP = frozenset({"\\in", ":", "->"})
# ... and these only their own part.
_OF_VALUE = frozenset({"\\cup", "\\cap", "\\", "\\X", "SUBSET", "UNION", "Seq", "BSeq"})


@dataclass(slots=True)
class _Group:
    """An open bracket, and its current part: the lexemes since the last separator."""

    closer: str
    part: int
    part_opaque: bool = False
    opaque: bool = False
    keyed: bool = False


def find_opaque(lexemes: list[str]) -> dict[int, int]:
    """The parts of a value to keep as text: index of the first lexeme -> index after the last.

    Parts inside an opaque part may be listed too. The last of ``lexemes`` is empty.
    """
    found: dict[int, int] = {}
    stack = [_Group("", 0)]
    for index, lexeme in enumerate(lexemes):
        group = stack[-1]
        if lexeme in _CLOSED_BY:
            stack.append(_Group(_CLOSED_BY[lexeme], index + 1))
        elif lexeme in _SEPARATORS or lexeme in _CLOSERS or not lexeme:
            # A lone `SUBSET` is a model value of that name.
            if group.part_opaque and index > group.part + 1:
                found[group.part] = index
                # Round brackets enclose either a function or `(S \X T)`.
                group.opaque |= lexeme == ")" and not group.keyed
            group.part, group.part_opaque = index + 1, False
            group.keyed |= lexeme == ":>"
            if lexeme in _CLOSERS:
                if lexeme != group.closer:
                    return {}  # the parser reports the place
                stack.pop()
                stack[-1].part_opaque |= group.opaque
        elif lexeme in _OF_GROUP:
            group.opaque = True
        elif lexeme in _OF_VALUE:
            group.part_opaque = True
    return found


def opaque_text(text: str, spans: list[tuple[int, int]]) -> str:
    """The lexemes at ``spans`` on one line, with the same spacing however ``text`` was wrapped."""
    pieces: list[str] = []
    end = spans[0][0]
    for begin, next_end in spans:
        lexeme = text[begin:next_end]
        if begin > end and lexeme not in _CLOSERS and lexeme != "," and pieces[-1] not in _CLOSED_BY:
            pieces.append(" ")
        pieces.append(lexeme if lexeme.startswith('"') else " ".join(lexeme.split()))
        end = next_end
    return "".join(pieces)
