"""Expectations refused, stores judged alone, points run again, and what CI hosts are told."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command import Ended
from tests.conftest import RunCli
from tests.faults.disk import small_disk
from tests.integration.gate.lift import LIFT, Folder, red

pytestmark = pytest.mark.java

# --- expectations that say nothing


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("match = { Top = 7 }", ("this expectation matches no point: Top = 7",)),
        ("match = { Top = 2 }", ("this expectation for Top = 2 applies to no point", "earlier rows")),
        ("match = { Top = 1 }\nviolates = ['Lov']", ("Lov is expected to be violated", "did you mean Low?")),
        ("match = { Top = 1 }\nviolates = ['deadlock']", ("no point of this expectation checks it",)),
        ("match = { Top = 1 }\nverdict = 'holds'\nviolates = ['Low']", ("contradict each other",)),
        ("match = { Top = 1 }\nverdict = 'violated'\nviolates = []", ("violates is empty",)),
    ],
)
def test_an_expectation_that_says_nothing_is_an_error(
    folder: Folder, row: str, words: tuple[str, ...]
) -> None:
    with folder.sweep.open("a") as file:
        file.write(f"[[expect.point]]\n{row}\n")
    red(folder.gate(), 2, "sweep.toml:", *words)
    assert not folder.store.exists()


# --- locks that are missing, warnings that stay green


def test_a_lock_may_be_asked_for(folder: Folder, locked: Folder) -> None:
    red(folder.gate("--locked"), 2, "no lock at sweep.lock", "restore the committed lock")
    assert not folder.store.exists()
    assert locked.gate("--locked").code == 0
    (locked.path / "sweep.lock").unlink()
    red(locked.cli("gate", "store", "--locked"), 2, "no lock at sweep.lock")


def test_what_lint_warns_of_is_in_the_reports_of_a_green_gate(folder: Folder) -> None:
    folder.change(folder.module, "Low == floor < 2", "Low == 1 < 2")
    folder.change(folder.sweep, "Top = [1, 2]", "Top = [1]")
    folder.sweep.write_text(folder.sweep.read_text().partition("[[expect.point]]")[0])
    done = folder.gate("--summary", "summary.md", env={"GITHUB_ACTIONS": "true"})
    assert done.code == 0, done.stdout + done.stderr
    for report in (done.stdout, (folder.path / "summary.md").read_text()):
        assert "sweep.toml:3:26: Low does not depend on the state" in report.replace("\\", "")
    assert "::notice title=sweep::sweep.toml:3:" in done.stdout
    assert "note: sweep.toml:3:" in folder.cli("gate", "store").stdout


# --- a store alone


def test_a_store_is_judged_by_the_sweep_file_it_was_made_from(locked: Folder) -> None:
    assert locked.cli("gate", "store", env={"PATH": "/nowhere"}).code == 0
    (locked.path / "sweep.toml").rename(locked.path / "moved.toml")
    red(locked.cli("gate", "store"), 2, "was made from sweep.toml, which does not exist", "--sweep FILE")
    done = locked.cli("gate", "store", "--sweep", "moved.toml")
    assert done.code == 0
    assert "drift is not detected" in done.stdout


def test_a_store_that_was_made_with_other_inputs(locked: Folder) -> None:
    red(locked.cli("gate", "store", "--trust"), 2, "other-inputs: store", "they ran without trust")
    locked.change(locked.module, "Low == floor < 2", "Low == floor < 3")
    red(
        locked.cli("gate", "store"),
        2,
        "other-inputs: store was made from other inputs",
        "module Lift has changed",
    )
    locked.module.write_text(LIFT)
    locked.change(locked.sweep, "Top = [1, 2]", "Top = [1, 2, 3]")
    red(locked.cli("gate", "store"), 2, "other-inputs:", "sweep.toml has changed")


def test_what_is_other_of_a_store_is_named_whatever_else_it_has(locked: Folder) -> None:
    remedy = "run 'tla2py gate sweep.toml -o store' to execute the missing runs"
    locked.change(locked.module, "Low == floor < 2", "Low == floor < 2 \\/ floor > 8")
    assert locked.gate().code == 0
    # The texts of both are there now, and it is the other one's.
    locked.module.write_text(LIFT)
    manifest = locked.store / "store.json"
    red(locked.cli("gate", "store"), 2, f"sweep.toml: module Lift has changed; {remedy}")
    without = {key: value for key, value in json.loads(manifest.read_text()).items() if key != "files"}
    manifest.write_text(json.dumps(without))
    red(locked.cli("gate", "store"), 2, f"sweep.toml: module Lift has changed; {remedy}")
    assert locked.gate().code == 0
    assert locked.cli("gate", "store").code == 0
    workers = locked.cli("gate", "store", "--workers", "2")
    red(workers, 2, f"sweep.toml: TLC options have changed: workers; {remedy}")


def test_a_store_that_was_made_with_another_template(folder: Folder) -> None:
    template = folder.path / "own.cfg.j2"
    top = "{{ dict(config.assignments)['Top'] }}"
    template.write_text(f"SPECIFICATION Spec\nCONSTANTS\n  Top = {top}\n  Goal = 2\nINVARIANTS Inside Low\n")
    folder.change(folder.sweep, "[model]", 'template = "own.cfg.j2"\n[model]')
    assert folder.gate().code == 0
    # The second point alone is another one.
    folder.change(template, "Goal = 2", f"Goal = {{{{ 3 if {top[3:-3]} == '2' else 2 }}}}")
    words = "sweep.toml: the config or its template has changed; run"
    red(folder.cli("gate", "store"), 2, words)
    points = json.loads((folder.store / "store.json").read_text())["points"]
    (folder.store / "records" / f"{points[1]['run_id']}.zip").unlink()
    red(folder.cli("gate", "store"), 2, "sweep.toml: the difference is unknown; run")


def test_a_store_in_which_nothing_ran(locked: Folder) -> None:
    records = sorted((locked.store / "records").iterdir())
    records[0].unlink()
    red(locked.cli("gate", "store"), 2, "not-run: the point has no result")
    records[1].unlink()
    red(locked.cli("gate", "store"), 2, "nothing-ran: nothing ran: no point has a result")


def test_a_store_that_nobody_may_write_to_is_read(locked: Folder, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "8m") as disk:
        store = disk.folder / "store"
        shutil.copytree(locked.store, disk.seen / "store")
        disk.turn_read_only(store)

        def run(*arguments: str | Path) -> Ended:
            return locked.cli(*arguments, prefix=disk.prefix)

        assert run("gate", store, "--sweep", locked.sweep).code == 0
        assert "Low" in run("trace", store).stdout
        for command in ("sweep", "gate"):
            done = run(command, locked.sweep, "-o", store, "--executor", "local")
            red(
                done,
                2,
                f"cannot write to {store}: Read-only file system",
                "-o",
                "'tla2py gate STORE' only read it",
            )
            assert "free some space" not in done.stderr
        disk.turn_back(store)
        shutil.rmtree(disk.seen / "store" / "tables")
        disk.turn_read_only(store)
        red(run("trace", store), 2, "Read-only file system", "a copy of this one; where its tables are there")


# --- running it again, and the hosts of CI


def test_a_red_point_says_how_to_run_it_again_and_that_works(folder: Folder) -> None:
    folder.change(folder.sweep, "trace_length = 3", "trace_length = 4")
    done = folder.gate()
    red(done, 1, "figures: trace length is 3, expected 4")
    lines = [line.strip() for line in done.stdout.splitlines()]
    (ours,) = [line.removeprefix("again: ") for line in lines if line.startswith("again: ")]
    (plain,) = [line.removeprefix("plain: ") for line in lines if line.startswith("plain: ")]
    assert ours == "tla2py check sweep.toml --point 2"
    again = folder.cli(*ours.split()[1:])
    assert again.code == 1
    assert "Invariant Low is violated" in again.stdout
    first, _, rest = plain.partition(" && ")
    assert folder.cli(*first.split()[1:]).code == 0
    by_hand = subprocess.run(
        ["sh", "-c", rest], cwd=folder.path, capture_output=True, text=True, timeout=120, check=False
    )
    assert by_hand.returncode == 12, by_hand.stdout + by_hand.stderr
    assert "Invariant Low is violated" in by_hand.stdout


def test_on_github_it_annotates_and_writes_the_summary(locked: Folder) -> None:
    summary = locked.path / "summary.md"
    summary.write_text("before\n")
    locked.change(locked.sweep, 'violates = ["Low"]', 'violates = ["Inside"]')
    github: dict[str, str | None] = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    done = locked.gate(env=github | {"GITHUB_WORKSPACE": str(locked.path)})
    assert done.code == 1
    lines = done.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert len(token) > 20
    after = lines[lines.index(f"::{token}::") + 1 :]
    assert after == [
        "::error file=Lift.tla,line=16,title=sweep%3A unexpected::Top = 2: does not violate Inside, expected to",
        "::error file=Lift.tla,line=16,title=sweep%3A unexpected::Top = 2: violates Low, not expected to",
    ]
    assert summary.read_text().startswith("before\n### :x: sweep\n")


def test_the_same_sweep_gives_the_same_reports(locked: Folder, tmp_path: Path, run_cli: RunCli) -> None:
    other = Folder(tmp_path, run_cli)
    texts = []
    for place in (locked, other):
        place.change(place.sweep, 'violates = ["Low"]', 'violates = ["Inside"]')
        place.lock.unlink(missing_ok=True)
        place.gate(
            "--junit",
            "j.xml",
            "--sarif",
            "s.sarif",
            "--summary",
            "s.md",
            "--coverage",
        )
        junit = re.sub(r'time="[\d.]+"', "", (place.path / "j.xml").read_text())
        summary = re.sub(r"[\d.]+s \|", "", (place.path / "s.md").read_text())
        texts.append((junit, summary, (place.path / "s.sarif").read_text()))
    assert texts[0] == texts[1]
    results = json.loads(texts[0][2])["runs"][0]["results"]
    assert len(results) == 3


def test_of_several_counterexamples_one_is_shown_and_the_command_to_see_all(folder: Folder) -> None:
    folder.change(folder.sweep, "[1, 2]", "[2]")
    folder.change(folder.module, "0..8", "0..0")
    folder.change(folder.sweep, 'violates = ["Low"]\ntrace_length = 3', 'verdict = "holds"')
    done = folder.gate()
    red(done, 1, "the counterexample to Inside: 1.", "the counterexample to Low: 3 states, see tla2py trace")
    assert done.stdout.count("initial state") == 1
    _, _, command = done.stdout.partition("3 states, see tla2py ")
    shown = folder.cli(*shlex.split(command.splitlines()[0]))
    assert (shown.code, shown.stdout.count("initial state")) == (0, 2)
    assert "Low is violated, 3 states" in shown.stdout


def test_what_is_known_is_written_down_as_the_gate_says(run_cli: RunCli, tiny_sweep: Path) -> None:
    gate = ("gate", "sweep.toml", "--executor", "local")
    done = run_cli(*gate)
    assert done.code == 1, done
    lines = [line.strip() for line in done.stdout.splitlines()]
    begin = lines.index("known? then write, in sweep.toml:") + 1
    known = lines[begin : begin + 4]
    assert known == [
        "[[expect.point]]",
        "match = { Max = 3 }",
        'verdict = "violated"',
        'violates = ["Small"]',
    ]
    with tiny_sweep.open("a") as file:
        file.write("\n".join(["[expect]", *known, ""]))
    done = run_cli(*gate)
    assert done.code == 0, done
    assert "known?" not in done.stdout
