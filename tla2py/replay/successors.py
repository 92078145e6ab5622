"""The successors of a state of a trace: the steps that the specification allows there, by one run of TLC."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from tla2py.errors import InputError
from tla2py.model.outcome import Verdict
from tla2py.replay.enabled import action_names
from tla2py.replay.query import Origin, TraceQuery, first_error
from tla2py.syntax.depth import deeply
from tla2py.tlc.command import GRAPH
from tla2py.tlc.output.graph import GraphBlock, GraphReader
from tla2py.trace.trace import State, Trace
from tla2py.values import state_from_itf

_MODULE: Final = "AskSuccessors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Successors:
    """The states that one step leads to, each with its action, and the actions that lead to none."""

    state: State
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
    values = [f"  /\\ {name} = {_MODULE}States[1].{name}" for name in query.variables]
    module = [
        *query.header(_MODULE),
        f"{_MODULE}States == {query.states([state])}",
        f"{_MODULE}Init ==",
        *values,
        # The successors are explored too, so that the graph has them; their own successors are not.
        f'{_MODULE}Bound == TLCGet("level") < 3',
        f"{_MODULE}Spec == {_MODULE}Init /\\ [][{relation}]_<<{', '.join(query.variables)}>>",
        "====",
        "",
    ]
    text = "\n".join(module)
    with query.run(
        _MODULE, text, specification=f"{_MODULE}Spec", constraints=(f"{_MODULE}Bound",), graph=True
    ) as executed:
        if executed.result.verdict is not Verdict.HOLDS:
            raise InputError(
                "not-confirmable",
                f"TLC could not evaluate the steps of state {state.index}: {first_error(executed.result)}",
                hint="evaluate expressions in the states instead: --eval EXPR",
            )
        block = GraphReader().read((executed.folders[0] / GRAPH).read_bytes())
    found = _successors(block, state)
    taken = {each.action for each in found}
    names = _action_names(query)
    return Successors(state=state, states=found, disabled=tuple(name for name in names if name not in taken))


def _successors(block: GraphBlock, state: State) -> tuple[State, ...]:
    texts = dict(zip(block.fingerprints, block.states, strict=True))
    [initial] = [each for each, first in zip(block.fingerprints, block.initial, strict=True) if first]
    found = []
    steps = zip(block.sources, block.targets, block.actions, strict=True)
    for target, label in dict.fromkeys(
        (target, label) for source, target, label in steps if source == initial
    ):
        action, arguments = block.labels[label]
        if target != initial:
            found.append(
                State(
                    index=state.index + 1,
                    action=action,
                    action_args=arguments,
                    location=None,
                    values=state_from_itf(json.loads(texts[target])),
                )
            )
    return tuple(found)


@deeply
def _action_names(query: TraceQuery) -> tuple[str, ...]:
    """The actions that the next-state relation consists of."""
    found = query.spec.scope.names.get(query.next)
    return () if found is None or found.body is None else tuple(dict.fromkeys(action_names(found.body)))
