"""Every ``tla2tools.jar`` that tla2py finds, and the one that runs use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import InputError, ToolchainError
from tla2py.toolchain.installed import installed_releases
from tla2py.toolchain.jar import BUNDLED, INSTALL_NEWEST, INSTALLED, Jar, bundled_jar, read_jar
from tla2py.toolchain.toolchain import find_jar


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
    problem, used = "", None
    try:
        used = find_jar()
    except (ToolchainError, InputError) as error:
        problem = error.message
    found: dict[Path, FoundJar] = {}
    for name, path in _candidates():
        real = path.resolve()
        if real in found:
            continue
        try:
            jar, note = read_jar(path, name), ""
        except ToolchainError as error:
            jar, note = None, error.message
        is_used = used is not None and real == used.path
        if used is not None and is_used:
            note = f"used: {_reason(used)}"
        found[real] = FoundJar(name=name, path=real, jar=jar, used=is_used, note=note)
    if problem:
        found[Path()] = FoundJar(name="?", path=Path(), jar=None, used=False, note=problem)
    return list(found.values())


def _reason(used: Jar) -> str:
    if used.origin == BUNDLED:
        return f"bundled, and no newer one is installed; to install today's: {INSTALL_NEWEST}"
    if used.origin == INSTALLED:
        return INSTALLED
    return f"{used.project.file if used.project else used.origin} names it"


def _candidates() -> Iterator[tuple[str, Path]]:
    # Installed ones first, so that a jar has the name of its release.
    yield from installed_releases()
    with contextlib.suppress(ToolchainError):
        yield "bundled", bundled_jar()
    with contextlib.suppress(ToolchainError, InputError):
        yield "named", find_jar().path
