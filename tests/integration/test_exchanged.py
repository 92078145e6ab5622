"""Jars and classes that change or vary: a sweep runs what it was planned with."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest

from tests import command
from tests.conftest import SPECS, RunCli
from tests.integration.test_modules import TWICE, TWICE_CLASS, USE, write
from tests.stores import table_rows
from tla2py.execution.listener import Listener
from tla2py.execution.result import SweepResult
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.model.outcome import Verdict
from tla2py.spark.choice import choose_executor
from tla2py.tlc.tools.community import read_override
from tla2py.tlc.tools.jar import bundled_jar
from tla2py.tlc.tools.toolchain import find_toolchain


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def swept(file: Path, jar: Path, listener: Listener) -> SweepResult:
    sweeps = SweepOptions(tla2tools=jar).load([file])
    executors = choose_executor("local", None, listener)
    store = file.parent / "store"
    [result] = run_sweeps(sweeps, find_toolchain(jar), executors, store=store, listener=listener)
    return result


@pytest.mark.parametrize("packed", [False, True])
def test_a_sweep_runs_what_it_was_planned_with(tmp_path: Path, packed: bool) -> None:
    write(tmp_path, Use=USE, Twice=TWICE)
    classes, jar = tmp_path / "classes", tmp_path / "tools.jar"
    shutil.copy(bundled_jar(), jar)
    if packed:
        with zipfile.ZipFile(classes, "w") as packing:
            packing.writestr("Twice.class", TWICE_CLASS)
    else:
        classes.mkdir()
        (classes / "Twice.class").write_bytes(TWICE_CLASS)
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('module = "Use.tla"\n[model]\ninvariants = ["Four"]\n[tlc]\noverrides = ["classes"]\n')

    class Exchange(Listener):
        """Exchanges the files between planning and the first run."""

        def planned(self, *_: object) -> None:
            jar.write_bytes(b"no jar")
            if packed:
                classes.write_bytes(b"no jar")
            else:
                (classes / "Twice.class").rename(classes / "Other.class")

    assert [row.verdict for row in swept(sweep, jar, Exchange()).runs] == [Verdict.VIOLATED]
    if packed:
        return
    # The exchanged classes make another run, which does not find Twice.
    shutil.copy(bundled_jar(), jar)
    other = swept(sweep, jar, Listener())
    assert (other.executed, [row.verdict for row in other.runs]) == (1, [Verdict.HOLDS])


def test_every_file_of_an_override_counts(tmp_path: Path) -> None:
    classes = tmp_path / "classes"
    classes.mkdir()
    (classes / "Twice.class").write_bytes(TWICE_CLASS)
    seen = {read_override(classes).sha256}
    (classes / "rules.properties").write_text("factor = 2")
    seen.add(read_override(classes).sha256)
    (tmp_path / "more").mkdir()
    (tmp_path / "more/deep.txt").write_text("deep")
    (classes / "link").symlink_to(tmp_path / "more")
    found = read_override(classes)
    assert len(seen | {found.sha256}) == 3
    with zipfile.ZipFile(found.copy) as copy:
        assert copy.read("link/deep.txt") == b"deep"
    # A store would change it with every run.
    (classes / "store").mkdir()
    (classes / "store/store.json").write_text("{}")
    (classes / ".hidden").write_text("")
    assert read_override(classes).sha256 == found.sha256
    jars = []
    for text in ("2", "3"):
        with zipfile.ZipFile(tmp_path / "twice.jar", "w") as jar:
            jar.writestr("Twice.class", TWICE_CLASS)
            jar.writestr("rules.properties", text)
        jars.append(read_override(tmp_path / "twice.jar").sha256)
    assert len(set(jars)) == 2


def test_a_pinned_jar_that_was_rebuilt(tmp_path: Path, run_cli: RunCli, tiny_sweep: Path) -> None:
    jar, file = tmp_path / "tools.jar", tmp_path / "tla2py.toml"
    shutil.copy(bundled_jar(), jar)
    file.write_text('tla2tools = "tools.jar"\n')
    sweep = ("sweep", tiny_sweep, "--executor", "local")
    first = run_cli(*sweep)
    chosen = f"tla2py.toml chooses the jar tools.jar: TLC 2.15, revision d5b5a7f, sha256 {digest(jar)[:12]}"
    assert f"{chosen} (not pinned; to pin it: tla2py tools pin)" in first.stderr.splitlines()[0]
    assert (tmp_path / "runs" / ".gitignore").read_text().splitlines()[-1] == "*"
    assert run_cli("tools", "pin").code == 0
    assert file.read_text() == f'tla2tools = "tools.jar"\ntla2tools_sha256 = "{digest(jar)}"\n'
    # The store knows the jar of its last sweep.
    assert chosen not in run_cli(*sweep).stderr
    assert run_cli(*sweep, "-o", "elsewhere").stderr.splitlines()[0] == chosen
    old = digest(jar)
    # Another digest, the same answers.
    with zipfile.ZipFile(jar, "a") as archive:
        archive.writestr("BUILD", "again")
    for asked in (sweep, ("check", "Counter.tla", "-c", "Max=1"), (*sweep, "--dry-run")):
        ended = run_cli(*asked)
        assert (ended.code, ended.refusal) == (2, ("jar-pinned", str(file)))
        assert [each in ended.error.message for each in (old, digest(jar))] == [True, True]
        assert "tla2py tools pin" in ended.hint
    # Another choice that is nearer is not the project's.
    assert run_cli(*sweep, "--tla2tools", bundled_jar()).stderr.startswith("nothing to run")
    assert f"sha256 {old} was pinned" in run_cli("tools", "pin", code=0).stderr
    changed = "the jar has changed from TLC 2.15, revision d5b5a7f, sha256 "
    for asked in ((*sweep, "--dry-run"), sweep):
        told = " ".join(run_cli(*asked).stderr.split())
        assert f"{changed}{old[:12]} to TLC 2.15, revision d5b5a7f, sha256 {digest(jar)[:12]};" in told
        assert "runs with the earlier jar do not count" in told
    assert changed not in run_cli(*sweep).stderr


def test_every_report_names_the_projects_jar(tmp_path: Path, run_cli: RunCli, tiny_sweep: Path) -> None:
    jar = tmp_path / "tools.jar"
    shutil.copy(bundled_jar(), jar)
    (tmp_path / "tla2py.toml").write_text('tla2tools = "tools.jar"\n')
    reports = ("--junit", "j.xml", "--sarif", "s.sarif", "--summary", "s.md")
    ended = run_cli("gate", tiny_sweep, "--executor", "local", *reports, env={"GITHUB_ACTIONS": "true"})
    texts = [(tmp_path / name).read_text() for name in reports[1::2]]
    for text in (*texts, ended.stdout, ended.stderr):
        assert digest(jar)[:12] in text, text
    assert ended.stdout.count(digest(jar)[:12]) == 2
    assert run_cli("report", f"runs/{tiny_sweep.stem}", "-o", "report.html").code == 0
    assert digest(jar)[:12] in (tmp_path / "report.html").read_text()


@pytest.mark.jars
def test_stores_of_two_jars_are_compared(tmp_path: Path, newer_tlc: Path) -> None:
    for file in (SPECS / "faults").glob("LevelBound.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "s.toml").write_text('module = "LevelBound.tla"\nconfig = "LevelBound.cfg"\n')
    for store, jar, code in (("old", "bundled", 1), ("new", newer_tlc, 0)):
        command.run("sweep", "s.toml", "-o", store, "--tla2tools", jar, cwd=tmp_path, code=code)
    old, new = (table_rows(tmp_path / store, "runs") for store in ("old", "new"))
    assert [(row["verdict"], row["distinct"]) for row in (*old, *new)] == [("violated", 4), ("holds", 3)]
    asked = ("check", "s.toml", "--point", "1", "--tla2tools", newer_tlc, "--second", "bundled", "--json")
    opinion = command.run(*asked, cwd=tmp_path, code=1).json["second"]
    found = (opinion["tlc_version"], opinion["agrees"], opinion["known"])
    assert found == ("2.15", False, ["level-from-zero"])
    gate = ("gate", "s.toml", "--tla2tools", newer_tlc, "--second", "bundled", "--json")
    [point] = command.run(*gate, cwd=tmp_path).json[0]["points"]
    assert point["second"]["agrees"] is False
    [stored] = command.run("gate", "runs/s", "--json", cwd=tmp_path).json[0]["points"]
    assert stored["second"]["agrees"] is False
