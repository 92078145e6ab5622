"""Bad input through the real command line: exit code 2, two lines at most, no traceback, nothing half-written."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, Ended, RunCli
from tla2py.tlc.toolchain import bundled_jar

pytestmark = pytest.mark.java

Refused = Callable[..., Ended]
MAX3 = ("-c", "Max=3")
CHECK = ("check", "Counter.tla", *MAX3)


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: the bytes of files, None for folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def refused(run_cli: RunCli, tmp_path: Path, tiny_sweep: Path) -> Refused:
    """``refused(*args, **options)`` runs a command that has to be refused and leave everything as it was."""

    def run(*args: str | Path, **options: object) -> Ended:
        before = tree(tmp_path)
        ended = run_cli(*args, **options)
        assert ended.code == 2, ended
        assert 1 <= len(ended.errors) <= 2, ended.stderr
        assert ended.errors[0].startswith("error: ")
        assert "Traceback" not in ended.stderr
        assert ended.stdout == ""
        assert tree(tmp_path) == before
        return ended

    return run


@pytest.fixture
def swept(tiny_sweep: Path) -> Callable[[str], Path]:
    """``swept(text)`` writes another sweep file over the same module."""

    def write(text: str) -> Path:
        tiny_sweep.write_text(text)
        return tiny_sweep

    return write


# Modules


@pytest.mark.parametrize("command", ["check", "inspect"])
def test_no_such_module(refused: Refused, command: str) -> None:
    ended = refused(command, "Conter.tla")
    assert "Conter.tla" in ended.errors[0]
    assert "no such module" in ended.errors[0]
    assert "Counter.tla" in ended.errors[1]


def test_no_such_module_in_a_sweep(refused: Refused, swept: Callable[[str], Path]) -> None:
    ended = refused("sweep", swept('module = "Conter.tla"\n'))
    assert "no such module" in ended.stderr
    assert "Counter.tla" in ended.stderr


@pytest.mark.parametrize("command", ["check", "inspect", "sweep"])
def test_a_syntax_error(refused: Refused, tiny_spec: Path, tiny_sweep: Path, command: str) -> None:
    tiny_spec.write_text(COUNTER.replace("Up == x < Max", "Up == x < < Max"))
    ended = refused(command, tiny_sweep.name if command == "sweep" else tiny_spec.name)
    assert "Counter.tla:7:13: syntax error" in ended.errors[0]
    assert "unexpected Max" in ended.errors[0]


@pytest.mark.parametrize("command", ["check", "inspect", "sweep"])
def test_a_missing_extends(refused: Refused, tiny_spec: Path, tiny_sweep: Path, command: str) -> None:
    tiny_spec.write_text(COUNTER.replace("EXTENDS Naturals", "EXTENDS Naturals, Absent"))
    ended = refused(command, tiny_sweep.name if command == "sweep" else tiny_spec.name)
    assert "Counter.tla:3:19: module Absent is not found" in ended.stderr
    assert "-L" in ended.errors[1]


def test_a_missing_extends_of_an_extended_module(refused: Refused, tiny_spec: Path) -> None:
    tiny_spec.with_name("Deeper.tla").write_text("---- MODULE Deeper ----\nEXTENDS Counter, Natural\n====\n")
    ended = refused("check", "Deeper.tla")
    assert "Deeper.tla:2:18: module Natural is not found" in ended.stderr
    assert "did you mean Naturals" in ended.errors[1]


# Names


@pytest.mark.parametrize(
    ("arguments", "said", "advice"),
    [
        (("-c", "Maxx=3"), "no constant Maxx", "did you mean Max?"),
        ((*MAX3, "--invariant", "Smal"), "no definition Smal", "did you mean Small?"),
        ((*MAX3, "--property", "Smal"), "no definition Smal", "did you mean Small?"),
        (("-c", "Max"), "is not NAME=VALUE", "for example"),
        (("-c", "Max=1 +"), "not a TLA+ expression: 1 +", ""),
        ((), "constant Max is assigned nowhere and must be a number", "Counter.tla:7:11 needs it"),
        ((*MAX3, "--timeout", "soon"), "'soon' is no duration", "2m"),
        ((*MAX3, "--memory", "1MiB"), "less than a JVM needs", "128MiB"),
        ((*MAX3, "--workers", "0"), "--workers", "-h"),
        ((*MAX3, "--config", "No.cfg"), "no such config: No.cfg", ""),
        (("--nothing",), "--nothing", "-h"),
    ],
)
def test_what_check_refuses(refused: Refused, arguments: tuple[str, ...], said: str, advice: str) -> None:
    ended = refused("check", "Counter.tla", *arguments)
    assert said in ended.errors[0]
    assert advice in ended.stderr


def test_a_config_that_tlc_would_misread(refused: Refused, tiny_spec: Path) -> None:
    tiny_spec.with_suffix(".cfg").write_text("SPECIFICATION Spec\nCONSTANT Max = 3\nINVARIANT Small, Small\n")
    ended = refused("check", "Counter.tla")
    assert "Counter.cfg:3:16" in ended.errors[0]


def test_an_unknown_command(refused: Refused) -> None:
    assert "did you mean 'check'" in refused("chek").errors[0].lower()


@pytest.mark.parametrize(
    ("old", "new", "line", "said", "advice"),
    [
        ("Max =", "Maxx =", 5, "parameter Maxx is neither a constant nor a definition", "did you mean Max?"),
        ("[parameters]", "[constants]\nMin = 1\n[parameters]", 5, "declares no constant Min", "Max"),
        ('"Small"', '"Smal"', 3, "no definition Smal", "did you mean Small?"),
        ('"Small"]', '"Small"]\nproperties = ["Live"]', 4, "no definition Live", "inspect"),
        ('"Small"]', '"Small"]\nspecification = "Spek"', 4, "no definition Spek", "did you mean Spec?"),
        ("[1, 2, 3]", "[]", 5, "parameter Max has no values", ""),
        ("[1, 2, 3]", "[1, 2, 1]", 5, "has the value 1 twice", ""),
        ("[1, 2, 3]", '["1 +"]', None, "not a TLA+ expression", ""),
        ("[1, 2, 3]", "[1, 2", 6, "not TOML", ""),
        ("invariants", "invariant", 3, "unknown key model.invariant", "did you mean invariants?"),
        ("[parameters]", "[parameter]", 4, "unknown key parameter", "did you mean parameters?"),
        ('"1m"', '"soon"', 7, "'soon' is no duration", "2m"),
        ('"256MiB"', '"tiny"', 8, "'tiny' is no amount of memory", "512MiB"),
        ("module", "template = 'no.j2'\nmodule", 1, "no such template: no.j2", ""),
        ("module", "libraries = ['no']\nmodule", 1, "no such folder: no", ""),
        ("[parameters]\nMax = [1, 2, 3]\n", "", None, "constant Max is assigned nowhere", "Counter.tla:7:11"),
    ],
)
def test_what_sweep_and_cfg_refuse(
    refused: Refused,
    swept: Callable[[str], Path],
    old: str,
    new: str,
    line: int | None,
    said: str,
    advice: str,
) -> None:
    assert old in COUNTER_SWEEP
    file = swept(COUNTER_SWEEP.replace(old, new, 1))
    ended = refused("sweep", file.name, "--executor", "local")
    assert said in ended.errors[0]
    assert advice in ended.stderr
    if line is not None:
        assert f"sweep.toml:{line}:" in ended.errors[0]


def test_cfg_refuses_what_sweep_refuses(refused: Refused, swept: Callable[[str], Path]) -> None:
    for old, new in (("Max =", "Maxx ="), ("[1, 2, 3]", '["1 +"]'), ("[1, 2, 3]", "[1, 2")):
        file = swept(COUNTER_SWEEP.replace(old, new, 1))
        as_sweep = refused("sweep", file.name, "--executor", "local")
        assert refused("cfg", file.name, "-o", "configs").stderr == as_sweep.stderr


def test_a_value_that_no_template_could_place(
    refused: Refused, swept: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "own.j2").write_text("SPECIFICATION Spec\nINVARIANT {{ config.invariant }}\n")
    ended = refused("sweep", swept('template = "own.j2"\n' + COUNTER_SWEEP).name, "--executor", "local")
    assert "own.j2:2" in ended.errors[0]
    assert "'invariant'" in ended.errors[0]


def test_no_such_sweep_file(refused: Refused) -> None:
    assert "no such sweep file: none.toml" in refused("sweep", "none.toml").errors[0]


def test_a_mistake_is_mended_and_the_sweep_goes_on(
    refused: Refused, swept: Callable[[str], Path], run_cli: RunCli
) -> None:
    file = swept(COUNTER_SWEEP.replace("[parameters]\nMax = [1, 2, 3]\n", ""))
    refused("sweep", file.name, "--executor", "local", "-o", "store")
    swept(COUNTER_SWEEP.replace("[1, 2, 3]", "[3]"))
    ended = run_cli("sweep", file.name, "--executor", "local", "-o", "store")
    assert ended.code == 1, ended.stderr


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


def test_no_java(refused: Refused, running: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = refused(*running, env={"PATH": str(tmp_path / "empty"), "JAVA_HOME": None})
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
    assert "sweep.toml is not a store" in refused(*into("sweep.toml")).errors[0]


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
    assert "cannot write to file/configs" in refused("cfg", "sweep.toml", "-o", "file/configs").errors[0]


def test_a_file_system_that_takes_no_folder(refused: Refused) -> None:
    for command in (("sweep", "sweep.toml", "--executor", "local"), ("cfg", "sweep.toml")):
        assert "cannot write to /proc/self/" in refused(*command, "-o", "/proc/self/store").errors[0]


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
