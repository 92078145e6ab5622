"""The variables of traces to show."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from tla2py.errors import InputError
from tla2py.text import did_you_mean
from tla2py.trace.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """A choice of variables: those in ``only``, or all if it is empty, without those in ``hide``."""

    only: Collection[str] = ()
    hide: Collection[str] = ()

    def of(self, trace: Trace) -> frozenset[str]:
        """The chosen variables of a trace. Raises InputError (``unknown-variable``)."""
        known = dict.fromkeys(name for state in trace.states for name in state.values)
        for name in (*self.only, *self.hide):
            if name not in known:
                raise InputError(
                    "unknown-variable",
                    f"not a variable of the trace: {name}",
                    hint=did_you_mean(name, list(known), f"variables: {', '.join(known) or 'none'}"),
                )
        return frozenset(self.only or known).difference(self.hide)

    def part_of(self, trace: Trace) -> Trace:
        """The trace with the chosen variables only. Raises InputError (``unknown-variable``)."""
        chosen = self.of(trace)
        states = (
            replace(state, values={name: value for name, value in state.values.items() if name in chosen})
            for state in trace.states
        )
        return replace(trace, states=tuple(states))
