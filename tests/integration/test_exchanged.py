"""Jars and classes that change or vary: a sweep runs what it was planned with."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest

import tla2py
from tests import command
from tests.conftest import COUNTER, SPECS, RunCli
from tests.integration.test_modules import TWICE, TWICE_CLASS, USE, write
from tests.jars import remade_jar
from tests.stores import table_rows
from tla2py.execution.listener import Listener
from tla2py.execution.result import SweepResult
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.model.outcome import Verdict
from tla2py.spark.choice import choose_executor
from tla2py.store.store import Store
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


HEAD = 'module = "Counter.tla"\n[constants]\nMax = 2\n[model]\ninvariants = ["Small"]\n'


def named(file: Path) -> str:
    """A jar as a sweep file beside it names it."""
    return f'{{ path = "{file.name}", sha256 = "{digest(file)}" }}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module, a copy of the bundled jar, and one of another version."""
    (tmp_path / "Counter.tla").write_text(COUNTER)
    shutil.copy(bundled_jar(), tmp_path / "copy.jar")
    remade_jar(bundled_jar(), tmp_path / "other.jar", version="Version 2.99")
    return tmp_path


def test_each_point_runs_with_the_jar_that_it_names(folder: Path, run_cli: RunCli) -> None:
    jars = f'"bundled", {named(folder / "copy.jar")}, {named(folder / "other.jar")}'
    (folder / "s.toml").write_text(f"{HEAD}[parameters]\njar = [{jars}]\n")
    # The copy is the same model.
    assert run_cli("sweep", "s.toml", "--executor", "local", cwd=folder, code=0).executed == 2
    rows = table_rows(folder / "runs/s", "runs")
    assert [row["jar"] for row in rows] == ["bundled", "copy.jar", "other.jar"]
    assert [row["tlc_version"] for row in rows] == ["2.15", "2.15", "2.99"]
    bundled, other = digest(bundled_jar()), digest(folder / "other.jar")
    assert [row["jar_sha256"] for row in rows] == [bundled, bundled, other]
    ids = [row["run_id"] for row in rows]
    assert ids[0] == ids[1] != ids[2]
    assert run_cli("sweep", "s.toml", "--executor", "local", cwd=folder).executed == 0
    # Without the parameter the same jar makes the same run.
    limited = run_cli("sweep", "s.toml", "--set", "jar=bundled", "--executor", "local", cwd=folder)
    assert (limited.code, limited.executed) == (0, 0)
    (folder / "s.toml").write_text(HEAD)
    asked = ("sweep", "s.toml", "--tla2tools", "bundled", "--dry-run", "-o", folder / "runs/s")
    assert "1 cached" in run_cli(*asked, cwd=folder).stdout


def test_small_runs_share_a_jvm_with_those_of_their_jar_alone(folder: Path, run_cli: RunCli) -> None:
    jars = f'"bundled", {named(folder / "other.jar")}'
    text = HEAD.replace("[constants]\nMax = 2\n", "")
    numbers = f"[parameters]\njar = [{jars}]\nMax = {{ from = 1, to = 6 }}\n"
    expected = '[expect]\n[[expect.point]]\nmatch = "Max > 2"\nviolates = ["Small"]\n'
    (folder / "s.toml").write_text(text + numbers + expected)
    assert run_cli("sweep", "s.toml", "--executor", "local", cwd=folder, process=True).code == 0
    store, versions = Store(folder / "runs/s"), {"bundled": "2.15", "other.jar": "2.99"}
    hosts = set()
    for row in table_rows(folder / "runs/s", "runs"):
        assert row["tlc_version"] == versions[row["jar"]]
        with store.archive(row["run_id"]) as archive:
            argv = archive.record.executions[0].argv
        hosts |= {(row["jar_sha256"], part) for part in argv if "tla2py-host-" in part and "tmpdir" in part}
    # More than one run each, and no JVM of two jars.
    assert 2 <= len(hosts) < 12
    assert len({place for _, place in hosts}) == len(hosts)


def test_jars_are_the_parameter(folder: Path, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "s.toml").write_text(HEAD)
    jars = ("--tla2tools", "bundled", "--tla2tools", "other.jar")
    record = ("gate", "s.toml", *jars, "--record", "--no-coverage", "--executor", "local")
    gated = run_cli(*record, cwd=folder, code=0)
    assert f"s.toml runs the jar other.jar, sha256 {digest(folder / 'other.jar')[:12]}" in gated.stdout
    lock = (folder / "s.lock").read_text()
    assert 'jar = "bundled"' in lock
    assert 'jar = "other.jar"' in lock
    assert run_cli("gate", "s.toml", *jars, "--executor", "local", cwd=folder).code == 0
    assert run_cli("sweep", "s.toml", *jars, "--executor", "local", cwd=folder, code=0).executed == 0
    checked = run_cli("check", "s.toml", "--point", "2", *jars, "--json", cwd=folder)
    assert checked.json["tlc_version"] == "2.99"
    # A red gate names the same command.
    (folder / "s.toml").write_text(f'{HEAD}[expect]\nverdict = "violated"\n')
    red = run_cli("gate", "s.toml", *jars, "--executor", "local", cwd=folder, code=1)
    assert "again: tla2py check s.toml --point 1 --tla2tools bundled --tla2tools other.jar" in red.stdout
    assert run_cli("check", "Counter.tla", "-c", "Max=2", *jars, cwd=folder).refusal == ("usage", None)
    monkeypatch.chdir(folder)
    (folder / "s.toml").write_text(HEAD)
    view = tla2py.run_sweep("s.toml", "python", executor="local", tla2tools=["bundled", "other.jar"])
    assert [(row.verdict, row.tlc_version) for row in view.run_rows] == [("holds", "2.15"), ("holds", "2.99")]
    assert list(view.runs["jar"]) == ["bundled", "other.jar"]


