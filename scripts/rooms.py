"""Print the rooms of the package: files, lines and import lines of each. Used by the test of the structure and by engineers."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import tla2py

ROOT = Path(tla2py.__file__).parent


class Size(NamedTuple):
    """How large a room is: its files, their lines, and those of them that import."""

    files: int
    lines: int
    imports: int


def import_lines(text: str) -> int:
    """How many lines of a module are imports, those inside functions included."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in found)


def room_of(file: Path) -> str:
    """The room of a file of the package; ``top`` for what stands directly in it."""
    parts = file.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else "top"


def room_sizes() -> dict[str, Size]:
    """The size of each room, by name."""
    sizes: dict[str, Size] = {}
    for file in sorted(ROOT.rglob("*.py")):
        text = file.read_text("utf-8")
        old = sizes.get(room_of(file), Size(0, 0, 0))
        sizes[room_of(file)] = Size(
            old.files + 1, old.lines + len(text.splitlines()), old.imports + import_lines(text)
        )
    return sizes


def total(sizes: dict[str, Size]) -> Size:
    """The size of the package."""
    return Size(*map(sum, zip(*sizes.values(), strict=True)))


def main() -> None:
    """Print a line for each room, and one for all of them."""
    sizes = room_sizes()
    print(f"{'room':<12}{'files':>7}{'lines':>9}{'imports':>9}")
    for room, size in [*sizes.items(), ("all", total(sizes))]:
        print(
            f"{room:<12}{size.files:>7,}{size.lines:>9,}{size.imports:>9,}  {size.imports / size.lines:.1%}"
        )


if __name__ == "__main__":
    main()
