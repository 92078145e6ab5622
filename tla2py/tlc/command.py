"""The argv of one execution of TLC, from options and limits."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from tla2py.model.inputs import Variable
from tla2py.model.run import Limits, TlcOptions

_MIB = 1024 * 1024
# A JVM's memory besides its heap: code cache, metaspace, thread stacks, GC structures.
_OVERHEAD = 224 * _MIB
_SMALLEST_HEAP = 48 * _MIB
# Part of the overhead. TLC assumes as much if nothing is given, while the JVM would allow as much as its heap.
_DIRECT = 64 * _MIB
# A small run spends half of its CPU time on compiling code that it hardly uses again. So the first compiler starts five
# times later than by default and inlines less, and the optimising compiler starts ten times later. A run of minutes
# is as fast as before.
FIRST_LATER = (
    "-XX:Tier3InvocationThreshold=1000",
    "-XX:Tier3MinInvocationThreshold=500",
    "-XX:Tier3CompileThreshold=8000",
    "-XX:Tier3BackEdgeThreshold=240000",
    "-XX:C1MaxInlineLevel=2",
    "-XX:C1MaxInlineSize=20",
)
COMPILE_LATER = (
    *FIRST_LATER,
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
# The largest method that a small run compiles reads its config, once.
_NOT_COMPILED = (
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=exclude,tla2sany.configuration.ConfigurationTokenManager::jjMoveNfa_0",
)
# TLC registers its events with Java's flight recorder, which takes a quarter of a small run; this property of the JDK
# (jdk.jfr.internal.JVMSupport) turns the recorder off.
_NO_RECORDER = "-Djfr.unsupported.vm=true"
# How often TLC prints its counts. Releases up to 1.7.4 do so after three seconds and then once a minute, and ignore this.
_PROGRESS_SECONDS = 5
_RECORDS = "FlightRecord"
# The name of a run's config.
CONFIG_NAME = "MC.cfg"
# The option with which TLC goes on after a violation.
CONTINUE = "-continue"
# What TLC writes into a run's folder: a file per behaviour of a simulation, and the state graph.
BEHAVIOURS = "behaviours"
GRAPH = "graph.dot"
# Written beside it if a property is checked.
LIVENESS_GRAPH = "graph_liveness.dot"


def heap_bytes(memory_bytes: int) -> int:
    """The Java heap that fits into a limit on all memory of the process."""
    return max(memory_bytes - max(_OVERHEAD, memory_bytes // 5), memory_bytes * 2 // 5, _SMALLEST_HEAP)


def _tuning(options: TlcOptions, limits: Limits) -> tuple[str, ...]:
    """JVM options that do not change TLC's results."""
    return (
        "-XX:+UseParallelGC",
        f"-XX:ParallelGCThreads={options.workers}",
        "-XX:-UsePerfData",
        f"-XX:MaxDirectMemorySize={min(_DIRECT, limits.memory_bytes // 4) // _MIB}m",
        "-Duser.language=en",
        "-Duser.country=US",
        "-Dstdout.encoding=UTF-8",
        "-Dstderr.encoding=UTF-8",
        f"-Dtlc2.TLC.progressInterval={_PROGRESS_SECONDS}",
        *_NOT_COMPILED,
        *(() if any(_RECORDS in option for option in options.java_options) else (_NO_RECORDER,)),
    )


def property_options(properties: Iterable[Variable]) -> tuple[str, ...]:
    """The options that set a run's Java properties."""
    return tuple(f"-D{name}={value}" for name, value in properties)


def shell_command(environment: Iterable[Variable], argv: Iterable[str]) -> str:
    """A command with its environment variables as a line for a shell."""
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in environment), shlex.join(argv)])


def build_argv(
    java: Path,
    jar: Path,
    folder: Path,
    main: str,
    config: str,
    options: TlcOptions,
    limits: Limits,
    jvm_options: Sequence[str] = (),
    overrides: Sequence[Path] = (),
    *,
    properties: Iterable[Variable] = (),
    tuned: bool = True,
) -> tuple[str, ...]:
    """The command line of TLC for a run in ``folder``, which holds the modules and the config.

    Module and config are relative to the folder, the only form that all TLC versions read the same way. The folder is
    also the working directory, and its ``tmp`` is ``java.io.tmpdir``, where TLC up to 1.7.4 writes its standard modules
    and deletes them at exit. ``jvm_options`` are those of this machine; the run's own override them. ``overrides`` are
    jars and folders of classes; TLC's own classes take precedence. Without ``tuned`` options are left out that only
    serve speed, memory or readable output.
    """
    jvm = (
        str(java),
        f"-Xmx{heap_bytes(limits.memory_bytes) // _MIB}m",
        "-Xss16m",
        f"-Djava.io.tmpdir={folder / 'tmp'}",
        "-Dfile.encoding=UTF-8",
        # One line per value where TLC knows this property; older ones wrap at 80 columns.
        "-Dtlc2.value.Values.width=2147483647",
        *(_tuning(options, limits) if tuned else ()),
        *jvm_options,
        *options.java_options,
        *property_options(properties),
    )
    tlc = ["-tool", "-config", config, "-metadir", str(folder / "states"), "-workers", str(options.workers)]
    tlc += ["-fp", str(options.fp), "-seed", str(options.seed), "-checkpoint", "0"]
    # By default TLC also looks for lassos three seconds after its start, so its result and counts would depend on the
    # speed of the machine.
    tlc += ["-lncheck", "final"]
    if not options.check_deadlock:
        tlc.append("-deadlock")
    if options.mode != "check":
        tlc.append(f"-{options.mode}")
        bounds = [f"file={folder / BEHAVIOURS / 'b'}"] if options.behaviours else []
        bounds += [f"num={options.num}"] if options.num is not None else []
        tlc += [",".join(bounds)] if bounds else []
        if options.depth is not None:
            tlc += ["-depth", str(options.depth)]
    if options.graph:
        tlc += ["-dump", "dot,actionlabels", str(folder / GRAPH)]
    if options.coverage:
        tlc += ["-coverage", "60"]
    return (
        *jvm,
        "-cp",
        os.pathsep.join(map(str, (jar, *overrides))),
        "tlc2.TLC",
        *tlc,
        *options.options,
        f"{main}.tla",
    )
