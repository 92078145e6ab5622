"""A lease for object storage, which has no locks: write a claim, list the others, back off if one is live.

The holder renews its claim while it lives. A claim is void a minute after its last renewal, by the clock of the storage;
at once if its holder was a process of this machine that has ended. Of two writers that start at the same moment at most
one continues, because each sees the other's claim.

A failure of the lease costs work, not results: records are written whole under the digest of their run, and tables name
the records they were made from. Two writers, such as after a machine was suspended, execute runs twice.
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
_RENEWAL_SECONDS = 15.0
_EXPIRY_SECONDS = 60.0


@contextlib.contextmanager
def leased(storage: Remote) -> Iterator[None]:
    """Hold a storage for writing. Raises StoreError (``store-busy``), and whatever writing to it raises."""
    name = f"{CLAIMS}/{uuid.uuid4().hex}.json"
    done = threading.Event()
    _claim(storage, name)
    try:
        holder = _holder(storage, name)
        if holder is not None:
            # Two writers that start at the same moment both see the other.
            storage.remove([name])
            time.sleep(random.uniform(0.2, 2.0))  # noqa: S311 - not a secret
            _claim(storage, name)
            holder = _holder(storage, name)
        if holder is not None:
            raise busy(storage, holder)
        thread = threading.Thread(target=_renew, args=(storage, name, done), name="claim", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join(10)
    finally:
        with contextlib.suppress(StoreError):
            storage.remove([name])


def _claim(storage: Remote, name: str) -> None:
    owner = {"host": socket.gethostname(), "machine": _machine(), "pid": os.getpid()}
    storage.write({name: lambda sink: sink.write(json.dumps(owner).encode())})


def _renew(storage: Remote, name: str, done: threading.Event) -> None:
    while not done.wait(_RENEWAL_SECONDS):
        # If the server is away, writing a record reports it.
        with contextlib.suppress(StoreError):
            _claim(storage, name)


def _holder(storage: Remote, mine: str) -> str | None:
    """The other writer, for a message; void claims are removed."""
    claims = {f"{CLAIMS}/{name}": stamp for name, stamp in storage.stamps(CLAIMS).items()}
    # Both times are by the storage's own clock.
    now = claims[mine].mtime_ns if mine in claims else 0
    for name in sorted(claims.keys() - {mine}):
        try:
            with storage.open(name) as source:
                owner = json.load(source)
            host, machine, pid = str(owner["host"]), owner["machine"], int(owner["pid"])
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError):
            host, machine, pid = "an unknown machine", None, 0
        here = machine == _machine()
        expired = now - claims[name].mtime_ns > _EXPIRY_SECONDS * 1e9
        if not expired and not (here and _has_ended(pid)):
            note = "" if here else " (if it has ended, its claim expires within a minute)"
            return f"process {pid} on {host}{note}"
        with contextlib.suppress(StoreError):
            storage.remove([name])
    return None


def _machine() -> str:
    """What differs between machines with the same name, boots of one machine, and containers on one machine."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return f"{socket.gethostname()} {int(psutil.boot_time())}"


def _has_ended(pid: int) -> bool:
    """Whether the process has ended. A later process with the same id delays a sweep by a minute."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False
