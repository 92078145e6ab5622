"""Bad input, missing tools and full disks: exit code 2, two lines at most, no traceback, nothing half-written."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.integration.conftest import Refused, tree
from tests.integration.test_doctor import java_that_says
from tests.stores import record_ids
from tla2py.tlc.tools.jar import bundled_jar

Files = dict[str, str]
TWICE = {"more/sweep.toml": COUNTER_SWEEP.replace("Counter.tla", "../Counter.tla")}
SYNTAX = {"Counter.tla": COUNTER.replace("Up == x < Max", "Up == x < < Max")}
EXTENDS = {"Counter.tla": COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, Absent")}
EXPECTED = {"sweep.toml": COUNTER_SWEEP + '\n[[expect.point]]\nmatch = { Max = 9 }\nverdict = "holds"\n'}
CONFIG = {"Counter.cfg": "SPECIFICATION Spec\n"}
MISSPELT = {"sweep.toml": COUNTER_SWEEP.replace("Max =", "Maxx =")}
UNDEFINED = {"sweep.toml": COUNTER_SWEEP.replace('"Small"', '"Smal"')}


@pytest.mark.parametrize(
    ("asked", "files", "code", "where", "told"),
    [
        ("check Conter.tla", {}, "module-missing", "Conter.tla", ["", "Counter.tla"]),
        ("gate sweep.toml more/sweep.toml", TWICE, "same-store", None, ["sweep.toml and", "more/"]),
        ("sweep sweep.toml more/sweep.toml", TWICE, "same-store", None, ["sweep.toml and", "more/"]),
        ("check Counter.tla", SYNTAX, "module-syntax", "Counter.tla:7:13", ["Max", ""]),
        ("inspect Counter.tla", EXTENDS, "module-missing", "Counter.tla:3:19", ["Absent", "-L"]),
        ("check Counter.tla -c Maxx=3", {}, "unknown-constant", None, ["Maxx", "Max?"]),
        ("check Counter.tla", {}, "unassigned", "Counter.tla", ["Max", "Counter.tla:7:11"]),
        ("check Counter.tla -c Max=3 --workers 0", {}, "usage", None, ["--workers", "-h"]),
        ("sweep sweep.toml", MISSPELT, "unknown-parameter", "sweep.toml:5:1", ["", "Max?"]),
        ("cfg sweep.toml -o configs", UNDEFINED, "unknown-definition", "sweep.toml:3:16", ["", "Small?"]),
        ("sweep Counter.tla", {}, "sweep-syntax", None, ["", "init Counter.tla -o sweep.toml"]),
        ("gate Counter.cfg", CONFIG, "sweep-syntax", None, ["", "--configs"]),
        ("check sweep.toml", {}, "module-syntax", None, ["sweep.toml", "tla2py sweep"]),
        ("inspect sweep.toml", {}, "module-syntax", None, ["sweep.toml", "tla2py sweep"]),
        ("init sweep.toml", {}, "module-syntax", None, ["sweep.toml", "tla2py sweep"]),
        ("lint sweep.toml", EXPECTED, "expect-no-point", "sweep.toml:10:1", ["Max = 9", "1, 2, 3"]),
    ],
)
def test_a_command_is_refused(
    refused: Refused, tmp_path: Path, asked: str, files: Files, code: str, where: str | None, told: list[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    ended = refused(*asked.split())
    assert ended.refusal == (code, where)
    assert told[0] in ended.error.message
    assert told[1] in ended.hint


def test_a_mended_mistake_lets_the_sweep_run(refused: Refused, tiny_sweep: Path, run_cli: RunCli) -> None:
    sweep = ("sweep", tiny_sweep.name, "--executor", "local", "-o", "store")
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[parameters]\nMax = [1, 2, 3]\n", ""))
    refused(*sweep)
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    run_cli(*sweep, code=1)


CHECK = ("check", "Counter.tla", "-c", "Max=3")


@pytest.mark.parametrize("how", ["empty", "text", "truncated", "folder"])
def test_a_jar_that_is_corrupt(refused: Refused, tmp_path: Path, how: str) -> None:
    jar = tmp_path / "bad.jar"
    if how == "folder":
        jar.mkdir()
    elif how == "truncated":
        whole = bundled_jar().read_bytes()
        jar.write_bytes(whole[: len(whole) * 2 // 3])
    else:
        jar.write_bytes(b"" if how == "empty" else b"this is no jar\n")
    ended = refused(*CHECK, "--tla2tools", "bad.jar")
    assert ended.refusal == ("jar-missing" if how == "folder" else "jar-corrupt", None)
    assert "bad.jar" in ended.error.message


@pytest.mark.parametrize("running", [CHECK, ("sweep", "sweep.toml", "--executor", "local")])
def test_no_java(refused: Refused, running: tuple[str, ...], without_java: dict[str, str | None]) -> None:
    ended = refused(*running, env=without_java)
    assert ended.refusal == ("java-missing", None)
    assert "17" in ended.hint


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        ('openjdk version "1.8.0_392"', "java-too-old", "1.8.0_392"),
        ('java version "11.0.21" 2023-10-17 LTS', "java-too-old", "11.0.21"),
        ("something else", "java-too-old", "unknown"),
        ("", "java-missing", "bin/java"),
    ],
)
def test_a_java_that_does_not_do(refused: Refused, tmp_path: Path, words: str, code: str, shown: str) -> None:
    java = java_that_says(tmp_path / "bin", words)
    if not words:
        (java / "java").write_bytes(b"\x7fELF and nothing more")
    ended = refused(*CHECK, env={"PATH": str(java), "JAVA_HOME": None})
    assert (ended.refusal, shown in ended.error.message) == ((code, None), True)


def test_what_the_environment_names_is_missing(refused: Refused, tmp_path: Path) -> None:
    for name, value, code in (
        ("JAVA_HOME", str(tmp_path), "java-missing"),
        ("TLA2TOOLS_JAR", "/nowhere/tla2tools.jar", "jar-missing"),
    ):
        ended = refused(*CHECK, env={name: value})
        assert (ended.refusal, name in ended.error.message) == ((code, None), True)


def with_file_size(size: int) -> tuple[str, ...]:
    """What starts a process whose files cannot grow beyond so many bytes, as on a full disk."""
    program = (
        f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    return (sys.executable, "-c", program)


def test_a_full_disk_from_the_start(run_cli: RunCli, tmp_path: Path, tiny_sweep: Path) -> None:
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[1]"))
    run = ("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    ended = run_cli(*run, prefix=with_file_size(100), code=2)
    assert len(ended.errors) == 2
    assert ended.error.code == "store-unwritable"
    assert not [name for name, data in tree(tmp_path / "store").items() if data]
    run_cli(*run, code=0)


def test_a_full_disk_in_the_middle_keeps_records(run_cli: RunCli, tmp_path: Path, tiny_sweep: Path) -> None:
    run = ("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    run_cli(*run, code=1)
    before = record_ids(tmp_path / "store")
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2, 3, 4]"))
    ended = run_cli(*run, prefix=with_file_size(2000), code=2)
    assert "Traceback" not in ended.stderr
    assert ended.error.code == "store-unwritable"
    after = tree(tmp_path / "store")
    assert record_ids(tmp_path / "store") == before
    assert not [name for name in after if ".tmp-" in name]
    # With room again, the same command does the rest.
    again = run_cli(*run, code=1)
    assert (again.executed, again.cached) == (1, 3)


def test_a_check_without_room_for_its_files(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    # It leaves no temporary folder either.
    ended = refused(*CHECK, env={"TMPDIR": str(tmp_path / "scratch")}, prefix=with_file_size(100))
    assert ended.error.code == "system"
    assert os.strerror(errno.EFBIG) in ended.error.message


# The names of files are ASCII to Python then, unless it is told otherwise.
ASCII_NAMES = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("store", ["\u00fc\u00fc", "\u4e8c/\u00df"])
def test_names_are_no_ascii_whatever_the_locale(run_cli: RunCli, tiny_sweep: Path, store: str) -> None:
    def run(*asked: str | Path, code: int) -> str:
        ended = run_cli(*asked, cwd=tiny_sweep.parent, env=ASCII_NAMES, process=True, code=code)
        assert "Traceback" not in ended.stderr
        return ended.stdout

    assert f"tla2py trace {store!r} 3" in run("sweep", tiny_sweep, "-o", store, "--executor", "local", code=1)
    assert "Small" in run("trace", store, "3", code=0)
    assert run("query", store, "SELECT count(*) AS n FROM runs", "--json", code=0).split() == [
        "[",
        "{",
        '"n":',
        "3",
        "}",
        "]",
    ]
    run("report", store, "-o", f"{store}.html", code=0)
    assert (tiny_sweep.parent / f"{store}.html").is_file()
