"""Traces that others have on disk, read into the same tables: logs of TLC, its ``-dumpTrace json``, ITF."""

from __future__ import annotations

from tla2py.interop.read import Found, read_file
from tla2py.interop.store import ForeignStore

__all__ = ["ForeignStore", "Found", "read_file"]
