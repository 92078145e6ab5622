"""What is inferred from a module: types of constants, candidates for a model, levels."""

from __future__ import annotations

import pytest

from tests.conftest import spec
from tests.unit.tla.conftest import LoadModules, module
from tla2py.tla.constant_types import ConstantType, infer_types
from tla2py.tla.levels import Level

PROTOCOL = spec("modules/Protocol")
SUM = r"""RECURSIVE Sum(_, _)
Sum(f, s) == IF s = {} THEN 0
             ELSE LET e == CHOOSE e \in s : TRUE IN f[e] + Sum([f EXCEPT ![e] = 0], s \ {e})
A == Sum(x, C)"""


def kind_of(load: LoadModules, body: str, declaration: str = "CONSTANT C") -> ConstantType:
    head = f"EXTENDS Integers, Sequences, FiniteSets, TLC\n{declaration}\nVARIABLE x\n"
    return infer_types(load(module("M", head + body)))["C"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("A == x < C", "number"),
        ("A == 1..C", "number"),
        ("A == x' = x + C", "number"),
        ("ASSUME C \\in Nat", "number"),
        ("ASSUME C \\in 1..3", "number"),
        ("A == IF C THEN 1 ELSE 2", "boolean"),
        ("A == C /\\ x = 1", "boolean"),
        ("ASSUME C \\in BOOLEAN", "boolean"),
        ("ASSUME C \\in STRING", "string"),
        ('A == C = "on"', "string"),
        ("A == \\A c \\in C : x # c", "set of model values"),
        ("A == x \\in SUBSET C", "set of model values"),
        ("A == [C -> {0, 1}]", "set of model values"),
        ("A == Cardinality(C) > 1", "set of model values"),
        ("Sym == Permutations(C)", "set of model values"),
        ("A == \\E c \\in C : c > x", "set of numbers"),
        ("ASSUME C \\subseteq Nat", "set of numbers"),
        ("ASSUME C \\in SUBSET Nat", "set of numbers"),
        ("ASSUME \\A c \\in C : c \\in 1..9", "set of numbers"),
        ("ASSUME C \\subseteq STRING", "set of strings"),
        ("A == \\A q, r \\in C : q \\cap r # {}", "set of sets"),
        ("ASSUME C \\subseteq SUBSET {1, 2}", "set of sets"),
        ("A == \\A <<a, b>> \\in C : a # b", "set of tuples"),
        ("A == C[1] = 2", "function"),
        ("ASSUME C \\in [1..2 -> Nat]", "function"),
        ("A == Len(C)", "sequence"),
        ("A == C.port", "record"),
        ("A == x = C", "model value"),
        ("A == x \\in {C, 1}", "model value"),
        ("A == [type |-> C]", "model value"),
        # A missing value is not a number, and a comparison within a union proves nothing.
        ("A == x \\in (1..3) \\cup {C}\nB == IF x = C THEN x' = 1 ELSE x' = x + 1", "model value"),
        ("All == C \\cup {0}\nA == \\A p \\in All : IF p = 0 THEN x = 1 ELSE x = p", "set of model values"),
        # Recursive operators come to an end.
        (SUM, "set of model values"),
        ("RECURSIVE D(_)\nD(s) == IF s = {} THEN 0 ELSE D(UNION s) + D({s})\nA == D(C)", "set of sets"),
        (
            "RECURSIVE U(_)\nU(s) == IF s = {} THEN s ELSE UNION (U(s \\ {x}))\nA == Cardinality(U(C)) > 1",
            "set of model values",
        ),
    ],
)
def test_uses_tell_the_kind(load: LoadModules, body: str, kind: str) -> None:
    found = kind_of(load, body)
    assert (found.kind, found.needs_value) == (kind, kind != "model value")


def test_needs_pass_through_operators_let_and_instances(load: LoadModules) -> None:
    main = """CONSTANTS Limit, Nodes, Flag
Below(a, b) == a < b
Twice(F(_), a) == F(F(a))
Ok == LET bound == Limit IN Below(1, bound)
I == INSTANCE Base WITH Procs <- Nodes, On <- Flag"""
    base = "CONSTANTS Procs, On\nAny == \\E p \\in Procs : On"
    kinds = infer_types(load(module("Main", main), module("Base", base)))
    found = {name: each.kind for name, each in kinds.items()}
    assert found == {"Limit": "number", "Nodes": "set of model values", "Flag": "boolean"}
    assert "passed to Below" in kinds["Limit"].reason
    assert kinds["Flag"].where.endswith("Main.tla:6:47")


def test_what_may_hold_model_values_may_hold_anything(load: LoadModules) -> None:
    assert kind_of(load, "A == [C -> {0, 1}]").demand == "set"
    assert kind_of(load, "Sym == Permutations(C)").demand == "set"
    assert kind_of(load, "A == \\E c \\in C : c > x").demand == "set of numbers"
    assert kind_of(load, "A == x < C").demand == "number"


