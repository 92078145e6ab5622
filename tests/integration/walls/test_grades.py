"""The walls that stand, where they are reported, and what happens where some are missing."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.command import tool
from tests.conftest import RunCli
from tests.integration.walls.attacker import STOOD, Attacker, folders, without_bubblewrap
from tla2py.model.run import WALLS, Wall, Walls
from tla2py.store.store import Store
from tla2py.tlc.process import sandbox
from tla2py.tlc.process.child import Command
from tla2py.tlc.process.process import ProcessEnd, execute_argv
from tla2py.tlc.process.sandbox import Sandbox, sandbox_text, start, walls


def test_runs_outlive_the_thread_that_started_them(tmp_path: Path) -> None:
    begun = []
    folder = folders(tmp_path, "one") / "run"
    with (tmp_path / "out").open("wb") as out:

        def begin() -> None:
            argv = ("/bin/sh", "-c", "while [ ! -e go ]; do sleep 0.05; done; exit 3")
            variables = {"PATH": os.defpath}
            command = Command(
                argv=argv, folder=folder, scratch=folder, variables=variables, stdout=out, stderr=out
            )
            begun.append(start(command, Sandbox(folder=folder)))

        thread = threading.Thread(target=begin)
        thread.start()
        thread.join()
    (folder / "go").touch()
    while not begun[0].ended():
        time.sleep(0.01)
    assert begun[0].end()[0] == 3


# It works once, when it is tried, and then no longer.
FRAUD = """#!/bin/sh
[ -e {tried} ] && { echo "bwrap: No space for namespaces" >&2; exit 1; }
touch {tried}
while [ "$1" != --json-status-fd ]; do shift; done
echo '{"exit-code": 0}' >/proc/self/fd/$2
"""


def test_a_bubblewrap_that_does_not_work(run_cli: RunCli, tmp_path: Path, tiny_sweep: Path) -> None:
    path = without_bubblewrap(tmp_path / "bin")
    fraud = tmp_path / "bin/bwrap"
    fraud.write_text(FRAUD.replace("{tried}", str(tmp_path / "tried")))
    fraud.chmod(0o755)
    env = {"PATH": path, "XDG_CACHE_HOME": str(tmp_path)}
    # A wall that falls is never passed over.
    ended = run_cli("sweep", tiny_sweep, "--executor", "local", "--fresh", env=env, code=2)
    assert "TLC did not start" in ended.stdout, ended
    assert "No space for namespaces" in ended.stdout + ended.stderr, ended
    fraud.write_text("#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n")
    ended = run_cli("doctor", "--no-self-test", "--json", env={"PATH": path})
    (found,) = (each for each in ended.json if each["about"] == "sandbox")
    assert not found["found"].startswith("bubblewrap")
    assert "no namespaces here" in found["found"]
    assert (found["state"] == "ok") == (not sandbox._kernel_walls().missing)


# Landlock allows sixteen layers.
LAYERS = """
import os, threading
from pathlib import Path
from tla2py.tlc.process.os_facts import drop_privileges, restrict_thread
drop_privileges()
try:
    for _ in range(16):
        restrict_thread((Path("/"),), (Path("/tmp"), Path.home()), (Path("/dev/null"),))
except OSError:
    pass
