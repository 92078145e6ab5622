"""Violations of liveness that a simulation reports: some are made up by TLC (tlaplus#204), and none of these is believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import command
from tests.conftest import spec
from tests.stores import table_rows
from tla2py.analysis.view import open_view

SWEEP = """module = "Rest.tla"
[model]
specification = "Fair"
check_deadlock = false
[parameters]
properties = ["Rests", "Still"]
[tlc]
mode = "simulate"
num = 20
depth = 30
seed = 1
"""


def swept(folder: Path, jar: Path, text: str, code: int) -> command.CommandResult:
    (folder / "Rest.tla").write_text(spec("simulated/Rest"))
    (folder / "s.toml").write_text(text)
    asked = ("sweep", "s.toml", "-o", "store", "--executor", "local", "--tla2tools", jar)
    return command.run(*asked, cwd=folder, code=code)


@pytest.mark.jars
def test_a_simulation_decides_liveness_only_by_a_behaviour_that_is_verified(
    tmp_path: Path, jar: Path
) -> None:
    """The walks go on without the property that TLC made a violation of up; a true violation stays."""
    swept(tmp_path, jar, SWEEP, 1)
    rests, still = table_rows(tmp_path / "store", "runs")
    assert (rests["outcome"], rests["verdict"]) == ("bounded_success", "inconclusive")
    assert (rests["behaviours"], rests["generated"], rests["executions"]) == (20, 601, 1)
    assert (still["verdict"], [each["name"] for each in still["violated"]]) == ("violated", ["Still"])
    view = open_view(tmp_path / "store")
    trace = view.trace(2)
    assert trace.loop_start is not None
    notes = [row["text"] for row in table_rows(tmp_path / "store", "diagnostics") if row["code"] < 0]
    assert [("tlaplus#204" in each, "Rests was not decided" in each) for each in notes] == [
        (True, False),
        (False, True),
    ]
    # It is stored, so that nothing runs again.
    again = swept(tmp_path, jar, SWEEP, 1)
    assert [each.executed for each in again.reported.results] == [0]


def test_an_invariant_is_simulated_after_a_violation_that_is_none(tmp_path: Path, newer_tlc: Path) -> None:
    text = SWEEP.replace('["Rests", "Still"]', '["Rests"]').replace(
        "[parameters]", '[parameters]\ninvariants = ["Few"]'
    )
    swept(tmp_path, newer_tlc, text, 1)
    [row] = table_rows(tmp_path / "store", "runs")
    assert [each["name"] for each in row["violated"]] == ["Few"]
    assert row["executions"] == 1
