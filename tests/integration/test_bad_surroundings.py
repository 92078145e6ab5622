"""Tools that are missing and disks that are full: told in two lines, and nothing half-written."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from tests.conftest import COUNTER_SWEEP, RunCli
from tests.integration.conftest import Refused, tree
from tests.integration.test_doctor import java_that_says
from tests.stores import record_ids
from tla2py.tlc.tools.jar import bundled_jar

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
