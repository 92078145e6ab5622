"""The jar that runs use, and what a module, a config or an option needs of it."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.jars import remade_jar
from tests.stores import table_rows
from tla2py.lint.rules import lint_file
from tla2py.lint.subject import read_dialect
from tla2py.tlc.tools.jar import BUNDLED, INSTALLED, bundled_jar, read_jar

LOCAL = ("--executor", "local")
CALENDAR = "Version 2026.04.29.170100"
ROLLING = "Version 2.20 of Day Month 20??"
INSTALL = "tla2py tools install rolling"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "tla2py" / "tools"


def installed(tools: Path, name: str, built: str, version: str | None = None) -> Path:
    jar = tools / name / "tla2tools.jar"
    return remade_jar(bundled_jar(), jar, version=version, manifest={"Build-TimeStamp": built})


def test_the_newest_build_is_used_whatever_its_name(run_cli: RunCli, tools: Path, tmp_path: Path) -> None:
    def used() -> str:
        return run_cli("tools", "path").stdout.strip()

    assert used() == str(bundled_jar())
    installed(tools, "1.6.0", "2019-07-18T11:02:00.000Z")
    assert used() == str(bundled_jar())
    newest = installed(tools, "1.7.4", "2026-04-29T17:01:00.000Z", "Version ")
    installed(tools, "rolling", "2025-09-06T05:01:34.728Z", ROLLING)
    assert used() == str(newest)
    listed = run_cli("tools", "list", "--json").json["jars"]
    notes = {jar["name"]: jar["note"] for jar in listed if jar["used"]}
    assert notes == {"1.7.4": "used: the newest installed"}
    versions = {"1.6.0": "2.15", "1.7.4": "2026.04.29.170100", "rolling": "2.20", "bundled": "2.15"}
    assert {jar["name"]: jar["version"] for jar in listed} == versions
    # What is named comes first.
    (tmp_path / "tla2py.toml").write_text('tla2tools = "rolling"\n')
    assert used() == str(tools / "rolling" / "tla2tools.jar")
    environment = run_cli("tools", "path", env={"TLA2TOOLS_JAR": "1.6.0"})
    assert environment.stdout.strip() == str(tools / "1.6.0" / "tla2tools.jar")


def test_a_damaged_newest_jar_is_an_error(run_cli: RunCli, tools: Path) -> None:
    (tools / "rolling").mkdir(parents=True)
    (tools / "rolling" / "tla2tools.jar").write_bytes(b"cut off")
    ended = run_cli("tools", "path")
    assert (ended.code, ended.error.code) == (2, "jar-corrupt")
    assert "tla2py tools install rolling --force" in ended.hint


@pytest.mark.parametrize(
    ("version", "stamp", "day", "expected"),
    [
        (CALENDAR, "2026-04-29T17:01:00.12Z", "2026-04-29", "2026.04.29.170100"),
        ("Version ", "2026-04-29T17:01:00.12Z", "2026-04-29", "2026.04.29.170100"),
        ("Version ", None, "2026-04-29", "2026.04.29"),
        ("Version ", None, None, ""),
        (ROLLING, "2025-09-06T05:01:34.728Z", "2025-09-06", "2.20"),
    ],
)
def test_versions_by_calendar(
    tmp_path: Path, version: str, stamp: str | None, day: str | None, expected: str
) -> None:
    fields = {"Build-TimeStamp": stamp, "Implementation-Version": day and f"2.0 {day}"}
    fields["X-Git-Commits-Count"] = "9000"
    jar = read_jar(remade_jar(bundled_jar(), tmp_path / "a.jar", version=version, manifest=fields), "test")
    assert (jar.version, jar.date, jar.commits) == (expected, day or "", 9000)
    assert jar.tlc == (f"TLC {expected}" if expected else "TLC of unknown version")


def test_an_install_changes_the_jar_and_says_so(run_cli: RunCli, tools: Path, tiny_sweep: Path) -> None:
    tiny_sweep.write_text(tiny_sweep.read_text().replace("[1, 2, 3]", "[1]"))
    bundled = read_jar(bundled_jar(), BUNDLED)
    assert run_cli("sweep", tiny_sweep, "--dry-run").stderr.splitlines()[0] == bundled.old
    assert run_cli("gate", tiny_sweep, "--record", *LOCAL).code == 0
    newer = installed(tools, "rolling", "2026-04-29T17:01:00.000Z", CALENDAR)
    # The lock of another jar is a notice; what counts is whether the results are equal.
    gated = run_cli("gate", tiny_sweep, *LOCAL)
    chosen = f"the newest installed jar is rolling: {read_jar(newer, INSTALLED)}"
    assert (gated.code, gated.drifts, gated.executed, gated.errors[0]) == (0, [], 1, chosen)
    assert "sweep: the jar has changed from TLC 2.15" in gated.stderr
    assert "the lock was accepted with TLC 2.15" in gated.stdout
    assert "this is TLC 2026.04.29.170100" in gated.stdout
    # Once it has changed, it is no news.
    again = run_cli("gate", tiny_sweep, *LOCAL)
    assert chosen not in gated.stdout + again.stdout + again.stderr


def test_mutants_name_the_jar_when_it_has_changed(run_cli: RunCli, tools: Path, tiny_sweep: Path) -> None:
    newer = installed(tools, "rolling", "2026-04-29T17:01:00.000Z", CALENDAR)
    chosen = f"the newest installed jar is rolling: {read_jar(newer, INSTALLED)}"
    few = ("mutate", tiny_sweep, "--sample", "1", "--points", "1")
    assert chosen in run_cli(*few).stderr
    assert chosen not in run_cli(*few).stderr


def test_a_version_of_tlc_is_no_release(run_cli: RunCli, tools: Path, tiny_spec: Path) -> None:
    for version, name in (("2.20", "rolling"), ("2.18", "1.7.3"), ("2.19", "1.7.4")):
        refused = run_cli("tools", "install", version, code=2)
        assert refused.error.code == "unknown-release"
        assert f"tla2py tools install {name}" in refused.hint
    assert not tools.exists()
    missing = run_cli("check", tiny_spec, "-c", "Max=1", "--tla2tools", "2.20")
    assert (missing.error.code, missing.hint) == ("jar-missing", INSTALL)
    sweep = tiny_spec.with_name("s.toml")
    sweep.write_text('module = "Counter.tla"\n[parameters]\nMax = [1]\n')
    swept = run_cli("sweep", sweep, "--tla2tools", "2.20", *LOCAL)
    assert (swept.error.code, INSTALL in swept.hint) == ("jar-missing", True)
    # A project's file is followed, and names itself in the error.
    tiny_spec.with_name("tla2py.toml").write_text('tla2tools = "2.20"\n')
    project = run_cli("tools", "path")
    assert (project.error.code, project.hint) == ("jar-missing", INSTALL)


def test_a_jar_is_found_by_the_version_of_its_tlc(run_cli: RunCli, tools: Path, tmp_path: Path) -> None:
    def path(**variables: str) -> str:
        return run_cli("tools", "path", cwd=tmp_path, env=variables).stdout.strip()

    assert path(TLA2TOOLS_JAR="2.15") == str(bundled_jar())
    older = installed(tools, "one", "2025-01-01T00:00:00.000Z", ROLLING)
    assert path(TLA2TOOLS_JAR="2.20") == str(older)
    newer = installed(tools, "two", "2025-09-06T05:01:34.728Z", ROLLING)
    assert path(TLA2TOOLS_JAR="2.20") == str(newer)
    # A release of that name comes first.
    named = installed(tools, "2.20", "2019-07-18T11:02:00.000Z")
    assert path(TLA2TOOLS_JAR="2.20") == str(named)
    # A damaged jar has no version.
    (tools / "three").mkdir()
    (tools / "three" / "tla2tools.jar").write_bytes(b"cut off")
    (tmp_path / "tla2py.toml").write_text('tla2tools = "2.15"\n')
    assert path() == str(bundled_jar())


@pytest.mark.jars
def test_tlc_2_20_runs_by_its_version(
    run_cli: RunCli, tools: Path, tiny_sweep: Path, newer_tlc: Path
) -> None:
    assert run_cli("tools", "install", "rolling", "--from-file", newer_tlc).code == 0
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[1]"))
    assert run_cli("sweep", tiny_sweep, "--tla2tools", "2.20", *LOCAL).code == 0
    rows = table_rows(tiny_sweep.with_name("runs") / "sweep", "runs")
    assert [row["tlc_version"] for row in rows] == ["2.20"]
    check = ("check", "Counter.tla", "-c", "Max=1", "--tla2tools", "bundled", "--second", "2.20", "--json")
    opinion = run_cli(*check).json["second"]
    assert (opinion["tlc_version"], opinion["agrees"]) == ("2.20", True)
    assert tools.is_dir()


def module(folder: Path, line: str) -> Path:
    path = folder / "Counter.tla"
    path.write_text(COUNTER.replace("EXTENDS Naturals\n", f"EXTENDS Naturals, TLC\n{line}\n"))
    return path


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('[tlc]\nmode = "generate"\n', "tlc-lacks", "3:9"),
        ('[tlc]\noptions = ["-dumpTrace", "json", "t.json"]\n', "tlc-lacks", "3:13"),
        ('[tlc]\noptions = ["-noTE"]\n', "tlc-lacks", "3:13"),
        ('[tlc]\noptions = ["-postCondition", "A!B"]\n', "tlc-lacks", "3:13"),
        ('[model]\nalias = "Small"\n', "unknown-keyword", "3:10"),
        ('[model]\npostconditions = ["Small"]\n', "unknown-keyword", "3:20"),
    ],
)
def test_what_a_file_asks_for(run_cli: RunCli, tiny_sweep: Path, text: str, code: str, place: str) -> None:
    tiny_sweep.write_text(f'module = "Counter.tla"\n{text}[constants]\nMax = 2\n')
    for arguments in (["--dry-run"], LOCAL):
        ended = run_cli("sweep", tiny_sweep, *arguments, code=2)
        assert ended.refusal == (code, f"{tiny_sweep}:{place}")
        assert ended.hint.startswith(INSTALL)
    assert not tiny_sweep.with_name("runs").exists()


@pytest.mark.parametrize(
    "line",
    ['ASSUME TLCGet("config").mode = "bfs"', 'Seen == TLCGet("stats").distinct', "LOCAL INSTANCE Json"],
)
def test_modules(run_cli: RunCli, tmp_path: Path, line: str) -> None:
    path = module(tmp_path, line)
    ended = run_cli("check", path, "-c", "Max=2")
    assert (ended.code, ended.error.code, ended.hint) == (2, "tlc-lacks", INSTALL), ended
    assert str(ended.error.where).startswith(f"{path}:4:")
    # Other configs of a folder run.
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Max = 2\n")
    [note] = [each for each in run_cli("sweep", path.parent).reported.findings if each.code == "tlc-lacks"]
    assert (note.severity, note.hint) == ("note", INSTALL)
    path.with_suffix(".cfg").unlink()
    assert run_cli("check", module(tmp_path, f"\\* {line}\n(* {line} *)"), "-c", "Max=2").code == 0


def test_a_config(run_cli: RunCli, tiny_spec: Path) -> None:
    tiny_spec.with_suffix(".cfg").write_text("CONSTANT Max = 2\nINIT Init NEXT Next\nALIAS Small\n")
    ended = run_cli("check", tiny_spec)
    assert (ended.code, ended.refusal[0], ended.hint) == (2, "unknown-keyword", f"{INSTALL}; or remove ALIAS")
    tiny_spec.with_suffix(".cfg").write_text("CONSTANT Max = 2\nINIT Init NEXT Next\nCHECK_DEADLOCK FALSE\n")
    assert run_cli("check", tiny_spec).code == 0


def test_the_project_is_told_to_choose_another(run_cli: RunCli, tiny_sweep: Path) -> None:
    tiny_sweep.with_name("tla2py.toml").write_text(f'tla2tools = "{bundled_jar()}"\n')
    tiny_sweep.write_text(COUNTER_SWEEP + 'mode = "generate"\n')
    assert run_cli("sweep", tiny_sweep, "--dry-run").hint == f"{INSTALL} --default"
    named = run_cli("sweep", tiny_sweep, "--dry-run", "--tla2tools", bundled_jar())
    assert named.hint == f"{INSTALL}, then --tla2tools rolling"


def test_several_postconditions_need_a_tlc_of_2026(tmp_path: Path) -> None:
    # Only these keywords of the class that reads configs count.
    words = [b"POSTCONDITION", b"POSTCONDITIONS"]
    config = tmp_path / "MC.cfg"
    config.write_text("POSTCONDITION A\nPOSTCONDITION B\n")
    for known in (words[:1], words):
        with zipfile.ZipFile(tmp_path / "tla2tools.jar", "w") as jar:
            text = b"".join(len(word).to_bytes(2, "big") + word for word in known)
            jar.writestr("tlc2/tool/impl/ModelConfig.class", text)
        read_dialect.cache_clear()
        old = read_jar(bundled_jar(), "")
        found = lint_file(config, None, (), read_dialect(replace(old, path=tmp_path / "tla2tools.jar")))
        places = [str(each.place) for each in found if each.subject == "POSTCONDITIONS"]
        assert places == ([] if len(known) == 2 else [f"{config}:2:15"])


def test_a_newer_tlc_has_it(run_cli: RunCli, tiny_sweep: Path, newer_tlc: Path) -> None:
    module(tiny_sweep.parent, 'Seen == TLCGet("stats").distinct = 3')
    text = COUNTER_SWEEP.replace("[1, 2, 3]", "[2]") + 'options = ["-noTE"]\n'
    asked = ("sweep", tiny_sweep, *LOCAL, "--tla2tools", newer_tlc)
    tiny_sweep.write_text(text.replace("[model]\n", '[model]\npostconditions = ["Seen"]\n'))
    run_cli(*asked, code=0)
    tiny_sweep.write_text(text.replace("[model]\n", '[model]\npostconditions = ["Seen", "Small"]\n'))
    ended = run_cli(*asked, code=2)
    assert ended.refusal == ("unknown-keyword", f"{tiny_sweep}:3:28")
    assert "conjoins" in ended.hint
