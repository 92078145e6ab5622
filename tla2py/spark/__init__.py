"""Spark; the only room that imports pyspark."""

from __future__ import annotations

from enum import StrEnum


class ExecutorName(StrEnum):
    """The executors of a sweep's runs."""

    SPARK = "spark"
    LOCAL = "local"
