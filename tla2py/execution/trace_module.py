"""Modules about the behaviours that TLC printed: their states as values, and a specification whose only behaviour is one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tla2py.errors import InputError
from tla2py.model.model import Config
from tla2py.model.trace import State, Trace
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.itf import state_to_itf
from tla2py.tla.value import format_value

FOLLOWING = "ConfirmTrace"
"""The name of the module whose only behaviour is a trace, and the beginning of the names in it."""
_INDEX = "confirmTraceIndex"
# What TLC prints instead of a value that it did not evaluate.
_NO_VALUE = re.compile(r"<expression|<LAZY|<Operator|<Java Method|\bUNDEF\b|\bnull\b|\{ <")


@dataclass(slots=True)
class BehaviourWriter:
    """Writes modules about the states of traces of the model with this main module and config.

    ``model_values`` are those in the states that no module declares. Raises InputError (``not-confirmable``) for states that
    cannot be written: they come from an ALIAS, or hold a value that TLC printed without evaluating it.
    """

    main: str
    spec: ModuleGraph
    config: Config
    states_written: Sequence[State]
    model_values: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.config.alias:
            raise InputError(
                "not-confirmable",
                f"the states were printed through the ALIAS {self.config.alias}",
                hint="run the sweep without the alias",
            )
        names: set[str] = set()
        for state in self.states_written:
            names.update(_model_values(state))
        names -= {constant.name for constant in self.spec.constants}
        # A config may put a model value of its own name in the place of a definition.
        replaced = {each.name for each in self.config.assignments if each.value == each.name}
        self.model_values = sorted(names - (replaced & self.spec.definitions.keys()))
        self._check_writable()

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of a state."""
        return tuple(variable.name for variable in self.spec.variables)

    def _check_writable(self) -> None:
        for state in self.states_written:
            if set(state.values) != set(self.variables):
                raise InputError(
                    "not-confirmable",
                    f"the variables of state {state.index} differ from the module's",
                    hint=f"the module declares {', '.join(self.variables)}; run the sweep again with --fresh",
                )
            for variable, value in state.values.items():
                if _NO_VALUE.search(re.sub(r'"(\\.|[^"\\])*"', '""', format_value(value))):
                    raise InputError(
                        "not-confirmable",
                        f"TLC printed no value for {variable} in state {state.index}",
                        hint="TLC stopped there, or the value is lazy or infinite; make its definition print a finite one",
                    )
        for name in self.model_values:
            if not re.fullmatch(r"\w*[A-Za-z]\w*", name) or name in self.spec.definitions:
                raise InputError(
                    "not-confirmable",
                    f"{name} cannot be declared in a module as a model value",
                    hint="give it a name of letters and digits that is not defined in the module",
                )

    def header(self, name: str, *extended: str) -> list[str]:
        """Return the first lines of a module about the traces, which also extends the named modules."""
        constants = [f"CONSTANTS {', '.join(self.model_values)}"] if self.model_values else []
        modules = ", ".join((self.main, "Integers", "TLC", *extended))
        return [f"---- MODULE {name} ----", f"EXTENDS {modules}", *constants]

    def states(self, states: Iterable[State]) -> str:
        """Return states as the text of a TLA+ sequence of records."""
        records = []
        for state in states:
            fields = [f"{name} |-> {format_value(state.values[name])}" for name in self.variables]
            records.append(f"[{', '.join(fields)}]")
        return "<<\n  " + ",\n  ".join(records) + "\n>>"

    @property
    def unchanged(self) -> str:
        """The formula that the variables keep their values."""
        return f"UNCHANGED <<{', '.join(self.variables)}>>"

    def successor(self, state: str) -> str:
        """Return the formula that the next values of the variables are those of a state."""
        return " /\\ ".join(f"{name}' = {state}.{name}" for name in self.variables)

    def following(self, trace: Trace, *more: str) -> list[str]:
        """Return the module whose only behaviour is a trace, with further definitions.

        Its specification is ``ConfirmTraceSpec``; ``ConfirmTraceOriginal`` is the model's, if the config names only its parts.
        """
        names = ", ".join(self.variables)
        count = len(trace.states)
        forever = trace.stuttering or trace.loop_start is not None
        here = [f"  /\\ {name} = ConfirmTraceStates[{_INDEX}].{name}" for name in self.variables]
        after = f"{_INDEX} + 1"
        if trace.loop_start is not None:
            after = f"IF {_INDEX} = {count} THEN {trace.loop_start} ELSE {after}"
        original = f"ConfirmTraceOriginal == {self.config.init} /\\ [][{self.config.next}]_<<{names}>>"
        return [
            *self.header(FOLLOWING),
            f"VARIABLE {_INDEX}",
            f"ConfirmTraceStates == {self.states(trace.states)}",
            f"ConfirmTraceVars == <<{names}, {_INDEX}>>",
            f"ConfirmTraceInit ==\n  /\\ {_INDEX} = 1",
            *here,
            "ConfirmTraceNext ==",
            *([] if trace.loop_start is not None else [f"  /\\ {_INDEX} < {count}"]),
            f"  /\\ {_INDEX}' = {after}",
            "  /\\ " + self.successor(f"ConfirmTraceStates[{_INDEX}']"),
            "ConfirmTraceSpec ==",
            "  /\\ ConfirmTraceInit",
            "  /\\ [][ConfirmTraceNext]_ConfirmTraceVars",
            # Without fairness the trace could stop anywhere.
            *(["  /\\ WF_ConfirmTraceVars(ConfirmTraceNext)"] if forever else []),
            *([original] if self.config.specification is None else []),
            *more,
            "====",
            "",
        ]


def _model_values(state: State) -> list[str]:
    meta = state_to_itf(state.values).get("#meta")
    names = meta.get("modelValues") if isinstance(meta, dict) else None
    return [str(name) for name in names] if isinstance(names, list) else []
