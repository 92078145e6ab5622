"""Spark: executor choice, session, frames over a store's tables, jobs. Only this package imports pyspark."""

from __future__ import annotations

import importlib.util

from tla2py.errors import ToolchainError


def has_pyspark() -> bool:
    """Whether pyspark is installed; it is not imported, which takes a while."""
    return importlib.util.find_spec("pyspark") is not None


def require_pyspark() -> None:
    """Import pyspark. Raises ToolchainError (``spark-missing``) if it is not installed, or damaged."""
    try:
        import pyspark  # noqa: F401
    except Exception as error:
        raise ToolchainError(
            "spark-missing",
            f"pyspark cannot be imported: {error}",
            hint="pip install 'tla2py[spark]'; sweeps run without it: tla2py sweep --executor local",
        ) from error
