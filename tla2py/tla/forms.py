r"""Forms that SANY accepts and the grammar refuses, replaced by others of the same length that the grammar reads.

They are looked for only in a text that does not parse. As no byte moves, every node stands where the user wrote it, and its
text is read from the user's file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

EMPTY_TUPLE = "<<"
"""The text of the identifier that stands for ``<<>>`` in front of ``\\in``; no name has it."""

_TOKENS = re.compile(rb'\(\*|\*\)|\\\*[^\n]*|"(?:[^"\\\n]|\\.)*"')
_NOT_LINE_ENDS = re.compile(rb"[^\n]")
# The words that begin and end what may have LOCAL definitions in it; a step of a proof ends a DEFINE.
_SCOPES = re.compile(rb"\b(?:LET|IN|DEFINE|LOCAL)\b|<(?:\d+|\*|\+)>")
_COMPONENT = rb"\w+\s*(?:\([^()]*\)\s*)?"
# A label such as A!B!lbl(x) ::, its prefix as the first group.
_PREFIXED_LABEL = re.compile(rb"((?:" + _COMPONENT + rb"!\s*)+)" + _COMPONENT + rb"::(?!=)")
_EMPTY_TUPLES = re.compile(rb"(<<)(\s*>>)(?=\s*(?:\\in\b|\xe2\x88\x88))")
# Names that the grammar takes for sets and truth values, as fields of records, wherever comments are.
_FIELDS = re.compile(rb"[\[,]\s*(Nat|Int|Real|STRING|BOOLEAN|TRUE|FALSE)(?=\s*(?:\|->|:(?![:=>])))")
_BULLETS = re.compile(rb"/\\|\\/")


def replace_forms(text: bytes) -> bytes:
    """Return a text of the same length in which the grammar reads what it refused."""
    code = blank_comments(text)
    for start, end, replacement in [*_local_words(code), *_prefixes(code), *_tuples(code), *_fields(code)]:
        text = text[:start] + replacement + text[end:]
    return text


def blank_comments(text: bytes) -> bytes:
    """Return a text of the same length without its comments and without what its strings say."""
    parts = list[bytes]()
    reached = depth = 0
    for token in _TOKENS.finditer(text):
        if depth == 0:
            parts.append(text[reached : token.start()])
        else:
            parts.append(_blank(text[reached : token.start()]))
        if token[0] == b"(*":
            depth += 1
        elif token[0] == b"*)":
            depth = max(depth - 1, 0)
        parts.append(_blank(token[0]))
        reached = token.end()
    parts.append(text[reached:])
    return b"".join(parts)


def _blank(text: bytes) -> bytes:
    return _NOT_LINE_ENDS.sub(b" ", text)


def _local_words(code: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield blanks for each LOCAL in a LET, or in a DEFINE of a proof."""
    lets = 0
    defining = False
    for word in _SCOPES.finditer(code):
        match word[0]:
            case b"LET":
                lets += 1
            case b"IN":
                lets = max(lets - 1, 0)
            case b"DEFINE":
                defining = True
            case b"LOCAL":
                if lets or defining:
                    yield word.start(), word.end(), _blank(word[0])
            case _:
                defining = False


def _prefixes(code: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield blanks for the prefix of each label that has one; nothing refers to a label by that."""
    for label in _PREFIXED_LABEL.finditer(code):
        yield label.start(1), label.end(1), _blank(label[1])


def _tuples(code: bytes) -> Iterator[tuple[int, int, bytes]]:
    r"""Yield a name for each ``<<>>`` in front of ``\in``, where the grammar wants names in the brackets."""
    for pair in _EMPTY_TUPLES.finditer(code):
        yield pair.start(), pair.end(), b"aa" + _blank(pair[2])


def _fields(code: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield a plain name for each field whose name means something to the grammar."""
    for field in _FIELDS.finditer(code):
        yield field.start(1), field.end(1), b"a" * len(field[1])


def arm_on_lines_of_its_own(text: bytes, position: int) -> Iterator[bytes]:
    r"""Yield texts of the same length in which the ``[]`` at a position is further to the left, on a line of its own.

    The grammar ends a list of conjuncts only at what is not to the right of it. Each text ends another number of the
    lists above; the first one ends the fewest. There are none if the rest of the line has a list in it: that would move.
    """
    line_start = text.rfind(b"\n", 0, position) + 1
    line_end = text.find(b"\n", position)
    rest = text[position:line_end] if line_end >= 0 else text[position:]
    indentation = position - len(text[line_start:position].rstrip()) - line_start
    if _BULLETS.search(rest) is not None:
        return
    above = blank_comments(text[:position])
    columns = {
        bullet.start() - above.rfind(b"\n", 0, bullet.start()) - 1 for bullet in _BULLETS.finditer(above)
    }
    for column in sorted(columns, reverse=True):
        if column < indentation:
            line_break = position - column - 1
            yield text[:line_break] + b"\n" + text[line_break + 1 :]
