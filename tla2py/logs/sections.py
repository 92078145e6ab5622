"""The sections of a sweep file on logs as types, and the files that they name."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from tla2py.errors import InputError
from tla2py.logs.observation import ObservedPlace
from tla2py.model.logs import LogMap


class UnobservedTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The steps that may come between two lines of a log, and their actions."""

    steps: int = 1
    actions: list[str] = []


class LogsSection(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"reads": "as"}
):
    """``[logs]``: the logs that the specification explains or not; each is a point."""

    files: list[str | list[str]] = []
    reads: str | None = None
    position: str | None = None
    map: LogMap | None = None
    unobserved: int | UnobservedTable = 0
    silent: float = 0.0
    search: Literal["bfs", "dfs"] | None = None
    mutate: int = 0


LOG_SECTIONS: dict[str, type[msgspec.Struct]] = {
    "logs": LogsSection,
    "logs.map": LogMap,
    "logs.unobserved": UnobservedTable,
}

# What every key means, by section.
LOG_KEYS: Mapping[str, Mapping[str, str]] = {
    "logs": {
        "files": "Logs or patterns such as traces/*.ndjson, relative to this file; they make a parameter named log. A folder, or a list, has the files of one run.",
        "as": "How the module gets the path: environment.NAME for IOEnv.NAME, or the name of a definition, or the file name that the module has; default: found in the module.",
        "position": "The expression that counts the lines, such as a variable; default: found in the module.",
        "map": "How to read the lines, if the module reads no log itself.",
        "unobserved": "How many steps that no line reports may come before each line, if the module reads no log itself; a table also names their actions.",
        "silent": "The share of lines, from 0 to 1, that may name no action, argument or part of the state; above it there is no verdict on the log; default: 0.",
        "search": "bfs for breadth first or dfs for depth first, which TLC has since 2.20; default: dfs if the module ends the search itself, otherwise bfs.",
        "mutate": "How many changed logs a gate checks to see what goes unnoticed; default: none.",
    },
    "logs.map": {
        "action": "The field with the name of the action; default: action.",
        "actions": "From names in the log to actions of the specification.",
        "args": "The field of each argument of an action.",
        "state": "The field of each variable, or of an expression of variables.",
        "drop": "Lines to leave out: those whose field has one of the values.",
        "clock": "The field by which the files of one run are merged.",
        "null": "The TLA+ text of null; default: null is an error.",
        "ignore": "Fields that are not used on purpose.",
    },
    "logs.unobserved": {
        "steps": "How many such steps may come before each line; default: 1.",
        "actions": "Their actions; default: any.",
    },
}


def find_logs(
    base: Path, files: Sequence[str | Sequence[str]], place: ObservedPlace
) -> dict[str, tuple[str, ...]]:
    """The paths of the files of each log. A list, and a folder, has the files of one run; patterns are sorted.

    Raises InputError (``input-missing``) for a pattern without a match, and for an empty list.
    """
    found: dict[str, tuple[str, ...]] = {}
    for each in files:
        if isinstance(each, str):
            matching = _matching(base, each, place)
            # A pattern names folders only if it ends with a slash.
            if each.endswith("/") or matching == [each]:
                found |= {path: _run_files(base, path, place) for path in matching}
            else:
                found |= {path: (path,) for path in matching if (base / path).is_file()}
        else:
            paths = [path for pattern in each for path in _matching(base, pattern, place)]
            if not paths:
                raise InputError(
                    "input-missing",
                    "a list of the files of one run is empty",
                    where=place("files"),
                    hint='name its files, as in [["a.ndjson", "b.ndjson"]], or remove the list',
                )
            found["+".join(paths)] = tuple(paths)
    return found


def _matching(base: Path, pattern: str, place: ObservedPlace) -> list[str]:
    if (base / pattern).exists():
        return [pattern]
    matching: list[str] = []
    if glob.has_magic(pattern):
        # Path.glob does not leave the folder.
        every = sorted(glob.glob(pattern, root_dir=base, recursive=True))  # noqa: PTH207
        matching = [Path(path).as_posix() for path in every]
    if not matching:
        raise _missing(pattern, place)
    return matching


def _missing(pattern: str, place: ObservedPlace) -> InputError:
    return InputError(
        "input-missing",
        f"no log matches {pattern}",
        where=place("files", value=pattern),
        hint="name logs relative to the sweep file, or a pattern such as traces/*.ndjson",
    )


def _run_files(base: Path, path: str, place: ObservedPlace) -> tuple[str, ...]:
    """The files of a log: itself, or those of a folder."""
    if not (base / path).is_dir():
        return (path,)
    names = sorted(
        each.name for each in (base / path).iterdir() if each.is_file() and not each.name.startswith(".")
    )
    if not names:
        raise _missing(path, place)
    return tuple(f"{path.rstrip('/')}/{name}" for name in names)
