"""Spark sessions and contexts for sweeps and queries."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tla2py.errors import ToolchainError
from tla2py.execution.executor import default_slots, fitting_slots
from tla2py.spark.executor import first_line
from tla2py.tlc.command import COMPILE_LATER
from tla2py.tlc.sandbox.reaper import scratch_folder
from tla2py.toolchain.java import find_java

# The optimising compiler takes half of the processor time of Spark's start; only large queries need it.
_ONLY_RUNS = ("-XX:TieredStopAtLevel=1",)
# Verifying Spark's own classes takes over a tenth.
_UNVERIFIED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")


@contextlib.contextmanager
def spark_context(
    master: str | None = "local[*]", *, workers: int = 1, only_runs: bool = False
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
        context = _start(master, workers, "tla2py", scratch, _ONLY_RUNS if only_runs else COMPILE_LATER)
        try:
            yield context
        finally:
            _stop(context)


def _stop(context: SparkContext) -> None:
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
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    with scratch_folder("tla2py-spark-") as scratch:
        _start(master, 1, name, scratch, COMPILE_LATER)
        session = SparkSession.builder.getOrCreate()
        try:
            yield session
        finally:
            with contextlib.suppress(Py4JError, OSError):
                session.stop()


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
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    scratch = Path(tempfile.mkdtemp(prefix="tla2py-spark-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    _start("local[*]", 1, "tla2py", scratch, COMPILE_LATER)
    return SparkSession.builder.getOrCreate()


# spark-submit sets this to the port of the JVM that it has started.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"


def _start(
    master: str | None, workers: int, name: str, scratch: Path, compiling: Sequence[str]
) -> SparkContext:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    settings = {
        "spark.task.cpus": str(workers),
        "spark.speculation": "false",
        # Do not wait for cancelled runs.
        "spark.python.task.killTimeout": "200ms",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
    }
    if _SUBMITTED not in os.environ:
        java = find_java(spark=True)
        os.environ["JAVA_HOME"] = str(java.path.resolve().parent.parent)
        master = master or "local[*]"
        log4j = Path(__file__).with_name("log4j2.properties").as_uri()
        settings |= {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.extraJavaOptions": " ".join(
                (
                    *compiling,
                    *_UNVERIFIED,
                    f"-Dlog4j2.configurationFile={log4j}",
                    f"-Dderby.system.home={scratch}",
                )
            ),
        }
        if master.startswith("local"):
            settings |= {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.local.dir": str(scratch),
            }
    configuration = SparkConf().setAppName(name).setAll(list(settings.items()))
    # Without an explicit master, spark-submit's options stay.
    if master is not None:
        configuration.setMaster(_local_master(master, workers))
    try:
        with _own_interrupts(), _quiet():
            context = SparkContext.getOrCreate(configuration)
    except KeyboardInterrupt:
        # PySpark still manages a JVM that served an earlier context.
        if SparkContext._gateway is None:
            _kill_launched()
        raise
    except (PySparkException, Py4JError, RuntimeError, OSError) as error:
        raise ToolchainError(
            "spark-failed",
            f"Spark did not start on {master}: {first_line(error)}",
            hint="check the master, or run without Spark: tla2py sweep --executor local",
        ) from error
    if _SUBMITTED in os.environ:
        # Its JVM has Spark's default logging, a line per task.
        context.setLogLevel("ERROR")
    return context


def _kill_launched() -> None:
    """Kill a JVM whose start was interrupted: PySpark forgets it, and it would wait forever."""
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "org.apache.spark.deploy.SparkSubmit" in child.cmdline():
                child.kill()


def _local_master(master: str, workers: int) -> str:
    """A local master with cores for at least one task, which retries a task if its Python worker is killed."""
    cores = _local_cores(master)
    return master if cores is None else f"local[{max(cores, workers)},4]"


def fitting_master(master: str | None, workers: int, memory_bytes: int) -> tuple[str | None, int | None]:
    """The master with its cores limited by memory, and the number of concurrent runs if memory limits it.

    Only local masters change, and not spark-submit's. Raises InputError as ``fitting_slots`` does.
    """
    cores = None if master is None and _SUBMITTED in os.environ else _local_cores(master or "local[*]")
    if cores is None:
        return master, None
    slots = max(cores // workers, 1)
    fitting = fitting_slots(slots, memory_bytes)
    return (master, None) if fitting == slots else (f"local[{fitting * workers}]", fitting)


def _local_cores(master: str) -> int | None:
    found = re.fullmatch(r"local(?:\[(\*|\d+)\])?", master)
    if not found:
        return None
    return default_slots(1) if found[1] == "*" else int(found[1] or "1")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Discard what Spark's launcher prints to standard error before logging is configured."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as sink:
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
