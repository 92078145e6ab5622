"""Tools that are missing, stores that are none and disks that are full: told in two lines, and nothing half-written."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER_SWEEP, RunCli
from tests.integration.conftest import Refused, tree
from tla2py.toolchain.toolchain import bundled_jar

pytestmark = pytest.mark.java

CHECK = ("check", "Counter.tla", "-c", "Max=3")


# Tools


@pytest.fixture(params=["check", "sweep"])
def running(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The commands that need the tools."""
    if request.param == "check":
        return CHECK
    return ("sweep", "sweep.toml", "--executor", "local")


def test_a_jar_that_is_missing(refused: Refused, running: tuple[str, ...]) -> None:
    ended = refused(*running, "--tla2tools", "none.jar")
    assert "no such file: none.jar" in ended.errors[0]
    assert "--tla2tools" in ended.errors[1]


def test_a_jar_that_is_missing_by_the_environment(refused: Refused) -> None:
    ended = refused(*CHECK, env={"TLA2TOOLS_JAR": "/nowhere/tla2tools.jar"})
    assert "/nowhere/tla2tools.jar (from TLA2TOOLS_JAR)" in ended.errors[0]
    assert "unset it for the bundled one" in ended.errors[1]


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
    assert "bad.jar" in ended.errors[0]
    assert ("no such file" if how == "folder" else "cannot be read as a jar") in ended.errors[0]


def test_a_jar_that_is_not_tlc(refused: Refused, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
        jar.writestr("org/example/Main.class", b"\xca\xfe\xba\xbe")
    ended = refused(*CHECK, "--tla2tools", "other.jar")
    assert "other.jar is a jar without TLC" in ended.errors[0]


def java_that_says(folder: Path, words: str) -> Path:
    """A folder with a ``java`` that answers every question with some words."""
    folder.mkdir()
    launcher = folder / "java"
    launcher.write_text(f"#!/bin/sh\necho '{words}' >&2\n")
    launcher.chmod(0o755)
    return folder


def test_no_java(refused: Refused, running: tuple[str, ...], without_java: dict[str, str | None]) -> None:
    ended = refused(*running, env=without_java)
    assert "no Java was found" in ended.errors[0]
    assert "17" in ended.errors[1]


def test_a_java_home_without_java(refused: Refused, tmp_path: Path) -> None:
    ended = refused(*CHECK, env={"JAVA_HOME": str(tmp_path)})
    assert "JAVA_HOME" in ended.errors[0]


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ('openjdk version "1.8.0_392"', "Java 1.8.0_392"),
        ('java version "11.0.21" 2023-10-17 LTS', "Java 11.0.21"),
        ("something else", "unknown version"),
    ],
)
def test_a_java_that_is_too_old(refused: Refused, tmp_path: Path, words: str, shown: str) -> None:
    java = java_that_says(tmp_path / "bin", words)
    ended = refused(*CHECK, env={"PATH": str(java), "JAVA_HOME": None})
    assert shown in ended.errors[0]
    assert "17 or newer is needed" in ended.errors[0]


def test_a_java_that_cannot_be_started(refused: Refused, tmp_path: Path) -> None:
    java = java_that_says(tmp_path / "bin", "")
    (java / "java").write_bytes(b"\x7fELF and nothing more")
    ended = refused(*CHECK, env={"PATH": str(java), "JAVA_HOME": None})
    assert "cannot be started" in ended.errors[0]


# Stores


@pytest.fixture(params=["sweep", "trace", "query"])
def into(request: pytest.FixtureRequest) -> Callable[[str], tuple[str, ...]]:
    """The commands that take a store."""
    commands = {
        "sweep": lambda store: ("sweep", "sweep.toml", "--executor", "local", "-o", store),
        "trace": lambda store: ("trace", store),
        "query": lambda store: ("query", store, "SELECT 1"),
    }
    return commands[request.param]


def test_a_store_that_is_not_a_store(
    refused: Refused, into: Callable[[str], tuple[str, ...]], tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    assert "mine is not a store" in refused(*into("mine")).errors[0]
    # A file may be the output of TLC, for those who only look.
    said = "is not a store" if into("")[0] == "sweep" else "holds no trace"
    assert f"sweep.toml {said}" in refused(*into("sweep.toml")).errors[0]


def test_a_store_of_a_newer_schema(
    refused: Refused, into: Callable[[str], tuple[str, ...]], tmp_path: Path
) -> None:
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "store.json").write_text(
        '{"format": "tla2py-store", "version": 1000, "tla2py_version": "99.0"}'
    )
    ended = refused(*into("newer"))
    assert "written by tla2py 99.0" in ended.errors[0]
    assert "update tla2py" in ended.errors[1]


@pytest.mark.parametrize("command", ["trace", "query"])
def test_a_store_that_is_not_there(refused: Refused, command: str) -> None:
    ended = refused(command, "none", *(("SELECT 1",) if command == "query" else ()))
    assert "no such store: none" in ended.errors[0]
    assert "tla2py sweep" in ended.errors[1]


# Disks


def test_a_folder_that_cannot_be_made(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ended = refused("sweep", "sweep.toml", "--executor", "local", "-o", "file/store")
    assert "cannot write to file/store" in ended.errors[0]
    assert "-o" in ended.errors[1]
    assert "cannot write file/configs" in refused("cfg", "sweep.toml", "-o", "file/configs").errors[0]


def test_a_file_system_that_takes_no_folder(refused: Refused) -> None:
    for command in (("sweep", "sweep.toml", "--executor", "local"), ("cfg", "sweep.toml")):
        told = refused(*command, "-o", "/proc/self/store").errors[0]
        assert told.startswith("error: cannot write")
        assert "/proc/self/store" in told


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
    ended = run_cli(*run, prefix=with_file_size(100))
    assert ended.code == 2
    assert len(ended.errors) == 2
    assert "cannot write to store" in ended.errors[0]
    assert not [name for name, data in tree(tmp_path / "store").items() if data]
    again = run_cli(*run)
    assert again.code == 0, again.stderr


def test_a_full_disk_in_the_middle_keeps_what_is_recorded(
    run_cli: RunCli, tmp_path: Path, tiny_sweep: Path
) -> None:
    run = ("sweep", "sweep.toml", "--executor", "local", "-o", "store")
    first = run_cli(*run)
    assert first.code == 1, first.stderr
    before = tree(tmp_path / "store")
    tiny_sweep.write_text(COUNTER_SWEEP.replace("[1, 2, 3]", "[1, 2, 3, 4]"))
    ended = run_cli(*run, prefix=with_file_size(2000))
    assert ended.code == 2, ended
    assert "Traceback" not in ended.stderr
    assert "cannot write to store" in ended.stderr
    after = tree(tmp_path / "store")
    assert {n: after.get(n) for n in before if n.startswith("records/")} == {
        n: data for n, data in before.items() if n.startswith("records/")
    }
    assert not [name for name in after if ".tmp-" in name]
    # With room again, the same command does the rest.
    again = run_cli(*run)
    assert again.code == 1, again.stderr
    assert "1 run to execute, 3 are there already" in again.stderr


def test_a_check_without_room_for_its_files(refused: Refused, tmp_path: Path) -> None:
    ended = refused(*CHECK, prefix=with_file_size(100))
    assert "File too large" in ended.errors[0]


def test_what_was_refused_leaves_no_temporary_folder(
    run_cli: RunCli, tiny_sweep: Path, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    run_cli(*CHECK, env={"TMPDIR": str(scratch)}, prefix=with_file_size(100))
    assert list(scratch.iterdir()) == []
