"""The steps from a state, each question by one run of TLC.

How far an action gets is which prefixes of its conjuncts are ENABLED; the successors are those of the state graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.model.trace import State, Trace
from tla2py.replay.observe import OTHERWISE, instrument_definition, observe_copies, read_paths
from tla2py.replay.query import Origin, TraceQuery, first_error
from tla2py.tla.instrument import Binding, Conjunct, leads
from tla2py.tla.itf import state_from_itf
from tla2py.tla.levels import Level
from tla2py.tla.module import Expression
from tla2py.tla.tree import deeply
from tla2py.tla.value import format_value
from tla2py.tlc.output.graph import GraphBlock, GraphReader
from tla2py.tlc.process.command import GRAPH


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixRow:
    """A conjunct of an action, and whether the action is ENABLED up to it; None if no binding gets to it."""

    conjunct: Conjunct
    enabled: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enabledness:
    """How far an action gets in a state.

    ``binding`` is the one of its parameters and quantifiers that gets furthest, ``stopped`` the first conjunct that is
    FALSE for it: None if the action is enabled, or if no binding gets to a conjunct.
    """

    action: str
    state: State
    rows: tuple[PrefixRow, ...]
    enabled: bool
    binding: Binding
    stopped: Conjunct | None


def evaluate_enabled(trace: Trace, action: str, state: State, origin: Origin) -> Enabledness:
    """How far an action gets in a state of a trace.

    Its parameters and quantifiers take the values that the next-state relation gives them. Raises InputError: ``usage``
    for an action that the relation does not take, ``not-confirmable`` for a trace that cannot be written as a module or
    an action that TLC cannot evaluate.
    """
    query = TraceQuery([trace], origin)
    copy = instrument_definition(
        query, _root(query, action), "next", action=action, fixed=False, valued=False
    )
    # No step is taken. A variable without a next value makes TLC try all bindings.
    done = f'PrintT(<<"tla2py: args", {len(copy.conjuncts)}, "", <<>>, <<>>>>)'
    output = observe_copies(query, [copy], [state], [done, "FALSE"])
    paths = list(read_paths(output, copy))
    tried: dict[int, bool] = {}
    for each in (each for path in paths for each in path if each.number >= 0):
        tried[each.number] = tried.get(each.number, False) or bool(each.value)
    # A way that ends with a step does not end with a conjunct.
    furthest = max(paths, key=lambda path: path[-1].depth, default=())
    enabled = bool(furthest) and not furthest[-1].action and furthest[-1].number < 0
    best = [each for each in furthest if each.number >= 0]
    variables = {variable.name for module in query.spec.modules for variable in module.variables}
    given = {name: value for each in best for name, value in each.names.items() if name not in variables}
    rows = (PrefixRow(conjunct=each, enabled=tried.get(n)) for n, each in enumerate(copy.conjuncts))
    return Enabledness(
        action=action,
        state=state,
        rows=tuple(rows),
        enabled=enabled,
        binding=tuple((name, format_value(value)) for name, value in given.items()),
        stopped=copy.conjuncts[best[-1].number] if best and not enabled else None,
    )


@deeply
def _root(query: TraceQuery, action: str) -> str:
    """The formula that takes the action: the next-state relation, or the action itself if it has no parameters."""
    scope, relation = query.spec.scope, query.next
    found = scope.names.get(relation)
    if found and found.body and leads(found.body, action, found.scope, query.spec.resolver):
        return relation
    entity = scope.find(action)
    if (
        entity is not None
        and entity.body is not None
        and not entity.parameters
        and query.levels.of_entity(entity) == Level.ACTION
    ):
        return action
    missing = (
        f"{relation} does not take {action}, so the values of {', '.join(entity.parameters)} are not known"
        if entity is not None and entity.parameters
        else f"{relation} takes no action {action}"
    )
    actions = ", ".join(_action_names(query))
    raise InputError("usage", missing, hint=f"name one of {actions}" if actions else f"see {relation}")


def action_names(expr: Expression) -> Iterator[str]:
    """The names of the definitions that a next-state relation consists of."""
    if expr.shape == "apply" and expr.operator not in ("/\\", "\\/"):
        yield expr.operator
    elif expr.shape in ("apply", "let") or expr.operator == "\\E":
        for each in expr.arguments:
            yield from action_names(each)


_MODULE = "AskSuccessors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Successors:
    """The states that one step leads to, each with its action, and the actions that lead to none.

    Without a ``state`` they are the initial ones.
    """

    state: State | None
    states: tuple[State, ...]
    disabled: tuple[str, ...]


def find_successors(trace: Trace, state: State, origin: Origin) -> Successors:
    """The successors of a state of a trace, without the state itself.

    Raises InputError (``not-confirmable``) for a trace that cannot be written as a module, or a state whose steps TLC
    cannot evaluate.
    """
    query = TraceQuery([trace], origin)
    relation = query.next
    query.expose(relation)
    module = [
        *query.header(_MODULE),
        f"{_MODULE}States == {query.states([state])}",
        f"{_MODULE}Init ==",
        *(f"  /\\ {name} = {_MODULE}States[1].{name}" for name in query.variables),
        # The successors are explored too, so that the graph has them; their own successors are not.
        f'{_MODULE}Bound == TLCGet("level") < 3',
        f"{_MODULE}Spec == {_MODULE}Init /\\ [][{relation}]_<<{', '.join(query.variables)}>>",
        "====",
        "",
    ]
    block = _graph(query, module, f"the steps of state {state.index}", f"{_MODULE}Bound")
    texts = dict(zip(block.fingerprints, block.states, strict=True))
    [initial] = [each for each, first in zip(block.fingerprints, block.initial, strict=True) if first]
    steps = zip(block.sources, block.targets, block.actions, strict=True)
    ends = ((target, label) for source, target, label in steps if source == initial and target != initial)
    found = tuple(
        _state(state.index + 1, *block.labels[label], texts[target]) for target, label in dict.fromkeys(ends)
    )
    taken = {each.action for each in found}
    names = _action_names(query)
    return Successors(state=state, states=found, disabled=tuple(name for name in names if name not in taken))


def find_initial(origin: Origin) -> Successors:
    """The initial states of a run. Raises InputError (``not-confirmable``) if TLC cannot evaluate them."""
    query = TraceQuery((), origin)
    query.expose(query.init)
    relation = f"[][FALSE]_<<{', '.join(query.variables)}>>"
    module = [*query.header(_MODULE), f"{_MODULE}Spec == {query.init} /\\ {relation}", "====", ""]
    block = _graph(query, module, "the initial states")
    found = tuple(_state(1, None, None, text) for text in block.states)
    return Successors(state=None, states=found, disabled=())


def _state(index: int, action: str | None, arguments: tuple[str, ...] | None, text: str) -> State:
    values = state_from_itf(json.loads(text))
    return State(index=index, action=action, action_args=arguments, location=None, values=values)


def _graph(query: TraceQuery, module: Iterable[str], asked: str, *constraints: str) -> GraphBlock:
    """The states and steps that TLC explores."""
    with query.run(_MODULE, module, constraints=constraints, graph=True) as executed:
        if executed.result.verdict is not Verdict.HOLDS:
            problem = f"TLC could not evaluate {asked}: {first_error(executed.result)}"
            raise InputError("not-confirmable", problem, hint=OTHERWISE)
        return GraphReader().read((executed.folders[0] / GRAPH).read_bytes())


@deeply
def _action_names(query: TraceQuery) -> tuple[str, ...]:
    """The actions that the next-state relation consists of."""
    found = query.spec.scope.names.get(query.next)
    return () if found is None or found.body is None else tuple(dict.fromkeys(action_names(found.body)))
