"""Counts, durations and sizes as text, and tables that fit the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tla2py.model.outcome import Verdict


def number(value: int | None, *, least: bool = False) -> str:
    """A count with thousands separators, prefixed with ``>=`` if it is a lower bound; a dash for None."""
    return "-" if value is None else f"{'>=' * least}{value:,}"


def seconds(value: float | None) -> str:
    """A duration such as ``1.5s`` or ``2m05s``; a dash for None."""
    if value is None:
        return "-"
    return f"{value:.1f}s" if value < 60 else f"{int(value // 60)}m{int(value % 60):02d}s"


def file_size(value: int) -> str:
    """A number of bytes such as ``2.3 MiB``."""
    units = ("bytes", "KiB", "MiB", "GiB")
    power = min(max(value.bit_length() - 1, 0) // 10, len(units) - 1)
    return f"{value / 1024**power:.{min(power, 1)}f} {units[power]}"


VERDICT_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.BROKEN: "bold magenta",
    Verdict.EXCLUDED: "dim",
}
# Columns to drop, in turn, until the table fits.
_DISPENSABLE = (frozenset[str](), frozenset({"generated", "depth"}))
_VERDICT = 24


def plain_table(*columns: str) -> Table:
    """An empty table without borders, whose long cells wrap."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


@dataclass(frozen=True, slots=True)
class Indented:
    """An indented text; it wraps in a terminal and is one line in a file."""

    text: Text
    by: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.no_wrap:
            yield Text(" " * self.by).append_text(self.text)
        else:
            yield Padding(self.text, (0, 0, 0, self.by), expand=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRow:
    """A row of the table of points: its parameters' ``values``, and ``figures`` by column."""

    point: int
    values: Sequence[str]
    verdict: Text
    figures: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointTable:
    """A sweep's points as a table; with fewer columns in a narrow terminal, as a list in a narrower one."""

    parameters: Sequence[str]
    rows: Sequence[PointRow]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.rows:
            return
        for without in _DISPENSABLE:
            # Words must not break; the verdict may wrap, but needs some width.
            needed = len("point  ") + sum(map(self._width, range(len(self.parameters)))) + _VERDICT
            needed += sum(self._figure_width(name) for name in self.rows[0].figures if name not in without)
            if options.no_wrap or needed <= options.max_width:
                yield self._table(without)
                return
        yield from self._list()

    def _table(self, without: frozenset[str]) -> Table:
        table = plain_table()
        table.add_column("point", justify="right", no_wrap=True)
        for name in self.parameters:
            table.add_column(name, no_wrap=True)
        table.add_column("verdict", overflow="fold")
        names = [name for name in self.rows[0].figures if name not in without]
        for name in names:
            table.add_column(name, justify="right", no_wrap=True)
        for row in self.rows:
            table.add_row(str(row.point), *row.values, row.verdict, *(row.figures[name] for name in names))
        return table

    def _width(self, index: int) -> int:
        return 2 + max(len(self.parameters[index]), *(len(row.values[index]) for row in self.rows))

    def _figure_width(self, name: str) -> int:
        return 2 + max(len(name), *(len(row.figures[name]) for row in self.rows))

    def _list(self) -> RenderResult:
        for row in self.rows:
            yield Text.assemble((f"point {row.point}  ", "bold"), row.verdict)
            values = ", ".join(
                f"{name} = {v}" for name, v in zip(self.parameters, row.values, strict=True) if v
            )
            if values:
                yield Indented(Text(values), 2)
            figures = ", ".join(f"{name} {figure}" for name, figure in row.figures.items() if figure != "-")
            yield Indented(Text(figures, "dim"), 2)
