"""The Spark of these tests: one JVM, and a session for each module, which commands within this process use.

The interpreter closes PySpark's sockets and its JVM's pipe at exit: these tests ignore ResourceWarning.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tla2py.spark.session import spark_session


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    with spark_session("local[2]") as started:
        yield started
