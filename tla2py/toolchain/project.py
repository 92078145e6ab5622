"""A project's choice of tools: the key ``tla2tools`` in ``tla2py.toml``, or in ``[tool.tla2py]`` of ``pyproject.toml``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tla2py import toml
from tla2py.errors import InputError, writing

NAME = "tla2py.toml"
_KEY = "tla2tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectJar:
    """The release or path of a project's jar, and the file that names it."""

    named: str
    file: Path


def project_jar(folder: Path | None = None) -> ProjectJar | None:
    """The jar that the nearest ``tla2py.toml`` or ``pyproject.toml`` with ``[tool.tla2py]`` names, from ``folder`` upwards.

    Raises InputError (``project-file``) if the file is unreadable or has other keys.
    """
    start = (folder or Path.cwd()).resolve()
    for parent in (start, *start.parents):
        for name in (NAME, "pyproject.toml"):
            file = parent / name
            if not file.is_file():
                continue
            table = _table(file)
            if table is None:
                continue
            unknown = [key for key in table if key != _KEY]
            if unknown:
                raise InputError("project-file", f"unknown key {unknown[0]}", where=str(file), hint=_HINT)
            named = table.get(_KEY)
            if named is None:
                return None
            if not isinstance(named, str) or not named:
                raise InputError("project-file", f"{_KEY} is not a string", where=str(file), hint=_HINT)
            return ProjectJar(named=named, file=file)
    return None


def remember(named: str) -> Path:
    """Make a release or a path the project's jar, and return the file that names it.

    This is the file that named a jar before, otherwise ``tla2py.toml`` in the current folder.
    Raises InputError: ``project-file``, ``output-unwritable``.
    """
    known = project_jar()
    file = known.file if known is not None else Path.cwd() / NAME
    line = f'{_KEY} = "{named}"'
    with writing(file):
        old = file.read_text("utf-8") if file.exists() else ""
        if known is None:
            text = f"{line}\n{old}"
        else:
            text = re.sub(rf"(?m)^{_KEY}\s*=\s*([\"']).*?\1", lambda _: line, old, count=1)
        file.write_text(text, encoding="utf-8")
    return file


_HINT = f'the only key is {_KEY}, a release or the path of a jar: {_KEY} = "1.7.4"'


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
