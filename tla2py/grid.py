"""The grid of a sweep: its parameters, its points in order, and which of some points are the smallest."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tla2py.errors import InputError
from tla2py.sweepfile import Scalar, Source, SweepFile, nearest
from tla2py.syntax import Spec
from tla2py.values import Opaque, Value, canonical, parse_value

# Keys of [model] that may be parameters too; "" stands for none.
MODEL_PARAMETERS = ("specification", "init", "next", "symmetry", "view", "alias")
# Keys of [model] that are lists; as the value of a parameter, the names with commas between them.
MODEL_LISTS = ("invariants", "properties", "constraints", "action_constraints", "postconditions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An axis of the grid: a constant, a definition, a key of [model], ``module`` or ``seed``, and its values as text."""

    name: str
    kind: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One combination: its index in grid order, from 1, and the text of every parameter."""

    index: int
    parameters: Mapping[str, str]


def value_text(value: Scalar) -> str:
    """A value of a sweep file as TLA+ text; of several lines none moves against the others, since TLA+ minds columns."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else textwrap.dedent(value).strip("\n").rstrip()


@lru_cache(maxsize=1 << 16)
def comparable(text: str) -> Value:
    """A value for comparison: ``{b2,b1}`` equals ``{b1, b2}``; what is no value is compared as text."""
    try:
        return parse_value(text)
    except InputError:
        return Opaque(" ".join(text.split()))


@lru_cache(maxsize=1 << 16)
def value_key(text: str) -> Hashable:
    """A key that two texts share when they are the same value; TRUE is not 1, though Python's own equality says so."""
    return canonical.canonical(comparable(text))


def read_parameters(file: SweepFile, source: Source, specs: Mapping[str, Spec]) -> tuple[Parameter, ...]:
    """The parameters of a sweep file, each told apart as a constant, a definition or a key of [model].

    Raises InputError: ``empty-parameter``, ``unknown-parameter``, ``assigned-twice``, ``duplicate-point``,
    ``grid-key``.
    """
    found = []
    if isinstance(file.module, list):
        found.append(Parameter(name="module", kind="module", values=tuple(file.module)))
        _check_values(found[0], source.place("module"))
    constants = {c.name for spec in specs.values() for c in spec.constants}
    definitions = {name for spec in specs.values() for name in spec.definitions}
    for name, values in file.parameters.items():
        where = source.place("parameters", name)
        if not values:
            raise InputError("empty-parameter", f"parameter {name} has no values", where=where)
        if name in constants:
            kind = "constant"
        elif name in definitions or re.match(r"\[\w+\]", name) or replaceable_standard(name):
            kind = "definition"
        elif name in (*MODEL_PARAMETERS, *MODEL_LISTS):
            kind = "model"
        else:
            raise _unknown_parameter(name, sorted(constants | definitions), where, ", ".join(specs))
        for key, section in (("constants", file.constants), ("substitutions", file.substitutions)):
            if name in section:
                raise InputError(
                    "assigned-twice",
                    f"{name} is a parameter and in [{key}]",
                    where=where,
                    hint="keep one of them",
                )
        texts = tuple(value_text(value) for value in values)
        found.append(Parameter(name=name, kind=kind, values=texts))
        _check_values(found[-1], where)
    if file.grid.repeat > 1:
        if file.tlc.mode != "simulate":
            raise InputError(
                "grid-key",
                "repeat is for simulation: a check gives the same answer each time",
                where=source.place("grid", "repeat"),
                hint='set mode = "simulate" in [tlc], or leave repeat out',
            )
        seeds = tuple(str(file.tlc.seed + n) for n in range(file.grid.repeat))
        found.append(Parameter(name="seed", kind="seed", values=seeds))
    return tuple(found)


def _check_values(parameter: Parameter, where: str) -> None:
    seen: set[Hashable] = set()
    for text in parameter.values:
        key = _key(parameter.kind, text)
        if key in seen:
            raise InputError(
                "duplicate-point", f"parameter {parameter.name} has the value {text} twice", where=where
            )
        seen.add(key)


def _key(kind: str, text: str) -> Hashable:
    return value_key(text) if kind in ("constant", "seed") else text


def _unknown_parameter(name: str, known: list[str], where: str, shown: str) -> InputError:
    close = nearest(name, known)
    return InputError(
        "unknown-parameter",
        f"parameter {name} is neither a constant nor a definition of {shown}",
        where=where,
        hint=f"did you mean {close}?" if close else "'tla2py inspect' lists what a module declares",
    )


