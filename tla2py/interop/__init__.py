"""Readers of other trace files: logs of TLC, its ``-dumpTrace json``, ITF."""

from __future__ import annotations

from tla2py.interop.read import TraceFile, read_file
from tla2py.interop.store import ForeignStore

__all__ = ["ForeignStore", "TraceFile", "read_file"]
