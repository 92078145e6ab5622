"""Every ``tla2tools.jar`` that tla2py finds, and the one that runs use."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import InputError, ToolchainError
from tla2py.toolchain.installed import installed_releases
from tla2py.toolchain.project import project_jar
from tla2py.toolchain.toolchain import Jar, bundled_jar, find_jar, read_jar


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundJar:
    """A jar: its name, its path, its contents (None if damaged), whether runs use it, and a note that says why."""

    name: str
    path: Path
    jar: Jar | None
    used: bool
    note: str


def found_jars() -> list[FoundJar]:
    """The jars: installed ones, the bundled one, and the one in use if it is another."""
    problem = ""
    try:
        used: Path | None = find_jar().path
    except (ToolchainError, InputError) as error:
        used, problem = None, error.message
    found: dict[Path, FoundJar] = {}
    for name, path in _candidates():
        real = path.resolve()
        if real in found:
            continue
        try:
            jar, note = read_jar(path, name), ""
        except ToolchainError as error:
            jar, note = None, error.message
        is_used = real == used
        if is_used:
            note = f"used: {_reason()}"
        found[real] = FoundJar(name=name, path=real, jar=jar, used=is_used, note=note)
    if problem:
        found[Path()] = FoundJar(name="?", path=Path(), jar=None, used=False, note=problem)
    return list(found.values())


def _reason() -> str:
    if os.environ.get("TLA2TOOLS_JAR"):
        return "TLA2TOOLS_JAR names it"
    project = project_jar()
    return f"{project.file} names it" if project else "bundled, and nothing names another"


def _candidates() -> Iterator[tuple[str, Path]]:
    # Installed ones first, so that a jar has the name of its release.
    yield from installed_releases()
    with contextlib.suppress(ToolchainError):
        yield "bundled", bundled_jar()
    with contextlib.suppress(ToolchainError, InputError):
        yield "named", find_jar().path
