"""Fixtures that write modules to a folder and load them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import load_modules

WriteModules = Callable[..., Path]
LoadModules = Callable[..., ModuleGraph]


@pytest.fixture
def write(tmp_path: Path) -> WriteModules:
    """``write(*texts, folder=...)`` writes each module to the file named after it and returns the first path."""

    def write(*texts: str, folder: Path = tmp_path) -> Path:
        folder.mkdir(exist_ok=True)
        paths = []
        for text in texts:
            named = re.search(r"MODULE\s+(\w+)", text)
            assert named is not None
            paths.append(folder / f"{named[1]}.tla")
            paths[-1].write_text(text, encoding="utf-8")
        return paths[0]

    return write


@pytest.fixture
def load(write: WriteModules) -> LoadModules:
    """``load(*texts)`` returns the module graph of the first module."""

    def load(*texts: str) -> ModuleGraph:
        return load_modules(write(*texts))

    return load


def module(name: str, body: str) -> str:
    """The text of a module whose body begins on line 2."""
    return f"---- MODULE {name} ----\n{body}\n====\n"
