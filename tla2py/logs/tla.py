"""JSON values as TLA+ text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.logs.read import JsonValue
from tla2py.values.canonical import is_identifier

LARGEST = 2**31 - 1
_DEEPEST = 100
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueHints:
    """How to write what JSON and TLA+ do not share.

    sets: the paths of fields whose arrays are sets, such as ``state.msgs``; the others are sequences.
    null: the TLA+ text of null, None to refuse it.
    """

    sets: frozenset[str] = frozenset()
    null: str | None = None


PLAIN = ValueHints()


def tla_text(value: JsonValue, where: str, hints: ValueHints = PLAIN) -> str:
    """The TLA+ text of a JSON value; ``where`` is its place for errors.

    An object is a record, or a function on strings if a key cannot be a field's name; the module has to instantiate
    ``TLC`` and ``Integers``. Raises InputError (``log-value``).
    """
    return "".join(_pieces(value, where, hints, "", 0))


def _pieces(value: JsonValue, where: str, hints: ValueHints, path: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise value_error(f"{path or 'the value'} is nested deeper than {_DEEPEST} levels", where)
    match value:
        case list():
            is_set = path in hints.sets
            yield "{" if is_set else "<<"
            for number, each in enumerate(value):
                if number:
                    yield ", "
                yield from _pieces(each, where, hints, path, depth + 1)
            yield "}" if is_set else ">>"
        case dict() if not value:
            yield "<<>>"
        case dict():
            fields = all(map(is_identifier, value))
            yield "[" if fields else "("
            for number, (name, each) in enumerate(value.items()):
                if number:
                    yield ", " if fields else " @@ "
                yield f"{name} |-> " if fields else f"{string_text(name, where)} :> "
                yield from _pieces(each, where, hints, f"{path}.{name}" if path else name, depth + 1)
            yield "]" if fields else ")"
        case _:
            yield scalar_text(value, where, path, hints.null)


def scalar_text(value: JsonValue, where: str, path: str, null: str | None) -> str:
    """The TLA+ text of a string, a number, a boolean or null. Raises InputError (``log-value``)."""
    match value:
        case None if null is None:
            raise value_error(
                f"{path or 'the value'} is null, which TLA+ does not have",
                where,
                hint='[logs.map] null = "Nil" names what stands for null; or leave the field out of the log',
            )
        case None:
            return str(null)
        case bool():
            return "TRUE" if value else "FALSE"
        case int() if abs(value) > LARGEST:
            raise value_error(
                f"{path or 'the value'} is {value}: TLC has integers up to {LARGEST:,}",
                where,
                hint="log a smaller number, such as an index, or a string",
            )
        case int():
            return str(value)
        case float():
            raise value_error(
                f"{path or 'the value'} is {value!r}: TLC has integers only",
                where,
                hint="log an integer in a smaller unit, such as milliseconds, or a string",
            )
        case str():
            return string_text(value, where)
    raise AssertionError(value)


def string_text(text: str, where: str) -> str:
    """The TLA+ text of a string. Raises InputError (``log-value``) for a control character that TLA+ cannot write."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    pieces = [_ESCAPES.get(each, each) for each in text]
    for each in pieces:
        if len(each) == 1 and (ord(each) < 32 or ord(each) == 127 or "\ud800" <= each <= "\udfff"):
            raise value_error(f"a string has the character U+{ord(each):04X}", where)
    return f'"{"".join(pieces)}"'


def value_error(
    message: str, where: str, *, hint: str = "TLC cannot read such a value: log another"
) -> InputError:
    """The error about a value that TLA+ cannot write."""
    return InputError("log-value", message, where=where, hint=hint)
