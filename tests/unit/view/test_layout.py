"""Summaries in terminals of any width and in files."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from tla2py.view.layout import FittedTable, Indented, Wrapped


def printed(what: RenderableType, width: int, *, file: bool = False) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=width, soft_wrap=file, markup=False, highlight=False).print(what)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_further_lines_are_indented_too() -> None:
    text = Indented(Text("one two three"), 4)
    assert printed(text, 12) == ["    one two", "    three"]
    assert printed(text, 12, file=True) == ["    one two three"]


SWEEPS = FittedTable(
    columns=("sweep", "checked", "smallest violating point", "distinct", "time"),
    rows=[
        [Text("kip320"), Text("StrongIsr"), Text("12: Replicas = {b1, b2, b3}"), Text("1,234"), Text("9.5s")]
    ],
    right=frozenset({"distinct", "time"}),
    dispensable=("distinct", "time"),
)


@pytest.mark.parametrize(
    ("width", "dropped"),
    [(90, ""), (46, ""), (38, "distinct"), (30, "distinct time")],
)
def test_a_table_of_sweeps_drops_columns_and_breaks_no_word(width: int, dropped: str) -> None:
    lines = printed(SWEEPS, width)
    words = set(" ".join(lines).split())
    assert words >= {"sweep", "checked", "smallest", "kip320", "StrongIsr", "{b1,", "b3}"}
    assert {"distinct", "time"} - words == set(dropped.split())
    assert max(map(len, lines)) <= width


def test_a_table_of_sweeps_is_a_list_in_a_narrower_terminal_and_two_lines_in_a_file() -> None:
    assert printed(SWEEPS, 24)[0] == "sweep kip320, checked"
    assert len(printed(SWEEPS, 4000, file=True)) == 2


def test_a_line_wraps_first_where_it_has_columns() -> None:
    line = "  Inv    violated iff A + B > 2 * C    28 of 48, no exception"
    assert printed(Wrapped([line]), 80) == [line]
    assert printed(Wrapped([line]), 34) == ["  Inv  violated iff A + B > 2 * C", "    28 of 48, no exception"]
    narrow = ["  Inv", "    violated iff A +", "    B > 2 * C", "    28 of 48, no", "    exception"]
    assert printed(Wrapped([line]), 20) == narrow
    assert printed(Wrapped([line]), 20, file=True) == [line]
