"""Places in a config file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tla2py.errors import Place


def config_name(path: Path, name: str) -> Place | None:
    """The first place of a name in a config, outside comments."""
    for number, line in enumerate(config_lines(path), 1):
        found = re.search(rf"(?<![\w!]){re.escape(name)}(?![\w!])", line.partition("\\*")[0])
        if found is not None:
            return Place(file=str(path), line=number, column=found.start() + 1, excerpt=line)
    return None


def config_lines(path: Path) -> Sequence[str]:
    """The lines of a config, none if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()


def offset_of(offsets: Sequence[int], index: int, length: int) -> int:
    """The offset of character ``index`` of the last ``length`` ones."""
    return offsets[min(max(len(offsets) - length + index, 0), len(offsets) - 1)] if offsets else 0
