"""Spark's start in the background, which can be abandoned at any time."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from tla2py.errors import ToolchainError
from tla2py.spark.launch import ONLY_RUNS, SparkJvm, has_jvm, spark_failed, spark_settings
from tla2py.tlc.command import COMPILE_LATER
from tla2py.tlc.sandbox.reaper import scratch_folder

if TYPE_CHECKING:
    from pyspark import SparkContext

    from tla2py.spark.executor import SparkExecutor

# Niceness cannot be lowered again, and Spark's tasks inherit it. With more of it Spark would be up too late, since TLC
# keeps all cores busy.
_NICENESS = 2


class SparkStart:
    """Spark on a local master, which starts in a thread and at a low priority once ``begin`` is called.

    ``up`` is set when it is there, ``failure`` when it did not start.
    """

    def __init__(self, master: str, workers: int, *, only_runs: bool) -> None:
        self.up = False
        self.failure: ToolchainError | None = None
        self._master = master
        self._workers = workers
        self._compiling = ONLY_RUNS if only_runs else COMPILE_LATER
        self._scratch = contextlib.ExitStack()
        self._lock = threading.Lock()
        self._abandoned = threading.Event()
        self._thread: threading.Thread | None = None
        self._jvm: SparkJvm | None = None
        self._context: SparkContext | None = None
        self._executor: SparkExecutor | None = None
        self._used = False
        self._connecting = False

    @property
    def begun(self) -> bool:
        """Whether Spark is starting, or has started or failed."""
        return self._thread is not None

    def begin(self) -> None:
        """Start Spark, unless that has begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._start, name="spark-start", daemon=True)
            self._thread.start()

    def use(self) -> SparkExecutor | None:
        """The executor on Spark, None if it is not up."""
        if self.up:
            self._used = True
        return self._executor

    def close(self) -> None:
        """Stop Spark, or kill its JVM if nothing used it."""
        with self._lock:
            self._abandoned.set()
            jvm, connecting = self._jvm, self._connecting
        if jvm is not None and not self._used:
            jvm.kill()
        # pyspark's import is not waited for.
        if connecting and self._thread is not None:
            self._thread.join()
            from tla2py.spark.session import forget_jvm, stop_context

            if self._context is not None:
                stop_context(self._context)
            if jvm is not None and not self._used:
                forget_jvm(jvm)
        self._scratch.close()

    def _start(self) -> None:
        settings: dict[str, str] = {}
        try:
            with self._lock:
                if self._abandoned.is_set():
                    return
                scratch = self._scratch.enter_context(scratch_folder("tla2py-spark-"))
                settings = spark_settings(self._master, self._workers, "tla2py", scratch, self._compiling)
                if not has_jvm():
                    self._jvm = SparkJvm(settings, scratch, _NICENESS)
            if self._jvm is not None:
                self._jvm.wait(self._abandoned)
            if self._abandoned.is_set():
                return
            from tla2py.spark.executor import SparkExecutor
            from tla2py.spark.session import start_context

            with self._lock:
                if self._abandoned.is_set():
                    return
                self._connecting = True
            self._context = start_context(settings, self._jvm)
            self._executor = SparkExecutor(self._context)
            self.up = True
        except ToolchainError as error:
            self.failure = error
        except Exception as error:
            self.failure = spark_failed(settings, str(error))
