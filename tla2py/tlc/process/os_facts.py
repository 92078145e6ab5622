"""What differs between systems, each with what serves elsewhere than on Linux: on macOS runs work, without walls.

First processes and files, then this machine's resources, and last the walls of the Linux kernel: capabilities, Landlock
and seccomp, called through the C library.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

import psutil


def on_linux() -> bool:
    """Whether this is Linux, with its walls, its /proc and its calls; false on macOS."""
    return sys.platform.startswith("linux")


def lock_file(file: IO[str], *, wait: bool) -> None:
    """Lock an open file until it is closed. Raises OSError if another process has locked it and nobody waits."""
    fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def kill_group(group: int) -> None:
    """Kill the processes of a group, of which none may be left."""
    # macOS refuses a group of which only an ended leader is left.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent ends; elsewhere than on Linux they are lost."""
    if on_linux():
        libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def child_ended(pid: int) -> bool:
    """Whether a child that is not reaped has ended."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    # Python has it on macOS since 3.13.
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    return True


@contextlib.contextmanager
def exit_of(pid: int) -> Iterator[Callable[[float], bool]]:
    """A function that waits up to the given seconds and returns whether the child, not reaped, has ended."""
    if not on_linux():

        def by_polling(seconds: float) -> bool:
            time.sleep(min(seconds, 0.02))
            return child_ended(pid)

        yield by_polling
        return
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        yield lambda seconds: bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def peak_of(usage: resource.struct_rusage) -> int:
    """The largest resident set of a process that has ended, in bytes."""
    return usage.ru_maxrss * (1024 if on_linux() else 1)


def reset_peak(pid: int) -> None:
    """Restart the measurement of ``peak_since_reset``, if the system supports it."""
    with contextlib.suppress(OSError):
        if on_linux():
            Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_since_reset(pid: int) -> int | None:
    """The largest resident set of a living process in bytes, None if the system does not keep it."""
    with contextlib.suppress(OSError, ValueError):
        if on_linux():
            status = Path(f"/proc/{pid}/status").read_text()
            return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    return None


def machine_name() -> str:
    """What differs between machines with the same name, boots of one machine, and containers on one machine."""
    with contextlib.suppress(OSError):
        if on_linux():
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
            return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    return f"{socket.gethostname()} {int(psutil.boot_time())}"


def memory_file(content: bytes = b"") -> int:
    """The descriptor of a file in memory, at its beginning; on Linux alone, for bubblewrap."""
    descriptor = os.memfd_create("sandbox")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Memory and cores that this process may use; ``limited`` is whether a cgroup limits one of them."""

    memory_bytes: int
    cores: float
    limited: bool

    @property
    def kind(self) -> str:
        """``container`` or ``machine``."""
        return "container" if self.limited else "machine"


def this_machine(root: Path = Path("/")) -> Machine:
    """The resources of the hardware, limited by the cgroups of this process."""
    memory = psutil.virtual_memory().total
    cores: float = len(os.sched_getaffinity(0)) if on_linux() else os.cpu_count() or 1
    limited = False
    for folder in _cgroups(root):
        for name in ("memory.max", "memory.limit_in_bytes"):
            allowed = _read(folder / name)
            if allowed.isdigit() and int(allowed) < memory:
                memory, limited = int(allowed), True
        quota, _, period = _read(folder / "cpu.max").partition(" ")
        if not quota:
            quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
        if quota.isdigit() and period.isdigit() and int(quota) / int(period) < cores:
            cores, limited = int(quota) / int(period), True
    return Machine(memory_bytes=memory, cores=cores, limited=limited)


# The files of cgroups, version 2 and 1, with the bytes in use; the field of ``memory.stat`` that is cache.
_USED = {"memory.current": "inactive_file", "memory.usage_in_bytes": "total_inactive_file"}


def memory_in_use(root: Path = Path("/")) -> int:
    """The bytes in use on this machine or in this container, without caches."""
    if this_machine(root).limited:
        for folder in _cgroups(root):
            for name, cache in _USED.items():
                if (used := _read(folder / name)).isdigit():
                    stat = dict(line.split() for line in _read(folder / "memory.stat").splitlines())
                    return max(int(used) - int(stat.get(cache, 0)), 0)
    memory = psutil.virtual_memory()
    return int(memory.total - memory.available)


