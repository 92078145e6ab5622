"""Counts of an unfinished run are marked as lower bounds in every view."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

from tests.unit.records import executed
from tests.unit.store.test_tables import make_store
from tla2py.analysis.view import StoreView, open_view
from tla2py.execution.check import Checked
from tla2py.model.outcome import Outcome, unfinished
from tla2py.view.explorer import store_data
from tla2py.view.sweep import sweep_summary
from tla2py.view.traces import check_text


def printed(what: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def view(tmp_path: Path) -> StoreView:
    """A store of a run that holds and one that ran out of memory."""
    return open_view(make_store(tmp_path / "store", ("success", "out-of-memory")).path)


def test_in_the_table_of_a_sweep(view: StoreView) -> None:
    held, stopped = printed(sweep_summary(view)).splitlines()[1:3]
    assert "holds" in held
    assert ">=" not in held
    run = view.run_rows[1]
    assert f" >={run.generated}  " in stopped
    assert stopped.count(">=") == 3


def test_on_pages(view: StoreView) -> None:
    points: Any = store_data(view).overview["points"]
    assert points["least"] == [False, True]


def test_in_the_last_line_of_a_check(tmp_path: Path) -> None:
    def last(case: str) -> str:
        done = executed(tmp_path, case, case)
        return printed(check_text(Checked(record=done.record, result=done.result))).splitlines()[-1]

    assert "; at least " in last("out-of-memory")
    assert "; at least " not in last("success")


def test_what_was_violated_before_the_time_was_up_is_no_end() -> None:
    assert unfinished(Outcome.VIOLATION_SAFETY, "timeout")
    assert not unfinished(Outcome.VIOLATION_SAFETY, None)
    assert unfinished(Outcome.KILLED, None), "as the log of another machine has it"
    assert not unfinished(Outcome.BOUNDED_SUCCESS, None), "a simulation says at its end what it counted"
