"""A counterexample by process: the changes of each process in each step, and the messages between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import copysign
from pathlib import Path
from textwrap import wrap

from tla2py.files import write_file
from tla2py.model.trace import Part, Printed, State, Trace, changed_parts, parts_of
from tla2py.model.trace_text import action_text, headline, trace_end
from tla2py.text import cut, printable
from tla2py.tla.value import Value
from tla2py.tla.value_text import format_value
from tla2py.view.markup import Element, element, picture_text, svg_text
from tla2py.view.messages import (
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
class Lanes(Printed):
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
        return svg_text(lanes_svg(self))

    def save(self, path: str | Path) -> Path:
        """The path of the written SVG file. Raises InputError (``output-unwritable``)."""
        target = Path(path)
        write_file(target, self.svg())
        return target

    def __str__(self) -> str:
        return "\n".join(map(printable, _lines(self)))

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
    before: State | None = None
    for state, (who, derived) in zip(trace.states, actors(trace, processes), strict=True):
        cells: dict[Value, tuple[str, ...]] = {}
        shared: list[str] = []
        if before is not None:
            for process in processes:
                parts = (
                    part
                    for name, keys in keyed.items()
                    if process in keys
                    for part in parts_of(
                        name, "", part_of(before.values[name], process), part_of(state.values[name], process)
                    )
                )
                if texts := tuple(map(_text, parts)):
                    cells[process] = texts
            aside = {*keyed, messages}
            others = {name: value for name, value in state.values.items() if name not in aside}
            shared = [_text(part) for part in changed_parts(before.values, others)]
            shared += _other_keys(before, state, keyed, processes)
        yield Row(state=state, cells=cells, shared=tuple(shared), who=who, derived=derived)
        before = state


def _other_keys(
    before: State, after: State, keyed: Mapping[str, frozenset[Value]], processes: Processes
) -> Iterator[str]:
    """The changes of functions on the processes at other keys."""
    for name, keys in keyed.items():
        for key in keys.difference(processes):
            one, other = part_of(before.values[name], key), part_of(after.values[name], key)
            yield from map(_text, parts_of(name, f"[{format_value(key)}]", one, other))


def _text(part: Part) -> str:
    return str(part).replace(" -> ", " → ").replace(": ", "  ", 1)


def _lines(lanes: Lanes) -> Iterator[str]:
    yield headline(lanes.trace)
    for number, row in enumerate(lanes.rows):
        yield f"{row.state.index}. {action_text(row.state)}"
        for process, texts in row.cells.items():
            yield from (f"     {format_value(process)}: {text}" for text in texts)
        yield from (f"     {text}" for text in row.shared)
        for arrow in lanes.arrows:
            if arrow.sent == number:
                ends = ["?" if one is None else format_value(one) for one in (arrow.sender, arrow.receiver)]
                at = arrow.received or arrow.again
                when = "not taken" if at is None else f"state {lanes.rows[at].state.index}"
                when += ", in the next round" * (arrow.again is not None)
                way = f"{ends[0]} => {ends[1]}" if arrow.drawn else "message"
                yield f"     {way} ({when}): {arrow.text}"
    if lanes.note:
        yield f"({lanes.note})"


_LINE = 16.0
_PAD = 6.0
_GAP = 10.0
_CHAR = 7.3
_HEAD = 46.0
_WIDEST = 46
_MOST_LINES = 6
_SHARED = "shared"


class _Places:
    """The layout: columns of lanes and rows of steps."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        labels = [f"{row.state.index} {action_text(row.state)}" for row in lanes.rows]
        self.left = min(max(map(len, labels), default=8), _WIDEST) * _CHAR + 3 * _GAP
        self.columns: dict[Value | None, tuple[float, float]] = {}
        at = self.left
        shared = any(row.shared for row in lanes.rows) or any(
            arrow.sender is None or (arrow.receiver is None and not arrow.stub)
            for arrow in lanes.arrows
            if arrow.drawn
        )
        for lane in (*((None,) if shared else ()), *lanes.processes):
            texts = [text for row in lanes.rows for text in _cell(row, lane)]
            title = _SHARED if lane is None else format_value(lane)
            width = min(max(map(len, [*texts, title]), default=4), _WIDEST) * _CHAR + 2 * _PAD
            self.columns[lane] = (at, max(width, 60.0))
            at += self.columns[lane][1] + 3 * _GAP
        self.width = at
        self.rows: list[tuple[float, float]] = []
        y = _HEAD
        for row in lanes.rows:
            most = max([1, *(min(len(_cell(row, lane)), _MOST_LINES) for lane in self.columns)])
            height = most * _LINE + 2 * _PAD
            self.rows.append((y, height))
            y += height + _GAP
        self.note = wrap(lanes.note, max(int(at / _CHAR), 30))
        self.height = y + (1 + len(self.note)) * _LINE

    def middle(self, lane: Value | None) -> float:
        """The x position of a lane's line."""
        x, width = self.columns[lane]
        return x + width / 2

    def edge(self, lane: Value | None, row: int, side: float) -> float:
        """The x position where an arrow meets a lane: the right (1) or left (-1) side of its box, or its line."""
        boxed = _boxed(self._lanes.rows[row], lane)
        return self.middle(lane) + (side * self.columns[lane][1] / 2 if boxed else 0.0)

    def centre(self, row: int) -> float:
        """The y position of a step's middle."""
        y, height = self.rows[row]
        return y + height / 2


