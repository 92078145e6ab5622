"""JVMs that start fast or stay: class-data archives of TLC, and the pool of hosts.

Most of a small run is the loading of TLC's classes, which an archive from an earlier run avoids; it saves a third of
the time and half of the CPU time (``-XX:ArchiveClassesAtExit``, JEP 350; from Java 25 on the ahead-of-time
cache, JEP 514, which also keeps them linked). There is one per Java and jar, in the user's cache folder.
Results do not depend on it: a JVM ignores an archive that does not fit.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import platformdirs

from tla2py.model.model import NO_INPUTS, Inputs
from tla2py.model.run import Limits, TlcOptions
from tla2py.tlc.process.bubblewrap import is_full
from tla2py.tlc.process.command import FIRST_LATER, property_options
from tla2py.tlc.process.gateway import OPENED, gateway_jar
from tla2py.tlc.process.host import FOLDER, Host, SpoiledError
from tla2py.tlc.process.os_facts import lock_file
from tla2py.tlc.process.process import ProcessEnd, Watch, now
from tla2py.tlc.process.sandbox import java_sandbox, run
from tla2py.tlc.tools.toolchain import Toolchain

# This model uses what most models use, including a lasso that violates a property, so that the archive has the classes.
_MODULE = r"""---- MODULE Warm ----
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Nodes
VARIABLES log, state, sent
vars == <<log, state, sent>>
Symmetry == Permutations(Nodes)
Init == /\ log = [n \in Nodes |-> <<>>]
        /\ state = [n \in Nodes |-> [role |-> "idle", seen |-> {}]]
        /\ sent = {}
Send(n) == /\ Len(log[n]) < 1
           /\ LET m == [from |-> n, id |-> Len(log[n]) + 1]
              IN  /\ sent' = sent \cup {m}
                  /\ log' = [log EXCEPT ![n] = Append(@, m)]
           /\ UNCHANGED state
See(n) == \E m \in sent : /\ m \notin state[n].seen
                          /\ state' = [state EXCEPT ![n].seen = @ \cup {m}, ![n].role = "busy"]
                          /\ UNCHANGED <<log, sent>>
Rest(n) == /\ state' = [state EXCEPT ![n].role = "idle"]
           /\ UNCHANGED <<log, sent>>
Next == \E n \in Nodes : Send(n) \/ See(n) \/ Rest(n)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
TypeOK == /\ state \in [Nodes -> [role : {"idle", "busy"}, seen : SUBSET [from : Nodes, id : 1..1]]]
          /\ \A n \in Nodes : Cardinality(state[n].seen) =< 2
Settles == <>[](\A n \in Nodes : state[n].role = "busy")
====
"""
_CONFIG = "CONSTANT Nodes = {n1, n2}\nSPECIFICATION Spec\nINVARIANT TypeOK\nPROPERTY Settles\n"
_SECONDS = 120
# Interpreted: up to Java 20 an archive marks methods that wait for the compiler, and a JVM that loads them from there
# never compiles them (JDK-8306460), which made runs ten times slower.
_INTERPRETED = ("-Xint",)
_AOT = ".aot"
# Java 24 needs two runs to make the cache.
_AOT_SINCE = 25
# Ten MiB each.
_KEPT = 6


def archive_options(archive: Path) -> tuple[str, ...]:
    """The JVM options to use an archive and to keep the JVM's warnings about it out of TLC's output."""
    option = "AOTCache" if archive.suffix == _AOT else "SharedArchiveFile"
    return (f"-XX:{option}={archive}", "-Xlog:disable", "-Xlog:all=error:stderr")


@lru_cache(maxsize=8)
def class_archive(toolchain: Toolchain) -> Path | None:
    """The archive for a Java and a jar, made if missing, or None if it cannot be made.

    If several processes need it at once, one makes it and the others wait.
    """
    folder = platformdirs.user_cache_path("tla2py") / "archives"
    archive = folder / f"{_key(toolchain)}{_AOT if toolchain.java.major >= _AOT_SINCE else '.jsa'}"
    if archive.is_file():
        with contextlib.suppress(OSError):
            os.utime(archive)
        return archive
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with archive.with_suffix(".lock").open("w") as lock:
            lock_file(lock, wait=True)
            if not archive.is_file():
                _make(toolchain, archive)
                # Remove the least recently used ones; a JVM works without one.
                archives = (*folder.glob("*.jsa"), *folder.glob(f"*{_AOT}"))
                for old in sorted(archives, key=lambda file: file.stat().st_mtime, reverse=True)[_KEPT:]:
                    old.unlink(missing_ok=True)
                    old.with_suffix(".lock").unlink(missing_ok=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return archive if archive.is_file() else None


def _key(toolchain: Toolchain) -> str:
    """The digest of what an archive depends on, including the jar's path, size and time, which the JVM checks."""
    jar = toolchain.jar.path.stat()
    java = toolchain.java.path.resolve()
    parts = [
        *(java, java.stat().st_mtime_ns, toolchain.java.version),
        *(toolchain.jar.path, jar.st_mtime_ns, jar.st_size, toolchain.jar.sha256),
        *(_MODULE, _CONFIG, *_INTERPRETED),
    ]
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def _make(toolchain: Toolchain, archive: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "Warm.tla").write_text(_MODULE)
        (folder / "Warm.cfg").write_text(_CONFIG)
        new, made = archive.with_suffix(f".{os.getpid()}"), folder / f"new{archive.suffix}"
        keep = "AOTCacheOutput" if archive.suffix == _AOT else "ArchiveClassesAtExit"
        # An AOT cache also keeps profiles for the compilers, so TLC must not be interpreted only.
        how = () if archive.suffix == _AOT else _INTERPRETED
        argv = [str(toolchain.java.path), "-XX:+UseParallelGC", *how, f"-XX:{keep}={made}", "-Xlog:disable"]
        argv += [f"-Djava.io.tmpdir={folder}", "-cp", str(toolchain.jar.path)]
        argv += ["tlc2.TLC", "-tool", "-deadlock", "-lncheck", "final", "Warm.tla"]
        try:
            # The jar may be untrusted: a project can name its own.
            sandbox = java_sandbox(toolchain.java.path, folder, [toolchain.jar.path])
            run(argv, sandbox, timeout_seconds=_SECONDS)
            if made.is_file():
                shutil.copyfile(made, new)
                new.replace(archive)
        finally:
            new.unlink(missing_ok=True)


