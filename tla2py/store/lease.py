"""Holding a place that has no locks: each writer puts a claim there, looks whether others have, and gives way.

A claim is renewed while its holder lives. It is void when it was not renewed for a minute by the clock of the storage, and
at once when its holder was a process of this machine that is gone. Of two that begin at the same moment at most one goes
on, since a claim is seen by everybody who looks after it was put.

Nothing rests on it: records are written whole, under the digest of what they answer, and tables say which records they
were made from. What two writers could cost, such as after a machine was suspended, is that runs are executed twice and
tables written anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from tla2py.errors import StoreError
from tla2py.store.storage import busy

if TYPE_CHECKING:
    from tla2py.store.remote import Remote

CLAIMS = "claims"
_RENEWED_SECONDS = 15.0
_LASTS_SECONDS = 60.0


@contextlib.contextmanager
def claimed(place: Remote) -> Iterator[None]:
    """Hold a place for writing. Raises StoreError (``store-busy``), and whatever writing to the place raises."""
    name = f"{uuid.uuid4().hex}.json"
    over = threading.Event()
    _claim(place, name)
    try:
        holder = _holder(place, name)
        if holder is not None:
            # Two that began at the same moment both see the other.
            place.remove(f"{CLAIMS}/{name}")
            time.sleep(random.uniform(0.2, 2.0))  # noqa: S311 - nobody shall guess it
            _claim(place, name)
            holder = _holder(place, name)
        if holder is not None:
            raise busy(place, f", {holder}")
        thread = threading.Thread(target=_renew, args=(place, name, over), name="claim", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(10)
    finally:
        with contextlib.suppress(StoreError):
            place.remove(f"{CLAIMS}/{name}")


def _claim(place: Remote, name: str) -> None:
    words = {"host": socket.gethostname(), "machine": _machine(), "pid": os.getpid()}
    place.write({f"{CLAIMS}/{name}": lambda sink: sink.write(json.dumps(words).encode())})


def _renew(place: Remote, name: str, over: threading.Event) -> None:
    while not over.wait(_RENEWED_SECONDS):
        # A server that is away for a while says so where records are written.
        with contextlib.suppress(StoreError):
            _claim(place, name)


def _holder(place: Remote, mine: str) -> str | None:
    """Who else holds a place, in words; what is void is removed."""
    claims = place.stamps(CLAIMS)
    # Both are times of the storage's own clock.
    now = claims[mine].mtime_ns if mine in claims else 0
    for name in sorted(claims.keys() - {mine}):
        try:
            with place.open(f"{CLAIMS}/{name}") as source:
                words = json.load(source)
            host, machine, pid = str(words["host"]), words["machine"], int(words["pid"])
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError):
            host, machine, pid = "an unknown machine", None, 0
        old = now - claims[name].mtime_ns > _LASTS_SECONDS * 1e9
        if not old and not (machine == _machine() and _is_gone(pid)):
            far = "" if machine == _machine() else " (if that is no more, its claim ends within a minute)"
            return f"process {pid} on {host}{far}"
        with contextlib.suppress(StoreError):
            place.remove(f"{CLAIMS}/{name}")
    return None


def _machine() -> str:
    """What differs between two machines of one name, two starts of one, and two containers on one."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return f"{socket.gethostname()} {int(psutil.boot_time())}"


def _is_gone(pid: int) -> bool:
    """Whether there is no such process any more; one that took its number after it delays a sweep by a minute."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
