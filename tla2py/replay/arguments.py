"""The arguments of a trace's actions, derived by TLC: before 2.20 it prints none, and it never prints quantified ones.

In copies of the modules each action prints the values of its parameters, and of the quantifiers around its formula.
TLC then evaluates the next-state relation for each step of the trace between its two states: the printed values are
those that make the step true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.model.trace import State, Trace
from tla2py.replay.observe import pair_values
from tla2py.replay.query import Origin, TraceQuery, first_error
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.instrument import Edit, edited_with, formula_parts, named_values, printed_tuples, wrapped
from tla2py.tla.levels import Level, Levels
from tla2py.tla.module import Expression, Module, Span
from tla2py.tla.scope import Scope
from tla2py.tla.tree import deeply
from tla2py.tla.value import Value, format_value

_MODULE = "AskArguments"
_PRINTER = "AskArgumentsTell"
_PRINTER_TEXT = f"""---- MODULE {_PRINTER} ----
LOCAL INSTANCE TLC
Tell(action, names, values) == PrintT(<<"tla2py: with", action, names, values>>)
====
"""


def derive_arguments(traces: Sequence[Trace], origin: Origin) -> tuple[Trace, ...]:
    """The traces of one run with ``State.derived`` set, by one further run of TLC; unchanged if it printed all arguments.

    A name is included if exactly one value makes the step true. Raises InputError as ``possible_arguments`` does.
    """
    found = possible_arguments(traces, origin)
    if found is None:
        return tuple(traces)
    steps = iter(found)
    return tuple(
        replace(trace, states=tuple(_derived(state, next(steps)) for state in trace.states))
        for trace in traces
    )


def possible_arguments(
    traces: Sequence[Trace], origin: Origin
) -> list[tuple[Mapping[str, Value], ...]] | None:
    """For each state of the traces of one run the arguments, by name, that make the step to it true; none for the first.

    None if TLC printed all arguments. Raises InputError (``not-confirmable``) for traces that cannot be written as a module
    or whose steps TLC cannot follow.
    """
    query = TraceQuery(traces, origin)
    query.expose(query.next)
    states = [state for trace in traces for state in trace.states]
    taken = {(state.action, state.action_args) for state in states if state.action}
    if all(_prints_all(query.spec, *each) for each in taken):
        return None
    actions = {_bare(action) for action, _ in taken}
    for module in query.spec.modules:
        file = f"{module.name}.tla"
        query.modules[file] = _instrument(query.modules[file], module, query.spec, actions)
    query.modules[f"{_PRINTER}.tla"] = _PRINTER_TEXT
    lines = query.each_state(
        _MODULE,
        states,
        (
            'PrintT(<<"tla2py: step", askArgumentsStep>>)',
            query.successor("AskArgumentsStates[askArgumentsStep + 1]"),
            query.next,
        ),
        without=accumulate(len(trace.states) for trace in traces),
    )
    with query.run(_MODULE, lines) as executed:
        if executed.result.verdict is not Verdict.HOLDS:
            problem = f"TLC could not follow the steps: {first_error(executed.result)}"
            hint = "leave out --arguments to see the trace as TLC printed it"
            raise InputError("not-confirmable", problem, hint=hint)
        output = executed.output
    found: dict[int, list[tuple[str, Mapping[str, Value]]]] = {}
    step = 0
    for printed in printed_tuples(output):
        match printed:
            case ("tla2py: step", int(number)):
                step = number - 1
            case ("tla2py: with", str(action), tuple(names), tuple(values)):
                found.setdefault(step, []).append((action, pair_values(names, values)))
    return [
        tuple(values for action, values in found.get(number - 1, ()) if _is_taken(state, action))
        if state.action is not None
        else ()
        for number, state in enumerate(states)
    ]


def _prints_all(spec: ModuleGraph, action: str, arguments: tuple[str, ...] | None) -> bool:
    """Whether the arguments that TLC printed for an action are all its values: it has no quantifiers of its own."""
    found = [
        (definition.parameters, {name for _, names in leaves for name in names})
        for module in spec.modules
        for definition in module.definitions
        if definition.name == _bare(action) and definition.kind == "operator" and definition.body is not None
        for leaves in [_Leaves(spec).find(definition.body, definition.parameters, spec.scope_of(module))]
    ]
    return bool(found) and all(
        len(parameters) == len(arguments or ()) and names.issubset(parameters) for parameters, names in found
    )


def _derived(state: State, found: Iterable[Mapping[str, Value]]) -> State:
    """The state with the values printed for the step to it."""
    values: dict[str, set[Value]] = {}
    for given in found:
        for name, value in given.items():
            values.setdefault(name, set()).add(value)
    derived = tuple((name, format_value(*each)) for name, each in values.items() if len(each) == 1)
    return replace(state, derived=derived)


def _is_taken(state: State, action: str) -> bool:
    """Whether the step to a state took an action, ``MODULE!NAME``; other modules may have one of its name."""
    module, _, name = action.partition("!")
    return name == _bare(state.action or "") and (state.location is None or state.location.module == module)


def _bare(action: str) -> str:
    """The name of an action without its instance."""
    return action.rpartition("!")[2]


@deeply
def _instrument(text: str, module: Module, spec: ModuleGraph, actions: set[str]) -> str:
    """The text of a module whose actions print their values."""
    scope = spec.scope_of(module)
    edits: list[Edit] = []
    place: tuple[int, int] | None = None
    for definition in module.definitions:
        if definition.name not in actions or definition.kind != "operator" or definition.body is None:
            continue
        parameters = tuple(name for name in definition.parameters if "(" not in name)
        leaves = _Leaves(spec).find(definition.body, parameters, scope)
        action = f"{module.name}!{definition.name}"
        found = [
            edit
            for span, names in leaves
            for edit in wrapped(span, "((", (), f') /\\ tla2pyTell!Tell("{action}", {named_values(names)}))')
        ]
        if found and place is None:
            place = definition.span.begin_line, definition.span.begin_column
        edits += found
    return text if place is None else edited_with(text, edits, _PRINTER, place)


class _Leaves:
    """The innermost formulas of an action below its quantifiers, with the names bound there."""

    def __init__(self, spec: ModuleGraph) -> None:
        self._resolver, self._levels = spec.resolver, Levels(spec.resolver)

    def find(
        self, expr: Expression, names: tuple[str, ...], scope: Scope
    ) -> Iterator[tuple[Span, tuple[str, ...]]]:
        """The innermost formulas below the quantifiers of a formula, where names are bound."""
        if not self._leads(expr, names, scope):
            if names:
                yield expr.span, names
            return
        inside = self._resolver.let(scope, expr) if expr.shape == "let" else scope
        bound = tuple(name for each in expr.bounds for name in each.names)
        for part in formula_parts(expr):
            if expr.operator != "/\\" or self._leads(part, names, scope):
                yield from self.find(part, (*names, *bound), inside)

    def _leads(self, expr: Expression, names: tuple[str, ...], scope: Scope) -> bool:
        """Whether the formula contains quantifiers over a description of the step."""
        if expr.shape == "bind":
            # A condition on one state does not describe the step.
            level = self._levels.of_expression(expr, scope, frozenset(names))
            return expr.operator == "\\E" and level == Level.ACTION
        inside = self._resolver.let(scope, expr) if expr.shape == "let" else scope
        return any(self._leads(part, names, inside) for part in formula_parts(expr))