# For short runs: the optimising compiler would work on classes that are gone a moment later, and verifying classes costs
# time in every run, since each loads them again. The classes are those of the jar, which is trusted if it runs at all.
HOST_OPTIONS = (
    # For the environment variables of each run.
    OPENED,
    "-XX:TieredStopAtLevel=1",
    *FIRST_LATER,
    # By default the classes of a few runs would trigger a full collection.
    "-XX:MetaspaceSize=160m",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
    "-XX:+ExitOnOutOfMemoryError",
)
# A run with more CPU time is better off in its own JVM.
LONG_SECONDS = 3.0
# TLC's leaks in a JVM add up slowly, if at all.
_RUNS = 100
_LEAKS = 12
_FULL = 0.8
# After this many hosts lost in a row, hosts are not used any more.
_PATIENCE = 5
# Properties that Java itself never reads, and TLC only after it has started.
_LATE_PROPERTIES = ("tlc2.", "tla2sany.", "util.", "TLA-Library")
# Variables that the system or Java reads when a process starts.
_EARLY_VARIABLE = re.compile(r"(?:LC_|LD_|LANG|MALLOC_|GLIBC_|_?JAVA|JDK_)|(?:HOME|PATH|TMPDIR|TZ)\Z")
# Options that only change what TLC searches or prints.
_KNOWN_OPTIONS = frozenset({"-continue", "-nowarning", "-difftrace", "-terse"})
# Output that may differ in a separate process: the ends of memory and stack, bugs in TLC, and anything about class
# loaders or method handles.
_UNSURE = re.compile(
    rb"OutOfMemoryError|StackOverflowError|Java heap space|@!@!@STARTMSG (?:100[1-5]:|\d+:2 )|URLClassLoader"
    rb"|MethodHandle|FutureTask|LinkageError|NoClassDefFoundError|ClassNotFoundException"
    # The JVM's own words, which come once in its life.
    rb"|VM warning|(?:\A|\n)WARNING: "
)


def suits(options: TlcOptions, inputs: Inputs = NO_INPUTS) -> bool:
    """Whether a host may run TLC with these options and inputs.

    Simulation is excluded: its counts at a violation depend on how fast its threads start, which differs in a host.
    """
    return (
        options.mode == "check"
        and not options.java_options
        and _KNOWN_OPTIONS.issuperset(options.options)
        and not any(_EARLY_VARIABLE.match(name) for name, _ in inputs.environment)
        and all(name.startswith(_LATE_PROPERTIES) for name, _ in inputs.java_properties)
    )


@dataclass
class _Pool:
    """The hosts of this process: idle ones by command line, and those lent to runs, from before their start."""

    pid: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    idle: list[tuple[tuple[str, ...], Host]] = field(default_factory=list)
    lent: set[Host] = field(default_factory=set)
    lost: int = 0
    long: bool = False
    kept: bool = False


_pool = _Pool(os.getpid())


