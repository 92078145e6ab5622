"""The rules of the linter, with the examples of its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import spec
from tests.unit.lint.page import EXAMPLES, MODULE, RULES_TEXT, Example, lint_text
from tla2py.errors import Place
from tla2py.lint.faults import faults_met
from tla2py.lint.rules import lint_file, lint_values, module_of, shown_findings
from tla2py.lint.subject import RULES, read_dialect
from tla2py.model.finding import Finding, Severity
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.rules import lint_sweep
from tla2py.tla.parse import load_modules
from tla2py.tlc.config.read import read_config
from tla2py.tlc.tools.jar import bundled_jar, read_jar

RACE, VOTE = spec("lint/Race"), spec("lint/Vote")
BEGIN = "SPECIFICATION Spec\nCONSTANTS N = 3 S = {a, b} Op <- Same\n"
MORE = r"""
Young == TLCGet("level") < 7
Kept == [](x < 5) /\ [][x' # x]_x
None == CHOOSE v : v \notin S
===="""


@pytest.fixture
def box(tmp_path: Path) -> Path:
    (tmp_path / "Box.tla").write_text(MODULE.replace("\n====", MORE))
    return tmp_path


def findings_of(box: Path, text: str) -> tuple[Finding, ...]:
    (box / "Box.cfg").write_text(text)
    return tuple(shown_findings(lint_file(box / "Box.cfg", box / "Box.tla")))


def lint(box: Path, text: str, begin: str = BEGIN) -> list[tuple[str, int, int]]:
    return [located(each) for each in findings_of(box, begin + text)]


def located(finding: Finding) -> tuple[str, int, int]:
    return finding.code, finding.place.line or 0, finding.place.column or 0


THREE_WRONG = [("value", 3, 19), ("model-value", 3, 30), ("unknown-definition", 3, 45)]
NOT_WITH_LIVENESS = [("symmetry-liveness", 3, 10), ("constraint-liveness", 3, 26)]
COMMENTED = ("commented-keyword", 5, 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # After an unreadable value, the other statements are still linted.
        ("CONSTANTS Limit = -1 Bound = Same INVARIANT Nope", THREE_WRONG),
        ("INVARIANT Young", []),
        ("SYMMETRY Swap PROPERTY Kept", []),
        ("SYMMETRY Swap CONSTRAINT Bound PROPERTY Kept Ends", NOT_WITH_LIVENESS),
        ("INVARIANT\n\\* Small\nPROPERTY Steps", []),
        ("INVARIANT Small\n\\* PROPERTY Ends\nBound", []),
        ("INVARIANT Small\n\\* PROPERTY\n\\* Ends\nBound", []),
        ("INVARIANT Small\n(* PROPERTIES: *)\nEnds", [("invariant-level", 5, 1), COMMENTED]),
        ("CONSTANT None = None INVARIANT Small", []),
        ("CONSTANT x = 4", [("unknown-constant", 3, 10)]),
        ("CONSTANT Nope <- Bound", [("unknown-constant", 3, 10)]),
        ("CONSTANTS Bound <- FALSE Steps <- TRUE Small <- BOOLEAN Ends <- STRING", []),
        ("CONSTANT Bound <- Naturals", [("unknown-definition", 3, 19)]),
        ("CONSTANT Nat <- [Naturals] Limit", []),
        ("CONSTANT Nat <- [Naturels] Limit", [("unknown-module", 3, 18)]),
        ("ALIAS Nope", [("unknown-definition", 3, 7)]),
        ("CONSTRAINT TypeInv INVARIANT TypeInv", []),
        ("ACTION_CONSTRAINT Ends", [("constraint-level", 3, 19)]),
        ("CONSTANT N = 3", []),
    ],
)
def test_neighbours(box: Path, text: str, found: list[tuple[str, int, int]]) -> None:
    assert lint(box, text) == found


def test_messages_and_hints(box: Path) -> None:
    (finding,) = findings_of(box, BEGIN + "PROPERTY Steps `\nINVARIANT Small\nCONSTRAINT Bound\n")
    assert finding.message.endswith("ignores everything after it; it never sees INVARIANT, CONSTRAINT")
    # A value for what stays a model value.
    found = findings_of(box, BEGIN.replace("{a, b}", "{s1, b}") + "CONSTANT s1 = 1\n")
    hints = [each.hint for each in found if each.code == "unknown-constant"]
    assert hints == ["it is a model value in S: remove this line, or write 1 there"]
    # Any set does where nothing is wanted of its elements.
    (box / "Box.tla").write_text(MODULE.replace("\n====", "\nAll == [S -> {0}]\n===="))
    (finding,) = findings_of(box, "CONSTANTS N = 3 S = 7 Op <- Same SPECIFICATION Spec INVARIANT Picked\n")
    assert finding.message.startswith("S is a number but must be a set: ")


def test_the_module_of_a_config(tmp_path: Path) -> None:
    for name in ("Raft.tla", "RaftSmall.tla", "MCVote.tla", "MC_Pax.tla", "Vote.txt"):
        (tmp_path / name).write_text("")
    pairs = "Raft Raft, RaftTiny Raft, RaftSmall RaftSmall, RaftSmaller RaftSmall, Vote MCVote, Pax MC_Pax"
    for config, module in (pair.split() for pair in pairs.split(", ")):
        assert module_of(tmp_path / f"{config}.cfg") == tmp_path / f"{module}.tla"
    assert module_of(tmp_path / "Other.cfg") is None


def lint_with(config: Path, sweep: str) -> list[tuple[str, str, int, int]]:
    """The findings in a sweep file beside a config and in the config."""
    head = f'module = "{config.stem}.tla"\nconfig = "{config.name}"\n'
    found = lint_text(config.with_name("s.toml"), head + sweep)
    return [(Path(each.place.file).name, *located(each)) for each in found]


def lint_both(box: Path, config: str, sweep: str) -> list[tuple[str, str, int, int]]:
    (box / "Box.cfg").write_text(BEGIN + config)
    return lint_with(box / "Box.cfg", sweep)


def test_a_sweep_is_judged_by_what_it_makes_of_its_config(box: Path) -> None:
    live = "SYMMETRY Swap\nPROPERTY Ends\n"
    symmetry = ("Box.cfg", "symmetry-liveness", 3, 10)
    assert lint_both(box, live, "") == [symmetry]
    assert lint_both(box, live, "[model]\nproperties = []\n") == []
    fifty = lint_both(box, live, "[parameters]\nN = { from = 1, to = 50 }\n")
    assert fifty == [("s.toml", "unread-parameter", 4, 1), symmetry]
    varied = '[parameters]\ninvariants = ["Small", "Step"]\n'
    assert lint_both(box, "", varied) == [("s.toml", "invariant-level", 4, 25)]
    named = '[model]\ninvariants = ["Small", "Below"]\n'
    assert lint_both(box, "", named) == [("s.toml", "definition-arity", 4, 25)]
    # Constants of a sweep need not be in its config.
    (box / "Box.cfg").write_text("CONSTANT S = {a}\n")
    text = 'module = "Box.tla"\nconfig = "Box.cfg"\n[constants]\nN = 1\nOp = "Same"\n'
    assert lint_text(box / "s.toml", text) == ()


@pytest.mark.parametrize(
    ("constants", "more", "found"),
    [
        ("N = 3 S = {a, b}", "", []),
        ("N = {3} S = {a, b}", "", [13]),
        ("N = a S = {a, b}", "", [13]),
        ("N = N S = {a, b}", "", [13]),
        ("N = TRUE S = {a, b}", "", [13]),
        ("N <- Limit S = {a, b}", "", []),
        ("N = 3 S = 4", "", [19]),
        # Only a symmetry requires a set of model values.
        ("N = 3 S = {4, 5}", "", []),
        ('N = 3 S = {4, "a"}', "", []),
        ("N = 3 S = {a, b}", "Big == \\A s \\in S : s > 1", [19]),
        ("N = 3 S = {1, None}", "Big == \\A s \\in S : s = None \\/ s > 1", []),
        # The module itself distinguishes these values.
        ('N = "none" S = {a, b}', 'Free == N = "none" \\/ x < N', []),
        ("N = a S = {a, b}", "Far == IF N = Inf THEN 9 ELSE N\nInf == CHOOSE i : i \\notin Nat", []),
        ("N = a S = {a, b}", "Far == IF N \\in Nat THEN N ELSE 9", []),
        ("N = a S = {a, b}", "ASSUME N \\in Nat", [13]),
    ],
)
def test_a_value_is_of_the_needed_kind(box: Path, constants: str, more: str, found: list[int]) -> None:
    (box / "Box.tla").write_text(MODULE.replace("\n====", f"\n{more}\n===="))
    checked = "".join(f" {each}" for each in re.findall(r"^(\w+) ==", more, re.MULTILINE)[:1])
    begin = f"CONSTANTS {constants} Op <- Same SPECIFICATION Spec INVARIANT Enough Picked{checked}\n"
    kinds = [each for each in lint(box, "", begin) if each[0] == "constant-kind"]
    assert kinds == [("constant-kind", 1, column + 2) for column in found]
    # What no check reaches may need another kind, unlike what is assumed.
    begin = f"CONSTANTS {constants} Op <- Same SPECIFICATION Spec INVARIANT Small\n"
    assert lint(box, "", begin) == [("constant-kind", 1, column + 2) for column in found if "ASSUME" in more]


def test_values_of_a_sweep_are_of_the_kind_that_the_module_needs(box: Path) -> None:
    text = 'module = "Box.tla"\n[model]\nsymmetry = ["S"]\ninvariants = ["Enough"]\n[constants]\nOp = "Same"\nS = "{1, 2}"\n'
    found = lint_text(box / "s.toml", text + "[parameters]\nN = [1, 'Limit', '\"a\"', '{2}']\n")
    kinds = [("constant-kind", *place) for place in ((7, 6), (9, 19), (9, 26))]
    assert [located(each) for each in found] == kinds
    assert found[1].message == "N is a string but must be a number: it is an operand of <"
    assert found[1].hint == f"{box}/Box.tla:12:15 needs it"
    assert found[0].message == "S is a set of numbers, but symmetry permutes only sets of model values"


@pytest.mark.parametrize(
    ("leader", "procs", "meant"),
    [
        ("P1", ["{p1, p2}"], "p1"),
        ("<<p1, P2>>", ["{p1, p2}"], "p2"),
        ("{{p1, P2}, {p1, p2}}", ["{p1, p2}"], "p2"),
        ("[p \\in Porc |-> 1]", ["{p1, p2}"], "Proc"),
        ("[p \\in Procs |-> 1]", ["{p1, p2}"], "Proc"),
        ("Nobdy", ["{p1, p2}"], "Nobody"),
        ("sleeve", ["{slave, sleve}"], "sleve"),
        # Correct names.
        ("p3", ["{p1, p2}"], None),
        ("a", ["{A, b}"], None),
        ("nil", ["{nul, pil}"], None),
        ("leader", ["{p1, p2}"], None),
        ("{P1}", ["{p1, p2}"], None),
        ("P1", ["{p1, p2}", "{P1, P2}"], None),
        ("<<p1, P1>>", ["SUBSET {p1, P1}"], None),
        # A value cannot be a predicate on states or an action.
        ("init", ["{p1, p2}"], None),
        ("step", ["{p1, p2}"], None),
    ],
)
def test_a_name_may_be_misspelt(tmp_path: Path, leader: str, procs: list[str], meant: str | None) -> None:
    (tmp_path / "Vote.tla").write_text(VOTE)
    text = f"module = \"Vote.tla\"\n[constants]\nLeader = '{leader}'\n[parameters]\nProc = {procs}\n"
    found = [each for each in lint_text(tmp_path / "s.toml", text) if each.code == "misspelt-name"]
    said = [("misspelt-name", 3, 11, f"did you mean {meant}?")] if meant else []
    assert [(*located(each), each.hint) for each in found] == said


def test_a_config_says_what_is_declared_for_a_sweep_and_for_options(tmp_path: Path) -> None:
    (tmp_path / "Vote.tla").write_text(VOTE)
    config = tmp_path / "Vote.cfg"
    config.write_text("SPECIFICATION Spec\nCONSTANTS Proc = {p1, p2} Leader = P1\n")
    varied = '[parameters]\nProc = ["{p1}", "{p2}"]\n'
    assert lint_with(config, varied) == [("Vote.cfg", "misspelt-name", 2, 36)]
    assert lint_with(config, '[parameters]\nLeader = ["p1", "P2"]\n') == [("s.toml", "misspelt-name", 4, 18)]
    assert lint_with(config, '[parameters]\nLeader = ["p1"]\n') == []
    assert [located(each) for each in lint_file(config, tmp_path / "Vote.tla")] == [("misspelt-name", 2, 36)]
    spec = load_modules(tmp_path / "Vote.tla")
    given = [("Leader", "<<P2>>", lambda: Place(file="-c Leader=..."))]
    (finding,) = lint_values(spec, given, [read_config(config)], [])
    assert (finding.code, finding.place.file) == ("misspelt-name", "-c Leader=...")
    assert tuple(lint_values(spec, given, [], [])) == ()


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ('Mode = "fast" Flag = TRUE Size = 3 Nil = Nil Servers = {s1, s2}', []),
        ('Mode = "fast" Flag = TRUE Size = 3 Nil = NIL Servers = {s1, s2}', []),
        ('Mode = "fast" Flag = TRUE Size = 3 Nil = s1 Servers = {s1, s2}', []),
        ('Mode = "fast" Flag = True Size = 1e3 Nil = Nil Servers = {s1, 0x1F}', ["Flag", "Size", "Servers"]),
        ('Mode = "fast" Flag = TRUE Size = Size Nil = Nil Servers = {s1, s2}', ["Size"]),
        ("Mode = fast Flag = Flag Size = ten Nil = Nil Servers = {s1, s2}", ["Mode", "Flag", "Size"]),
        ('Mode = "fast" Flag = TRUE Size = 1e6 Nil = nothing Servers = {true}', ["Size", "Nil", "Servers"]),
    ],
)
def test_a_model_value_that_is_hardly_meant(tmp_path: Path, values: str, found: list[str]) -> None:
    (tmp_path / "Race.tla").write_text(RACE)
    (tmp_path / "Race.cfg").write_text(f"SPECIFICATION Spec\nINVARIANT Big\nCONSTANTS {values}\n")
    findings = lint_file(tmp_path / "Race.cfg", tmp_path / "Race.tla")
    assert [each.subject for each in findings if each.code == "mistaken-model-value"] == found


def test_a_model_value_of_a_sweep_that_is_hardly_meant(tmp_path: Path) -> None:
    (tmp_path / "Race.tla").write_text(RACE)
    constants = '[constants]\nSize = 3\nFlag = true\nServers = "{s1}"\n'
    parameters = '[parameters]\nMode = ["fast", "slow"]\n'
    (tmp_path / "race.toml").write_text(f'module = "Race.tla"\n{constants}{parameters}')
    sweep = load_sweep(tmp_path / "race.toml")
    plan = plan_sweep(sweep, "")
    found = [each for each in lint_sweep(sweep, plan) if each.code == "mistaken-model-value"]
    assert [located(each)[1:] for each in found] == [(7, 10), (7, 18)]
    assert plan.filled == ("Nil",)


def test_the_page_has_every_rule() -> None:
    assert re.findall(r"^#### `(.*)`", RULES_TEXT, re.MULTILINE) == [each.code for each in EXAMPLES]
    severities = {code: severity.value for code, severity in RULES.items()}
    assert {each.code: each.severity for each in EXAMPLES} == severities


def findings(folder: Path, example: Example, text: str) -> tuple[Finding, ...]:
    (folder / "Box.tla").write_text(MODULE)
    path = folder / f"Box{example.suffix}"
    if example.suffix == ".toml":
        return lint_text(path, text)
    path.write_text(text)
    found = lint_file(path, folder / "Box.tla", (), read_dialect(read_jar(bundled_jar(), "")))
    return tuple(shown_findings(found))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.code)
def test_what_is_wrong_is_found_and_what_is_right_is_not(tmp_path: Path, example: Example) -> None:
    found = findings(tmp_path, example, example.wrong)
    # The example for nothing-checked also has CHECK_DEADLOCK.
    assert {each.code for each in found} - {"check-deadlock"} == {example.code} - {"check-deadlock"}
    assert example.code in {each.code for each in found}
    assert all(each.severity is RULES[each.code] for each in found)
    right = findings(tmp_path, example, example.right)
    assert [each for each in right if each.severity is not Severity.NOTE] == []


def test_a_constant_that_an_operator_tests_its_parameter_for_may_have_another_type(tmp_path: Path) -> None:
    text = (
        "Less(i, j) == IF i = Top THEN FALSE ELSE j = Top \\/ i < j\nLower(i) == i < 9\nASSUME Less(1, Top)\n"
    )
    for more, found in (("", []), ("ASSUME Lower(Top)\n", [("constant-kind", 3, 16)])):
        (tmp_path / "Cap.tla").write_text(
            "---- MODULE Cap ----\nEXTENDS Naturals\nCONSTANT Top\nVARIABLE x\n"
            f"{text}{more}Init == x = 0\nNext == x' = x\n====\n"
        )
        (tmp_path / "Cap.cfg").write_text("INIT Init\nNEXT Next\nCONSTANT Top = Top\n")
        assert [located(each) for each in lint_file(tmp_path / "Cap.cfg", tmp_path / "Cap.tla")] == found


@pytest.mark.parametrize(
    ("step", "met"),
    [
        ("LET z == x' IN Set(z)", True),
        ("Through(x')", True),
        ("Through(x + 1) /\\ x' = 1", False),
        ("LET z == Len(y) again == z IN again > 0 /\\ Set(x') /\\ Through(again)", False),
        ("\\E i \\in 0..1: LET z == i IN Set(z) /\\ x' = i", False),
        ("LET z == y again == z IN Len(again) > 0 /\\ x' = 1", False),
    ],
)
def test_a_let_loses_states_only_where_an_operator_gets_a_variable_by_it(
    tmp_path: Path, step: str, met: bool
) -> None:
    (tmp_path / "Late.tla").write_text(
        "---- MODULE Late ----\nEXTENDS Naturals, Sequences\nVARIABLES x, y\nSet(v) == v = 1\n"
        f"Through(v) == LET z == v IN Set(z)\nInit == x = 0 /\\ y = <<1>>\nNext == {step} /\\ UNCHANGED y\n====\n"
    )
    (tmp_path / "Late.cfg").write_text("INIT Init\nNEXT Next\n")
    spec = load_modules(tmp_path / "Late.tla")
    found = faults_met(spec, read_config(tmp_path / "Late.cfg").config, 1)
    assert ("let-variable" in [each.code for each in found]) == met
