"""Logs in a gate: expected by pattern, locked with what goes unnoticed, reported by line; and stores of logs."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.conftest import SPECS, RunCli, spec
from tests.integration.gate.lift import NO_CI, refused
from tests.stores import table_rows

NEXT = r"x' \in x..(x + 1) /\ x' \in {x, Log[l].n} /\ l' = l + (x' - x) /\ PrintT(x)"
EXACT = spec("logs/counting/Trace").replace(NEXT, r"x' = x + 1 /\ x' = Log[l].n /\ l' = l + 1")
SWEEP = (SPECS / "gate/trace.toml").read_text()
LINES = '{"n": 1, "s": "<b>&"}\n{"n": 2, "s": "<i>|*"}\n{"n": 3, "s": "x"}\n'


def test_logs_are_gated(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Trace.tla").write_text(EXACT)
    (tmp_path / "logs").mkdir()
    for name in ("a", "bug-1"):
        (tmp_path / f"logs/{name}.ndjson").write_text(LINES.replace('"x"', f'"{name}"'))
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(SWEEP)
    files = {name: tmp_path / f"reports/{name}" for name in ("junit", "sarif", "summary")}
    (tmp_path / "reports").mkdir()
    reports = [each for name, file in files.items() for each in (f"--{name}", file)]
    gate = ("gate", sweep, "-o", tmp_path / "store", "--executor", "local", "--no-vacuity", "--no-coverage")
    red = run_cli(*gate, *reports, env=NO_CI | {"GITHUB_ACTIONS": "true"}, cwd=tmp_path, code=1)
    # The pattern matches one of the two logs that the wrong model does not explain.
    assert "1 not as expected" in red.stdout
    line = 'no behaviour explains logs/a.ndjson:2: {"n": 2, "s": "<i>|*"}'
    assert line in red.stdout.replace("\n      ", " ")
    assert "::error file=logs/a.ndjson,line=2,title=" in red.stdout
    # A case for each log.
    cases = {(c.get("classname"), c.get("name")): c for c in ET.parse(files["junit"]).iter("testcase")}
    points = [f"sweep.Wrong = {value}" for value in ("FALSE", "TRUE")]
    assert [*cases] == [(point, f"logs/{log}.ndjson") for point in points for log in ("a", "bug-1")]
    failures = {key: case.find("failure") for key, case in cases.items()}
    [failure] = [each for each in failures.values() if each is not None]
    assert failures["sweep.Wrong = TRUE", "logs/a.ndjson"] is failure
    assert line in str(failure.get("message"))
    [result] = json.loads(files["sarif"].read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("logs/a.ndjson", 2)
    assert line in result["message"]["text"]
    assert "&lt;i&gt;\\|\\*" in files["summary"].read_text()
    sweep.write_text(SWEEP.replace("logs/b*", "logs/*"))
    assert run_cli(*gate, "--record", env=NO_CI).code == 0
    lock = tmp_path / "sweep.lock"
    text = lock.read_text()
    assert "first_unmatched = 2" in text
    # This module does not read the log, so it accepts every change.
    mutants = text.partition("[mutants]\n")[2].partition("\n\n")[0].splitlines()
    assert sum(int(each.split('"')[-2].split()[0]) for each in mutants) == 2
    assert "2 of 2 changed logs accepted" in run_cli(*gate, env=NO_CI).stdout
    kind = mutants[0].split('"')[1]
    none = text.replace(mutants[0], f'"{kind}" = "0 of 9"')
    lock.write_text(none.replace("unmatched = 2", "unmatched = 3"))
    drifted = run_cli("gate", tmp_path / "store", env=NO_CI, code=1)
    assert f"accepted changes to logs, {kind}: " in drifted.stdout
    assert "before: 0 of 9" in drifted.stdout
    assert "the first line that no behaviour explains was 3 and is now 2" in drifted.stdout
    # A store whose logs were not changed, or whose changes are others, is not judged by what it has.
    sweep.write_text(SWEEP.replace("logs/b*", "logs/*").replace("mutate = 2", "mutate = 3"))
    assert "was made from other inputs" in run_cli("gate", tmp_path / "store", env=NO_CI).stdout
    sweep.write_text(SWEEP.replace("logs/b*", "log/*"))
    refused(run_cli(*gate, env=NO_CI), "expect-no-point", f"{sweep}:12:1", "log/*")
    page = tmp_path / "page.html"
    run_cli("report", tmp_path / "store", "-o", page)
    shown = page.read_text()
    table = shown[shown.index("Table of logs") : shown.index('id="explorer"')]
    assert table.index(">violated<") < table.index(">holds<")
    assert "&lt;i&gt;|*" in table
    assert "<i>" not in shown
    # Laws are about parameters, not about names of files.
    [law] = run_cli("explain", tmp_path / "store", "--json").json
    assert (law["property"], law["law"]) == ("log", "Wrong")


@pytest.mark.long
def test_logs_that_no_point_reads_are_pruned(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Trace.tla").write_text(EXACT)
    (tmp_path / "Trace.cfg").write_text("SPECIFICATION Spec\nCONSTANT Wrong = FALSE\nCHECK_DEADLOCK FALSE\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.ndjson").write_text(LINES.replace('"x"', f'"{name}"'))
    store = tmp_path / "store"
    both = ("validate", tmp_path / "Trace.tla", tmp_path / "a.ndjson", tmp_path / "b.ndjson", "-o", store)
    assert run_cli(*both).code == 0
    assert run_cli(*both[:3], "-o", store).code == 0
    assert len([*(store / "inputs").iterdir()]) == 2
    ended = run_cli("prune", store)
    assert "1 input" in ended.stdout + ended.stderr
    [kept] = (store / "inputs").iterdir()
    assert kept.read_text() == (tmp_path / "a.ndjson").read_text()
    # The tables can be made anew from what is left.
    assert run_cli("tables", store).code == 0
    assert [row["text"] for row in table_rows(store, "log_lines")] == kept.read_text().splitlines()


def test_a_changed_action_is_drift_although_all_logs_still_hold(run_cli: RunCli, tmp_path: Path) -> None:
    module, sweep = tmp_path / "Steps.tla", tmp_path / "sweep.toml"
    head = "---- MODULE Steps ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
    text = head + "Up == x' = x + 1\nSpec == Init /\\ [][Up]_x\n====\n"
    module.write_text(text)
    (tmp_path / "a.ndjson").write_text('{"action": "Up", "state": {"x": 1}}\n')
    sweep.write_text('module = "Steps.tla"\n[logs]\nfiles = ["*.ndjson"]\n[expect]\nverdict = "holds"\n')
    gate = ("gate", sweep, "--executor", "local", "--no-vacuity")
    assert run_cli(*gate, "--record").code == 0
    module.write_text(text.replace("x' = x + 1", "x' = x + 1 \\/ x' = x + 2"))
    assert "drift: the definition of Up has changed" in run_cli(*gate, code=1).stdout
