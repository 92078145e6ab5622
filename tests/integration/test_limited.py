"""``--set``, ``--points`` and ``--failed``: a sweep, a check and a gate with other values or of some points, for this time."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import NoReturn

import pytest

from tests.command import CommandResult
from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tla2py.analysis.view import open_view
from tla2py.store.store import Store

EXPECT = '[expect]\nverdict = "holds"\n'


class Folder:
    """A folder with the module Counter, where Small fails once Max is 3, and its sweep."""

    def __init__(self, path: Path, run_cli: RunCli) -> None:
        self.path, self._run = path, run_cli
        self.small("x < 3")
        self.file(COUNTER_SWEEP + EXPECT)

    def small(self, text: str) -> None:
        (self.path / "Counter.tla").write_text(COUNTER.replace("x < 3", text))

    def file(self, text: str) -> None:
        (self.path / "sweep.toml").write_text(text)

    def cases(self) -> dict[str | None, list[str]]:
        """What is in each case of the JUnit report; all are of one class."""
        cases = [*ET.parse(self.path / "junit.xml").iter("testcase")]
        assert len({case.get("classname") for case in cases}) == 1
        return {case.get("name"): [each.tag for each in case] for case in cases}

    def run(self, command: str, *options: str, code: int | None = None) -> CommandResult:
        """A command on the sweep file; of the three, only a check has no executor."""
        executor = () if command == "check" else ("--executor", "local")
        return self._run(command, "sweep.toml", *executor, *options, cwd=self.path, code=code)

    def ask(self, *arguments: str, code: int | None = None) -> CommandResult:
        return self._run(*arguments, cwd=self.path, code=code)

    def rows(self, store: str = "runs/sweep") -> list[tuple[int, str, str]]:
        """The number, the run and the verdict of each point with a result."""
        return [(row.point, row.run_id, row.verdict.value) for row in open_view(self.path / store).run_rows]

    def began(self, store: str) -> list[object]:
        return list(open_view(self.path / store).arrow("runs")["started_at"].to_pylist())

    def verdicts(self, store: str) -> dict[int, str]:
        return {point: verdict for point, _, verdict in self.rows(store)}


@pytest.fixture
def folder(tmp_path: Path, run_cli: RunCli) -> Folder:
    return Folder(tmp_path, run_cli)


def executed(ended: CommandResult) -> str:
    """What a sweep says of its missing runs, "" if there were none."""
    found = [line for line in ended.stderr.splitlines() if " to execute" in line]
    return found[0].partition(";")[0] if found else ""


def test_some_points_run_beside_the_last_whole_sweep(folder: Folder) -> None:
    folder.run("sweep", code=1)
    before = folder.rows()
    manifest = (folder.path / "runs/sweep/store.json").read_bytes()
    folder.small("x < 2")
    some = folder.run("sweep", "--points", "2")
    assert (some.code, executed(some)) == (1, "sweep: 1 run to execute")
    assert "sweep: limited: 1 of 3 points" in some.stderr
    assert "sweep, point 2: violated (Small), expected holds" in some.stderr
    assert [line.split()[0] for line in some.stdout.splitlines()[1:2]] == ["2"]
    # The store is that of the whole sweep, with the answers of the module as it was.
    assert folder.rows() == before
    assert (folder.path / "runs/sweep/store.json").read_bytes() == manifest
    assert folder.verdicts("runs/sweep/limited") == {2: "violated"}
    asked = folder.ask("query", "runs/sweep/limited", "SELECT point FROM runs")
    assert "2 of 3 points have no result: 1, 3" in asked.stderr
    red = folder.ask("gate", "runs/sweep/limited", code=2)
    assert "points 1, 3  Max = 1, and 1 more point" in red.stdout
    assert "not-run: " in red.stdout
    # The same with the record of a run in its tables, which is another one now.
    shutil.copytree(folder.path / "runs/sweep", folder.path / "kept")
    folder.small("x < 3")
    assert executed(folder.run("sweep", "--points", "3", "--fresh")) == "sweep: 1 run to execute"
    kept = folder.began("kept")
    assert folder.began("runs/sweep") == kept
    assert folder.run("sweep").code == 1
    same = [new == old for new, old in zip(folder.began("runs/sweep"), kept, strict=True)]
    assert same == [True, True, False]
    folder.small("x < 2")
    # The record counts for the next whole sweep, and for the same points with other limits.
    assert executed(folder.run("sweep", "--points", "2", "--points", "2")) == ""
    assert folder.verdicts("runs/sweep/limited") == {2: "violated"}
    assert executed(folder.run("sweep", code=1)) == "sweep: 2 runs to execute, 1 are there already"
    assert {verdict for _, _, verdict in folder.rows()} == {"holds", "violated"}
    assert not {run for _, run, _ in folder.rows()} & {run for _, run, _ in before}


def test_a_named_store_keeps_the_limited_view(folder: Folder) -> None:
    assert folder.run("sweep", "--points", "1", "-o", "kept").code == 0
    assert folder.verdicts("kept") == {1: "holds"}
    assert len(open_view(folder.path / "kept").points) == 3
    assert not (folder.path / "runs").exists()
    assert folder.ask("gate", "kept").code == 2
    told = folder.ask("explain", "kept", "--json").json
    assert {(each["of"], *each["missing"]) for each in told} == {(3, 2, 3)}
    # With other values it is the store of another grid, and says so.
    other = folder.run("sweep", "--set", "Max=[2, 4]", "-o", "other")
    assert (other.code, executed(other)) == (1, "sweep: 2 runs to execute")
    assert folder.verdicts("other") == {1: "holds", 2: "violated"}
    points = open_view(folder.path / "other").points
    assert [each.parameters for each in points] == [{"Max": "2"}, {"Max": "4"}]
    assert "it was made with --set Max=[2, 4]" in folder.ask("gate", "other", code=2).stdout
    assert "with Max=[2, 4]" in str(open_view(folder.path / "other"))
    # Lists of lists where a sweep file takes them.
    assert folder.ask("sweep", "sweep.toml", "--set", "Max=[[2], [4]]", code=2).error.code == "wrong-type"
    lists = ("--set", "Max=4", "--set", 'constraints=[[], ["x < 2"], "x < 3"]')
    assert folder.run("sweep", *lists, "-o", "lists").code == 1
    assert folder.verdicts("lists") == {1: "violated", 2: "holds", 3: "violated"}


def test_only_what_was_not_as_expected(folder: Folder) -> None:
    # Nothing is known yet: every point is asked.
    assert "limited: 3 of 3 points" in folder.run("sweep", "--failed").stderr
    assert folder.run("sweep").code == 1
    failed = folder.run("sweep", "--failed")
    assert (failed.code, executed(failed)) == (1, "")
    assert "limited: 1 of 3 points" in failed.stderr
    assert folder.verdicts("runs/sweep/limited") == {3: "violated"}
    assert "1 point" not in folder.run("check", "--failed").stderr
    folder.small("x < 4")
    assert folder.run("check", "--failed").code == 0
    # A check has no store, so the point still counts as failed.
    assert executed(folder.run("sweep", "--failed", code=0)) == "sweep: 1 run to execute"
    assert folder.verdicts("runs/sweep/limited") == {3: "holds"}
    for command in ("sweep", "check"):
        none = folder.run(command, "--failed")
        assert (none.code, none.stdout, executed(none)) == (0, "", "")
        assert "sweep: limited: 0 of 3 points: nothing failed the last time" in none.stderr
    # A point that the last sweep did not have is not known to be as expected.
    folder.file(COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2, 3, 4]") + EXPECT)
    assert executed(folder.run("sweep", "--failed", code=1)) == "sweep: 1 run to execute"
    assert folder.verdicts("runs/sweep/limited") == {4: "violated"}


def test_an_interrupted_point_counts_as_failed(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.small("x < 4")
    assert folder.run("sweep").code == 0
    assert "nothing failed" in folder.run("sweep", "--failed").stderr
    folder.small("x < 5")

    def interrupt(*_: object) -> NoReturn:
        """As a user who presses Ctrl-C when the runs start."""
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tla2py.cli.progress.ConsoleListener.executing", interrupt)
        folder.run("sweep", "--points", "2", code=130)
    failed = folder.run("sweep", "--failed")
    assert (failed.code, executed(failed)) == (0, "sweep: 1 run to execute")
    assert folder.verdicts("runs/sweep/limited") == {2: "holds"}


def test_a_limited_gate(folder: Folder) -> None:
    first = folder.run("gate", "--points", "1-2", "--junit", "junit.xml", code=0)
    assert first.stdout.splitlines()[0] == "green sweep  limited: 2 of 3 points, as expected"
    assert folder.cases() == {"Max = 1": [], "Max = 2": [], "Max = 3": ["skipped"]}
    red = folder.run("gate", "--points", "2-3", code=1)
    assert red.stdout.splitlines()[0] == "red   sweep  limited: 2 of 3 points, 1 not as expected"
    for option in ("--record", "--update"):
        assert folder.run("gate", "--points", "1", option, code=2).error.code == "usage"
    assert folder.ask("gate", "runs/sweep/limited", "--points", "1", code=2).error.code == "gate-store"
    # Points 1 and 2 passed, 3 did not.
    assert folder.run("gate", "--failed").stdout.splitlines()[0].startswith("red   sweep  limited: 1 of 3")
    folder.small("x < 4")
    assert executed(folder.run("gate", "--failed", code=0)) == "sweep: 1 run to execute"
    none = folder.run("gate", "--failed", "--junit", "junit.xml", code=0)
    assert executed(none) == ""
    green = "green sweep  limited: 0 of 3 points: nothing failed the last time"
    assert none.stdout.splitlines()[0] == green
    assert [*folder.cases().values()] == [["skipped"]] * 3


def test_a_gate_that_is_red_as_a_whole_passes_no_point(folder: Folder) -> None:
    folder.small("x < 4")
    assert folder.run("gate", "--record").code == 0
    assert "nothing failed" in folder.run("gate", "--failed").stdout
    folder.small("x < 5")
    assert "the definition of Small has changed" in folder.run("gate", code=1).stdout
    # For a sweep all is as expected, for the gate it still is not.
    assert folder.run("sweep").code == 0
    assert "nothing failed" in folder.run("sweep", "--failed").stderr
    failed = folder.run("gate", "--failed", code=1)
    assert failed.stdout.splitlines()[0].startswith("red   sweep  limited: 3 of 3 points")
    assert folder.run("gate", "--update").code == 0
    assert "nothing failed" in folder.run("gate", "--failed").stdout
    # What a sweep finds to be unexpected is failed for a gate too.
    folder.small("x < 3")
    assert folder.run("sweep", "--points", "3").code == 1
    failed = folder.run("gate", "--failed", code=1)
    assert failed.stdout.splitlines()[0].startswith("red   sweep  limited: 1 of 3 points")


def test_a_lock_does_not_know_other_values(folder: Folder) -> None:
    folder.file(COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2]") + EXPECT)
    assert folder.run("gate", "--record").code == 0
    lock = (folder.path / "sweep.lock").read_bytes()
    other = folder.run("gate", "--set", "Max=[2, 0]", "--locked", code=0).stdout.splitlines()
    assert other[0] == "green sweep  limited: 2 of 2 points with Max=[2, 0], as expected"
    worse = folder.run("gate", "--set", "Max=4", "--locked", code=1)
    # The commands that run the point again know the value.
    ours = [line.strip() for line in worse.stdout.splitlines() if "again: " in line]
    assert ours == ["again: tla2py check sweep.toml --point 1 --set Max=4"]
    assert "Invariant Small is violated" in folder.ask(*ours[0].split()[2:], code=1).stdout
    assert "Max = 4" in folder.ask("cfg", "sweep.toml", "--set", "Max=4").stdout
    assert (folder.path / "sweep.lock").read_bytes() == lock
    assert Store(folder.path / "runs/sweep").points().run_ids() == {run for _, run, _ in folder.rows()}


def test_a_check_takes_them_where_one_point_is_left(folder: Folder) -> None:
    for options, code in (
        (("--points", "3"), 1),
        (("--point", "2"), 0),
        (("--set", "Max=2"), 0),
        (("--set", "Max=[2, 5]", "--points", "2"), 1),
    ):
        assert folder.run("check", *options).code == code, options
    for options in (("--points", "1-2"), ("--set", "Max=[1, 2]"), ("--point", "2", "-c", "Max=2")):
        refused = folder.run("check", *options, code=2)
        assert (refused.stdout, refused.error.code) == ("", "usage")
    dry = folder.run("sweep", "--dry-run", "--points", "2-3")
    counts = "sweep: limited: 2 of 3 points, 0 combinations left out; 2 runs, 0 cached, 2 to execute"
    assert dry.stdout.splitlines() == ["2  Max = 2  to run", "3  Max = 3  to run", counts]
    assert folder.run("sweep", "--set", "Max=2", "--configs", "1", code=2).error.code == "usage"
    assert folder.ask("sweep", ".", "--set", "Max=2").error.code == "usage"
