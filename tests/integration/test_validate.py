"""Logs as points: ``[logs]`` and ``tla2py validate``, with trace specifications that read a log themselves."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import tool
from tests.conftest import SPECS, RunCli, spec
from tests.stores import lasting_tables, table_rows
from tla2py.model.model import Config, Model
from tla2py.tlc.config.wrapper import build_config
from tla2py.tlc.tools.java import find_java


@pytest.mark.core
def test_a_log_is_a_point(run_cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It has what it needs of the CommunityModules, which the bundled TLC is too old for.
    shutil.copytree(SPECS / "logs/counting", tmp_path, dirs_exist_ok=True)
    sweep = tmp_path / "sweep.toml"
    built: list[Model] = []

    def counted(model: Model, where: Callable[[str, str], str]) -> tuple[Config, str, str | None]:
        built.append(model)
        return build_config(model, where)

    monkeypatch.setattr("tla2py.sweep.plan.build_config", counted)
    found = run_cli("validate", sweep, "-o", tmp_path / "store", "--json", code=1).json
    # Planned once, not for each log.
    assert len(built) == 1
    expected = [(f"logs/{log}.ndjson", verdict) for verdict in ("holds", "violated") for log in ("a", "b")]
    assert [(row["file"], row["verdict"]) for row in found] == expected
    answers = [(row["lines"], row["matched"], row["first_unmatched"]) for row in found[1:3]]
    assert answers == [(3, 3, None), (3, 1, 2)]
    rows = table_rows(tmp_path / "store", "logs")
    assert [row["point"] for row in rows] == [1, 2, 3, 4]
    assert [{key: row.get(key) for key in found[0]} for row in rows] == found
    lines = table_rows(tmp_path / "store", "log_lines")
    log = tmp_path / "logs/a.ndjson"
    texts = [line["text"] for line in lines if line["run_id"] == rows[0]["run_id"]]
    assert texts == log.read_text().splitlines()
    # The table has only what the module prints, not what tla2py adds.
    assert {row["text"] for row in table_rows(tmp_path / "store", "prints")} <= {"0", "1", "2"}
    # The constraint that counts leaves out no state.
    (tmp_path / "Trace.cfg").write_text("SPECIFICATION Spec\n")
    for wrong, row in (("FALSE", found[0]), ("TRUE", found[2])):
        asked = ("check", tmp_path / "Trace.tla", "--no-deadlock", "-c", f"Wrong={wrong}", "--json")
        alone = run_cli(*asked).json
        assert (alone["generated"], alone["distinct"]) == (row["generated"], row["distinct"])
    shown = run_cli("validate", sweep, "-o", tmp_path / "store").stdout
    assert shown.startswith("violated ")
    assert f"{tmp_path}/logs/a.ndjson:2" in shown.replace("\n", "")
    assert "2 of 4 logs explained" in shown
    # Another content, another run.
    log.write_text(log.read_text()[:-1])
    assert "2 runs to execute" in run_cli("validate", sweep, "-o", tmp_path / "store").stderr


IOENV = spec("logs/ioenv/Trace")


@pytest.mark.jars
def test_runs_with_variables_share_jvms(newer: RunCli, tmp_path: Path, shared: list[bool]) -> None:
    (tmp_path / "Trace.tla").write_text(IOENV)
    # The module leaves out the line without n.
    for name, line in (("good", '{"n": 3}'), ("bad", '{"n": 4}')):
        (tmp_path / f"{name}.ndjson").write_text(f'{{"n": 1}}\n{{"tag": "config"}}\n{{"n": 2}}\n{line}\n')
    model = '[model]\nspecification = "Spec"\ncheck_deadlock = false\n[logs]\nfiles = ["*.ndjson"]\n'
    for name, switch in (("warm", ""), ("cold", "warm = false\n")):
        text = f'module = "Trace.tla"\n{model}[tlc]\nmemory = "256MiB"\n{switch}'
        (tmp_path / f"{name}.toml").write_text(text)
        ended = newer("validate", tmp_path / f"{name}.toml", "-o", tmp_path / name, "--json")
        answers = [(row["verdict"], row["matched"], row["first_unmatched"]) for row in ended.json]
        assert answers == [("violated", 3, 4), ("holds", 4, None)]
    # Each log once, and the one that does not hold again, for the reason.
    assert shared == [True] * 3
    found = lasting_tables(tmp_path / "warm")
    assert found == lasting_tables(tmp_path / "cold")
    assert [row["text"] for row in found["prints"]] == ['<<"bad.ndjson", FALSE>>', '<<"good.ndjson", FALSE>>']


REASONS = {
    # Only a leader can replicate.
    "etcd-raft": ["ClientRequest: state[i] = Leader is FALSE (etcdraft:958:8)"],
    "two-phase": [
        "TMCommit: tmPrepared = RM is FALSE (TwoPhase:95:6)",
        "4 states possible before it; enabled: TMAbort, TMRcvPrepared, RMPrepare",
    ],
}


@pytest.mark.jars
@pytest.mark.parametrize("system", REASONS)
def test_published_logs_have_the_answers_of_plain_tlc(
    newer: RunCli, newer_tlc: Path, published_logs: Path, tmp_path: Path, system: str
) -> None:
    shutil.copytree(published_logs / system, tmp_path / system)
    folder = tmp_path / system
    if system == "etcd-raft":
        module, variable, more, constant = "Traceetcdraft.tla", "JSON", [], {}
        good, bad, line = "basic_election.ndjson", "broken.ndjson", 23
        lines = (folder / "logs" / good).read_text().splitlines(keepends=True)
        (folder / "logs" / bad).write_text("".join(each for each in lines if "BecomeLeader" not in each))
    else:
        module, variable = "TwoPhaseTrace.tla", "TRACE_PATH"
        good, bad, line = "trace.ndjson.4RM.EA", "trace.ndjson.BUG-4RM.EA", 8
        constant = {"CONFIG_PATH": "logs/conf.4RM.ndjson"}
        more = ["--env", "CONFIG_PATH=logs/conf.4RM.ndjson", "--input", str(folder / "logs/conf.4RM.ndjson")]
    named = [folder / "logs" / good, folder / "logs" / bad]
    ended = newer("validate", folder / module, *named, *more, "--json")
    found = ended.json
    answers = [(row["verdict"], row["matched"], row["first_unmatched"]) for row in found]
    assert (ended.code, answers) == (1, [("holds", found[0]["lines"], None), ("violated", line - 1, line)])
    classes = f"{newer_tlc}{os.pathsep}{newer_tlc.with_name('CommunityModules.jar')}"
    for row in found:
        # The module of two-phase commit ends the search itself, so the default is depth first.
        queue = ["-Dtlc2.tool.queue.IStateQueue=StateDeque"] if system == "two-phase" else []
        command = [str(find_java().path), *queue, "-cp", classes, "tlc2.TLC", "-lncheck", "final", module]
        plain = tool(*command, cwd=folder, env={**os.environ, **constant, variable: row["file"]})
        counts = f"{row['generated']} states generated, {row['distinct']} distinct states found"
        assert counts in plain.stdout
        assert (plain.returncode == 0) == (row["verdict"] == "holds")
    text = " ".join(newer("validate", folder / module, named[1], *more).stdout.split())
    assert all(reason in text for reason in REASONS[system])


@pytest.mark.jars
def test_changed_logs_show_what_goes_unnoticed(newer: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Trace.tla").write_text(IOENV)
    (tmp_path / "good.ndjson").write_text('{"n": 1, "m": 5}\n{"n": 2, "m": 6}\n')
    (tmp_path / "bad.ndjson").write_text('{"n": 1, "m": 7}\n{"n": 9, "m": 8}\n')
    (tmp_path / "Trace.cfg").write_text("SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n")
    command = ("validate", tmp_path / "Trace.tla", *sorted(tmp_path.glob("*.ndjson")), "-o", tmp_path / "s")
    before = newer(*command, "--json").json
    ended = newer(*command, "--mutate-logs", "--json")
    assert ended.code == 1
    found = ended.json
    assert (found["logs"], found["left_out"]) == (before, 0)
    # Only the log that holds is changed; m is a field that the module never reads, and n the only one that it does.
    assert {row["file"] for row in found["mutants"]} == {"good.ndjson"}
    keys = ("line", "change", "field", "status")
    # The rest of the log is still explained without its last line.
    assert "; ".join(" ".join(str(row[key]) for key in keys) for row in found["mutants"]) == (
        "1 double None rejected; 1 drop None rejected; 1 field m accepted; 1 field n rejected; "
        "1 swap None rejected; 2 double None rejected; 2 drop None accepted; 2 field m accepted; "
        "2 field n rejected"
    )
    # They have a store of their own, with no copy of any log.
    assert table_rows(tmp_path / "s/mutants", "log_mutants") == found["mutants"]
    assert table_rows(tmp_path / "s/mutants", "log_lines") == []
    assert len(table_rows(tmp_path / "s", "runs")) == 2
    kept = {path.name for path in (tmp_path / "s/mutants/inputs").iterdir()}
    assert kept == {hashlib.sha256((tmp_path / "good.ndjson").read_bytes()).hexdigest()}
    # Run once; a sample is one of the same runs.
    again = newer(*command, "--mutate-logs", "--sample", "3")
    assert "all 3 runs are in" in again.stderr
    assert "of 3 changed logs accepted; 6 changes left out" in again.stdout
    assert newer(*command, "--sample", "3").error.code == "usage"
