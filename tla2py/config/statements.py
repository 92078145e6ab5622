"""The statements of a TLC config by TLC's own grammar, and its mistakes.

Source: ``tlc2.tool.impl.ModelConfig``: statements without separators, names where a keyword does not end the section,
``lhs = value`` and ``lhs <- [Module] name``, comments ``\\* ...`` and nested ``(* ... *)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tla2py.config.literal import KEYWORDS, LARGEST, LISTS, SINGLE
from tla2py.config.tokens import Token, Tokens, read_tokens, what_stops

_NO_VALUES = KEYWORDS | {"=", "<-", ",", "}"}
# The lint rules on mistakes.
MISTAKE_CODES = frozenset({"unreadable", "syntax", "comma", "value", "repeated"})
# First tokens of TLA+ values that a config cannot express; TLC makes a model value of the token.
_BEYOND = frozenset("- -. << [ ( ~ \\ /\\ \\/ SUBSET UNION CHOOSE LAMBDA IF LET DOMAIN".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Name:
    """A name such as ``I!Op``, and its first token."""

    text: str
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """``name(arguments) = [module] value`` or ``name <- [module] value``; ``tokens`` are those of the value."""

    name: Name
    arguments: str
    sign: str
    module: Name | None
    value: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A keyword with its arguments; ``end`` is the offset after its last token.

    ``assigned`` are the names to the left of a sign, including those of bindings that do not parse.
    """

    keyword: Token
    names: tuple[Name, ...] = ()
    bindings: tuple[Binding, ...] = ()
    assigned: tuple[str, ...] = ()
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigMistake:
    """A mistake in a config; ``code`` is that of its lint rule, ``token`` is None at the end of the text.

    With a ``harmless`` one TLC still reads every statement.
    """

    code: str
    message: str
    hint: str
    token: Token | None
    harmless: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """The statements of a config as far as TLC reads it and they parse, and its mistakes in order."""

    tokens: Tokens
    statements: tuple[Statement, ...]
    mistakes: tuple[ConfigMistake, ...]

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """The bindings of constants."""
        return tuple(binding for statement in self.statements for binding in statement.bindings)


def read_statements(text: str) -> Statements:
    """The statements and mistakes of a config; raises nothing."""
    tokens = read_tokens(text)
    # TLC stops reading at the first stop.
    limit = tokens.stops[0].offset if tokens.stops else len(text)
    reader = _Reader(tuple(token for token in tokens.tokens if token.offset < limit))
    reader.read()
    mistakes = reader.mistakes
    if tokens.stops:
        mistakes.append(_unreadable(tokens))
    mistakes.sort(key=lambda mistake: mistake.token.offset if mistake.token else len(text))
    return Statements(tokens=tokens, statements=tuple(reader.statements), mistakes=tuple(mistakes))


def _unreadable(tokens: Tokens) -> ConfigMistake:
    message, hint = what_stops(tokens, KEYWORDS)
    stop, harmless = tokens.stops[0], tokens.nothing_lost
    return ConfigMistake(code="unreadable", message=message, hint=hint, token=stop, harmless=harmless)


class _UnreadableError(Exception):
    def __init__(self, mistake: ConfigMistake) -> None:
        self.mistake = mistake


