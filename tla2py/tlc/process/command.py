"""What one execution of TLC gets: its argv, from options and limits, and its input files."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO

from tla2py.errors import InputError, reason_of
from tla2py.model.model import GivenVariable, Inputs, is_inside
from tla2py.model.run import Limits, TlcOptions
from tla2py.tlc.process.sandbox import JAVA_VARIABLES, private_folder

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
# The largest method that a small run compiles reads its config, once: a twentieth of the CPU time of a check.
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
_MOST_BEHAVIOURS = (1 << 31) - 1
GRAPH = "graph.dot"


def heap_bytes(memory_bytes: int) -> int:
    """The Java heap that fits into a limit on all memory of the process."""
    return max(memory_bytes - max(_OVERHEAD, memory_bytes // 5), memory_bytes * 2 // 5, _SMALLEST_HEAP)


def _tuning(options: TlcOptions, limits: Limits) -> tuple[str, ...]:
    """JVM options that do not change TLC's results."""
    return (
        "-XX:+UseParallelGC",
        f"-XX:ParallelGCThreads={options.workers}",
        "-XX:-UsePerfData",
        *_NOT_COMPILED,
        f"-XX:MaxDirectMemorySize={min(_DIRECT, limits.memory_bytes // 4) // _MIB}m",
        "-Duser.language=en",
        "-Duser.country=US",
        "-Dstdout.encoding=UTF-8",
        "-Dstderr.encoding=UTF-8",
        f"-Dtlc2.TLC.progressInterval={_PROGRESS_SECONDS}",
        *(() if any(_RECORDS in option for option in options.java_options) else (_NO_RECORDER,)),
    )


def property_options(properties: Iterable[GivenVariable]) -> tuple[str, ...]:
    """The options that set a run's Java properties."""
    return tuple(f"-D{name}={value}" for name, value in properties)


def shell_command(environment: Iterable[GivenVariable], argv: Iterable[str]) -> str:
    """A command with its environment variables as a line for a shell."""
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in environment), shlex.join(argv)])


