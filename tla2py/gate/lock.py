"""``sweep.lock``: what a sweep checked and found when it was last accepted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tla2py import toml
from tla2py.errors import InputError, reason_of
from tla2py.sweep.grid import parameters_key
from tla2py.text import parameter_text
from tla2py.toml import toml_key, toml_string

LOCK_VERSION = 2
_HEAD = "# What was checked and found when this was last accepted; 'tla2py gate --update' accepts it anew.\n"
# Without these a point was not counted.
_ACTIONS = ("fired", "idle")
# Digests by name. A point may have more than it reaches: what other points reach.
_DIGESTS = ("reaches", "assumptions", "definitions")


class LockedPoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A point as it was accepted.

    ``config`` is a digest, ``searched`` and ``values`` are as in ``ConfigFacts``. ``distinct`` and ``generated`` are None
    if the count is not reproducible. ``first_unmatched`` is the first line of its log that no behaviour explains, ``graph`` the digest of its
    state graph, None without one. ``fired`` and ``idle`` (the actions that never fired) are None if actions were not
    counted. ``reaches``, ``assumptions`` and ``definitions`` are as in ``DefinitionMeaning``.
    """

    parameters: dict[str, str]
    config: str
    values: str | None = None
    verdict: str
    violates: list[str]
    distinct: int | None = None
    generated: int | None = None
    first_unmatched: int | None = None
    graph: str | None = None
    checked: list[str] = []
    searched: list[str] | None = None
    model_values: list[str] = []
    fired: list[str] | None = None
    idle: list[str] | None = None
    reaches: dict[str, str] | None = None
    assumptions: dict[str, str] | None = None
    definitions: dict[str, str] | None = None

    @property
    def key(self) -> Hashable:
        """The key of its parameters."""
        return parameters_key(self.parameters)


class _Shared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is not written again for each point: names that all points have, and digests that are the same at all."""

    checked: list[str] = []
    searched: list[str] = []
    model_values: list[str] = []
    fired: list[str] = []
    idle: list[str] = []
    reaches: dict[str, str] = {}
    assumptions: dict[str, str] = {}
    definitions: dict[str, str] = {}


class Lock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The accepted points of a sweep.

    ``tlc`` is the version and revision of the TLC that ran them. With ``vacuity`` TLC was asked what could not fail.
    ``mutants`` is as in ``blindness``, None if no logs were changed; ``survivors`` is as in that function, None if no mutants
    of the specification ran. ``self_test`` are the mutants that properties notice, see ``SelfTestResult``, by property. ``options`` are those of a command that change a folder's configs.
    ``version`` and ``shared`` are for the file, in which points lack what is shared.
    """

    version: int = LOCK_VERSION
    tlc: str | None = None
    vacuity: bool = False
    options: list[str] = []
    mutants: dict[str, str] | None = None
    survivors: dict[str, str] | None = None
    self_test: dict[str, str] | None = None
    shared: _Shared = _Shared()
    point: list[LockedPoint] = []


def lock_path(sweep_file: Path) -> Path:
    """The path of a sweep file's lock: ``sweep.lock`` beside ``sweep.toml``."""
    return sweep_file.with_suffix(".lock")


def read_lock(path: Path) -> Lock | None:
    """The lock at a path, or None. Raises InputError (``lock-damaged``, ``lock-too-new``, ``lock-too-old``)."""
    where, hint = str(path), "restore it from version control, or delete it and write a new one with --record"
    try:
        data = toml.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, toml.TOMLDecodeError) as error:
        raise InputError("lock-damaged", f"not a lock: {reason_of(error)}", where=where, hint=hint) from error
    if isinstance(data.get("version"), int) and data["version"] > LOCK_VERSION:
        raise InputError(
            "lock-too-new",
            f"the lock has version {data['version']}; this tla2py reads up to version {LOCK_VERSION}",
            where=where,
            hint="update tla2py",
        )
    if data.get("version") == 1:
        raise InputError(
            "lock-too-old",
            f"the lock has version 1; this tla2py reads version {LOCK_VERSION}",
            where=where,
            hint="delete it and write a new one with --record",
        )
    if "version" not in data:
        raise InputError("lock-damaged", "not a lock: it has no version", where=where, hint=hint)
    try:
        lock = msgspec.convert(data, Lock)
    except msgspec.ValidationError as error:
        raise InputError("lock-damaged", f"not a lock: {error}", where=where, hint=hint) from error
    counts = Counter(point.key for point in lock.point)
    for point in lock.point:
        if counts[point.key] > 1:
            shown = parameter_text(point.parameters)
            raise InputError("lock-damaged", f"duplicate point: {shown}", where=where, hint=hint)
    points = [_with_shared(point, lock.shared) for point in lock.point]
    return msgspec.structs.replace(lock, point=points, shared=_Shared())


