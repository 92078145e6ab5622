"""``tla2py check``: one run of the real TLC, its verdict as exit code, its trace for a person and as JSON."""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import tla2py
from tests import command
from tests.command import CommandResult, tool
from tests.conftest import SPECS, RunCli, spec
from tla2py.store.schema import FIXED_RUNS_COLUMNS, TABLES
from tla2py.sweep.judge import ONLY_DEADLOCK
from tla2py.tlc.tools.jar import bundled_jar

LAST2 = ("-c", "Last=2")


@functools.cache
def check(*args: str) -> CommandResult:
    """A check in the folder of the modules; the same arguments run once."""
    return command.run("check", *args, cwd=SPECS)


def said(ended: CommandResult) -> list[str]:
    """The lines on standard error, without the progress of a run that takes seconds."""
    return [line for line in ended.stderr.splitlines() if not line.startswith("running TLC: ")]


def check_json(*args: str) -> tuple[int, dict[str, Any]]:
    ended = check(*args, "--json")
    assert said(ended) == []
    return ended.code, ended.json


def answer(found: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    return found["outcome"], found["verdict"], [v["name"] or v["kind"] for v in found["violated"]]


def steps(found: Mapping[str, Any]) -> list[tuple[str | None, int]]:
    """The steps of the only trace: the action, and where it led."""
    (trace,) = found["traces"]
    return [(state["action"], int(state["state"]["at"]["#bigint"])) for state in trace["states"]]


def test_the_words_of_answers() -> None:
    ended = check("Walk.tla", *LAST2, "--invariant", "OnStreet", "--no-deadlock")
    assert (ended.code, said(ended)) == (0, [])
    (_, line) = ended.stdout.splitlines()
    assert line.startswith("holds: OnStreet; 3 states generated, 3 distinct, depth 3")
    assert "deadlock" in check("Walk.tla", *LAST2).stdout.splitlines()[0]
    assert "line 9" in check_json("Walk.tla", "-c", "Last=0")[1]["message"]
    assert "Attempted to" in check_json("Walk.tla", *LAST2, "--invariant", "Sum")[1]["message"]
    assert "Walk.tla:34:8: " in check("Walk.tla", *LAST2, "--invariant", "Sum").stdout
    ended = check("Endless.tla", "--config", "Count.cfg", "--timeout", "3s")
    assert ended.code == 3
    assert ended.stdout.splitlines()[-1].startswith("inconclusive (timeout)")


def test_the_last_line_says_what_was_checked(run_cli: RunCli, tiny_spec: Path) -> None:
    alone = run_cli("check", "Counter.tla", "-c", "Max=2").stdout.splitlines()[-1]
    assert alone.startswith("holds: no deadlock, and nothing else was checked; 4 states")
    stuck = tiny_spec.with_name("Stuck.tla")
    stuck.write_text("---- MODULE Stuck ----\nVARIABLE x\nSpec == x = 0 /\\ [][FALSE]_x\n====\n")
    last = run_cli("check", "Stuck.tla").stdout.splitlines()[-1]
    assert last.startswith("violated: deadlock, and nothing else was checked; 1 state generated, 1 distinct")
    config = "CONSTANT Max = 2\nSPECIFICATION Spec\nINVARIANT Small\nPROPERTY Resting\n"
    tiny_spec.with_suffix(".cfg").write_text(config)
    tiny_spec.write_text(tiny_spec.read_text().replace("====", "Resting == <>[](TRUE)\n===="))
    whole = run_cli("check", "Counter.tla").stdout.splitlines()[-1]
    assert whole.startswith("holds: Small, Resting, no deadlock (Counter.cfg); 4 states")
    tiny_spec.write_text("---- MODULE Counter ----\nASSUME TRUE\n====\n")
    tiny_spec.with_suffix(".cfg").unlink()
    assert run_cli("check", "Counter.tla").stdout.startswith("holds: 1 assumption,")


def test_a_sweep_says_that_only_deadlock_is_checked(run_cli: RunCli, tiny_spec: Path) -> None:
    sweep = tiny_spec.with_name("bare.toml")
    bare = 'module = "Counter.tla"\n[parameters]\nMax = [1, 2]\n[model]\n'
    for more, told in (("", True), ('invariants = ["Small"]\n', False), ("check_deadlock = false\n", False)):
        sweep.write_text(bare + more)
        assert (ONLY_DEADLOCK in run_cli("sweep", sweep, "--executor", "local", code=0).stderr) == told


def test_a_specification_or_its_parts_are_named(run_cli: RunCli, tiny_spec: Path) -> None:
    named = ("check", "Counter.tla", "-c", "Max=3", "--invariant", "Small")
    tiny_spec.write_text(tiny_spec.read_text().replace("Spec ==", "System =="))
    ended = run_cli(*named)
    assert ended.refusal == ("no-specification", "Counter.tla")
    assert "--specification System" in ended.hint
    assert "violated: Small" in run_cli(*named, "--specification", "System").stdout
    assert "violated: Small" in run_cli(*named, "--init", "Init", "--next", "Next").stdout
    assert "holds" in run_cli(*named, "--init", "Init", "--next", "Stay", "--no-deadlock").stdout
    alone = run_cli(*named, "--init", "Init")
    assert (alone.error.code, "--next" in alone.hint) == ("usage", True)
    both = run_cli(*named, "--specification", "System", "--init", "Init")
    assert (both.error.code, "--init" in both.hint) == ("usage", True)


def test_a_module_without_variables_needs_no_specification(run_cli: RunCli, tmp_path: Path) -> None:
    sums = "---- MODULE Sums ----\nEXTENDS Naturals\nCONSTANT N\nASSUME 2 * N < 7\n====\n"
    (tmp_path / "Sums.tla").write_text(sums)
    assert run_cli("check", "Sums.tla", "-c", "N=3").stdout.startswith("holds")
    assert "assumption" in run_cli("check", "Sums.tla", "-c", "N=4").stdout


def test_a_violation_is_told_step_by_step_and_whole_on_request() -> None:
    ended = check("Walk.tla", *LAST2, "--invariant", "NotLast")
    assert ended.code == 1
    lines = ended.stdout.splitlines()
    assert lines[0] == "NotLast is violated, 3 states"
    numbered = [line.split()[:2] for line in lines if line.startswith("  ") and line[2].isdigit()]
    assert numbered == [["1", "initial"], ["2", "Walk"], ["3", "Walk"]]
    last = lines[lines.index("") - 3 :]
    # Of the last state only what changed, and where the action stands.
    assert last[0].split() == ["3", "Walk", "Walk.tla:20"]
    assert last[1].strip() == "at: 1 -> 2"
    assert re.fullmatch("because .* is FALSE in state 3, after Walk", last[2])
    assert last[4] == "not assigned, so a model value of its own name: Nobody"
    assert last[5].startswith("violated: NotLast; 3 states generated, 3 distinct")
    whole = check("Walk.tla", *LAST2, "--invariant", "NotLast", "--full")
    assert (whole.code, whole.stdout.count("met = ")) == (1, 3)
    assert "at = 2" in whole.stdout


def test_json_is_one_object_with_the_columns_of_the_tables() -> None:
    code, found = check_json("Walk.tla", *LAST2, "--invariant", "NotLast")
    assert code == 1
    assert set(found) == {*FIXED_RUNS_COLUMNS, "traces", "diagnostics", "prints", "config", "why", "command"}
    assert answer(found) == ("violation_safety", "violated", ["NotLast"])
    assert found["violated"] == [{"kind": "invariant", "name": "NotLast"}]
    assert (found["generated"], found["distinct"], found["trace_length"], found["exit_code"]) == (3, 3, 3, 12)
    assert found["jar_sha256"]
    assert found["tlc_version"]
    (trace,) = found["traces"]
    assert set(trace) == {*(column.name for column in TABLES["traces"]), "states"}
    assert trace["run_id"] == found["run_id"]
    for state in trace["states"]:
        assert set(state) == {column.name for column in TABLES["states"]}
    assert steps(found) == [(None, 0), ("Walk", 1), ("Walk", 2)]
    assert trace["states"][0]["state"]["met"] != trace["states"][1]["state"]["met"]
    assert trace["states"][1]["state"]["met"] == "neighbour"
    assert (trace["states"][1]["module"], trace["states"][1]["begin_line"]) == ("Walk", 20)


@pytest.mark.parametrize(
    ("asked", "code", "said", "ends"),
    [
        (LAST2, 1, ("violation_deadlock", "violated", ["deadlock"]), [0, 1, 2]),
        (("-c", "Last=0"), 1, ("violation_assumption", "excluded", ["assumption"]), []),
        ((*LAST2, "--invariant", "NotHome"), 1, ("violation_safety", "violated", ["NotHome"]), [0]),
        ((*LAST2, "--invariant", "Sum"), 2, ("failure_spec_eval", "broken", []), [0]),
    ],
)
def test_every_kind_of_answer(
    asked: tuple[str, ...], code: int, said: tuple[str, str, list[str]], ends: list[int]
) -> None:
    ended, found = check_json("Walk.tla", *asked)
    assert (ended, answer(found)) == (code, said)
    assert [at for _, at in (steps(found) if found["traces"] else ())] == ends


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for module in ("Walk.tla", "Endless.tla"):
        shutil.copy(SPECS / module, tmp_path)
    return tmp_path


def test_memory_runs_out(folder: Path, run_cli: RunCli) -> None:
    (folder / "Endless.cfg").write_text("SPECIFICATION Grow\n")
    found = run_cli("check", "Endless.tla", "--memory", "128MiB", "--timeout", "1m", "--json", code=3).json
    assert answer(found) == ("out_of_memory", "inconclusive", [])
    assert found["memory_bytes"] == 128 * 1024**2


def test_the_config_beside_the_module_is_taken(folder: Path, run_cli: RunCli) -> None:
    (folder / "Walk.cfg").write_text(
        "CONSTANTS\n  Last = 1\n  Nobody = Nobody\nSPECIFICATION Spec\nINVARIANT NotLast\nCHECK_DEADLOCK FALSE\n"
    )
    assert steps(run_cli("check", "Walk.tla", "--json", code=1).json) == [(None, 0), ("Walk", 1)]
    # What is given on the command line is laid over it, a value over a value and an invariant beside the others.
    ended = run_cli("check", "Walk.tla", "--json", "-c", "Last=3", "--invariant", "OnStreet", code=1)
    assert len(steps(ended.json)) == 4


def test_a_config_by_name_goes_before_the_one_beside(folder: Path, run_cli: RunCli) -> None:
    (folder / "Walk.cfg").write_text("INVARIANT Nothing\n")
    config = "SPECIFICATION RoundSpec CONSTANT Last = 1 Nobody = n PROPERTIES Settles\n"
    (folder / "Round.cfg").write_text(config)
    found = run_cli("check", "Walk.tla", "--config", "Round.cfg", "--json", code=1).json
    assert answer(found) == ("violation_liveness", "violated", ["Settles"])
    (trace,) = found["traces"]
    start = trace["loop_start"]
    assert start is not None
    assert trace["stuttering"] is False
    assert [s["in_loop"] for s in trace["states"]] == [s["index"] >= start for s in trace["states"]]
    # The last state steps back to the start of the loop.
    assert {action for action, _ in steps(found)} >= {"Walk", "Turn"}
    text = run_cli("check", "Walk.tla", "--config", "Round.cfg")
    assert trace["loop_action"] in {"Walk", "Turn"}
    assert f"and back to state {start} by {trace['loop_action']}, for ever" in text.stdout


def test_a_variable_that_the_subscript_lacks_is_noted(run_cli: RunCli, tmp_path: Path) -> None:
    head = "---- MODULE Two ----\nVARIABLES left, right\n"
    end = "Spec == left = 0 /\\ right = 0 /\\ [][left' = 1 /\\ right' = 1]_vars\n===="
    (tmp_path / "two.toml").write_text('module = "Two.tla"\n[model]\nspecification = "Spec"\n')
    for variables, told in (("left, right", False), ("left", True)):
        (tmp_path / "Two.tla").write_text(f"{head}vars == <<{variables}>>\n{end}")
        for asked in (("check", "Two.tla"), ("gate", "two.toml", "--executor", "local", "--no-vacuity")):
            ended = run_cli(*asked, code=0)
            assert ("the state variable right" in ended.stdout) == told, (variables, asked)


def test_a_definition_may_be_given_and_keeps_the_value_of_a_config(folder: Path, run_cli: RunCli) -> None:
    asked = ("check", "Walk.tla", *LAST2, "-c", "Next=Walk(2)", "--invariant", "NotLast", "--json")
    assert [at for _, at in steps(run_cli(*asked, code=1).json)] == [0, 2]
    config = "SPECIFICATION Spec CONSTANT Last = 5 Nobody = n NotHome = TRUE INVARIANT NotHome\n"
    (folder / "Walk.cfg").write_text(config)
    for more in ((), ("-c", "Last=2")):
        run_cli("check", "Walk.tla", "--no-deadlock", *more, code=0)


def test_a_check_leaves_nothing_behind(folder: Path, run_cli: RunCli) -> None:
    scratch = folder / "scratch"
    scratch.mkdir()
    before = sorted(folder.rglob("*"))
    run_cli("check", "Walk.tla", *LAST2, env={"TMPDIR": str(scratch)}, code=1)
    assert sorted(folder.rglob("*")) == before


def test_a_point_of_a_sweep(folder: Path, run_cli: RunCli) -> None:
    (folder / "sweep.toml").write_text(
        'module = "Walk.tla"\n[model]\ninvariants = ["OnStreet"]\ncheck_deadlock = true\n[parameters]\nLast = [1, 2]\n'
    )
    ended = run_cli("check", "sweep.toml", "--point", "2", code=1)
    assert "Model checking" in ended.stdout or "Starting..." in ended.stdout
    assert "@!@!@" not in ended.stdout
    assert "deadlock" in ended.stdout.splitlines()[-1]
    found = run_cli("check", "sweep.toml", "--point", "2", "--json").json
    assert answer(found) == ("violation_deadlock", "violated", ["deadlock"])
    refused = run_cli("check", "sweep.toml", "--point", "2", "--invariant", "OnStreet", code=2)
    assert (refused.error.code, refused.stdout) == ("usage", "")
    assert "--point" in refused.error.message


def test_python_checks_as_the_command_does(run_cli: RunCli, tiny_spec: Path) -> None:
    found = run_cli("check", "Counter.tla", "-c", "Max=3", "--invariant", "Small", "--json").json
    checked = tla2py.check(tiny_spec, constants={"Max": 3}, invariants=["Small"])
    assert checked.record.run_id == found["run_id"]
    assert (checked.verdict, checked.outcome) == (tla2py.Verdict.VIOLATED, tla2py.Outcome.VIOLATION_SAFETY)
    [trace] = checked.traces
    assert isinstance(trace, tla2py.Trace)
    assert len(trace.states) == found["trace_length"]
    assert tla2py.check(tiny_spec, constants={"Max": "1 + 1"}, invariants=["Small"]).verdict == "holds"
    with pytest.raises(tla2py.errors.InputError, match="Maximum") as raised:
        tla2py.check(tiny_spec, constants={"Maximum": 3})
    assert raised.value.code == "unknown-constant"


GRID = "[parameters]\nMax = [1, 2]\n"
COUNTS = GRID + '[constants]\nProcs = "{p}"\nBound = 9\n'
ABSENT = '[[expect.point]]\nmatch = { Max = 7 }\nverdict = "violated"\n'
DONE = '[model]\npostconditions = ["Done"]\n'
# For each case the error's code, the rest of the sweep file, and what the module defines besides.
REFUSED = {
    "a rule of lint": ("invariant-level", COUNTS + '[model]\ninvariants = ["Next"]\n', ""),
    "a model value by mistake": ("model-value", 'config = "Limit.cfg"\n' + GRID, "Limit == 9"),
    "an expectation for no point": ("expect-no-point", COUNTS + ABSENT, ""),
    "an option that this TLC lacks": ("tlc-lacks", COUNTS + '[tlc]\noptions = ["-noTE"]\n', ""),
    "a keyword that this TLC lacks": ("unknown-keyword", COUNTS + DONE, "Done == TRUE"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_point_is_refused_like_its_sweep(case: str, run_cli: RunCli, tmp_path: Path) -> None:
    code, text, more = REFUSED[case]
    counter = spec("Counter").replace("Small ==", f"{more}\nSmall ==")
    (tmp_path / "Counter.tla").write_text(counter)
    (tmp_path / "Limit.cfg").write_text("SPECIFICATION Spec\nCONSTANTS Procs = {p} Bound = Limit\n")
    (tmp_path / "sweep.toml").write_text('module = "Counter.tla"\n' + text)
    swept = run_cli("sweep", "sweep.toml", "--executor", "local", cwd=tmp_path)
    gated = run_cli("gate", "sweep.toml", "--executor", "local", cwd=tmp_path)
    checked = run_cli("check", "sweep.toml", "--point", "1", cwd=tmp_path)
    assert [ended.code for ended in (swept, gated, checked)] == [2, 2, 2]
    assert checked.error.code == gated.error.code == swept.error.code == code
    assert checked.error.where == gated.error.where == swept.error.where
    assert not (tmp_path / "runs").exists()


def test_names_given_as_options_are_linted_like_those_of_a_config(run_cli: RunCli, tiny_spec: Path) -> None:
    """A predicate on states as a property holds wherever the initial states do, so its answer has the warning."""
    module, config = tiny_spec, tiny_spec.with_name("Given.cfg")
    text = module.read_text()
    module.write_text(text.replace("\n====", "\nAtFirst == x = 0\nLater == <>(x = 1)\nMoves == x' # x\n===="))
    wrong = (
        ("--property", "PROPERTY", "AtFirst", "state-property", 0),
        ("--invariant", "INVARIANT", "Later", "invariant-level", 2),
        ("--invariant", "INVARIANT", "Moves", "invariant-level", 2),
        ("--property", "PROPERTY", "Moves", "property-level", 2),
    )
    for option, keyword, given, code, status in wrong:
        config.write_text(f"SPECIFICATION Spec\nCONSTANT Max = 2\n{keyword} {given}\n")
        by_config = run_cli("check", module, "--config", config)
        by_option = run_cli("check", module, "-c", "Max=2", "--specification", "Spec", option, given)
        for ended in (by_config, by_option):
            assert ended.code == status
            shown = ended.error.code if status else ended.findings[0][0]
            assert shown == code, ended.stderr


MORE = """
---- MODULE More ----
EXTENDS Base
CONSTANT Steps
Bounded == x \\in {s + 1 : s \\in Steps}
====
"""
BASE = """
---- MODULE Base ----
EXTENDS Integers, Sequences
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 3
====
"""
ALGORITHM = """
---- MODULE Ends ----
EXTENDS Integers
(*--algorithm Ends
variables n = 0;
begin
  Up: n := n + 1;
end algorithm; *)
Low == n < 1
====
"""


@pytest.mark.parametrize("case", ["wrapper", "algorithm"])
def test_a_check_gives_the_command_that_repeats_it_with_plain_tlc(
    run_cli: RunCli, tmp_path: Path, case: str
) -> None:
    (tmp_path / "More.tla").write_text(MORE)
    (tmp_path / "Base.tla").write_text(BASE)
    (tmp_path / "Ends.tla").write_text(ALGORITHM)
    options = {
        # A config cannot say a range: it goes through a generated module.
        "wrapper": (
            "More.tla",
            "-c",
            "Steps=(-1)..0",
            "--init",
            "Init",
            "--next",
            "Next",
            "--invariant",
            "Bounded",
        ),
        # No file has the translation.
        "algorithm": ("Ends.tla", "--invariant", "Low"),
    }[case]
    names = sorted(path.name for path in tmp_path.iterdir())
    done = run_cli("check", *options, "--json", "--no-why", cwd=tmp_path, code=1).json
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    plain = tool("sh", "-c", done["command"], cwd=elsewhere, code=12).stdout
    [violated] = done["violated"]
    assert f"Invariant {violated['name']} is violated" in plain
    assert f"{done['generated']} states generated, {done['distinct']} distinct states found" in plain
    # Neither here nor there is anything left that a gate of the folder would take.
    assert (sorted(path.name for path in tmp_path.iterdir()), [*elsewhere.iterdir()]) == (names, [])
    shown = run_cli("check", *options, "--show-command", "--no-why", cwd=tmp_path, code=1).stdout
    assert shown.endswith(f"with plain TLC:\n{done['command']}\n")
    assert "tlc2.TLC" not in run_cli("check", *options, "--no-why", cwd=tmp_path, code=1).stdout


@pytest.mark.jars
def test_a_jar_beside_an_older_tlc_is_shut_out_of_the_plain_command_too(
    run_cli: RunCli, tmp_path: Path, newer_tlc: Path
) -> None:
    (tmp_path / "Base.tla").write_text(BASE)
    options = ("check", "Base.tla", "--init", "Init", "--next", "Next", "--json", "--no-why")
    for jar in (bundled_jar(), *newer_tlc.parent.glob("tla2tools*.jar")):
        # As they lie in a folder of the Toolbox: TLC's manifest names the jar beside it.
        folder = tmp_path / jar.stem
        folder.mkdir()
        named = shutil.copy(jar, folder / "tla2tools.jar")
        shutil.copy(newer_tlc.with_name("CommunityModules.jar"), folder)
        done = run_cli(*options, "--tla2tools", named, cwd=tmp_path, code=0).json
        assert str(named) not in done["command"]
        assert "No error has been found" in tool("sh", "-c", done["command"], cwd=tmp_path, code=0).stdout
        (folder / "CommunityModules.jar").unlink()
        assert str(named) in run_cli(*options, "--tla2tools", named, cwd=tmp_path, code=0).json["command"]
