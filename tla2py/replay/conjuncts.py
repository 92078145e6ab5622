"""The conjuncts of a violated invariant, each TRUE or FALSE in each state of a trace.

A copy of the invariant, and of the definitions that it is made of, prints the value of each conjunct and of its parts. One
run of TLC evaluates it in all states of all traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, NamedTuple

from tla2py.errors import InputError
from tla2py.instrument.conjunct import Conjunct
from tla2py.instrument.prints import Binding, bound, printed_tuples
from tla2py.model.outcome import Verdict
from tla2py.replay.parts import PRINTER, InvariantCopy, printer_text
from tla2py.replay.query import Origin, TraceQuery, first_error
from tla2py.trace.trace import State, Trace

_MODULE: Final = "AskConjuncts"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConjunctRow:
    """A conjunct, condition or part with its value in each state; None if TLC did not evaluate it there.

    A conjunct is FALSE if it is FALSE for some binding, and ``witnesses`` has the first such binding for each state; a
    condition is TRUE if it is TRUE for some binding. The parts of a conjunct have their values for its witness.
    """

    conjunct: Conjunct
    values: tuple[bool | None, ...]
    witnesses: tuple[Binding, ...]

    def to_json(self) -> dict[str, object]:
        """The conjunct with its values."""
        each = self.conjunct
        return {
            "conjunct": each.text,
            "role": each.role,
            "depth": each.depth,
            "definition": each.definition,
            "place": each.place,
            "values": list(self.values),
        }

    @property
    def first_false(self) -> int | None:
        """The index of the first state in which it is FALSE."""
        return self.values.index(False) + 1 if False in self.values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conjuncts:
    """The conjuncts of the invariant that a trace violates, in the order they are written, each before its parts."""

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

    @property
    def witness(self) -> Binding:
        """The values for which the conjunct that is FALSE first is so in that state."""
        row = self.turning
        return row.witnesses[row.first_false - 1] if row and row.first_false else ()

    @property
    def blame(self) -> str:
        """``, for c = 2, d = 1``: for which values the conjunct is FALSE; empty if it does not depend on any."""
        unbound = self.turning.conjunct.unbound if self.turning else ()
        values = ", ".join(f"{name} = {value}" for name, value in self.witness)
        return "".join(
            f", for {text}" for text in (values, "no " * bool(unbound) + ", ".join(unbound)) if text
        )

    def to_json(self) -> dict[str, object]:
        """The conjunct that is FALSE first, where it is written, and in which state."""
        row, state = self.turning, self.turning_state
        return {
            "conjunct": None if row is None else row.conjunct.text,
            "definition": None if row is None else row.conjunct.definition,
            "place": None if row is None else row.conjunct.place,
            "state": None if state is None else state.index,
            "action": None if state is None else state.action,
            "witness": dict(self.witness),
        }

    def parts(self, row: ConjunctRow) -> Iterator[ConjunctRow]:
        """The parts of a conjunct, and theirs."""
        after = self.rows[self.rows.index(row) + 1 :]
        return takewhile(lambda each: each.conjunct.depth > row.conjunct.depth, after)


def evaluate_conjuncts(
    traces: Sequence[Trace], origin: Origin, *, warm: bool = False
) -> tuple[Conjuncts, ...]:
    """The conjuncts of the invariant that traces of one run violate, all the same; ``warm`` is that of ``TraceQuery``.

    Raises InputError: ``not-an-invariant`` for another kind of trace, ``not-confirmable`` for one that cannot be written
    as a module or whose invariant TLC cannot evaluate.
    """
    query = TraceQuery(traces, origin, warm=warm)
    name, trace = query.violated(traces[0]), traces[0]
    if trace.kind != "invariant" or name not in query.spec.definitions:
        raise InputError(
            "not-an-invariant",
            f"the trace violates no invariant that has conjuncts: {trace.label} ({trace.kind.replace('_', ' ')})",
            hint="evaluate expressions in its states instead: --eval EXPR",
        )
    query.expose(name)
    copy = InvariantCopy(query=query, name=name, printer=PRINTER)
    module = query.each_state(
        _MODULE,
        [state for trace in traces for state in trace.states],
        (
            'PrintT(<<"tla2py: state", askConjunctsStep>>)',
            f"IF {copy.root} THEN TRUE ELSE TRUE",
            query.unchanged,
        ),
    )
    error = ""
    # A conjunct may make sense only if those before it are TRUE. Then TLC has to stop at the first that is FALSE.
    for stops in (False, True):
        query.modules[f"{PRINTER}.tla"] = printer_text(stops=stops)
        with query.run(_MODULE, "\n".join(module), specification="AskConjunctsSpec") as executed:
            if executed.result.verdict is Verdict.HOLDS:
                return tuple(_read(traces, copy.conjuncts, executed.output))
            error = first_error(executed.result)
    raise InputError(
        "not-confirmable",
        f"TLC could not evaluate the conjuncts of {name}: {error}",
        hint="evaluate expressions in its states instead: --eval EXPR",
    )


class _Told(NamedTuple):
    """A value that TLC printed, with those of the parts, which it prints before."""

    number: int
    value: bool
    binding: Binding
    parts: list[_Told]


class _Table:
    """The values and witnesses of each conjunct by number, in each state."""

    def __init__(self, conjuncts: Sequence[Conjunct], states: int) -> None:
        self.conjuncts = conjuncts
        self.values: list[list[bool | None]] = [[None] * states for _ in conjuncts]
        self.witnesses: list[list[Binding]] = [[()] * states for _ in conjuncts]

    def keep(self, told: _Told, state: int) -> None:
        """Keep a value with those of its parts, unless another binding has decided."""
        number, conjunct = told.number, self.conjuncts[told.number]
        if self.values[number][state] is conjunct.decisive:
            return
        self.values[number][state] = told.value
        self.witnesses[number][state] = told.binding if told.value is conjunct.decisive else ()
        for part in range(number + 1, len(self.conjuncts)):
            if self.conjuncts[part].depth <= conjunct.depth:
                break
            self.values[part][state], self.witnesses[part][state] = None, ()
        for each in told.parts:
            self.keep(each, state)


def _read(traces: Sequence[Trace], conjuncts: Sequence[Conjunct], output: str) -> Iterator[Conjuncts]:
    """The conjuncts of each trace with the values that TLC printed."""
    count = sum(len(trace.states) for trace in traces)
    found = _Table(conjuncts, count)
    # TLC evaluates constant definitions once, before the first state.
    states = range(count)
    pending: list[_Told] = []
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: state", int(number)):
                states = range(number - 1, number)
            case ("tla2py: conjunct", int(number), tuple(names), tuple(values), bool(value)):
                depth = conjuncts[number].depth
                begin = len(pending)
                while begin and conjuncts[pending[begin - 1].number].depth > depth:
                    begin -= 1
                told = _Told(number, value, bound(names, values), pending[begin:])
                pending[begin:] = [told] if depth else []
                for state in states if not depth else ():
                    found.keep(told, state)
    begin = 0
    for trace in traces:
        end = begin + len(trace.states)
        rows = (
            ConjunctRow(
                conjunct=conjunct, values=tuple(each[begin:end]), witnesses=tuple(witnesses[begin:end])
            )
            for conjunct, each, witnesses in zip(conjuncts, found.values, found.witnesses, strict=True)
        )
        yield Conjuncts(trace=trace, rows=tuple(rows))
        begin = end
