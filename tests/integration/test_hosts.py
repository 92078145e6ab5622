"""JVMs that run TLC many times: every run has to come out as in a process of its own."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.conftest import SPECS, RunCli
from tests.corpus.tlc.regenerate import REPLACED
from tests.stores import lasting_tables
from tla2py.model.model import GivenVariable, Inputs
from tla2py.model.run import Limits, TlcOptions
from tla2py.tlc.process import pool as hosts
from tla2py.tlc.process.command import build_argv
from tla2py.tlc.process.gateway import gateway_jar
from tla2py.tlc.process.host import FOLDER
from tla2py.tlc.process.pool import HOST_OPTIONS, close_hosts, execute_warm, note_cold, suits
from tla2py.tlc.process.process import Watch
from tla2py.tlc.tools.jar import bundled_jar
from tla2py.tlc.tools.java import find_java

CORPUS = Path(__file__).resolve().parent.parent / "corpus" / "tlc"
LIMITS = Limits(timeout_seconds=120, memory_bytes=1 << 30)
# Left to processes of their own: a search by depth finds now one trace and now another, and so on.
OWN = {"-dfid", "-simulate", "-generate", "-dump"}


@pytest.fixture(autouse=True)
def _hosts() -> Iterator[None]:
    close_hosts()
    yield
    close_hosts()


def running() -> set[int]:
    """The JVMs below this process that are hosts."""
    found = set()
    for child in psutil.Process().children(recursive=True):
        try:
            if "py4j.GatewayServer" in child.cmdline() and child.name() == "java":
                found.add(child.pid)
        except psutil.Error:
            continue
    return found


def argv_of(jar: Path, *arguments: str) -> tuple[str, ...]:
    java = [str(find_java().path), "-Xmx256m", "-XX:+UseParallelGC", "-Xss4m", "-Duser.language=en"]
    java += ["-Duser.country=US", "-Dfile.encoding=UTF-8", f"-Djava.io.tmpdir={FOLDER}/tmp"]
    return (*java, *HOST_OPTIONS, "-cp", str(jar), "tlc2.TLC", *arguments)


def folder_of(tmp_path: Path, *files: Path) -> Path:
    folder = tmp_path / "run"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    for file in files:
        shutil.copy(file, folder)
    return folder


def spec(tmp_path: Path, body: str, config: str) -> Path:
    folder = folder_of(tmp_path)
    (folder / "Spec.tla").write_text(f"---- MODULE Spec ----\nEXTENDS Naturals\nVARIABLE x\n{body}\n====\n")
    (folder / "MC.cfg").write_text(config)
    return folder


def run(
    folder: Path, stop: threading.Event | None = None, limits: Limits = LIMITS, watch: Watch | None = None
) -> int | None:
    """The exit status of a run on a host, None where there is none."""
    model = (FOLDER, "Spec", TlcOptions(), limits, HOST_OPTIONS)
    argv = build_argv(find_java().path, bundled_jar(), *model)
    done = execute_warm(argv, folder, folder, limits, stop, watch=watch)
    return None if done is None else done[1].exit_code


GROWING = "Init == x = 0\nNext == x' = x + 1\n"
HOLDS = "Init == x = 0\nNext == x' = 1 - x\n"
CONFIG = "INIT Init\nNEXT Next\n"


def test_every_kind_of_outcome_is_that_of_a_process(tmp_path: Path) -> None:
    cases = sorted(path.parent for path in CORPUS.glob("*/expected.json"))
    # Whatever one of them leaves behind would show in those that come later.
    random.Random(8).shuffle(cases)
    compared, codes = 0, set()
    for case in cases:
        expected = json.loads((case / "expected.json").read_text())
        options = expected.get("options", [])
        own = {part.partition(",")[0] for part in options} & OWN or expected.get("java_options")
        if own or "2.15" not in expected["exit_code"]:
            continue
        folder = folder_of(tmp_path, *case.glob("Spec.*"))
        arguments = ["-tool", "-fp", "0", "-seed", "1", "-workers", "1", "-metadir", "states"]
        argv = argv_of(bundled_jar(), *arguments, "-config", "Spec.cfg", *options, "Spec.tla")
        done = execute_warm(argv, folder, folder, LIMITS)
        assert done is not None, case.name
        place = next(part for part in done[0] if part.startswith("-Djava.io.tmpdir="))
        home = place.partition("=")[2].removesuffix("tmp")
        text = (folder / "stdout.txt").read_text().replace(home, "")
        for pattern, replacement in REPLACED:
            text = re.sub(pattern, replacement, text)
        assert text == (case / "2.15.txt").read_text(), case.name
        assert done[1].exit_code == expected["exit_code"]["2.15"], case.name
        compared += 1
        codes.add(done[1].exit_code)
    assert compared > 40
    assert codes >= {0, 1, 10, 11, 12, 13, 150, 151, 255}


def test_a_sweep_comes_out_as_without(tmp_path: Path, run_cli: RunCli) -> None:
    shutil.copy(SPECS / "Counter.tla", tmp_path)
    text = (SPECS / "counter.toml").read_text().replace("Max = [1, 2, 3]", "Max = [1, 2, 3, 4, 5, 6]")
    tables = []
    for name, switch in (("warm", ""), ("cold", "warm = false\n")):
        (tmp_path / f"{name}.toml").write_text(text.replace("[tlc]\n", f"[tlc]\n{switch}"))
        run_cli("sweep", f"{name}.toml", "--executor", "local", "-o", name, code=1)
        tables.append(lasting_tables(tmp_path / name))
    for table, rows in tables[0].items():
        assert rows == tables[1][table], table
    assert running() == set()


def test_one_jvm_runs_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(spec(tmp_path, HOLDS, CONFIG)) == 0
    (first,) = running()
    assert run(spec(tmp_path, GROWING + "Small == x < 5", CONFIG + "INVARIANT Small")) == 12
    assert run(spec(tmp_path, "Init == x = 0\nNext == x < 3 /\\ x' = x + 1", CONFIG)) == 11
    assert running() == {first}
    # But not for ever.
    close_hosts()
    monkeypatch.setattr(hosts, "_RUNS", 1)
    assert run(spec(tmp_path, HOLDS, CONFIG)) == 0
    assert running() == set()


def test_a_run_that_goes_on_is_left_to_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "LONG_SECONDS", 0.5)
    folder = spec(tmp_path, GROWING, CONFIG)
    before = sorted(file.name for file in folder.iterdir())
    assert run(folder) is None
    assert sorted(file.name for file in folder.iterdir()) == before
    assert running() == set()
    # Those that come next are likely to be as long, until one is not.
    monkeypatch.undo()
    assert run(spec(tmp_path, HOLDS, CONFIG)) is None
    note_cold(0.1)
    assert run(spec(tmp_path, HOLDS, CONFIG)) == 0


@pytest.mark.parametrize(
    ("body", "megabytes"),
    [
        ("RECURSIVE F(_)\nF(n) == 1 + F(n + 1)\nInit == x = F(0)\nNext == x' = x", 1024),
        ("Init == x = 0\nNext == x' = [i \\in 1..100000000 |-> i]", 300),
    ],
    ids=["stack", "memory"],
)
def test_a_run_that_needs_too_much_is_left_to_a_process(tmp_path: Path, body: str, megabytes: int) -> None:
    limits = Limits(timeout_seconds=120, memory_bytes=megabytes << 20)
    assert run(spec(tmp_path, body, CONFIG), limits=limits) is None
    assert running() == set()


def test_a_run_that_is_stopped_ends_its_jvm(tmp_path: Path) -> None:
    stop = threading.Event()
    seen: list[tuple[bool, int]] = []

    def watch(stdout: Path, memory_bytes: int) -> None:
        seen.append((stdout.is_file(), memory_bytes))
        stop.set()

    assert run(spec(tmp_path, GROWING, CONFIG), stop, watch=watch) is None
    assert running() == set()
    [(there, memory_bytes)] = seen
    assert there
    assert memory_bytes > 10 << 20
    # So does one whose streams are removed.
    close_hosts()
    assert run(spec(tmp_path, GROWING, CONFIG), watch=lambda stdout, _: stdout.unlink()) is None
    assert running() == set()


@pytest.mark.parametrize("name", ["out", "err"])
def test_a_run_whose_streams_are_removed_is_left_to_a_process(tmp_path: Path, name: str) -> None:
    assert run(spec(tmp_path, HOLDS, CONFIG)) == 0
    [(_, host)] = hosts._pool.idle
    (host.folder.parent / name).unlink()
    assert run(spec(tmp_path, HOLDS, CONFIG)) is None
    assert running() == set()
    assert run(spec(tmp_path, HOLDS, CONFIG)) == 0


def test_what_is_not_for_hosts() -> None:
    assert suits(TlcOptions())
    assert suits(TlcOptions(options=("-continue",), coverage=True, graph=True))
    assert not suits(TlcOptions(mode="simulate"))
    assert not suits(TlcOptions(java_options=("-Xint",)))
    assert not suits(TlcOptions(options=("-dump", "states")))
    assert suits(TlcOptions(), Inputs(environment=(GivenVariable("LOG", "a"),)))
    assert not suits(TlcOptions(), Inputs(environment=(GivenVariable("LC_ALL", "C"),)))


DRIVER = """
import sys, time
from pathlib import Path
from tla2py.tlc.process.gateway import gateway_jar
from tla2py.tlc.process.host import FOLDER, Host
from tla2py.tlc.process.gateway import OPENED
host = Host()
host.start((sys.argv[1], OPENED, f"-Djava.io.tmpdir={FOLDER}/tmp"), gateway_jar(), (Path(sys.argv[2]),))
print(host._jvm.pid, host.folder.parent, flush=True)
time.sleep(60)
"""


def test_nothing_is_left_when_the_driver_is_killed() -> None:
    command = [sys.executable, "-c", DRIVER, str(find_java().path), str(bundled_jar())]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    pid, folder = driver.stdout.readline().split()
    assert psutil.pid_exists(int(pid))
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    deadline = time.monotonic() + 30
    while (psutil.pid_exists(int(pid)) or Path(folder).exists()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not psutil.pid_exists(int(pid))
    assert not Path(folder).exists()


def test_without_the_gateway_or_a_java_that_starts_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    folder, argv = spec(tmp_path, HOLDS, CONFIG), argv_of(bundled_jar(), "-config", "MC.cfg", "Spec.tla")
    assert execute_warm(("/bin/false", *argv[-6:]), folder, folder, LIMITS) is None
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delenv("SPARK_HOME", raising=False)
    gateway_jar.cache_clear()
    request.addfinalizer(gateway_jar.cache_clear)
    assert execute_warm(argv, folder, folder, LIMITS) is None
    assert running() == set()
