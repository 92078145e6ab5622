"""A host: a JVM that runs TLC many times, each time as if it were the first.

Most of a small run is the start of a JVM, which a host avoids. Every run gets its own class loader, so that no static
state of TLC outlives it, and its own main thread, system properties and streams. The JVM runs the gateway of Py4J;
method handles replace TLC's ``main``, which would end the JVM.

Anything unusual spoils a host, and the run is repeated in its own process.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from py4j.protocol import Py4JError

from tla2py.model.model import Inputs
from tla2py.model.run import Limits
from tla2py.tlc.process.child import ChildProcess, Command, WallError
from tla2py.tlc.process.gateway import HANDLES, Gateway, JvmVariables, main_handle
from tla2py.tlc.process.os_facts import peak_since_reset, reset_peak
from tla2py.tlc.process.process import OUTPUT_LIMIT_BYTES, Watch
from tla2py.tlc.process.sandbox import environment, java_sandbox, start

# The placeholder for the host's folder in a command line.
FOLDER = Path("/tla2py-host")
_SERVER = ("py4j.GatewayServer", "--enable-auth", "0")
_START_SECONDS = 60
# Calls take milliseconds.
_ANSWER_SECONDS = 20
_POLL_MILLISECONDS = 100
_COMMON_POOL = "ForkJoinPool.commonPool-"
# Of more threads of a run some are overlooked.
_THREADS = 64


class SpoiledError(Exception):
    """A host and its last run cannot be trusted; the text says why."""


def _unpack(jar: Path, target: Path) -> None:
    """Write a copy of a jar without compression, because unpacking is a tenth of loading classes, which every run does."""
    with zipfile.ZipFile(jar) as packed, zipfile.ZipFile(target, "w") as plain:
        for item in packed.infolist():
            plain.writestr(item, packed.read(item), zipfile.ZIP_STORED)


class Host:
    """A JVM and a folder that its runs use one after another; another thread may ``kill_jvm`` at any time."""

    def __init__(self) -> None:
        self.runs = self.leaks = self._largest = 0
        self._base = Path(tempfile.mkdtemp(prefix="tla2py-host-"))
        # The standard output and error of the last run: those of the JVM, which may not open the files for writing.
        self.streams = self._base / "out", self._base / "err"
        self.folder = self._base / "run"
        (self.folder / "tmp").mkdir(parents=True)
        self._to_close = contextlib.ExitStack()
        # Appending, so that they can be emptied before each run, by descriptors since nobody may open them for writing.
        self._open = [self._to_close.enter_context(stream.open("ab")) for stream in self.streams]
        self._started: ChildProcess | None = None

    def start(self, java: Sequence[str], gateway: Path, jars: Sequence[Path], *, trust: bool = False) -> None:
        """Start the JVM; ``java`` is its command line up to the class path. Raises SpoiledError if it does not start."""
        java = [part.replace(str(FOLDER), str(self.folder)) for part in java]
        command = Command(
            argv=(*java, "-cp", str(gateway), *_SERVER),
            folder=self.folder,
            scratch=self._base,
            variables=environment(self.folder, trusted=trust),
            stdout=self._open[0],
            stderr=self._open[1],
        )
        # Outside the runs' folder, since later runs use it too. It must exist before the sandbox is made.
        copies = self._base / "jars"
        copies.mkdir()
        plain = [copies / f"{number}.jar" for number, _ in enumerate(jars)]
        for copy in plain:
            copy.touch()
        sandbox = None if trust else java_sandbox(Path(java[0]), self.folder, (gateway, *plain), server=True)
        try:
            self._started = start(command, sandbox)
            self.walls = self._started.walls
            self._jvm = self._started.command(_START_SECONDS)
            for jar, copy in zip(jars, plain, strict=True):
                if not trust:
                    _unpack(jar, copy)
            # Trusted jars stay in place, since a manifest may name other jars beside one.
            self._connect(jars if trust else plain)
        except BaseException as error:
            self.kill()
            if isinstance(error, (Py4JError, WallError, psutil.Error, ValueError, zipfile.BadZipFile)):
                raise SpoiledError("start") from error
            raise

    def _connect(self, jars: Sequence[Path]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while (output := (self._base / "out").read_text("utf-8", "replace")).count("\n") < 2:
            if self._jvm.status() == psutil.STATUS_ZOMBIE or time.monotonic() > deadline:
                raise Py4JError("the JVM did not start")
            time.sleep(0.01)
        port, token, *_ = output.split()
        self._java = java = Gateway(int(port), token, _ANSWER_SECONDS)
        self._to_close.callback(java.close)
        urls = [java.new("java.io.File", str(jar)).toURI().toURL() for jar in jars]
        self._urls = java.array("java.net.URL", urls)
        self._parent = java.call("java.lang.ClassLoader", "getPlatformClassLoader")
        self._lookup = java.call(HANDLES, "publicLookup")
        self._callable = java.type("java.util.concurrent.Callable")
        self._thread = java.type("java.lang.Thread")
        self._properties = java.call("java.lang.System", "getProperties").clone()
        self._beans = java.call("java.lang.management.ManagementFactory", "getPlatformMBeanServer")
        name, query = (java.type(f"javax.management.{each}") for each in ("ObjectName", "QueryExp"))
        registry = java.type("javax.management.MBeanServer")
        both, one = java.array("java.lang.Class", [name, query]), java.array("java.lang.Class", [name])
        self._query = registry.getMethod("queryNames", both)
        self._unregister = registry.getMethod("unregisterMBean", one)
        self._bean_names = self._find_beans()
        self._variables = JvmVariables(java)
        descriptors = java.type("java.io.FileDescriptor")
        fields = [descriptors.getField(name) for name in ("out", "err")]
        self._files = [java.new("java.io.FileOutputStream", each.get(None)) for each in fields]
        self._empty_streams()

    def _empty_streams(self) -> None:
        for stream in self._open:
            stream.truncate(0)

    def run(
        self,
        arguments: Sequence[str],
        limits: Limits,
        inputs: Inputs,
        cancelled: threading.Event | None,
        watch: Watch | None,
        *,
        cpu_seconds: float,
    ) -> int:
        """The exit status of TLC with these arguments in ``folder``; its output goes to ``streams``.

        ``watch`` is called now and then. Raises SpoiledError: ``long`` if it exceeds its wall or CPU time,
        ``cancelled``, and others.
        """
        java = self._java
        mark = java.mark()
        self.runs += 1
        self._largest = 0
        reset_peak(self._jvm.pid)
        deadline, used = time.monotonic() + limits.timeout_seconds, self.cpu_seconds()
        try:
            self._empty_streams()
            streams = [self._stream(*each) for each in zip(("setOut", "setErr"), self._files, strict=True)]
            java.call("java.lang.System", "setProperties", self._properties.clone())
            for name, value in inputs.java_properties:
                java.call("java.lang.System", "setProperty", name, value)
            self._variables.replace(inputs.environment)
            loader = java.new("java.net.URLClassLoader", self._urls, self._parent)
            main = main_handle(java, self._lookup, loader, arguments)
            proxies = "java.lang.invoke.MethodHandleProxies"
            main = java.call(proxies, "asInterfaceInstance", self._callable, main)
            task = java.new("java.util.concurrent.FutureTask", main)
            group = java.new("java.lang.ThreadGroup", "main")
            thread = java.new("java.lang.Thread", group, task, "main")
            thread.setContextClassLoader(loader)
            thread.start()
            while not task.isDone():
                thread.join(_POLL_MILLISECONDS)
                if cancelled is not None and cancelled.is_set():
                    raise SpoiledError("cancelled")
                if time.monotonic() >= deadline or self.cpu_seconds() >= used + cpu_seconds:
                    raise SpoiledError("long")
                if (resident := int(self._jvm.memory_info().rss)) > limits.memory_bytes:
                    raise SpoiledError("memory")
                self._largest = max(self._largest, resident)
                if self.streams[0].stat().st_size > OUTPUT_LIMIT_BYTES:
                    raise SpoiledError("output")
                if watch is not None:
                    watch(self.streams[0], resident)
            status = task.get()
            self._await_threads(group)
            self._remove_beans()
            for stream in streams:
                stream.flush()
            loader.close()
            java.forget_since(mark)
        except (Py4JError, psutil.Error) as error:
            raise SpoiledError("failed") from error
        if not isinstance(status, int):
            raise SpoiledError("failed")
        return status

    def _stream(self, setter: str, file: Any) -> Any:
        """A stream of the run's own into an open file, which replaces System.out or System.err."""
        java = self._java
        buffered = java.new("java.io.BufferedOutputStream", file)
        stream = java.new("java.io.PrintStream", buffered, True, "UTF-8")
        java.call("java.lang.System", setter, stream)
        return stream

    def _await_threads(self, group: Any) -> None:
        """Wait until all threads of a run are idle; in a separate process the exit would end them.

        Some runs leak threads that wait for each other, and with them all of TLC's classes.
        """
        deadline = time.monotonic() + 1
        while states := self._thread_states(group):
            if states == {"WAITING"}:
                self.leaks += 1
                return
            if time.monotonic() > deadline:
                raise SpoiledError("threads")
            time.sleep(0.002)

    def _remove_beans(self) -> None:
        """Remove the run's management beans, whose names would clash with those of the next run."""
        java = self._java
        left = self._find_beans()
        left.removeAll(self._bean_names)
        for name in left.toArray():
            self._unregister.invoke(self._beans, java.array("java.lang.Object", [name]))

    def _find_beans(self) -> Any:
        """The names of the management beans; the registry's class is not public, hence the reflection."""
        nothing = self._java.array("java.lang.Object", [None, None])
        return self._query.invoke(self._beans, nothing)

    def _thread_states(self, group: Any) -> set[str]:
        """The states of a run's live threads, without the JDK's common pool, which belongs to no run."""
        if group.activeCount() == 0:
            return set()
        array = self._java.call("java.lang.reflect.Array", "newInstance", self._thread, _THREADS)
        threads = [array[index] for index in range(group.enumerate(array))]
        own = (each for each in threads if not each.getName().startswith(_COMMON_POOL))
        return {str(each.getState().name()) for each in own}

    def cpu_seconds(self) -> float:
        """The CPU time of the JVM so far, user and system. Raises SpoiledError."""
        try:
            times = self._jvm.cpu_times()
        except psutil.Error as error:
            raise SpoiledError("failed") from error
        return times.user + times.system

    def resident_bytes(self) -> int:
        """The resident memory, 0 if the JVM is gone."""
        with contextlib.suppress(psutil.Error):
            return int(self._jvm.memory_info().rss)
        return 0

    def peak_bytes(self) -> int:
        """The peak resident memory of the last run, or the largest that was seen if the system does not keep it."""
        return peak_since_reset(self._jvm.pid) or max(self._largest, self.resident_bytes())

    def kill_jvm(self) -> None:
        """Kill the JVM and its child processes."""
        started, self._started = self._started, None
        if started is not None:
            started.end()

    def kill(self) -> None:
        """Kill the JVM and remove its folder."""
        self.kill_jvm()
        self._to_close.close()
        shutil.rmtree(self._base, ignore_errors=True)
