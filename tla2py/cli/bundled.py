"""The example systems that come with tla2py."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tla2py.errors import InputError, writing

# Modules that several systems share; a copied system gets its own.
_SHARED = "lib"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An example system; ``sweeps`` are the names of its sweep files, the main one first."""

    name: str
    title: str
    folder: Path
    sweeps: tuple[str, ...]


def examples() -> list[Example]:
    """The systems by name. Raises InputError (``examples-missing``)."""
    package = Path(__file__).resolve().parents[1]
    # A wheel has them inside the package, a checkout beside it.
    for place in (package / "specs", package.parent / "specs"):
        found = [_example(file.parent) for file in sorted(place.glob("*/sweep.toml"))]
        if found:
            return found
    raise InputError("examples-missing", "the examples are not installed", hint="reinstall tla2py")


def copy_example(name: str, target: Path) -> list[Path]:
    """Copy a system into a folder, created if missing, and return the paths of its sweep files.

    Raises InputError: ``unknown-example``, ``target-not-empty``, ``output-unwritable``.
    """
    known = {example.name: example for example in examples()}
    if name not in known:
        raise InputError("unknown-example", f"no example {name}", hint=f"examples: {', '.join(known)}")
    example = known[name]
    with writing(target):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(
                "target-not-empty", f"{target} already exists", hint="name a new or empty folder"
            )
        target.mkdir(parents=True, exist_ok=True)
        files = [file for file in sorted(example.folder.iterdir()) if file.is_file()]
        for file in files:
            shutil.copyfile(file, target / file.name)
        if _share([target / file.name for file in files]):
            shutil.copytree(example.folder.parent / _SHARED, target / _SHARED)
    return [target / sweep for sweep in example.sweeps]


def _example(folder: Path) -> Example:
    readme = (folder / "README.md").read_text(encoding="utf-8")
    others = sorted(file.name for file in folder.glob("*.toml") if file.name != "sweep.toml")
    title = re.search(r"^# (.+)$", readme, re.MULTILINE)
    return Example(
        name=folder.name,
        title=title[1] if title else folder.name,
        folder=folder,
        sweeps=("sweep.toml", *others),
    )


def _share(files: Iterable[Path]) -> bool:
    """Point sweep files to shared modules beside them; returns whether any uses them."""
    shared = False
    for file in files:
        if file.suffix != ".toml":
            continue
        text = file.read_text(encoding="utf-8")
        here = text.replace(f'"../{_SHARED}"', f'"{_SHARED}"')
        if here != text:
            file.write_text(here, encoding="utf-8")
            shared = True
    return shared
