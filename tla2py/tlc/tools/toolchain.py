"""Every ``tla2tools.jar`` that tla2py finds, the one that runs use, and whether it reads Unicode."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tla2py.errors import InputError, ToolchainError
from tla2py.tla.module import code_matches, line_and_column
from tla2py.tlc.process.sandbox import java_sandbox, run
from tla2py.tlc.tools.installed import installed_jar, installed_releases, release_of
from tla2py.tlc.tools.jar import (
    BUNDLED,
    GIVEN_JAR,
    INSTALL_NEWEST,
    INSTALLED,
    Jar,
    ProjectJar,
    bundled_jar,
    copied_jar,
    project_jar,
    read_jar,
    remember,
)
from tla2py.tlc.tools.java import Java, find_java

# How long a program of the jar that is not TLC may take.
_SECONDS = 60


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
    """The tools that runs need on their machine."""

    java: Java
    jar: Jar
    overrides: tuple[Override, ...] = ()


def run_program(toolchain: Toolchain, folder: Path, *program: str) -> subprocess.CompletedProcess[bytes]:
    """What a program in the jar does in a folder. Raises OSError, ``subprocess.TimeoutExpired``."""
    # The stack is that of TLC's runs.
    java = [str(toolchain.java.path), "-Xss16m", "-Xshare:auto", "-XX:TieredStopAtLevel=1"]
    java += ["-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]
    java += [f"-Djava.io.tmpdir={folder}", "-cp", str(toolchain.jar.path)]
    sandbox = java_sandbox(toolchain.java.path, folder, [toolchain.jar.path])
    return run([*java, *program], sandbox, timeout_seconds=_SECONDS)


def find_toolchain(jar: Path | None = None, origin: str = GIVEN_JAR) -> Toolchain:
    """Return the Java and a copy of the jar for runs; ``origin`` is what names ``jar``.

    Raises the errors of ``find_jar``, ``copied_jar`` and ``find_java``.
    """
    return Toolchain(jar=copied_jar(find_jar(jar, origin)), java=find_java())


def find_jar(explicit: Path | None = None, origin: str = GIVEN_JAR) -> Jar:
    """The jar that ``explicit``, ``TLA2TOOLS_JAR`` or the project names, in this order, or the default one.

    ``origin`` is the option or the key that names ``explicit``.
    Each names a file, an installed release or ``bundled``; a project does so in ``tla2py.toml``. The default is the newest of the
    installed ones and the bundled one. Raises ToolchainError: ``jar-missing``, ``jar-corrupt``, ``jar-not-tlc``,
    ``jar-pinned``; and InputError (``project-file``).
    """
    if explicit is not None:
        return read_jar(_file_or_release(explicit), origin)
    if named := os.environ.get("TLA2TOOLS_JAR"):
        return read_jar(_file_or_release(Path(named)), "TLA2TOOLS_JAR")
    project = project_jar()
    if project is None:
        jars = [read_jar(path, INSTALLED) for _, path in installed_releases()]
        try:
            jars.append(read_jar(bundled_jar(), BUNDLED))
        except ToolchainError:
            if not jars:
                raise
        return max(jars, key=lambda jar: jar.age)
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
            hint=f"tla2py tools install {release_of(project.named)}",
        )
    return replace(read_jar(path, str(project.file)), project=project)


def pin_project_jar() -> tuple[Jar, Path]:
    """The jar that the project names, and the file that now pins it.

    Raises ToolchainError as ``find_jar`` does, and InputError (``project-file``, ``output-unwritable``).
    """
    if (project := project_jar()) is None:
        raise ToolchainError(
            "jar-missing", "no project names a jar here", hint="tla2py tools install NAME --default"
        )
    jar = chosen_jar(project)
    return jar, remember(project.named, jar.sha256)


def _file_or_release(named: Path) -> Path:
    name = str(named)
    found = named if named.is_file() else _release(name)
    if found is None and re.fullmatch(r"v?\d[\d.]*|rolling", name):
        hint = f"tla2py tools install {release_of(name)}"
        raise ToolchainError("jar-missing", f"no installed release {name}", hint=hint)
    return found or named


def _release(name: str) -> Path | None:
    """The jar of an installed release, the bundled one, or the newest found whose TLC has this version; None without one."""
    if (found := bundled_jar() if name == BUNDLED else installed_jar(name)) is not None:
        return found
    files, jars = [*_files()], []
    with contextlib.suppress(InputError):
        project = project_jar()
        named = (os.environ.get("TLA2TOOLS_JAR"), project and project.file.parent / project.named)
        files += [("named", Path(each)) for each in named if each and Path(each).is_file()]
    for where, path in files:
        with contextlib.suppress(ToolchainError):
            jars.append(read_jar(path, where))
    of_version = (each for each in jars if each.version == name)
    newest = max(of_version, key=lambda each: each.age, default=None)
    return None if newest is None else newest.path


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
    for name, path in (*_files(), *([("named", used.path)] if used is not None else [])):
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


def _files() -> Iterator[tuple[str, Path]]:
    # Installed ones first, so that a jar has the name of its release.
    yield from installed_releases()
    with contextlib.suppress(ToolchainError):
        yield "bundled", bundled_jar()


_HEAD = re.compile(r"-{4,}\s*MODULE\b")
_TOKEN = rf'"(?:[^"\\\n]|\\.)*"|[^\x00-\x7f]|{_HEAD.pattern}|={{4,}}'
_PROBE = "---- MODULE Probe ----\nA ≜ ∀ x ∈ {} : x\n====\n"


def check_readable(texts: Mapping[str, str], paths: Mapping[str, str], toolchain: Toolchain) -> None:
    """Check that this TLC reads all symbols in the texts; ``paths`` are the files of the texts, by the same keys.

    Raises InputError (``unicode``) with the place of the first symbol that it does not read.
    """
    for key, text in texts.items():
        if text.isascii() or (found := unicode_symbol(text)) is None or reads_unicode(toolchain):
            continue
        line, column, symbol = found
        where = f"{paths[key]}:{line}:{column}" if key in paths else None
        raise InputError(
            "unicode",
            f"{symbol} is Unicode, which {toolchain.jar.tlc} does not read ({toolchain.jar.origin})",
            where=where,
            hint=f"{toolchain.jar.newer}; or write it in ASCII",
        )


def unicode_symbol(text: str) -> tuple[int, int, str] | None:
    """The line, column and text of the first character in a module, outside comments, that older TLCs do not read.

    In strings they read Latin-1.
    """
    head, depth = _HEAD.search(text), 1
    for token in code_matches(_TOKEN, text, head.end() if head is not None else 0):
        depth += token[0].startswith("-") - token[0].startswith("=")
        if not depth:
            return None
        limit = "\xff" if token[0].startswith('"') else "\x7f"
        for offset, character in enumerate(token[0], token.start()):
            if character > limit:
                return *line_and_column(text, offset), character
    return None


@lru_cache(maxsize=8)
def reads_unicode(toolchain: Toolchain) -> bool:
    """Whether the jar's SANY reads a module in Unicode."""
    with tempfile.TemporaryDirectory(prefix="tla2py-", ignore_cleanup_errors=True) as folder:
        (Path(folder) / "Probe.tla").write_text(_PROBE, encoding="utf-8")
        try:
            done = run_program(toolchain, Path(folder), "tla2sany.SANY", "Probe.tla")
        except (OSError, subprocess.TimeoutExpired):
            return False
        return b"Lexical error" not in done.stdout and b"Parse Error" not in done.stdout


def jar_of(sha256: str) -> Jar | None:
    """The jar of this machine with a digest, None without one."""
    return next((each.jar for each in found_jars() if each.jar and each.jar.sha256 == sha256), None)
