"""The values of expressions at the states of a trace, evaluated by one further run of TLC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.model.run import RunResult
from tla2py.model.trace import Trace
from tla2py.replay.query import Origin, TraceQuery, first_error
from tla2py.tla.instrument import printed_tuples
from tla2py.tla.levels import Level
from tla2py.tla.parse import StandaloneExpression, parse_expression
from tla2py.tla.value import format_value

_MODULE = "AskValues"
# A place in the module that only this run has.
_PLACE = re.compile(rf" *\bline \d+, col \d+ to line \d+, col \d+ of module {_MODULE}\b")


def evaluate_trace(trace: Trace, expressions: Sequence[str], origin: Origin) -> Trace:
    """The trace with ``State.evaluated`` set: the value of each expression at each state.

    An expression with primed variables has values at the states after the first: that of the step to the state.
    Raises InputError: ``expression-syntax``, ``expression-fails`` for an expression that TLC cannot evaluate,
    ``not-confirmable`` for a trace that cannot be written as a module.
    """
    query = TraceQuery([trace], origin)
    parsed = [parse_expression(each) for each in expressions]
    query.expose(*(name for each in parsed for name in each.names))
    steps = [_describes_step(query, *each) for each in zip(expressions, parsed, strict=True)]
    used = {module for each in parsed for module in each.standard} - {"Integers", "Naturals", "TLC"}
    last = f"askValuesStep = {len(trace.states)}"
    after = query.successor("AskValuesStates[askValuesStep + 1]")
    lines = query.each_state(
        _MODULE,
        trace.states,
        (
            *(_print("askValuesStep", n) for n, step in enumerate(steps) if not step),
            f"IF {last} THEN {query.unchanged} ELSE {after}",
            *(
                f"IF {last} THEN TRUE ELSE {_print('askValuesStep + 1', n)}"
                for n, step in enumerate(steps)
                if step
            ),
        ),
        extended=sorted(used),
        definitions=[
            line for n, text in enumerate(expressions) for line in (f"AskValues{n} ==", *text.split("\n"))
        ],
    )
    with query.run(_MODULE, lines) as executed:
        output = executed.output
        if executed.result.verdict is not Verdict.HOLDS:
            raise _failure(executed.result, output, lines, expressions)
    values: dict[tuple[int, int], str] = {}
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: value", int(state), int(number), value):
                values[state, number] = format_value(value)
    return replace(
        trace,
        states=tuple(
            replace(
                state,
                evaluated=tuple(
                    (expressions[n], values[index, n])
                    for n in range(len(expressions))
                    if (index, n) in values
                ),
            )
            for index, state in enumerate(trace.states, 1)
        ),
    )


def _describes_step(query: TraceQuery, text: str, parsed: StandaloneExpression) -> bool:
    """Whether an expression has a value for each step, not for each state."""
    level = query.levels.of_expression(parsed.body, query.spec.scope, frozenset())
    if level == Level.TEMPORAL:
        problem = f"{_on_one_line(text)} is temporal: it has no value in a state"
        hint = "evaluate the parts of it that describe states or steps"
        raise InputError("expression-fails", problem, hint=hint)
    return level == Level.ACTION


def _print(state: str, number: int) -> str:
    begin, value = (f'PrintT(<<"tla2py: {word}", {state}, {number}' for word in ("begin", "value"))
    return f"{begin}>>) /\\ {value}, AskValues{number}>>)"


def _failure(result: RunResult, output: str, lines: Sequence[str], expressions: Sequence[str]) -> InputError:
    """The error for a run that failed: which expression, at which place of its text or in which state, and TLC's reason."""
    text, where = "; ".join(expressions), ""
    errors = [each for each in result.diagnostics if each.severity == "error"]
    at = errors[0].location if errors else None
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: begin", int(state), int(number)):
                text, where = expressions[number], f" in state {state}"
    for number, each in enumerate(expressions):
        if at is None or at.module != _MODULE:
            break
        line = at.begin_line - lines.index(f"AskValues{number} ==") - 1
        if 1 <= line <= each.count("\n") + 1:
            place = f"line {line}, column {at.begin_column}" if "\n" in each else f"column {at.begin_column}"
            text, where = each, f"{where} at {place}"
    problem = f"TLC cannot evaluate {_on_one_line(text)}{where}: {_PLACE.sub('', first_error(result))}"
    hint = "use what the module of the run defines or extends, and operators of the standard modules"
    return InputError("expression-fails", problem, hint=hint)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
