"""Where configs are: a file, or a part of a module's file, and the places in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tla2py.errors import Place


def embedded_config(text: str, name: str) -> str | None:
    """The config between ``---- CONFIG NAME ----`` and ``====`` in a module's file, on its lines there; None without one."""
    lines = text.splitlines()
    begins = re.compile(rf"-{{4,}}\s*CONFIG\s+{re.escape(name)}\s*-{{4,}}")
    begin = next((number for number, line in enumerate(lines) if begins.fullmatch(line)), None)
    if begin is None:
        return None
    end = next((number for number in range(begin, len(lines)) if lines[number].startswith("====")), None)
    return "\n" * (begin + 1) + "\n".join([*lines[begin + 1 : end], ""])


def config_beside(module: Path) -> Path | None:
    """The config of a module: ``Spec.cfg`` beside ``Spec.tla``, otherwise the module's own file if it has one."""
    beside = module.with_suffix(".cfg")
    if beside.is_file():
        return beside
    return module if any(config_lines(module)) else None


def config_name(path: Path, lines: Sequence[str], name: str) -> Place | None:
    """The first place of a name in the lines of a config, outside comments."""
    for number, line in enumerate(lines, 1):
        found = re.search(rf"(?<![\w!]){re.escape(name)}(?![\w!])", line.partition("\\*")[0])
        if found is not None:
            return Place(file=str(path), line=number, column=found.start() + 1, excerpt=line)
    return None


def config_lines(path: Path) -> Sequence[str]:
    """The lines of a config, none if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    if path.suffix == ".tla":
        text = embedded_config(text, path.stem) or ""
    return text.splitlines()


def offset_of(offsets: Sequence[int], index: int, length: int) -> int:
    """The offset of character ``index`` of the last ``length`` ones."""
    return offsets[min(max(len(offsets) - length + index, 0), len(offsets) - 1)] if offsets else 0