def test_a_store_is_gated_by_the_jars_that_it_ran(folder: Path, run_cli: RunCli) -> None:
    own = folder / "other.jar"
    (folder / "s.toml").write_text(f'{HEAD}[parameters]\njar = ["bundled", {named(own)}]\n')
    assert run_cli("gate", "s.toml", "--record", "--executor", "local", cwd=folder).code == 0
    own.rename(folder / "elsewhere.jar")
    assert run_cli("gate", "runs/s", cwd=folder).code == 0
    # Another jar than the file now names.
    text = (folder / "s.toml").read_text()
    (folder / "s.toml").write_text(text.replace(digest(folder / "elsewhere.jar"), "0" * 64))
    assert run_cli("gate", "runs/s", cwd=folder).code == 2


def test_a_module_may_have_a_constant_of_that_name(folder: Path, run_cli: RunCli) -> None:
    (folder / "Counter.tla").write_text(COUNTER.replace("Max", "jar"))
    head = HEAD.replace("Max", "jar")
    (folder / "s.toml").write_text(f'{head}[parameters]\njar = ["bundled"]\n')
    refused = run_cli("sweep", "s.toml", cwd=folder)
    assert refused.refusal == ("assigned-twice", "s.toml:7:1")
    assert '"tlc.jar"' in refused.hint
    other = named(folder / "other.jar")
    row = '[[expect.point]]\nmatch = { tlc.jar = "other.jar" }\nverdict = "violated"\n'
    (folder / "s.toml").write_text(f'{head}[parameters]\ntlc.jar = ["bundled", {other}]\n{row}')
    red = run_cli("gate", "s.toml", "--executor", "local", cwd=folder, code=1)
    assert "point 2  tlc.jar = other.jar" in red.stdout
    assert "point 1" not in red.stdout
    only = run_cli("sweep", "s.toml", "--set", "tlc.jar=bundled", "--dry-run", cwd=folder)
    assert "limited: 1 of 1 point with tlc.jar=bundled" in only.stdout


@pytest.mark.parametrize(
    ("text", "options", "code", "where"),
    [
        ('jar = ["bundled"]\ntlc.jar = ["bundled"]\n', (), "assigned-twice", "s.toml:8:1"),
        ('jar = ["bundled", "copy.jar"]\n', (), "jar-missing", "s.toml:7:20"),
        ('jar = [{ path = "copy.jar", sha256 = "00" }]\n', (), "jar-pinned", "s.toml:7:18"),
        ('jar = [{ path = "no.jar", sha256 = "00" }]\n', (), "jar-missing", "s.toml:7:18"),
        ('jar = [{ path = "copy.jar" }]\n', (), "wrong-type", "s.toml:7:1"),
        ('Max = [{ path = "copy.jar", sha256 = "00" }]\n', (), "unknown-key", "s.toml:7:1"),
        ('jar = ["bundled", "bundled"]\n', (), "duplicate-point", "s.toml:7:1"),
        ('jar = ["bundled"]\n', ("--tla2tools", "bundled"), "usage", None),
    ],
)
def test_what_is_refused(
    folder: Path, run_cli: RunCli, text: str, options: tuple[str, ...], code: str, where: str | None
) -> None:
    (folder / "s.toml").write_text(f"{HEAD}[parameters]\n{text}")
    assert run_cli("sweep", "s.toml", *options, cwd=folder).refusal == (code, where)


@pytest.mark.jars
def test_jars_that_answer_differently(tmp_path: Path, newer_tlc: Path) -> None:
    for file in (SPECS / "faults").glob("LevelBound.*"):
        shutil.copy(file, tmp_path)
    shutil.copy(newer_tlc, tmp_path / "new.jar")
    head = 'module = "LevelBound.tla"\nconfig = "LevelBound.cfg"\n'
    new = named(tmp_path / "new.jar")
    text = f'{head}[parameters]\njar = ["bundled", {new}]\n[expect]\nlaw.Small = "jar = \\"bundled\\""\n'
    (tmp_path / "s.toml").write_text(text)
    swept = command.run("sweep", "s.toml", "--executor", "local", cwd=tmp_path, code=0)
    # Said once, of the one jar that has the fault.
    assert [code for code, _ in swept.findings].count("jar-known-wrong") == 1
    (tmp_path / "s.toml").write_text(f'{text}[accept]\njar-known-wrong = "on purpose"\n')
    rows = table_rows(tmp_path / "runs/s", "runs")
    answers = [(row["jar"], row["verdict"], row["distinct"]) for row in rows]
    assert answers == [("bundled", "violated", 4), ("new.jar", "holds", 3)]
    assert command.run("explain", "runs/s", "--json", cwd=tmp_path).json[0]["law"] == "jar = bundled"
    asked = ("check", "s.toml", "--point", "2", "--second", "bundled", "--json")
    opinion = command.run(*asked, cwd=tmp_path, code=1).json["second"]
    found = (opinion["tlc_version"], opinion["agrees"], opinion["known"])
    assert found == ("2.15", False, ["level-from-zero"])
    gate = ("gate", "s.toml", "--second", "bundled", "--executor", "local", "--json")
    points = command.run(*gate, cwd=tmp_path).json[0]["points"]
    assert [point["second"]["agrees"] for point in points] == [True, False]
    stored = command.run("gate", "runs/s", "--json", cwd=tmp_path).json[0]["points"]
    assert [point["second"]["agrees"] for point in stored] == [True, False]
