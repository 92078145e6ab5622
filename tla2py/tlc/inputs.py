"""Private copies of the files that runs read, by sha256.

A file may change while a sweep goes on. So it is copied and hashed at once, before the first run, and every run gets
the content that its id names.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from tla2py.model.inputs import Inputs
from tla2py.tlc.command import BEHAVIOURS, CONFIG_NAME, GRAPH, LIVENESS_GRAPH
from tla2py.tlc.sandbox.private import private_folder
from tla2py.tlc.sandbox.sandbox import JAVA_VARIABLES

# What a run's folder has of its own.
RESERVED_FILES = frozenset(
    {
        *(CONFIG_NAME, "tmp", "states"),
        *(BEHAVIOURS, GRAPH, LIVENESS_GRAPH),
    }
)
# The shell that starts a run changes or refuses these, and Java takes options from others.
RESERVED_VARIABLES = frozenset({*JAVA_VARIABLES, "TLA2PY_FOLDER", "IFS", "OPTIND", "PPID", "PWD", "_"})
_BLOCK = 1 << 20


def keep_input(file: Path) -> str:
    """The sha256 of a file; a private copy of it is kept. Raises OSError."""
    with file.open("rb") as source:
        return keep_stream(source)


def input_path(sha256: str) -> Path:
    """The path of the private copy of a file, which exists once it is kept."""
    return _folder() / sha256


def place_inputs(inputs: Inputs, folder: Path, find: Callable[[str], Path] = input_path) -> None:
    """Copy the input files into a folder, the log with its edit; ``find`` finds them by sha256. Raises OSError."""
    log, edit = inputs.log, inputs.log.edit if inputs.log is not None else None
    edited = {each.file for each in log.files if each.path == edit.file} if log and edit else set[str]()
    for path, sha256 in inputs.files:
        target, source = folder / path, find(sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        if edit is not None and path in edited:
            with source.open("rb") as lines, target.open("wb") as sink:
                sink.writelines(edit.applied(lines))
            # As below.
            shutil.copystat(source, target)
            continue
        # With its time, by which a run's own files are recognized.
        shutil.copy2(source, target)


def keep_stream(source: IO[bytes]) -> str:
    """The sha256 of what a stream holds; a private copy of it is kept. Raises OSError."""
    digest = hashlib.sha256()
    handle, name = tempfile.mkstemp(dir=_folder())
    with os.fdopen(handle, "wb") as copy:
        while block := source.read(_BLOCK):
            digest.update(block)
            copy.write(block)
    sha256 = digest.hexdigest()
    Path(name).replace(_folder() / sha256)
    return sha256


def _folder() -> Path:
    return private_folder("inputs")
