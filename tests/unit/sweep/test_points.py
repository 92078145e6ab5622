"""Points are columns, of which a point is made when it is read."""

from __future__ import annotations

import pytest

from tests.unit.conftest import LoadSweep
from tla2py.sweep.grid import Point, Points
from tla2py.sweep.plan import plan_sweep
from tla2py.view.sweep import planned

ROWS = [{"A": a, "B": b} for a in ("1", "2", "3") for b in ("x", "y")]
POINTS = Points.of(["A", "B"], ROWS)


def test_points_are_a_sequence() -> None:
    assert len(POINTS) == 6
    assert list(POINTS) == [Point(index=index, parameters=row) for index, row in enumerate(ROWS, 1)]
    assert [POINTS[place] for place in range(6)] == list(POINTS)
    assert POINTS[-1] == POINTS[5]
    assert POINTS[1:3] == (POINTS[1], POINTS[2])
    with pytest.raises(IndexError):
        POINTS[6]


def test_a_model_without_parameters_is_one_point(load: LoadSweep) -> None:
    sweep = load('module = "Counter.tla"\n[constants]\nMax = 1\n')
    assert list(sweep.points) == [Point(index=1, parameters={})]
    assert len(plan_sweep(sweep, "jar").runs) == 1


def test_the_first_points_with_each_text_cover_all(load: LoadSweep) -> None:
    def first(*groups: tuple[str, ...]) -> list[int]:
        return [point.index for point in POINTS.first_with(*groups)]

    assert first(("A",)) == [1, 3, 5]
    assert first(("A",), ("B",)) == [1, 2, 3, 5]
    assert first(("A", "B")) == [1, 2, 3, 4, 5, 6]
    assert first(("C",)) == [1]
    assert [point.index for point in POINTS.first_with(("A",), ("B",), same=str.isdecimal)] == [1, 2]


def test_a_terminal_lists_some_points_and_counts_the_values_of_all(load: LoadSweep) -> None:
    sweep = load('module = "Counter.tla"\n[parameters]\nMax = { from = 1, to = 5000 }\n')
    plan = plan_sweep(sweep, "jar")
    assert len(list(planned(sweep, plan, {}))) == 5001
    assert list(planned(sweep, plan, {plan.runs.ids[1]}, most=2)) == [
        "   1  Max = 1  to run",
        "   2  Max = 2  cached",
        "and 4,998 more points; into a file or a pipe goes a line for each",
        "  Max: 5,000 values, 1 ... 5000",
        "sweep: 5,000 points, 0 combinations left out; 5,000 runs, 1 cached, 4,999 to execute",
    ]


def test_points_with_the_same_run_name_the_first(load: LoadSweep) -> None:
    sweep = load('module = "Counter.tla"\n[parameters]\nMax = [1, 2]\ninvariants = ["Small", "Small,"]\n')
    plan = plan_sweep(sweep, "jar")
    shown = list(planned(sweep, plan, {}))
    assert [line.rpartition("  ")[2] for line in shown[:4]] == [
        "to run",
        "as point 1",
        "to run",
        "as point 3",
    ]
    assert shown[-1].endswith("2 runs, 0 cached, 2 to execute")
    assert plan.runs.missing(()) == [1, 3]


def test_runs_are_made_when_they_are_read(load: LoadSweep) -> None:
    plan = plan_sweep(load('module = "Counter.tla"\n[parameters]\nMax = [1, 2, "1 + 2", 4]\n'), "jar")
    assert [run.run_id for run in plan.runs] == list(plan.runs.ids)
    assert plan.runs[-1] == plan.runs[3]
    assert [run.run_id for run in plan.runs[1:3]] == list(plan.runs.ids[1:3])
    chosen = plan.runs.at([2, 0])
    assert list(chosen) == [plan.runs[2], plan.runs[0]]
    assert plan.runs.missing({plan.runs.ids[1]}) == [0, 2, 3]
    assert [point.index for point, _ in plan.samples()] == [1, 3]
