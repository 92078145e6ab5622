"""Tools that are missing, stores that are none and disks that are full: told in two lines, and nothing half-written."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER_SWEEP, RunCli
from tests.integration.conftest import Refused, tree
from tests.integration.test_doctor import java_that_says
from tests.stores import record_ids
from tla2py.tlc.tools.jar import bundled_jar

CHECK = ("check", "Counter.tla", "-c", "Max=3")


# Tools


@pytest.fixture(params=["check", "sweep"])
def running(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The commands that need the tools."""
    if request.param == "check":
        return CHECK
    return ("sweep", "sweep.toml", "--executor", "local")


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
    ended = refused(*into("mine"))
    assert ended.error.code == "not-a-store"
    assert "mine" in ended.error.message
    # A file may be the output of TLC, for those who only look.
    ended = refused(*into("sweep.toml"))
    assert ended.error.code == ("not-a-store" if into("")[0] == "sweep" else "trace-file-unknown")
    assert "sweep.toml" in ended.error.message


# Disks


@pytest.mark.parametrize("folder", ["file", "/proc/self"])
@pytest.mark.parametrize(
    ("command", "code"),
    [(("sweep", "--executor", "local"), "store-unwritable"), (("cfg",), "output-unwritable")],
)
def test_a_folder_that_cannot_be_made(
    refused: Refused, tmp_path: Path, command: tuple[str, ...], code: str, folder: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    ended = refused(*command, "sweep.toml", "-o", f"{folder}/new")
    assert (ended.error.code, f"{folder}/new" in ended.error.message) == (code, True)


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


def test_a_full_disk_in_the_middle_keeps_what_is_recorded(
    run_cli: RunCli, tmp_path: Path, tiny_sweep: Path
) -> None:
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
    ended = refused(*CHECK, prefix=with_file_size(100))
    assert ended.error.code == "system"
    assert os.strerror(errno.EFBIG) in ended.error.message


def test_what_was_refused_leaves_no_temporary_folder(
    run_cli: RunCli, tiny_sweep: Path, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    run_cli(*CHECK, env={"TMPDIR": str(scratch)}, prefix=with_file_size(100))
    assert list(scratch.iterdir()) == []
