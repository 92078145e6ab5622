"""A counterexample by process: the changes of each process in each step, and the messages between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import copysign
from pathlib import Path
from textwrap import wrap
from typing import Any

from tla2py.files import write_file
from tla2py.model.display import PrintMixin
from tla2py.model.trace import Part, State, Trace, changed_parts, parts_of
from tla2py.model.trace_text import action_text, headline, trace_end
from tla2py.text import cut, printable
from tla2py.tla.value import Value, format_value
from tla2py.view.markup import STYLE, templates
from tla2py.view.sequence import (
    Arrow,
    Processes,
    actors,
    guess_source,
    keyed_variables,
    message_arrows,
    messages_variable,
    part_of,
    processes_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A step with its changes per process, and the changes of no process (``shared``)."""

    state: State
    cells: Mapping[Value, tuple[str, ...]]
    shared: tuple[str, ...]
    who: Processes
    derived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes(PrintMixin):
    """A trace by process. Jupyter shows it as a picture; ``svg`` and ``save`` export it.

    ``guessed`` names the constants or variables that the processes were guessed from; empty if they were given.
    """

    trace: Trace
    processes: Processes
    guessed: str
    rows: tuple[Row, ...]
    arrows: tuple[Arrow, ...]

    @property
    def note(self) -> str:
        """What was guessed, and how to name unknown senders and receivers; may be empty."""
        parts = [f"the processes are guessed from {self.guessed}"] if self.guessed else []
        if any(arrow.stub or not arrow.drawn for arrow in self.arrows):
            parts.append(
                "some messages have an unknown sender or receiver: "
                "name their fields with the arguments sender and receiver of lanes()"
            )
        return "; ".join(parts)

    def svg(self) -> str:
        """The text of the SVG file."""
        picture: Any = templates().get_template("pictures.svg.j2").module
        end = trace_end(self.trace)
        return str(picture.lanes(self, _Places(self), headline(self.trace), end, STYLE)).lstrip()

    def save(self, path: str | Path) -> Path:
        """The path of the written SVG file. Raises InputError (``output-unwritable``)."""
        target = Path(path)
        write_file(target, self.svg())
        return target

    def __str__(self) -> str:
        lines = [headline(self.trace)]
        for number, row in enumerate(self.rows):
            lines.append(f"{row.state.index}. {action_text(row.state)}")
            for process, texts in row.cells.items():
                lines += [f"     {format_value(process)}: {text}" for text in texts]
            lines += [f"     {text}" for text in row.shared]
            for arrow in (each for each in self.arrows if each.sent == number):
                ends = ("?" if one is None else format_value(one) for one in (arrow.sender, arrow.receiver))
                way = " => ".join(ends) if arrow.drawn else "message"
                at = arrow.received or arrow.again
                when = "not taken" if at is None else f"state {self.rows[at].state.index}"
                when += ", in the next round" * (arrow.again is not None)
                lines.append(f"     {way} ({when}): {arrow.text}")
        lines += [f"({self.note})"] * bool(self.note)
        return "\n".join(map(printable, lines))

    def _repr_svg_(self) -> str:
        return self.svg()


def trace_lanes(
    trace: Trace,
    by: str | Iterable[str | Value] | None = None,
    *,
    messages: str | None = None,
    sender: str | None = None,
    receiver: str | None = None,
) -> Lanes:
    """The lanes of a trace, see ``Trace.lanes``."""
    processes = processes_of(trace, by)
    messages = messages or messages_variable(trace, processes)
    return Lanes(
        trace=trace,
        processes=processes,
        guessed=guess_source(trace, processes) if by is None else "",
        rows=tuple(_rows(trace, processes, messages)),
        arrows=tuple(message_arrows(trace, processes, messages, sender, receiver)) if messages else (),
    )


def _rows(trace: Trace, processes: Processes, messages: str | None) -> Iterator[Row]:
    keyed = keyed_variables(trace, processes)
    steps = zip(pairwise((None, *trace.states)), actors(trace, processes), strict=True)
    for (before, state), (who, derived) in steps:
        assert state is not None
        cells: dict[Value, tuple[str, ...]] = {}
        shared: list[str] = []
        if before is not None:
            for process in processes:
                names = [name for name, keys in keyed.items() if process in keys]
                if texts := [text for name in names for text in _changes(before, state, name, process)]:
                    cells[process] = tuple(texts)
            aside = {*keyed, messages}
            others = {name: value for name, value in state.values.items() if name not in aside}
            shared = [_text(part) for part in changed_parts(before.values, others)]
            for name, keys in keyed.items():
                # Functions on the processes may have other keys.
                for key in keys.difference(processes):
                    shared += _changes(before, state, name, key, f"[{format_value(key)}]")
        yield Row(state=state, cells=cells, shared=tuple(shared), who=who, derived=derived)


