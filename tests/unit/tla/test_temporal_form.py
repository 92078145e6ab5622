"""Which temporal formulas a finite beginning of a behaviour refutes, by their form."""

from __future__ import annotations

import pytest

from tla2py.tla.parse import load_texts
from tla2py.tla.temporal_form import is_refuted_by_prefix

INNER = """---- MODULE Inner ----
VARIABLE v
Stays == v => []v
Comes == v ~> ~v
====
"""
MODULE = r"""---- MODULE Outer ----
EXTENDS Naturals
VARIABLES x, y
I == INSTANCE Inner WITH v <- x = 1
A == x = 1
B == y = 1
Up == x' = x + 1
Never(F) == ~<>F
Always(F) == []F
Of(op(_), n) == op(n)
%s
====
"""
SAFETY = [
    "[]A",
    "A => []B",
    "[](A => [](B))",
    "~<>A",
    "<>A => []B",
    "<>A => B",
    "[]A \\/ []B",
    "\\A n \\in 1..3 : [](x < n => [](y < n))",
    "\\E n \\in 1..3 : [](x < n)",
    "~(A /\\ <>B)",
    "~~[]A",
    "[][Up]_x",
    "A => [][Up]_x",
    "A",
    "LET P == []A IN B => P",
    "IF A THEN []B ELSE []A",
    "CASE A -> []B [] OTHER -> []A",
    "Never(A)",
    "Never(<>A)",
    "Always(A => Always(B))",
    "I!Stays",
    "(A <=> B) => []B",
    "[](ENABLED Up => []B)",
]
OTHERS = [
    "<>A",
    "~[]A",
    "[]A => []B",
    "[]<>A",
    "<>[]A",
    "A ~> B",
    "~(A ~> B)",
    "[]A <=> []B",
    "[](A => <>B)",
    "[](A => [](B)) /\\ <>B",
    "WF_x(Up)",
    "~WF_x(Up)",
    "<><<Up>>_x",
    "Never([]A)",
    "Always(<>A)",
    "Always(A => <>B)",
    "I!Comes",
    "\\A n \\in 1..3 : <>(x = n)",
    "LET P == <>A IN B => P",
    "IF <>A THEN []B ELSE []A",
    "IF A THEN <>B ELSE []A",
    "\\EE z : []A",
]


@pytest.mark.parametrize(
    ("formula", "answer"), [*((each, True) for each in SAFETY), *((each, False) for each in OTHERS)]
)
def test_the_form_of_a_formula(formula: str, answer: bool) -> None:
    texts = {"Outer.tla": MODULE % f"P == {formula}\nQ == P", "Inner.tla": INNER}
    spec = load_texts("Outer", texts)
    assert is_refuted_by_prefix("P", spec) is answer
    assert is_refuted_by_prefix("Q", spec) is answer


def test_a_name_that_is_not_defined_has_no_form() -> None:
    assert not is_refuted_by_prefix(
        "Nope", load_texts("Outer", {"Outer.tla": MODULE % "", "Inner.tla": INNER})
    )
