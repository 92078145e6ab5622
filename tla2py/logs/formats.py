"""The lines of the files of a log, as JSON values."""

from __future__ import annotations

import contextlib
import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

import msgspec

from tla2py.errors import InputError, reason_of
from tla2py.model.logs import LogNumber, LogRemark
from tla2py.text import cut

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

MOST_LINES = 100_000
"""The most lines of a log that becomes a module: TLC needs 60 MiB for a thousand."""

LONGEST_LINE = 16 * 1024**2
"""The most bytes of a line."""

_MOST_REMARKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line of a log: the file's name, the number of the line from 1, its fields and its text."""

    file: str
    number: int
    fields: dict[str, JsonValue]
    text: bytes = b""

    @property
    def where(self) -> str:
        """The place as ``file:line``."""
        return f"{self.file}:{self.number}"


@dataclass(slots=True)
class LogLines:
    """The lines of an NDJSON file; iterate once. Empty lines are skipped, but count.

    ``name`` is the file's name in messages. A file of several of one run may be empty: ``required`` is false. ``remarks`` collects the fields whose values have several types, once each.

    Iterating raises InputError: ``log-unreadable``, ``log-encoding``, ``log-syntax`` for a line that is not a JSON
    object, ``log-empty`` and ``log-large``.
    """

    path: Path
    name: str
    most_lines: int = MOST_LINES
    required: bool = True
    remarks: list[LogRemark] = field(default_factory=list)
    _types: dict[str, tuple[str, int]] = field(default_factory=dict)
    _mixed: set[str] = field(default_factory=set)

    def __iter__(self) -> Iterator[LogLine]:
        for number, text, value in self.values():
            if not isinstance(value, dict):
                raise InputError(
                    "log-syntax",
                    f"not an object but {type_name(value)}: {_shown(text)}",
                    where=f"{self.name}:{number}",
                    hint='a line of a log is an object such as {"action": "Send", "args": {"to": "n1"}}',
                )
            self._compare_types(value, number)
            yield LogLine(file=self.name, number=number, fields=value, text=text)

    def values(self) -> Iterator[tuple[int, bytes, JsonValue]]:
        """The number, the text and the value of each line, which may be any; raises what iterating raises."""
        # Without the hook it refuses 1e400, which JSON allows.
        decoder = msgspec.json.Decoder(float_hook=float)
        found = 0
        for number, text in self._texts():
            where = f"{self.name}:{number}"
            try:
                value: JsonValue = decoder.decode(text.decode())
            except UnicodeDecodeError as error:
                start = error.start
                encoding = "UTF-16" if text.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "ISO-8859-1"
                raise InputError(
                    "log-encoding",
                    f"byte {start + 1} of the line is not UTF-8",
                    where=where,
                    hint=f"convert the log, for example: iconv -f {encoding} -t UTF-8 LOG",
                ) from None
            except (msgspec.DecodeError, RecursionError) as error:
                reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise InputError(
                    "log-syntax",
                    f"not JSON: {_shown(text)} ({reason})",
                    where=where,
                    hint="a log has one JSON object on each line; remove other output from the file",
                ) from None
            found += 1
            if found > self.most_lines:
                raise InputError(
                    "log-large",
                    f"the log has more than {self.most_lines:,} lines",
                    where=where,
                    hint="split the log where its state is known, or drop lines with [logs.map] drop",
                )
            yield number, text, value
        if not found and self.required:
            raise InputError(
                "log-empty",
                "the log has no lines",
                where=self.name,
                hint="check that the system wrote its log before it was copied",
            )

    def _texts(self) -> Iterator[tuple[int, bytes]]:
        try:
            with self.path.open("rb") as file:
                for number, text in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
                    if len(text) > LONGEST_LINE:
                        raise InputError(
                            "log-large",
                            f"the line has more than {LONGEST_LINE:,} bytes",
                            where=f"{self.name}:{number}",
                            hint="log the part of the state that changed, not all of it",
                        )
                    content = text.removeprefix(BOM_UTF8) if number == 1 else text
                    if content.strip():
                        yield number, content
        except OSError as error:
            raise InputError(
                "log-unreadable",
                f"cannot read the log: {reason_of(error)}",
                where=self.name,
                hint="check its path and its permissions",
            ) from None

    def _compare_types(self, fields: dict[str, JsonValue], number: int) -> None:
        for path, value in _leaves(fields):
            if value is None:
                continue
            kind = type_name(value)
            known, line = self._types.setdefault(path, (kind, number))
            if known != kind and path not in self._mixed and len(self.remarks) < _MOST_REMARKS:
                self._mixed.add(path)
                self.remarks.append(
                    LogRemark(self.name, number, f"{path} is {kind} here and {known} in line {line}")
                )


