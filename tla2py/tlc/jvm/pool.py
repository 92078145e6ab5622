"""Lending hosts to runs, and telling the runs that are not for them.

A run that goes on for long, runs out of memory or of stack, or is odd in any other way costs its host and is left to a
process of its own, whose answer is the one that counts; so is a run whose command line may do what is not known here.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import shutil
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from tla2py.model.run import Limits, TlcOptions
from tla2py.tlc.command import FIRST_LATER
from tla2py.tlc.jvm.host import FOLDER, Host, SpoiledError, gateway_jar
from tla2py.tlc.process import OUTPUT_LIMIT_BYTES, Ended
from tla2py.tlc.sandbox.quota import is_full

# What a short run wants of a JVM: the optimising compiler would be at work on classes that are gone a moment later, and
# classes that every run loads anew are verified by none of them; they are those of the jar, which is trusted or it would
# not be run.
HOST_OPTIONS = (
    "-XX:TieredStopAtLevel=1",
    *FIRST_LATER,
    # Else the collector goes through everything whenever a few runs' classes have come.
    "-XX:MetaspaceSize=160m",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-XX:+ExitOnOutOfMemoryError",
)
# A run that takes so much of the processor is better off with all of a JVM of its own.
LONG_SECONDS = 3.0
# What TLC leaves behind in a JVM adds up slowly, if at all.
_RUNS = 100
_LEAKS = 12
_FULL = 0.8
# So many hosts lost without a run between that went well: they are no use here.
_PATIENCE = 5
# Options that do no more than change what is searched or printed.
_KNOWN_OPTIONS = frozenset({"-continue", "-nowarning", "-difftrace", "-terse"})
# What may read otherwise in a process of its own: the ends of memory and stack, TLC's own mistakes, and whatever tells of
# class loaders or of the way here.
_UNSURE = re.compile(
    rb"OutOfMemoryError|StackOverflowError|Java heap space|@!@!@STARTMSG (?:100[1-5]:|\d+:2 )|URLClassLoader"
    rb"|MethodHandle|FutureTask|LinkageError|NoClassDefFoundError|ClassNotFoundException"
)


def suits(options: TlcOptions) -> bool:
    """Whether a host may run TLC with these options.

    What a simulation has counted when it finds a violation depends on how fast its threads start, which here they do.
    """
    return options.mode == "check" and not options.java_options and _KNOWN_OPTIONS.issuperset(options.options)


@dataclass
class _Pool:
    """The hosts of this process that nobody uses now, by their command lines."""

    pid: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    idle: list[tuple[tuple[str, ...], Host]] = field(default_factory=list)
    lent: set[Host] = field(default_factory=set)
    lost: int = 0
    long: bool = False


_pool = _Pool(os.getpid())


def execute_warm(
    argv: Sequence[str], folder: Path, limits: Limits, cancelled: threading.Event | None = None
) -> tuple[tuple[str, ...], Ended] | None:
    """The command line and the end of a run on a host, or None where it needs a process of its own.

    ``argv`` is that of a process, with ``FOLDER`` in place of ``folder``, which holds what TLC reads and gets what it
    writes, its streams in ``stdout.txt`` and ``stderr.txt``; after None it is as it was.
    """
    gateway = gateway_jar()
    pool = _own_pool()
    if gateway is None or pool.long or pool.lost >= _PATIENCE:
        return None
    split = argv.index("-cp")
    java, jar, arguments = tuple(argv[:split]), argv[split + 1], argv[split + 3 :]
    key = (*java, jar, str(limits.trust))
    host = None
    try:
        host = _borrow(pool, key) or Host(java, gateway, Path(jar), trust=limits.trust)
        with pool.lock:
            pool.lent.add(host)
        ended = _run(host, folder, arguments, limits, cancelled)
    except (SpoiledError, OSError) as error:
        with pool.lock:
            pool.long = pool.long or str(error) == "long"
            pool.lost += str(error) not in ("long", "cancelled")
        if host is not None:
            host.kill()
        return None
    except BaseException:
        if host is not None:
            host.kill()
        raise
    finally:
        if host is not None:
            with pool.lock:
                pool.lent.discard(host)
    place = str(host.folder)
    with pool.lock:
        pool.lost = 0
        used_up = host.runs >= _RUNS or host.leaks >= _LEAKS
        used_up |= host.resident_bytes() > _FULL * limits.memory_bytes
        if not used_up:
            pool.idle.append((key, host))
    if used_up:
        host.kill()
    return tuple(part.replace(str(FOLDER), place) for part in argv), ended


def note_cold(cpu_seconds: float) -> None:
    """Take note of what a run in a process of its own took: runs come longest first, so the next may be short."""
    if cpu_seconds < LONG_SECONDS:
        _own_pool().long = False


def stop_hosts() -> None:
    """End the JVMs of the hosts that go on with a run, also of one that hangs and hears of nothing."""
    pool = _own_pool()
    with pool.lock:
        lent = tuple(pool.lent)
    for host in lent:
        host.kill_jvm()


def close_hosts() -> None:
    """End the hosts that nobody uses."""
    pool = _own_pool()
    with pool.lock:
        idle, pool.idle = pool.idle, []
        pool.lost, pool.long = 0, False
    for _, host in idle:
        host.kill()


def _own_pool() -> _Pool:
    """The pool of this process; what a forked child has of its parent's is none of its business."""
    global _pool
    if _pool.pid != os.getpid():
        _pool = _Pool(os.getpid())
    return _pool


