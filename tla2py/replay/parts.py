"""The parts of temporal formulas, with what TLC printed of each in the states of a behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tla2py.errors import InputError
from tla2py.model.cause import Cause, CauseRole, call_text
from tla2py.replay.observe import OTHERWISE, pair_values
from tla2py.text import cut
from tla2py.tla.instrument import printed_tuples
from tla2py.tla.instrument_formula import Formula, InstrumentedFormula, Unit
from tla2py.tla.value import Value, format_value

BASE = 100_000
"""The distance between the numbers of the units of copies that are read together."""
_LONGEST_ACTION = 100
_NOT_WHOLE = "TLC did not evaluate every part of the property"


@dataclass(slots=True)
class FormulaPart:
    """An instance of a part of a temporal formula, with what TLC printed of it in each state; ``unit`` is that of a leaf.

    ``is_choice_of_state`` is true of an action whose arguments TLC could choose in some of the states only.
    """

    formula: Formula
    unit: Unit = field(init=False)
    names: dict[str, Value] = field(default_factory=dict)
    parts: list[FormulaPart] = field(default_factory=list)
    facts: list[tuple[bool, ...]] = field(default_factory=list)
    is_choice_of_state: bool = False

    @property
    def text(self) -> str:
        """The source text of a leaf, with the values of the names that are bound around it."""
        return self._with_names(self.unit.conjunct.text)

    @property
    def written(self) -> str:
        """A fairness condition as it is written, with these values."""
        if self.unit.is_call:
            return f"{self.unit.kind}_{self.unit.subscript}({self.action_text})"
        return self._with_names(self.unit.written)

    @property
    def action_text(self) -> str:
        """The action of a fairness condition, with the values of its arguments."""
        return call_text(self.unit.name, self.names) if self.unit.is_call else self.unit.conjunct.text

    def _with_names(self, text: str) -> str:
        values = ", ".join(f"{name} = {format_value(each)}" for name, each in self.names.items())
        return f"{text} for {values}" if values else text

    def cause(self, role: CauseRole, says: str, **others: Any) -> Cause:
        """Return an action with its arguments as a cause; ``says`` follows its name."""
        unit = self.unit
        return Cause.at(
            unit.conjunct, role, f"{self._subject()} {says}", action=unit.name, args=self.names, **others
        )

    def _subject(self) -> str:
        """Return what a sentence about an action begins with."""
        unit = self.unit
        if unit.call:
            return self._with_names(unit.call)
        within = unit.place.path[-1]
        if unit.definition is None:
            text = cut(" ".join(unit.conjunct.text.split()), _LONGEST_ACTION)
            return f"the part {self._with_names(text)} of {within}"
        call = call_text(unit.name, self.names)
        return f"{call}, as a step of {within}," if self.is_choice_of_state else call


class _Token(NamedTuple):
    enters: bool
    number: int
    names: dict[str, Value]
    facts: tuple[bool, ...]


def read_parts(copies: Sequence[InstrumentedFormula], output: str) -> list[FormulaPart]:
    """Return each copied formula with what TLC printed of its parts, state by state."""
    states: list[list[_Token]] = []
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: state", int()):
                states.append([])
            case ("tla2py: unit", int(number), tuple(names), tuple(values), tuple(facts)):
                states[-1].append(_Token(False, number, pair_values(names, values), tuple(map(bool, facts))))
            case ("tla2py: enter", int(number), tuple(names), tuple(values)):
                states[-1].append(_Token(True, number, pair_values(names, values), ()))
    return [_read_copy(copy, states) for copy in copies]


def _read_copy(copy: InstrumentedFormula, states: Sequence[Sequence[_Token]]) -> FormulaPart:
    """Return the instances of the parts of a formula; those of next-state relations and fairness are a list."""
    numbers = range(copy.base, copy.base + BASE)
    tokens = [[token for token in state if token.number in numbers] for state in states]
    if copy.about == "formula":
        return _read_formula(copy, tokens)
    return FormulaPart(Formula("/\\"), parts=_read_actions(copy, tokens))


def _read_formula(copy: InstrumentedFormula, states: Sequence[Sequence[_Token]]) -> FormulaPart:
    """Return a temporal formula with its parts; all states have to say the same of the same parts."""
    units = [[token for token in state if not token.enters] for state in states]
    entered = [[(token.number, token.names) for token in state if token.enters] for state in states]
    if any(instances != entered[0] for instances in entered):
        message = "a quantifier in the property ranges over a set that changes from state to state"
        raise InputError("not-confirmable", message, hint=OTHERWISE)
    if any(len(state) != len(units[0]) for state in units):
        raise InputError("not-confirmable", _NOT_WHOLE, hint=OTHERWISE)

    leaves: list[FormulaPart] = []
    tokens = list(states[0])
    whole = _instance(copy.tree, tokens, leaves)
    if tokens:
        raise InputError("not-confirmable", _NOT_WHOLE, hint=OTHERWISE)
    for number, leaf in enumerate(leaves):
        token = units[0][number]
        leaf.unit, leaf.names = copy.units[token.number - copy.base], {**leaf.names, **token.names}
        leaf.facts = [state[number].facts for state in units]
    return whole


# What TLC prints of an action: whether it is enabled to change something, is taken, and is enabled.
_NO_ACTION = (False, False, False)


def _read_actions(copy: InstrumentedFormula, states: Sequence[Sequence[_Token]]) -> list[FormulaPart]:
    """Return the actions of a next-state relation or of fairness, one for each choice of arguments.

    A choice may exist in some states only, as of a message among those under way: in the others the action is not enabled.
    """
    actions: dict[tuple[int, str], FormulaPart] = {}
    states_of_choice: dict[tuple[int, str], set[int]] = {}
    for place, tokens in enumerate(states):
        for token in tokens:
            if token.enters:
                continue
            arguments = ", ".join(f"{name} = {format_value(value)}" for name, value in token.names.items())
            key = (token.number, arguments)
            if key not in actions:
                unit = copy.units[token.number - copy.base]
                action = FormulaPart(Formula(unit.kind), names=token.names, facts=[_NO_ACTION] * len(states))
                action.unit = unit
                actions[key] = action
            actions[key].facts[place] = token.facts
            states_of_choice.setdefault(key, set()).add(place)
    for key, action in actions.items():
        action.is_choice_of_state = len(states_of_choice[key]) < len(states)
    return list(actions.values())


def _instance(formula: Formula, tokens: list[_Token], leaves: list[FormulaPart]) -> FormulaPart:
    """Return the instance of a part that the next tokens are about, and remove these."""
    part = FormulaPart(formula)
    if formula.operator in ("", "WF", "SF"):
        if not tokens or tokens[0].number != formula.number:
            raise InputError("not-confirmable", _NOT_WHOLE, hint=OTHERWISE)
        tokens.pop(0)
        leaves.append(part)
    elif formula.operator in ("\\A", "\\E"):
        while tokens and tokens[0].enters and tokens[0].number == formula.number:
            names = tokens.pop(0).names
            part.parts.append(_instance(formula.parts[0], tokens, leaves))
            part.parts[-1].names = names
    elif formula.operator == "IF":
        # The condition is the same in all states, and TLC evaluates one branch.
        condition, then, otherwise = formula.parts
        value = bool(tokens) and tokens[0].facts[:1] == (True,)
        _instance(condition, tokens, leaves)
        return _instance(then if value else otherwise, tokens, leaves)
    else:
        part.parts = [_instance(each, tokens, leaves) for each in formula.parts]
    return part
