"""Values read from and written as TLA+ text, and the smallest parts in which two of them differ.

Some sequences of lexemes (tokens) are kept as text: ``SUBSET S``, ``[S -> T]``.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias, TypeGuard

from tla2py.errors import InputError
from tla2py.text import cut
from tla2py.tla import canonical as forms
from tla2py.tla.value import DEEPEST, HASHED_INTERVAL, Function, Interval, ModelValue, Opaque, Record, Value

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
_UNESCAPED = {'"': '"', "\\": "\\", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_ESCAPED = str.maketrans({char: "\\" + letter for letter, char in _UNESCAPED.items()})
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
                _ESCAPE.sub(lambda found: _UNESCAPED.get(found[1], found[0]), body) if "\\" in body else body
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


def format_value(value: Value) -> str:
    """The value as one line of TLA+, the same for all equal values; ``tla2py.tla.canonical`` defines the order.

    Functions on ``1..n`` are written as sequences, functions on identifiers as records, sets of more than 32
    consecutive integers as ``lo..hi``. ``parse_value`` reads it back as an equal value.
    """
    return format_form(forms.canonical(value))


def format_form(form: forms.Form) -> str:
    """``format_value`` for a canonical form."""
    rank, content, *parts = form
    if rank == forms.STRING:
        return f'"{content.translate(_ESCAPED)}"'
    if rank == forms.BOOLEAN:
        return "TRUE" if content else "FALSE"
    if rank < forms.SET:
        return str(content)
    if rank == forms.SET and content and parts[0][-1] is forms.CONSECUTIVE:
        low = parts[0][0][1]
        return f"{low}..{low + content - 1}"
    texts = list(map(format_form, parts[-1]))
    if rank == forms.RECORD:
        return f"[{', '.join(f'{name} |-> {text}' for name, text in zip(parts[0], texts, strict=True))}]"
    if rank == forms.FUNCTION:
        pairs = zip(map(format_form, parts[0]), texts, strict=True)
        return f"({' @@ '.join(f'{key} :> {text}' for key, text in pairs)})"
    if rank == forms.SEQUENCE:
        return f"<<{', '.join(texts)}>>"
    return f"{{{', '.join(texts)}}}"


Keyed: TypeAlias = "tuple[Value, ...] | Record | Function"
KeyRow: TypeAlias = "tuple[Value, Value | None, Value | None]"

_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A smallest part that changed from ``before`` to ``after``; None means that side has no such part.

    ``path`` leads from the whole value ("") to the part, step by step:

    * ``.name``: the value at the string ``name``, an identifier (a record field);
    * ``[key]``: the value at any other key, in canonical TLA+ text (``[3]`` is the third element of a sequence: of the
      old sequence for a removed element, otherwise of the new one);
    * ``{}``, always last: an element of that set, or of that bag with count 1; ``before`` was removed or ``after`` was
      added;
    * ``[]``, always last: an element of that sequence, which moved on; ``before`` left its front or ``after`` was appended.
    """

    path: str
    before: Value | None
    after: Value | None


def changes(before: Value, after: Value) -> Iterator[Change]:
    """The smallest parts in which two values differ, in key order.

    Sequences, records and functions are compared key by key. If a sequence only lost or gained adjacent elements, as
    by ``Tail``, only these are changes: the elements after them moved and did not change. The same goes for a sequence
    that moved on, as by ``Append(Tail(q), x)``. Sets are compared by element, removed ones first. A bag, a function to
    positive integers, gains and loses elements like a set where their count is 1, unless they are scalars. Anything
    else that differs, including a huge interval, is one change of the whole part.
    """
    todo: list[tuple[str, Value | None, Value | None]] = [("", before, after)]
    while todo:
        path, old, new = todo.pop()
        if old is new:
            continue
        if isinstance(old, (tuple, Record, Function)) and isinstance(new, (tuple, Record, Function)):
            rows = [row for row in by_key(old, new) if row[1] is not row[2]]
            sequences = isinstance(old, tuple) and isinstance(new, tuple)
            if sequences and rows and rows[0][2] is None and rows[-1][1] is None:
                yield from (Change(path=path + "[]", before=one, after=other) for _, one, other in rows)
                continue
            if _is_bag(old) and _is_bag(new):
                lost, gained = ([row[0] for row in rows if _is_once(*row, side)] for side in (1, 2))
                yield from (Change(path=path + "{}", before=key, after=None) for key in lost)
                yield from (Change(path=path + "{}", before=None, after=key) for key in gained)
                rows = [row for row in rows if not (_is_once(*row, 1) or _is_once(*row, 2))]
            for key, one, other in reversed(rows):
                named = isinstance(key, str) and forms.is_identifier(key)
                todo.append((f"{path}.{key}" if named else f"{path}[{format_value(key)}]", one, other))
        elif _enumerable(old) and _enumerable(new):
            olds, news = ({element: element for element in elements} for elements in (old, new))
            for element in forms.in_order([element for element in olds if not _has(news, element)]):
                yield Change(path=path + "{}", before=element, after=None)
            for element in forms.in_order([element for element in news if not _has(olds, element)]):
                yield Change(path=path + "{}", before=None, after=element)
        elif old is None or new is None or not forms.same_value(old, new):
            yield Change(path=path, before=old, after=new)


