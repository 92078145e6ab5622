"""A counterexample by process: the changes of each process in each step, and the messages between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tla2py.files.write import write_file
from tla2py.show.markup import html_text, printable, svg_text
from tla2py.show.messages import Arrow, message_arrows, messages_variable
from tla2py.show.plain import action_text, headline
from tla2py.show.processes import (
    Processes,
    actors,
    guess_source,
    keyed_variables,
    part_of,
    processes_of,
)
from tla2py.trace.diff import Part, changed_parts, parts_of
from tla2py.trace.display import Printed
from tla2py.trace.trace import State, Trace
from tla2py.values import Value, format_value


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
        from tla2py.show.lanes_svg import lanes_svg

        return svg_text(lanes_svg(self))

    def save(self, path: str | Path) -> Path:
        """The path of the written SVG file. Raises InputError (``output-unwritable``)."""
        target = Path(path)
        write_file(target, self.svg())
        return target

    def __str__(self) -> str:
        return "\n".join(map(printable, _lines(self)))

    def _repr_html_(self) -> str:
        from tla2py.show.lanes_svg import lanes_svg

        return html_text(lanes_svg(self))


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
