"""Linux's Landlock, which restricts a thread and the processes it starts: files, TCP, signals.

It needs no privileges, namespaces or other programs, and takes a fraction of a millisecond. Restrictions are permanent,
so it is for threads that do one thing and end. The kernel decides what can be restricted: files since 5.13, TCP since
6.7, signals to others since 6.12.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from tla2py.tlc.sandbox.libc import call, libc

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


class _Attributes(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("ports", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("rights", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


class _PortRule(ctypes.Structure):
    _fields_ = (("rights", ctypes.c_uint64), ("port", ctypes.c_uint64))


@lru_cache(maxsize=1)
def landlock_version() -> int:
    """The version of Landlock on this system, 0 for none."""
    if not sys.platform.startswith("linux") or os.uname().machine == "alpha":
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
    attributes = _Attributes(files, ports, _SCOPES if version >= 6 else 0)
    # A kernel that does not know a field accepts it if it is zero.
    ruleset = _call(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(ctypes.sizeof(attributes)), 0)
    try:
        for paths, rights in (
            (readable, _EXECUTE | _READ | _LIST),
            (writable, _EXECUTE | _READ | _LIST | _WRITE | _TRUNCATE | _CHANGE),
            (devices, _READ | _WRITE | _TRUNCATE),
        ):
            for path in paths:
                _allow(ruleset, path, rights & files)
        if ports:
            _call(_ADD, ruleset, _PORT, ctypes.byref(_PortRule(_BIND, 0)), 0)
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
        _call(_ADD, ruleset, _BENEATH, ctypes.byref(_PathRule(allowed, descriptor)), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    return call(libc().syscall(number, *arguments))
