"""The conjuncts of a violated invariant, each TRUE or FALSE in each state of a trace.

A copy of the invariant, and of the definitions that it is made of, prints the value of each conjunct. One run of TLC
evaluates it in all states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.replay.parts import PRINTER, Conjunct, InvariantCopy, printer_text
from tla2py.replay.query import Origin, TraceQuery, first_error, printed_tuples
from tla2py.trace.trace import State, Trace
from tla2py.values import Value, format_value

_MODULE: Final = "AskConjuncts"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConjunctRow:
    """A conjunct or condition with its value in each state; None if TLC did not evaluate it there.

    A conjunct is FALSE if it is FALSE for some binding, and ``witnesses`` has the first such binding for each state; a
    condition is TRUE if it is TRUE for some binding.
    """

    conjunct: Conjunct
    values: tuple[bool | None, ...]
    witnesses: tuple[tuple[tuple[str, str], ...], ...]

    @property
    def first_false(self) -> int | None:
        """The index of the first state in which it is FALSE."""
        return self.values.index(False) + 1 if False in self.values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conjuncts:
    """The conjuncts of the invariant that a trace violates, in the order they are written."""

    trace: Trace
    rows: tuple[ConjunctRow, ...]

    @property
    def turning(self) -> ConjunctRow | None:
        """The conjunct that is FALSE first; None if there is none."""
        turned = [row for row in self.rows if row.conjunct.role == "conjunct" and row.first_false]
        return min(turned, key=lambda row: row.first_false or 0, default=None)

    @property
    def turning_state(self) -> State | None:
        """The first state in which a conjunct is FALSE, after the action that made it so."""
        index = self.turning.first_false if self.turning else None
        return None if index is None else self.trace.states[index - 1]


def evaluate_conjuncts(
    trace: Trace,
    origin: Origin,
) -> Conjuncts:
    """The conjuncts of the invariant that a trace violates.

    Raises InputError: ``not-an-invariant`` for another kind of trace, ``not-confirmable`` for one that cannot be written
    as a module or whose invariant TLC cannot evaluate.
    """
    query = TraceQuery([trace], origin)
    name = dict(query.config.substitutions).get(trace.name, trace.name)
    if trace.kind != "invariant" or name not in query.spec.definitions:
        raise InputError(
            "not-an-invariant",
            f"the trace violates no invariant that has conjuncts: {trace.label} ({trace.kind.replace('_', ' ')})",
            hint="use --eval EXPR for the values of expressions in its states",
        )
    query.expose(name)
    copy = InvariantCopy(query=query, name=name, printer=PRINTER)
    error = ""
    # A conjunct may make sense only if those before it are TRUE. Then TLC has to stop at the first that is FALSE.
    for stops in (False, True):
        query.modules[f"{PRINTER}.tla"] = printer_text(stops=stops)
        with query.run(
            _MODULE, _module(query, trace, copy.root), specification="AskConjunctsSpec"
        ) as executed:
            output = (executed.folders[0] / "stdout.txt").read_text(encoding="utf-8", errors="replace")
            if executed.result.verdict is Verdict.HOLDS:
                return _read(trace, tuple(copy.conjuncts), output)
            error = first_error(executed.result)
    raise InputError(
        "not-confirmable",
        f"TLC could not evaluate the conjuncts of {name}: {error}",
        hint="use --eval EXPR for the values of expressions in its states",
    )


def _module(query: TraceQuery, trace: Trace, copy: str) -> str:
    here = [f"  /\\ {name} = AskConjunctsStates[step].{name}" for name in query.variables]
    same = [f"  /\\ {name}' = {name}" for name in query.variables]
    lines = [
        *query.header(_MODULE),
        "VARIABLE askConjunctsStep",
        f"AskConjunctsStates == {query.states(trace.states)}",
        "AskConjunctsInit ==",
        f"  \\E step \\in 1..{len(trace.states)} :",
        "  /\\ askConjunctsStep = step",
        *here,
        "AskConjunctsNext ==",
        # The successor must not be evaluated again: it gets a negative number.
        "  /\\ askConjunctsStep > 0",
        '  /\\ PrintT(<<"tla2py: state", askConjunctsStep>>)',
        f"  /\\ IF {copy} THEN TRUE ELSE TRUE",
        *same,
        "  /\\ askConjunctsStep' = -askConjunctsStep",
        f"AskConjunctsVars == <<{', '.join((*query.variables, 'askConjunctsStep'))}>>",
        "AskConjunctsSpec == AskConjunctsInit /\\ [][AskConjunctsNext]_AskConjunctsVars",
        "====",
        "",
    ]
    return "\n".join(lines)


def _read(trace: Trace, conjuncts: tuple[Conjunct, ...], output: str) -> Conjuncts:
    """The conjuncts with the values that TLC printed."""
    count = len(trace.states)
    values: list[list[bool | None]] = [[None] * count for _ in conjuncts]
    witnesses: list[list[tuple[tuple[str, str], ...]]] = [[()] * count for _ in conjuncts]

    def named(names: tuple[Value, ...], bound: tuple[Value, ...]) -> tuple[tuple[str, str], ...]:
        return tuple(zip(map(str, names), map(format_value, bound), strict=True))

    # TLC evaluates constant definitions once, before the first state.
    states = range(count)
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: state", int(number)):
                states = range(number - 1, number)
            case ("tla2py: conjunct", int(each), tuple(names), tuple(bound), bool(value)):
                # The value that decides: FALSE for a conjunct, TRUE for a condition.
                decides = conjuncts[each].role == "condition"
                for state in states:
                    if values[each][state] is not decides:
                        values[each][state] = value
                        witnesses[each][state] = () if value else named(names, bound)
    return Conjuncts(
        trace=trace,
        rows=tuple(
            ConjunctRow(conjunct=conjunct, values=tuple(found), witnesses=tuple(bound))
            for conjunct, found, bound in zip(conjuncts, values, witnesses, strict=True)
        ),
    )
