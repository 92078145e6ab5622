"""Spark sessions and contexts for sweeps and queries."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from tla2py.spark import launch
from tla2py.tlc.process.reaper import scratch_folder


@contextlib.contextmanager
def spark_context(
    master: str | None, *, workers: int = 1, only_runs: bool = False, name: str = "tla2py"
) -> Iterator[SparkContext]:
    """A context for a sweep, which needs no tables: a session takes three seconds more to start.

    ``master`` is as for ``spark_session``, ``workers`` is the number of cores per task. With ``only_runs`` the process
    runs nothing else on Spark, so its JVM is tuned to start fast. The context is stopped at the end; an active one is
    reused and not stopped. Raises ToolchainError as ``spark_session`` does.
    """
    active: SparkContext | None = SparkContext._active_spark_context
    if active is not None:
        yield active
        return
    with scratch_folder("tla2py-spark-") as scratch:
        context = _start(launch.spark_settings(master, workers, name, scratch, only_runs), scratch)
        try:
            yield context
        finally:
            stop_context(context)


def stop_context(context: SparkContext) -> None:
    """Stop Spark without waiting up to a second for PySpark's accumulator server."""
    server, context._accumulatorServer = context._accumulatorServer, None  # type: ignore[assignment]
    try:
        # It may have stopped already.
        with contextlib.suppress(Py4JError, OSError):
            context.stop()
    finally:
        SparkContext._active_spark_context = None
        if server is not None:
            threading.Thread(target=server.shutdown, name="spark-stop", daemon=True).start()


@contextlib.contextmanager
def spark_session(master: str | None = "local[*]", *, name: str = "tla2py") -> Iterator[SparkSession]:
    """A quiet session on ``master``, stopped at the end; an active session is reused and not stopped.

    None means the master of ``spark-submit``, or ``local[*]`` without it.
    Raises ToolchainError (``spark-failed``, ``java-missing``, ``java-too-old``).
    """
    with spark_context(master, name=name):
        yield SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


@contextlib.contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep the process's interrupt handler: PySpark's own calls its JVM first."""
    kept = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, kept)


def shared_session() -> SparkSession:
    """The active session, or a local one until the interpreter exits; for notebooks."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(spark_session())


def _start(settings: Mapping[str, str], scratch: Path) -> SparkContext:
    if launch.submitted() or launch.has_jvm():
        return start_context(settings)
    jvm = launch.SparkJvm(settings, scratch)
    try:
        return start_context(settings, jvm)
    except BaseException:
        jvm.kill()
        forget_jvm(jvm)
        raise


def start_context(settings: Mapping[str, str], jvm: launch.SparkJvm | None = None) -> SparkContext:
    """A context with these settings, in a new JVM or in the one that pyspark has.

    Raises ToolchainError (``spark-failed``).
    """
    os.environ.update({**launch.PYTHON, **os.environ})
    configuration = SparkConf().setAll(list(settings.items()))
    # Not below: its error is a RuntimeError that has the reason already.
    if jvm is not None:
        jvm.wait()
    try:
        if jvm is not None:
            _attach(jvm)
        with _own_interrupts():
            context = SparkContext.getOrCreate(configuration)
    except (PySparkException, Py4JError, RuntimeError, OSError) as error:
        raise launch.spark_failed(settings, launch.java_reason(str(error)) or type(error).__name__) from error
    if launch.submitted():
        # Its JVM has Spark's default logging, a line per task.
        context.setLogLevel("ERROR")
    _expect_end(context)
    return context


def _expect_end(context: SparkContext) -> None:
    """Keep PySpark's accumulator server, which reads what the JVM sends, from printing that the JVM has ended."""
    server = context._accumulatorServer
    print_error = server.handle_error

    def handle_error(*request: Any) -> None:
        if not isinstance(sys.exception(), (EOFError, ConnectionError)):
            print_error(*request)

    server.handle_error = handle_error  # type: ignore[assignment, method-assign]


def _attach(jvm: launch.SparkJvm) -> None:
    """Make pyspark use a JVM, which it finds by the variables of spark-submit."""
    port, secret = jvm.connection()
    found = {launch.SUBMITTED: str(port), "PYSPARK_GATEWAY_SECRET": secret}
    os.environ.update(found)
    try:
        gateway = launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        for name in found:
            del os.environ[name]
    # The JVM ends when its standard input does.
    gateway.proc = jvm.process
    SparkContext._ensure_initialized(gateway=gateway)


def forget_jvm(jvm: launch.SparkJvm) -> None:
    """Make pyspark forget a JVM that was killed, so that the next context starts another."""
    gateway = SparkContext._gateway
    if gateway is not None and getattr(gateway, "proc", None) is jvm.process:
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
