"""Summaries in terminals of any width and in files."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from tla2py.view.layout import Indented, PointRow, PointTable

TABLE = PointTable(
    parameters=["Replicas", "view"],
    rows=[
        PointRow(
            point=number,
            values=[replicas, ""],
            verdict=Text(verdict),
            figures={"generated": "1,234", "distinct": "567", "depth": "8", "time": "0.9s"},
        )
        for number, replicas, verdict in (
            (1, "{b1}", "holds"),
            (2, "{b1, b2}", "violated: WeakIsr in 12, StrongIsr in 13"),
        )
    ],
)


def printed(what: RenderableType, width: int, *, file: bool = False) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=width, soft_wrap=file, markup=False, highlight=False).print(what)
    return [line.rstrip() for line in text.getvalue().splitlines()]


def test_a_file_gets_everything_on_a_line() -> None:
    lines = printed(TABLE, 4000, file=True)
    assert lines[0].split() == [
        "point",
        "Replicas",
        "view",
        "verdict",
        "generated",
        "distinct",
        "depth",
        "time",
    ]
    assert lines[2].split(maxsplit=3)[3].startswith("violated: WeakIsr in 12, StrongIsr in 13  ")


@pytest.mark.parametrize(
    ("width", "columns"),
    [(90, "point Replicas view verdict generated distinct depth time"), (70, "point Replicas view verdict distinct time")],
)  # fmt: skip
def test_a_narrow_terminal_gets_fewer_columns_and_no_broken_word(width: int, columns: str) -> None:
    lines = printed(TABLE, width)
    assert lines[0].split() == columns.split()
    words = " ".join(lines).split()
    assert {"violated:", "WeakIsr", "StrongIsr", "b2}"} <= set(words)
    assert max(map(len, lines)) <= width


def test_where_no_table_fits_points_are_listed() -> None:
    lines = printed(TABLE, 44)
    assert lines[0] == "point 1  holds"
    assert "  Replicas = {b1}" in lines  # what is empty is left out
    assert "  generated 1,234, distinct 567, depth 8," in lines
    assert max(map(len, lines)) <= 44


def test_no_points() -> None:
    assert printed(PointTable(parameters=[], rows=[]), 80) == []


def test_further_lines_are_indented_too() -> None:
    text = Indented(Text("one two three"), 4)
    assert printed(text, 12) == ["    one two", "    three"]
    assert printed(text, 12, file=True) == ["    one two three"]
