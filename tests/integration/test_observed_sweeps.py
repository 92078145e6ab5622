"""``tla2py validate`` with a specification that reads no log: the lines are steps of it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SPECS, RunCli, spec
from tests.stores import table_rows

TWO_PHASE = Path(__file__).parents[2] / "specs" / "two_phase" / "TwoPhase.tla"
GOOD = (SPECS / "observed/good.ndjson").read_text()
CONFIG = "CONSTANT RM = {rm1, rm2}\nSPECIFICATION Spec\nINVARIANTS TypeOK Consistent\n"
VOTE = '"TMRcvPrepared", "args": {"r": "%s"}'


def specification(folder: Path) -> Path:
    shutil.copy(TWO_PHASE, folder)
    (folder / "TwoPhase.cfg").write_text(CONFIG)
    return folder / "TwoPhase.tla"


def answers(text: str) -> dict[str, tuple[Any, ...]]:
    keys = ("verdict", "matched", "first_unmatched", "place")
    return {row["file"]: tuple(row[key] for key in keys) for row in json.loads(text)}


def test_constants_come_from_the_command_line(run_cli: RunCli, tmp_path: Path) -> None:
    module, log = shutil.copy(TWO_PHASE, tmp_path), tmp_path / "good.ndjson"
    log.write_text(GOOD)

    def matched(members: str) -> list[int]:
        given = ("-c", f"RM={members}", "--json")
        return [row["matched"] for row in run_cli("validate", module, log, *given).json]

    # The third member has not prepared when the first commits.
    assert (matched("{rm1, rm2}"), matched("{rm1, rm2, rm3}")) == ([8], [6])
    assert "constant RM has no value" in run_cli("validate", module, log, code=2).stderr
    assert run_cli("validate", module, log, "-c", "RM").code == 2


@pytest.mark.core
def test_logs_are_checked_against_the_specification_alone(run_cli: RunCli, tmp_path: Path) -> None:
    module = specification(tmp_path)
    # One vote counts twice; a commit that all see, but one resource manager never prepared; a line cut off.
    logs = {
        "good": GOOD,
        "twice": GOOD.replace(VOTE % "rm2", VOTE % "rm1"),
        "start": GOOD.replace("working", "aborted"),
        "cut": GOOD[:-30],
        "name": GOOD.replace("TMCommit", "TMComit"),
        "empty": "",
    }
    for name, text in logs.items():
        (tmp_path / f"{name}.ndjson").write_text(text)
    files = [tmp_path / f"{name}.ndjson" for name in logs]
    ended = run_cli("validate", module, *files, "-o", tmp_path / "store", "--json", code=2)
    assert answers(ended.stdout) == {
        "good.ndjson": ("holds", 8, None, None),
        "twice.ndjson": ("violated", 6, 7, "twice.ndjson:7"),
        "start.ndjson": ("violated", 0, 1, "start.ndjson:1"),
        **dict.fromkeys(("cut.ndjson", "name.ndjson", "empty.ndjson"), ("broken", None, None, None)),
    }
    places = {row["message_place"] for row in table_rows(tmp_path / "store", "runs")}
    assert places == {None, "cut.ndjson:8", "name.ndjson:7", "empty.ndjson"}
    lines = [row for row in table_rows(tmp_path / "store", "log_lines") if row["file"] == "good.ndjson"]
    assert [row["line"] for row in lines] == [*range(1, 9)]
    assert lines[1]["text"] == GOOD.splitlines()[1]
    shown = run_cli("validate", module, *files, "-o", tmp_path / "store")
    assert "3 runs to execute" in shown.stderr  # those that did not start
    assert "did you mean TMCommit?" in shown.stdout
    assert shown.stdout.count("the field pid is not used") == 1
    assert "1 of 6 logs explained" in shown.stdout


@pytest.mark.long
def test_a_map_of_the_files_of_a_run(run_cli: RunCli, tmp_path: Path) -> None:
    shutil.copytree(SPECS / "observed/mapped", tmp_path, dirs_exist_ok=True)
    specification(tmp_path)
    sweep = tmp_path / "sweep.toml"
    text = sweep.read_text()
    ended = run_cli("validate", sweep, "-o", tmp_path / "store", "--json")
    alone = ("broken", None, None, None)
    assert answers(ended.stdout) == {"run/": ("violated", 4, 5, "run/tm.ndjson:5"), "alone.ndjson": alone}
    lines = [row for row in table_rows(tmp_path / "store", "log_lines") if row["file"].startswith("run/")]
    places = [(row["line"], row["file"], row["file_line"]) for row in lines]
    of_tm = [(n, "run/tm.ndjson", at) for n, at in enumerate((1, 3, 4, 5), 2)]
    assert places == [(1, "run/rm1.ndjson", 1), *of_tm]
    args = 'args = { r = "event.rm" }'
    for old, new, place in (
        ('= "RMPrepare"', '= "RMPrepaer"', "8"),
        (args, 'args = { q = "event.rm" }', "9"),
        ('["RMPrepare"]', '["RMPrepaer"]', "5"),
        (args, 'state = { "tmstate + 1" = "tm" }', "9"),
        (args, 'state = { "1 +" = "tm" }', "9"),
    ):
        sweep.write_text(text.replace(old, new))
        assert str(run_cli("validate", sweep).error.where).split(":")[1] == place


@pytest.mark.long
def test_an_invariant_that_is_violated_on_the_way(run_cli: RunCli, tmp_path: Path) -> None:
    module = specification(tmp_path)
    module.write_text(module.read_text().replace("Consistent ==", 'Early == tmState = "init"\nConsistent =='))
    (tmp_path / "TwoPhase.cfg").write_text(CONFIG.replace("Consistent", "Early"))
    (tmp_path / "a.ndjson").write_text(GOOD)
    [row] = run_cli("validate", module, tmp_path / "a.ndjson", "--json").json
    found = (row["verdict"], row["violates"], row["matched"], row["first_unmatched"])
    assert found == ("violated", ["Early"], 7, None)


def reading(folder: Path, read: str) -> list[str | Path]:
    """The arguments of a validation of three logs by a module that reads them."""
    (folder / "Reading.tla").write_text(spec("observed/Reading"))
    (folder / "Inner.tla").write_text(spec("observed/Inner").replace("READ", read))
    (folder / "Reading.cfg").write_text("SPECIFICATION Spec\n")
    (folder / "config.ndjson").write_text('{"most": 9, "names": ["a", "b"]}\n')
    files = []
    for name, numbers in (("good", (1, 2, 3)), ("bad", (1, 2, 4)), ("late", (1, 12, 2, 4))):
        lines = [f'{{"n": {n}, "tag": "é\\"x"}}' for n in numbers]
        text = "\n".join(lines) if read == "ndJsonDeserialize" else f"[{', '.join(lines)}]"
        files.append(folder / f"{name}.json")
        files[-1].write_text(f"{text}\n")
    more = ["--env", "CONFIG=config.ndjson", "--input", str(folder / "config.ndjson"), "--json"]
    return ["validate", folder / "Reading.tla", *files, *more]


def test_a_file_that_a_variable_names_may_be_anywhere(run_cli: RunCli, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "spec", tmp_path / "conf/config.ndjson"
    folder.mkdir()
    elsewhere.parent.mkdir()
    asked = reading(folder, "ndJsonDeserialize")[:3]
    (folder / "config.ndjson").rename(elsewhere)
    for more in (
        ("--env", f"CONFIG={elsewhere}"),
        ("--env", "CONFIG=conf/config.ndjson"),
        ("--env", "CONFIG=config.ndjson", "--input", elsewhere),
    ):
        assert [row["matched"] for row in run_cli(*asked, *more, "--json", code=0).json] == [3]


@pytest.mark.long
@pytest.mark.parametrize("read", ["ndJsonDeserialize", "JsonDeserialize"])
def test_a_module_reads_its_log_without_java_classes(run_cli: RunCli, tmp_path: Path, read: str) -> None:
    rows = run_cli(*reading(tmp_path, read)).json
    known = read == "ndJsonDeserialize"
    matches = (3, 2, 3) if known else (1, None, None)
    expected = [*zip(("holds", "violated", "violated"), matches, strict=True)]
    assert [(row["verdict"], row["matched"]) for row in rows] == expected
    assert [(row["generated"], row["distinct"]) for row in rows] == [(4, 4), (3, 3), (3, 3)]


@pytest.mark.jars
@pytest.mark.parametrize("read", ["ndJsonDeserialize", "JsonDeserialize"])
def test_both_ways_to_read_a_log_have_the_same_answer(
    run_cli: RunCli, newer_tlc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    arguments = reading(tmp_path, read)
    bundled = run_cli(*arguments).json
    # Without IOUtils, but with a class that reads JSON.
    partly = run_cli(*arguments, "--tla2tools", newer_tlc).json
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    community = newer_tlc.with_name("CommunityModules.jar")
    assert run_cli("tools", "install", "community-modules", "--from-file", community).code == 0
    java = run_cli(*arguments, "--tla2tools", newer_tlc).json
    assert bundled == partly == java
    # The bundled TLC is too old for the classes.
    assert run_cli(*arguments).json == java


def test_each_reason_counts_its_logs(run_cli: RunCli, tmp_path: Path) -> None:
    module = specification(tmp_path)
    first = ['{"action": "TMCommit"}\n'] * 6 + ['{"action": "RMRcvCommitMsg", "args": {"r": "rm1"}}\n']
    for number, line in enumerate(first):
        (tmp_path / f"{number}.ndjson").write_text(line + f'{{"action": "TMAbort", "number": {number}}}\n')
    ended = run_cli("validate", module, *sorted(tmp_path.glob("*.ndjson")), code=1)
    counts = [line for line in ended.stdout.splitlines() if re.match(r"\d logs?: ", line)]
    parts = [line.partition(" is FALSE")[0] for line in counts]
    assert parts == ["6 logs: TMCommit: tmPrepared = RM", "1 log: RMRcvCommitMsg: Commit \\in msgs"]


def test_a_line_is_compared_in_its_own_terms(run_cli: RunCli, tmp_path: Path) -> None:
    module, begin = specification(tmp_path), '{"action": "RMPrepare", "args": {"r": '
    (tmp_path / "state.ndjson").write_text(begin + '"rm1"}, "state": {"rmState": {"rm1": "working"}}}\n')
    (tmp_path / "argument.ndjson").write_text(begin + '"rm3"}}\n')
    shown = run_cli("validate", module, tmp_path / "state.ndjson", tmp_path / "argument.ndjson").stdout
    assert "RMPrepare: rmState' = state.rmState is FALSE" in shown
    assert 'nearest: RMPrepare(r = rm1), rmState.rm1 "prepared" instead of "working"' in shown
    assert "no action takes this line: r = args.r is FALSE, r = rm1" in shown
    assert 'nearest: RMPrepare(r = rm1), r rm1 instead of "rm3"' in shown
    assert "Tla2py" not in shown
