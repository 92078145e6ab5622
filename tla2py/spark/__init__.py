"""Spark: executor choice, session, frames over a store's tables, jobs. Only this package imports pyspark."""

from __future__ import annotations

from tla2py.errors import ToolchainError


def require_pyspark() -> None:
    """Import pyspark. Raises ToolchainError (``spark-missing``) if it is not installed."""
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise ToolchainError(
            "spark-missing",
            f"pyspark cannot be imported: {error}",
            hint="pip install 'pyspark>=4', or run without it: tla2py sweep --executor local",
        ) from error
