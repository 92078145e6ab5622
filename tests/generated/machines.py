"""Small state machines over two counters, and checks of them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, kw_only=True)
class Check:
    """A property of a machine: ``key`` is where a sweep file lists it, ``reads`` the variables in its text."""

    key: str
    keyword: str
    text: str
    reads: frozenset[str]
    temporal: bool = False


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A counter ``x`` and a counter ``t``, which take their steps together or one at a time."""

    x_values: int
    t_values: int
    x_next: str
    t_next: str
    together: bool

    @property
    def text(self) -> str:
        """The module's text up to its checks."""
        if self.together:
            steps = f"Next == x' = ({self.x_next}) /\\ t' = ({self.t_next})\n"
        else:
            steps = (
                f"MoveX == x' = ({self.x_next}) /\\ UNCHANGED t\n"
                f"MoveT == t' = ({self.t_next}) /\\ UNCHANGED x\n"
                "Next == MoveX \\/ MoveT\n"
            )
        return (
            "---- MODULE M ----\nEXTENDS Naturals\nVARIABLES x, t\nvars == <<x, t>>\n"
            f"Init == x = 0 /\\ t = 0\n{steps}"
            "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\n"
        )


def draw_machine(random: Random) -> Machine:
    """Draw a machine; in about half of them ``t`` decides a step of ``x``."""
    x_values, t_values = random.randint(2, 4), random.randint(2, 3)
    x_plain = (f"(x + 1) % {x_values}", f"IF x < {x_values - 1} THEN x + 1 ELSE x", f"(x + 2) % {x_values}")
    x_steered = (f"IF t = {t_values - 1} THEN (x + 1) % {x_values} ELSE x", f"(x + t) % {x_values}")
    t_steps = (
        f"(t + 1) % {t_values}",
        f"IF t < {t_values - 1} THEN t + 1 ELSE t",
        f"IF x = 1 THEN (t + 1) % {t_values} ELSE t",
    )
    return Machine(
        x_values=x_values,
        t_values=t_values,
        x_next=random.choice(x_steered if random.random() < 0.5 else x_plain),
        t_next=random.choice(t_steps),
        together=random.random() < 0.5,
    )


def draw_check(random: Random, machine: Machine) -> Check:
    """Draw an invariant, a property of steps or a temporal property."""
    x, t = random.randrange(machine.x_values), random.randrange(machine.t_values)
    reads_x, reads_t, reads_both = frozenset("x"), frozenset("t"), frozenset("xt")
    shape = random.choice(("invariant", "steps", "temporal"))
    if shape == "invariant":
        text, reads = random.choice(
            (
                (f"x # {x}", reads_x),
                (f"x < {machine.x_values}", reads_x),
                (f"t < {t + 1}", reads_t),
                (f"x + t < {x + t + 1}", reads_both),
                (f"x = {x} => t # {t}", reads_both),
            )
        )
        return Check(key="invariants", keyword="INVARIANT", text=text, reads=reads)
    if shape == "steps":
        text, reads = random.choice(
            (
                (f"[][x' # {x}]_vars", reads_x),
                ("[][x' >= x]_vars", reads_x),
                (f"[][t' < {t + 1}]_vars", reads_t),
                (f"[][x' = {x} => t = {t}]_vars", reads_both),
            )
        )
        # The subscript reads both variables, whatever the action does.
        return Check(key="properties", keyword="PROPERTY", text=text, reads=reads)
    text, reads = random.choice(
        (
            (f"[]<>(x = {x})", reads_x),
            (f"<>[](x # {x})", reads_x),
            (f"(x = 0) ~> (x = {x})", reads_x),
            (f"[]<>(x = {x} /\\ t = {t})", reads_both),
            (f"<>[](t = {t})", reads_t),
        )
    )
    return Check(key="properties", keyword="PROPERTY", text=text, reads=reads, temporal=True)
