"""Counts, durations and sizes as text, and tables that fit the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
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


VERDICT_STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.BROKEN: "bold magenta",
    Verdict.EXCLUDED: "dim",
}


def plain_table(*columns: str) -> Table:
    """An empty table without borders, whose long cells wrap."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


@dataclass(frozen=True, slots=True)
class IndentedText:
    """An indented text; it wraps in a terminal, where what follows is indented by two more, and is one line in a file."""

    text: Text
    by: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width - self.by
        if options.no_wrap or self.text.cell_len <= width:
            yield Text(" " * self.by).append_text(self.text)
        else:
            first, *others = self.text.wrap(console, max(1, width - 2))
            yield Text(" " * self.by).append_text(first)
            yield from (Text(" " * (self.by + 2)).append_text(line) for line in others)


@dataclass(frozen=True, slots=True)
class WrappedLines:
    """Lines that wrap between words, first where they have columns, two spaces apart; what follows is indented by two."""

    lines: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            if options.no_wrap or len(line) <= options.max_width:
                yield Text(line)
                continue
            further = " " * (len(line) - len(line.lstrip()) + 2)
            first, *others = [part.strip() for part in line.split("  ") if part.strip()]
            found = [further[2:] + first]
            for part in others:
                if len(found[-1]) + 2 + len(part) <= options.max_width:
                    found[-1] += f"  {part}"
                else:
                    found.append(further + part)
            wrapper = textwrap.TextWrapper(
                options.max_width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
            )
            yield Text("\n".join(map(wrapper.fill, found)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTable:
    """A table whose cells wrap between words: in a narrow terminal without ``dispensable`` columns, then as a list.

    The columns ``right`` are aligned there. The dispensable ones are dropped in turn.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Text]]
    right: frozenset[str]
    dispensable: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for dropped in range(len(self.dispensable) + 1):
            shown = [n for n, name in enumerate(self.columns) if name not in self.dispensable[:dropped]]
            cells = [[self.columns[n], *(row[n].plain for row in self.rows)] for n in shown]
            widths = [max(map(len, column)) for column in cells]
            least = [max(len(word) for cell in column for word in cell.split()) for column in cells]
            room = options.max_width - 2 * (len(shown) - 1)
            if options.no_wrap or sum(least) <= room:
                while not options.no_wrap and sum(widths) > room:
                    widest = max(range(len(shown)), key=lambda n: widths[n] - least[n])
                    widths[widest] -= 1
                table = plain_table()
                for n, width in zip(shown, widths, strict=True):
                    name = self.columns[n]
                    table.add_column(name, width=width, justify="right" if name in self.right else "left")
                for row in self.rows:
                    table.add_row(*(row[n] for n in shown))
                yield table
                return
        for row in self.rows:
            named = zip(self.columns, row, strict=True)
            yield WrappedLines([", ".join(f"{name} {cell.plain}" for name, cell in named if cell.plain)])
