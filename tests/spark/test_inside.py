"""What happens inside runs of Spark's Python workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.integration.test_inside import first_counts
from tla2py.spark.choice import SparkExecutor
from tla2py.spark.tasks import SparkTasks

pytestmark = [pytest.mark.java, pytest.mark.spark]


def test_the_counts_of_a_point_that_spark_runs(session: SparkSession, tmp_path: Path) -> None:
    progress = first_counts(SparkExecutor(1, SparkTasks(session.sparkContext)), tmp_path)
    assert progress.stats.distinct
    assert progress.memory_bytes > 30 << 20
