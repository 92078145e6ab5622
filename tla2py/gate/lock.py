"""``sweep.lock``: what a sweep checked and found when it was last accepted."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

import msgspec

from tla2py import toml
from tla2py.errors import InputError, reason_of, writing
from tla2py.store.storage import write_atomically
from tla2py.sweep.grid import value_key
from tla2py.text import parameter_text
from tla2py.toml import toml_key, toml_string

LOCK_VERSION = 1
_HEAD = "# What was checked and found when this was last accepted; 'tla2py gate --update' accepts it anew.\n"


class LockedPoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A point as it was accepted.

    ``config`` is a digest, ``searched`` and ``values`` are as in ``ConfigFacts``. ``distinct`` is None if the count is
    not reproducible. ``fired`` and ``idle`` (the actions that never fired) are None if actions were not counted.
    Older locks have no ``searched``, ``values`` and ``idle``.
    """

    parameters: dict[str, str]
    config: str
    values: str | None = None
    checked: list[str]
    searched: list[str] | None = None
    model_values: list[str]
    verdict: str
    violates: list[str]
    distinct: int | None = None
    fired: list[str] | None = None
    idle: list[str] | None = None

    @property
    def key(self) -> Hashable:
        """The key of its parameters."""
        return parameters_key(self.parameters)


class Lock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The accepted points of a sweep."""

    version: int = LOCK_VERSION
    point: list[LockedPoint] = []


def parameters_key(parameters: Mapping[str, str]) -> Hashable:
    """A key that is equal for equal parameter values, however these are written."""
    return frozenset((name, value_key(text)) for name, text in parameters.items())


def lock_path(sweep_file: Path) -> Path:
    """The path of a sweep file's lock: ``sweep.lock`` beside ``sweep.toml``."""
    return sweep_file.with_suffix(".lock")


def read_lock(path: Path) -> Lock | None:
    """The lock at a path, or None. Raises InputError (``lock-damaged``, ``lock-too-new``)."""
    hint = "restore it from version control, or delete it and write a new one with --record"
    try:
        data = toml.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, toml.TOMLDecodeError) as error:
        raise InputError(
            "lock-damaged", f"not a lock: {reason_of(error)}", where=str(path), hint=hint
        ) from error
    if isinstance(data.get("version"), int) and data["version"] > LOCK_VERSION:
        raise InputError(
            "lock-too-new",
            f"lock version {data['version']}; this tla2py reads up to version {LOCK_VERSION}",
            where=str(path),
            hint="update tla2py",
        )
    try:
        lock = msgspec.convert(data, Lock)
    except msgspec.ValidationError as error:
        raise InputError("lock-damaged", f"not a lock: {error}", where=str(path), hint=hint) from error
    keys = [point.key for point in lock.point]
    for point in lock.point:
        if keys.count(point.key) > 1:
            shown = parameter_text(point.parameters)
            raise InputError("lock-damaged", f"duplicate point: {shown}", where=str(path), hint=hint)
    return lock


def write_lock(path: Path, points: Iterable[LockedPoint]) -> None:
    """Write a lock atomically. Raises InputError (``output-unwritable``)."""
    with writing(path):
        write_atomically(path, lambda sink: sink.write(lock_text(points).encode()))


def lock_text(points: Iterable[LockedPoint]) -> str:
    """The text of a lock: points ordered by parameters, one name per line, for readable diffs."""
    parts = [_HEAD, f"version = {LOCK_VERSION}\n"]
    for point in sorted(points, key=_order):
        parts.append("\n[[point]]\n")
        for key, value in msgspec.structs.asdict(point).items():
            if value is not None:
                parts.append(f"{key} = {_toml(value)}\n")
    return "".join(parts)


def _order(point: LockedPoint) -> list[tuple[str, list[tuple[int, int, str]]]]:
    """A sort key that compares numbers in values as numbers: 2 before 10."""
    return [
        (
            name,
            [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text)],
        )
        for name, text in sorted(point.parameters.items())
    ]


def _toml(value: object) -> str:
    if isinstance(value, dict):
        inline = ", ".join(f"{toml_key(name)} = {toml_string(text)}" for name, text in sorted(value.items()))
        return f"{{ {inline} }}" if inline else "{}"
    if isinstance(value, list):
        items = [toml_string(item) for item in sorted(value)]
        return f"[{', '.join(items)}]" if len(items) < 2 else "[\n  " + ",\n  ".join(items) + ",\n]"
    return toml_string(value) if isinstance(value, str) else str(value)
