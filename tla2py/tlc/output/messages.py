"""The stream that TLC prints with ``-tool``: numbered messages, and unframed text between them.

A message is framed as ``@!@!@STARTMSG code:class @!@!@``, a body of lines and ``@!@!@ENDMSG code @!@!@`` (see
``tlc2.output.MP.getMessage``). Messages nest: an exception's text may hold a whole framed message, which then starts
in the middle of a line. SANY, ``Print`` and the JVM print without frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple


class Level(IntEnum):
    """The class of a message as ``tlc2.output.MP`` numbers them."""

    NONE = 0
    ERROR = 1
    TLCBUG = 2
    WARNING = 3
    STATE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One framed message.

    ``code`` is its number in ``tlc2.output.EC``; ``text`` is its body including nested messages, without frames and
    final line end; ``nested`` are the numbers of the messages inside it, in order; ``complete`` is False if the stream
    ends before the message does.
    """

    code: int
    level: Level
    text: str
    nested: tuple[int, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class UserText:
    """One line outside all messages, without its line end, printed by the model, SANY or the JVM."""

    text: str


_DELIMITER = b"@!@!@"
# Anchored at the end of the line, so that a string value that spells a frame, and ends in a quote, does not match.
_START = re.compile(rb"@!@!@STARTMSG (-?\d{1,9})(?::(\d))? @!@!@\s*\Z")
_END = re.compile(rb"@!@!@ENDMSG (-?\d{1,9}) @!@!@")


class _Start(NamedTuple):
    """The start of a message in a line: where the frame begins."""

    begin: int
    code: int
    level: Level


class _End(NamedTuple):
    """The end of a message in a line: where the frame begins and ends."""

    begin: int
    end: int
    code: int


# Most frames are on lines of their own, of which there are few different ones.
@lru_cache(maxsize=512)
def _start_of(line: bytes) -> _Start | None:
    found = _START.search(line)
    if found is None:
        return None
    level = int(found[2] or 0)
    # A class that TLC may add is read as an error, so that nothing it says is overlooked.
    return _Start(found.start(), int(found[1]), Level(level) if level <= Level.STATE else Level.ERROR)


@lru_cache(maxsize=512)
def _any_end_of(line: bytes) -> _End | None:
    found = _END.search(line)
    return None if found is None else _End(found.start(), found.end(), int(found[1]))


def iter_messages(lines: Iterable[bytes]) -> Iterator[Message | UserText]:
    """Messages and free text in order, read lazily; accepts any input.

    ``lines`` keep their line ends. Bytes that are not UTF-8 are replaced. Memory is bounded by one message.
    """
    reader = MessageReader()
    for line in lines:
        if (item := reader.read(line)) is not None:
            yield item
    if (item := reader.end()) is not None:
        yield item


class MessageReader:
    """Reads a stream line by line."""

    __slots__ = ("_level", "_nested", "_open_codes", "_parts")

    def __init__(self) -> None:
        # The numbers of all open messages, from outside in, and the body of the outermost so far.
        self._open_codes: list[int] = []
        self._nested: list[int] = []
        self._parts: list[bytes] = []
        self._level = Level.NONE

    def read(self, line: bytes) -> Message | UserText | None:
        """The item that a line completes."""
        if _DELIMITER in line:
            if (start := _start_of(line)) is not None:
                before = self._text(line[: start.begin])
                self._open(start)
                return before
            if (end := self._end_of(line)) is not None:
                return self._close(line, end)
        return self._text(line, blank=True)

    def end(self) -> Message | None:
        """The message that the end of the stream leaves open."""
        return self._message(complete=False) if self._open_codes else None

    def _text(self, text: bytes, *, blank: bool = False) -> UserText | None:
        """Text outside all messages; text inside one is added to it."""
        if self._open_codes:
            self._parts.append(text)
            return None
        return UserText(_decode(text)) if text or blank else None

    def _open(self, start: _Start) -> None:
        if self._open_codes:
            self._nested.append(start.code)
        else:
            self._parts, self._nested, self._level = [], [], start.level
        self._open_codes.append(start.code)

    def _end_of(self, line: bytes) -> _End | None:
        """The frame's end in ``line``; text may follow it only if the message is inside another."""
        if (end := _any_end_of(line)) is None or end.code not in self._open_codes:
            return None
        return end if end.code != self._open_codes[0] or not line[end.end :].strip() else None

    def _close(self, line: bytes, end: _End) -> Message | None:
        self._parts.append(line[: end.begin])
        # Unclosed inner messages end here too.
        while self._open_codes.pop() != end.code:
            pass
        if not self._open_codes:
            return self._message(complete=True, code=end.code)
        self._parts.append(line[end.end :])
        return None

    def _message(self, *, complete: bool, code: int | None = None) -> Message:
        return Message(
            code=self._open_codes[0] if code is None else code,
            level=self._level,
            text=_decode(b"".join(self._parts)),
            nested=tuple(self._nested),
            complete=complete,
        )


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")