@pytest.mark.parametrize(
    ("declaration", "kind"),
    [
        ("CONSTANT C \\* a model value: idle", "model value"),
        ("CONSTANT C \\* whether to crash", "boolean"),
        ("CONSTANT C \\* the set of clients", "set of model values"),
        ("CONSTANT C \\* clients, as in {c1, c2}", "set of model values"),
        ("CONSTANT C \\* the maximum number of crashes", "number"),
        ("CONSTANT C \\* something else", "model value"),
        ("CONSTANT C", "model value"),
    ],
)
def test_a_comment_speaks_for_what_nothing_uses(load: LoadModules, declaration: str, kind: str) -> None:
    found = kind_of(load, "A == x", declaration)
    assert (found.kind, found.certain) == (kind, False)


def test_assumptions_go_before_uses_and_uses_before_comments(load: LoadModules) -> None:
    assert kind_of(load, "A == x + C", "CONSTANT C \\* a set of values").kind == "number"
    found = kind_of(load, "A == \\A c \\in C : c = x\nASSUME C \\subseteq Nat")
    assert (found.kind, found.certain) == ("set of numbers", True)
    assert found.where.endswith("M.tla:6:8")
    # Operators are declared with parameters.
    found = kind_of(load, "A == C(1, 2)", "CONSTANT C(_, _)")
    assert (found.kind, found.certain) == ("operator", True)


def test_candidates_by_their_shape(load: LoadModules) -> None:
    found = load(PROTOCOL).candidates
    assert (found.specification, found.init, found.next) == (("Spec", "FairSpec"), ("Init",), ("Next",))
    assert (found.invariants, found.symmetry) == (("TypeOK", "Small"), ("Symmetry", "Both"))
    assert found.properties == ("Terminates", "Leads", "Monotonic")
    assert found.constraints == ("StateConstraint", "SendLimit")
    assert found.action_constraints == ("StepConstraint",)
    assert (found.postconditions, found.alias) == (("PostCondition",), ("Alias",))


def test_which_predicates_are_initial_ones(load: LoadModules) -> None:
    # What a check of induction begins with stays an invariant.
    text = PROTOCOL.replace("Fairness ==", "Inductive == TypeOK /\\ Small /\\ [][Next]_vars\nFairness ==")
    found = load(text).candidates
    assert found.specification == ("Inductive", "Spec", "FairSpec")
    assert (found.init, found.invariants) == (("Init",), ("TypeOK", "Small"))
    # So does a type predicate beside an equality of something else, and one with an equality.
    text = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nTwice == 2 * x\nType == x \\in {0, 1}\n"
    found = load(module("M", "EXTENDS Naturals\n" + text + "Inductive == Type /\\ Twice = x + x")).candidates
    assert (found.init, found.invariants) == (("Init",), ("Type", "Inductive"))
    text = PROTOCOL.replace("TypeOK == x \\in Nat", "TypeOK == (x \\in 1..9 \\/ x = 0)")
    found = load(text).candidates
    assert (found.init, found.invariants) == (("Init",), ("TypeOK", "Small"))
    # Without a specification names and shapes give Init and Next.
    text = "Start == x = 0\nStep == x' = 1\nAgain == x' = 0\nDoNext == Step \\/ Again\nType == x \\in {0, 1}"
    found = load(module("M", "VARIABLE x\n" + text)).candidates
    assert (found.specification, found.init, found.next) == ((), ("Start",), ("DoNext",))
    assert found.invariants == ("Type",)


def test_those_of_extended_modules_count_and_those_of_instances_do_not(load: LoadModules) -> None:
    spec = load(module("Main", "EXTENDS Protocol\nP == INSTANCE Protocol\nMine == y[1] = 0"), PROTOCOL)
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
    found = load(spec("modules/Levels").replace("====", f"A == {body}\n====")).level("A")
    assert (found, found.label) == (level, level.name.lower())


def test_a_variable_of_an_instance_stays_one(load: LoadModules) -> None:
    """As in SANY, a formula on a module's variable has state level, even if a constant is substituted for the variable."""
    spec = load(
        module("Main", "CONSTANT Zero\nI == INSTANCE Store WITH held <- Zero\nIs == I!Same"),
        module("Store", "VARIABLE held\nSame == held\nNothing == 1"),
    )
    levels = [spec.level(name) for name in ("I!Same", "Is", "I!Nothing")]
    assert levels == [Level.STATE, Level.STATE, Level.CONSTANT]


def test_chains_of_lets_take_no_time(load: LoadModules) -> None:
    lets = " IN ".join(f"LET a{n} == <<a{n - 1}, a{n - 1}>>" for n in range(1, 40))
    spec = load(module("M", f"VARIABLE x\nOp(a0, b) == {lets} IN a39\nA == Op(1, x')\nB == Op(x', 1)"))
    assert (spec.level("A"), spec.level("B")) == (Level.CONSTANT, Level.ACTION)
