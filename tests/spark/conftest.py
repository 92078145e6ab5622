"""The one Spark of these tests; commands that run within this process take it as they find it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tla2py.spark.session import spark_session


@pytest.fixture(scope="session")
def session() -> Iterator[SparkSession]:
    with spark_session("local[2]") as started:
        yield started