"""


def test_a_sandbox_below_too_many_others_is_named(attacker: Attacker) -> None:
    stood = json.loads(attacker.python(LAYERS + STOOD))
    assert stood["by"] in ("kernel", "none")
    assert {"files", "secrets", "processes"} <= {*stood["missing"]}
    asked = "import sys; from tla2py.cli.main import main; sys.argv = ['tla2py', *sys.argv[1:]]; main()"
    argv = (sys.executable, "-c", LAYERS + asked, "check", "Missing.tla", "--sandbox", "require")
    process = attacker.popen(*argv)
    told = process.communicate(timeout=300)
    assert process.returncode == 2, told


def test_a_sweep_names_missing_walls_and_its_records_all(
    run_cli: RunCli, tiny_sweep: Path, tmp_path: Path
) -> None:
    missing = f"; sandbox: {sandbox_text(walls())}" if walls().missing else ""
    for options, words, expected in (((), missing, walls()), (("--trust",), "; trusted", None)):
        folder = tmp_path / ("trusted" if options else "walled")
        ended = run_cli("sweep", tiny_sweep, "--executor", "local", "-o", folder, *options)
        assert ended.errors[0].endswith(f"to execute{words}"), ended
        store = Store(folder)
        for run_id in store.recorded():
            with store.archive(run_id) as archive:
                assert [each.walls for each in archive.record.executions] == [expected]


def test_required_walls_missing(run_cli: RunCli, tiny_sweep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("sweep", tiny_sweep, "--executor", "local", "--sandbox", "require")
    if not walls().missing:
        assert run_cli(*asked).code == 1  # a violation
    monkeypatch.setattr(sandbox, "walls", lambda: Walls(by="kernel", missing=("processes",)))
    ended = run_cli(*asked, "--fresh", code=2)
    assert ended.error.code == "sandbox-missing"
    assert ("signals" in ended.error.message, "bubblewrap" in ended.hint) == (True, True)


def kernel(patch: pytest.MonkeyPatch, *, landlock: int = 7, filters: int = 1, linux: int = 1) -> Walls:
    """The walls on a system without bubblewrap that has no more than this."""
    patch.setattr(sandbox, "bubblewrap", lambda: None)
    patch.setattr(sandbox, "landlock_version", lambda: landlock)
    patch.setattr(sandbox, "can_filter", lambda: filters)
    patch.setattr(sandbox, "on_linux", lambda: linux)
    found = sandbox._kernel_walls.__wrapped__()
    patch.setattr(sandbox, "_kernel_walls", lambda: found)
    return found


SYSTEMS: dict[str, tuple[dict[str, int], set[Wall]]] = {
    "Linux 6.12": ({}, set()),
    "Linux 5.13": ({"landlock": 1}, {"processes"}),
    "no Landlock": ({"landlock": 0}, {"files", "secrets", "processes"}),
    "no seccomp": ({"filters": 0}, {"network", "processes", "lifetime"}),
    "macOS": ({"linux": 0}, {*WALLS}),
}


def executed(base: Path, *argv: str) -> ProcessEnd:
    box = Sandbox(folder=base / "run")
    return execute_argv(argv, base / "run", base, timeout_seconds=60, memory_bytes=1 << 30, sandbox=box)


@pytest.mark.parametrize("system", SYSTEMS)
def test_runs_where_walls_are_missing(system: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    has, missing = SYSTEMS[system]
    present = sandbox._kernel_walls()
    found = kernel(monkeypatch, **has)
    assert {*found.missing} == missing | {*present.missing}
    base = folders(tmp_path, "one")
    ended = executed(base, "/bin/sh", "-c", "echo here; exit 5")
    assert (ended.exit_code, ended.termination_reason, ended.walls) == (5, None, found)
    assert (base / "stdout.txt").read_text() == "here\n"


def test_bubblewrap_that_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    base = folders(tmp_path, "one")
    monkeypatch.setattr(sandbox, "walls", lambda: Walls(by="bubblewrap"))
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    ended = executed(base, "/bin/true")
    assert (ended.exit_code, ended.walls) == (None, None)
    assert "bubblewrap is gone" in (base / "stdout.txt").read_text()


def test_inside_another_bubblewrap() -> None:
    """Whether bubblewrap works there too or not, walls stand."""
    spaces = ("--unshare-user", "--unshare-pid")
    outer = ("bwrap", "--dev-bind", "/", "/", *spaces, "--ro-bind", "/proc", "/proc")
    inside = outer if walls().by == "bubblewrap" else ()
    found = json.loads(tool(*inside, sys.executable, "-c", STOOD, check=True).stdout)
    missing = {"bubblewrap": walls().missing, "kernel": sandbox._kernel_walls().missing}
    assert found["missing"] == [*missing[found["by"]]]
