"""The steps that a counterexample needs, and the values of the violated invariant's conjuncts in its states.

A step is essential if TLC finds no behaviour that takes the remaining actions in order, with any arguments, and violates
the same property. Otherwise the shorter behaviour takes the trace's place, and its steps are tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.model.trace import State, Trace
from tla2py.replay.observe import observe_copies
from tla2py.replay.query import InvariantCopy, Origin, TraceQuery, first_error
from tla2py.tla import instrument
from tla2py.tla.instrument_formula import PRINTER_MODULE
from tla2py.tla.module import Expression
from tla2py.tlc.process.pool import close_hosts

_MODULE, _PRINTER = "AskEssential", "AskEssentialNow"
_REGISTER = 230923
_SAFETY = ("invariant", "action_property")
# What a deadlock violates.
_MOVES = "AskEssentialMoves"
_PRINTER_TEXT = f"""---- MODULE {_PRINTER} ----
LOCAL INSTANCE TLC
Now(names) == TLCGet({_REGISTER}) \\in names
====
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Essential:
    """The shortest behaviour found, which is ``trace`` itself if all its steps are essential.

    ``undecided`` are the indexes of the states of ``shortest`` whose steps TLC had no time to try.
    """

    trace: Trace
    shortest: Trace
    undecided: tuple[int, ...] = ()


def essential_steps(
    trace: Trace, origin: Origin, *, seconds: float, progress: Callable[[str], None] | None = None
) -> Essential:
    """The essential steps of a trace that violates an invariant or an action property, or ends in a deadlock.

    Tries one step after the other, for at most ``seconds`` in all. Raises InputError: ``not-an-invariant``,
    ``not-confirmable``.
    """
    query = TraceQuery([trace], origin, warm=True)
    stuck = trace.kind == "deadlock"
    name = _MOVES if stuck else query.violated(trace)
    if not stuck and (trace.kind not in _SAFETY or name not in query.spec.definitions):
        raise InputError(
            "not-an-invariant",
            f"no single step violates {trace.label} ({trace.kind.replace('_', ' ')}), so none can be essential",
            hint="choose the trace of an invariant, an action property or a deadlock with --trace",
        )
    options, config = origin.record.options, query.config
    if options.mode == "check" and options.workers == 1 and not (config.view or config.symmetry):
        # Breadth first one worker finds a shortest behaviour.
        return Essential(trace=trace, shortest=trace)
    initial = config.init or next(iter(query.spec.candidates.init), None)
    constraints = (*config.constraints, *config.action_constraints)
    query.expose(None if stuck else name, query.next, initial, *constraints)
    relation = ActionCopy(query=query, name=query.next, printer=_PRINTER).root
    query.modules[f"{_PRINTER}.tla"] = _PRINTER_TEXT
    deadline = time.monotonic() + seconds
    shortest, number = trace, 1
    try:
        while number < len(shortest.states):
            left = deadline - time.monotonic()
            if left <= 0:
                rest = tuple(state.index for state in shortest.states[number:])
                return Essential(trace=trace, shortest=shortest, undecided=rest)
            if progress is not None:
                progress(f"step {number} of {len(shortest.states) - 1}: {shortest.states[number].action}")
            actions = [state.action or "" for state in shortest.states[1:]]
            del actions[number - 1]
            module = _module(query, actions, initial, relation)
            # TLC also reports a property about single states as an invariant.
            as_property = trace.kind == "action_property" or name in config.properties
            with query.run(
                _MODULE,
                module,
                invariants=() if as_property else (name,),
                properties=(name,) if as_property else (),
                bounded=True,
                seconds=left,
            ) as executed:
                result = executed.result
            if any(each.kind in _SAFETY for each in result.violations) and result.traces:
                shortest = _named(result.traces[0], actions, trace)
            elif result.verdict in (Verdict.HOLDS, Verdict.VIOLATED):
                number += 1
            elif time.monotonic() < deadline:
                raise InputError(
                    "not-confirmable",
                    f"TLC could not try the steps: {first_error(result)}",
                    hint="see the trace as TLC printed it, without --essential",
                )
    finally:
        close_hosts()
    return Essential(trace=trace, shortest=shortest)


def _named(found: Trace, actions: Sequence[str], trace: Trace) -> Trace:
    """The behaviour found, with the actions that were asked for and the variables of the specification."""
    return replace(
        trace,
        states=tuple(
            replace(
                state,
                action=None if number == 0 else actions[number - 1],
                location=None,
                values={name: value for name, value in state.values.items() if name != "askEssentialSteps"},
            )
            for number, state in enumerate(found.states)
        ),
    )


def _module(query: TraceQuery, actions: Sequence[str], initial: str | None, relation: str) -> list[str]:
    plan = ", ".join(f'"{action}"' for action in actions)
    variables = ", ".join((*query.variables, "askEssentialSteps"))
    return [
        *query.header(_MODULE, "Sequences"),
        "VARIABLE askEssentialSteps",
        f"AskEssentialPlan == <<{plan}>>",
        f"AskEssentialInit == {initial} /\\ askEssentialSteps = 0",
        f"{_MOVES} == ENABLED ({query.next})",
        "AskEssentialNext ==",
        f"  /\\ askEssentialSteps < {len(actions)}",
        f"  /\\ TLCSet({_REGISTER}, AskEssentialPlan[askEssentialSteps + 1])",
        f"  /\\ {relation}",
        "  /\\ askEssentialSteps' = askEssentialSteps + 1",
        f"AskEssentialSpec == AskEssentialInit /\\ [][AskEssentialNext]_<<{variables}>>",
        "====",
        "",
    ]


