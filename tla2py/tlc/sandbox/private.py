"""This process's private folder: copies of files that may change while runs go on."""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import ExitStack
from pathlib import Path

from tla2py.tlc.sandbox.reaper import scratch_folder

_folders: dict[int, Path] = {}
_lock = threading.Lock()


def private_folder(name: str) -> Path:
    """A folder with this name, removed when this process ends; a forked child has its own."""
    pid = os.getpid()
    with _lock:
        if pid not in _folders:
            stack = ExitStack()
            _folders[pid] = stack.enter_context(scratch_folder("tla2py-private-"))
            atexit.register(lambda: stack.close() if os.getpid() == pid else None)
        folder = _folders[pid] / name
        folder.mkdir(exist_ok=True)
        return folder
