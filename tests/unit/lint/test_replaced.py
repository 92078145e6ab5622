"""The rule on substitutions that reach only some uses of a definition, and operators as names in a config."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla2py.lint.rules import lint_file

BASE = """---- MODULE Base ----
EXTENDS Naturals
CONSTANT K
VARIABLE x
Evens == {0, 2, 4}
Uses == Evens
====
"""
ROOT = """---- MODULE Root ----
EXTENDS Naturals
VARIABLE x
{instances}
Other == {{7}}
OtherOf(k) == {{k}}
Init == x = 0
Next == {uses} /\\ UNCHANGED x
====
"""
HEAD = "INIT Init\nNEXT Next\nCONSTANT "
PLAIN, NAMED = "INSTANCE Base WITH K <- 1", "W == INSTANCE Base WITH K <- 1"
TWO = f"{NAMED}\nV == INSTANCE Base WITH K <- 2"
LOOSE = "W(k) == INSTANCE Base WITH K <- k"
IN_LET = "{} \\in LET I == INSTANCE Base WITH K <- 1 IN {{I!{}}}"


def find(folder: Path, instances: str, uses: str, binding: str) -> list[str | None]:
    """Return the hints of the rule."""
    (folder / "Base.tla").write_text(BASE)
    (folder / "Root.tla").write_text(ROOT.format(instances=instances, uses=uses))
    (folder / "Root.cfg").write_text(HEAD + binding + "\n")
    found = lint_file(folder / "Root.cfg", folder / "Root.tla")
    return [each.hint for each in found if each.code == "substitution-instance"]


@pytest.mark.parametrize(
    ("instances", "uses", "binding", "hint"),
    [
        (PLAIN, "x \\in Uses", "Evens <- Other", "write Evens <- [Base] Other"),
        (PLAIN, "x \\in Uses", "Evens = {7}", "write Evens = [Base] {7}"),
        (NAMED, "x \\in W!Uses", "W!Evens <- Other", "write Evens <- [Base] Other"),
        (TWO, "x \\in V!Uses", "W!Evens <- Other", "write Evens <- [Base] Other"),
        (LOOSE, "x \\in W(1)!Evens", "Evens <- [Base] Other", None),
        ("", IN_LET.format("x", "Evens"), "Evens <- [Base] Other", "write the INSTANCE outside of the LET"),
    ],
)
def test_a_use_that_keeps_its_definition(
    tmp_path: Path, instances: str, uses: str, binding: str, hint: str | None
) -> None:
    found = find(tmp_path, instances, uses, binding)
    assert len(found) == 1
    assert hint in (None, found[0])


@pytest.mark.parametrize(
    ("instances", "uses", "binding"),
    [
        (PLAIN, "x \\in Evens", "Evens <- Other"),
        (PLAIN, "x \\in Uses \\cup Evens", "Evens <- [Base] Other"),
        (NAMED, "x \\in W!Uses \\cup W!Evens", "Evens <- [Base] Other"),
        (LOOSE, "x \\in W(1)!Uses", "Evens <- [Base] Other"),
        ("", IN_LET.format("x", "Uses"), "Evens <- [Base] Other"),
    ],
)
def test_every_use_is_replaced(tmp_path: Path, instances: str, uses: str, binding: str) -> None:
    assert find(tmp_path, instances, uses, binding) == []


OPERATORS = r"""---- MODULE Signs ----
EXTENDS Naturals
CONSTANT _ \prec _, _ (+) _, _ =< _, Plus(_, _)
VARIABLE x
Less(a, b) == a < b
Init == x = 0
Next == x \prec Plus(1, 2) /\ x' = x (+) 1
====
"""


@pytest.mark.parametrize(
    ("binding", "codes"),
    [
        (r"\prec <- Less \oplus <- + Plus <- +", []),
        (r"\prec <- Less (+) <- + Plus <- +", ["syntax"]),
        (r"\prec <- Less \oplus <- + Plus <- + \circ <- Less", ["syntax"]),
    ],
)
def test_operators_as_names(tmp_path: Path, binding: str, codes: list[str]) -> None:
    (tmp_path / "Signs.tla").write_text(OPERATORS.replace(", _ =< _", ""))
    (tmp_path / "Signs.cfg").write_text(HEAD + binding + "\n")
    found = lint_file(tmp_path / "Signs.cfg", tmp_path / "Signs.tla")
    assert [each.code for each in found if each.severity.value == "error"] == codes
