"""The tokens of a TLC config, as TLC's own lexer produces them, and its statements.

Source: the token manager of SANY in its state SPEC, compared with ``tlc2.tool.impl.ModelConfig`` of TLC 2.15, 2.19 and
2.20. At a lexical error TLC silently ignores the rest of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tla2py.model.model import CONFIG_SYMBOLS, LIST_FIELDS, NAME_FIELDS
from tla2py.text import did_you_mean

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


# The operators that a module may declare or define, as SANY names them: TLC compares the text, and knows no synonyms.
_OPERATORS = frozenset(
    (
        "-. ... <: =| |= |- -| || // ## !! $$ %% && ** ++ -- .. ::= := :> ?? @@ ^* ^# ^+ ^^ + - * / % ^ | & $ < > "
        r"\approx \asymp \bigcirc \bullet \cong \div \doteq \geq \gg \leq \ll \o \odot \ominus \oplus \oslash \otimes "
        r"\prec \preceq \propto \sim \simeq \sqcap \sqcup \sqsubset \sqsubseteq \sqsupset \sqsupseteq \star \subset "
        r"\succ \succeq \supset \supseteq \uplus \wr"
    ).split()
)
_SYNONYMS = {
    "<=": r"\leq", "=<": r"\leq", ">=": r"\geq", r"\circ": r"\o",
    "(+)": r"\oplus", "(-)": r"\ominus", "(.)": r"\odot", "(/)": r"\oslash", r"(\X)": r"\otimes",
}  # fmt: skip
_NAMES = {name: symbol for symbol, name in CONFIG_SYMBOLS.items()}


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


class Tokens(NamedTuple):
    """The tokens of a config; at the first of ``stops`` TLC stops reading."""

    tokens: list[Token]
    stops: list[Token]
    comments: list[Token]


def read_tokens(text: str) -> Tokens:
    """The tokens of a config."""
    found = tokens, stops, comments = Tokens([], [], [])
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
        elif token := _TOKEN.match(text, position):
            end, to = token.end(), tokens
        else:
            end, to = position + 1, stops
        if to is not None:
            to.append(Token(text[position:end], line, position - line_start + 1, position))
        if breaks := text.count("\n", position, end):
            line += breaks
            line_start = text.rfind("\n", position, end) + 1
        position = end
    return found


def _comment_end(text: str, begin: int) -> int:
    depth = 0
    for found in _COMMENT.finditer(text, begin):
        depth += 1 if found[0] == "(*" else -1
        if depth == 0:
            return found.end()
    return -1


def _keyword(word: str) -> str:
    """The keyword of a field; those of experimental features begin with an underscore."""
    return f"_{word.upper()}" if word in ("periodic", "rl_reward", "possible") else word.upper()


SINGULAR = {field: "property" if field == "properties" else field.removesuffix("s") for field in LIST_FIELDS}
# The keywords that name one definition, and those that list definitions, each with its field in ``Config``.
SINGLE = {_keyword(field): field for field in NAME_FIELDS}
LISTS = {_keyword(word): field for field in LIST_FIELDS for word in (SINGULAR[field], field)}
_OTHERS = ("CONSTANT", "CONSTANTS", "CHECK_DEADLOCK", "TYPE_CONSTRAINT", "_EXPECT")
FIELDS = SINGLE | LISTS
KEYWORDS = frozenset({*FIELDS, *_OTHERS})
LARGEST = 2**31 - 1


def literal_names(text: str) -> frozenset[str] | None:
    """The names in a value, None if a config cannot express the value.

    TLC makes a model value of each name, so the caller must check that none is the name of a definition.
    """
    if _is_small(text):
        return frozenset()
    if (value := _literal(text)) is None:
        return None
    return frozenset(each.text for each in value.tokens if _NAME.fullmatch(each.text)) - {"TRUE", "FALSE"}


def literal_text(text: str) -> str:
    """A config's value on one line, with TLA+'s usual spacing."""
    value = None if _is_small(text) else _literal(text)
    return text if value is None else value.value


def _is_small(text: str) -> bool:
    """Whether a value is a number that needs no check; a parameter may have a hundred thousand of them."""
    return len(text) < 10 and text.isascii() and text.isdecimal()


_NAME = re.compile(r"\d*[A-Za-z_]\w*")
# The tokens of a value without escapes, which TLC does not read as SANY does.
_LITERAL = re.compile(r'\w+|"[ !#-\[\]-_a-~]*"|[{},]', re.ASCII)


@lru_cache(maxsize=1 << 14)
def _literal(text: str) -> Binding | None:
    """A value as a config has it, None if a config cannot express it."""
    read = read_statements(f"CONSTANT x = {text}")
    if read.mistakes or len(read.statements) > 1 or len(read.bindings) > 1 or read.bindings[0].module:
        return None
    return read.bindings[0] if all(_LITERAL.fullmatch(t.text) for t in read.bindings[0].tokens) else None


_NO_VALUES = KEYWORDS | {"=", "<-", ",", "}"}
# The lint rules on mistakes.
MISTAKE_CODES = frozenset({"unreadable", "syntax", "comma", "value", "repeated"})
# First tokens of TLA+ values that a config cannot express; TLC makes a model value of the token.
_BEYOND = frozenset("- -. << [ ( ~ \\ /\\ \\/ SUBSET UNION CHOOSE LAMBDA IF LET DOMAIN".split())


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
    """The statements of a config as far as TLC reads it and they parse, its comments, and its mistakes in order."""

    comments: tuple[Token, ...]
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
    return Statements(
        comments=tuple(tokens.comments), statements=tuple(reader.statements), mistakes=tuple(mistakes)
    )


def _unreadable(tokens: Tokens) -> ConfigMistake:
    """The mistake at the first stop, with the keywords that TLC never sees."""
    stop = tokens.stops[0]
    lost = [token.text for token in tokens.tokens if token.offset > stop.offset and token.text in KEYWORDS]
    unseen = f"; it never sees {', '.join(dict.fromkeys(lost))}" if lost else ""
    shown = repr(stop.text) if stop.text.isprintable() else f"U+{ord(stop.text[0]):04X}"
    what, hint = f"{shown} that TLC cannot read", "remove it"
    if stop.text.startswith("(*"):
        what, hint = "an unclosed comment", "close it with *)"
    elif stop.text == '"':
        what, hint = (
            "a string that TLC cannot read",
            'a string ends on its line, and its escapes are \\\\ \\" \\t \\n \\f \\r',
        )
    elif stop.text == "\ufeff":
        what, hint = "a byte order mark", "save the file as UTF-8 without one"
    message = f"{what}: {'TLC' if 'TLC' not in what else 'it'} ignores everything after it{unseen}"
    # Single characters apart from the rest, at the end of the text.
    last = tokens.tokens[-1].end if tokens.tokens else 0
    single = all(len(each.text) == 1 and each.text != '"' for each in tokens.stops)
    harmless = stop.offset > last and single
    return ConfigMistake(code="unreadable", message=message, hint=hint, token=stop, harmless=harmless)


def _known_name(symbol: str) -> str:
    """Return the name by which tla2py knows an operator, or any other name itself."""
    known = _SYNONYMS.get(symbol, symbol)
    return _NAMES.get(known, known)


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
            statement = Statement(
                keyword=keyword,
                names=tuple(names),
                bindings=tuple(bindings),
                assigned=tuple(_known_name(self.tokens[index].text) for index in heads),
                end=self.tokens[self.position - 1].end,
            )
            self.statements.append(statement)

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
                hint = "write CHECK_DEADLOCK TRUE or CHECK_DEADLOCK FALSE"
                raise self._error("syntax", value, message, hint)
            names.append(Name(value.text, value))
        elif keyword.text == "_EXPECT":
            self._name("_EXPECT")  # tla2py.tlc.config.read interprets it
            while self._more() and self.tokens[self.position].line == keyword.line:
                self.position += 1
        else:
            message = f"{keyword.text!r} does not begin a statement of a config"
            hint = did_you_mean(
                keyword.text, sorted(KEYWORDS), "write SPECIFICATION, INVARIANT, CONSTANT, ..."
            )
            raise self._error("syntax", keyword, message, hint)

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

    def _operator(self, after: str) -> Name:
        r"""Read the name of a definition or constant, which may be an operator's symbol such as ``\prec``."""
        symbol = self._peek()
        if symbol in _SYNONYMS:
            token, known = self._next("a name"), _SYNONYMS[symbol]
            raise self._error(
                "syntax", token, f"TLC knows {symbol} in a config as {known} only", f"write {known}"
            )
        if symbol in _OPERATORS:
            return Name(_known_name(symbol), self._next("a name"))
        following = [token.text for token in self.tokens[self.position + 1 : self.position + 3]]
        if following[:1] == ["!"] and following[-1] in _OPERATORS | _SYNONYMS.keys():
            token = self._next("a name")
            self.position += 1
            return Name(f"{token.text}!{self._operator('!').text}", token)
        return self._name(after)

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
        if len(following) < 2 or following[1] not in ("=", "<-"):
            return False
        return following[0].isidentifier() or following[0] in _OPERATORS | _SYNONYMS.keys()

    def _binding(self) -> Binding:
        name = self._operator("CONSTANTS")
        arguments = self._arguments() if self._peek() == "(" else ""
        sign = self._next(f"= or <- after {name.text}")
        if sign.text not in ("=", "<-"):
            message = f"{sign.text!r} after {name.text}, where = or <- was expected"
            hint = did_you_mean(name.text, sorted(KEYWORDS), "write = before a value, <- before a definition")
            raise self._error("syntax", sign, message, hint)
        module = None
        if self._peek() == "[":
            bracket = self._next("[")
            following = self.tokens[self.position + 1 : self.position + 2]
            module = self._name("[") if [token.text for token in following] == ["]"] else None
            if module is None:
                message = "a config cannot express a value that begins with ["
                hint = f"assign a definition: {name.text} <- DEFINITION"
                raise self._error("value", bracket, message, hint)
            self.position += 1
        begin = self.position
        value = self._operator("<-").text if sign.text == "<-" else self._value(name.text)
        return Binding(
            name=name,
            arguments=arguments,
            sign=sign.text,
            module=module,
            value=value,
            tokens=self.tokens[begin : self.position],
        )

    def _arguments(self) -> str:
        """The arguments of an operator constant, with their brackets."""
        parts = [self._next(")").text]
        while parts[-1] != ")":
            parts.append(self._next(")").text)
        return "".join(parts).replace(",", ", ")

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
            hint = f"write one, as in {constant} = 3 or {constant} = {{a, b}}"
            raise self._error("syntax", token, message, hint)
        if token.text != "{":
            return token.text
        elements: list[str] = []
        after = self._next("a value") if self._peek() == "}" else None
        while after is None or after.text == ",":
            elements.append(self._value(constant))
            after = self._next("} or a comma")
        if after.text != "}":
            self.position -= 1
            raise self._error("syntax", after, "a comma is missing in a set", "write one before it")
        return "{" + ", ".join(elements) + "}"

    def _error(self, code: str, token: Token, message: str, hint: str) -> _UnreadableError:
        return _UnreadableError(ConfigMistake(code=code, message=message, hint=hint, token=token))
