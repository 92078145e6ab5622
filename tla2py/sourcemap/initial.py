"""What an error about an initial state may be in: the initial predicate, or what TLC evaluates on the state."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tla2py.model.config import Config
from tla2py.syntax import Module
from tla2py.syntax.expression import Expression
from tla2py.tlc.output.states import UNASSIGNED
from tla2py.trace.trace import Trace

_TEMPORAL = re.compile(r"\[\]|<>|~>|\b[WS]F_")


def initial_predicate(config: Config, modules: Sequence[Module]) -> str:
    """The name of the initial predicate: the config's, or the first that its specification names."""
    if config.init is not None:
        return config.init
    defined = {each.name: each for module in modules for each in module.definitions}
    name, through = config.specification or "", set[str]()
    while name in defined and name not in through:
        if through and _TEMPORAL.search(defined[name].text) is None:
            break
        through.add(name)
        inner = [part for part in _conjuncts(defined[name].body) if part in defined]
        steps = [part for part in inner if _TEMPORAL.search(defined[part].text)]
        name = next((part for part in inner if part not in steps), steps[0] if steps else name)
    return name


def _conjuncts(expr: Expression | None) -> list[str]:
    """The names among the conjuncts of a formula."""
    if expr is None or expr.is_name():
        return [] if expr is None else [expr.operator]
    return [name for part in expr.arguments for name in _conjuncts(part)] if expr.operator == "/\\" else []


def evaluated_on_initial(config: Config, traces: Sequence[Trace]) -> tuple[str, ...]:
    """What TLC evaluates on an initial state, in its order, where the last trace is to one that is whole; else nothing.

    TLC prints a state whole once it has evaluated it, so that the initial predicate is hardly to blame.
    """
    states = [state for trace in traces[-1:] for state in trace.states[:1]]
    if not states or UNASSIGNED in states[0].values.values():
        return ()
    view = () if config.view is None else (config.view,)
    return (*config.constraints, *view, *config.invariants, *config.properties)
