"""Values read from TLA+ text.

Some sequences of lexemes (tokens) are kept as text: ``SUBSET S``, ``[S -> T]``.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.text import cut
from tla2py.tla.value import DEEPEST, UNESCAPED, Function, Interval, ModelValue, Opaque, Record, Value

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
    """The parts of a value to keep as text, also those nested too deep: index of the first lexeme -> index after the last.

    Parts inside an opaque part may be listed too. The last of ``lexemes`` is empty.
    """
    found: dict[int, int] = {}
    stack, deep = [_Group("", 0)], 0
    for index, lexeme in enumerate(lexemes):
        group = stack[-1]
        if lexeme in _CLOSED_BY:
            if len(stack) == DEEPEST + 1:
                deep = index
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
                if len(stack) == DEEPEST + 1:
                    found[deep] = index + 1
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


# Without `null` and `UNDEF`, which TLC prints for a missing value: both are common names of model values.
_BUILTIN = frozenset({"Nat", "Int", "Real", "STRING", "ANY"})
_DIGITS = frozenset("-0123456789")
_NUMBER = re.compile(r"(-?[0-9]+)(?:\s*\.\.\s*(-?[0-9]+))?")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NAME = re.compile(r"\w+")
_FIELD = re.compile(r"[0-9_]*[^\W0-9_]\w*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# Brackets without inner brackets, such as a message or a log entry, are one piece, because traces repeat them often.
# Bounded repetition keeps the scan linear.
_PLAIN = r"""[^\[\]{}()<>"\\|]{0,80}"""
_FLAT = rf"""{_PLAIN}(?:(?:\|->|:>|"[^"\\]{{0,80}}"){_PLAIN}){{0,60}}"""
_PIECE = re.compile(rf"""\[{_FLAT}\]|\{{{_FLAT}\}}|<<{_FLAT}>>|\({_FLAT}\)|{LEXEME.pattern}""", re.DOTALL)
_FLAT_BEGINS = frozenset({"[", "{", "(", "<<"})
_SYMBOLS = frozenset("-+*/#=~&|%^$?!@'.;")
_END = ""


class ValueTextError(InputError):
    """A text that is not a TLA+ value; ``column`` is the column of the error, in characters from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__("value-syntax", message, where=f"column {column}")
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        return (ValueTextError, (self.message, self.column))


class _Unexpected(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, index: int, expected: str) -> None:
        super().__init__(index, expected)
        self.index = index
        self.expected = expected


def parse_value(
    text: str, *, model_values: Iterable[str] = (), known: dict[str, Value] | None = None
) -> Value:
    """The value of a TLA+ text in any layout.

    A bare name is a ``ModelValue``, except for the sets that TLC does not enumerate (``Nat``, ``Int``, ``Real``,
    ``STRING``, ``ANY``), which become ``Opaque`` unless ``model_values`` lists them. Time and memory are linear in the
    text. ``known`` is a cache of small parts by text, to be shared only between calls with
    the same model values. A part nested more than ``DEEPEST`` deep is ``Opaque``. Raises ``ValueTextError``.
    """
    leaves: dict[str, Value] = {name: ModelValue(name) for name in model_values}
    with contextlib.suppress(_Unexpected):
        return _parse([*_PIECE.findall(text), _END], leaves if known is None else known, {})
    # Opaque parts are rare, and finding where they begin takes lookahead.
    lexemes = [*LEXEME.findall(text), _END]
    spans = [match.span() for match in LEXEME.finditer(text)]
    opaque = {
        begin: (end, Opaque(opaque_text(text, spans[begin:end])))
        for begin, end in find_opaque(lexemes).items()
    }
    try:
        return _parse(lexemes, leaves, opaque)
    except _Unexpected as error:
        raise _syntax_error(text, lexemes, error) from None


def _parse(lexemes: list[str], leaves: dict[str, Value], opaque: dict[int, tuple[int, Opaque]]) -> Value:
    value, index = _value(lexemes, 0, leaves, opaque, 0)
    if lexemes[index] != _END:
        raise _Unexpected(index, "the end of the value")
    return value


def _value(
    lexemes: list[str],
    index: int,
    leaves: dict[str, Value],
    opaque: dict[int, tuple[int, Opaque]],
    depth: int,
) -> tuple[Value, int]:
    """The value that starts at an index, and the index after it."""
    if opaque and index in opaque:
        end, part = opaque[index]
        return part, end
    lexeme = lexemes[index]
    value = leaves.get(lexeme)
    if value is None and lexeme not in _CLOSED_BY:
        if lexeme[:1] in _FLAT_BEGINS or lexeme[:2] in _FLAT_BEGINS:
            value = _parse([*LEXEME.findall(lexeme), _END], leaves, {})
        else:
            value = _leaf(lexeme, index)
        leaves[lexeme] = value
    if value is not None:
        return value, index + 1
    closer = _CLOSED_BY[lexeme]
    if lexemes[index + 1] == closer and lexeme in ("<<", "{"):
        return () if lexeme == "<<" else frozenset(), index + 2
    if depth == DEEPEST:
        raise _Unexpected(index, "the end of deep nesting")
    items: list[Value] = []
    while True:
        index += 1
        if closer == "]":
            index = _field(lexemes, index, items)
        value, index = _value(lexemes, index, leaves, opaque, depth + 1)
        items.append(value)
        whole = closer != ")" or len(items) % 2 == 0
        if whole and lexemes[index] == closer:
            return _build(closer, items), index + 1
        separator = "," if closer != ")" else "@@" if whole else ":>"
        if lexemes[index] != separator:
            followers = f"`{separator}` or `{closer}`" if whole else f"`{separator}`"
            raise _Unexpected(index, followers)


def _field(lexemes: list[str], index: int, items: list[Value]) -> int:
    if not _FIELD.fullmatch(lexemes[index]):
        raise _Unexpected(index, "a field name")
    if lexemes[index + 1] != "|->":
        raise _Unexpected(index + 1, "`|->`")
    items.append(lexemes[index])
    return index + 2


def _build(closer: str, items: list[Value]) -> Value:
    if closer == ">>":
        return tuple(items)
    if closer == "}":
        return frozenset(items)
    if closer == "]":
        return Record(zip(items[::2], items[1::2], strict=True))
    # `@@` takes the first of two pairs with the same key.
    return Function(zip(items[-2::-2], items[::-2], strict=True))


def _leaf(lexeme: str, index: int) -> Value:
    first = lexeme[:1]
    if first == '"':
        if _STRING.fullmatch(lexeme):
            body = lexeme[1:-1]
            return (
                _ESCAPE.sub(lambda found: UNESCAPED.get(found[1], found[0]), body) if "\\" in body else body
            )
    elif first in _DIGITS and (number := _NUMBER.fullmatch(lexeme)):
        try:
            low = int(number[1])
            return low if number[2] is None else Interval(low, int(number[2]))
        except ValueError:  # more digits than Python converts
            raise _Unexpected(index, "a number of a few digits") from None
    elif _NAME.fullmatch(lexeme):
        if lexeme == "TRUE" or lexeme == "FALSE":
            return lexeme == "TRUE"
        return Opaque(lexeme) if lexeme in _BUILTIN else ModelValue(lexeme)
    elif first == "<" and len(lexeme) > 2:
        return Opaque(" ".join(lexeme.split()))
    elif lexeme in _SYMBOLS:
        return ModelValue(lexeme)
    raise _Unexpected(index, "a value")


def _syntax_error(text: str, lexemes: list[str], error: _Unexpected) -> ValueTextError:
    begins = [*(match.start() for match in LEXEME.finditer(text)), len(text.rstrip())]
    found, column = lexemes[error.index], begins[error.index] + 1
    shown = f"`{cut(found, 43)}`" if found else "the end of the text"
    return ValueTextError(f"not a TLA+ value: expected {error.expected}, found {shown}", column)
