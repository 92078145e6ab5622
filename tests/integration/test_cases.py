"""Test cases from state graphs that the real TLC wrote: the tables, the covers, the files."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

import tla2py.cases.graph
from tests import command
from tests.conftest import RunCli, spec
from tests.raising import raises
from tests.stores import table_rows
from tla2py.errors import InputError

SPECS = Path(__file__).resolve().parent.parent.parent / "specs"
SWEEP = (
    f'name = "two"\nmodule = "{SPECS / "two_phase" / "TwoPhase.tla"}"\n[model]\nspecification = "Spec"\n'
    'invariants = ["Consistent"]\n[constants]\nRM = \'{"rm1", "rm2"}\'\n[tlc]\ngraph = true\n'
)


def graph(folder: Path, *options: str | Path) -> Path:
    (folder / "s.toml").write_text(SWEEP)
    command.run("sweep", "s.toml", "--executor", "local", "-o", "store", *options, cwd=folder, code=0)
    return folder / "store"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, jar: Path) -> Path:
    return graph(tmp_path_factory.mktemp("graph"), "--tla2tools", jar)


def test_every_step_of_the_tables_is_in_a_case(store: Path, run_cli: RunCli) -> None:
    done = run_cli("testgen", store, code=0)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert {len(case["states"]) - len(case["actions"]) for case in cases} == {1}
    found = set()
    for case in cases:
        texts = [json.dumps(state, sort_keys=True) for state in case["states"]]
        steps = zip(texts[:-1], case["actions"], texts[1:], strict=True)
        found |= {(before, action["name"], after) for before, action, after in steps}
    states = {
        row["fingerprint"]: json.dumps(json.loads(row["state"]), sort_keys=True)
        for row in table_rows(store, "graph_states")
    }
    edges = table_rows(store, "graph_edges")
    assert found == {(states[row["source"]], row["action"], states[row["target"]]) for row in edges}
    assert len({case["id"] for case in cases}) == len(cases)
    assert "45 cases, at least 45" in done.stderr


def test_the_cases_of_all_jars_are_those_with_arguments(store: Path, run_cli: RunCli, tmp_path: Path) -> None:
    """The expected file is that of TLC 2.20, which prints arguments; for the others they are derived."""
    done = run_cli("testgen", store, "--arguments", code=0)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    steps = {(action["name"], json.dumps(action["args"])) for case in cases for action in case["actions"]}
    names = ("RMChooseToAbort", "RMPrepare", "RMRcvAbortMsg", "RMRcvCommitMsg", "TMRcvPrepared")
    of_rm = {(name, json.dumps({"r": rm})) for name in names for rm in ("rm1", "rm2")}
    assert steps == of_rm | {("TMAbort", "{}"), ("TMCommit", "{}")}
    assert (len(cases), sum(len(case["actions"]) for case in cases)) == (45, 242)


def test_check_says_what_came_and_went(store: Path, run_cli: RunCli, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    assert run_cli("testgen", store, "--cover", "states", "-o", file).code == 0
    assert run_cli("testgen", store, "--cover", "states", "--check", file, code=0).stdout == ""
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines[1:], lines[0].replace("RM", "MR", 1)]))
    other = run_cli("testgen", store, "--cover", "states", "--check", file, code=1)
    assert other.stdout.splitlines()[0].endswith("1 line came, 1 line went")
    assert [line[0] for line in other.stdout.splitlines()[1:]] == ["-", "+"]


def test_itf_has_what_quint_reads(store: Path, run_cli: RunCli) -> None:
    done = run_cli("testgen", store, "--cover", "actions", "--format", "itf")
    traces = [json.loads(line) for line in done.stdout.splitlines()]
    assert {trace["#meta"]["format"] for trace in traces} == {"ITF"}
    for trace in traces:
        assert trace["states"][0]["mbt::actionTaken"] == "init"
        assert all(set(state) == {"#meta", *trace["vars"]} for state in trace["states"])
    assert len({state["mbt::actionTaken"] for trace in traces for state in trace["states"]}) == 8


def test_what_a_test_sees(store: Path, run_cli: RunCli) -> None:
    seen = ("tmState", "Consistent", "sql:len(json_keys(state))")
    done = run_cli("testgen", store, *(part for each in seen for part in ("--see", each)), code=0)
    states = [state for line in done.stdout.splitlines() for state in json.loads(line)["states"]]
    assert {tuple(state) for state in states} == {seen}
    known = {(state, True, 4) for state in ("init", "committed", "aborted")}
    assert {tuple(state.values()) for state in states} == known
    blurred = run_cli("testgen", store, "--see", "Cardinality(tmPrepared)")
    assert "what comes next depends on more than --see shows" in blurred.stderr
    assert "after TMRcvPrepared" in blurred.stderr
    where = run_cli("testgen", store, "--where", 'tmState = "committed" /\\ rmState["rm2"] = "committed"')
    ends = [json.loads(line)["states"][-1] for line in where.stdout.splitlines()]
    assert {(end["tmState"], end["rmState"]["rm2"]) for end in ends} == {("committed", "committed")}


def test_a_sweep_file_is_run_with_its_graph(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "s.toml").write_text(SWEEP.replace("[tlc]\ngraph = true\n", ""))
    done = run_cli("testgen", "s.toml", "--longest", "3", code=3)
    assert "left out: no case within --longest comes there" in done.stderr
    assert max(len(json.loads(line)["actions"]) for line in done.stdout.splitlines()) == 3
    assert (tmp_path / "runs" / "two-graph").exists()
    assert not (tmp_path / "runs" / "two").exists()


def test_only_the_point_of_a_sweep_file_runs(tmp_path: Path, run_cli: RunCli) -> None:
    values = '[\'{"rm1"}\', \'{"rm1", "rm2"}\']'
    text = SWEEP.replace("[constants]", "[parameters]").replace('\'{"rm1", "rm2"}\'', values)
    (tmp_path / "s.toml").write_text(text)
    run_cli("sweep", "s.toml", "--executor", "local", "-o", "both")
    refused = run_cli("testgen", "both", code=2).error
    assert (refused.message, refused.code) == ("2 points have a graph: 1, 2", "usage")
    done = run_cli("testgen", "s.toml", "--point", "2", code=0)
    assert "point 2: 45 cases, at least 45" in done.stderr
    assert "note: 10 states have no step to another state" in done.stderr
    assert "Store  runs/two/limited" in done.stderr
    [row] = tla2py.open_store(tmp_path / "runs" / "two" / "limited").run_rows
    assert row.point == 2
    refused = run_cli("testgen", "runs/two/limited", "--point", "1", code=2).error
    assert (refused.message, refused.code) == ("no run of point 1 kept its state graph", "no-graph")
    # The store of its own is not about the whole sweep.
    (tmp_path / "s.toml").write_text(text.replace("[tlc]\ngraph = true\n", ""))
    run_cli("testgen", "s.toml", "--point", "2", code=0)
    run_cli("testgen", "runs/two-graph", code=0)


def count(folder: Path, run_cli: RunCli, model: str) -> None:
    (folder / "Count.tla").write_text(spec("cases/Count"))
    text = f'module = "Count.tla"\n[model]\nspecification = "Spec"\n{model}\n[tlc]\ngraph = true\n'
    (folder / "s.toml").write_text(text)
    run_cli("sweep", "s.toml", "--executor", "local", "-o", "store", "--no-lint")


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ('symmetry = "Both"\nconstraints = ["Bound"]', "the symmetry Both"),
        ('view = "Seen"\nconstraints = ["Bound"]', "the view Seen"),
        ('invariants = ["Small"]', "violation_safety"),
    ],
)
def test_graphs_that_do_not_replay_are_refused(tmp_path: Path, run_cli: RunCli, model: str, why: str) -> None:
    count(tmp_path, run_cli, model)
    assert why in run_cli("testgen", "store", code=2).stderr
    partial = run_cli("testgen", "store", "--partial", code=0 if "violation" in why else 2)
    for line in partial.stdout.splitlines():
        assert json.loads(line)["partial"] == "its run ended with violation_safety"


def test_a_constraint_is_said(tmp_path: Path, run_cli: RunCli) -> None:
    count(tmp_path, run_cli, 'constraints = ["Bound"]')
    done = run_cli("testgen", "store", "-o", "cases.jsonl", code=0)
    assert "Bound left out up to 2 steps that the specification allows" in done.stderr
    assert len((tmp_path / "cases.jsonl").read_text().splitlines()) == 2


DRIVEN = Path(__file__).with_name("driven.py")


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return graph(tmp_path_factory.mktemp("graph"))


def drives(folder: Path) -> list[dict[str, object]]:
    return pq.read_table(folder / "drives.parquet").to_pylist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("mistake", "verdict", "message"),
    [
        ("die", "crashed", "the program ended with exit status 3"),
        ("kill", "crashed", "the program was killed by SIGKILL"),
        ("close", "crashed", "the program closed its output"),
        ("hang", "timeout", "no answer within 1 seconds"),
        ("print", "protocol", "not a JSON object: '[]'"),
        ("name", "protocol", "the specification has no variable tmstate"),
        ("value", "protocol", "not an ITF expression"),
        ("neither", "protocol", "an answer must have exactly one key, state or error: {}"),
        (
            "both",
            "protocol",
            'an answer must have exactly one key, state or error: {"state":{},"error":"no"}',
        ),
        ("other", "protocol", 'an answer must have exactly one key, state or error: {"state":{},"time":3}'),
        ("array", "protocol", 'the state is not an object: {"state":[]}'),
        ("null", "protocol", 'the error is not a string: {"error":null}'),
        ("repeated", "protocol", "the key tmState is there twice"),
        ("answers", "protocol", "the key state is there twice"),
        ("nested", "protocol", "it is nested too deeply"),
        ("deep", "protocol", "nested more than 100 deep"),
        ("refuse", "failed", "the program refused: no"),
    ],
)
def test_a_program_that_goes_wrong(
    bundled: Path, tmp_path: Path, run_cli: RunCli, mistake: str, verdict: str, message: str
) -> None:
    options = ("--cover", "actions", "--step-timeout", "1s", "-o", tmp_path / "drives", "--arguments")
    before = {each.pid for each in psutil.process_iter()}
    done = run_cli("drive", bundled, *options, "--json", "--", sys.executable, DRIVEN, mistake, code=1)
    found = done.json
    keys = {"case", "verdict", "step", "action", "expected", "found", "message", "answers", "said"}
    assert all(set(each) == keys for each in found)
    assert {each["verdict"] for each in found} == {"passed", verdict}
    wrong = next(each for each in found if each["verdict"] != "passed")
    assert wrong["action"] == {"name": "TMCommit", "args": {}}
    assert [state["tmState"] for state in wrong["expected"]] == ["committed"]
    assert message in wrong["message"]
    left = {each.pid: each.info["cmdline"] for each in psutil.process_iter(["cmdline"])}
    new = [words for pid, words in left.items() if pid not in before and words]
    assert not [words for words in new if "1000" in words or str(DRIVEN) in words]
    table = drives(tmp_path / "drives")
    assert [row["verdict"] for row in table] == [each["verdict"] for each in found]
    assert {row["point"] for row in table} == {1}
    assert all(isinstance(row["seconds"], float) for row in table)


def test_a_program_that_answers_twice(bundled: Path, run_cli: RunCli) -> None:
    done = run_cli(
        "drive", bundled, "--cover", "actions", "--json", "--", sys.executable, DRIVEN, "twice", code=1
    )
    assert {(each["verdict"], each["step"]) for each in done.json} == {("protocol", 0)}
    assert all("it answered more than it was asked" in each["message"] for each in done.json)


def test_a_drive_finds_the_bug_and_shrinks_it(bundled: Path, run_cli: RunCli) -> None:
    program = ("--", sys.executable, DRIVEN)
    right = run_cli("drive", bundled, "--arguments", *program, "none", code=0)
    assert "45 cases: 45 passed; 0 steps not reached, 0 restarts" in right.stderr
    assert "287 of 287 answers say something" in right.stderr
    assert "so nothing was compared with them" in right.stderr
    assert "no answer names msgs" in right.stderr
    assert len(drives(bundled / "drives")) == 45
    counted = "SELECT verdict, count(*) AS n FROM drives GROUP BY verdict"
    assert run_cli("query", bundled, counted, "--json").json == [{"verdict": "passed", "n": 45}]
    done = run_cli("drive", bundled, "--arguments", "--shrink", "--json", *program, "count", code=1)
    failed = [each for each in done.json if each["verdict"] == "failed"]
    assert {each["action"]["name"] for each in failed} == {"TMRcvPrepared"}
    assert min(each["step"] for each in failed) == 3
    assert failed[0]["message"] == 'tmState is "committed", and the specification allows "init"'
    assert "failed at step" in run_cli("drive", bundled, "--arguments", *program, "count").stdout


def test_what_was_not_compared_does_not_pass(bundled: Path, tmp_path: Path, run_cli: RunCli) -> None:
    asked = ("drive", bundled, "--arguments", "-o", tmp_path)
    done = run_cli(*asked, "--json", "--", sys.executable, DRIVEN, "silent", code=3)
    assert {(each["verdict"], each["said"]) for each in done.json} == {("not_compared", 0)}
    assert all(each["answers"] > 1 for each in done.json)
    shown = run_cli(*asked, "--", sys.executable, DRIVEN, "silent", code=3)
    [line] = shown.stdout.splitlines()
    assert "not_compared: no answer names a variable, so nothing was compared (45 cases" in line
    assert "0 of 287 answers say something" in shown.stderr
    assert "no answer names msgs, rmState, tmState, tmPrepared" in shown.stderr
    assert {row["verdict"] for row in drives(tmp_path)} == {"not_compared"}
    # Part of the state is compared.
    partly = run_cli(*asked, "--", sys.executable, DRIVEN, "manager", code=0)
    assert "no answer names msgs, rmState, tmPrepared, so" in partly.stderr


def test_the_specification_decides_what_a_list_is(bundled: Path, tmp_path: Path, run_cli: RunCli) -> None:
    asked = ("drive", bundled, "--arguments", "-o", tmp_path)
    run_cli(*asked, "--", sys.executable, DRIVEN, "list", code=0)
    done = run_cli(*asked, "--", sys.executable, DRIVEN, "more", code=1)
    # All fail for one cause, at the first answer.
    [line] = done.stdout.splitlines()
    assert 'tmPrepared is <<"rm9">>, and the specification allows {}' in line
    assert "(45 cases, this is the shortest)" in line


def test_failures_of_one_cause_are_a_line(bundled: Path, tmp_path: Path, run_cli: RunCli) -> None:
    asked = ("drive", bundled, "--arguments", "-o", tmp_path)
    done = run_cli(*asked, "--json", "--", sys.executable, DRIVEN, "count", code=1)
    failed = [each for each in done.json if each["verdict"] == "failed"]
    shown = run_cli(*asked, "--", sys.executable, DRIVEN, "count", code=1).stdout
    [line] = shown.splitlines()
    assert len(failed) > 1
    assert f"({len(failed)} cases, this is the shortest)" in line
    assert f"failed at step {min(each['step'] for each in failed)}, TMRcvPrepared" in line
    # Where the others are not run, the drive is still red.
    fast = run_cli(*asked, "--fail-fast", "--json", "--", sys.executable, DRIVEN, "count", code=1).json
    verdicts = [each["verdict"] for each in fast]
    at = verdicts.index("failed")
    assert set(verdicts[:at]) <= {"passed"}
    assert set(verdicts[at + 1 :]) == {"not_run"}
    assert fast[-1]["message"] == "--fail-fast ended the drive at the first failure"


def test_a_child_that_forked_twice_does_not_outlive_the_drive(
    bundled: Path, tmp_path: Path, run_cli: RunCli
) -> None:
    def daemons() -> list[int]:
        every = psutil.process_iter(["cmdline"])
        return [each.pid for each in every if "os.setsid()" in " ".join(each.info["cmdline"] or ())]

    assert daemons() == []
    asked = ("drive", bundled, "--cover", "actions", "--arguments", "-o", tmp_path)
    run_cli(*asked, "--", sys.executable, DRIVEN, "daemon", code=0)
    assert daemons() == []
    # Nor does it outlive a drive that is killed.
    command = [sys.executable, "-m", "tla2py", *map(str, asked), "--", sys.executable, str(DRIVEN), "daemons"]
    drive = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: daemons() != [])
    finally:
        drive.kill()
        drive.wait()
    wait_until(lambda: daemons() == [])


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_answers_of_the_system_may_come_between(bundled: Path, run_cli: RunCli) -> None:
    """The program that takes every step by command still agrees when only the manager's steps are inputs."""
    inputs = "TMAbort,TMCommit,TMRcvPrepared"
    asked = ("drive", bundled, "--arguments", "--inputs", inputs)
    done = run_cli(*asked, "--", sys.executable, DRIVEN, "none", code=0)
    # It never takes a step by itself, so what the manager does with prepared resource managers is not reached.
    assert "; 0 steps not reached" not in done.stderr
    cases = run_cli("testgen", bundled, "--arguments", "--inputs", "TMAbort")
    assert cases.json["actions"] == [{"name": "TMAbort", "args": {}}]
    [before, after] = cases.json["states"]
    assert {state["tmState"] for state in after} == {"aborted"}
    assert {state["tmState"] for state in before} == {"init", "committed"}


