"""Predicates over the parameters of a sweep: those of ``where``, ``match`` and expected laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol, TypeAlias

from tla2py.errors import InputError
from tla2py.model.model import ParameterKind
from tla2py.sweep.file import SweepFile
from tla2py.sweep.grid import Parameter, comparable
from tla2py.sweep.sections import ExpectSection
from tla2py.sweep.specification import Specification
from tla2py.text import did_you_mean, parameter_text
from tla2py.tla.evaluate import evaluate, expression_of
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.module import Definition, count_visible
from tla2py.tla.parse import without_place
from tla2py.tla.value import ModelValue, Value, format_value
from tla2py.tlc.config.read import ConfigFile
from tla2py.tlc.config.statements import literal_names

Holds: TypeAlias = Callable[[int, str, Mapping[str, str]], bool]
"""A function that evaluates the predicate in a row of expectations, by number, at a point."""


class SweepNames(Protocol):
    """What a predicate reads of a sweep: the values and definitions that names have at a point."""

    @property
    def file(self) -> SweepFile:
        """The sweep file."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, in loop order."""

    @property
    def kinds(self) -> dict[str, ParameterKind]:
        """The kinds of the parameters, by name."""

    @property
    def specification(self) -> Specification:
        """What the sweep is about."""

    @property
    def expect(self) -> ExpectSection:
        """The expectations of the points."""

    def spec(self, parameters: Mapping[str, str], /) -> ModuleGraph:
        """Return the module of a point."""

    def config(self, parameters: Mapping[str, str], /) -> ConfigFile | None:
        """Return the config that a point starts from, if any."""

    def assigned(self, parameters: Mapping[str, str], /) -> dict[str, str]:
        """Return the text of every constant or replaced definition that a point or the file sets."""


# Kinds of parameters whose values are TLA+; the others are names.
_VALUED = ("constant", "definition", "seed")
# A predicate over all parameters has a new answer at every point.
_MOST_ANSWERS = 1 << 16


class _Predicates:
    """Predicates at the points of a sweep; ``read`` are the parameters that they have read, or always depend on."""

    def __init__(self, sweep: SweepNames) -> None:
        self._sweep = sweep
        texts = [text for each in sweep.parameters if each.kind in _VALUED for text in each.values]
        texts += [str(text) for text in sweep.file.sections.constants.values()]
        texts += [
            text for config in sweep.specification.configs.values() for _, text in config.config.assignments
        ]
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
            file, length = self._sweep.file, count_visible(predicate)
            place = file.source.inside(keys, predicate, count_visible(before), length) if before else None
            # Such as ``where``, ``match`` or ``law Exclusive``.
            key = " ".join(str(each) for each in keys[1:] if each != "point" and not isinstance(each, int))
            raise InputError(
                error.code,
                f"{key} {shown}: {message}",
                where=str(place or file.place(*keys)),
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


def matching(sweep: SweepNames) -> Holds:
    """A function that evaluates the predicate in a row of expectations, by number, at a point."""
    predicates = _Predicates(sweep)
    return lambda number, text, parameters: predicates.holds(
        text, parameters, "expect", "point", number, "match"
    )


def expected_laws(sweep: SweepNames) -> dict[str, Callable[[Mapping[str, str]], bool]]:
    """By property, a function from a point's parameters to whether its expected law says that it is violated there.

    It raises InputError as ``_Predicates.holds`` does, at the place of the law.
    """

    def law(name: str, text: str) -> Callable[[Mapping[str, str]], bool]:
        failing = failing_predicate(sweep, text, ("expect", "law", name))
        return lambda parameters: failing(parameters) is None

    return {name: law(name, text) for name, text in sweep.expect.law.items()}


def failing_predicate(
    sweep: SweepNames, written: str | Sequence[str], keys: tuple[str, ...] = ("grid", "where")
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
