"""The mutation operators, each with an example and the mistake that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Concerns = Literal["behaviour", "fairness", "checks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A way to change a specification.

    ``before`` and ``after`` are an example, ``reason`` is the mistake that the change stands for. ``concerns`` is the part of
    the model that changes.
    """

    name: str
    before: str
    after: str
    reason: str
    concerns: Concerns = "behaviour"


_ALL = (
    Operator(
        name="drop-guard",
        before="/\\ wait = 0",
        after="/\\ TRUE",
        reason="an action forgets a condition",
    ),
    Operator(
        name="negate-guard",
        before="/\\ wait = 0",
        after="/\\ ~(wait = 0)",
        reason="a condition is the wrong way round",
    ),
    Operator(
        name="drop-update",
        before="/\\ wait' = Term + Grace",
        after="/\\ wait' = wait",
        reason="an action forgets to change a variable; the others change",
    ),
    Operator(
        name="drop-disjunct",
        before="Tick \\/ Grant",
        after="FALSE \\/ Grant",
        reason="an action never happens: does any check need it?",
    ),
    Operator(
        name="swap-comparison",
        before="left[c] > 0",
        after="left[c] >= 0",
        reason="a bound is off by one: < and <=, > and >=",
    ),
    Operator(
        name="swap-arithmetic",
        before="wait - 1",
        after="wait + 1",
        reason="a counter moves the wrong way: + n and - n for a number n",
    ),
    Operator(
        name="swap-set-operator",
        before="acks \\cup {r}",
        after="acks \\cap {r}",
        reason="a set shrinks where it should grow: \\cup and \\cap",
    ),
    Operator(
        name="drop-difference",
        before="isr \\ {r}",
        after="isr",
        reason="an element that should leave a set stays, or is not left out of a choice",
    ),
    Operator(
        name="swap-quantifier",
        before="\\A r \\in isr : Acked(r)",
        after="\\E r \\in isr : Acked(r)",
        reason="one is enough where all are needed: \\A and \\E in conditions",
    ),
    Operator(
        name="weaken-majority",
        before="Cardinality(acks) * 2 > N",
        after="(Cardinality(acks) + 1) * 2 > N",
        reason="a quorum is one vote short",
    ),
    Operator(
        name="drop-element",
        before="{leader, follower}",
        after="{leader}",
        reason="an element of a set is forgotten",
    ),
    Operator(
        name="drop-branch",
        before="IF full THEN Nil ELSE record",
        after="IF FALSE THEN Nil ELSE record",
        reason="a case is forgotten: a branch of IF or CASE",
    ),
    Operator(
        name="change-initial-value",
        before="wait = 0",
        after="wait = 1",
        reason="the system starts in another state",
    ),
    Operator(
        name="weaken-fairness",
        before="SF_vars(Recover)",
        after="WF_vars(Recover)",
        reason="strong fairness is assumed where weak might do",
        concerns="fairness",
    ),
    Operator(
        name="drop-fairness",
        before="WF_vars(Tick)",
        after="TRUE",
        reason="an assumption of fairness may not be needed",
        concerns="fairness",
    ),
    Operator(
        name="drop-check",
        before="/\\ hw <= end",
        after="/\\ TRUE",
        reason="does anything else notice what this conjunct of an invariant catches?",
        concerns="checks",
    ),
    Operator(
        name="given",
        before="wait = 0",
        after="wait < 2",
        reason="a change that --from FILE proposes",
    ),
)
OPERATORS = {each.name: each for each in _ALL}
