"""The steps that a counterexample needs.

A step is essential if TLC finds no behaviour that takes the remaining actions in order, with any arguments, and violates
the same property. Otherwise the shorter behaviour takes the trace's place, and its steps are tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tla2py.errors import InputError
from tla2py.instrument.copies import DefinitionCopy, Place
from tla2py.instrument.edits import Edit, wrapped
from tla2py.model.outcome import Verdict
from tla2py.replay.query import Origin, TraceQuery, first_error
from tla2py.syntax.expression import Expression
from tla2py.tlc.jvm.pool import close_hosts
from tla2py.trace.trace import Trace

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
    trace: Trace,
    origin: Origin,
    *,
    seconds: float,
    progress: Callable[[str], None] | None = None,
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
    if (
        origin.record.options.mode == "check"
        and origin.record.options.workers == 1
        and not (query.config.view or query.config.symmetry)
    ):
        # Breadth first one worker finds a shortest behaviour.
        return Essential(trace=trace, shortest=trace)
    initial = query.config.init or next(iter(query.spec.candidates.init), None)
    constraints = (*query.config.constraints, *query.config.action_constraints)
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
            as_property = trace.kind == "action_property" or name in query.config.properties
            with query.run(
                _MODULE,
                module,
                specification="AskEssentialSpec",
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


def _module(query: TraceQuery, actions: Sequence[str], initial: str | None, relation: str) -> str:
    plan = ", ".join(f'"{action}"' for action in actions)
    variables = ", ".join((*query.variables, "askEssentialSteps"))
    return "\n".join(
        [
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
    )


class ActionCopy(DefinitionCopy):
    """A copy of the next-state relation whose disjuncts are possible only while it is their action's turn."""

    def _edits(self, expr: Expression, names: tuple[str, ...], place: Place) -> Iterator[Edit]:
        match expr:
            case Expression(shape="apply", operator="\\/"):
                for each in expr.arguments:
                    yield from self._edits(each, names, place)
            case Expression(shape="bind", operator="\\E", arguments=(body,)):
                yield from self._edits(body, names, place)
            case Expression(shape="let", arguments=(body,)):
                inside = self.query.spec.resolver.let(place.scope, expr)
                yield from self._edits(body, names, replace(place, scope=inside))
            case _:
                called = self._call(expr, place)
                if called:
                    yield called
                else:
                    # TLC names a step by one of the definitions that lead to it, by which one depends on the release.
                    quoted = ", ".join(f'"{name}"' for name in place.path)
                    yield from wrapped(expr.span, f"(tla2pyTell!Now({{{quoted}}}) /\\ (", (), "))")