def grid_points(file: SweepFile, source: Source, parameters: tuple[Parameter, ...]) -> Iterator[Point]:
    """The product of the parameters, the last varying fastest, less what is excluded, then what is included.

    Raises InputError: ``grid-key``, ``duplicate-point``, ``empty-grid``.
    """
    names = [parameter.name for parameter in parameters]
    kinds = {parameter.name: parameter.kind for parameter in parameters}

    def row(values: Mapping[str, Scalar], where: str, *, whole: bool) -> dict[str, str]:
        for name in values:
            if name not in names:
                raise unknown_in_grid(name, names, where)
        missing = [name for name in names if name not in values]
        if whole and missing:
            raise InputError("grid-key", f"an included point lacks {', '.join(missing)}", where=where)
        return {name: value_text(value) for name, value in values.items()}

    exclude_at, include_at = source.place("grid", "exclude"), source.place("grid", "include")
    excluded = [
        {n: _key(kinds[n], t) for n, t in row(r, exclude_at, whole=False).items()} for r in file.grid.exclude
    ]
    seen: set[tuple[Hashable, ...]] = set()
    index = 0
    for values in itertools.product(*(parameter.values for parameter in parameters)):
        keys = {name: _key(kinds[name], text) for name, text in zip(names, values, strict=True)}
        if any(all(keys[name] == value for name, value in rule.items()) for rule in excluded):
            continue
        index += 1
        seen.add(tuple(keys.values()))
        yield Point(index=index, parameters=dict(zip(names, values, strict=True)))
    for included in file.grid.include:
        texts = row(included, include_at, whole=True)
        identity = tuple(_key(kinds[name], texts[name]) for name in names)
        if identity in seen:
            shown = ", ".join(f"{n} = {texts[n]}" for n in names)
            raise InputError(
                "duplicate-point", f"the included point is in the grid already: {shown}", where=include_at
            )
        seen.add(identity)
        index += 1
        yield Point(index=index, parameters={name: texts[name] for name in names})
    if index == 0:
        raise InputError("empty-grid", "no point is left after exclude", where=exclude_at)


def unknown_in_grid(name: str, parameters: list[str], where: str) -> InputError:
    """The error for a name that is none of a sweep's parameters."""
    close = nearest(name, parameters)
    known = f"its parameters: {', '.join(parameters) or 'none'}"
    return InputError(
        "grid-key",
        f"{name} is no parameter of this sweep",
        where=where,
        hint=f"did you mean {close}?" if close else known,
    )


def replaceable_standard(name: str) -> bool:
    """Whether a name is a definition of a standard module that models replace, such as Nat by a finite set."""
    return name in {"Nat", "Int", "Real", "Seq", "STRING", "BOOLEAN"}


def at_most(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    """Whether a point is at most as large as another in every parameter.

    Numbers compare by value, FALSE is less than TRUE, sets of model values compare by size; anything else compares
    only with its equal.
    """
    sizes = ((_size(text), _size(right[name])) for name, text in left.items())
    return all(mine.kind == other.kind and mine.rank <= other.rank for mine, other in sizes)


def minimal_points(points: Sequence[Mapping[str, str]]) -> list[int]:
    """The positions of the points that no other is smaller than; all points have the same parameters."""
    names = list(points[0]) if points else []
    groups: dict[tuple[Hashable, ...], dict[tuple[int, ...], list[int]]] = {}
    for position, point in enumerate(points):
        sizes = [_size(point[name]) for name in names]
        group = groups.setdefault(tuple(size.kind for size in sizes), {})
        group.setdefault(tuple(size.rank for size in sizes), []).append(position)
    return sorted(
        position for group in groups.values() for ranks in _minima(list(group)) for position in group[ranks]
    )


class _Size(NamedTuple):
    """How large a value is: ``rank`` compares among values of one ``kind``."""

    kind: Hashable
    rank: int


@lru_cache(maxsize=1 << 16)
def _size(text: str) -> _Size:
    form = value_key(text)
    assert isinstance(form, tuple)
    match form:
        case (canonical.BOOLEAN | canonical.INTEGER, value):
            return _Size(form[0], value)
        case (canonical.SET, number, elements) if all(e[0] == canonical.MODEL_VALUE for e in elements):
            return _Size(canonical.SET, number)
        case _:
            return _Size(form, 0)


def _minima(vectors: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The vectors, all different, that no other is at most as large as in every place.

    A set of vectors is an integer with a bit for each, so that the vectors at most as large as one are found by
    an ``&`` per place: ten thousand take no time that is noticed, where comparing pairs takes minutes.
    """
    places = [_up_to(column) for column in zip(*vectors, strict=True)]
    everything = (1 << len(vectors)) - 1
    found = []
    for number, vector in enumerate(vectors):
        smaller = everything ^ 1 << number
        for rank, up_to in zip(vector, places, strict=True):
            smaller &= up_to[rank]
        if not smaller:
            found.append(vector)
    return found


def _up_to(column: Sequence[int]) -> dict[int, int]:
    """For each number of a column the set of the positions where it, or a smaller one, stands."""
    sets: dict[int, int] = {}
    below = 0
    for rank, positions in itertools.groupby(
        sorted(range(len(column)), key=column.__getitem__), column.__getitem__
    ):
        bits = bytearray((len(column) + 7) // 8)
        for position in positions:
            bits[position // 8] |= 1 << position % 8
        below |= int.from_bytes(bits, "little")
        sets[rank] = below
    return sets
