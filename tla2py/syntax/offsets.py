"""Places in a text that moved: a value indented in a wrapper module, a string with escapes in a TOML file.

Only white space changes, so a place is mapped back by counting the other characters. Lines of a copy with its PlusCal
translated are mapped back by the labels of the algorithm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_LITERAL = re.compile(
    r'#[^\n]*|"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\s+)|(.))", re.DOTALL)
_CONTROL = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}
# TLC counts columns in UTF-16 units, with a tab stop every eight columns.
_TAB = 8
_DEFINITION = re.compile(r"\s*(?:LOCAL\s+)?(\w+)\s*(?:\([^)]*\)|\[[^\]]*\])?\s*==")
_ALGORITHM = re.compile(r"--(?:fair\s+)?algorithm\b|--fair\b")


def character_column(line: str, column: int) -> int:
    """The column in characters for a column in TLC's output, both from 1."""
    reached = 0
    for position, character in enumerate(line, 1):
        width = _TAB - reached % _TAB if character == "\t" else 2 if ord(character) > 0xFFFF else 1
        reached += width
        if reached >= column:
            return position
    return max(column - reached, 0) + len(line)


def count_visible(text: str) -> int:
    """The number of characters of a text that are not white space."""
    return sum(not character.isspace() for character in text)


def visible_offsets(text: str) -> list[int]:
    """The offsets of the characters of a text that are not white space."""
    return [offset for offset, character in enumerate(text) if not character.isspace()]


def find_string(text: str, start: int, value: str) -> list[int] | None:
    """The offsets of the characters, without white space, of the first TOML string after ``start`` that has a value."""
    wanted = "".join(value.split())
    for found in _LITERAL.finditer(text, start):
        if found[0].startswith("#"):
            continue
        pairs = [pair for pair in _characters(found[0], found.start()) if not pair[0].isspace()]
        if "".join(character for character, _ in pairs) == wanted:
            return [offset for _, offset in pairs]
    return None


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The line and column of an offset, from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def code_matches(pattern: str, text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """The matches of a pattern in TLA+ text, outside comments, and outside strings unless it begins with one."""
    depth = 0
    for token in _scanner(pattern).finditer(text, start):
        depth = max(depth + bool(token["open"]) - bool(token["close"]), 0)
        if token["found"] and not depth:
            yield token


@lru_cache(maxsize=8)
def _scanner(pattern: str) -> re.Pattern[str]:
    return re.compile(rf'\\\*[^\n]*|(?P<open>\(\*)|(?P<close>\*\))|(?P<found>{pattern})|"(?:[^"\\\n]|\\.)*"')


def _characters(literal: str, offset: int) -> Iterator[tuple[str, int]]:
    """The characters of a TOML string with their offsets."""
    quotes = 3 if literal[:3] in ('"""', "'''") else 1
    position, end = quotes, len(literal) - quotes
    while position < end:
        escape = _ESCAPE.match(literal, position) if literal[0] == '"' else None
        if escape is None:
            yield literal[position], offset + position
            position += 1
            continue
        if code := escape[1] or escape[2]:
            yield chr(int(code, 16)), offset + position
        elif escape[4]:
            yield _CONTROL.get(escape[4], escape[4]), offset + position
        position = escape.end()


def original_line(original: str, copy: str, line: int) -> int:
    """The line of the original for a line of its copy.

    The copy has the same lines, or differs by one block, a translation of PlusCal. A line of the translation maps to
    the label that its definition was made from, or else to the beginning of the algorithm.
    """
    old, new = _comparable(original), _comparable(copy)
    if len(old) == len(new):
        return line
    shared = min(len(old), len(new))
    before = next((n for n in range(shared) if old[n] != new[n]), shared)
    after = next((n for n in range(shared - before) if old[-1 - n] != new[-1 - n]), shared - before)
    if line <= before:
        return line
    if line > len(new) - after:
        return line - len(new) + len(old)
    for number in range(line, before, -1):
        if (found := _DEFINITION.match(new[number - 1])) is not None:
            return _label(old, found[1])
    return _label(old, "")


def _label(lines: Sequence[str], name: str) -> int:
    """The line of a label or process of an algorithm, or else its first line."""
    begin = next((n for n, line in enumerate(lines, 1) if _ALGORITHM.search(line)), 1)
    label = re.compile(rf"(?:^|[\s;{{]){re.escape(name)}\s*:[+-]?(?!=)|\bprocess\s*\(?\s*{re.escape(name)}\b")
    for number in range(begin, len(lines) + 1) if name else ():
        if label.search(lines[number - 1]):
            return number
    return begin


def _comparable(text: str) -> list[str]:
    """The lines of a module with LOCAL blanked out, as it may be in a copy."""
    return re.sub(r"\bLOCAL\b", "     ", text).split("\n")


def algorithm_line(text: str, definition: str, line: int) -> int | None:
    """The line of the PlusCal label or process that a definition of the translation comes from.

    None if the line is outside of the translation.
    """
    lines = text.split("\n")
    begin = next((n for n, each in enumerate(lines, 1) if "BEGIN TRANSLATION" in each), None)
    end = next((n for n, each in enumerate(lines, 1) if "END TRANSLATION" in each), len(lines))
    return _label(lines, definition) if begin is not None and begin < line < end else None