def _borrow(pool: _Pool, command: tuple[str, ...]) -> Host | None:
    """An idle host with this command line; if there is none, one with another has to go."""
    with pool.lock:
        for index, (key, host) in enumerate(pool.idle):
            if key == command:
                del pool.idle[index]
                return host
        other = pool.idle.pop() if pool.idle else None
    if other is not None:
        other[1].kill()
    return None


def _run(
    host: Host, folder: Path, arguments: Sequence[str], limits: Limits, cancelled: threading.Event | None
) -> Ended:
    """Run TLC on a host with the files of ``folder``; raises SpoiledError and leaves these as they were."""
    given = {entry.name for entry in folder.iterdir()}
    started_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    start, used = time.monotonic(), host.cpu_seconds()
    well = False
    try:
        _move(folder, host.folder)
        host.reset_peak()
        exit_code = host.run(
            [part.replace(str(FOLDER), str(host.folder)) for part in arguments],
            timeout_seconds=limits.timeout_seconds,
            cpu_seconds=LONG_SECONDS,
            memory_bytes=limits.memory_bytes,
            output_bytes=OUTPUT_LIMIT_BYTES,
            cancelled=cancelled,
        )
        ended = Ended(
            exit_code=exit_code,
            termination_reason=None,
            started_at=started_at,
            wall_seconds=time.monotonic() - start,
            cpu_seconds=host.cpu_seconds() - used,
            peak_memory_bytes=host.peak_bytes(),
        )
        well = not is_full(host.folder) and not any(
            _unsure(host.folder / name) for name in ("stdout.txt", "stderr.txt")
        )
    finally:
        if not well:
            host.kill_jvm()
        _move(host.folder, folder)
        shutil.rmtree(host.folder / "tmp", ignore_errors=True)
        (host.folder / "tmp").mkdir()
        for entry in () if well else folder.iterdir():
            if entry.name not in given:
                _remove(entry)
    if not well:
        raise SpoiledError("unsure")
    return ended


def _move(source: Path, target: Path) -> None:
    """Move all files but the JVM's temporary ones, which have to stay where it looks for them."""
    for entry in source.iterdir():
        if entry.name != "tmp":
            shutil.move(entry, target / entry.name)


def _remove(entry: Path) -> None:
    if entry.is_dir():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)


def _unsure(file: Path) -> bool:
    """Whether a stream says what a process of its own may say otherwise."""
    if not file.stat().st_size:
        return False
    with (
        file.open("rb") as stream,
        contextlib.closing(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)) as text,
    ):
        return _UNSURE.search(text) is not None
