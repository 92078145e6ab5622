"""The values that Print and PrintT print, and that of an Assert that fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tla2py.model.model import LOG_TAG
from tla2py.model.run import Progress
from tla2py.model.trace import SIMULATED, Trace
from tla2py.tlc.output.codes import Code
from tla2py.tlc.output.messages import Message, MessageReader, UserText
from tla2py.tlc.output.states import StateReader

MOST_PRINTS = 1000
"""The most values that are kept of a run."""

# A longer value is cut.
_LONGEST = 10_000
# Up to 2.19 TLC breaks a long value into lines. One with more lines, or one that leaves a bracket open, ends here.
_MOST_LINES = 10_000
# How a value begins, as ``Print(value, value)`` prints two. Java's log and other lines of TLC's do not begin like this.
_VALUE = re.compile(r'(?!\[\d+\.\d+s\])["<{\[(\d-]|\w+(?:  |\Z)|(?:SUBSET|UNION|B?Seq)\b')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|<<|>>|[\[\](){}]')
_OPENING = frozenset({"<<", "[", "(", "{"})
_ASSERTED = "The first argument of Assert evaluated to FALSE; the second argument was:\n"


class PrintReader:
    """Reads the values of Print and PrintT out of a stream of messages and free text."""

    def __init__(self, *, parsed: bool = False) -> None:
        # Until SANY has ended, the free text is its own.
        self._parsed = parsed
        self._lines: list[str] = []
        self._depth = 0

    def read(self, item: Message | UserText | None) -> str | None:
        """The value that an item completes, if any; None is the end, or an item of another kind."""
        if not isinstance(item, UserText):
            self._parsed = self._parsed or (item is not None and item.code == Code.SANY_END)
            return self._end() if self._lines else None
        if self._parsed and (self._lines or _VALUE.match(item.text)):
            self._lines.append(item.text)
            brackets = (found[0] for found in _BRACKET.finditer(item.text) if found[0][0] != '"')
            self._depth += sum(1 if bracket in _OPENING else -1 for bracket in brackets)
            if self._depth <= 0 or len(self._lines) >= _MOST_LINES:
                return self._end()
        return None

    def _end(self) -> str:
        lines, self._lines, self._depth = self._lines, [], 0
        return "\n".join(lines)[:_LONGEST]


def asserted_value(text: str) -> str | None:
    """The value of an Assert that failed, from the text of an error."""
    reader = PrintReader(parsed=True)
    lines = map(UserText, text.partition(_ASSERTED)[2].split("\n"))
    return next((value for line in (*lines, None) if (value := reader.read(line)) is not None), None)


_PROGRESS = re.compile(rf'<<\s*"{LOG_TAG}",\s*(\d+)(?:,\s*(\d+)(?:,\s*(.*))?)?\Z', re.DOTALL)


def read_progress(text: str) -> Progress | None:
    """The progress through a log that a printed value reports; None for a value of the user's."""
    found = _PROGRESS.match(text.removesuffix(">>").rstrip())
    if found is None:
        return None
    return Progress(position=int(found[1]), length=int(found[2]) if found[2] else None, entry=found[3])


class PrintFollower:
    """Reads the printed values out of a file that TLC is still writing."""

    def __init__(self) -> None:
        self._position = 0
        self._messages = MessageReader()
        self._prints = PrintReader()

    def read(self, file: Path) -> Iterator[str]:
        """The values that Print and PrintT have printed since the last call."""
        with file.open("rb") as stream:
            stream.seek(self._position)
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                self._position += len(line)
                item = self._messages.read(line)
                value = self._prints.read(item) if item is not None else None
                if value is not None and read_progress(value) is None:
                    yield value


_STATE = re.compile(r"STATE_(\d+) ==")
_ACTION = re.compile(r"\\\* (<.*>)")


def iter_behaviours(lines: Iterable[bytes]) -> Iterator[Trace]:
    r"""The behaviours in files that TLC writes under ``-simulate file=...``, in memory bounded by one behaviour.

    Each is a module with a definition ``STATE_n`` per state; newer versions of TLC write the state's action before it
    as a comment, ``\* <Step line 1, col 2 to ...>``. Truncated behaviours are left out.
    """
    # Of each state its header, as TLC prints it in a trace, and the lines after that.
    texts: list[list[str]] = []
    pending = ""
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("===="):
            reader = StateReader()
            read = (reader.read("\n".join(text).rstrip()) for text in texts)
            states = tuple(state for state in read if state is not None)
            if states:
                yield Trace(kind=SIMULATED, name="", states=states)
        if line.startswith(("----", "====")):
            texts, pending = [], ""
        elif (found := _STATE.match(line)) is not None:
            texts.append([f"{found[1]}: {pending}"])
            pending = ""
        elif (comment := _ACTION.fullmatch(line)) is not None and (not texts or not any(texts[-1][1:][-1:])):
            pending = comment[1]
        elif texts:
            texts[-1].append(line)
