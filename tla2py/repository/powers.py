"""What lets a sweep file or a project put its own program in the place of TLC: refused unless it is trusted."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from tla2py.errors import InputError
from tla2py.sweep.sections import SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.toolchain.installed import installed_releases, official_classes
from tla2py.toolchain.jar import Jar, bundled_jar
from tla2py.toolchain.releases import JAR_DIGESTS

# Options that set sizes, switches and numbers; others name programs, agents and classes.
_HARMLESS = re.compile(
    r"-X(?:ss|mx|ms|mn|int|batch)(?:\d+[kKmMgG]?)?|-XX:(?:[+-]\w+|\w+=\d+[kKmMgG]?)|-D(?P<name>[^=]+)(?:=.*)?"
)
_OF_JAVA = re.compile(r"(?:java|javax|jdk|sun|com\.sun)\.")
_OF_SYSTEM = re.compile(r"(?:LD_|DYLD_|GLIBC_|GCONV_|NLSPATH|LOCPATH|PATH\Z|HOME\Z|TMPDIR\Z)")


def check_powers(file: SweepFile, source: SweepText, base: Path) -> None:
    """Raise InputError (``needs-trust``) for Java classes, options and variables that could forge TLC's answers."""
    for name in file.tlc.overrides:
        if not _is_official(base / name):
            raise _needs_trust(f"the Java classes {name}", source.place("tlc", "overrides", value=name))
    for option in file.tlc.java_options:
        found = _HARMLESS.fullmatch(option)
        if found is None or _OF_JAVA.match(found["name"] or ""):
            where = source.place("tlc", "java_options", value=option)
            raise _needs_trust(f"the option {option} of Java", where)
    for kind, pattern in (("java_properties", _OF_JAVA), ("environment", _OF_SYSTEM)):
        start = f"{kind}."
        swept = [name.removeprefix(start) for name in file.parameters if name.startswith(start)]
        for name in (*getattr(file, kind), *swept):
            if pattern.match(name):
                keys = ("parameters", start + name) if name in swept else (kind, name)
                raise _needs_trust(f"setting {name}", source.place(*keys))


def check_jar(jar: Jar) -> None:
    """Raise InputError (``needs-trust``) for a jar in a project, unless it is a known release or installed here."""
    if jar.project is None or not (jar.project.file.parent / jar.project.named).is_file():
        return
    known = {*JAR_DIGESTS, *(_sha256(path) for _, path in installed_releases()), _sha256(bundled_jar())}
    if jar.sha256 not in known:
        raise _needs_trust(f"the jar {jar.project.named}", str(jar.project.file))


def _needs_trust(what: str, where: str) -> InputError:
    return InputError(
        "needs-trust",
        f"{what} can replace TLC's answers",
        where=where,
        hint="--trust allows it, if you trust everyone who can change the repository",
    )


def _is_official(path: Path) -> bool:
    return path.is_file() and _sha256(path) in official_classes()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
