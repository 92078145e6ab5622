"""Jars of TLC with another version or date, made from real ones."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path


def remade_jar(
    source: Path, target: Path, *, version: str | None = None, manifest: Mapping[str, str | None] = {}
) -> Path:
    """A copy of a jar with another version text in its classes and other fields in its manifest; None removes a field."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        zipfile.ZipFile(source) as old,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        known = re.search(rb"Version \d[ -~]*", old.read("tlc2/TLCGlobals.class"))
        assert known is not None
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "META-INF/MANIFEST.MF":
                content = _changed(content.decode(), manifest).encode()
            elif version is not None and entry.filename.endswith(".class"):
                content = content.replace(_constant(known[0]), _constant(version.encode()))
            new.writestr(entry, content)
    return target


def _constant(text: bytes) -> bytes:
    """A text in the constant pool of a class: its length in two bytes, then its bytes."""
    return len(text).to_bytes(2, "big") + text


def _changed(text: str, fields: Mapping[str, str | None]) -> str:
    lines = [line for line in text.rstrip().splitlines() if line.partition(":")[0] not in fields]
    lines += [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([*lines, "", ""])