def lanes_svg(lanes: Lanes) -> Element:
    """A picture with a column per process and one for shared parts, a row per step, and arrows for messages."""
    at = _Places(lanes)
    picture = element(
        "svg",
        element("title", f"{headline(lanes.trace)}, by process"),
        viewBox=f"0 0 {at.width:.0f} {at.height:.0f}",
        width=f"{at.width:.0f}",
        height=f"{at.height:.0f}",
        role="img",
        aria_label=str(lanes)[:2000],
    )
    picture.append(picture_text(_GAP, 16, headline(lanes.trace), "t2-head"))
    foot = at.height - (1 + len(at.note)) * _LINE
    for lane in at.columns:
        name = _SHARED if lane is None else format_value(lane)
        x = at.middle(lane)
        picture.append(picture_text(x, 36, name, "t2-head", anchor="middle"))
        picture.append(element("line", x1=x, x2=x, y1=_HEAD - 4, y2=foot, class_="t2-line t2-life"))
    for number, row in enumerate(lanes.rows):
        picture.append(_step(lanes, at, number, row))
    for number, arrow in enumerate(lanes.arrows):
        if arrow.drawn:
            picture.append(_arrow(at, arrow, number))
    if lanes.trace.loop_start is not None:
        picture.append(_loop(lanes, at))
    if end := trace_end(lanes.trace):
        picture.append(picture_text(_GAP, foot + _LINE - 4, end, "t2-head"))
    for number, text in enumerate(at.note, 2):
        picture.append(picture_text(_GAP, foot + number * _LINE - 4, text, "t2-faint"))
    return picture


def _step(lanes: Lanes, at: _Places, number: int, row: Row) -> Element:
    y, height = at.rows[number]
    group = element("g", element("title", f"{row.state.index}. {action_text(row.state)}"))
    label = cut(f"{row.state.index} {action_text(row.state)}", _WIDEST, "…")
    group.append(picture_text(_GAP, y + _PAD + 11, label, "t2-head" if number else "t2-faint"))
    group.append(
        element("line", x1=_GAP, x2=at.width - _GAP, y1=y + height + 5, y2=y + height + 5, class_="t2-line")
    )
    last = number == len(lanes.rows) - 1 and number > 0
    for lane in at.columns:
        texts = _cell(row, lane)
        if not _boxed(row, lane):
            continue
        x, width = at.columns[lane]
        style = ("t2-shared" if lane is None else "t2-box") + (" t2-last" if last else "")
        box = element("rect", x=x, y=y, width=width, height=height, rx=5, class_=style)
        box.append(element("title", "\n".join(texts)))
        group.append(box)
        for place, text in enumerate(_shown(texts)):
            group.append(picture_text(x + _PAD, y + _PAD + 11 + place * _LINE, cut(text, _WIDEST, "…")))
    return group


def _arrow(at: _Places, arrow: Arrow, number: int) -> Element:
    """An arrow from the sender's step to the receiver's step, dashed if the message was not received."""
    received = arrow.sent if arrow.received is None else arrow.received
    towards = 1.0 if arrow.stub or at.middle(arrow.receiver) >= at.middle(arrow.sender) else -1.0
    # Messages of one step start below one another.
    shift = 4.0 * (number % 3 - 1)
    x1, y1 = at.edge(arrow.sender, arrow.sent, towards), at.centre(arrow.sent) + shift
    if arrow.stub:
        # The gap beside the lane has no text.
        x2, y2 = x1 + 28, y1 + 8
    elif arrow.sender == arrow.receiver:
        x2, y2 = at.edge(arrow.receiver, received, towards), at.centre(received) + shift
        towards = -towards
    else:
        x2, y2 = at.edge(arrow.receiver, received, -towards), at.centre(received) + shift
    bend = abs(x2 - x1) / 3 + 12
    path = f"M{x1:.1f} {y1:.1f}C{x1 + bend * copysign(1, x2 - x1):.1f} {y1:.1f} {x2 - bend * towards:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    tip = f"M{x2:.1f} {y2:.1f}l{-8 * towards:.1f} -4v8z"
    lost = arrow.lost
    later = " (taken in the next round)" * (arrow.again is not None)
    return element(
        "g",
        element("title", arrow.text + (" (not taken)" if lost else later)),
        element("circle", cx=x1, cy=y1, r=3, class_="t2-tip"),
        element("path", d=path, class_="t2-arrow" + (" t2-lost" if lost else "")),
        element("path", d=tip, class_="t2-tip"),
    )


def _loop(lanes: Lanes, at: _Places) -> Element:
    """A line on the left from the last step to the start of the loop."""
    start = next(n for n, row in enumerate(lanes.rows) if row.state.index == lanes.trace.loop_start)
    top, bottom = at.centre(start), at.centre(len(lanes.rows) - 1)
    if start == len(lanes.rows) - 1:
        top -= _LINE
    path = f"M7 {bottom:.1f}H3V{top:.1f}H7"
    return element(
        "g",
        element("title", f"the last state steps back to state {lanes.trace.loop_start}"),
        element("path", d=path, class_="t2-loopline"),
        element("path", d=f"M11 {top:.1f}l-6 -4v8z", class_="t2-looptip"),
    )


def _boxed(row: Row, lane: Value | None) -> bool:
    return bool(_cell(row, lane)) or lane in row.who


def _cell(row: Row, lane: Value | None) -> Sequence[str]:
    return row.shared if lane is None else row.cells.get(lane, ())


def _shown(texts: Sequence[str]) -> Sequence[str]:
    if len(texts) <= _MOST_LINES:
        return texts
    return [*texts[: _MOST_LINES - 1], f"and {len(texts) - _MOST_LINES + 1} more"]
