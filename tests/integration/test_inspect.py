"""``tla2py inspect`` and ``tla2py init`` as a user meets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.stores import table_rows
from tla2py.sweep.load import load_sweep

SPECS = Path(__file__).parents[2] / "specs"


def test_inspect_as_json(run_cli: RunCli) -> None:
    module = SPECS / "kip320" / "Kip320FirstTry.tla"
    ended = run_cli("inspect", module, "--json", code=0)
    assert ended.stderr == ""
    found = ended.json
    assert (found["module"], found["file"]) == ("Kip320FirstTry", str(module))
    assert [each["module"] for each in found["extends"]] == ["Kip279", "KafkaReplication", "Integers", "Util"]
    assert found["extends"][1]["file"] == str(SPECS / "kip320" / "KafkaReplication.tla")
    assert [each["module"] for each in found["extends"] if each["standard"]] == ["Integers"]
    assert [each["name"] for each in found["instances"]] == ["RecordSeq", "LeaderEpochSeq", "ReplicaLog"]
    constants = {each["name"]: each for each in found["constants"]}
    kinds = {"Replicas": "set of model values"}
    kinds |= dict.fromkeys(("LogSize", "MaxRecords", "MaxLeaderEpoch"), "number")
    assert {name: each["kind"] for name, each in constants.items()} == kinds
    assert constants["Replicas"]["module"] == "KafkaReplication"
    file, line, column = constants["Replicas"]["where"].rsplit(":", 2)
    text = Path(file).read_text().splitlines()[int(line) - 1]
    assert text[int(column) - 1 :].startswith("Replicas")
    assert constants["Replicas"]["comment"] in text
    operators = {each["name"]: each for each in found["operators"]}
    assert (operators["Next"]["arity"], operators["Next"]["level"]) == (0, "action")
    assert operators["ReplicaLog!ReplicateTo"]["module"] == "FiniteReplicatedLog"
    assert found["candidates"]["specification"] == ["Spec"]
    assert {"WeakIsr", "StrongIsr"} <= set(found["candidates"]["invariants"])
    assert len(found["variables"]) == 6
    assert found["assumptions"][0]["where"].endswith("KafkaReplication.tla:23:1")


def test_a_module_in_a_folder_beside_is_found_and_named(run_cli: RunCli, tmp_path: Path) -> None:
    for name, text in (("here/Main", "EXTENDS Base"), ("lib/Base", "A == 1")):
        path = tmp_path / f"{name}.tla"
        path.parent.mkdir()
        path.write_text(f"---- MODULE {path.stem} ----\n{text}\n====\n")
    [extended] = run_cli("inspect", "here/Main.tla", "-L", "lib", "--json", code=0).json["extends"]
    assert extended == {"module": "Base", "file": "lib/Base.tla", "standard": False, "by": "Main"}
    ended = run_cli("init", "here/Main.tla", "-o", "here/sweep.toml", code=0)
    assert [name in ended.stderr for name in ("Base", "-L lib")] == [True, True]
    assert 'libraries = ["../lib"]' in (tmp_path / "here" / "sweep.toml").read_text()


def test_text_of_a_module_is_never_markup(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nCONSTANT N \\* [bold]not bold[/bold] [/]\nA == [x \\in {N} |-> [y |-> x]]\n====\n"
    )
    shown = run_cli("inspect", "M.tla", code=0).stdout
    assert "[bold]not bold[/bold] [/]" in shown
    assert "A constant M:3" in " ".join(shown.split())
    assert "\x1b" not in shown


def test_init_writes_a_sweep_that_runs_as_it_is(run_cli: RunCli, tiny_spec: Path, tmp_path: Path) -> None:
    printed = run_cli("init", "Counter.tla")
    assert (printed.code, printed.stderr) == (0, "")
    written = run_cli("init", "Counter.tla", "-o", "sweep.toml")
    assert (written.code, written.stdout) == (0, "")
    assert written.stderr.endswith("tla2py sweep sweep.toml\n")
    assert (tmp_path / "sweep.toml").read_text() == printed.stdout
    assert run_cli("init", "Counter.tla", "-o", "first.toml").code == 0
    # Every file has a store of its own: by its module where many are called alike, else by its own name.
    names = [load_sweep(tmp_path / name).name for name in ("sweep.toml", "first.toml")]
    assert names == ["Counter", "first"]
    assert run_cli("init", "Counter.tla", "-o", "first.toml", "--force").code == 0
    assert "Next   tla2py report runs/first" in run_cli("sweep", "first.toml", "--executor", "local").stdout
    assert run_cli("trace", "runs/first").stdout.endswith("runs/first: holds\n")
    path = tmp_path / "first.toml"
    path.write_text(path.read_text().replace('# "Small"', '"Small"').replace("Max = 2", "Max = 3"))
    ended = run_cli("sweep", "first.toml", "--executor", "local", code=1)
    assert "violated: Small in 4" in ended.stdout
    assert "Next   tla2py trace runs/first 1" in ended.stdout


def test_the_first_sweep_of_a_system_runs_with_all_its_model_values(run_cli: RunCli, tmp_path: Path) -> None:
    module = SPECS / "kafka_transactions" / "kafka_transactions_for_web.tla"
    assert run_cli("init", module, "-L", SPECS / "lib", "-o", "first.toml").code == 0
    path = tmp_path / "first.toml"
    text = path.read_text().replace('    # "', '    "').replace("# check_deadlock", "check_deadlock")
    text = re.sub(r"^properties = \[.*?^\]\n", "", text, flags=re.MULTILINE | re.DOTALL)
    # As small as it goes: one of everything.
    text = re.sub(r'"\{(\w+), \w+\}"', r'"{\1}"', text).replace("Changes = 2", "Changes = 0")
    path.write_text(text)
    assert "holds" in run_cli("sweep", "first.toml", "--executor", "local", code=0).stdout


@pytest.mark.long
def test_four_points_out_of_time_have_a_law(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER.replace("x < Max /", "(x < Max \\/ Max > 4) /"))
    text = COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2, 3, 4, 5, 6, 7, 8]").replace('"Small"', "")
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(text.replace("1m", "20s"))
    assert run_cli("sweep", sweep, "--executor", "local", "-o", tmp_path / "store").code == 3
    rows = run_cli("explain", tmp_path / "store", "--json").json
    (row,) = (each for each in rows if each["property"] == "timeout")
    assert (row["property"], row["law"], row["violated"]) == ("timeout", "Max >= 5", 4)


OPERATORS = """---- MODULE Ops ----
EXTENDS Naturals, Sequences
CONSTANTS Node, Quorum(_), Rank(_, _), Allowed(_), Path(_)
VARIABLE x
ASSUME \\A i \\in 1..3 : Quorum(i) \\subseteq Node
Init == x = 0
Next == x < Rank(x, 1) /\\ Allowed(x) /\\ x' = x + Len(Path(x))
Spec == Init /\\ [][Next]_x
====
"""


def test_a_guessed_operator_returns_what_its_uses_need(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Ops.tla").write_text(OPERATORS)
    text = run_cli("init", "Ops.tla", code=0).stdout
    for guess in (
        'Quorum = "LAMBDA y : Node"', 'Rank = "LAMBDA y, z : 2"', 'Allowed = "LAMBDA y : TRUE"', 'Path = "LAMBDA y : <<2, 2>>"'
    ):  # fmt: skip
        assert guess in text
    # TLC evaluates all of it, the ASSUME too, and stops at the deadlock.
    run_cli("init", "Ops.tla", "-o", "s.toml", code=0)
    assert run_cli("sweep", "s.toml", "--executor", "local").code == 1
    [row] = table_rows(tmp_path / "runs/s", "runs")
    assert row["outcome"] == "violation_deadlock"
