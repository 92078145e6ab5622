"""Candidates: the definitions that a model could name as its specification, invariants and so on."""

from __future__ import annotations

import pytest

from tests.unit.tla.conftest import LoadModules, module
from tla2py.tla.levels import Level

PROTOCOL = module(
    "Protocol",
    """EXTENDS Naturals, TLC
CONSTANTS Nodes, Max
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = [n \\in Nodes |-> 0]
Up(n) == x < Max /\\ x' = x + 1 /\\ y' = [y EXCEPT ![n] = x]
Next == \\E n \\in Nodes : Up(n)
Fairness == WF_vars(Next)
Spec == Init /\\ [][Next]_vars
FairSpec == Spec /\\ Fairness
TypeOK == x \\in Nat /\\ y \\in [Nodes -> Nat]
Small == x <= Max
At(n) == y[n] = 0
Total == x + 1
StateConstraint == x < 5
SendLimit == x < 4
StepConstraint == x' > x
Terminates == <>(x = Max)
Leads == (x = 0) ~> (x = 1)
Monotonic == [][x' >= x]_vars
PostCondition == x > 2
Alias == [x |-> x]
Symmetry == Permutations(Nodes)
Both == Symmetry \\cup Permutations({1})""",
)


def test_candidates_by_their_shape(load: LoadModules) -> None:
    spec = load(PROTOCOL)
    assert spec.candidates.specification == ("Spec", "FairSpec")
    assert spec.candidates.init == ("Init",)
    assert spec.candidates.next == ("Next",)
    assert spec.candidates.invariants == ("TypeOK", "Small")
    assert spec.candidates.properties == ("Terminates", "Leads", "Monotonic")
    assert spec.candidates.constraints == ("StateConstraint", "SendLimit")
    assert spec.candidates.action_constraints == ("StepConstraint",)
    assert spec.candidates.symmetry == ("Symmetry", "Both")
    assert (spec.candidates.postconditions, spec.candidates.alias) == (("PostCondition",), ("Alias",))


def test_what_a_check_of_induction_begins_with_stays_an_invariant(load: LoadModules) -> None:
    text = PROTOCOL.replace("Fairness ==", "Inductive == TypeOK /\\ Small /\\ [][Next]_vars\nFairness ==")
    spec = load(text)
    assert spec.candidates.specification == ("Inductive", "Spec", "FairSpec")
    assert spec.candidates.init == ("Init",)
    assert spec.candidates.invariants == ("TypeOK", "Small")


def test_a_type_predicate_beside_an_equality_of_something_else_is_no_initial_one(load: LoadModules) -> None:
    text = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nTwice == 2 * x\nType == x \\in {0, 1}\n"
    spec = load(module("M", "EXTENDS Naturals\n" + text + "Inductive == Type /\\ Twice = x + x"))
    assert spec.candidates.init == ("Init",)
    assert spec.candidates.invariants == ("Type", "Inductive")


def test_a_type_predicate_with_an_equality_is_no_initial_one(load: LoadModules) -> None:
    spec = load(PROTOCOL.replace("TypeOK == x \\in Nat", "TypeOK == (x \\in 1..9 \\/ x = 0)"))
    assert spec.candidates.init == ("Init",)
    assert spec.candidates.invariants == ("TypeOK", "Small")


def test_without_a_specification_names_and_shapes_give_init_and_next(load: LoadModules) -> None:
    spec = load(
        module(
            "M",
            """VARIABLE x
Start == x = 0
Step == x' = 1
Again == x' = 0
DoNext == Step \\/ Again
Type == x \\in {0, 1}""",
        )
    )
    assert spec.candidates.specification == ()
    assert spec.candidates.init == ("Start",)
    assert spec.candidates.next == ("DoNext",)
    assert spec.candidates.invariants == ("Type",)


def test_those_of_extended_modules_count_and_those_of_instances_do_not(load: LoadModules) -> None:
    spec = load(
        module("Main", "EXTENDS Protocol\nP == INSTANCE Protocol\nMine == y[1] = 0"),
        PROTOCOL,
    )
    assert spec.candidates.invariants == ("TypeOK", "Small", "Mine")
    assert not any("!" in name for name in spec.candidates.specification + spec.candidates.properties)


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("1 + C", Level.CONSTANT),
        ("x + 1", Level.STATE),
        ("ENABLED (x' = 1)", Level.STATE),
        ("x' = 1", Level.ACTION),
        ("UNCHANGED x", Level.ACTION),
        ("[x' = 1]_x", Level.ACTION),
        ("Op(x')", Level.ACTION),
        ("LET unused == x' IN C", Level.CONSTANT),
        ("\\A i \\in {1} : x = i", Level.STATE),
        ("[][x' = 1]_x", Level.TEMPORAL),
        ("WF_x(x' = 1)", Level.TEMPORAL),
        ("<>(x = 1)", Level.TEMPORAL),
        ("(x = 0) ~> (x = 1)", Level.TEMPORAL),
        ("Rec(1)", Level.STATE),
        ("f[1]", Level.STATE),
        ("Early(1)", Level.CONSTANT),
        ("{y \\in {1} : LET z == y IN z = y}", Level.CONSTANT),
        # As in SANY, the level of an argument that is not used does not count.
        ("Ignore(x', C)", Level.CONSTANT),
        ("Ignore(C, x')", Level.ACTION),
        ("Inside(x')", Level.ACTION),
        ("Shadow(x')", Level.CONSTANT),
        ("Twice(x', C)", Level.CONSTANT),
        ("PrintT(x)", Level.CONSTANT),
        ("Assert(x, y')", Level.STATE),
    ],
)
def test_levels(load: LoadModules, body: str, level: Level) -> None:
    spec = load(
        module(
            "M",
            f"""CONSTANT C
Early(x) == {{y \\in x : LET both == x = y IN both}}
VARIABLES x, y
Op(a) == a
Ignore(a, b) == b
Inside(a) == LET g == a IN \\A i \\in {{1}} : g = i
Shadow(a) == LET g[i \\in {{1}}] == IF i = 0 THEN g[i] ELSE i IN g[1]
Twice(a, b) == LET c == b IN LET d == <<c, c>> IN LET e == <<d, d>> IN e
RECURSIVE Rec(_)
Rec(n) == IF n = 0 THEN x ELSE Rec(n - 1)
f[i \\in {{1}}] == x
A == {body}""",
        )
    )
    assert spec.level("A") == level
    assert level.label == level.name.lower()


def test_a_variable_of_an_instance_stays_one(load: LoadModules) -> None:
    """As in SANY, a formula on a module's variable has state level, even if a constant is substituted for the variable."""
    spec = load(
        module("Main", "CONSTANT Zero\nI == INSTANCE Store WITH held <- Zero\nIs == I!Same"),
        module("Store", "VARIABLE held\nSame == held\nNothing == 1"),
    )
    assert [spec.level(name) for name in ("I!Same", "Is", "I!Nothing")] == [
        Level.STATE,
        Level.STATE,
        Level.CONSTANT,
    ]


def test_chains_of_lets_take_no_time(load: LoadModules) -> None:
    lets = " IN ".join(f"LET a{n} == <<a{n - 1}, a{n - 1}>>" for n in range(1, 40))
    spec = load(module("M", f"VARIABLE x\nOp(a0, b) == {lets} IN a39\nA == Op(1, x')\nB == Op(x', 1)"))
    assert (spec.level("A"), spec.level("B")) == (Level.CONSTANT, Level.ACTION)