def lock_text(lock: Lock) -> str:
    """The text of a lock: points ordered by parameters, one name per line, for readable diffs."""
    points = [msgspec.structs.asdict(point) for point in sorted(lock.point, key=_order)]
    shared = {}
    for key in _Shared.__struct_fields__:
        found = [point for point in points if point[key] is not None]
        common = _common([_items(point[key]) for point in found], key)
        for point in found:
            own = _items(point[key]) - common
            # An empty list of actions says that they were counted.
            if own or key in _ACTIONS:
                point[key] = dict(own) if key in _DIGESTS else list(own)
            else:
                point[key] = None
        if common:
            shared[key] = dict(common) if key in _DIGESTS else list(common)
    head = {
        "version": LOCK_VERSION,
        "tlc": lock.tlc,
        "vacuity": lock.vacuity or None,
        "options": lock.options or None,
    }
    tables = [_table("", head)]
    for name in ("mutants", "survivors", "self_test"):
        if (texts := getattr(lock, name)) is not None:
            tables.append(f"[{name}]\n{_pairs(texts)}")
    tables += [_table("shared", shared)] if shared else []
    return _HEAD + "\n".join([*tables, *(_table("point", point) for point in points)])


def _common(found: Sequence[set[Any]], key: str) -> set[Any]:
    """The names that all points have; of digests those on which all points that have the name agree."""
    if key in _DIGESTS:
        items = set[Any]().union(*found)
        digests = Counter(name for name, _ in items)
        return {(name, digest) for name, digest in items if digests[name] == 1}
    return set.intersection(*found) if found else set()


def _with_shared(point: LockedPoint, shared: _Shared) -> LockedPoint:
    whole: dict[str, list[str] | dict[str, str]] = {}
    for key, common in msgspec.structs.asdict(shared).items():
        own = getattr(point, key)
        if isinstance(common, dict):
            whole[key] = common | (own or {})
        elif own is not None or key not in _ACTIONS:
            whole[key] = sorted({*common, *(own or ())})
    return msgspec.structs.replace(point, **whole)


def _items(names: list[str] | dict[str, str]) -> set[Any]:
    """The names, or the pairs of a name and its digest."""
    return set(names.items() if isinstance(names, dict) else names)


def _order(point: LockedPoint) -> list[tuple[str, list[tuple[int, int, str]]]]:
    """A sort key that compares numbers in values as numbers: 2 before 10."""
    return [
        (
            name,
            [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text)],
        )
        for name, text in sorted(point.parameters.items())
    ]


def _table(name: str, values: Mapping[str, object]) -> str:
    """A table of a lock without the values that are None; digests are a table in it, with one name per line."""
    title = {"": "", "point": "[[point]]\n"}.get(name, f"[{name}]\n")
    lines, tables = [], []
    for key, value in values.items():
        if isinstance(value, dict) and key != "parameters":
            tables.append(f"\n[{name}.{key}]\n{_pairs(value)}")
        elif value is not None:
            lines.append(f"{key} = {_toml(value)}\n")
    return "".join([title, *lines, *tables])


def _pairs(texts: Mapping[str, str]) -> str:
    return "".join(f"{toml_key(each)} = {toml_string(text)}\n" for each, text in sorted(texts.items()))


def _toml(value: object) -> str:
    if isinstance(value, dict):
        inline = ", ".join(f"{toml_key(name)} = {toml_string(text)}" for name, text in sorted(value.items()))
        return f"{{ {inline} }}" if inline else "{}"
    if isinstance(value, list):
        items = [toml_string(item) for item in sorted(value)]
        return f"[{', '.join(items)}]" if len(items) < 2 else "[\n  " + ",\n  ".join(items) + ",\n]"
    return toml_string(value) if isinstance(value, str) else str(value).lower()
