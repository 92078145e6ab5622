"""Spark: the session, the executor, the frames over a store's tables, and jobs. Only here is pyspark imported.

Importing any of it raises ToolchainError (``spark-missing``) where pyspark is not installed.
"""

from __future__ import annotations

from tla2py.errors import ToolchainError

try:
    import pyspark  # noqa: F401
except ImportError as _error:
    raise ToolchainError(
        "spark-missing",
        f"pyspark cannot be imported: {_error}",
        hint="pip install 'pyspark>=4', or run without it: tla2py sweep --executor local",
    ) from _error
