"""The machine's jars and Javas as tables and as JSON, and a download's progress."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from tla2py.errors import Tla2pyError
from tla2py.terminal.layout import plain_table
from tla2py.text import counted
from tla2py.toolchain.foundjars import FoundJar
from tla2py.toolchain.installed import community_jar, community_modules, official_classes
from tla2py.toolchain.jar import BUNDLED, INSTALL_NEWEST, INSTALLED, Jar
from tla2py.toolchain.javas import FoundJava
from tla2py.toolchain.toolchain import find_jar

_MB = 1e6


def tools_json(jars: Sequence[FoundJar], javas: Sequence[FoundJava]) -> dict[str, object]:
    """All jars and Javas, and the folder of the CommunityModules."""
    community = community_modules()
    return {
        "jars": [
            {
                "name": jar.name,
                "path": str(jar.path),
                "version": jar.jar.version if jar.jar else None,
                "revision": jar.jar.revision if jar.jar else None,
                "date": jar.jar.date if jar.jar else None,
                "sha256": jar.jar.sha256 if jar.jar else None,
                "used": jar.used,
                "note": jar.note,
            }
            for jar in jars
        ],
        "javas": [
            {"path": str(java.path), "version": java.version, "used": java.used, "note": java.note}
            for java in javas
        ],
        "community_modules": str(community) if community else None,
    }


def community_line() -> str:
    """A line on the installed CommunityModules, or on how to install them."""
    missing = f"not installed; {INSTALL_NEWEST} installs them with a TLC that they work with"
    return f"CommunityModules: {community_found() or missing}"


def community_found() -> str | None:
    """The installed CommunityModules: their number, whether the build is official, digest and folder; None without any."""
    folder, jar = community_modules(), community_jar()
    if folder is None or jar is None:
        return None
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    kind = "an official build" if digest in official_classes() else "not a build that tla2py knows"
    modules = counted(sum(1 for _ in folder.glob("*.tla")), "module")
    return f"{modules} with Java classes, {kind}, sha256 {digest[:12]}, {folder}"


def jars_table(jars: Sequence[FoundJar]) -> Table:
    """One row per jar; the one that runs use is in bold."""
    table = plain_table("tools", "TLC", "revision", "date", "sha256", "path", "")
    for found in jars:
        facts = found.jar
        cells = (facts.version, facts.revision, facts.date, facts.sha256[:12]) if facts else ("", "", "", "")
        table.add_row(found.name, *cells, str(found.path), found.note, style="bold" if found.used else "")
    return table


def javas_table(javas: Sequence[FoundJava]) -> Table:
    """One row per Java; the one that runs use is in bold."""
    table = plain_table("Java", "path", "")
    for java in javas:
        table.add_row(java.version or "?", str(java.path), java.note, style="bold" if java.used else "")
    return table


def use_lines(name: str, jar: Jar, project_file: Path | None) -> str:
    """The lines on an installed jar: which TLC it is, and who uses it; ``project_file`` now names it."""
    use = f"{project_file} makes it this project's TLC" if project_file is not None else _use(name, jar)
    return f"{jar.tlc}, revision {jar.revision}, sha256 {jar.sha256}\n{use}"


def _use(name: str, jar: Jar) -> str:
    named = f"use it with --tla2tools {name}; --default makes it this project's TLC"
    try:
        used = find_jar()
    except Tla2pyError:
        return named
    if used.path == jar.path:
        return "runs use it from now on"
    chosen = (
        f"{used.named} ({used.origin})"
        if used.origin in (BUNDLED, INSTALLED)
        else f"what {used.origin} names"
    )
    return f"runs still use {chosen}; {named}"


class DownloadProgress:
    """A download's progress on standard error: one changing line on a terminal, a line every two seconds otherwise."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._terminal = sys.stderr.isatty()
        self._next = 0.0

    def __call__(self, done: int, total: int | None) -> None:
        """Print how many bytes have arrived, if a new line is due."""
        now = time.monotonic()
        if now < self._next and done != total:
            return
        self._next = now + (0.1 if self._terminal else 2.0)
        of = f" of {total / _MB:.1f}" if total else ""
        end = "\r" if self._terminal and done != total else "\n"
        sys.stderr.write(f"{self._name}: {done / _MB:.1f}{of} MB{end}")
        sys.stderr.flush()
