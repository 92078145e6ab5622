"""Class-data archives of TLC, which save a third of a small run's time and half of its CPU time.

Most of a small run is the loading of TLC's classes, which an archive from an earlier run avoids
(``-XX:ArchiveClassesAtExit``, JEP 350; from Java 25 on the ahead-of-time cache, JEP 514, which also keeps them linked).
There is one per Java and jar, in the user's cache folder. Results do not depend on it: a JVM ignores an archive that
does not fit.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import platformdirs

from tla2py.tlc.sandbox.sandbox import java_sandbox, run
from tla2py.toolchain.toolchain import Toolchain

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
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not archive.is_file():
                _make(toolchain, archive)
                _forget(folder)
    except (OSError, subprocess.SubprocessError):
        return None
    return archive if archive.is_file() else None


def _key(toolchain: Toolchain) -> str:
    """The digest of what an archive depends on, including the jar's path, size and time, which the JVM checks."""
    jar = toolchain.jar.path.stat()
    java = toolchain.java.path.resolve()
    parts = [
        java,
        java.stat().st_mtime_ns,
        toolchain.java.version,
        toolchain.jar.path,
        jar.st_mtime_ns,
        jar.st_size,
        toolchain.jar.sha256,
        _MODULE,
        _CONFIG,
        *_INTERPRETED,
    ]
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]


def _forget(folder: Path) -> None:
    """Remove the least recently used archives; a JVM works without one."""
    archives = sorted(
        (*folder.glob("*.jsa"), *folder.glob(f"*{_AOT}")), key=lambda file: file.stat().st_mtime, reverse=True
    )
    for old in archives[_KEPT:]:
        old.unlink(missing_ok=True)
        old.with_suffix(".lock").unlink(missing_ok=True)


def _make(toolchain: Toolchain, archive: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "Warm.tla").write_text(_MODULE)
        (folder / "Warm.cfg").write_text(_CONFIG)
        new, made = archive.with_suffix(f".{os.getpid()}"), folder / f"new{archive.suffix}"
        keep = "AOTCacheOutput" if archive.suffix == _AOT else "ArchiveClassesAtExit"
        # An AOT cache also keeps profiles for the compilers, so TLC must not be interpreted only.
        how = () if archive.suffix == _AOT else _INTERPRETED
        java = (toolchain.java.path, "-XX:+UseParallelGC", *how, f"-XX:{keep}={made}", "-Xlog:disable")
        tlc = ("-cp", toolchain.jar.path, "tlc2.TLC", "-tool", "-deadlock", "-lncheck", "final", "Warm.tla")
        try:
            # The jar may be untrusted: a project can name its own.
            sandbox = java_sandbox(toolchain.java.path, folder, [toolchain.jar.path])
            run(
                [*map(str, java), f"-Djava.io.tmpdir={folder}", *map(str, tlc)],
                sandbox,
                timeout_seconds=_SECONDS,
            )
            if made.is_file():
                shutil.copyfile(made, new)
                new.replace(archive)
        finally:
            new.unlink(missing_ok=True)
