"""Expectations refused, stores judged alone, points run again, and what CI hosts are told."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
from pathlib import Path

from tests.command import CommandResult, tool
from tests.conftest import RunCli
from tests.faults.disk import small_disk
from tests.integration.gate.lift import LIFT, Folder, red, refused
from tests.stores import loose_records
from tla2py.gate.reasons import Reason
from tla2py.store.record import record_name
from tla2py.store.store import Store


def test_a_lock_may_be_asked_for(folder: Folder, locked: Folder) -> None:
    refused(folder.gate("--locked"), "no-lock", None, "sweep.lock", "--record")
    assert not folder.store.exists()
    assert locked.gate("--locked").code == 0
    (locked.path / "sweep.lock").unlink()
    refused(locked.cli("gate", "store", "--locked"), "no-lock", None, "sweep.lock")


def test_a_store_is_judged_by_the_sweep_file_it_was_made_from(locked: Folder) -> None:
    assert locked.cli("gate", "store", env={"PATH": "/nowhere"}).code == 0
    (locked.path / "sweep.toml").rename(locked.path / "moved.toml")
    refused(locked.cli("gate", "store"), "sweep-unknown", None, "sweep.toml", "--sweep")
    done = locked.cli("gate", "store", "--sweep", "moved.toml", code=0)
    assert [gated.lock for gated in done.reported.gated] == [None]


def other_inputs(ended: CommandResult, *differences: str) -> None:
    """Assert that a gate does not judge a store whose inputs differ, says in what, and how to run what is missing."""
    red(ended, 2, (Reason.OTHER_INPUTS, None))
    [problem] = ended.problems
    said, *others = problem.text.split("; ")
    inputs, changes = "store was made from other inputs than sweep.toml: ", others[:-1]
    assert said.startswith(inputs)
    assert others[-1] == "run 'tla2py gate sweep.toml -o store' to execute the missing runs"
    told = [said.removeprefix(inputs), *changes]
    for change, difference in zip(told, differences or ("the difference is unknown",), strict=True):
        assert difference in change


def test_a_store_that_was_made_with_other_inputs(locked: Folder) -> None:
    other_inputs(locked.cli("gate", "store", "--trust"), "trust")
    locked.change(locked.module, "Low == floor < 2", "Low == floor < 3")
    other_inputs(locked.cli("gate", "store"), "module Lift ")
    locked.module.write_text(LIFT)
    locked.change(locked.sweep, "Top = [1, 2]", "Top = [1, 2, 3]")
    other_inputs(locked.cli("gate", "store"), "sweep.toml ")


def test_what_is_other_of_a_store_is_named_whatever_else_it_has(locked: Folder) -> None:
    locked.change(locked.module, "NotThere == floor /= Goal", "NotThere == floor # Goal")
    assert locked.gate().code == 0
    # The texts of both are there now, and it is the other one's.
    locked.module.write_text(LIFT)
    manifest = locked.store / "store.json"
    other_inputs(locked.cli("gate", "store"), "module Lift ")
    without = {key: value for key, value in json.loads(manifest.read_text()).items() if key != "files"}
    manifest.write_text(json.dumps(without))
    other_inputs(locked.cli("gate", "store"), "module Lift ")
    assert locked.gate().code == 0
    assert locked.cli("gate", "store").code == 0
    other_inputs(locked.cli("gate", "store", "--workers", "2"), "workers")


def test_a_store_that_was_made_with_another_template(folder: Folder) -> None:
    template = folder.path / "own.cfg.j2"
    top = "{{ dict(config.assignments)['Top'] }}"
    template.write_text(f"SPECIFICATION Spec\nCONSTANTS Top = {top} Goal <- Roof\nINVARIANTS Inside Low\n")
    folder.change(folder.sweep, "[model]", 'template = "own.cfg.j2"\n[model]')
    assert folder.gate().code == 0
    # Only the second point changes.
    folder.change(template, "INVARIANTS", f"{{{{ 'VIEW floor ' if {top[3:-3]} == '2' }}}}INVARIANTS")
    other_inputs(folder.cli("gate", "store"), "template")
    loose_records(folder.store)
    (folder.store / record_name(Store(folder.store).points()[2].run_id)).unlink()
    shutil.rmtree(folder.store / "tables")
    other_inputs(folder.cli("gate", "store"))


def test_a_store_in_which_nothing_ran(locked: Folder) -> None:
    loose_records(locked.store)[0].unlink()
    shutil.rmtree(locked.store / "tables")
    assert [reason for reason, _ in locked.cli("gate", "store", code=2).reasons] == [Reason.NOT_RUN]
    loose_records(locked.store)[0].unlink()
    shutil.rmtree(locked.store / "tables")
    red(locked.cli("gate", "store"), 2, (Reason.NOTHING_RAN, None))


def test_a_store_that_nobody_may_write_to_is_read(locked: Folder, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "8m") as disk:
        store = disk.folder / "store"
        shutil.copytree(locked.store, disk.seen / "store")
        disk.turn_read_only(store)

        def run(*arguments: str | Path) -> CommandResult:
            return locked.cli(*arguments, prefix=disk.prefix)

        assert run("gate", store, "--sweep", locked.sweep).code == 0
        assert "Low" in run("trace", store).stdout
        for command in ("sweep", "gate"):
            done = run(command, locked.sweep, "-o", store, "--executor", "local")
            names = (str(store), os.strerror(errno.EROFS), "-o", "'tla2py gate STORE'")
            refused(done, "store-unwritable", None, *names)
        disk.turn_back(store)
        shutil.rmtree(disk.seen / "store" / "tables")
        disk.turn_read_only(store)
        refused(run("trace", store), "store-unwritable", None, os.strerror(errno.EROFS))


def test_a_red_point_says_how_to_run_it_again_and_that_works(folder: Folder) -> None:
    folder.change(folder.sweep, "trace_length = 3", "trace_length = 4")
    assert "plain: " not in folder.gate("--junit", "junit.xml", "--summary", "summary.md").stdout
    for report in ("junit.xml", "summary.md"):
        assert "tlc2.TLC" not in (folder.path / report).read_text()
    done = folder.gate("--show-command")
    red(done, 1, (Reason.FIGURES, 2))
    lines = [line.strip() for line in done.stdout.splitlines()]
    (ours,) = [line.removeprefix("again: ") for line in lines if line.startswith("again: ")]
    (plain,) = [line.removeprefix("plain: ") for line in lines if line.startswith("plain: ")]
    assert ours == "tla2py check sweep.toml --point 2"
    assert "Invariant Low is violated" in folder.cli(*ours.split()[1:], code=1).stdout
    first, _, rest = plain.partition(" && ")
    assert folder.cli(*first.split()[1:]).code == 0
    assert "Invariant Low is violated" in tool("sh", "-c", rest, cwd=folder.path, code=12).stdout


def test_a_green_gate_and_a_sweep_show_the_command_on_request(locked: Folder) -> None:
    for command in ("gate", "sweep"):
        done = locked.cli(command, locked.sweep, "-o", "store", "--show-command", code=0)
        assert "points 1-2 with plain TLC, here 1, the others in their folders:" in done.stdout
        [line] = [line.strip() for line in done.stdout.splitlines() if "tlc2.TLC" in line]
        write, _, rest = line.partition(" && ")
        assert locked.cli(*write.split()[1:]).code == 0
        assert "No error has been found" in tool("sh", "-c", rest, cwd=locked.path, code=0).stdout
    # Standard output has the rows alone.
    rows = locked.cli("sweep", locked.sweep, "-o", "store", "--show-command", "--json", code=0)
    assert len(rows.json) == 2
    assert "tlc2.TLC" in rows.stderr


def test_on_github_it_annotates_and_writes_the_summary(locked: Folder) -> None:
    summary = locked.path / "summary.md"
    summary.write_text("before\n")
    locked.change(locked.sweep, 'violates = ["Low"]', 'violates = ["Inside"]')
    github: dict[str, str | None] = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    done = locked.gate(env=github | {"GITHUB_WORKSPACE": str(locked.path)}, code=1)
    lines = done.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert len(token) > 20
    at = "::error file=Lift.tla,line=16,title=sweep%3A unexpected::Top = 2"
    assert lines[lines.index(f"::{token}::") + 1 :] == [f"{at}: {each.text}" for each in done.problems]
    assert done.reasons == {(Reason.UNEXPECTED, 2)}
    assert all(name in each.text for name, each in zip(("Inside", "Low"), done.problems, strict=True))
    assert summary.read_text().startswith("before\n### :x: sweep\n")


def test_the_same_sweep_gives_the_same_reports(locked: Folder, tmp_path: Path, run_cli: RunCli) -> None:
    other = Folder(tmp_path, run_cli)
    texts = []
    for place in (locked, other):
        place.change(place.sweep, 'violates = ["Low"]', 'violates = ["Inside"]')
        place.lock.unlink(missing_ok=True)
        place.gate("--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md", "--coverage")
        junit = re.sub(r'time="[\d.]+"', "", (place.path / "j.xml").read_text())
        summary = re.sub(r"[\d.]+s \|", "", (place.path / "s.md").read_text())
        texts.append((junit, summary, (place.path / "s.sarif").read_text()))
    assert texts[0] == texts[1]
    assert len(json.loads(texts[0][2])["runs"][0]["results"]) == 3


def test_a_constant_that_nothing_assigns_is_named(folder: Folder) -> None:
    folder.change(folder.sweep, '[constants]\nGoal = "Roof"\n', "")
    # A number is compared with it, so it must be one.
    assert folder.gate(code=2).error.code == "unassigned"
    folder.change(folder.module, "NotThere == floor /= Goal", "Goals == {Goal}")
    done = folder.gate("--summary", "gate.md", "--junit", "j.xml", "--sarif", "s.sarif", code=0)
    note = "not assigned, so a model value of its own name: Goal"
    assert f"note: {note}" in done.stdout
    for report in ("gate.md", "j.xml", "s.sarif"):
        assert "model value of its own name" in (folder.path / report).read_text(), report
    assert note in folder.cli("sweep", "sweep.toml", "-o", "store").stderr
    done = folder.cli("check", "Lift.tla", "-c", "Top=1", "--invariant", "Inside", "--no-deadlock")
    assert note in done.stdout


def test_of_several_counterexamples_one_is_shown_and_the_command_to_see_all(folder: Folder) -> None:
    folder.change(folder.sweep, "[1, 2]", "[2]")
    folder.change(folder.module, "0..8", "0..0")
    folder.change(folder.sweep, 'violates = ["Low"]\ntrace_length = 3', 'verdict = "holds"')
    done = folder.gate()
    red(done, 1, (Reason.UNEXPECTED, 1))
    assert "Inside" in done.stdout
    assert done.stdout.count("initial state") == 1
    asked = done.stdout.partition("tla2py trace ")[2].splitlines()[0]
    shown = folder.cli("trace", *shlex.split(asked))
    assert (shown.code, shown.stdout.count("initial state")) == (0, 2)
    assert "Low is violated, 3 states" in shown.stdout
