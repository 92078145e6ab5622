"""Values that a TLC config can express to the right of ``=``.

Source: ``tlc2.tool.impl.ModelConfig.parseValue``: non-negative decimal integers below 2^31, strings without escapes,
TRUE, FALSE, finite sets of these, and names, each of which becomes a model value. Everything else (negative numbers,
tuples, records, functions, ranges, expressions) needs a module.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tla2py.model.config import LIST_FIELDS, NAME_FIELDS


def _keyword(word: str) -> str:
    """The keyword of a field; those of experimental features begin with an underscore."""
    return f"_{word.upper()}" if word in ("periodic", "rl_reward", "possible") else word.upper()


_SINGULAR = {field: "property" if field == "properties" else field.removesuffix("s") for field in LIST_FIELDS}
# The keywords that name one definition, and those that list definitions, each with its field in ``Config``.
SINGLE = {_keyword(field): field for field in NAME_FIELDS}
LISTS = {_keyword(word): field for field in LIST_FIELDS for word in (_SINGULAR[field], field)}
_OTHERS = ("CONSTANT", "CONSTANTS", "CHECK_DEADLOCK", "TYPE_CONSTRAINT", "_EXPECT")
FIELDS = SINGLE | LISTS
KEYWORDS = frozenset({*FIELDS, *_OTHERS})
_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[A-Za-z0-9_]*[A-Za-z_][A-Za-z0-9_]*)|(?P<number>\d+)|(?P<string>"[^"`\\\x00-\x1f\x7f-\U0010ffff]*")|(?P<mark>[{},]))"""
)
LARGEST = 2**31 - 1


def literal_names(text: str) -> frozenset[str] | None:
    """The names in a value, None if a config cannot express the value.

    TLC makes a model value of each name, so the caller must check that none is the name of a definition.
    """
    return _NO_NAMES if _is_small(text) else _literal_names(text)


def literal_text(text: str) -> str:
    """A config's value on one line, with TLA+'s usual spacing."""
    return text if _is_small(text) else _literal_text(text)


def _is_small(text: str) -> bool:
    """Whether a value is a number that needs no check; a parameter may have a hundred thousand of them."""
    return len(text) < 10 and text.isascii() and text.isdecimal()


_NO_NAMES: frozenset[str] = frozenset()


@lru_cache(maxsize=1 << 14)
def _literal_names(text: str) -> frozenset[str] | None:
    tokens = _tokens(text)
    if not tokens or _end_of_value(tokens) != len(tokens):
        return None
    names = {token for token in tokens if re.fullmatch(r"\w*[A-Za-z_]\w*", token)} - {"TRUE", "FALSE"}
    # WF_x and SF_x are two tokens; a keyword ends the section.
    if any(name in KEYWORDS or name.startswith(("WF_", "SF_")) for name in names):
        return None
    return frozenset(names)


@lru_cache(maxsize=1 << 14)
def _literal_text(text: str) -> str:
    return "".join(f"{token} " if token == "," else token for token in _tokens(text) or ())


def _tokens(text: str) -> list[str] | None:
    tokens, position, text = [], 0, text.strip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found or (found["number"] and int(found["number"]) > LARGEST):
            return None
        tokens.append(found.group().strip())
        position = found.end()
    return tokens


def _end_of_value(tokens: list[str]) -> int:
    """The number of tokens of the first value, 0 without one; sets may be nested to any depth."""
    depth, expect_value = 0, True
    for index, token in enumerate(tokens):
        if expect_value and token == "{":
            depth += 1
            if tokens[index + 1 : index + 2] == ["}"]:
                expect_value = False
        elif expect_value and token not in "},":
            expect_value = False
        elif not expect_value and depth and token in "},":
            depth -= token == "}"
            expect_value = token == ","
        else:
            return 0
        if depth == 0:
            return index + 1
    return 0
