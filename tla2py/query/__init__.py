"""SQL over the tables of a store: Spark's dialect, answered by DuckDB in this process or by Spark.

DuckDB answers a query if every construct in it is on a list of constructs that give the same rows in both.
"""

from __future__ import annotations

from enum import Enum


class Engine(str, Enum):
    """What answers a query."""

    SPARK = "spark"
    DUCKDB = "duckdb"
