"""Reading a TLC config by TLC's own grammar.

Source: ``tlc2.tool.impl.ModelConfig``: statements without separators, names where a keyword does not end the section,
``lhs = value`` and ``lhs <- [Module] name``, comments ``\\* ...`` and nested ``(* ... *)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tla2py.cfg.literal import KEYWORDS
from tla2py.errors import InputError
from tla2py.run import Config

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|<-|[A-Za-z0-9_]+|\S')
# What begins no token of TLA+; a quotation mark stands alone where its string is not closed.
_UNREADABLE = frozenset('";`?')
_NO_VALUES = KEYWORDS | {"=", "<-", ",", "}"}
_SINGLE = {
    "INIT": "init",
    "NEXT": "next",
    "SPECIFICATION": "specification",
    "VIEW": "view",
    "SYMMETRY": "symmetry",
    "ALIAS": "alias",
}
_LISTS = {
    "INVARIANT": "invariants",
    "PROPERTY": "properties",
    "CONSTRAINT": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "POSTCONDITION": "postconditions",
    "INVARIANTS": "invariants",
    "PROPERTIES": "properties",
    "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINTS": "action_constraints",
    "POSTCONDITIONS": "postconditions",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a config and its place, from 1."""

    text: str
    line: int
    column: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A config read from a file: what it says, and its text for TLC.

    In ``text`` a CHECK_DEADLOCK statement is blanked out, since TLC 2.15 does not know it; it is given to TLC as an
    option instead, which all versions know. So is an _EXPECT statement, which is for who judges TLC's answer.
    """

    path: Path
    config: Config
    text: str


def read_config(path: Path) -> ConfigFile:
    """A ``.cfg`` file. Raises InputError: ``config-missing``, ``config-syntax`` with the place."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError("config-missing", f"no such config: {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("config-missing", f"{path} cannot be read: {error}") from error
    return parse_config(text, path)


def parse_config(text: str, path: Path) -> ConfigFile:
    """The text of a config; ``path`` names it in errors. Raises InputError (``config-syntax``) with the place."""
    reader = _Reader(path, list(_tokens(path, text)))
    config = reader.read()
    for begin, end in reader.blank_spans:
        text = text[:begin] + re.sub(r"\S", " ", text[begin:end]) + text[end:]
    return ConfigFile(path=path, config=config, text=text)


class _Reader:
    def __init__(self, path: Path, tokens: list[Token]) -> None:
        self.path = path
        self.tokens = tokens
        self.position = 0
        self.blank_spans: list[tuple[int, int]] = []

    def read(self) -> Config:
        single: dict[str, str] = {}
        lists: dict[str, tuple[str, ...]] = {}
        assignments: list[tuple[str, str]] = []
        substitutions: list[tuple[str, str]] = []
        deadlock = True
        while (token := self._next("a statement", optional=True)) is not None:
            if token.text in _SINGLE:
                if _SINGLE[token.text] in single:
                    raise self._error(token, f"{token.text} is given twice", "keep one of them")
                single[_SINGLE[token.text]] = self._name(token.text)
            elif token.text in _LISTS:
                key = _LISTS[token.text]
                lists[key] = (*lists.get(key, ()), *self._names())
            elif token.text in ("CONSTANT", "CONSTANTS"):
                self._bindings(assignments, substitutions)
            elif token.text == "CHECK_DEADLOCK":
                value = self._next("TRUE or FALSE")
                assert value is not None
                if value.text not in ("TRUE", "FALSE"):
                    raise self._error(value, f"{value.text!r} where TRUE or FALSE was expected", None)
                deadlock = value.text == "TRUE"
                self.blank_spans.append((token.offset, value.offset + len(value.text)))
            elif token.text == "_EXPECT":
                self._name("_EXPECT")  # what it means is read by tla2py.cfg.expected
                while (
                    self._peek() not in KEYWORDS
                    and self._peek()
                    and self.tokens[self.position].line == token.line
                ):
                    self.position += 1
                last = self.tokens[self.position - 1]
                self.blank_spans.append((token.offset, last.offset + len(last.text)))
            else:
                raise self._error(
                    token,
                    f"{token.text!r} begins no statement of a config",
                    "write SPECIFICATION, INVARIANT, CONSTANT, ...",
                )
        return Config(
            specification=single.get("specification"),
            init=single.get("init"),
            next=single.get("next"),
            symmetry=single.get("symmetry"),
            view=single.get("view"),
            alias=single.get("alias"),
            invariants=lists.get("invariants", ()),
            properties=lists.get("properties", ()),
            constraints=lists.get("constraints", ()),
            action_constraints=lists.get("action_constraints", ()),
            postconditions=lists.get("postconditions", ()),
            assignments=tuple(assignments),
            substitutions=tuple(substitutions),
            check_deadlock=deadlock,
        )

    def _next(self, wanted: str, *, optional: bool = False) -> Token | None:
        if self.position == len(self.tokens):
            if optional:
                return None
            raise InputError(
                "config-syntax", f"the config ends where {wanted} was expected", where=str(self.path)
            )
        self.position += 1
        return self.tokens[self.position - 1]

    def _peek(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def _name(self, after: str) -> str:
        token = self._next(f"a name after {after}")
        assert token is not None
        if not re.fullmatch(r"\w+", token.text) or token.text in KEYWORDS:
            raise self._error(token, f"{token.text!r} where a name was expected after {after}", None)
        text = token.text
        while self._peek() == "!":
            self.position += 1
            text += "!" + self._name("!")
        return text

    def _names(self) -> tuple[str, ...]:
        names = []
        while self._peek() and self._peek() not in KEYWORDS:
            if self._peek() == ",":
                raise self._error(
                    self.tokens[self.position], "TLC takes a comma between names for a name", "leave it out"
                )
            names.append(self._name("the keyword"))
        return tuple(names)

    def _bindings(self, assignments: list[tuple[str, str]], substitutions: list[tuple[str, str]]) -> None:
        while self._peek() and self._peek() not in KEYWORDS:
            if self._peek() == ",":
                raise self._error(
                    self.tokens[self.position], "TLC takes no comma between constants", "leave it out"
                )
            name = self._name("CONSTANTS")
            arguments = self._until(")") if self._peek() == "(" else ""
            sign = self._next(f"= or <- after {name}")
            assert sign is not None
            module = self._until("]") + " " if self._peek() == "[" else ""
            if sign.text == "<-":
                substitutions.append((name, module + self._name("<-")))
            elif sign.text == "=":
                assignments.append((name + arguments, module + self._value()))
            else:
                raise self._error(sign, f"{sign.text!r} after {name}, where = or <- was expected", None)

    def _until(self, close: str) -> str:
        """A bracketed part: the arguments of an operator constant, or a module's name."""
        parts: list[str] = []
        while not parts or parts[-1] != close:
            token = self._next(close)
            assert token is not None
            parts.append(token.text)
        return re.sub(r",", ", ", "".join(parts))

    def _value(self) -> str:
        token = self._next("a value")
        assert token is not None
        if token.text == "-" and self._peek().isdigit():
            raise self._error(
                token, f"a config cannot say -{self._peek()}", "assign a definition: NAME <- DEFINITION"
            )
        if token.text in _NO_VALUES:
            raise self._error(token, f"{token.text!r} where a value was expected", None)
        if token.text != "{":
            return token.text
        elements: list[str] = []
        while self._peek() != "}":
            elements.append(self._value())
            if self._peek() == ",":
                self.position += 1
            elif self._peek() != "}":
                self._next("} or a comma")
                raise self._error(
                    self.tokens[self.position - 1], "a set's elements are parted by commas", None
                )
        self.position += 1
        return "{" + ", ".join(elements) + "}"

    def _error(self, token: Token, message: str, hint: str | None) -> InputError:
        return InputError(
            "config-syntax", message, where=f"{self.path}:{token.line}:{token.column}", hint=hint
        )


def _tokens(path: Path, text: str) -> Iterator[Token]:
    """The tokens of a config; comments are passed over."""
    position, line, line_start = 0, 1, 0
    while position < len(text):
        if text.startswith("\\*", position):
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        elif text.startswith("(*", position):
            end = _comment_end(text, position)
            if end < 0:
                raise InputError(
                    "config-syntax",
                    "a comment that is not closed: TLC ignores all after it",
                    where=f"{path}:{line}:{position - line_start + 1}",
                    hint="close it with *)",
                )
            line += text.count("\n", position, end)
            line_start = text.rfind("\n", 0, end) + 1
            position = end
        elif text[position] == "\n":
            position += 1
            line, line_start = line + 1, position
        elif text[position].isspace():
            position += 1
        else:
            found = _TOKEN.match(text, position)
            assert found is not None
            if found.group() in _UNREADABLE:
                what = "a string" if found.group() == '"' else repr(found.group())
                raise InputError(
                    "config-syntax",
                    f"{what} that TLC cannot read: it ignores all after it",
                    where=f"{path}:{line}:{position - line_start + 1}",
                    hint="a string ends on its line" if found.group() == '"' else "leave it out",
                )
            yield Token(found.group(), line, position - line_start + 1, position)
            position = found.end()


def _comment_end(text: str, begin: int) -> int:
    depth = 0
    for found in re.finditer(r"\(\*|\*\)", text[begin:]):
        depth += 1 if found.group() == "(*" else -1
        if depth == 0:
            return begin + found.end()
    return -1
