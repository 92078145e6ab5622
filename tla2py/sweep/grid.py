"""The points of a sweep: the product of its parameters without what is left out, and predicates over the parameters."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, overload

from tla2py.errors import InputError
from tla2py.model.model import LIST_FIELDS, NAME_FIELDS, ParameterKind
from tla2py.sweep.file import SweepText
from tla2py.sweep.sections import Scalar, SweepFile
from tla2py.text import did_you_mean, parameter_text
from tla2py.tla.evaluate import evaluate, expression_of
from tla2py.tla.module import Definition, count_visible
from tla2py.tla.parse import without_place
from tla2py.tla.value import ModelValue, Opaque, Value, canonical, format_value
from tla2py.tla.value_text import parse_value
from tla2py.tlc.config.statements import literal_names
from tla2py.toml import value_text

if TYPE_CHECKING:
    from tla2py.sweep.sweep import Holds, Sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A combination of values: its index in grid order, from 1, and the text of every parameter."""

    index: int
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Points(Sequence[Point]):
    """The points of a sweep in grid order: their texts by parameter; each point is made when it is read."""

    names: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    @classmethod
    def of(cls, names: Iterable[str], rows: Iterable[Mapping[str, str]]) -> Points:
        """The points with these parameters."""
        names = tuple(names)
        return cls(names, [tuple([row[name] for name in names]) for row in rows])

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, index: int | slice) -> Point | tuple[Point, ...]:
        places = range(len(self.rows))[index]
        return self._point(places) if isinstance(places, int) else tuple(map(self._point, places))

    def _point(self, place: int) -> Point:
        return Point(index=place + 1, parameters=dict(zip(self.names, self.rows[place], strict=True)))

    def column(self, name: str) -> list[str]:
        """Each point's text of a parameter."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def texts(self) -> list[str]:
        """A text for each point, which names its parameters and their values."""
        return ["\n".join((*self.names, *row)) for row in self.rows]

    def keys(
        self, names: Iterable[str], same: Callable[[str], bool] = lambda _: False
    ) -> Iterator[tuple[str, ...]]:
        """Each point's texts of some parameters; those that the sweep lacks are left out.

        All texts for which ``same`` holds count as one.
        """
        columns = [self.column(name) for name in names if name in self.names]
        shown = [["" if same(text) else text for text in column] for column in columns]
        return zip(*shown, strict=True) if shown else repeat((), len(self.rows))

    def first_with(
        self, *groups: Sequence[str], same: Callable[[str], bool] = lambda _: False
    ) -> Iterator[Point]:
        """The points, in order, that have new texts of one of these groups of parameters; ``same`` is as in ``keys``."""
        places = {place for group in groups for place in first_places(self.keys(group, same))}
        return map(self._point, sorted(places))


def first_places(keys: Iterable[Hashable]) -> list[int]:
    """The place of the first of each key."""
    places: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, place)
    return list(places.values())


NO_POINTS = Points((), ())


# Keys of [model] that may be parameters; "" means none, and lists are comma-separated names.
MODEL_KEYS = (*NAME_FIELDS, "check_deadlock", *LIST_FIELDS)
# Walking this many takes some seconds; more is a typo.
_MOST_COMBINATIONS = 1_000_000
# For each reason, at most this many excluded combinations are kept.
_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An axis of the grid and its values as text; the kind ``model`` is a key of [model]."""

    name: str
    kind: ParameterKind
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """The combinations that the grid excludes for one reason, in words: their number and the first of them."""

    reason: str
    count: int
    first: tuple[Mapping[str, str], ...]


@lru_cache(maxsize=1 << 14)
def comparable(text: str) -> Value:
    """A value for comparison: ``{b2,b1}`` equals ``{b1, b2}``. Other text is compared as text."""
    try:
        # A parameter may have a hundred thousand numbers.
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else parse_value(text)
    except InputError:
        return Opaque(" ".join(text.split()))


@lru_cache(maxsize=1 << 14)
def value_key(text: str) -> Hashable:
    """A key that two texts share if they are the same value; unlike in Python, TRUE is not 1."""
    return canonical(comparable(text))


def parameters_key(parameters: Mapping[str, str]) -> Hashable:
    """A key that is equal for equal parameter values, however these are written."""
    return frozenset((name, value_key(text)) for name, text in parameters.items())