def test_what_testgen_and_drive_refuse(
    bundled: Path, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for arguments, message in (
        (("testgen", bundled, "--inputs", "TMCommt"), "did you mean TMCommit?"),
        (("testgen", bundled, "--check", "nothing.jsonl"), "cannot read nothing.jsonl"),
        (("testgen", bundled, "--format", "xml"), "formats of cases: jsonl, itf"),
        (("testgen", bundled, "--inputs", "TMCommit", "--format", "itf"), "use jsonl"),
        (("testgen", bundled, "--see", "sql:nosuch(state)"), "nosuch"),
        (("testgen", bundled, "--see", "tmState +"), "tmState"),
        (("testgen", bundled, "--point", "2"), "no point 2"),
        (("drive", bundled, "--", "./nosuch"), "cannot start ./nosuch"),
        (("drive", bundled, "--", sys.executable, DRIVEN, "old"), "hello was answered by"),
        (
            ("drive", bundled, "--", sys.executable, DRIVEN, "boolean"),
            'answered by {"protocol":true}, not by',
        ),
        (("drive", bundled, "--", sys.executable, DRIVEN, "named"), "hello was answered by"),
        (("drive", bundled, "--", "true"), "no answer to hello: the program ended with exit status 0"),
    ):
        assert message in run_cli(*arguments, code=2).stderr
    monkeypatch.setattr(tla2py.cases.graph, "_MOST_STEPS", 10)
    view = tla2py.open_store(bundled)
    raised = raises(InputError, tla2py.cases.graph.read_graph, view, None, match="more than 10")
    assert raised.code == "graph-too-large"


def test_a_gate_locks_the_graph_that_cases_are_made_from(tmp_path: Path, run_cli: RunCli) -> None:
    sweep = 'module = "Ring.tla"\n[model]\ninit = "Init"\nnext = "Step"\n[tlc]\ngraph = true\n'
    (tmp_path / "s.toml").write_text(sweep)
    head = "---- MODULE Ring ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
    said = []
    for by, options in (("1", ["--record"]), ("(2 - 1)", []), ("2", [])):
        (tmp_path / "Ring.tla").write_text(f"{head}Step == x' = (x + {by}) % 3\n====\n")
        said.append(run_cli("gate", tmp_path / "s.toml", "-o", tmp_path / "store", *options))
    # The number of states stays, and so does the graph of another text that means the same.
    assert ["the definition of Step has changed" in each.stdout for each in said] == [False, True, True]
    assert ["the state graph has changed" in each.stdout for each in said] == [False, False, True]
    assert [each.code for each in said] == [0, 1, 1]