class _Reader:
    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.position = 0
        self.statements: list[Statement] = []
        self.mistakes: list[ConfigMistake] = []

    def read(self) -> None:
        seen: set[str] = set()
        while self.position < len(self.tokens):
            keyword = self.tokens[self.position]
            self.position += 1
            names: list[Name] = []
            bindings: list[Binding] = []
            begin = self.position
            try:
                if keyword.text in SINGLE and keyword.text in seen:
                    raise self._error("repeated", keyword, f"a second {keyword.text}", "keep one of them")
                seen.add(keyword.text)
                self._statement(keyword, names, bindings)
            except _UnreadableError as error:
                self.mistakes.append(error.mistake)
                while self._more():
                    self.position += 1
            heads = [index for index in range(begin, self.position) if self._begins_binding(index)]
            self.statements.append(
                Statement(
                    keyword=keyword,
                    names=tuple(names),
                    bindings=tuple(bindings),
                    assigned=tuple(self.tokens[index].text for index in heads),
                    end=self.tokens[self.position - 1].end,
                )
            )

    def _statement(self, keyword: Token, names: list[Name], bindings: list[Binding]) -> None:
        if keyword.text in SINGLE or keyword.text == "TYPE_CONSTRAINT":
            names.append(self._name(keyword.text))
        elif keyword.text in LISTS:
            self._names(names)
        elif keyword.text in ("CONSTANT", "CONSTANTS"):
            self._bindings(bindings)
        elif keyword.text == "CHECK_DEADLOCK":
            value = self._next("TRUE or FALSE")
            if value.text not in ("TRUE", "FALSE"):
                message = f"{value.text!r} where TRUE or FALSE was expected"
                raise self._error(
                    "syntax", value, message, "write CHECK_DEADLOCK TRUE or CHECK_DEADLOCK FALSE"
                )
            names.append(Name(value.text, value))
        elif keyword.text == "_EXPECT":
            self._name("_EXPECT")  # tla2py.config.expect_comment interprets it
            while self._more() and self.tokens[self.position].line == keyword.line:
                self.position += 1
        else:
            message = f"{keyword.text!r} does not begin a statement of a config"
            raise self._error("syntax", keyword, message, "write SPECIFICATION, INVARIANT, CONSTANT, ...")

    def _more(self) -> bool:
        """Whether the next token continues the statement."""
        return bool(self._peek()) and self._peek() not in KEYWORDS

    def _next(self, wanted: str) -> Token:
        if self.position == len(self.tokens):
            message = f"the config ends where {wanted} was expected"
            hint = f"write {wanted}, or remove the statement"
            raise _UnreadableError(ConfigMistake(code="syntax", message=message, hint=hint, token=None))
        self.position += 1
        return self.tokens[self.position - 1]

    def _peek(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def _name(self, after: str) -> Name:
        token = self._next(f"a name after {after}")
        if not re.fullmatch(r"\w+", token.text, re.ASCII) or token.text in KEYWORDS:
            if token.text in KEYWORDS:
                self.position -= 1
            message = f"{token.text!r} where a name was expected after {after}"
            raise self._error("syntax", token, message, f"write a name, or remove {after}")
        text = token.text
        while self._peek() == "!":
            self.position += 1
            text += "!" + self._name("!").text
        return Name(text, token)

    def _names(self, names: list[Name]) -> None:
        while self._more():
            if self._peek() == ",":
                self._comma("TLC takes a comma between names for a name")
            else:
                names.append(self._name("the keyword"))

    def _comma(self, message: str) -> None:
        token = self.tokens[self.position]
        self.mistakes.append(ConfigMistake(code="comma", message=message, hint="remove it", token=token))
        self.position += 1

    def _bindings(self, bindings: list[Binding]) -> None:
        while self._more():
            if self._peek() == ",":
                self._comma("TLC does not allow commas between constants")
            else:
                try:
                    bindings.append(self._binding())
                except _UnreadableError as error:
                    self.mistakes.append(error.mistake)
                    while self._more() and not self._begins_binding(self.position):
                        self.position += 1

    def _begins_binding(self, position: int) -> bool:
        following = [token.text for token in self.tokens[position : position + 2]]
        return len(following) == 2 and following[1] in ("=", "<-") and following[0].isidentifier()

    def _binding(self) -> Binding:
        name = self._name("CONSTANTS")
        arguments = self._until(")") if self._peek() == "(" else ""
        sign = self._next(f"= or <- after {name.text}")
        if sign.text not in ("=", "<-"):
            message = f"{sign.text!r} after {name.text}, where = or <- was expected"
            raise self._error("syntax", sign, message, "write = before a value, <- before a definition")
        module = None
        if self._peek() == "[":
            bracket = self._next("[")
            following = self.tokens[self.position + 1 : self.position + 2]
            module = self._name("[") if [token.text for token in following] == ["]"] else None
            if module is None:
                hint = f"assign a definition: {name.text} <- DEFINITION"
                raise self._error(
                    "value", bracket, "a config cannot express a value that begins with [", hint
                )
            self.position += 1
        begin = self.position
        value = self._name("<-").text if sign.text == "<-" else self._value(name.text)
        return Binding(
            name=name,
            arguments=arguments,
            sign=sign.text,
            module=module,
            value=value,
            tokens=self.tokens[begin : self.position],
        )

    def _until(self, close: str) -> str:
        """The text up to a closing bracket: the arguments of an operator constant."""
        parts: list[str] = []
        while not parts or parts[-1] != close:
            parts.append(self._next(close).text)
        return re.sub(r",", ", ", "".join(parts))

    def _value(self, constant: str) -> str:
        token = self._next("a value")
        beyond = token.text in _BEYOND or token.text.startswith(("\\", "WF_", "SF_"))
        if beyond or self._peek() in ("..", ".") or (token.text.isdigit() and int(token.text) > LARGEST):
            following = self._peek()
            number = token.text == "-" and following.isdigit()
            shown = f"-{following}" if number else f"a value that begins with {token.text}"
            if self._peek() in ("..", "."):
                shown = f"a value such as {token.text}{following}"
            hint = f"assign a definition: {constant} <- DEFINITION"
            raise self._error("value", token, f"a config cannot express {shown}", hint)
        if token.text in _NO_VALUES:
            if token.text in KEYWORDS:
                self.position -= 1
            message = f"{token.text!r} where a value was expected"
            raise self._error(
                "syntax", token, message, f"write one, as in {constant} = 3 or {constant} = {{a, b}}"
            )
        if token.text != "{":
            return token.text
        elements: list[str] = []
        while self._peek() != "}":
            elements.append(self._value(constant))
            if self._peek() == ",":
                self.position += 1
            elif self._peek() != "}":
                token = self._next("} or a comma")
                self.position -= 1
                raise self._error("syntax", token, "a comma is missing in a set", "write one before it")
        self.position += 1
        return "{" + ", ".join(elements) + "}"

    def _error(self, code: str, token: Token, message: str, hint: str) -> _UnreadableError:
        return _UnreadableError(ConfigMistake(code=code, message=message, hint=hint, token=token))