def walk_grid(
    file: SweepFile,
    source: SweepText,
    groups: Sequence[Sequence[Parameter]],
    failing: Callable[[Mapping[str, str]], str | None],
) -> tuple[Points, tuple[Excluded, ...]]:
    """The product of the parameters, with the last group varying fastest, then the included points; and what is left out.

    ``failing`` returns the predicate that a combination violates, or None. Raises InputError: ``grid-key``,
    ``grid-size``, ``duplicate-point``, ``empty-grid``, and what ``failing`` raises.
    """
    parameters = [parameter for group in groups for parameter in group]
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    size = math.prod(len(group[0].values) for group in groups)
    if size > _MOST_COMBINATIONS:
        raise InputError(
            "grid-size",
            f"the parameters have {size:,} combinations, more than {_MOST_COMBINATIONS:,}",
            where=source.place("parameters"),
            hint="zip parameters that belong together, or split the sweep",
        )
    exclude_at = source.place("grid", "exclude")
    rules = [_row(rule, list(kinds), exclude_at) for rule in file.grid.exclude]
    agreeing = [(f"exclude: {parameter_text(rule)}", _agreeing(rule, groups)) for rule in rules]
    counts: Counter[str] = Counter()
    first: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    rows: list[tuple[str, ...]] = []
    for combination in itertools.product(*(range(len(group[0].values)) for group in groups)):
        texts = {
            parameter.name: parameter.values[row]
            for group, row in zip(groups, combination, strict=True)
            for parameter in group
        }
        excluding = (
            shown for shown, rule in agreeing if all(combination[place] in same for place, same in rule)
        )
        reason = next(excluding, None)
        if reason is None and (predicate := failing(texts)) is not None:
            reason = f"where: not {predicate}"
        if reason is None:
            rows.append(tuple(texts.values()))
        else:
            counts[reason] += 1
            if counts[reason] <= _LISTED:
                first[reason].append(texts)
    if file.grid.include:
        _include(rows, file, kinds, source.place("grid", "include"))
    points = Points(tuple(kinds), rows)
    if not points:
        key = "where" if file.grid.where and not file.grid.exclude else "exclude"
        hint = "exclude fewer points, or add some with include"
        raise InputError("empty-grid", f"{key} leaves no point", where=source.place("grid", key), hint=hint)
    excluded = (Excluded(reason=r, count=count, first=tuple(first[r])) for r, count in counts.items())
    return points, tuple(excluded)


def _include(
    rows: list[tuple[str, ...]], file: SweepFile, kinds: Mapping[str, ParameterKind], where: str
) -> None:
    """Add the included points to the rows of the grid."""

    def identity(row: Sequence[str]) -> tuple[Hashable, ...]:
        return tuple(map(key_of, kinds.values(), row))

    seen = set(map(identity, rows))
    for each in file.grid.include:
        texts = _row(each, list(kinds), where)
        if missing := [name for name in kinds if name not in texts]:
            hint = "give every parameter a value"
            raise InputError(
                "grid-key", f"an included point lacks {', '.join(missing)}", where=where, hint=hint
            )
        row = tuple(texts[name] for name in kinds)
        if identity(row) in seen:
            raise InputError(
                "duplicate-point",
                f"the included point is already in the grid: {parameter_text(dict(zip(kinds, row, strict=True)))}",
                where=where,
                hint="remove it from include",
            )
        seen.add(identity(row))
        rows.append(row)


def _agreeing(
    texts: Mapping[str, str], groups: Sequence[Sequence[Parameter]]
) -> list[tuple[int, frozenset[int]]]:
    """The places of the groups that an item of ``exclude`` is about, each with the rows of the group that agree with it."""
    found = []
    for place, group in enumerate(groups):
        named = [parameter for parameter in group if parameter.name in texts]
        keys = [key_of(parameter.kind, texts[parameter.name]) for parameter in named]
        rows = zip(*(parameter.values for parameter in named), strict=True)
        same = [[key_of(p.kind, text) for p, text in zip(named, row, strict=True)] == keys for row in rows]
        if named:
            found.append((place, frozenset(row for row, agrees in enumerate(same) if agrees)))
    return found


def _row(values: Mapping[str, Scalar], names: list[str], where: str) -> dict[str, str]:
    for name in values:
        if name not in names:
            raise unknown_parameter(name, names, where)
    return {name: value_text(value) for name, value in values.items()}


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


# Kinds of parameters whose values are TLA+; the others are names.
_VALUED = ("constant", "definition", "seed")
# A predicate over all parameters has a new answer at every point.
_MOST_ANSWERS = 1 << 16


