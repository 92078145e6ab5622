"""What a project says of its tools: the key ``tla2tools`` of its ``tla2py.toml``, or of ``[tool.tla2py]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tla2py import toml
from tla2py.errors import InputError, unwritable

NAME = "tla2py.toml"
_KEY = "tla2tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectJar:
    """The jar that a project names: a release or a path, and the file that says so."""

    named: str
    file: Path


def project_jar(folder: Path | None = None) -> ProjectJar | None:
    """What the nearest ``tla2py.toml`` or ``pyproject.toml`` with ``[tool.tla2py]`` says, from ``folder`` upwards.

    Raises InputError (``project-file``) for one that cannot be read or says something else.
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
                raise InputError("project-file", f"{_KEY} is no text", where=str(file), hint=_HINT)
            return ProjectJar(named=named, file=file)
    return None


def remember(named: str, folder: Path | None = None) -> Path:
    """Make a release or a path the project's jar in ``tla2py.toml``; the file that says so.

    The file is the one that says it already, else a new one in ``folder``, the current one unless given. Raises
    InputError: ``project-file``, ``output-unwritable``.
    """
    here = folder or Path.cwd()
    known = project_jar(here)
    file = known.file if known is not None else here / NAME
    line = f'{_KEY} = "{named}"'
    try:
        old = file.read_text("utf-8") if file.exists() else ""
        if known is None:
            text = f"{line}\n{old}"
        else:
            text = re.sub(rf"(?m)^{_KEY}\s*=\s*([\"']).*?\1", lambda _: line, old, count=1)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(file, error) from error
    return file


_HINT = f'it may have one key: {_KEY} = "1.7.4", a release or the path of a jar'


def _table(file: Path) -> dict[str, object] | None:
    """The part of a file that is ours, None when it has none."""
    try:
        data = toml.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, toml.TOMLDecodeError) as error:
        if file.name != NAME:
            return None
        raise InputError("project-file", f"this is no TOML: {error}", where=str(file), hint=_HINT) from error
    if file.name == NAME:
        return data
    tool = data.get("tool")
    found = tool.get("tla2py") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None
