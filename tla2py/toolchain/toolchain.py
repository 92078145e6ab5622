"""The tools that a run needs, and the choice of the jar."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from tla2py.errors import ToolchainError
from tla2py.toolchain.installed import installed_jar, installed_releases
from tla2py.toolchain.jar import BUNDLED, INSTALLED, Jar, bundled_jar, copied_jar, read_jar
from tla2py.toolchain.java import Java, find_java
from tla2py.toolchain.project import ProjectJar, project_jar, remember


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
    """The jar that ``explicit``, ``TLA2TOOLS_JAR`` or the project names, in this order, or the default one.

    Each names a file, an installed release or ``bundled``; a project does so in ``tla2py.toml``. The default is the newest of the
    installed ones and the bundled one. Raises ToolchainError: ``jar-missing``, ``jar-corrupt``, ``jar-not-tlc``,
    ``jar-pinned``; and InputError (``project-file``).
    """
    if explicit is not None:
        return read_jar(_file_or_release(explicit), "--tla2tools")
    named = os.environ.get("TLA2TOOLS_JAR")
    if named:
        return read_jar(_file_or_release(Path(named)), "TLA2TOOLS_JAR")
    project = project_jar()
    if project is None:
        return _default_jar()
    jar = chosen_jar(project)
    if project.sha256 not in (None, jar.sha256):
        raise ToolchainError(
            "jar-pinned",
            f"the jar {project.named} has changed: sha256 {project.sha256} is pinned, {jar.named} has sha256 "
            f"{jar.sha256} ({jar.tlc}, revision {jar.revision})",
            where=str(project.file),
            hint="restore the pinned jar, or accept this one: tla2py tools pin",
        )
    return jar


def _default_jar() -> Jar:
    """The newest of the installed jars and the bundled one."""
    installed = [read_jar(path, INSTALLED) for _, path in installed_releases()]
    try:
        bundled = [read_jar(bundled_jar(), BUNDLED)]
    except ToolchainError:
        if not installed:
            raise
        bundled = []
    return max(installed + bundled, key=lambda jar: jar.age)


def chosen_jar(project: ProjectJar) -> Jar:
    """The jar that a project names, whatever it pins. Raises ToolchainError as ``find_jar`` does."""
    path = project.file.parent / project.named
    if not path.is_file():
        path = _release(project.named) or path
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
    return named if named.is_file() else _release(str(named)) or named


def _release(name: str) -> Path | None:
    """The jar of an installed release or the bundled one, None if there is none of this name."""
    return bundled_jar() if name == BUNDLED else installed_jar(name)
