"""Spark's masters; nothing here imports pyspark."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tla2py.errors import ToolchainError
from tla2py.execution.executor import default_slots
from tla2py.tlc.process import reaper
from tla2py.tlc.process.command import COMPILE_LATER
from tla2py.tlc.process.os_facts import kill_group
from tla2py.tlc.tools.java import find_java

# spark-submit sets this to the port of the JVM that it has started.
SUBMITTED = "PYSPARK_GATEWAY_PORT"


def submitted() -> bool:
    """Whether spark-submit started this process."""
    return SUBMITTED in os.environ


def local_cores(master: str) -> int | None:
    """The cores of a master of the form ``local``, ``local[N]`` or ``local[*]``, None for any other."""
    found = re.fullmatch(r"local(?:\[(\*|\d+)\])?", master)
    if not found:
        return None
    return default_slots(1) if found[1] == "*" else int(found[1] or "1")


# The optimising compiler takes half of the processor time of Spark's start; only large queries need it.
_ONLY_RUNS = ("-XX:TieredStopAtLevel=1",)
# Verifying Spark's own classes takes over a tenth.
_UNVERIFIED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote")
_MASTER = "spark.master"
_POLL_SECONDS = 0.05
# A line that names an exception, as Java or Py4J prints it, and its message.
_THROWN = re.compile(r'(?:Exception in thread "[^"]*" |Caused by: |: )[\w.$]+(?:Exception|Error): (.+)')
# Spark's workers use this Python unless the environment names another.
PYTHON = dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)


def spark_settings(
    master: str | None, workers: int, name: str, scratch: Path, only_runs: bool
) -> dict[str, str]:
    """The settings of a context; ``only_runs`` is as for ``spark_context``.

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
            *(_ONLY_RUNS if only_runs else COMPILE_LATER),
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
        cores = local_cores(master)
        # Cores for at least one task, which is retried if its Python worker is killed.
        settings[_MASTER] = master if cores is None else f"local[{max(cores, workers)},4]"
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

    Raises ToolchainError (``java-missing``, ``java-too-old``, ``spark-failed``).
    """

    def __init__(self, settings: Mapping[str, str], scratch: Path) -> None:
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

    def wait(self) -> None:
        """Wait until the JVM listens. Raises ToolchainError (``spark-failed``) if it ends."""
        while not self._info.exists():
            time.sleep(_POLL_SECONDS)
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
        kill_group(self.process.pid)
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
