"""A project's choice of tools: ``tla2tools`` and its sha256 in ``tla2py.toml``, or in ``[tool.tla2py]`` of ``pyproject.toml``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tla2py import toml
from tla2py.errors import InputError, writing
from tla2py.files.write import write_file

NAME = "tla2py.toml"
_KEY = "tla2tools"
_PIN = "tla2tools_sha256"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectJar:
    """The release or path of a project's jar, the file that names it, and the sha256 that it pins, if any."""

    named: str
    file: Path
    sha256: str | None = None


def project_jar() -> ProjectJar | None:
    """The jar that the nearest ``tla2py.toml``, or ``pyproject.toml`` with ``[tool.tla2py]``, names.

    It is looked for in the current folder and those above.

    Raises InputError (``project-file``) if the file is unreadable or has other keys.
    """
    start = Path.cwd()
    for parent in (start, *start.parents):
        for name in (NAME, "pyproject.toml"):
            file = parent / name
            if not file.is_file():
                continue
            table = _table(file)
            if table is None:
                continue
            unknown = [key for key in table if key not in (_KEY, _PIN)]
            if unknown:
                raise InputError("project-file", f"unknown key {unknown[0]}", where=str(file), hint=_HINT)
            texts = {}
            for key, value in table.items():
                if not isinstance(value, str) or not value:
                    raise InputError("project-file", f"{key} is not a string", where=str(file), hint=_HINT)
                texts[key] = value
            if _KEY in texts:
                pinned = texts.get(_PIN)
                return ProjectJar(named=texts[_KEY], file=file, sha256=pinned.lower() if pinned else None)
            if texts:
                raise InputError("project-file", f"{_PIN} without {_KEY}", where=str(file), hint=_HINT)
            return None
    return None


def project_release() -> str:
    """The name of the project's jar. Raises InputError: ``usage`` if no project names one, and as ``project_jar`` does."""
    project = project_jar()
    if project is None:
        raise InputError(
            "usage", "no NAME, and no project names a jar", hint="name one: tla2py tools install rolling"
        )
    return project.named


def remember(named: str, sha256: str) -> Path:
    """Make a release or a path with this digest the project's jar, and return the file that names it.

    This is the file that named a jar before, otherwise ``tla2py.toml`` in the current folder.
    Raises InputError: ``project-file``, ``output-unwritable``.
    """
    known = project_jar()
    file = known.file if known is not None else Path.cwd() / NAME
    line, pin = f'{_KEY} = "{named}"', f'{_PIN} = "{sha256}"'
    with writing(file):
        old = file.read_text("utf-8") if file.exists() else ""
        if known is None:
            text = f"{line}\n{pin}\n{old}"
        else:
            rest = re.sub(rf"(?m)^[ \t]*{_PIN}[ \t]*=.*\n?", "", old)
            pattern = rf"(?m)^[ \t]*{_KEY}[ \t]*=[ \t]*([\"']).*?\1(.*)$"
            text = re.sub(pattern, lambda found: f"{line}{found[2]}\n{pin}", rest, count=1)
            if pin not in text:
                raise InputError(
                    "project-file", f"cannot write {_PIN} into the file", where=str(file), hint=f"write {pin}"
                )
        write_file(file, text)
    return file


_HINT = (
    f'allowed: {_KEY}, a release such as "1.7.4" or the path of a jar; and {_PIN}, written by '
    "'tla2py tools pin'"
)


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
