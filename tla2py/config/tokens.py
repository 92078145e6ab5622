"""The tokens of a TLC config, as TLC's own lexer produces them.

Source: the token manager of SANY in its state SPEC, compared with ``tlc2.tool.impl.ModelConfig`` of TLC 2.15, 2.19 and
2.20. At a lexical error TLC silently ignores the rest of the file.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

# Lists of words are easier to read than sixty strings.
# ruff: noqa: SIM905
_SYMBOLS = (
    "-+-> -. ... ::= <=> |-> (+) (-) (.) (/) (\\X) [] <> << >>_ >> ]_ -> <- <= <: => =< >= == =| |= |- -| || /\\ \\/ // /= ## "
    "!! $$ %% && ** ++ -- .. :: := :> ?? @@ ^* ^# ^+ ^^ ~>"
).split()
_NAMED = (
    "approx asymp bigcirc bullet cap cdot circ cong cup div doteq equiv exists forall geq gg intersect in land leq ll "
    "lnot lor mod neg notin odot ominus oplus oslash otimes o preceq prec propto sim simeq sqcap sqcup sqsubseteq "
    "sqsubset sqsupseteq sqsupset star subseteq subset succeq succ supseteq supset times union uplus wr AA EE A E X"
).split()
_NAMED.sort(key=len, reverse=True)
_TOKEN = re.compile(
    r'"(?:[^"`\\\r\n]|\\["\\tnfr])*"'
    r"|[WS]F_|[0-9_]*[A-Za-z]\w*|\d+|={4,}|-{4,}|\\(?:[bB][01]+|[oO][0-7]+|[hH][0-9a-fA-F]+)|"
    rf"\\(?:{'|'.join(_NAMED)})|"
    + "|".join(map(re.escape, sorted(_SYMBOLS, key=len, reverse=True)))
    + r"|[!#-:<->@\[-_{-~]",
    re.ASCII,
)
_BLANK = re.compile(r"[ \t\r\n]+|\\\*[^\r\n]*")
_COMMENT = re.compile(r"\(\*|\*\)")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a config; line and column count from 1, ``offset`` from 0."""

    text: str
    line: int
    column: int
    offset: int

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.offset + len(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The tokens of a config; at the first of ``stops`` TLC stops reading."""

    tokens: tuple[Token, ...]
    stops: tuple[Token, ...]
    comments: tuple[Token, ...]

    @property
    def nothing_lost(self) -> bool:
        """Whether only single characters that TLC cannot read, apart from the rest, end the text."""
        first = self.stops[0]
        last = self.tokens[-1].end if self.tokens else 0
        return first.offset > last and all(len(each.text) == 1 and each.text != '"' for each in self.stops)


def read_tokens(text: str) -> Tokens:
    """The tokens of a config."""
    tokens: list[Token] = []
    stops: list[Token] = []
    comments: list[Token] = []
    position, line, line_start = 0, 1, 0
    while position < len(text):
        blank = _BLANK.match(text, position)
        comment = text.startswith("(*", position)
        if blank:
            end, to = blank.end(), comments if blank[0].startswith("\\*") else None
        elif comment:
            end, to = _comment_end(text, position), comments
            if end < 0:
                end, to = len(text), stops
        elif found := _TOKEN.match(text, position):
            end, to = found.end(), tokens
        else:
            end, to = position + 1, stops
        if to is not None:
            to.append(Token(text[position:end], line, position - line_start + 1, position))
        if breaks := text.count("\n", position, end):
            line += breaks
            line_start = text.rfind("\n", position, end) + 1
        position = end
    return Tokens(tokens=tuple(tokens), stops=tuple(stops), comments=tuple(comments))


def what_stops(tokens: Tokens, keywords: Container[str]) -> tuple[str, str]:
    """The message about the first stop, with the keywords that TLC never sees, and a hint."""
    stop = tokens.stops[0]
    lost = [token.text for token in tokens.tokens if token.offset > stop.offset and token.text in keywords]
    unseen = f"; it never sees {', '.join(dict.fromkeys(lost))}" if lost else ""
    if stop.text.startswith("(*"):
        what, hint = "an unclosed comment", "close it with *)"
    elif stop.text == '"':
        what = "a string that TLC cannot read"
        hint = 'a string ends on its line, and its escapes are \\\\ \\" \\t \\n \\f \\r'
    elif stop.text == "\ufeff":
        what, hint = "a byte order mark", "save the file as UTF-8 without one"
    else:
        shown = repr(stop.text) if stop.text.isprintable() else f"U+{ord(stop.text):04X}"
        what, hint = f"{shown} that TLC cannot read", "remove it"
    return f"{what}: {'TLC' if 'TLC' not in what else 'it'} ignores everything after it{unseen}", hint


def _comment_end(text: str, begin: int) -> int:
    depth = 0
    for found in _COMMENT.finditer(text, begin):
        depth += 1 if found[0] == "(*" else -1
        if depth == 0:
            return found.end()
    return -1
