"""Values as TLA+ text: ``parse_value`` reads what TLC prints, ``format_value`` writes one canonical line.

The grammar is that of the ``toString`` methods in ``tlc2.value.impl``. TLC 2.15, 2.19 (release 1.7.4) and 2.20 differ
only in ``<< >>`` for ``<<>>`` and ``SUBSET 1..9`` for ``SUBSET (1..9)``. TLC wraps values wider than 80 columns, always
between lexemes, so white space outside strings does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tla2py.errors import InputError
from tla2py.values.canonical import (
    BOOLEAN,
    CONSECUTIVE,
    FUNCTION,
    RECORD,
    SEQUENCE,
    SET,
    STRING,
    Form,
    canonical,
)
from tla2py.values.opaque import LEXEME, find_opaque, opaque_text
from tla2py.values.value import DEEP, Function, Interval, ModelValue, Opaque, Record, Value, shield

# Without `null` and `UNDEF`, which TLC prints for a missing value: both are common names of model values.
_BUILTIN = frozenset({"Nat", "Int", "Real", "STRING", "ANY"})
_DIGITS = frozenset("-0123456789")
_NUMBER = re.compile(r"(-?[0-9]+)(?:\s*\.\.\s*(-?[0-9]+))?")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NAME = re.compile(r"\w+")
_FIELD = re.compile(r"[0-9_]*[^\W0-9_]\w*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {'"': '"', "\\": "\\", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_ESCAPED = str.maketrans({char: "\\" + letter for letter, char in _UNESCAPED.items()})
# Brackets without inner brackets, such as a message or a log entry, are one piece, because traces repeat them often.
# Bounded repetition keeps the scan linear.
_PLAIN = r"""[^\[\]{}()<>"\\|]{0,80}"""
_FLAT = rf"""{_PLAIN}(?:(?:\|->|:>|"[^"\\]{{0,80}}"){_PLAIN}){{0,60}}"""
_PIECE = re.compile(rf"""\[{_FLAT}\]|\{{{_FLAT}\}}|<<{_FLAT}>>|\({_FLAT}\)|{LEXEME.pattern}""", re.DOTALL)
_FLAT_BEGINS = frozenset({"[", "{", "(", "<<"})
_SYMBOLS = frozenset("-+*/#=~&|%^$?!@'.;")
_CLOSER = {"<<": ">>", "{": "}", "[": "]", "(": ")"}
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
    text, and nesting is unlimited. ``known`` is a cache of small parts by text, to be shared only between calls with
    the same model values. Raises ``ValueTextError``.
    """
    leaves: dict[str, Value] = {name: ModelValue(name) for name in model_values}
    try:
        return _parse([*_PIECE.findall(text), _END], leaves if known is None else known, {})
    except _Unexpected:
        return _parse_piecemeal(text, leaves)


def _parse_piecemeal(text: str, leaves: dict[str, Value]) -> Value:
    lexemes = LEXEME.findall(text)
    lexemes.append(_END)
    try:
        try:
            return _parse(lexemes, leaves, {})
        except _Unexpected:
            # Opaque parts are rare, and finding where they begin takes lookahead.
            opaque = find_opaque(lexemes)
            if not opaque:
                raise
            spans = [match.span() for match in LEXEME.finditer(text)]
            texts = {
                begin: (end, Opaque(opaque_text(text, spans[begin:end]))) for begin, end in opaque.items()
            }
            return _parse(lexemes, leaves, texts)
    except _Unexpected as error:
        raise _syntax_error(text, lexemes, error) from None


def _parse(lexemes: list[str], leaves: dict[str, Value], opaque: dict[int, tuple[int, Opaque]]) -> Value:
    stack: list[tuple[str, list[Value]]] = []
    closer = _END
    items: list[Value] = []
    index = 0
    while True:
        # A value starts at `index`.
        lexeme = lexemes[index]
        value = leaves.get(lexeme)
        if opaque and index in opaque:
            index, value = opaque[index]
        elif value is not None:
            index += 1
        elif lexeme not in _CLOSER:
            if lexeme[:1] in _FLAT_BEGINS or lexeme[:2] in _FLAT_BEGINS:
                value = leaves[lexeme] = _parse([*LEXEME.findall(lexeme), _END], leaves, {})
            else:
                value = leaves[lexeme] = _leaf(lexeme, index)
            index += 1
        else:
            index += 1
            if lexemes[index] != _CLOSER[lexeme] or lexeme not in ("<<", "{"):
                stack.append((closer, items))
                closer, items = _CLOSER[lexeme], []
                if lexeme == "[":
                    index = _field(lexemes, index, items)
                continue
            value = () if lexeme == "<<" else frozenset()
            index += 1
        # It ended before `index`: close whatever ends here too, then go on to the next value.
        while True:
            items.append(value)
            lexeme = lexemes[index]
            if lexeme == ",":
                if closer == "]":
                    index = _field(lexemes, index + 1, items)
                elif closer == ">>" or closer == "}":
                    index += 1
                else:
                    raise _Unexpected(index, _followers(closer, items))
                break
            if closer == ")" and lexeme == ("@@" if len(items) % 2 == 0 else ":>"):
                index += 1
                break
            if lexeme != closer or (closer == ")" and len(items) % 2):
                raise _Unexpected(index, _followers(closer, items))
            if closer == _END:
                return value
            value = _build(closer, items)
            if len(stack) > DEEP:
                value = shield(value)
            index += 1
            closer, items = stack.pop()


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
        return Record(zip(items[::2], items[1::2], strict=True))  # type: ignore[arg-type]
    # `@@` takes the first of two pairs with the same key.
    return Function(zip(items[-2::-2], items[::-2], strict=True))


def _leaf(lexeme: str, index: int) -> Value:
    first = lexeme[:1]
    if first == '"':
        if _STRING.fullmatch(lexeme):
            body = lexeme[1:-1]
            return _ESCAPE.sub(_unescape, body) if "\\" in body else body
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


def _unescape(match: re.Match[str]) -> str:
    return _UNESCAPED.get(match[1], match[0])


def _followers(closer: str, items: list[Value]) -> str:
    if closer == ")":
        return "`:>`" if len(items) % 2 else "`@@` or `)`"
    return f"`,` or `{closer}`" if closer else "the end of the value"


def _syntax_error(text: str, lexemes: list[str], error: _Unexpected) -> ValueTextError:
    offset = len(text.rstrip())
    for count, match in enumerate(LEXEME.finditer(text)):
        if count == error.index:
            offset = match.start()
    found = lexemes[error.index]
    shown = f"`{found if len(found) <= 40 else found[:40] + '...'}`" if found else "the end of the text"
    return ValueTextError(f"not a TLA+ value: expected {error.expected}, found {shown}", offset + 1)


def format_value(value: Value) -> str:
    """The value as one line of TLA+, the same for all equal values; ``tla2py.values.canonical`` defines the order.

    Functions on ``1..n`` are written as sequences, functions on identifiers as records, sets of more than 32
    consecutive integers as ``lo..hi``. ``parse_value`` reads it back as an equal value.
    """
    return format_form(canonical(value))


def format_form(form: Form) -> str:
    """``format_value`` for a canonical form."""
    pieces: list[str] = []
    todo: list[Form | str] = [form]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif item[0] < SET:
            pieces.append(_scalar_text(item))
        else:
            todo.extend(reversed(_layout(item)))
    return "".join(pieces)


def _scalar_text(form: Form) -> str:
    rank, content = form
    if rank == STRING:
        return f'"{content.translate(_ESCAPED)}"'
    if rank == BOOLEAN:
        return "TRUE" if content else "FALSE"
    return str(content)


def _layout(form: Form) -> list[Form | str]:
    """The texts and inner forms that make up the text of a set, sequence, record or function, in order."""
    rank, size, *rest = form
    layout: list[Form | str] = []
    if rank == RECORD:
        for name, value in zip(*rest, strict=True):
            layout += [", " if layout else "[", f"{name} |-> ", value]
        return [*layout, "]"]
    if rank == FUNCTION:
        for key, value in zip(*rest, strict=True):
            layout += [" @@ " if layout else "(", key, " :> ", value]
        return [*layout, ")"]
    opening, closing = ("<<", ">>") if rank == SEQUENCE else ("{", "}")
    if not size:
        return [opening + closing]
    if rank == SET and rest[0][-1] is CONSECUTIVE:
        low = rest[0][0][1]
        return [f"{low}..{low + size - 1}"]
    for element in rest[0]:
        layout += [", " if layout else opening, element]
    return [*layout, closing]