def _changes(before: State, after: State, name: str, key: Value, path: str = "") -> Iterator[str]:
    """The changes of a function at a key."""
    one, other = part_of(before.values[name], key), part_of(after.values[name], key)
    return map(_text, parts_of(name, path, one, other))


def _text(part: Part) -> str:
    return str(part).replace(" -> ", " → ").replace(": ", "  ", 1)


_PAD = 6.0
_CHAR = 7.3
_WIDEST = 46
_MOST_LINES = 6


class _Places:
    """The layout of a picture: columns of lanes, of which None is that of shared parts, and rows of steps."""

    line, gap, top = 16.0, 10.0, 46.0

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        left = min(max(map(len, map(self.step, lanes.rows)), default=8), _WIDEST) * _CHAR + 3 * self.gap
        self.columns: dict[Value | None, tuple[float, float]] = {}
        arrows = [each for each in lanes.arrows if each.drawn]
        aside = any(each.sender is None or (each.receiver is None and not each.stub) for each in arrows)
        shared = aside or any(row.shared for row in lanes.rows)
        self.width = left
        for lane in (*((None,) if shared else ()), *lanes.processes):
            texts = [text for row in lanes.rows for text in self.cell(row, lane)]
            width = min(max(map(len, [*texts, self.name(lane)])), _WIDEST) * _CHAR + 2 * _PAD
            self.columns[lane] = (self.width, max(width, 60.0))
            self.width += self.columns[lane][1] + 3 * self.gap
        self.rows: list[tuple[float, float]] = []
        self.foot = self.top
        for row in lanes.rows:
            most = max([1, *(min(len(self.cell(row, lane)), _MOST_LINES) for lane in self.columns)])
            height = most * self.line + 2 * _PAD
            self.rows.append((self.foot, height))
            self.foot += height + self.gap
        self.note = wrap(lanes.note, max(int(self.width / _CHAR), 30))
        self.height = self.foot + (1 + len(self.note)) * self.line

    def name(self, lane: Value | None) -> str:
        """The title of a lane."""
        return "shared" if lane is None else format_value(lane)

    def step(self, row: Row, mark: str = "") -> str:
        """The number of a step and its action."""
        return f"{row.state.index}{mark} {action_text(row.state)}"

    def cell(self, row: Row, lane: Value | None) -> Sequence[str]:
        """The texts of a lane's box."""
        return row.shared if lane is None else row.cells.get(lane, ())

    def shown(self, row: Row, lane: Value | None) -> Sequence[str]:
        """The lines in a lane's box."""
        texts = self.cell(row, lane)
        left = len(texts) - _MOST_LINES + 1
        return texts if left < 2 else [*texts[: _MOST_LINES - 1], f"and {left} more"]

    def cut(self, text: str) -> str:
        """A text as long as fits."""
        return cut(text, _WIDEST, "…")

    def boxed(self, row: Row, lane: Value | None) -> bool:
        """Whether a lane has a box in a step."""
        return bool(self.cell(row, lane)) or lane in row.who

    def middle(self, lane: Value | None) -> float:
        """The x position of a lane's line."""
        x, width = self.columns[lane]
        return x + width / 2

    def _edge(self, lane: Value | None, row: int, side: float) -> float:
        """The x position where an arrow meets a lane: the right (1) or left (-1) side of its box, or its line."""
        boxed = self.boxed(self._lanes.rows[row], lane)
        return self.middle(lane) + (side * self.columns[lane][1] / 2 if boxed else 0.0)

    def _centre(self, row: int) -> float:
        y, height = self.rows[row]
        return y + height / 2

    @property
    def loop(self) -> tuple[float, float] | None:
        """The y positions of the start of the loop and of the last step; None without a loop."""
        first, last = self._lanes.trace.loop_start, len(self.rows) - 1
        if first is None:
            return None
        start = next(n for n, row in enumerate(self._lanes.rows) if row.state.index == first)
        return self._centre(start) - (self.line if start == last else 0.0), self._centre(last)

    def arrow(self, arrow: Arrow, number: int) -> tuple[float, ...]:
        """An arrow from the sender's step to the receiver's: start, x positions of both bends, end, and where its tip begins."""
        received = arrow.sent if arrow.received is None else arrow.received
        towards = 1.0 if arrow.stub or self.middle(arrow.receiver) >= self.middle(arrow.sender) else -1.0
        # Messages of one step start below one another.
        shift = 4.0 * (number % 3 - 1)
        x1, y1 = self._edge(arrow.sender, arrow.sent, towards), self._centre(arrow.sent) + shift
        if arrow.stub:
            # The gap beside the lane has no text.
            x2, y2 = x1 + 28, y1 + 8
        else:
            y2 = self._centre(received) + shift
            if arrow.sender == arrow.receiver:
                towards = -towards
            x2 = self._edge(arrow.receiver, received, -towards)
        bend = abs(x2 - x1) / 3 + 12
        return x1, y1, x1 + bend * copysign(1, x2 - x1), x2 - bend * towards, x2, y2, -8 * towards
