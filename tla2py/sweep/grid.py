"""The grid of a sweep: its points in order, and the combinations that it excludes, with reasons."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tla2py.errors import InputError
from tla2py.model.config import LIST_FIELDS, NAME_FIELDS, ParameterKind
from tla2py.sweep.sections import Scalar, SweepFile
from tla2py.sweep.sweep_text import SweepText
from tla2py.text import did_you_mean, parameter_text
from tla2py.toml import value_text
from tla2py.values import Opaque, Value, canonical, parse_value

# Keys of [model] that may be parameters; "" means none, and lists are comma-separated names.
MODEL_KEYS = (*NAME_FIELDS, "check_deadlock", *LIST_FIELDS)
# Walking this many takes about ten seconds; more is a typo.
_MOST_COMBINATIONS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An axis of the grid and its values as text; the kind ``model`` is a key of [model]."""

    name: str
    kind: ParameterKind
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A combination of values: its index in grid order, from 1, and the text of every parameter."""

    index: int
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """A combination that the grid excludes, and the reason in words."""

    parameters: Mapping[str, str]
    reason: str


@lru_cache(maxsize=1 << 16)
def comparable(text: str) -> Value:
    """A value for comparison: ``{b2,b1}`` equals ``{b1, b2}``. Other text is compared as text."""
    try:
        return parse_value(text)
    except InputError:
        return Opaque(" ".join(text.split()))


@lru_cache(maxsize=1 << 16)
def value_key(text: str) -> Hashable:
    """A key that two texts share if they are the same value; unlike in Python, TRUE is not 1."""
    return canonical.canonical(comparable(text))


def walk_grid(
    file: SweepFile,
    source: SweepText,
    groups: Sequence[Sequence[Parameter]],
    failing: Callable[[Mapping[str, str]], str | None],
) -> Iterator[Point | Excluded]:
    """The product of the parameters, with the last group varying fastest, then the included points.

    ``failing`` returns the predicate that a combination violates, or None. Raises InputError: ``grid-key``,
    ``grid-size``, ``duplicate-point``, ``empty-grid``, and what ``failing`` raises.
    """
    kinds = {parameter.name: parameter.kind for group in groups for parameter in group}
    _check_size(groups, source)
    exclude_at, include_at = source.place("grid", "exclude"), source.place("grid", "include")
    rules = [_Rule(_row(rule, list(kinds), exclude_at), kinds) for rule in file.grid.exclude]
    seen: set[tuple[Hashable, ...]] = set()
    index = 0
    for rows in itertools.product(*(_rows(group) for group in groups)):
        parameters = {name: text for row in rows for name, text in row}
        keys = {name: key_of(kinds[name], text) for name, text in parameters.items()}
        rule = next((rule for rule in rules if rule.matches(keys)), None)
        reason = f"exclude: {rule.shown}" if rule else None
        if reason is None and (predicate := failing(parameters)) is not None:
            reason = f"where: not {predicate}"
        if reason is not None:
            yield Excluded(parameters=parameters, reason=reason)
            continue
        index += 1
        if file.grid.include:
            seen.add(tuple(keys.values()))
        yield Point(index=index, parameters=parameters)
    for included in file.grid.include:
        texts = _row(included, list(kinds), include_at)
        missing = [name for name in kinds if name not in texts]
        if missing:
            raise InputError(
                "grid-key",
                f"an included point lacks {', '.join(missing)}",
                where=include_at,
                hint="give every parameter a value",
            )
        identity = tuple(key_of(kind, texts[name]) for name, kind in kinds.items())
        if identity in seen:
            shown = ", ".join(f"{name} = {texts[name]}" for name in kinds)
            raise InputError(
                "duplicate-point",
                f"the included point is already in the grid: {shown}",
                where=include_at,
                hint="remove it from include",
            )
        seen.add(identity)
        index += 1
        yield Point(index=index, parameters={name: texts[name] for name in kinds})
    if index == 0:
        key = "where" if file.grid.where and not file.grid.exclude else "exclude"
        raise InputError(
            "empty-grid",
            f"{key} leaves no point",
            where=source.place("grid", key),
            hint="exclude fewer points, or add some with include",
        )


class _Rule:
    """An item of ``exclude``: it matches the points that agree with all its values."""

    def __init__(self, texts: Mapping[str, str], kinds: Mapping[str, ParameterKind]) -> None:
        self.shown = parameter_text(texts)
        self.keys = {name: key_of(kinds[name], text) for name, text in texts.items()}

    def matches(self, keys: Mapping[str, Hashable]) -> bool:
        return all(keys[name] == key for name, key in self.keys.items())


def _row(values: Mapping[str, Scalar], names: list[str], where: str) -> dict[str, str]:
    for name in values:
        if name not in names:
            raise unknown_parameter(name, names, where)
    return {name: value_text(value) for name, value in values.items()}


def _rows(group: Sequence[Parameter]) -> list[tuple[tuple[str, str], ...]]:
    """The rows of a group, as pairs of name and value."""
    named = ([(parameter.name, text) for text in parameter.values] for parameter in group)
    return list(zip(*named, strict=True))


def _check_size(groups: Sequence[Sequence[Parameter]], source: SweepText) -> None:
    size = math.prod(len(group[0].values) for group in groups)
    if size > _MOST_COMBINATIONS:
        raise InputError(
            "grid-size",
            f"the parameters have {size:,} combinations, more than {_MOST_COMBINATIONS:,}",
            where=source.place("parameters"),
            hint="zip parameters that belong together, or split the sweep",
        )


def key_of(kind: ParameterKind, text: str) -> Hashable:
    """A key that two texts of such a parameter share if they are the same value."""
    return value_key(text) if kind in ("constant", "seed") else text


def unknown_parameter(name: str, parameters: list[str], where: str) -> InputError:
    """The error for a name that is not one of a sweep's parameters."""
    known = f"its parameters: {', '.join(parameters) or 'none'}"
    return InputError(
        "grid-key",
        f"{name} is not a parameter of this sweep",
        where=where,
        hint=did_you_mean(name, parameters, known),
    )
