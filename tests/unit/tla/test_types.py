"""The types of constants are inferred from their uses, assumptions and comments."""

from __future__ import annotations

import pytest

from tests.unit.tla.conftest import LoadModules, module
from tla2py.tla.constant_types import ConstantType, infer_types


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
    ],
)
def test_uses_tell_the_kind(load: LoadModules, body: str, kind: str) -> None:
    found = kind_of(load, body)
    assert found.kind == kind
    assert found.needs_value is (kind != "model value")


def test_needs_pass_through_operators_let_and_instances(load: LoadModules) -> None:
    spec = load(
        module(
            "Main",
            """CONSTANTS Limit, Nodes, Flag
Below(a, b) == a < b
Twice(F(_), a) == F(F(a))
Ok == LET bound == Limit IN Below(1, bound)
I == INSTANCE Base WITH Procs <- Nodes, On <- Flag""",
        ),
        module("Base", "CONSTANTS Procs, On\nAny == \\E p \\in Procs : On"),
    )
    kinds = infer_types(spec)
    assert {name: each.kind for name, each in kinds.items()} == {
        "Limit": "number",
        "Nodes": "set of model values",
        "Flag": "boolean",
    }
    assert "passed to Below" in kinds["Limit"].reason
    assert kinds["Flag"].where.endswith("Main.tla:6:47")


def test_what_may_hold_model_values_may_hold_anything(load: LoadModules) -> None:
    assert kind_of(load, "A == [C -> {0, 1}]").demand == "set"
    assert kind_of(load, "Sym == Permutations(C)").demand == "set"
    assert kind_of(load, "A == \\E c \\in C : c > x").demand == "set of numbers"
    assert kind_of(load, "A == x < C").demand == "number"


def test_a_recursive_operator_comes_to_an_end(load: LoadModules) -> None:
    body = """RECURSIVE Sum(_, _)
Sum(f, s) == IF s = {} THEN 0
             ELSE LET e == CHOOSE e \\in s : TRUE IN f[e] + Sum([f EXCEPT ![e] = 0], s \\ {e})
A == Sum(x, C)"""
    assert kind_of(load, body).kind == "set of model values"


def test_a_function_of_functions_comes_to_an_end(load: LoadModules) -> None:
    body = """RECURSIVE Deep(_)
Deep(s) == IF s = {} THEN 0 ELSE Deep(UNION s) + Deep({s})
A == Deep(C)"""
    assert kind_of(load, body).kind.startswith("set of")


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
    assert found.kind == kind
    assert not found.certain


def test_uses_go_before_comments(load: LoadModules) -> None:
    assert kind_of(load, "A == x + C", "CONSTANT C \\* a set of values").kind == "number"


def test_assumptions_go_before_uses(load: LoadModules) -> None:
    found = kind_of(load, "A == \\A c \\in C : c = x\nASSUME C \\subseteq Nat")
    assert (found.kind, found.certain) == ("set of numbers", True)
    assert found.where.endswith("M.tla:6:8")


def test_an_absent_value_among_numbers_is_no_number(load: LoadModules) -> None:
    body = "Init == x \\in (1..3) \\cup {C}\nNext == IF x = C THEN x' = 1 ELSE x' = x + 1"
    assert kind_of(load, body).kind == "model value"


def test_what_is_compared_in_a_union_is_not_certain(load: LoadModules) -> None:
    body = "All == C \\cup {0}\nA == \\A p \\in All : IF p = 0 THEN x = 1 ELSE x = p"
    assert kind_of(load, body).kind == "set of model values"


def test_operators_are_declared_with_parameters(load: LoadModules) -> None:
    found = kind_of(load, "A == C(1, 2)", "CONSTANT C(_, _)")
    assert (found.kind, found.certain) == ("operator", True)
