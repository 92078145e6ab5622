"""The engines that answer SQL over the tables of a store, apart, so that the command line need not import them."""

from __future__ import annotations

from enum import StrEnum


class Engine(StrEnum):
    """What answers a query, in its own dialect."""

    DUCKDB = "duckdb"
    SPARK = "spark"
