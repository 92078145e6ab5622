"""Configs read: statements, values, and what they expect."""

from __future__ import annotations

from itertools import starmap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import SPECS
from tests.raising import raises
from tests.unit.tlc.test_literal import LITERALS
from tla2py.errors import InputError
from tla2py.model.model import Assignment, Config, Substitution
from tla2py.model.outcome import Outcome, Verdict
from tla2py.tlc.config.read import ConfigFile, config_beside, config_expectation, parse_config, read_config
from tla2py.tlc.config.render import default_template, render_config
from tla2py.tlc.config.statements import KEYWORDS, literal_text

PATH = Path("Model.cfg")
ASSIGNED = {
    "N": "3",
    "S": '{a, b, "c"}',
    "Deep": "{{1}, {}}",
    "Flag": "TRUE",
    "p1": "p1",
    "Op(1, {a})": "2",
    "Op(2, {a})": '"x y"',
    "M!N": "[Mod] 4",
}


def read(path: Path, text: str) -> ConfigFile:
    path.write_text(text)
    return read_config(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "MC.cfg"


def test_every_statement() -> None:
    file = read_config(SPECS / "configs/Everything.cfg")
    assert file.config == Config(
        specification="Spec",
        assignments=tuple(starmap(Assignment, ASSIGNED.items())),
        substitutions=(Substitution("Nat", "SmallNat"), Substitution("Seq", "[Sequences] BoundedSeq")),
        invariants=("Inv1", "Inv2", "Inv3"),
        properties=("Live", "Other"),
        constraints=("Small", "Smaller"),
        action_constraints=("Slow",),
        postconditions=("Post", "After", "Late"),
        possible=("Reached",),
        periodic="Often",
        rl_reward="Reward",
        symmetry="Sym",
        view="View",
        alias="Alias",
        check_deadlock=False,
    )


def test_the_text_for_tlc_is_as_written_but_for_the_deadlock_statement(path: Path) -> None:
    file = read(path, "INIT Init\nCHECK_DEADLOCK (* no *) FALSE NEXT Next\n")
    assert (file.config.init, file.config.next) == ("Init", "Next")
    assert file.text.split() == ["INIT", "Init", "NEXT", "Next"]
    assert file.text.index("NEXT") == len("INIT Init\nCHECK_DEADLOCK (* no *) FALSE ")
    assert read(path, "CHECK_DEADLOCK TRUE").config.check_deadlock
    # Nor does the statement of what is expected go to a TLC that does not know it.
    config = parse_config("INVARIANT Inv\n_EXPECT SAFETY_VIOLATION Inv\nCONSTANT A = 1\n", PATH)
    assert config.config.invariants == ("Inv",)
    assert config.config.assignments == (("A", "1"),)
    assert config.text.split() == ["INVARIANT", "Inv", "CONSTANT", "A", "=", "1"]


def test_an_empty_config(path: Path) -> None:
    for text in ("", "\n \\* nothing", "INVARIANT\nCONSTANTS\n"):
        assert read(path, text).config == Config(), text


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("SPECIFICATION Spec\nINVARIANT A, B", ":2:12", "comma between names"),
        ("CONSTANTS A = 1, B = 2", ":1:16", "commas between constants"),
        ("CONSTANTS\n  A = -1", ":2:7", "cannot express -1"),
        ("CONSTANTS A = {1 2}", ":1:18", "a comma is missing"),
        ("CONSTANTS A == 1", ":1:13", "'==' after A, where = or <- was expected"),
        ("CONSTANTS A = = 1", ":1:15", "'=' where a value was expected"),
        ("CONSTANTS A = [a |-> 1]", ":1:15", "cannot express a value that begins with"),
        ("CONSTANTS A = <<1>>", ":1:15", "cannot express a value that begins with <<"),
        ("CONSTANTS A = 1..3", ":1:15", "cannot express a value such as 1.."),
        ("CONSTANTS A = 1.5", ":1:15", "cannot express a value such as 1."),
        ("CONSTANTS A = 2147483648", ":1:15", "cannot express"),
        ("\ufeffINVARIANT A", ":1:1", "byte order mark: .* it never sees INVARIANT"),
        ("INIT I\x0cNEXT N", ":1:7", "U\\+000C that TLC"),
        ("INVARIANT \u00c9tat", ":1:11", "'\u00c9' that TLC"),
        ('CONSTANTS A = "a\\q" INVARIANT B', ":1:15", "a string that TLC cannot read"),
        ("CONSTANTS A = {1,, 2}", ":1:18", "',' where a value was expected"),
        ("CONSTANTS A : 1", ":1:13", "where = or <- was expected"),
        ("CONSTANTS A", "", "= or <- after A"),
        ("CONSTANTS A =", "", "a value"),
        ("CONSTANTS A = {1,", "", "a value"),
        ("CONSTANTS A <- 'x'", ":1:16", "name was expected after <-"),
        ("CONSTANTS Op(1 = 2", "", "\\)"),
        ("CONSTANTS VIEW = 1", ":1:16", "where a name was expected after VIEW"),
        ("INIT", "", "a name after INIT"),
        ("INIT NEXT Next", ":1:6", "where a name was expected after INIT"),
        ("INIT A INIT B", ":1:8", "a second INIT"),
        ("CHECK_DEADLOCK MAYBE", ":1:16", "TRUE or FALSE"),
        ("(* fine *) Spec", ":1:12", "does not begin a statement"),
        ("INIT Init\n (* open (* closed *)", ":2:2", "unclosed comment"),
        ("INIT Init ; INVARIANT Inv", ":1:11", "ignores everything after it"),
        ("\tINVARIANT `A", ":1:12", "ignores everything after it"),
    ],
)
def test_mistakes_are_told_with_their_place(path: Path, text: str, place: str, said: str) -> None:
    raised = raises(InputError, read, path, text, match=said)
    assert (raised.code, raised.where) == ("config-syntax", f"{path}{place}")


