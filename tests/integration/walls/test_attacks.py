"""The walls around runs, attacked for real: by root and an ordinary user, with bubblewrap and without it."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path

import psutil
import pytest

from tests.integration.spy import write_spy
from tests.integration.test_sweep import processes_of
from tests.integration.walls.attacker import (
    GRADES,
    SECRET,
    STOOD,
    Attacker,
    folders,
    listening,
    makes,
    mark_of,
    none_left,
    staying_jvm,
    without_bubblewrap,
)
from tla2py.model.run import WALLS, Wall, Walls
from tla2py.tlc.process.sandbox import walls

# What a run tries, as shell commands that succeed if they do harm; with the wall that refuses it. VICTIM is a process
# outside, DRIVER ours, OTHER the folder of another run, TCP and UDP are ports of ours.
ATTACKS: dict[str, tuple[Wall, str]] = {
    "environ": ("secrets", "cat /proc/$DRIVER/environ >copied && test -s copied"),
    "environ-other": ("secrets", "cat /proc/$VICTIM/environ >copied && test -s copied"),
    "environ-1": ("secrets", f"grep -q {SECRET} /proc/1/environ"),
    "maps": ("secrets", "cat /proc/$DRIVER/maps >copied && test -s copied"),
    "memory": ("secrets", "head -c 1 /proc/$DRIVER/mem || ls /proc/$DRIVER/map_files"),
    "descriptors": ("secrets", "ls -l /proc/$DRIVER/fd && cat /proc/$DRIVER/fd/1"),
    "command": ("secrets", "grep -q python /proc/$DRIVER/cmdline"),
    "kill": ("processes", "kill -9 $VICTIM"),
    "kill-0": ("processes", "kill -0 $DRIVER"),
    "prlimit": ("processes", "prlimit --pid $VICTIM --cpu=1:1"),
    "priority": ("processes", "renice -n 5 -p $VICTIM"),
    "priority-user": ("processes", "renice -n 5 -u $(id -u)"),
    "processor": ("processes", "taskset -p 1 $VICTIM"),
    "scheduling": ("processes", "chrt --idle -p 0 $VICTIM || ionice -c 3 -p $VICTIM"),
    "hostname": ("privileges", "hostname evil || echo evil >/proc/sys/kernel/hostname"),
    "sysctl": ("privileges", "P=/proc/sys/kernel/core_pattern; cat $P >old; cat old >$P"),
    "capabilities": ("privileges", "mount -t tmpfs none tmp || chown 1 notes || unshare -m true"),
    "setuid": ("privileges", "grep -q 'NoNewPrivs:.0' /proc/self/status"),
    "read": ("files", "cat $OTHER/notes"),
    "streams": ("files", "echo forged >>$OTHER/../stdout.txt || echo forged >>../stdout.txt"),
    "stream-again": ("files", "echo forged >/proc/self/fd/9"),
    "write": ("files", "echo harm >$OTHER/notes || echo harm >/tmp/harm || echo harm >/dev/shm/harm"),
    "remove": ("files", "rm $OTHER/notes"),
    "links": ("files", "ln -s /etc/passwd link || ln notes hard || mkfifo pipe"),
    "tcp": ("network", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/'$TCP"),
    "udp": ("network", "bash -c 'echo x >/dev/udp/127.0.0.1/'$UDP"),
}
# It tells what became of each, and daemons that outlive it if they can.
SCRIPT = """
exec 9>&2
echo mine >notes
{tries}
sleep {mark}.1 &
(setsid sleep {mark}.2 &)
setsid -f sleep {mark}.3
setsid sh -c '(setsid sleep {mark}.4 &) &'
exit 7
"""

# What the programs of drivers begin with: a shell in the folder of a run.
RUNS = """
import json, os, sys
from pathlib import Path
from tla2py.tlc.process.process import execute_argv
from tla2py.tlc.process.sandbox import Sandbox, walls
base = Path(sys.argv[1])

def run(*args, timeout=120, memory=1 << 30, **more):
    limits = {"timeout_seconds": timeout, "memory_bytes": memory}
    return execute_argv(("/bin/sh", *args), base / "run", base, sandbox=Sandbox(folder=base / "run"), **limits, **more)