class _Predicates:
    """Predicates at the points of a sweep; ``read`` are the parameters that they have read, or always depend on."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        texts = [text for each in sweep.parameters if each.kind in _VALUED for text in each.values]
        texts += [str(text) for text in sweep.file.constants.values()]
        texts += [text for config in sweep.configs.values() for _, text in config.config.assignments]
        self._model_values = frozenset[str]().union(*map(_predicate_names, texts))
        self.read = dict.fromkeys(each.name for each in sweep.parameters if each.kind in ("module", "config"))

    def holds(self, predicate: str, parameters: Mapping[str, str], *keys: str | int) -> bool:
        """Whether a predicate is true at a point.

        Raises InputError, at the place of ``keys``: ``unknown-name``, ``not-a-predicate``, and what ``evaluate`` raises.
        """
        try:
            return _truth(predicate, evaluate(expression_of(predicate), self._lookup(parameters)))
        except InputError as error:
            message, before = without_place(predicate, error.message)
            shown = f"{' '.join(predicate.split())!r}, {parameter_text(parameters)}"
            source, length = self._sweep.source, count_visible(predicate)
            place = source.inside(keys, predicate, count_visible(before), length) if before else None
            # Such as ``where``, ``match`` or ``law Exclusive``.
            key = " ".join(str(each) for each in keys[1:] if each != "point" and not isinstance(each, int))
            raise InputError(
                error.code,
                f"{key} {shown}: {message}",
                where=str(place or source.place(*keys)),
                hint=error.hint,
            ) from error

    def _lookup(self, parameters: Mapping[str, str]) -> Callable[[str], Value | Definition]:
        """A function from a name to its value at a point, or to its definition in the module.

        It notes in ``read`` which of the parameters it is asked for. It raises InputError (``unknown-name``).
        """
        sweep, spec = self._sweep, self._sweep.spec(parameters)
        # Names, such as that of a module, are strings.
        words = {n: t for n, t in parameters.items() if sweep.kinds[n] not in _VALUED}
        seeds = {n: t for n, t in parameters.items() if sweep.kinds[n] == "seed"}
        config = sweep.config(parameters)
        configured = (*config.config.assignments, *config.config.substitutions) if config else ()
        values = dict(configured) | sweep.assigned(parameters) | seeds
        constants = {constant.name for constant in spec.constants}

        def find(name: str) -> Value | Definition | None:
            if name in parameters:
                self.read[name] = None
            if name in words:
                return words[name]
            if name in values:
                return value_of(name)
            # A constant without a value is a model value.
            return ModelValue(name) if name in constants else spec.definitions.get(name)

        def value_of(name: str) -> Value:
            """The value of a constant. Its text may use other constants; an undefined name is a model value."""
            names = literal_names(values[name])
            if names is not None and all(other == name or find(other) is None for other in names):
                return comparable(values[name])

            def inside(other: str) -> Value | Definition:
                found = None if other == name else find(other)
                return ModelValue(other) if found is None else found

            return evaluate(expression_of(values[name]), inside)

        def lookup(name: str) -> Value | Definition:
            if (found := find(name)) is not None:
                return found
            if name in self._model_values:
                return ModelValue(name)
            known = sorted({*values, *words, *constants})
            raise InputError(
                "unknown-name",
                f"unknown name: {name}",
                hint=did_you_mean(name, known, f"known names: {', '.join(known) or 'none'}"),
            )

        return lookup


def matching(sweep: Sweep) -> Holds:
    """A function that evaluates the predicate in a row of expectations, by number, at a point."""
    predicates = _Predicates(sweep)
    return lambda number, text, parameters: predicates.holds(
        text, parameters, "expect", "point", number, "match"
    )


def expected_laws(sweep: Sweep) -> dict[str, Callable[[Mapping[str, str]], bool]]:
    """By property, a function from a point's parameters to whether its expected law says that it is violated there.

    It raises InputError as ``_Predicates.holds`` does, at the place of the law.
    """

    def law(name: str, text: str) -> Callable[[Mapping[str, str]], bool]:
        failing = failing_predicate(sweep, text, ("expect", "law", name))
        return lambda parameters: failing(parameters) is None

    return {name: law(name, text) for name, text in sweep.expect.law.items()}


def failing_predicate(
    sweep: Sweep, written: str | Sequence[str], keys: tuple[str, ...] = ("grid", "where")
) -> Callable[[Mapping[str, str]], str | None]:
    """A function from a point's parameters to the first of some predicates that they violate, or None.

    It raises InputError as ``_Predicates.holds`` does, at the place of the keys.
    """
    predicates = [written] if isinstance(written, str) else written
    if not predicates:
        return lambda _: None
    evaluated = _Predicates(sweep)
    # The answers by the texts of what predicates have read. An answer reads the same names whenever these texts are
    # the same; a new name makes the earlier answers useless.
    read = evaluated.read
    answers: dict[tuple[str, ...], str | None] = {}

    def failing(parameters: Mapping[str, str]) -> str | None:
        key = tuple([parameters[name] for name in read])
        if key in answers:
            return answers[key]
        before = len(read)
        false = (each for each in predicates if not evaluated.holds(each, parameters, *keys))
        answer = next(false, None)
        if len(read) > before:
            answers.clear()
            key = tuple([parameters[name] for name in read])
        if len(answers) == _MOST_ANSWERS:
            answers.clear()
        answers[key] = answer
        return answer

    return failing


def _truth(predicate: str, value: Value) -> bool:
    """The value of a predicate. Raises InputError (``not-a-predicate``)."""
    if not isinstance(value, bool):
        text = f"{predicate} is {format_value(value)}, not true or false"
        raise InputError("not-a-predicate", text, hint="write a comparison, as in Max > 1")
    return value


@lru_cache(maxsize=1 << 14)
def _predicate_names(text: str) -> frozenset[str]:
    """The names that an expression uses."""
    literal = literal_names(text)
    if literal is not None:
        return literal
    try:
        return frozenset(expr.operator for expr in expression_of(text).walk() if expr.is_name())
    except InputError:
        return frozenset()  # such as a LAMBDA, which is not an expression
