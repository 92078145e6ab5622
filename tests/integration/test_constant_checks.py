"""Checks that read no variable: TLC evaluates them before it computes the first state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import SPECS, RunCli
from tests.stores import table_rows

SWEEP = """
module = "Fits.tla"
[model]
init = "Init"
next = "Next"
"""
GRID = "[parameters]\nN = [1, 2, 3, 4, 5]\n"
MODEL = ("-c", "N=5", "--init", "Init", "--next", "Next")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("Fits.tla", "Trivial.tla"):
        shutil.copy(SPECS / "constant" / name, tmp_path)
    return tmp_path


def write_sweep(folder: Path, model: str, rest: str = GRID) -> None:
    (folder / "sweep.toml").write_text(f"{SWEEP}{model}\n{rest}")


def test_a_false_constant_invariant_has_a_law(run_cli: RunCli, folder: Path) -> None:
    write_sweep(folder, 'invariants = ["Fits", "Below"]', GRID + '[expect.law]\nFits = "N >= 3"\n')
    run_cli("sweep", "sweep.toml", "-o", "store", code=0)
    rows = table_rows(folder / "store", "runs")
    assert [row["verdict"] for row in rows] == ["holds", "holds", "violated", "violated", "violated"]
    red = rows[2]
    assert (red["outcome"], red["trace_length"], red["distinct"]) == ("violation_safety", None, None)
    assert red["violated"] == [{"kind": "invariant", "name": "Fits"}]
    # The search ended before it began, so nothing else has an answer.
    assert red["held"] == []
    assert red["message_place"] == "Fits.tla:7:1"
    [law, *_] = run_cli("explain", "store", "--json", code=0).json
    assert (law["property"], law["law"], law["exceptions"]) == ("Fits", "N >= 3", [])
    assert table_rows(folder / "store", "traces") == []


def test_the_search_goes_on_without_a_false_constant_invariant(run_cli: RunCli, folder: Path) -> None:
    write_sweep(folder, 'invariants = ["Fits", "Below"]', '[constants]\nN = 5\n[tlc]\nfind = "each"\n')
    run_cli("sweep", "sweep.toml", "-o", "store", code=1)
    [row] = table_rows(folder / "store", "runs")
    assert [each["name"] for each in row["violated"]] == ["Fits", "Below"]
    # The counts are those of the first execution, which has none; the one trace is that of Below.
    assert (row["distinct"], row["trace_length"], row["executions"]) == (None, 4, 3)
    assert [each["name"] for each in table_rows(folder / "store", "traces")] == ["Below"]


def test_a_gate_and_why_name_the_conjunct(run_cli: RunCli, folder: Path) -> None:
    write_sweep(folder, 'invariants = ["Fits"]', "[constants]\nN = 5\n")
    gated = run_cli("gate", "sweep.toml", "-o", "store", "--json", code=1)
    [sweep] = gated.json
    [problem] = sweep["points"][0]["problems"]
    assert (problem["reason"], problem["exit_code"]) == ("unexpected", 1)
    [why] = run_cli("trace", "store", "1", "--why", "--json", code=0).json
    assert [each["says"] for each in why["because"]] == ["N < 3 is FALSE"]
    assert why["trace"] is None


def test_a_constraint_that_is_false_everywhere_is_refused(run_cli: RunCli, folder: Path) -> None:
    write_sweep(folder, 'constraints = ["Fits"]', "[constants]\nN = 5\n")
    run_cli("sweep", "sweep.toml", "-o", "store", code=2)
    [row] = table_rows(folder / "store", "runs")
    assert (row["verdict"], row["outcome"]) == ("broken", "error_config_parse")


@pytest.mark.jars
@pytest.mark.parametrize(
    ("option", "name", "kind", "length"),
    [
        ("--invariant", "Fits", "invariant", None),
        ("--property", "Fits", "temporal_property", None),
        ("--property", "AlwaysFits", "invariant", 1),
        ("--property", "StepsFit", "action_property", 2),
        ("--property", "EventuallyFits", "temporal_property", 1),
    ],
)
def test_every_tlc_reports_a_false_constant_check(
    run_cli: RunCli, folder: Path, jar: Path, option: str, name: str, kind: str, length: int | None
) -> None:
    options = (*MODEL, option, name, "--tla2tools", jar, "--json")
    found = run_cli("check", "Fits.tla", *options, code=1).json
    assert found["violated"] == [{"kind": kind, "name": name}]
    assert (found["verdict"], found["trace_length"]) == ("violated", length)


@pytest.mark.jars
def test_every_tlc_finds_that_a_true_constant_check_holds(run_cli: RunCli, folder: Path, jar: Path) -> None:
    model = ("-c", "N=2", "--init", "Init", "--next", "Next", "--invariant", "Fits")
    found = json.loads(run_cli("check", "Fits.tla", *model, "--tla2tools", jar, "--json", code=0).stdout)
    assert (found["verdict"], found["held"]) == ("holds", ["Fits", "deadlock"])


TEMPORAL = ("--specification", "Spec", "--property", "Goes", "--property", "Returns", "--property", "Turns")


@pytest.mark.jars
def test_every_tlc_violates_a_property_with_a_false_conjunct(
    run_cli: RunCli, folder: Path, jar: Path
) -> None:
    model = ("-c", "N=3", "--specification", "Spec", "--property", "Returns")
    found = run_cli("check", "Trivial.tla", *model, "--tla2tools", jar, "--json", code=1).json
    assert (found["verdict"], found["outcome"]) == ("violated", "violation_liveness")
    assert found["violated"] == [{"kind": "temporal_property", "name": "Returns"}]
    # The counts are those of the search that followed without the property.
    assert (found["distinct"], found["executions"], found["trace_length"]) == (3, 1, None)
    assert found["message"] == "Every behaviour violates Returns, because its conjunct Fits is FALSE."


@pytest.mark.jars
def test_every_tlc_finds_each_of_several_properties_with_a_false_conjunct(
    run_cli: RunCli, folder: Path, jar: Path
) -> None:
    options = ("--invariant", "Low", "--tla2tools", jar, "--json")
    found = run_cli("check", "Trivial.tla", "-c", "N=4", *TEMPORAL, *options, code=1).json
    assert [each["name"] for each in found["violated"]] == ["Low", "Returns", "Turns"]
    assert found["outcome"] == "violation_safety"


@pytest.mark.jars
def test_every_tlc_refuses_a_specification_with_a_false_conjunct(
    run_cli: RunCli, folder: Path, jar: Path
) -> None:
    model = ("-c", "N=3", "--specification", "SpecIfFits", "--property", "Goes", "--property", "Returns")
    found = run_cli("check", "Trivial.tla", *model, "--tla2tools", jar, "--json", code=2).json
    assert (found["verdict"], found["outcome"], found["violated"]) == ("broken", "error_config_parse", [])


@pytest.mark.jars
def test_without_a_behaviour_no_property_is_violated(run_cli: RunCli, folder: Path, jar: Path) -> None:
    model = ("-c", "N=3", "--init", "Never", "--next", "Next", "--property", "Returns")
    found = run_cli("check", "Trivial.tla", *model, "--tla2tools", jar, "--json").json
    assert (found["verdict"], found["distinct"], found["violated"]) == ("holds", 0, [])


def test_a_property_with_a_false_conjunct_has_a_law_and_a_cause(run_cli: RunCli, folder: Path) -> None:
    sweep = """
    module = "Trivial.tla"
    [model]
    specification = "Spec"
    properties = ["Returns", "Goes"]
    [parameters]
    N = [1, 2, 3, 4]
    [tlc]
    find = "each"
    """
    (folder / "sweep.toml").write_text(sweep)
    run_cli("sweep", "sweep.toml", "-o", "store", code=1)
    rows = table_rows(folder / "store", "runs")
    assert [row["verdict"] for row in rows] == ["holds", "holds", "violated", "violated"]
    # The search without it answers the rest.
    assert "Goes" in rows[2]["held"]
    laws = run_cli("explain", "store", "--json", code=0).json
    assert ("Returns", "N >= 3") in [(law["property"], law["law"]) for law in laws]
    [why] = run_cli("trace", "store", "3", "--why", "--json", code=0).json
    assert [each["says"] for each in why["because"]] == ["Fits is FALSE"]