def test_a_config_that_is_not_there(path: Path, tmp_path: Path) -> None:
    assert raises(InputError, read_config, path).code == "config-missing"
    assert raises(InputError, read_config, tmp_path).code == "config-unreadable"
    path.write_bytes(b"INIT \xff")
    assert raises(InputError, read_config, path).code == "config-syntax"
    # What TLC reads is read.
    path.write_bytes(b"\\* caf\xe9\nINVARIANT A\n_PERIODIC B\nCONSTANT N = 3\n ; ")
    config = read_config(path).config
    assert (config.invariants, config.assignments) == (("A",), (("N", "3"),))


def test_a_config_in_a_module_is_read_at_its_lines(tmp_path: Path) -> None:
    module = tmp_path / "Box.tla"
    text = "---- MODULE Box ----\nA == 1\n====\n----- CONFIG Other ----\nINIT B\n====\n"
    module.write_text(text)
    assert (raises(InputError, read_config, module).code, config_beside(module)) == ("config-missing", None)
    module.write_text(text + "---- CONFIG Box -----\nINIT A\n==== INVARIANT C\n")
    file = read_config(module)
    assert (file.config, config_beside(module)) == (Config(init="A"), module)
    assert file.statements.statements[0].keyword.line == 8
    module.with_suffix(".cfg").touch()
    assert config_beside(module) == module.with_suffix(".cfg")


