"""The answer to why a counterexample violates what it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from tla2py.model.display import PrintMixin
from tla2py.model.trace import SUSPECT, TraceKind, label_of
from tla2py.text import cut, spans
from tla2py.tla.instrument import Conjunct
from tla2py.tla.itf import Json, state_to_itf
from tla2py.tla.value import Value, format_value

CauseRole = Literal["conjunct", "action", "fairness", "mapping", "part", "expression"]
_LONGEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A cause that TLC evaluated.

    ``text`` is the expression, ``value`` what it is in the state ``state``, ``states`` those in which it is TRUE, or for an
    action those in which it is enabled. ``says`` is a sentence about it. ``values`` are those of the names in it, ``before``
    and ``after`` those of a variable that a step changes. ``fairness`` is the strongest condition on an action.
    """

    role: CauseRole
    text: str
    says: str
    action: str | None = None
    args: Mapping[str, Value] = field(default_factory=dict)
    value: bool | None = None
    values: Mapping[str, Value] = field(default_factory=dict)
    state: int | None = None
    states: tuple[int, ...] = ()
    module: str | None = None
    line: int | None = None
    column: int | None = None
    fairness: Literal["WF", "SF"] | None = None
    before: Value | None = None
    after: Value | None = None

    @classmethod
    def at(cls, conjunct: Conjunct, role: CauseRole, says: str, **others: Any) -> Cause:
        """The cause that a conjunct is, with its text and place."""
        return cls(
            role=role,
            text=conjunct.text,
            says=says,
            module=conjunct.module,
            line=conjunct.line,
            column=conjunct.column,
            **others,
        )

    @property
    def place(self) -> str:
        """Module, line and column; empty without one."""
        return f"{self.module}:{self.line}:{self.column}" if self.module else ""

    def to_json(self, rank: int) -> dict[str, object]:
        """A row of ``because``; values are in ITF."""
        row = {each.name: getattr(self, each.name) for each in fields(self)}
        steps = {name: _itf({"": row[name]})[""] for name in ("before", "after") if row[name] is not None}
        maps = {"args": _itf(self.args), "values": _itf(self.values)}
        return {"rank": rank, **row, **maps, "states": list(self.states), **steps}


@dataclass(frozen=True, slots=True, kw_only=True)
class ViolationCauses(PrintMixin):
    """Why a counterexample violates what it does, the nearest cause first.

    The kind ``constraint`` is not a violation: constraints cut all initial states. ``causes`` is empty exactly where
    ``reason`` says why there are none; after a ``fault`` of the machine, such as a full disk, the next attempt may find
    some. A ``suspect`` violation may be an error of TLC.
    """

    kind: TraceKind | Literal["constraint"]
    name: str
    causes: tuple[Cause, ...] = ()
    reason: str | None = None
    suspect: bool = False
    fault: bool = False

    def __str__(self) -> str:
        return "\n".join(self.lines())

    @property
    def first(self) -> str:
        """The nearest cause in a line, or why no cause is known."""
        return f"because {self.causes[0].says}" if self.causes else f"no cause found: {self.reason}"

    def lines(self) -> Iterator[str]:
        """What is violated, then a line for each cause, with the values in it below that the causes above do not show."""
        yield f"{label_of(self.kind, self.name)}, because:" if self.causes else self.first
        shown = dict[str, Value]()
        for rank, each in enumerate(self.causes, 1):
            yield f"{rank:>3} {each.says}{f'  {each.place}' if each.place else ''}"
            for name, value in each.values.items():
                if name not in shown or shown[name] != value:
                    yield f"      {name} = {cut(format_value(value), _LONGEST)}"
            shown |= each.values
        if self.suspect:
            yield SUSPECT

    def to_json(self) -> dict[str, object]:
        """What ``trace --why --json`` says of a counterexample, beside its point and number."""
        return {
            "kind": self.kind,
            "name": self.name,
            "suspect": self.suspect,
            "reason": self.reason,
            "because": [each.to_json(rank) for rank, each in enumerate(self.causes, 1)],
        }


def one_each(causes: Iterable[Cause]) -> list[Cause]:
    """Causes with the first of each action before all others."""
    found = list(causes)
    nearest = {cause.action: cause for cause in reversed(found)}
    return sorted(found, key=lambda each: nearest[each.action] is not each)


def call_text(name: str, args: Mapping[str, Value]) -> str:
    """An action with its arguments, ``Deliver(c1)``."""
    return f"{name}({', '.join(map(format_value, args.values()))})" if args else name


def states_text(states: tuple[int, ...]) -> str:
    """``1, 3 to 5``."""
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in spans(states))


def _itf(values: Mapping[str, Value]) -> dict[str, Json]:
    """Values in ITF by name; model values are strings."""
    return {name: value for name, value in state_to_itf(values).items() if name != "#meta"}
