"""Who attacks the walls around runs, and what is left of an attack."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from py4j.protocol import Py4JError

from tests.integration.test_sweep import wait_until_gone
from tla2py.tlc.process.gateway import OPENED, gateway_jar
from tla2py.tlc.process.host import Host
from tla2py.tlc.tools.jar import bundled_jar
from tla2py.tlc.tools.java import find_java

USERS = {"root": (), "user": ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")}
GRADES = ("bubblewrap", "kernel")
SECRET = "of-the-driver-4711"


STOOD = """
import json
from dataclasses import asdict
from tla2py.tlc.process.sandbox import walls
print(json.dumps(asdict(walls())))
"""


def without_bubblewrap(folder: Path) -> str:
    """A PATH that has everything but bubblewrap."""
    folder.mkdir()
    folder.chmod(0o755)
    for place in reversed(os.get_exec_path()):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            if program.name != "bwrap":
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


@dataclass(frozen=True)
class Attacker:
    user: str
    grade: str
    base: Path
    path: str

    def environment(self) -> dict[str, str]:
        return {
            "PATH": self.path,
            "HOME": str(self.base),
            "TMPDIR": str(self.base),
            "XDG_CACHE_HOME": str(self.base / "cache"),
            "SECRET_TOKEN": SECRET,
        }

    def popen(self, *command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*USERS[self.user], *command],
            env=self.environment(),
            cwd=self.base,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def python(self, program: str, *args: str) -> str:
        process = self.popen(sys.executable, "-c", program, *args)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        return out


@contextmanager
def staying_jvm(*, trust: bool = False) -> Iterator[Host]:
    """A JVM that stays, killed with the block."""
    gateway = gateway_jar()
    assert gateway is not None
    java = (str(find_java().path), "-Xmx64m", "-XX:TieredStopAtLevel=1", OPENED)
    host = Host()
    host.start(java, gateway, [bundled_jar()], trust=trust)
    try:
        yield host
    finally:
        host.kill()


def makes(host: Host, name: str, *arguments: str | int) -> bool:
    """Whether a JVM can make an object of a class, such as a reader of a file."""
    try:
        host._java.new(name, *arguments)
    except Py4JError:
        return False
    return True


@contextmanager
def listening() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        tcp.settimeout(0.1)
        udp.settimeout(0.1)
        yield tcp, udp


def none_left(mark: str) -> bool:
    """Whether all processes with this mark end; the kernel needs a moment for those that were killed."""
    return not wait_until_gone(f"sleep {mark}", 60)


def folders(base: Path, name: str, mode: int = 0o777) -> Path:
    """The folder of an execution, where it works in ``run``."""
    (base / name / "run/tmp").mkdir(parents=True)
    for folder in (base / name, base / name / "run", base / name / "run/tmp"):
        folder.chmod(mode)
    return base / name


def mark_of(attacker: Attacker) -> str:
    return f"{86400 + os.getpid()}{GRADES.index(attacker.grade)}{int(attacker.user == 'root')}"