"""
DRIVER = """
variables = {**json.loads(sys.argv[2]), "DRIVER": str(os.getpid())}
ended, found = run(str(base / "run/attack.sh"), variables=variables), walls()
print(json.dumps({"by": found.by, "missing": found.missing, "code": ended.exit_code, "walls": ended.walls == found}))
"""


def attack(attacker: Attacker, victim: int, tcp: int, udp: int) -> tuple[dict[str, bool], Walls, int]:
    """Whether each attack was refused, the walls, and the exit code."""
    base, other = folders(attacker.base, "one"), folders(attacker.base, "other")
    (other / "run/notes").write_text("of another run")
    (other / "run/notes").chmod(0o666)
    (other / "stdout.txt").touch(0o666)
    script = "if ( {1} ) >/dev/null 2>&1; then echo {0}=done; else echo {0}=refused; fi"
    tries = "\n".join(script.format(name, command) for name, (_, command) in ATTACKS.items())
    (base / "run/attack.sh").write_text(SCRIPT.format(tries=tries, mark=mark_of(attacker)))
    given = {"VICTIM": str(victim), "OTHER": str(other / "run"), "TCP": str(tcp), "UDP": str(udp)}
    found = json.loads(attacker.python(RUNS + DRIVER, str(base), json.dumps(given)))
    assert found["walls"], "an execution has its walls"
    lines = (base / "stdout.txt").read_text().splitlines()
    done = {name: what for name, _, what in (line.partition("=") for line in lines)}
    assert done.keys() == ATTACKS.keys(), (base / "stderr.txt").read_text()
    assert (other / "stdout.txt").read_text() == ""
    refused = {name: what == "refused" for name, what in done.items()}
    return refused, Walls(by=found["by"], missing=tuple(found["missing"])), found["code"]


def test_attacks_on_everything_outside_a_run(attacker: Attacker) -> None:
    host = socket.gethostname()
    with listening() as (tcp, udp), attacker.popen("sleep", "600") as victim:
        before = psutil.Process(victim.pid).as_dict(["nice", "cpu_affinity"])
        try:
            refused, stood, code = attack(attacker, victim.pid, tcp.getsockname()[1], udp.getsockname()[1])
            if not stood.missing:
                assert victim.poll() is None
                assert psutil.Process(victim.pid).as_dict(["nice", "cpu_affinity"]) == before
                limits = Path(f"/proc/{victim.pid}/limits").read_text().splitlines()
                assert "unlimited" in next(line for line in limits if line.startswith("Max cpu time"))
        finally:
            victim.kill()
    assert socket.gethostname() == host
    expected = {name: True for name, (wall, _) in ATTACKS.items() if wall not in stood.missing}
    assert {name: refused[name] for name in expected} == expected, stood
    assert code == 7
    if "lifetime" not in stood.missing:
        assert none_left(mark_of(attacker))
    if attacker.grade == "kernel":
        assert stood.by != "bubblewrap"


ENDED = """
how, ready = sys.argv[2], base / "run/ready"

def watch(resident):
    if ready.exists():
        if how == "kill":
            os.kill(os.getpid(), 9)
        return "killed"

