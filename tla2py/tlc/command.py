"""From options to the argv of one execution of TLC; pure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tla2py.model.run import Limits, TlcOptions

_MIB = 1024 * 1024
# What a JVM takes beside its heap: code cache, metaspace, thread stacks, GC structures.
_OVERHEAD = 224 * _MIB
_SMALLEST_HEAP = 48 * _MIB
# Part of the overhead. TLC takes as much for granted where nothing is said, while the JVM would allow as much as its heap.
_DIRECT = 64 * _MIB
# A small run spends half of its processor time on compiling what it will hardly use again. So the first compiler begins five
# times later than by default and puts less of other methods into one, and the optimising compiler begins ten times later: a
# run of minutes does not notice.
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
# TLC registers its events with Java's flight recorder, a quarter of a small run; by this property of the JDK
# (jdk.jfr.internal.JVMSupport) there is none.
_NO_RECORDER = "-Djfr.unsupported.vm=true"
_RECORDS = "FlightRecord"
# What TLC writes in a run's folder beside its messages: a file per behaviour of a simulation, the state graph.
BEHAVIOURS = "behaviours"
GRAPH = "graph.dot"


def heap_bytes(memory_bytes: int) -> int:
    """The Java heap that fits into a limit with everything included."""
    return max(memory_bytes - max(_OVERHEAD, memory_bytes // 5), memory_bytes * 2 // 5, _SMALLEST_HEAP)


def _tuning(options: TlcOptions, limits: Limits) -> tuple[str, ...]:
    """Options of the JVM on which no answer of TLC's depends."""
    return (
        "-XX:+UseParallelGC",
        f"-XX:ParallelGCThreads={options.workers}",
        "-XX:-UsePerfData",
        f"-XX:MaxDirectMemorySize={min(_DIRECT, limits.memory_bytes // 4) // _MIB}m",
        "-Duser.language=en",
        "-Duser.country=US",
        "-Dstdout.encoding=UTF-8",
        "-Dstderr.encoding=UTF-8",
        *_NOT_COMPILED,
        *(() if any(_RECORDS in option for option in options.java_options) else (_NO_RECORDER,)),
    )


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
    tuned: bool = True,
) -> tuple[str, ...]:
    """The command line of TLC for a run in ``folder``, which holds the modules and the config.

    Module and config are named relative to the folder, the only form that all TLC versions read alike; the folder
    is also the working directory, and ``tmp`` in it the JVM's own, since TLC up to 1.7.4 writes its standard modules
    into ``java.io.tmpdir`` and deletes them at exit. ``jvm_options`` are those of this machine; the run's own come later.
    ``overrides`` are jars and folders of classes; TLC's own classes go before those. Without ``tuned`` it leaves out what
    is for speed, memory or a reader of the output alone.
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
    )
    tlc = ["-tool", "-config", config, "-metadir", str(folder / "states"), "-workers", str(options.workers)]
    tlc += ["-fp", str(options.fp), "-seed", str(options.seed), "-checkpoint", "0"]
    # TLC else looks for lassos three seconds after its start too, in what it has found by then: what it answers, and how
    # many states it counts, would depend on how fast the machine is.
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