class ActionCopy(instrument.DefinitionCopy):
    """A copy of the next-state relation whose disjuncts are possible only while it is their action's turn."""

    def _edits(self, expr: Expression, place: instrument.CopyPlace) -> Iterator[instrument.Edit]:
        match expr:
            case Expression(shape="apply", operator="\\/"):
                for each in expr.arguments:
                    yield from self._edits(each, place)
            case (
                Expression(shape="bind", operator="\\E", arguments=(body,))
                | Expression(shape="let", arguments=(body,))
            ):
                yield from self._edits(body, self._enter(expr, place))
            case _:
                called = self._call(expr, place)
                if called:
                    yield called
                else:
                    # TLC names a step by one of the definitions that lead to it, by which one depends on the release.
                    quoted = ", ".join(f'"{name}"' for name in place.path)
                    yield from instrument.wrapped(expr.span, f"(tla2pyTell!Now({{{quoted}}}) /\\ (", (), "))")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConjunctRow:
    """A conjunct, condition or part with its value in each state; None if TLC did not evaluate it there.

    A conjunct is FALSE if it is FALSE for some binding, and ``witnesses`` has the first such binding for each state; a
    condition is TRUE if it is TRUE for some binding. The parts of a conjunct have their values for its witness.
    """

    conjunct: instrument.Conjunct
    values: tuple[bool | None, ...]
    witnesses: tuple[instrument.Binding, ...]

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
    def witness(self) -> instrument.Binding:
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


def evaluate_conjuncts(trace: Trace, origin: Origin, *, warm: bool = False) -> Conjuncts:
    """The conjuncts of the invariant that a trace violates; ``warm`` is that of ``TraceQuery``.

    Raises InputError: ``not-an-invariant`` for another kind of trace, ``not-confirmable`` for one that cannot be written
    as a module or whose invariant TLC cannot evaluate.
    """
    query = TraceQuery([trace], origin, warm=warm)
    name = query.violated(trace)
    if trace.kind != "invariant" or name not in query.spec.definitions:
        raise InputError(
            "not-an-invariant",
            f"the trace violates no invariant that has conjuncts: {trace.label} ({trace.kind.replace('_', ' ')})",
            hint="evaluate expressions in its states instead: --eval EXPR",
        )
    query.expose(name)
    copy = InvariantCopy(query=query, name=name, printer=PRINTER_MODULE)
    output = observe_copies(query, [copy], trace.states, [query.unchanged], judged=True)
    texts = dict(origin.record.expressions)
    shown = [replace(each, definition=texts.get(each.definition, each.definition)) for each in copy.conjuncts]
    return Conjuncts(trace=trace, rows=tuple(_read(len(trace.states), shown, output)))


class _Told(NamedTuple):
    """A value that TLC printed, with those of the parts, which it prints before."""

    number: int
    value: bool
    binding: instrument.Binding
    parts: list[_Told]


def _read(count: int, conjuncts: Sequence[instrument.Conjunct], output: str) -> Iterator[ConjunctRow]:
    """The conjuncts with the values that TLC printed in so many states."""
    values: list[list[bool | None]] = [[None] * count for _ in conjuncts]
    witnesses: list[list[instrument.Binding]] = [[()] * count for _ in conjuncts]

    def keep(told: _Told, state: int) -> None:
        """Keep a value with those of its parts, unless another binding has decided."""
        number, conjunct = told.number, conjuncts[told.number]
        if values[number][state] is conjunct.decisive:
            return
        values[number][state] = told.value
        witnesses[number][state] = told.binding if told.value is conjunct.decisive else ()
        for part in range(number + 1, len(conjuncts)):
            if conjuncts[part].depth <= conjunct.depth:
                break
            values[part][state], witnesses[part][state] = None, ()
        for each in told.parts:
            keep(each, state)

    # TLC evaluates constant definitions once, before the first state.
    states = range(count)
    pending: list[_Told] = []
    for printed in instrument.printed_tuples(output):
        match printed:
            case ("tla2py: state", int(number)):
                states = range(number - 1, number)
            case ("tla2py: conjunct", int(number), tuple(names), tuple(bound), bool(value)):
                depth = conjuncts[number].depth
                begin = len(pending)
                while begin and conjuncts[pending[begin - 1].number].depth > depth:
                    begin -= 1
                told = _Told(number, value, instrument.bound(names, bound), pending[begin:])
                pending[begin:] = [told] if depth else []
                for state in states if not depth else ():
                    keep(told, state)
    for conjunct, each, those in zip(conjuncts, values, witnesses, strict=True):
        yield ConjunctRow(conjunct=conjunct, values=tuple(each), witnesses=tuple(those))
