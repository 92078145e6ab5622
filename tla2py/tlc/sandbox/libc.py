"""Calls into the C library, for what Python lacks."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import lru_cache

_NO_NEW_PRIVILEGES = 38
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


def can_drop_privileges() -> bool:
    """Whether this system has capabilities that a thread can drop."""
    return sys.platform.startswith("linux")


def drop_privileges() -> None:
    """Take all capabilities from this thread and the processes that it starts, permanently. Raises OSError.

    They gain none from setuid programs either.
    """
    call(libc().prctl(_NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))))
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    call(libc().capset(ctypes.byref(header), ctypes.byref(none)))