def execute_warm(
    argv: Sequence[str],
    folder: Path,
    streams: Path,
    limits: Limits,
    cancelled: threading.Event | None = None,
    inputs: Inputs = NO_INPUTS,
    watch: Watch | None = None,
) -> tuple[tuple[str, ...], ProcessEnd] | None:
    """The command line and the end of a run on a host, or None if the run needs its own process.

    ``argv`` is a process's, with ``FOLDER`` instead of ``folder``, which holds TLC's input and receives its files.
    ``streams``, another folder, receives its output as ``stdout.txt`` and ``stderr.txt``. On None both are unchanged,
    except for what the run did to its files. ``inputs`` are those of the run, whose Java properties ``argv`` sets too.
    ``watch`` is called now and then.
    """
    gateway = gateway_jar()
    pool = _own_pool()
    if gateway is None or pool.long or pool.lost >= _PATIENCE:
        return None
    split = argv.index("-cp")
    own = property_options(inputs.java_properties)
    java = tuple(part for part in argv[:split] if part not in own)
    jars, arguments = argv[split + 1], argv[split + 3 :]
    key = (*java, jars, str(limits.trust))
    host = None
    try:
        idle = _borrow(pool, key)
        host = idle or Host()
        with pool.lock:
            pool.lent.add(host)
        # Whoever cancels calls `stop_hosts` afterwards, which knows this host or was before it.
        if cancelled is not None and cancelled.is_set():
            host.kill()
            return None
        if idle is None:
            host.start(java, gateway, [Path(jar) for jar in jars.split(os.pathsep)], trust=limits.trust)
        ended = _run(host, folder, streams, arguments, limits, cancelled, inputs, watch)
    except BaseException as error:
        if host is not None:
            host.kill()
        if not isinstance(error, (SpoiledError, OSError)):
            raise
        with pool.lock:
            pool.long = pool.long or str(error) == "long"
            pool.lost += str(error) not in ("long", "cancelled")
        return None
    finally:
        with pool.lock:
            pool.lent -= {host}
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
    """Record the CPU time of a run in its own process: runs come longest first, so after a short one hosts are used again."""
    if cpu_seconds < LONG_SECONDS:
        _own_pool().long = False


def stop_hosts() -> None:
    """Kill the JVMs of all hosts with a run, including those that hang, as they run or as they start."""
    pool = _own_pool()
    with pool.lock:
        lent = tuple(pool.lent)
    for host in lent:
        host.kill_jvm()


@contextlib.contextmanager
def hosts_kept() -> Iterator[None]:
    """Keep idle hosts for what is executed next, until the end of this context."""
    pool = _own_pool()
    pool.kept = True
    try:
        yield
    finally:
        pool.kept = False
        close_hosts()


def keeps_hosts() -> bool:
    """Whether hosts stay for what is executed next."""
    return _own_pool().kept


def close_hosts() -> None:
    """Kill the idle hosts, unless they are kept."""
    pool = _own_pool()
    if pool.kept:
        return
    with pool.lock:
        idle, pool.idle = pool.idle, []
        pool.lost, pool.long = 0, False
    for _, host in idle:
        host.kill()


def _own_pool() -> _Pool:
    """The pool of this process; a forked child must not use its parent's."""
    global _pool
    if _pool.pid != os.getpid():
        _pool = _Pool(os.getpid())
    return _pool


def _borrow(pool: _Pool, command: tuple[str, ...]) -> Host | None:
    """An idle host with this command line; without one, None, and another idle host is killed to make room."""
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
    host: Host,
    folder: Path,
    streams: Path,
    arguments: Sequence[str],
    limits: Limits,
    cancelled: threading.Event | None,
    inputs: Inputs,
    watch: Watch | None,
) -> ProcessEnd:
    """The end of a run of TLC on a host with the files of ``folder``; SpoiledError leaves them unchanged."""
    before = {entry.name for entry in folder.iterdir()}
    started_at = now()
    start, used = time.monotonic(), host.cpu_seconds()
    sound = False
    try:
        _move(folder, host.folder)
        placed = [part.replace(str(FOLDER), str(host.folder)) for part in arguments]
        exit_code = host.run(placed, limits, inputs, cancelled, watch, cpu_seconds=LONG_SECONDS)
        ended = ProcessEnd(
            exit_code=exit_code,
            started_at=started_at,
            wall_seconds=time.monotonic() - start,
            cpu_seconds=host.cpu_seconds() - used,
            peak_memory_bytes=host.peak_bytes(),
            walls=host.walls,
        )
        sound = not is_full(host.folder) and not any(_unsure(stream) for stream in host.streams)
        if sound:
            for stream, name in zip(host.streams, ("stdout.txt", "stderr.txt"), strict=True):
                shutil.copyfile(stream, streams / name)
    finally:
        if not sound:
            host.kill_jvm()
        _move(host.folder, folder)
        shutil.rmtree(host.folder / "tmp", ignore_errors=True)
        (host.folder / "tmp").mkdir()
        for entry in () if sound else folder.iterdir():
            if entry.name not in before and entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name not in before:
                entry.unlink(missing_ok=True)
    if not sound:
        raise SpoiledError("unsure")
    return ended


def _move(source: Path, target: Path) -> None:
    """Move all files except the JVM's temporary folder."""
    for entry in source.iterdir():
        if entry.name != "tmp":
            shutil.move(entry, target / entry.name)


def _unsure(file: Path) -> bool:
    """Whether a stream may differ in a separate process."""
    if not file.stat().st_size:
        return False
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return _UNSURE.search(text) is not None