how_long = {"timeout": 1} if how == "timeout" else {"watch": watch}
predict = (lambda _: 12 if ready.exists() else None) if how == "predicted" else None
ended = run("-c", sys.argv[3], predict=predict, **how_long)
print(ended.exit_code, ended.termination_reason)
"""
ENDS = {"timeout": "timeout", "stopped": "killed", "predicted": "12 None", "kill": ""}


@pytest.mark.faults
@pytest.mark.parametrize("how", ENDS)
def test_nothing_outlives_any_end(attacker: Attacker, how: str) -> None:
    base, mark = folders(attacker.base, "one"), mark_of(attacker)
    daemons = (
        f"sleep {mark}.1 & (setsid sleep {mark}.2 &) ; setsid -f sleep {mark}.3; touch ready; sleep {mark}.4"
    )
    driver = attacker.popen(sys.executable, "-c", RUNS + ENDED, str(base), how, daemons)
    out, err = driver.communicate(timeout=300)
    assert ENDS[how] in out, err
    assert (driver.returncode == -signal.SIGKILL) == (how == "kill"), err
    assert none_left(mark)


GREEDY = """
daemons = "(setsid -f tail /dev/zero; tail /dev/zero &) ; while :; do sleep 1; done"
print(run("-c", daemons, memory=1 << 27).termination_reason)
"""


@pytest.mark.faults
def test_daemons_count_for_the_limits(attacker: Attacker) -> None:
    assert attacker.python(RUNS + GREEDY, str(folders(attacker.base, "one"))) == "memory\n"


@pytest.mark.faults
def test_a_module_attacks(attacker: Attacker) -> None:
    mark = mark_of(attacker)
    with attacker.popen("sleep", "600") as victim:
        tries = {
            "env": ("env", "SECRET_TOKEN"),
            "environ": ("run", f"grep -q {SECRET} /proc/{victim.pid}/environ"),
            "first": ("run", f"grep -q {SECRET} /proc/1/environ"),
            "prlimit": ("run", f"prlimit --pid {victim.pid} --cpu=1:1"),
            "kill": ("run", f"kill -9 {victim.pid}"),
            "renice": ("run", f"renice -n 5 -p {victim.pid}"),
            "hostname": ("run", "hostname evil"),
            "daemon": ("run", f"setsid -f sleep {mark}.1"),
            "udp": ("udp", "9"),
        }
        work = attacker.base / "work"
        work.mkdir()
        write_spy(work, tries)
        for folder in (work, work / "spy"):
            folder.chmod(0o777)
        try:
            asked = ["check", str(work / "Use.tla"), "--overrides", str(work / "spy"), "--invariant", "Told"]
            process = attacker.popen(sys.executable, "-m", "tla2py", *asked, "--json", "--no-trust")
            out, err = process.communicate(timeout=300)
            stood = json.loads(attacker.python(STOOD))
            found = json.loads(out)["traces"][0]["states"][0]["state"]["found"]
            assert found.pop("env") == "null", err
            if not stood["missing"]:
                assert found.pop("udp") == "refused"
                assert found.pop("daemon") == "exit 0"  # it has forked, whatever becomes of its child
                assert "exit 0" not in found.values(), found
                assert victim.poll() is None
            assert none_left(mark)
        finally:
            victim.kill()


@pytest.mark.parametrize("grade", GRADES)
def test_a_jvm_that_stays_has_the_same_walls(
    grade: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", SECRET)
    if grade == "kernel":
        monkeypatch.setenv("PATH", without_bubblewrap(tmp_path / "bin"))
    mark, open_ = f"{86400 + os.getpid()}7", set(walls().missing)
    with staying_jvm() as host, staying_jvm() as other:
        assert host.walls == walls()
        assert makes(host, "java.io.FileWriter", str(host.folder / "own"))
        for path in (other.folder / "own", *other.streams, *host.streams, "/proc/self/fd/1"):
            assert makes(host, "java.io.FileWriter", str(path)) == ("files" in open_), path
        assert makes(host, "java.io.FileReader", f"/proc/{os.getpid()}/environ") == ("secrets" in open_)
        assert makes(host, "java.net.DatagramSocket") == ("network" in open_)
        runtime = host._java.call("java.lang.Runtime", "getRuntime")
        for daemon in (f"setsid -f sleep {mark}.1", f"sleep {mark}.2"):
            started = runtime.exec(daemon)
        # It is there, so what follows shows that it ends.
        assert started.isAlive()
        assert processes_of(f"sleep {mark}")
    if "lifetime" not in open_:
        assert none_left(mark)


def test_the_page_has_every_attack() -> None:
    page = (Path(__file__).parents[3] / "docs/security.md").read_text()
    assert "On Linux all are refused:" in page
    rows = [line.split(" | ") for line in page.splitlines() if line.count(" | ") == 3]
    named = {name.strip("` |") for row in rows[1:] for name in row[3].split(",")}
    tests = {name for name in globals() if name.startswith("test_")}
    assert {name for name in named if not name.startswith("test_")} == ATTACKS.keys()
    assert {name for name in named if name.startswith("test_")} <= tests
    assert {wall for row in rows[1:] for wall in [row[1].strip("`")]} == {*WALLS, "all"}
    for row in rows[1:]:
        names = [name.strip("` |") for name in row[3].split(",")]
        assert {ATTACKS[name][0] for name in names if name in ATTACKS} <= {row[1].strip("`")}