WORDS = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,7}", fullmatch=True)
IDENTIFIERS = WORDS.filter(lambda name: name not in KEYWORDS)
LISTS = st.lists(IDENTIFIERS, max_size=3).map(tuple)
DEFINITIONS = IDENTIFIERS | st.tuples(IDENTIFIERS, IDENTIFIERS).map("[{0[0]}] {0[1]}".format)
ONE = ["specification", "init", "next", "periodic", "rl_reward", "symmetry", "view", "alias"]
SEVERAL = ["invariants", "properties", "constraints", "action_constraints", "postconditions", "possible"]
CONFIGS = st.builds(
    Config,
    assignments=st.lists(st.tuples(IDENTIFIERS, LITERALS.map(literal_text)), max_size=4).map(tuple),
    substitutions=st.lists(st.tuples(IDENTIFIERS, DEFINITIONS), max_size=3).map(tuple),
    **dict.fromkeys(ONE, st.none() | IDENTIFIERS),
    **dict.fromkeys(SEVERAL, LISTS),
)


@given(CONFIGS)
def test_what_is_rendered_reads_back(tmp_path_factory: pytest.TempPathFactory, config: Config) -> None:
    path = tmp_path_factory.getbasetemp() / "rendered.cfg"
    text = render_config(config, default_template())
    path.write_text(text)
    file = read_config(path)
    assert file.config == config
    assert file.text == text


@pytest.mark.parametrize(
    ("line", "result", "violates"),
    [
        ("\\* EXPECT Success", Verdict.HOLDS, ()),
        ("\\* EXPECT SafetyFailure", Outcome.VIOLATION_SAFETY, ()),
        ("\\* EXPECT: LivenessFailure", Outcome.VIOLATION_LIVENESS, ()),
        ("INVARIANT Inv \\* EXPECT DeadlockFailure", Outcome.VIOLATION_DEADLOCK, ()),
        ("\\* EXPECT AssumptionFailure", Outcome.VIOLATION_ASSUMPTION, ()),
        ("\\* EXPECT StutteringFailure", Outcome.VIOLATION_LIVENESS, ()),
        ("\\* EXPECT RuntimeErrorFailure", Verdict.BROKEN, ()),
        ("_EXPECT NO_VIOLATION", Verdict.HOLDS, ()),
        ("  _EXPECT ASSERT_VIOLATION", Outcome.VIOLATION_ASSERT, ()),
        ("\\* _EXPECT SAFETY_VIOLATION", Outcome.VIOLATION_SAFETY, ()),
        ("_EXPECT SAFETY_VIOLATION \\* as the paper says", Outcome.VIOLATION_SAFETY, ()),
        ("\\* EXPECT SafetyFailure WeakIsr, StrongIsr", Outcome.VIOLATION_SAFETY, ("WeakIsr", "StrongIsr")),
        ("\\* EXPECT violated WeakIsr", Verdict.VIOLATED, ("WeakIsr",)),
    ],
)
def test_a_result_is_read(line: str, result: Verdict | Outcome, violates: tuple[str, ...]) -> None:
    told = config_expectation(f"SPECIFICATION Spec\n{line}\n", PATH)
    assert told is not None
    assert (told.result, told.violates) == (result, violates)
    assert told.where == f"Model.cfg:2:{line.index('EXPECT') + 1}"


@pytest.mark.parametrize(
    "line", ["", "\\* we expect Success", "CONSTANT EXPECTED = 1", "\\* EXPECTED Success"]
)
def test_nothing_is_said(line: str) -> None:
    assert config_expectation(f"SPECIFICATION Spec\n{line}\n", PATH) is None


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("\\* EXPECT SaftyFailure", "Model.cfg:1:4", "EXPECT SaftyFailure is not a result of TLC"),
        ("\\* EXPECT", "Model.cfg:1:4", "EXPECT is not a result of TLC"),
        ("\\* EXPECT Success\n\\* EXPECT Success", "Model.cfg:2:4", "a second EXPECT"),
        ("\\* EXPECT SafetyFailure (Inv)", "Model.cfg:1:4", "not a name: (Inv)"),
    ],
)
def test_what_is_not_understood_is_no_success(text: str, place: str, said: str) -> None:
    raised = raises(InputError, config_expectation, text, PATH)
    assert (raised.code, raised.where) == ("config-expect", place)
    assert said in raised.message
