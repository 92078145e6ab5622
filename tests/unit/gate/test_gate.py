"""The reasons why a gate is red, with their exit codes; no test runs TLC."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.conftest import SPECS, spec
from tests.unit.conftest import LoadSweep
from tests.unit.gate.gating import EACH, HEAD, ONE, gate, locked, reasons, told
from tests.unit.rows import run_row
from tla2py.errors import ExitCode
from tla2py.gate.lock import Lock, LockedPoint
from tla2py.gate.reasons import drift
from tla2py.model.outcome import Outcome
from tla2py.model.row import RunRow

VIOLATED = run_row("violated", "Small")
BROKEN = ONE + '[expect]\nverdict = "broken"\n'
SOMETHING = ONE + '[expect]\nverdict = "violated"\n'
SMALL = ONE + '[expect]\nviolates = ["Small"]\n'
FEW_STATES = ("figures", "distinct is 8, expected at least 84776", ExitCode.UNEXPECTED)
NO_STATES = ("no-states", "no state was found, so everything holds vacuously", ExitCode.NOT_RUN)


def test_what_holds_is_green_and_a_missing_lock_is_told(load: LoadSweep) -> None:
    decision = gate(load(HEAD), run_row(), run_row())
    assert decision.exit_code == ExitCode.OK
    assert [one.status for point in decision.points for one in point.checks] == ["held"] * 4
    assert [str(one.check) for one in decision.points[0].checks] == ["deadlock", "invariant Small"]
    assert decision.notices == ("no lock, so drift is not detected; --record writes one",)


def test_every_other_verdict_is_red_and_the_worst_decides(load: LoadSweep) -> None:
    open_, broken = run_row("inconclusive"), run_row("broken")
    for row, reason, code in (
        (VIOLATED, "unexpected", ExitCode.UNEXPECTED),
        (open_, "inconclusive", ExitCode.INCONCLUSIVE),
        (broken, "broken", ExitCode.NOT_RUN),
    ):
        decision = gate(load(HEAD), run_row(), row)
        assert [(r, c) for r, _, c in told(decision)] == [(reason, code)]
        assert (decision.all_problems[0].point, decision.exit_code) == (2, code)
    sweep = load(HEAD.replace("[1, 2]", "[1, 2, 3]"))
    assert gate(sweep, VIOLATED, open_, broken).exit_code == ExitCode.NOT_RUN
    assert gate(sweep, VIOLATED, open_, run_row()).exit_code == ExitCode.UNEXPECTED
    assert gate(sweep, run_row(), open_, run_row()).exit_code == ExitCode.INCONCLUSIVE


@pytest.mark.parametrize(
    ("text", "rows", "problems"),
    [
        (HEAD, [run_row(), None], [("not-run", "the point has no result", ExitCode.NOT_RUN)]),
        (HEAD, [None, None], [("nothing-ran", "nothing ran: no point has a result", ExitCode.NOT_RUN)]),
        (HEAD, [run_row(), run_row(generated=0, distinct=0)], [NO_STATES]),
        # A constraint excludes all initial states.
        (HEAD, [run_row(), run_row(generated=1, distinct=0)], [NO_STATES]),
        (HEAD + "[expect]\ndistinct = 0\n", [run_row(generated=0, distinct=0)] * 2, []),
        (ONE + "[expect]\nmin_distinct = 84776\n", [run_row(distinct=8)], [FEW_STATES]),
    ],
)
def test_figures_and_missing_results_have_reasons_of_their_own(
    load: LoadSweep, text: str, rows: list[RunRow | None], problems: list[tuple[str, str, int]]
) -> None:
    decision = gate(load(text), *rows)
    assert told(decision) == problems
    assert decision.exit_code == (problems[0][2] if problems else ExitCode.OK)


@pytest.mark.parametrize(
    ("text", "row", "found"),
    [
        (BROKEN, run_row("broken"), []),
        (BROKEN, run_row("broken", outcome=Outcome.NOT_STARTED), ["broken"]),
        (BROKEN, run_row("broken", tlc_version=None, outcome=Outcome.ERROR), ["broken"]),
        (SOMETHING, VIOLATED, ["unnamed"]),
        # Nothing else can be violated.
        (SOMETHING.replace('["Small"]', '["Small"]\ncheck_deadlock = false'), VIOLATED, []),
    ],
)
def test_what_may_be_expected(load: LoadSweep, text: str, row: RunRow, found: list[str]) -> None:
    decision = gate(load(text), row)
    assert reasons(decision) == found
    assert decision.exit_code == (ExitCode.NOT_RUN if found else ExitCode.OK)


def test_excluded_points_are_told_and_all_of_them_are_red(load: LoadSweep) -> None:
    some = gate(load(HEAD), run_row(), run_row("excluded"))
    assert some.exit_code == ExitCode.OK
    assert some.notices[-1] == "1 of 2 points contradict an ASSUME and were not checked"
    every = gate(load(HEAD + '[expect]\nverdict = "excluded"\n'), run_row("excluded"), run_row("excluded"))
    assert (reasons(every), every.exit_code) == (["all-excluded"], ExitCode.NOT_RUN)
    # Other inputs say nothing of any point.
    other = "store was made from other inputs than sweep.toml"
    decision = gate(load(HEAD), run_row(), run_row("broken"), other_inputs=other)
    assert told(decision) == [("other-inputs", other, ExitCode.NOT_RUN)]
    assert all(point.row is None and not point.checks for point in decision.points)


@pytest.mark.parametrize(
    ("outcome", "expect", "mode", "green"),
    [
        ("timeout", '[expect]\nverdict = "inconclusive"\n', "check", False),
        ("timeout", '[[expect.point]]\nmatch = {}\nverdict = "inconclusive"\n', "check", False),
        ("timeout", '[[expect.point]]\nmatch = { Max = 1 }\nverdict = "inconclusive"\n', "check", True),
        ("killed", '[[expect.point]]\nmatch = { Max = 1 }\nverdict = "inconclusive"\n', "check", False),
        ("bounded_success", '[expect]\nverdict = "inconclusive"\n', "simulate", True),
        ("bounded_success", "", "simulate", False),
        ("bounded_success", '[expect]\nverdict = "holds"\n', "simulate", False),
        ("timeout", '[expect]\nverdict = "inconclusive"\n', "simulate", False),
    ],
)
def test_no_answer_is_allowed_only_by_name(
    load: LoadSweep, outcome: str, expect: str, mode: str, green: bool
) -> None:
    sweep = load(ONE + f'[tlc]\nmode = "{mode}"\n{"num = 5" * (mode == "simulate")}\n' + expect)
    distinct = None if mode == "simulate" else 10
    decision = gate(sweep, run_row("inconclusive", outcome=Outcome(outcome), distinct=distinct))
    assert decision.exit_code == (ExitCode.OK if green else ExitCode.INCONCLUSIVE)
    # What would allow it is named, but where nothing does.
    named = 'verdict = "inconclusive"' in "".join(text for _, text, _ in told(decision))
    assert named is not (green or outcome == "killed")


def test_the_checks_beside_a_violation(load: LoadSweep) -> None:
    """A check that TLC left open is a problem; one that it did not reach is neither a problem nor a success."""
    sweep = load(SMALL.replace("[expect]", EACH + "[expect]"))
    each = gate(sweep, replace(VIOLATED, undecided=("deadlock",)))
    assert told(each) == [("undecided", "no answer within the limits on deadlock", ExitCode.INCONCLUSIVE)]
    statuses = {one.check.label: one.status for one in each.points[0].checks}
    assert statuses == {"Small": "violated", "deadlock": "undecided"}
    first = gate(load(SMALL), VIOLATED)
    expected = {one.check.label: (one.status, one.as_expected) for one in first.points[0].checks}
    assert expected == {"Small": ("violated", True), "deadlock": ("undecided", True)}
    assert first.exit_code == ExitCode.OK
    besides = gate(load(HEAD), run_row(), run_row("violated", "assert:")).points[1].checks[-1]
    assert (str(besides.check), besides.status, besides.as_expected) == ("assert", "violated", False)


def test_actions_that_must_have_fired(load: LoadSweep) -> None:
    sweep = load(ONE + '[expect]\nfires = ["Up"]\n')
    unknown = "cannot tell whether Up fired: TLC "
    for fired, idle, problems in (
        (("Up", "Stay"), (), []),
        (("Stay",), ("Up",), [("never-fired", "action Up never fired, expected to", ExitCode.UNEXPECTED)]),
        # It is part of another action.
        (("Next",), (), [("not-counted", f"{unknown}counts Next", ExitCode.NOT_RUN)]),
        (None, (), [("not-counted", f"{unknown}printed no coverage", ExitCode.NOT_RUN)]),
    ):
        assert told(gate(sweep, run_row(), fired=fired, idle=idle)) == problems


def test_liveness_under_symmetry_is_no_answer(load: LoadSweep, tmp_path: Path) -> None:
    """Properties of single steps and states are decided nevertheless."""
    text = "---- MODULE Live ----\nCONSTANT P\nVARIABLE x\nInit == x \\in P\nNext == x' \\in P\n"
    text += "Spec == Init /\\ [][Next]_x\nComes == <>(x \\in P)\nStays == [](x \\in P) /\\ [][x' \\in P]_x\n====\n"
    (tmp_path / "Live.tla").write_text(text)
    model = 'module = "Live.tla"\n[model]\nspecification = "Spec"\nproperties = ["Comes", "Stays"]\n'
    parameters = '[parameters]\nP = { model_values = "p", sizes = [2] }\n'
    assert gate(load(model + parameters), run_row()).exit_code == ExitCode.OK
    decision = gate(load(model + 'symmetry = ["P"]\n' + parameters), run_row())
    (problem,) = decision.all_problems
    assert (problem.reason.value, problem.subject) == ("symmetry-liveness", "Comes")
    assert decision.exit_code == ExitCode.NOT_RUN
    parameters += '[accept]\nsymmetry-liveness.Comes = "no process is named by it"\n'
    assert gate(load(model + 'symmetry = ["P"]\n' + parameters), run_row()).exit_code == ExitCode.OK


# --- drift


OTHER_VALUES = "the config's values or options have changed"
SMALL_CHANGED = "the definition of Small has changed"
NO_LONGER_HOLDS = ("the verdict changed from holds to violated", "now violates Small")
REDEFINED = "names that {} uses now refer to other definitions"
BEFORE = LockedPoint(
    parameters={"Max": "1"},
    config="0123456789abcdef",
    values="v",
    checked=["deadlock", "invariant Small"],
    searched=["specification Spec"],
    model_values=["a"],
    verdict="holds",
    violates=[],
    distinct=84776,
    generated=100000,
    fired=["Up"],
    idle=["Down"],
    reaches={"invariant Small": "1", "specification Spec": "2"},
    assumptions={"Counter": "3"},
    definitions={"Small": "4", "Spec": "5"},
)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, []),
        ({"config": "f" * 16}, [OTHER_VALUES]),
        ({"config": "f" * 16, "checked": ["deadlock"]}, ["no longer checks the invariant Small"]),
        ({"checked": ["invariant Small"]}, ["no longer checks deadlock"]),
        (
            {"config": "f" * 16, "checked": ["deadlock"], "values": "w", "searched": []},
            ["no longer checks the invariant Small", "no longer has the specification Spec", OTHER_VALUES],
        ),
        ({"checked": ["deadlock", "invariant Small", "property Live"]}, ["now checks the property Live"]),
        ({"model_values": ["a", "Limit"]}, ["Limit is now a model value"]),
        ({"model_values": []}, ["a is no longer a model value"]),
        ({"distinct": 8}, ["distinct states fell from 84,776 to 8"]),
        ({"distinct": 84777}, ["distinct states rose from 84,776 to 84,777"]),
        ({"generated": 99999}, ["generated states fell from 100,000 to 99,999"]),
        ({"generated": 99999, "distinct": 8}, ["distinct states fell from 84,776 to 8"]),
        ({"generated": None}, ["generated states were 100,000; the count is no longer reproducible"]),
        ({"reaches": {"invariant Small": "x"}, "definitions": {"Small": "y", "Other": "z"}}, [SMALL_CHANGED]),
        (
            {"reaches": {"invariant Small": "x", "specification Spec": "x"}, "definitions": {"Small": "4"}},
            [REDEFINED.format("the invariant Small"), REDEFINED.format("the specification Spec")],
        ),
        ({"assumptions": {"Counter": "x"}}, ["the assumptions of module Counter have changed"]),
        ({"distinct": None}, ["distinct states were 84,776; the count is no longer reproducible"]),
        ({"fired": ["Stay"]}, ["action Up no longer fires", "action Stay now fires"]),
        ({"fired": ["Down", "Up"], "idle": []}, ["action Down now fires"]),
        ({"fired": [], "idle": ["Down", "Up"]}, ["action Up no longer fires"]),
        ({"idle": ["Down", "Stay"]}, ["action Stay is new and never fires"]),
        # The action that never fired is gone.
        ({"idle": []}, []),
        ({"fired": None}, ["the run did not count actions, but the lock has them"]),
        ({"verdict": "violated", "violates": ["Small"], "distinct": 8, "fired": []}, [*NO_LONGER_HOLDS]),
    ],
)
def test_drift_is_told_by_name(changed: dict[str, object], words: list[str]) -> None:
    assert [each.text for each in drift(BEFORE, msgspec.structs.replace(BEFORE, **changed))] == words


SECTION = "[constants]"
MANY = spec("gate/Many")
MODEL = (SPECS / "gate/many.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (SECTION, f'constraints = ["Small"]\n{SECTION}', ["now has the constraint Small"]),
        (SECTION, f'action_constraints = ["Small"]\n{SECTION}', ["now has the action constraint Small"]),
        (SECTION, f'view = "Start"\n{SECTION}', ["now has the view Start"]),
        (SECTION, f'symmetry = ["Who"]\n{SECTION}', ["now has the symmetry MC_symmetry"]),
        ('init = "Init"', 'init = "Start"', ["no longer has the init Init", "now has the init Start"]),
        (SECTION, f'[substitutions]\nStart = "Init"\n{SECTION}', ["now has the substitution Start <- Init"]),
        ("[constants]", "[tlc]\nseed = 7\n[constants]", [OTHER_VALUES]),
        ("One = 1", "One = 2", [OTHER_VALUES]),
        ("One = 1", 'One = "<<1>>"', [OTHER_VALUES]),
    ],
)
def test_no_drift_of_a_config_hides_another(
    load: LoadSweep, tmp_path: Path, old: str, new: str, words: list[str]
) -> None:
    (tmp_path / "Many.tla").write_text(MANY)
    lost = "no longer checks the invariant Small"
    less = MODEL.replace('["Small"]', "[]")
    alone = _drift_of(load, MODEL, MODEL.replace(old, new))
    assert alone == words
    assert _drift_of(load, MODEL, less.replace(old, new)) == [lost, *alone]
    assert _drift_of(load, MODEL, less) == [lost]


@pytest.mark.parametrize("value", ['One = "<<{}>>"', 'One = 1\n[substitutions]\nStart = "x = {}"'])
def test_a_value_that_only_a_wrapper_module_can_say_does_not_change_unseen(
    load: LoadSweep, tmp_path: Path, value: str
) -> None:
    (tmp_path / "Many.tla").write_text(MANY)
    before, after = (MODEL.replace("One = 1", value.format(n)) for n in (1, 2))
    lost = "no longer checks the invariant Small"
    assert _drift_of(load, before, after.replace('["Small"]', "[]")) == [lost, OTHER_VALUES]


def _drift_of(load: LoadSweep, before: str, after: str) -> list[str]:
    """The drift between a lock and a changed sweep file with the same results."""
    lock = locked(gate(load(before), run_row()))
    return [text for _, text, _ in told(gate(load(after), run_row(), lock=lock))]


def test_a_changed_definition_is_drift_though_all_counts_are_the_same(
    load: LoadSweep, tmp_path: Path
) -> None:
    def changes(old: str, new: str, module: str = MANY, sweep: str = MODEL) -> list[str]:
        (tmp_path / "Many.tla").write_text(module)
        lock = locked(gate(load(sweep), run_row()))
        (tmp_path / "Many.tla").write_text(module.replace(old, new))
        return [text for _, text, _ in told(gate(load(sweep), run_row(), lock=lock))]

    assert changes("x < 4", "TRUE") == ["the definition of Small has changed"]
    assert changes("x' = x + 1", "x' = x + 1 /\\ TRUE") == ["the definition of Next has changed"]
    assert changes("x < 4", "x\\* as before\n  <4") == []
    assert changes("x = 1", "x = 2") == []
    assumed = changes("VARIABLE x", "VARIABLE x\nASSUME One < 9")
    assert assumed == ["the assumptions of module Many have changed"]
    # One that only the wrapper module names.
    module = MANY.replace("Small ==", "Three == 3\nSmall == One /= 9 /\\")
    sweep = MODEL.replace("One = 1", 'One = "Three + 1"')
    changed = changes("Three == 3", "Three == 2 + 1", module, sweep)
    assert changed == ["the definition of Three has changed"]


def test_another_jar_alone_is_a_note(load: LoadSweep) -> None:
    sweep = load(HEAD)
    green = gate(sweep, run_row(), run_row())
    row = run_row(tlc_version="2.20", tlc_revision="abc1234")
    decision = gate(sweep, row, row, lock=locked(green, "2.19 (rev: 5a47802)"))
    assert decision.exit_code == ExitCode.OK
    note = "the lock was accepted with TLC 2.19 (rev: 5a47802); this is TLC 2.20 (rev: abc1234)"
    assert note in decision.notices
    same = gate(sweep, row, row, lock=locked(green, "2.20 (rev: abc1234)"))
    assert not [each for each in same.notices if "accepted with" in each]


def test_what_was_not_locked_is_no_drift() -> None:
    def texts(**before: object) -> list[str]:
        return [each.text for each in drift(msgspec.structs.replace(BEFORE, **before), BEFORE)]

    assert texts(distinct=None, fired=None, idle=None) == texts(idle=None) == []
    older = texts(values=None, searched=None, checked=["deadlock"], config="o")
    assert older == ["now checks the invariant Small"]
    assert [each.text for each in drift(None, BEFORE)] == ["the point is not in the lock"]


def test_what_is_locked_now_is_green_next_time(load: LoadSweep) -> None:
    sweep = load(HEAD + EACH)
    first = gate(sweep, run_row(), run_row(), fired=("Up",), idle=("Down",))
    assert first.acceptable
    lock = locked(first)
    assert gate(sweep, run_row(), run_row(), fired=("Up",), lock=lock).exit_code == ExitCode.OK
    drifted = gate(sweep, run_row(), run_row(distinct=9), fired=("Up",), lock=lock)
    assert told(drifted) == [("drift", "distinct states fell from 10 to 9", ExitCode.UNEXPECTED)]
    assert drifted.acceptable
    assert drifted.notices == ("if the drift is intended, --update accepts it",)
    worse = gate(sweep, run_row(), VIOLATED, lock=lock)
    assert not worse.acceptable
    note = "if the drift is intended, --update accepts it once every other problem is fixed"
    assert worse.notices[-1] == note
    # Without an answer there is no drift.
    sweep = load(HEAD)
    lock = locked(gate(sweep, run_row(), run_row()))
    timeout = gate(sweep, run_row(), run_row("inconclusive", distinct=3), lock=lock)
    assert (reasons(timeout), timeout.exit_code) == (["inconclusive"], ExitCode.INCONCLUSIVE)


def test_that_nothing_guards_what_fires_is_told_only_where_the_lock_has_none(load: LoadSweep) -> None:
    note = "the lock does not cover which actions fire; --update --coverage adds them"
    sweep = load(HEAD)

    def lock(fired: tuple[str, ...] | None) -> Lock:
        return locked(gate(sweep, run_row(), run_row(), fired=fired))

    assert gate(sweep, run_row(), run_row(), lock=lock(None)).notices == (note,)
    # It was counted this time, but the lock does not have it.
    assert gate(sweep, run_row(), run_row(), lock=lock(None), fired=("Up",)).notices == (note,)
    assert note not in gate(sweep, run_row(), run_row(), lock=lock(("Up",))).notices
    for verdict in ("inconclusive", "broken"):
        assert gate(sweep, run_row(verdict), run_row(verdict), lock=lock(("Up",))).notices == ()
        # --update has no counts to add there.
        assert gate(sweep, run_row(verdict), run_row(verdict), lock=lock(None)).notices == ()


def test_a_point_is_the_same_however_its_values_are_written(load: LoadSweep) -> None:
    text = 'module = "Counter.tla"\n[parameters]\nMax = ["{a, b}"]\n'
    again = gate(load(text.replace("{a, b}", "{b,a}")), run_row(), lock=locked(gate(load(text), run_row())))
    # The point is found, but its config has changed.
    assert [text for _, text, _ in told(again)] == [OTHER_VALUES]


@pytest.mark.parametrize(
    ("options", "verdict", "counted"),
    [
        ("", "holds", True),
        ("", "violated", True),
        ("[tlc]\nworkers = 2\n", "violated", False),
        ("[tlc]\nworkers = 2\n", "holds", True),
        ('[tlc]\nmode = "simulate"\nnum = 3\n', "inconclusive", False),
    ],
)
def test_only_counts_that_come_out_the_same_are_locked(
    load: LoadSweep, options: str, verdict: str, counted: bool
) -> None:
    sweep = load(ONE + options)
    point = gate(sweep, run_row(verdict), fired=("Up",)).points[0].locked
    assert point is not None
    assert [each is not None for each in (point.distinct, point.fired, point.idle)] == [counted] * 3


NONE = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLE x
None == \\* no number
  CHOOSE n : n \\notin Nat
Some == 3
Init == x = None
Next == x = None /\\ x' = Some
Small == x = None \\/ x < 4
====
"""


