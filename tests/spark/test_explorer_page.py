"""The code of the page on exploring runs, against the store that it names."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tla2py.analysis.charts import Growth
from tla2py.analysis.contrast import Contrast

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "explorer.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the blocks have defined after all were executed, and what each expression in them showed."""
    folder = tmp_path_factory.mktemp("page")
    sweep = ROOT / "specs" / "kip320" / "sweep.toml"
    assert command.run("sweep", sweep, "--executor", "local", cwd=folder).code == 0
    found: dict[str, Any] = {"shown": {}}
    before = Path.cwd()
    os.chdir(folder)
    try:
        for block in BLOCKS:
            for node in ast.parse(block).body:
                if isinstance(node, ast.Expr):
                    text = ast.unparse(node)
                    found["shown"][text] = eval(text, found)
                else:
                    exec(compile(ast.Module([node], []), "explorer.md", "exec"), found)
        yield found
    finally:
        os.chdir(before)


def test_every_block_runs_and_shows_itself(names: dict[str, Any]) -> None:
    assert len(BLOCKS) == 7
    assert len(names["trace"].states) == 13
    assert Path("lanes.svg").read_text().startswith("<svg ")
    shown = [value for value in names["shown"].values() if hasattr(value, "_repr_html_")]
    assert len(shown) >= 4
    for value in shown:
        html = value._repr_html_()
        assert html.startswith("<pre ")
        assert "<script" not in html
        assert len(str(value)) > 20
    rows = names["lanes"].rows
    assert [str(row.who[0]) for row in rows if len(row.who) == 1] == [
        "b1", "b2", "b1", "b1", "b3", "b3", "b1", "b3", "b3",
    ]  # fmt: skip
    assert all(row.derived for row in rows if len(row.who) == 1)
    arrows = {(str(arrow.receiver), arrow.received) for arrow in names["lanes"].arrows}
    assert {("b1", 4), ("b2", 5), ("b3", 8), ("b3", 11)} <= arrows


def test_the_page_says_what_comes_out(names: dict[str, Any]) -> None:
    shown = names["shown"]
    contrast = names["contrast"]
    assert isinstance(contrast, Contrast)
    replicas, epoch = ("Replicas", "{b1, b2}", "{b1, b2, b3}"), ("MaxLeaderEpoch", "1", "2")
    assert [each.differs for each in contrast.nearest] == [(replicas,), (epoch,)]
    assert shown["explorer.state"].index == 9
    assert shown["comparison.parted"] > 3
    assert shown["store.compare(store).changed"] == ()
    assert str(shown["trace.step(13)"]).startswith("13. FollowerTruncate")
    assert isinstance(names["growth"], Growth)
    prediction = shown["growth.series[0].predict(4)"]
    assert 46465 < prediction.low <= prediction.high
    assert len(shown["store.kinds()"]) == 2
