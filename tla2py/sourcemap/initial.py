"""The definitions that an error about an initial state can come from."""

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
    """The name of the initial predicate: the config's INIT, or the first state predicate in its specification."""
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
    if expr is None:
        return []
    if expr.is_name():
        return [expr.operator]
    return [name for part in expr.arguments for name in _conjuncts(part)] if expr.operator == "/\\" else []


def evaluated_on_initial(config: Config, traces: Sequence[Trace]) -> tuple[str, ...]:
    """The definitions that TLC evaluates on a complete initial state, in TLC's order; empty if the state is incomplete.

    The state is the first of the last trace. Once TLC prints a complete state, the initial predicate has been evaluated.
    """
    states = [state for trace in traces[-1:] for state in trace.states[:1]]
    if not states or UNASSIGNED in states[0].values.values():
        return ()
    view = () if config.view is None else (config.view,)
    return (*config.constraints, *view, *config.invariants, *config.properties)