@pytest.mark.parametrize("constants", ["None = None", "Some = Some", "None = Some", "Some = None"])
def test_a_definition_turned_model_value_is_right_only_where_tlc_cannot_choose(
    load: LoadSweep, tmp_path: Path, constants: str
) -> None:
    (tmp_path / "Counter.tla").write_text(NONE)
    (tmp_path / "A.cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANT Small\nCONSTANT {constants}\n")
    decision = gate(load('module = "Counter.tla"\nconfig = "A.cfg"\n'), run_row())
    assert reasons(decision) == ["model-value"] * (constants != "None = None")


def test_a_config_names_no_invariant_and_a_lock_guards_which(load: LoadSweep, tmp_path: Path) -> None:
    load(HEAD)
    config = tmp_path / "Counter.cfg"
    names = "INIT Init\nNEXT Next\nINVARIANTS Small Init\n"
    config.write_text(names + "CONSTANT Max = 3\n\\* EXPECT SafetyFailure\n")
    text = 'module = "Counter.tla"\nconfig = "Counter.cfg"\n'
    sweep = load(text)
    small, other = (run_row("violated", name, outcome=Outcome.VIOLATION_SAFETY) for name in ("Small", "Init"))
    decision = gate(sweep, small)
    assert decision.exit_code == ExitCode.OK
    assert "1 of 1 points expect a violation without naming it; a lock pins it down" in decision.notices
    assert reasons(gate(sweep, other, lock=locked(decision))) == ["drift", "drift"]
    # The author of a row must name it.
    rows = load(text + '[[expect.point]]\nmatch = {}\noutcome = "violation_safety"\n')
    assert reasons(gate(rows, small)) == ["unnamed"]
