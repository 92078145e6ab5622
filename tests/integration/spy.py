"""A module whose operator, by a Java class beside it, tries what a module of a stranger might try."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

from tests.command import CommandResult

CLASSES = Path(__file__).parents[1] / "specs" / "classes"


def java_class(name: str) -> bytes:
    """A class of ``tests/specs/classes``, where its source is too."""
    return base64.b64decode((CLASSES / f"{name}.b64").read_text())


def write_spy(folder: Path, tries: Mapping[str, tuple[str, str]]) -> Path:
    """A module whose only state says what became of each try, and a folder ``spy`` with the class; the module."""
    (folder / "spy").mkdir()
    (folder / "spy/Spy.tla").write_text((CLASSES / "Spy.tla").read_text())
    (folder / "spy/Spy.class").write_bytes(java_class("Spy"))
    fields = ", ".join(f'{name} |-> Try("{what}", {json.dumps(on)})' for name, (what, on) in tries.items())
    (folder / "Use.tla").write_text(
        "---- MODULE Use ----\nEXTENDS Spy\nVARIABLE found\n"
        f"Init == found = [{fields}]\nNext == UNCHANGED found\nSpec == Init /\\ [][Next]_found\n"
        "Told == FALSE /\\ found = found\n====\n"
    )
    return folder / "Use.tla"


def found_by(ended: CommandResult) -> dict[str, str]:
    """What became of each try, from what check printed as JSON."""
    found: dict[str, str] = ended.json["traces"][0]["states"][0]["state"]["found"]
    return found
