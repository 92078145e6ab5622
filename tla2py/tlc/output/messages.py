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


def iter_messages(lines: Iterable[bytes]) -> Iterator[Message | UserText]:
    """Messages and free text in order, read lazily; accepts any input.

    ``lines`` keep their line ends. Bytes that are not UTF-8 are replaced. Memory is bounded by one message.
    """
    frame = _Frame()
    for line in lines:
        if _DELIMITER not in line:
            if frame.open_codes:
                frame.parts.append(line)
            else:
                yield UserText(_decode(line))
            continue
        if (start := _START.search(line)) is not None:
            before = line[: start.start()]
            if frame.open_codes:
                frame.parts.append(before)
            elif before:
                yield UserText(_decode(before))
            frame.open(start)
        elif (end := frame.end_of(line)) is not None:
            if (message := frame.close(line, end)) is not None:
                yield message
        elif frame.open_codes:
            frame.parts.append(line)
        else:
            yield UserText(_decode(line))
    if frame.open_codes:
        yield frame.message(complete=False)


class _Frame:
    """The outermost open message: the numbers of all open messages, from outside in, and the body so far."""

    __slots__ = ("level", "nested", "open_codes", "parts")

    def __init__(self) -> None:
        self.open_codes: list[int] = []
        self.nested: list[int] = []
        self.parts: list[bytes] = []
        self.level = Level.NONE

    def open(self, start: re.Match[bytes]) -> None:
        code = int(start[1])
        if self.open_codes:
            self.nested.append(code)
        else:
            self.parts, self.nested = [], []
            level = int(start[2] or 0)
            self.level = Level(level) if level <= Level.STATE else Level.NONE
        self.open_codes.append(code)

    def end_of(self, line: bytes) -> re.Match[bytes] | None:
        """The frame's end in ``line``; text may follow it only if the message is inside another."""
        if (end := _END.search(line)) is None or int(end[1]) not in self.open_codes:
            return None
        return end if int(end[1]) != self.open_codes[0] or not line[end.end() :].strip() else None

    def close(self, line: bytes, end: re.Match[bytes]) -> Message | None:
        self.parts.append(line[: end.start()])
        code = int(end[1])
        # Unclosed inner messages end here too.
        while self.open_codes.pop() != code:
            pass
        if not self.open_codes:
            return self.message(complete=True, code=code)
        self.parts.append(line[end.end() :])
        return None

    def message(self, *, complete: bool, code: int | None = None) -> Message:
        return Message(
            code=self.open_codes[0] if code is None else code,
            level=self.level,
            text=_decode(b"".join(self.parts)),
            nested=tuple(self.nested),
            complete=complete,
        )


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")
