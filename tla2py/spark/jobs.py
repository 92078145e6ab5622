"""The work of the programs in ``spark_jobs/``: tables of many stores and logs as Spark frames, and their summary."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tla2py.errors import ExitCode, InputError, StoreError, Tla2pyError
from tla2py.spark.frames import deriver, spark_reason, stored_frame, struct_type
from tla2py.store.foreign import ForeignStore, open_tables
from tla2py.store.schema import TABLE_NAMES, TABLES, runs_columns
from tla2py.store.storage import folder_of, is_remote
from tla2py.store.store import Store
from tla2py.store.write import stored_table


def load_tables(session: SparkSession, inputs: Sequence[str]) -> dict[str, DataFrame]:
    """Every table over some stores, logs and trace files; ``source`` is the input of a row.

    A parameter that an input lacks is null; states are ITF as JSON text. Raises InputError and StoreError as
    ``tla2py.open_store`` does, and InputError (``same-input``) for a duplicate.
    """
    if len(set(inputs)) < len(inputs):
        raise InputError(
            "same-input", "an input is named twice", hint="name it once, or its rows would count twice"
        )
    stores = {name: open_tables(name, deriver(session.sparkContext)) for name in inputs}
    frames = {}
    for table in TABLE_NAMES:
        parts = []
        for name, store in stores.items():
            if isinstance(store, ForeignStore):
                # Only the driver has its tables.
                columns = runs_columns(()) if table == "runs" else TABLES[table]
                part = session.createDataFrame(stored_table(store, table), struct_type(columns))
            else:
                part = stored_frame(session, store, table)
            parts.append(part.withColumn("source", sf.lit(name)))
        frames[table] = _union(parts)
    return frames


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


def write_tables(
    tables: Mapping[str, DataFrame], target: str, append: bool = False
) -> Iterator[tuple[str, int]]:
    """Write each table as Parquet below ``target``, any address that Spark can write to; yields its name and row count.

    Raises InputError (``output-unwritable``) if Spark cannot write, or if a table exists and ``append`` is not set.
    """
    for name, frame in tables.items():
        place = f"{target.rstrip('/')}/{name}"
        try:
            frame.write.mode("append" if append else "errorifexists").parquet(place)
            yield name, frame.count()
        except PySparkException as error:
            raise InputError(
                "output-unwritable",
                f"cannot write {place}: {spark_reason(error)}",
                hint="name another place, or use --append",
            ) from error


def load_runs(session: SparkSession, inputs: Sequence[str]) -> DataFrame:
    """The table ``runs`` over stores, logs and folders written by ``write_tables``, with ``source``.

    Raises as ``load_tables`` does, and InputError (``no-runs``) for an address without tables.
    """
    parts = []
    for name in inputs:
        if _is_store(name):
            parts.append(load_tables(session, [name])["runs"])
            continue
        try:
            parts.append(session.read.parquet(f"{name.rstrip('/')}/runs"))
        except PySparkException as error:
            raise InputError(
                "no-runs", f"{name} has no tables", hint="load_traces.py -o URI writes them"
            ) from error
    return _union(parts)


def _is_store(name: str) -> bool:
    """Whether an input is a store, a log or a trace file, not a folder written by ``write_tables``."""
    if not is_remote(name):
        return not (folder_of(name) / "runs").is_dir()
    try:
        Store.open(name)
    except StoreError:
        return False
    return True


def summarize(runs: DataFrame) -> DataFrame:
    """A row per source, verdict and violated definition.

    ``points`` counts its points, ``shortest`` is the length of their shortest counterexample in states, ``distinct`` the
    maximum of their distinct states, ``cpu_seconds`` the sum.
    """
    violated = sf.explode_outer("violated").alias("violation")
    rows = runs.select("source", "verdict", "trace_length", "distinct", "cpu_seconds", violated)
    return (
        rows.groupBy("source", "verdict", sf.col("violation.kind"), sf.col("violation.name"))
        .agg(
            sf.count(sf.lit(1)).alias("points"),
            sf.min("trace_length").alias("shortest"),
            sf.max("distinct").alias("distinct"),
            sf.round(sf.sum("cpu_seconds"), 1).alias("cpu_seconds"),
        )
        .orderBy("source", "verdict", "kind", "name")
    )


def job_exit(job: Callable[[], None]) -> int:
    """Run a job and return its exit code; user errors are printed in two lines."""
    try:
        job()
    except Tla2pyError as error:
        sys.stderr.write(f"error: {error}\n")
        return ExitCode.NOT_RUN
    return ExitCode.OK