def _cgroups(root: Path) -> Iterator[Path]:
    """The cgroup folders, of version 1 and 2, of this process and their parents."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers in ("", "memory", "cpu", "cpu,cpuacct"):
            top = root / "sys/fs/cgroup" / controllers
            below = top / path.strip("/")
            yield from (folder for folder in (below, *below.parents) if folder.is_relative_to(top))
    yield root / "sys/fs/cgroup"


def _read(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text().strip()
    return ""


_NO_NEW_PRIVILEGES = 38
_PR_SET_CHILD_SUBREAPER = 36
_CAPABILITY_VERSION = 0x20080522


@lru_cache(maxsize=1)
def libc() -> ctypes.CDLL:
    """The C library."""
    return ctypes.CDLL(None, use_errno=True)


def call(result: int) -> int:
    """The result of a function of the C library. Raises OSError if it is negative."""
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return int(result)


def drop_privileges() -> None:
    """Take all capabilities from this thread and the processes that it starts, permanently. Raises OSError.

    They gain none from setuid programs either.
    """
    call(libc().prctl(_NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))))
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    call(libc().capset(ctypes.byref(header), ctypes.byref(none)))


# What Java reads of /proc and /sys where a process does not have its own; not the folders of processes.
FACTS = tuple(
    Path(name)
    for name in (
        *("/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/sys"),
        *("/proc/uptime", "/proc/version", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm"),
    )
)
# The system call numbers, the same on every architecture except Alpha.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_BENEATH, _PORT = 1, 2
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE
# Creating, removing and moving files and folders; not links, devices, sockets and pipes, which could redirect or block
# whoever reads the folder later.
_CHANGE = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 13
_BIND, _CONNECT = 1 << 0, 1 << 1
# Abstract sockets and signals.
_SCOPES = 1 << 0 | 1 << 1


@lru_cache(maxsize=1)
def landlock_version() -> int:
    """The version of Landlock on this system, 0 for none."""
    if not on_linux() or os.uname().machine == "alpha":
        return 0
    version = libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(int(version), 0)


def restrict_thread(readable: Iterable[Path], writable: Iterable[Path], devices: Iterable[Path]) -> None:
    """Restrict this thread, permanently, to these files and folders, and TCP to listening on any free port.

    The thread must have given up gaining privileges. Readable files may also be executed, ``devices`` may be read and
    written, and missing paths are ignored. Raises OSError if the system refuses.
    """
    version = landlock_version()
    files = (1 << (13 if version < 2 else 14 if version < 3 else 15)) - 1
    ports = _BIND | _CONNECT if version >= 4 else 0
    # A kernel that does not know a field accepts it if it is zero.
    attributes = struct.pack("=QQQ", files, ports, _SCOPES if version >= 6 else 0)
    ruleset = _call(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for paths, rights in (
            (readable, _EXECUTE | _READ | _LIST),
            (writable, _EXECUTE | _READ | _LIST | _WRITE | _TRUNCATE | _CHANGE),
            (devices, _READ | _WRITE | _TRUNCATE),
        ):
            for path in paths:
                _allow(ruleset, path, rights & files)
        if ports:
            _call(_ADD, ruleset, _PORT, struct.pack("=QQ", _BIND, 0), 0)
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        allowed = rights if path.is_dir() else rights & _OF_FILES
        _call(_ADD, ruleset, _BENEATH, struct.pack("=Qi", allowed, descriptor), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    return call(libc().syscall(number, *arguments))


# The numbers of system calls on x86-64, and on processors that use Linux's common table. 0 is a call that it lacks.
_REFUSED = {
    # Links, devices, pipes.
    "symlink": (88, 0),
    "symlinkat": (266, 36),
    "link": (86, 0),
    "linkat": (265, 37),
    "mknod": (133, 0),
    "mknodat": (259, 33),
    # The priorities and processors of other processes, and their memory.
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # Keys, and shared memory and queues of System V and POSIX.
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # It opens sockets and files without the calls that are filtered.
    "io_uring_setup": (425, 425),
    "connect": (42, 203),
}
_SETSID, _SETPGID, _PRLIMIT = (112, 157), (109, 154), (302, 261)
_SOCKET, _SOCKETPAIR, _ACCEPT = (41, 198), (53, 199), ((43, 202), (288, 242))
# With the place of their flags, one of which connects.
_SENDING = (((44, 206), 3), ((46, 211), 2), ((307, 269), 3))
_FAST_OPEN = 0x20000000
_STREAM, _KIND, _INTERNET = 1, 0xF, (2, 10)
# AUDIT_ARCH of each processor, and the column of its numbers.
_PROCESSORS = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "riscv64": (0xC00000F3, 1)}
# Calls of x86-64's second interface have this bit.
_X32 = 0x40000000

_LOAD, _AND, _EQUAL, _LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _PROCESSOR, _ARGUMENTS = 0, 4, 16
_ALLOW, _REFUSE, _NOTHING_YET = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.EAGAIN
_PR_SET_SECCOMP, _PR_GET_SECCOMP, _FILTER = 22, 21, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def can_filter() -> bool:
    """Whether this system can filter the calls of its processes."""
    known = on_linux() and platform.machine() in _PROCESSORS and sys.maxsize > 1 << 32
    return known and libc().prctl(_PR_GET_SECCOMP, *map(ctypes.c_ulong, (0, 0, 0, 0))) >= 0


def system_call_filter(*, server: bool, group: int | None = None) -> bytes:
    """The code of a filter, for bubblewrap and ``filter_thread``.

    A ``server`` may accept TCP connections. Other processes wait for them in vain: TLC fails if it cannot listen. With
    a ``group`` a process can join only that group and no new session, so that killing the group kills all descendants.
    """
    processor, column = _PROCESSORS[platform.machine()]
    code = [_step(_LOAD, _PROCESSOR), _step(_EQUAL, processor, 1, 0), _step(_RETURN, _REFUSE)]
    code += [_step(_LOAD, _NUMBER), _step(_LEAST, _X32, 0, 1), _step(_RETURN, _REFUSE)]
    for numbers in (*_REFUSED.values(), *([_SETSID] if group is not None else [])):
        if numbers[column]:
            code += [_step(_EQUAL, numbers[column], 0, 1), _step(_RETURN, _REFUSE)]
    # Only its own limits.
    code += _only_if(_PRLIMIT[column], _argument(0), _step(_EQUAL, 0, 0, 1))
    if group is not None:
        code += _only_if(_SETPGID[column], _argument(1), _step(_EQUAL, group, 0, 1))
    for numbers, flags in _SENDING:
        code += _only_if(numbers[column], _argument(flags), _step(_ANY_BIT, _FAST_OPEN, 1, 0))
    is_stream = [_argument(1), _step(_AND, _KIND), _step(_EQUAL, _STREAM, 0, 1)]
    code += _only_if(_SOCKETPAIR[column], *is_stream)
    internet = [_argument(0), _step(_EQUAL, _INTERNET[0], 1, 0), _step(_EQUAL, _INTERNET[1], 0, 4)]
    code += _only_if(_SOCKET[column], *internet, *is_stream)
    for numbers in () if server else _ACCEPT:
        code += [_step(_EQUAL, numbers[column], 0, 1), _step(_RETURN, _NOTHING_YET)]
    return b"".join([*code, _step(_RETURN, _ALLOW)])


def filter_thread(code: bytes) -> None:
    """Filter the system calls of this thread and the processes that it starts, permanently. Raises OSError.

    The thread must have given up gaining privileges.
    """
    program = _Program(len(code) // 8, code)
    call(libc().prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.byref(program), 0, 0))


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """An instruction; the last two are how many instructions a comparison skips."""
    return struct.pack("HBBI", code, if_true, if_false, value)


def _argument(index: int) -> bytes:
    # The lower half; the calls here take integers of 32 bits.
    return _step(_LOAD, _ARGUMENTS + 8 * index + (4 if sys.byteorder == "big" else 0))


def _only_if(number: int, *test: bytes) -> list[bytes]:
    """Allow a call only if a test succeeds, whose last comparison skips one instruction if it fails."""
    return [_step(_EQUAL, number, 0, len(test) + 2), *test, _step(_RETURN, _ALLOW), _step(_RETURN, _REFUSE)]
