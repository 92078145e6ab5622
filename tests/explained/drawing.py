"""Draw small specifications that are likely to violate something."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

SpecificationKind = Literal["temporal", "step", "invariant", "deadlock"]
KINDS: tuple[SpecificationKind, ...] = ("temporal", "temporal", "temporal", "step", "invariant", "deadlock")


@dataclass(frozen=True, kw_only=True)
class Specification:
    """A root module and the module that it instantiates; the check is ``Check``, or that there is no deadlock."""

    kind: SpecificationKind
    name: str
    root: str
    part: str

    @property
    def part_name(self) -> str:
        """The name of the instantiated module."""
        return f"{self.name}Part"


def draw_specification(random: Random, name: str, kind: SpecificationKind) -> Specification:
    """Draw a specification of two variables, each of which is 0, 1 or 2."""
    return _Drawing(random, name, kind).specification()


_PART = """---- MODULE {name} ----
EXTENDS Integers
CONSTANT K
VARIABLES c, d
Turn == c = K /\\ c' = (c + 1) % 3 /\\ d' = d
Flip(i) == {flip}
Stay == c' = c
Fair == {fair}
Wanted == {wanted}
====
"""


class _Drawing:
    """The parts of one specification, as texts."""

    def __init__(self, random: Random, name: str, kind: SpecificationKind) -> None:
        self._random = random
        self._name = name
        self._kind = kind
        self._lets = 0

    def specification(self) -> Specification:
        """Draw both modules."""
        fair = [self._fairness() for _ in range(self._random.choice((0, 1, 1, 2, 3)))]
        widened = self._pick("Act", f"Act /\\ {self._predicate()}", f"{self._predicate()} /\\ Act")
        actions = [
            f"A == {self._action()}",
            f"B == {self._action()}",
            f"P(i) == {self._action('i')}",
            f"Do(Act) == {widened}",
        ]
        choices = self._random.sample(_CHOICES, self._random.randint(1, 4))
        next_step = " \\/ ".join(choices)
        spec = " /\\ ".join(["Init", "[][Next]_vars", *fair])
        check = self._check()
        root = [
            f"---- MODULE {self._name} ----",
            "EXTENDS Integers",
            "VARIABLES x, y",
            "vars == <<x, y>>",
            "Small == 1",
            f"I == INSTANCE {self._name}Part WITH c <- x, d <- y, K <- {self._number()}",
            f"J == INSTANCE {self._name}Part WITH c <- y, d <- x, K <- Small",
            f"Init == x = {self._number()} /\\ y = {self._number()}",
            *actions,
            f"Next == {next_step}",
            f"Spec == {spec}",
            f"Check == {check}",
            "====",
            "",
        ]
        part = _PART.format(
            name=f"{self._name}Part",
            flip=self._pick(
                "c # i /\\ c' = i /\\ UNCHANGED d",
                "d = i /\\ c' = i /\\ d' = d",
                "\\E k \\in {0, i} : c' = k /\\ d' = k",
            ),
            fair=self._pick(
                "WF_c(Turn)", "SF_<<c, d>>(Flip(1))", "WF_d(Turn)", "WF_<<c, d>>(\\E i \\in {0, 1} : Flip(i))"
            ),
            wanted=self._pick("[](c = K => <>(d = K))", "[]<>(c = 1)", "<>[](c # d)", "WF_<<c, d>>(Flip(2))"),
        )
        return Specification(kind=self._kind, name=self._name, root="\n".join(root), part=part)

    def _pick(self, *texts: str) -> str:
        return self._random.choice(texts)

    def _number(self) -> str:
        return str(self._random.randint(0, 2))

    def _variable(self) -> str:
        return self._pick("x", "y")

    def _predicate(self, name: str = "") -> str:
        """Draw a predicate on a state; ``name`` is that of a number that it may read."""
        variable, number = self._variable(), name or self._number()
        return self._pick(
            f"{variable} = {number}",
            f"{variable} # {number}",
            f"{variable} < {number}",
            "x = y",
            f"(x = {number} => y = {self._number()})",
            f"\\E q \\in {{0, {number}}} : {variable} = q",
            "ENABLED I!Turn",
            f"ENABLED (x' = y /\\ y' = {number} /\\ x < 2)",
        )

    def _effect(self, variable: str, name: str) -> str:
        """Draw what an action does to a variable."""
        number = name or self._number()
        other = "y" if variable == "x" else "x"
        return self._pick(
            f"{variable}' = {number}",
            f"{variable}' = ({variable} + 1) % 3",
            f"{variable}' = {variable}",
            f"UNCHANGED {variable}",
            f"{variable}' = {other}",
            f"{variable}' \\in {{{number}, {variable}}}",
            f"(\\E k \\in {{0, 1}} : {variable}' = ({variable} + k) % 3)",
            f"(IF {self._predicate()} THEN {variable}' = {number} ELSE {variable}' = {variable})",
        )

    def _action(self, name: str = "") -> str:
        """Draw an action that gives both variables a next value."""
        effects = [self._effect("x", name), self._effect("y", name)]
        guards = [f"({self._predicate(name)})" for _ in range(self._random.choice((0, 1, 1, 2)))]
        body = " /\\ ".join([*guards, *effects])
        return self._pick(body, body, body, self._with_let(body))

    def _with_let(self, body: str) -> str:
        self._lets += 1
        name = f"lim{self._lets}"
        return f"LET {name} == (x + {self._number()}) % 3 IN {self._variable()} # {name} /\\ {body}"

    def _fairness(self) -> str:
        subscript = self._pick("vars", "vars", "x", "y", "<<x, y>>")
        kind = self._pick("WF", "SF")
        action = self._pick(
            "A",
            "B",
            "P(1)",
            "A \\/ B",
            "Next",
            "x = 0 /\\ A",
            "Do(A)",
            "I!Turn",
            "J!Flip(0)",
            "\\E i \\in {0, 1} : P(i)",
        )
        return self._pick(
            f"{kind}_{subscript}({action})",
            f"{kind}_{subscript}({action})",
            f"(\\A i \\in {{0, 2}} : {kind}_{subscript}(P(i)))",
            "I!Fair",
            "J!Fair",
        )

    def _formula(self, depth: int) -> str:
        """Draw a temporal formula with temporal operators to this depth."""
        if depth == 0:
            return f"({self._predicate()})"
        below = self._formula(depth - 1)
        beside = self._formula(self._random.randint(0, depth - 1))
        subscript = self._pick("vars", "x", "y")
        step = self._pick(
            "A", "B", "P(0)", "x' # 2", "\\A k \\in {0, 1} : x' # k", "I!Turn", "y' = y", "I!Turn \\/ J!Turn"
        )
        name = f"lim{self._lets}"
        self._lets += 1
        return self._pick(
            f"[]{below}",
            f"<>{below}",
            f"[]<>{below}",
            f"({below} ~> {beside})",
            f"({below} /\\ {beside})",
            f"({below} \\/ {beside})",
            f"({below} => {beside})",
            f"(~{below})",
            f"(\\A n \\in {{0, 1}} : {self._bound_formula('n')})",
            f"(\\E n \\in {{0, 1}} : {self._bound_formula('n')})",
            f"(IF Small = {self._number()} THEN {below} ELSE {beside})",
            f"(CASE Small = 0 -> {beside} [] Small = {self._number()} -> {below} [] OTHER -> {beside})",
            f"(LET {name} == x + Small IN []({name} < 3))",
            f"(LET {name} == {below} IN {name})",
            f"[][{step}]_{subscript}",
            f"[]<><<{step}>>_{subscript}",
            f"{self._fairness()}",
            "I!Wanted",
            "J!Wanted",
        )

    def _bound_formula(self, name: str) -> str:
        predicate, other = self._predicate(name), self._predicate()
        return self._pick(
            f"[]<>({predicate})",
            f"<>[]({predicate})",
            f"(({predicate}) ~> ({other}))",
            f"[]({other} => <>({predicate}))",
        )

    def _check(self) -> str:
        if self._kind == "temporal":
            return self._formula(self._random.randint(1, 3))
        if self._kind == "step":
            return f"[][{self._pick(*_CHOICES)} \\/ {self._pick(*_CHOICES)}]_vars"
        return self._invariant()

    def _invariant(self) -> str:
        first, second = f"({self._predicate()})", f"({self._predicate()})"
        return self._pick(
            f"{first} /\\ {second}",
            first,
            f"\\A n \\in {{0, 1}} : {self._predicate('n')}",
            f"({first} => {second}) /\\ {self._variable()} < 2",
            f"IF {first} THEN {second} ELSE x # y",
        )


_CHOICES = (
    "A",
    "B",
    "P(1)",
    "(\\E i \\in {0, 1} : P(i))",
    "(\\E i \\in {1, x} : P(i))",
    "Do(A)",
    "Do(P(2))",
    "I!Turn",
    "J!Turn",
    "I!Flip(1)",
    "(I!Stay /\\ y' = (y + 1) % 3)",
    "(x = 1 /\\ B)",
)