def build_argv(
    java: Path,
    jar: Path,
    folder: Path,
    main: str,
    options: TlcOptions,
    limits: Limits,
    jvm_options: Sequence[str] = (),
    overrides: Sequence[Path] = (),
    *,
    properties: Iterable[GivenVariable] = (),
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
    tlc = ["-tool", "-config", CONFIG_NAME, "-metadir", str(folder / "states")]
    tlc += ["-workers", str(options.workers), "-fp", str(options.fp), "-seed", str(options.seed)]
    # By default TLC also looks for lassos three seconds after its start, so its result and counts would depend on the
    # speed of the machine.
    tlc += ["-checkpoint", "0", "-lncheck", "final"]
    if not options.check_deadlock:
        tlc.append("-deadlock")
    if options.mode != "check":
        tlc.append(f"-{options.mode}")
        bounds = [f"file={folder / BEHAVIOURS / 'b'}"] if options.behaviours else []
        # TLC 2.20 writes no behaviours without a number.
        num = _MOST_BEHAVIOURS if options.num is None and options.behaviours else options.num
        bounds += [f"num={num}"] if num is not None else []
        tlc += [",".join(bounds)] if bounds else []
        if options.depth is not None:
            tlc += ["-depth", str(options.depth)]
    if options.graph:
        tlc += ["-dump", "dot,actionlabels", str(folder / GRAPH)]
    if options.coverage:
        tlc += ["-coverage", "60"]
    classes = os.pathsep.join(map(str, (jar, *overrides)))
    return (*jvm, "-cp", classes, "tlc2.TLC", *tlc, *options.options, f"{main}.tla")


# What a run's folder has of its own; the last is written beside the graph if a property is checked.
RESERVED_FILES = frozenset({CONFIG_NAME, "tmp", "states", BEHAVIOURS, GRAPH, "graph_liveness.dot"})
# The shell that starts a run changes or refuses these, and Java takes options from others.
RESERVED_VARIABLES = frozenset({*JAVA_VARIABLES, "TLA2PY_FOLDER", "IFS", "OPTIND", "PPID", "PWD", "_"})
_BLOCK = 1 << 20


def input_path(sha256: str) -> Path:
    """The path of the private copy of a file, which exists once it is kept."""
    return private_folder("inputs") / sha256


def place_inputs(inputs: Inputs, folder: Path, find: Callable[[str], Path] = input_path) -> None:
    """Copy the input files into a folder, the log with its edit; ``find`` finds them by sha256. Raises OSError."""
    log, edit = inputs.log, inputs.log.edit if inputs.log is not None else None
    edited = {each.file for each in log.files if each.path == edit.file} if log and edit else set[str]()
    for path, sha256 in inputs.files:
        target, source = folder / path, find(sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        if edit is not None and path in edited:
            with source.open("rb") as lines, target.open("wb") as sink:
                sink.writelines(edit.applied(lines))
            # As below.
            shutil.copystat(source, target)
            continue
        # With its time, by which a run's own files are recognized.
        shutil.copy2(source, target)


def keep_stream(source: IO[bytes]) -> str:
    """The sha256 of what a stream holds; a private copy of it is kept. Raises OSError."""
    digest = hashlib.sha256()
    handle, name = tempfile.mkstemp(dir=private_folder("inputs"))
    with os.fdopen(handle, "wb") as copy:
        while block := source.read(_BLOCK):
            digest.update(block)
            copy.write(block)
    sha256 = digest.hexdigest()
    Path(name).replace(input_path(sha256))
    return sha256


_FILE_HINT = "name files by a relative path in this folder, or by a pattern such as data/*.csv"


def check_variable(kind: str, name: str, where: str | None) -> None:
    """Raise InputError (``variable-name``) for a name that no run can have."""
    of_java = kind == "java_properties"
    known = name and "=" not in name if of_java else re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
    if not known:
        what = "a Java property" if of_java else "an environment variable"
        raise InputError(
            "variable-name", f"not the name of {what}: {name!r}", where=where, hint="write NAME=VALUE"
        )
    if kind == "environment" and name in RESERVED_VARIABLES:
        raise InputError(
            "variable-name",
            f"a run cannot choose {name}: the shell or Java reads it first",
            where=where,
            hint="give options for Java in java_options, and choose another name for anything else",
        )


def matching_files(base: Path, pattern: str, where: str | None) -> dict[str, Path]:
    """The files that match a pattern, by their path in the run's folder.

    Raises InputError: ``input-missing``, ``input-path``.
    """
    if not is_inside(pattern):
        raise outside_error(pattern, where)
    found = {file.relative_to(base).as_posix(): file for file in base.glob(pattern) if file.is_file()}
    if not found:
        raise InputError("input-missing", f"no file matches {pattern}", where=where, hint=_FILE_HINT)
    for path in found:
        check_path(path, where)
    return found


def outside_error(pattern: str, where: str | None) -> InputError:
    """The error for a path or a pattern that leads out of the run's folder."""
    return InputError("input-path", f"{pattern} is outside of the run's folder", where=where, hint=_FILE_HINT)


def check_path(path: str, where: str | None) -> None:
    """Raise InputError (``input-path``) for a path that a run writes itself, and for a Java class."""
    if path.endswith(".class"):
        raise InputError(
            "input-path",
            f"TLC would load {path} in place of definitions",
            where=where,
            hint="name Java classes with --overrides, or overrides in [tlc] of a sweep file",
        )
    reserved = path.partition("/")[0]
    if reserved in RESERVED_FILES:
        raise InputError(
            "input-path",
            f"each run writes its own {reserved}",
            where=where,
            hint="give the file another name, or a narrower pattern",
        )


def kept_file(file: Path) -> str:
    """The sha256 of a file, of which a private copy is kept. Raises InputError (``input-missing``)."""
    try:
        with file.open("rb") as source:
            return keep_stream(source)
    except OSError as error:
        raise InputError(
            "input-missing", f"cannot read {file}: {reason_of(error)}", hint="name files that you can read"
        ) from error