def _dropped(old: tuple[Value, ...], new: tuple[Value, ...], rows: Sequence[KeyRow]) -> int:
    """How many elements left the front of a sequence that moved on while others were appended, otherwise 0.

    ``rows`` pair its elements place by place: if fewer places changed than elements left and came, it did not move.
    """
    different = sum(
        one is None or other is None or not forms.same_value(one, other) for _, one, other in rows
    )
    for count in range(1, len(old)):
        kept = len(old) - count
        if count + len(new) - kept > different:
            return 0
        if kept < len(new) and all(map(forms.same_value, old[count:], new)):
            return count
    return 0


def _is_bag(value: Value) -> bool:
    """Whether a value is a function to positive integers, or empty."""
    return value == () or (
        isinstance(value, Function) and all(type(count) is int and count > 0 for count in value.values())
    )


def _is_once(key: Value, one: Value | None, other: Value | None, side: int) -> bool:
    """Whether an element of a bag is on one side only, the first or the second, and there once.

    A scalar is more likely the key of a partial function, whose number counts nothing.
    """
    here, there = (one, other) if side == 1 else (other, one)
    return there is None and here == 1 and isinstance(key, (tuple, frozenset, Record, Function))


def _enumerable(value: Value | None) -> TypeGuard[frozenset[Value] | Interval]:
    return isinstance(value, frozenset) or (isinstance(value, Interval) and value.size <= HASHED_INTERVAL)


def by_key(old: Keyed, new: Keyed) -> list[KeyRow]:
    """The keys of two values in order, each with its old and new value; None where one side has no such key.

    If a sequence only lost or gained adjacent elements, the elements after them stay paired; so do those that stayed in
    a sequence that moved on.
    """
    if isinstance(old, tuple) and isinstance(new, tuple):
        olds, news = (old, _spread(new, old)) if len(old) >= len(new) else (_spread(old, new), new)
        rows: list[KeyRow] = [(place, *pair) for place, pair in enumerate(zip(olds, news, strict=True), 1)]
        if dropped := _dropped(old, new, rows):
            gone: list[KeyRow] = [(place, one, None) for place, one in enumerate(old[:dropped], 1)]
            stayed = len(old) - dropped
            return gone + [(at, each if at <= stayed else None, each) for at, each in enumerate(new, 1)]
        return rows
    before, after = as_mapping(old), as_mapping(new)
    old_keys, new_keys = ({key: key for key in keys} for keys in (before, after))
    rows = [(key, one, after[key] if _has(new_keys, key) else None) for key, one in before.items()]
    added = [(key, None, other) for key, other in after.items() if not _has(old_keys, key)]
    return forms.in_order([*rows, *added], key=itemgetter(0)) if added else rows


def _spread(short: tuple[Value, ...], long: tuple[Value, ...]) -> tuple[Value | None, ...]:
    """A sequence with a gap for the adjacent elements that only the longer one has; at the end if more differs."""
    extra = len(long) - len(short)
    pairs = zip(short, long, strict=False)
    start = next((place for place, pair in enumerate(pairs) if not forms.same_value(*pair)), len(short))
    # An element added at a set's place would read as an element of that set.
    at_sets = any(_enumerable(each) for each in short[start : start + extra])
    if at_sets or not forms.same_value(short[start:], long[start + extra :]):
        start = len(short)
    return (*short[:start], *[None] * extra, *short[start:])


def _has(keys: Mapping[Value, Value], key: Value) -> bool:
    """Whether ``keys``, which maps each key to itself, has ``key``; Python's ``True`` is not TLA+'s ``1``."""
    found = keys.get(key, _MISSING)
    return found is key or (found is not _MISSING and forms.same_value(found, key))  # type: ignore[arg-type]


def as_mapping(value: Keyed) -> Mapping[Value, Value]:
    """A sequence, record or function as a mapping; a sequence's keys start at 1."""
    return dict(enumerate(value, start=1)) if isinstance(value, tuple) else value  # type: ignore[return-value]
