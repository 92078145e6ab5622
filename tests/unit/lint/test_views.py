"""The rules about a VIEW: what reads a variable that the view does not list."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.page import lint_text
from tla2py.lint.rules import lint_file
from tla2py.model.finding import Finding

INNER = """---- MODULE Inner ----
EXTENDS Naturals
VARIABLE v
Under == v < 9
Alias == <<v>>
Grow == v < 3 /\\ v' = v + 1
====
"""
MODULE = r"""---- MODULE Look ----
EXTENDS Naturals, Sequences, TLC
VARIABLES x, t
vars == <<x, t>>
Steps == INSTANCE Inner WITH v <- t
Plain == INSTANCE Inner WITH v <- x
Init == x = 0 /\ t = 0
Tick == t' = t + 1
Move == x' = (x + 1) % 3
Next == Move /\ Tick
Both == /\ x' = IF x = 2 THEN 0 ELSE x + 1
        /\ IF t > 5 THEN t' = 0 ELSE UNCHANGED t
Kept == \/ Move /\ UNCHANGED t
        \/ LET n == t + x IN x' = x /\ t' = n
Printed == Next /\ PrintT(x)
Guarded == Next /\ t < 9
Copied == x' = t /\ Tick
Chosen == \E n \in 0..t : x' = n /\ Tick
Cases == CASE x = 1 -> Next [] t = 1 -> Next [] OTHER -> UNCHANGED vars
Passed(n) == n < 9 /\ Move
Calls == Passed(t) /\ Tick
Inside == Steps!Grow /\ UNCHANGED x
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Bounded == Init /\ [][Guarded]_vars
Unnamed == Init /\ [][Next /\ t < 9]_vars
V == x
Tuple == <<x>>
Nested == [a |-> <<x>>, b |-> LET y == x IN y]
All == <<vars>>
More == <<x, t + 1>>
Through == Plain!Alias
Constant == 3
Visible == x < 3
Hidden == t < 5
Deep == Visible /\ Deeper(x)
Deeper(n) == n < t
Bound == \A u \in {1} : LET t1 == x IN t1 < 3
Unused == LET far == t IN x < 3
Instance == Steps!Under
Other == Plain!Under
Step == [][x' >= 0]_x
Late == [][t' < 4]_vars
Able == ENABLED (t' = x)
Unable == ENABLED (x' = t)
Settles == []<>(x = 1)
Limit == x < 2
Small == Limit
Label == [n \in {1} |-> n][1] = 1
====
"""


@pytest.fixture
def look(tmp_path: Path) -> Path:
    (tmp_path / "Inner.tla").write_text(INNER)
    (tmp_path / "Look.tla").write_text(MODULE)
    return tmp_path


def found(folder: Path, config: str, more: str = "") -> set[tuple[str, str | None]]:
    (folder / "Look.cfg").write_text(f"INIT Init NEXT Next CONSTANT {more}\n{config}\n")
    return codes(lint_file(folder / "Look.cfg", folder / "Look.tla"))


def codes(findings: tuple[Finding, ...]) -> set[tuple[str, str | None]]:
    return {(each.code, each.subject) for each in findings if each.code.startswith("view-")}


@pytest.mark.parametrize("view", ["V", "Tuple", "Nested", "Through", "Constant"])
def test_a_check_may_read_what_the_view_lists(look: Path, view: str) -> None:
    hidden = {("view-hides", "Hidden")}
    if view == "Constant":
        hidden.add(("view-hides", "Visible"))
    assert found(look, f"VIEW {view} INVARIANT Visible Hidden") == hidden


def test_a_view_of_all_variables_hides_none(look: Path) -> None:
    assert found(look, "VIEW All INVARIANT Hidden PROPERTY Settles") == set()
    assert found(look, "VIEW vars PROPERTY Late") == set()
    # It determines t too, which is not known.
    assert found(look, "VIEW More INVARIANT Hidden") == {("view-hides", "Hidden")}


@pytest.mark.parametrize(
    ("check", "hides"),
    [
        ("INVARIANT Deep", True),
        ("INVARIANT Bound", False),
        ("INVARIANT Unused", False),
        ("INVARIANT Instance", True),
        ("INVARIANT Other", False),
        ("INVARIANT Able", False),
        ("INVARIANT Unable", True),
        ("INVARIANT Label", False),
        ("PROPERTY Step", False),
        ("PROPERTY Late", True),
        ("CONSTRAINT Hidden", True),
        ("CONSTRAINT Visible", False),
        ("ACTION_CONSTRAINT Guarded", True),
        ("ALIAS Hidden", False),
    ],
)
def test_what_reads_a_hidden_variable(look: Path, check: str, hides: bool) -> None:
    name = check.split()[1]
    assert found(look, f"VIEW V {check}") == ({("view-hides", name)} if hides else set())


def test_what_a_config_puts_in_the_place_of_a_definition_is_read(look: Path) -> None:
    assert found(look, "VIEW V INVARIANT Small") == set()
    assert found(look, "VIEW V INVARIANT Small", "Limit <- Hidden") == {("view-hides", "Small")}
    sweep = 'module = "Look.tla"\n[model]\nspecification = "Spec"\nview = "V"\ninvariants = ["Small", "x + t < 9"]\n'
    assert codes(lint_text(look / "s.toml", sweep)) == {("view-hides", "x + t < 9")}
    sweep = sweep.replace(', "x + t < 9"', "")
    varied = sweep + '[parameters]\nLimit = ["x < 5", "Hidden"]\n'
    assert codes(lint_text(look / "s.toml", varied)) == {("view-hides", "Small")}
    simulated = varied + '[tlc]\nmode = "simulate"\nnum = 3\n'
    assert codes(lint_text(look / "s.toml", simulated)) == set()


@pytest.mark.parametrize(
    ("relation", "hides"),
    [
        ("Next", False),
        ("Both", False),
        ("Kept", False),
        ("Printed", False),
        ("Guarded", True),
        ("Copied", True),
        ("Chosen", True),
        ("Cases", True),
        ("Calls", True),
        ("Inside", True),
    ],
)
def test_hidden_variables_may_not_decide_which_steps_there_are(
    look: Path, relation: str, hides: bool
) -> None:
    """They may have next values of their own, which TLC does not look at."""
    (look / "Look.cfg").write_text(f"INIT Init NEXT {relation} VIEW V INVARIANT Visible\n")
    hidden = codes(lint_file(look / "Look.cfg", look / "Look.tla"))
    assert hidden == ({("view-hides", relation)} if hides else set())


def test_the_relation_of_a_specification_has_its_name(look: Path) -> None:
    for specification, name in (("Spec", None), ("Bounded", "Guarded"), ("Unnamed", "Unnamed")):
        (look / "Look.cfg").write_text(f"SPECIFICATION {specification} VIEW V INVARIANT Visible\n")
        hidden = codes(lint_file(look / "Look.cfg", look / "Look.tla"))
        assert hidden == (set() if name is None else {("view-hides", name)})


def test_liveness_under_a_view(look: Path) -> None:
    assert found(look, "VIEW V PROPERTY Settles Step") == {("view-liveness", "Settles")}