# A number that TLC may change.
_SUSPECT = re.compile(rb"\d{10}|\d[.eE]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[][{}:]')
_LARGEST_EXPONENT = 400


def read_integer(text: str) -> int:
    """What TLC's JSON reader makes of a number: the integer towards zero, and of that the last 32 bits."""
    number = Decimal(text)
    # Beyond, it is a multiple of 2^32.
    huge = number.adjusted() - len(number.as_tuple().digits) > _LARGEST_EXPONENT
    return 0 if huge else (int(number) + 2**31) % 2**32 - 2**31


def read_json(text: bytes) -> JsonValue:
    """A JSON value with the numbers that TLC's reader makes of those in it. Raises ValueError and RecursionError."""
    value: JsonValue = json.loads(text, parse_int=read_integer, parse_float=read_integer)
    return value


def plain_json(text: str | bytes) -> JsonValue:
    """The JSON value of a line; None if it has none."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def unnamed_fields(lines: Iterable[bytes], names: Collection[str]) -> tuple[str, ...] | None:
    """Return the fields of lines of which none, at any depth, is one of ``names``; None if one is.

    Lines that are no objects may be read without fields, so there is no answer for them either.
    """
    fields: dict[str, None] = {}
    for line in lines:
        if not line.strip():
            continue
        value = plain_json(line)
        if not isinstance(value, dict) or not names_of_fields(value).isdisjoint(names):
            return None
        fields.update(dict.fromkeys(value))
    return tuple(fields) or None


def names_of_fields(value: JsonValue) -> set[str]:
    """Return the names of the fields in a JSON value, at any depth."""
    names: set[str] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            names.update(part)
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return names


def changed_numbers(path: str, lines: Iterable[bytes]) -> tuple[LogNumber, ...]:
    """The first number in each field of some lines that TLC's JSON reader changes; ``path`` names the file."""
    found: dict[tuple[str, ...], LogNumber] = {}
    for line, raw in enumerate(lines, 1):
        if _SUSPECT.search(raw):
            for column, fields, text in _numbers(raw.decode("utf-8", "replace")):
                with contextlib.suppress(ArithmeticError):
                    if fields not in found and Decimal(text) != (read := read_integer(text)):
                        found[fields] = LogNumber(path, line, column, fields, text, read)
    return tuple(found.values())


def _numbers(text: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """The numbers in a JSON text: the column, the fields that each is in, and its text."""
    open_, string = [""], ""
    for token in _TOKEN.finditer(text):
        match token[0][0]:
            case '"':
                string = token[0]
            case ":":
                with contextlib.suppress(ValueError):
                    open_[-1] = json.loads(string)
            case "{" | "[":
                open_.append("")
            case "}" | "]":
                open_ = open_[:-1] or [""]
            case _:
                yield token.start() + 1, tuple(filter(None, open_)), token[0]


_TYPE_NAMES: dict[type, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a fraction",
    str: "a string",
    list: "an array",
}


def type_name(value: JsonValue) -> str:
    """The type of a JSON value in words."""
    return "null" if value is None else _TYPE_NAMES.get(type(value), "an object")


def _leaves(fields: dict[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    """The fields by their paths, down to the second level: deeper ones are data."""
    for name, value in fields.items():
        if isinstance(value, dict):
            for inner, each in value.items():
                yield f"{name}.{inner}", each
        else:
            yield name, value


def shown(text: str) -> str:
    """A text of a log in a message: what a log contains may be hostile to a terminal."""
    return cut("".join(each if each.isprintable() else "?" for each in " ".join(text.split())), 60)


def _shown(text: bytes) -> str:
    return shown(text.decode("utf-8", "replace"))
