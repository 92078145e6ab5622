"""The launch of Spark's JVM; nothing here imports pyspark, which takes a second and delays other threads."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from tla2py.errors import ToolchainError
from tla2py.spark.master import local_master, submitted
from tla2py.tlc.sandbox import reaper
from tla2py.toolchain.java import find_java

# The optimising compiler takes half of the processor time of Spark's start; only large queries need it.
ONLY_RUNS = ("-XX:TieredStopAtLevel=1",)
# Verifying Spark's own classes takes over a tenth.
_UNVERIFIED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")
_MASTER = "spark.master"
_POLL_SECONDS = 0.05
# A line that names an exception, as Java or Py4J prints it, and its message.
_THROWN = re.compile(r'(?:Exception in thread "[^"]*" |Caused by: |: )[\w.$]+(?:Exception|Error): (.+)')
# Spark's workers use this Python unless the environment names another.
PYTHON = dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)


def spark_settings(
    master: str | None, workers: int, name: str, scratch: Path, compiling: Sequence[str]
) -> dict[str, str]:
    """The settings of a context; ``compiling`` are the options of the compiler of its JVM.

    Under spark-submit its own options stay, and without a ``master`` its master.
    """
    settings = {
        "spark.app.name": name,
        "spark.task.cpus": str(workers),
        "spark.speculation": "false",
        # Do not wait for cancelled runs.
        "spark.python.task.killTimeout": "200ms",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
    }
    if not submitted():
        master = master or "local[*]"
        log4j = Path(__file__).with_name("log4j2.properties").as_uri()
        java_options = (
            *compiling,
            *_UNVERIFIED,
            f"-Dlog4j2.configurationFile={log4j}",
            f"-Dderby.system.home={scratch}",
        )
        settings |= {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.extraJavaOptions": " ".join(java_options),
        }
        if master.startswith("local"):
            settings |= {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.local.dir": str(scratch),
            }
    if master is not None:
        settings[_MASTER] = local_master(master, workers)
    return settings


def spark_failed(settings: Mapping[str, str], reason: str) -> ToolchainError:
    """The error of a Spark that did not start."""
    master = settings.get(_MASTER)
    return ToolchainError(
        "spark-failed",
        f"Spark did not start on {master}: {reason}",
        hint="check the master, or run without Spark: tla2py sweep --executor local",
    )


def job_failed(error: BaseException) -> ToolchainError:
    """The error of a job that failed."""
    return ToolchainError(
        "spark-failed",
        f"the Spark job failed: {(str(error).splitlines() or [type(error).__name__])[0]}",
        hint="recorded runs are kept; the same command executes the rest",
    )


def java_reason(text: str) -> str:
    """The reason of a failure in what Java printed: the message of the last exception, else the last line; may be empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("\tat ")]
    thrown = [found[1] for line in lines if (found := _THROWN.match(line))]
    return (thrown or lines or [""])[-1]


class SparkJvm:
    """A JVM for Spark, launched as pyspark does it; it ends when its standard input does, so with this process.

    ``niceness`` lowers its priority. Raises ToolchainError (``java-missing``, ``java-too-old``, ``spark-failed``).
    """

    def __init__(self, settings: Mapping[str, str], scratch: Path, niceness: int = 0) -> None:
        self._settings = settings
        # The JVM writes its port and its secret here once it listens.
        self._info = scratch / "connection"
        self._log = scratch / "jvm.log"
        command = [str(_spark_home() / "bin" / "spark-submit")]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        command += shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))
        environment = {
            **PYTHON,
            **os.environ,
            "JAVA_HOME": str(find_java(spark=True).path.resolve().parent.parent),
            "SPARK_CONNECT_MODE": "0",
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._info),
        }
        try:
            with self._log.open("wb") as log:
                # In a session of its own it gets no interrupts from the terminal.
                self.process = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            raise spark_failed(settings, str(error)) from error
        # It would miss the end of its standard input until it listens.
        reaper.register(self.process.pid, scratch)
        if niceness:
            # The script has not started Java yet, so all threads inherit this.
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.process.pid, niceness)

    def wait(self, cancelled: threading.Event | None = None) -> None:
        """Wait until the JVM listens, or ``cancelled`` is set. Raises ToolchainError (``spark-failed``) if it ends."""
        cancelled = cancelled or threading.Event()
        while not self._info.exists() and not cancelled.wait(_POLL_SECONDS):
            if self.process.poll() is not None:
                reason = java_reason(self._log.read_text("utf-8", "replace"))
                raise spark_failed(self._settings, reason or f"exit status {self.process.returncode}")

    def connection(self) -> tuple[int, str]:
        """Its port and secret."""
        self.wait()
        data = self._info.read_bytes()
        self._info.unlink()
        size = int.from_bytes(data[4:8], "big")
        return int.from_bytes(data[:4], "big"), data[8 : 8 + size].decode()

    def kill(self) -> None:
        """Kill the JVM and what it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait()
        reaper.release(self.process.pid)


def has_active_context() -> bool:
    """Whether this process has a Spark context."""
    return getattr(_context_class(), "_active_spark_context", None) is not None


def has_jvm() -> bool:
    """Whether an earlier context left a JVM, which pyspark keeps for the next one."""
    return getattr(_context_class(), "_gateway", None) is not None


def _context_class() -> object:
    """Pyspark's SparkContext, None if nothing has imported pyspark."""
    return getattr(sys.modules.get("pyspark"), "SparkContext", None)


def _spark_home() -> Path:
    """The folder of Spark: what SPARK_HOME names, else pyspark's own, else the one above ``python/pyspark``."""
    if named := os.environ.get("SPARK_HOME"):
        return Path(named)
    spec = importlib.util.find_spec("pyspark")
    package = Path(spec.origin).parent if spec and spec.origin else Path()
    above = package.parent.parent
    return above if (above / "bin" / "spark-submit").exists() else package
