"""Questions about counterexamples that TLC answers: the values of expressions and of conjuncts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import SPECS, RunCli, spec
from tests.raising import raises
from tests.stores import swept
from tla2py.analysis.view import StoreView
from tla2py.errors import InputError
from tla2py.replay.conjuncts import Conjuncts
from tla2py.replay.successors import Enabledness

LEASE = (SPECS / "lease.toml").read_text()


@pytest.fixture(scope="module")
def lease(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    """A store whose counterexample is Grant, three times Tick, and Grant."""
    return swept(tmp_path_factory.mktemp("lease"), Lease=spec("Lease"), sweep=LEASE)


def test_values_of_states_and_steps(lease: StoreView, run_cli: RunCli) -> None:
    expressions = ("granted[1] - now", "Cardinality({now, 1})", "now' - now", "Grant(2)", "Free /\\\n  TRUE")
    view = lease.with_values(*expressions)
    rows = [dict(state.evaluated) for state in view.trace(1).states]
    assert [row["granted[1] - now"] for row in rows] == ["0", "2", "1", "0", "-1", "-1"]
    assert [row["Cardinality({now, 1})"] for row in rows] == ["2", "2", "1", "2", "2", "2"]
    assert [row.get("now' - now") for row in rows] == [None, "0", "1", "1", "1", "0"]
    assert [row.get("Grant(2)") for row in rows] == [None, "FALSE", "FALSE", "FALSE", "FALSE", "TRUE"]
    assert rows[4]["Free /\\\n  TRUE"] == "TRUE"
    assert view.trace(1) is view.trace(1)
    both = view.with_arguments().trace(1).states[5]
    assert (both.derived, len(both.evaluated)) == ((("c", "2"),), 5)
    assert "\n     granted[1] - now = -1\n" in str(view.trace(1))
    assert "\n     Free /\\ TRUE = TRUE\n" in str(view.trace(1))
    assert "granted[1] - now</span> = -1" in view.trace(1)._repr_html_()
    sets = lease.with_values("Nat", "[n \\in Nat |-> n + now]", "[n \\in 1..40 |-> n]")
    last = dict(sets.trace(1).states[5].evaluated)
    assert last["Nat"] == "Nat"
    assert last["[n \\in Nat |-> n + now]"].startswith("[n \\in Nat |-> ")
    assert last["[n \\in 1..40 |-> n]"].endswith("39, 40>>")
    asked = ("trace", lease.store.path, "1", "--eval", "granted[1] - now", "--eval", "now' - now")
    lines = [line.strip() for line in run_cli(*asked).stdout.splitlines()]
    after = lines[lines.index("4 Tick  Lease.tla:14") :]
    assert after[1:4] == ["now: 1 -> 2", "granted[1] - now = 0", "now' - now = 1"]
    exported = run_cli(*asked, "--format", "json").json
    assert exported["states"][1]["evaluated"] == {"granted[1] - now": "2", "now' - now": "0"}
    assert run_cli(*asked, "--format", "csv").stdout.endswith("6,Grant,,false,now' - now,0\n")
    assert run_cli("trace", lease.store.path, "--eval", "now").error.code == "point-missing"


@pytest.mark.parametrize(
    ("expression", "code", "part"),
    [
        ("now +", "expression-syntax", "column 6"),
        ("1 + Foo", "expression-fails", "1 + Foo at column 5: Unknown operator: `Foo'."),
        ("LET n == 1\nIN n + Foo", "expression-fails", "at line 2, column 8: "),
        ("IF now < 2 THEN 1 ELSE granted[now + 1]", "expression-fails", "in state 4"),
        ("[]Free", "expression-fails", "[]Free is temporal"),
    ],
)
def test_a_failing_expression_is_one_error(lease: StoreView, expression: str, code: str, part: str) -> None:
    failed = raises(InputError, lambda: lease.with_values("now", expression).trace(1))
    assert (failed.code, part in failed.message) == (code, True), failed
    assert "AskValues" not in failed.message


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    """A store of two invariants with conjuncts in several modules."""
    return swept(shutil.copytree(SPECS / "questions/parts", tmp_path_factory.mktemp("store") / "parts"))


LETTERS = {True: "T", False: "F", None: "-"}


def rows_of(found: Conjuncts) -> list[tuple[str, str, str]]:
    """The place of each part, its text, and its values as a letter per state."""
    parts = [(row.conjunct, "".join(LETTERS[value] for value in row.values)) for row in found.rows]
    return [(f"{each.module}:{each.line}:{each.column}", each.text, values) for each, values in parts]


def test_conjuncts_through_definitions_and_modules_and_where_they_make_no_sense(parts: StoreView) -> None:
    found = parts.conjuncts(1, 2)
    assert rows_of(found) == [
        ("Parts:11:12", "Small(x)", "TTTT"),
        ("Parts:9:45", "i < j", "-FTT"),
        ("Parts:9:54", "queue[i] < queue[j]", "--TT"),
        ("PartsBound:4:18", "n >= 0", "TTTT"),
        ("PartsBound:5:18", "n < bound", "TTTT"),
        ("Parts:12:27", "x >= 0", "TTTT"),
        ("Parts:13:15", "x > 1", "FFTT"),
        ("Parts:13:59", "last # 2", "--TF"),
        ("Parts:13:71", "x # 9", "--TT"),
        ("Parts:9:45", "i < j", "-FTT"),
        ("Parts:9:54", "queue[i] < queue[j]", "--TT"),
    ]
    assert [row.conjunct.role for row in found.rows[:3]] == ["condition", "condition", "conjunct"]
    assert found.turning is found.rows[7]
    assert found.turning_state is found.trace.states[3]
    found = parts.conjuncts(1)
    assert rows_of(found) == [("Parts:10:12", "queue # <<>>", "F"), ("Parts:10:28", "Head(queue) > 0", "-")]
    assert found.turning is found.rows[0]


def test_parts_of_a_conjunct(parts: StoreView) -> None:
    found = parts.conjuncts(1, 3)
    rows = zip(found.rows, rows_of(found), strict=True)
    assert [(row.conjunct.depth, text, values) for row, (_, text, values) in rows] == [
        (0, "x > 9 \\/ Low(x) \\/ \\A i \\in DOMAIN queue : queue[i] < 9", "TTTT"),
        (1, "x > 9", "FFFF"),
        (1, "Low(x)", "TTTF"),
        (1, "\\A i \\in DOMAIN queue : queue[i] < 9", "---T"),
        (2, "queue[i] < 9", "---T"),
        (0, "~(x > 4 => x < 1 /\\ x > 2)", "FFFF"),
        (0, "x > 4", "----"),
        (0, "x < 2", "TTFF"),
        (0, "n < 3", "TT--"),
        (0, "x = 3", "--FT"),
        (0, "~Held(2)", "---F"),
        (1, "queue[i] = n /\\ x > n", "---T"),
        (2, "queue[i] = n", "---T"),
        (2, "x > n", "---T"),
        (0, "\\E n \\in 0..3 : n > x \\/ x < n + 4", "--T-"),
    ]
    assert found.turning is found.rows[10]
    assert found.rows[11].witnesses[3] == (("n", "2"), ("i", "3"))
    assert found.rows[14].conjunct.unbound == ("n",)


def test_conjuncts_are_printed_by_trace_and_kind(lease: StoreView, run_cli: RunCli, parts: StoreView) -> None:
    shown = run_cli("trace", lease.store.path, "1", "--conjuncts").stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "Lease:17:36 c # d => TTTTTT" in lines
    assert "Lease:17:45 ~(believes[c] > now /\\ believes[d] > now) TTTTTF" in lines
    assert lines[-3] == "FALSE first in state 6, after Grant:"
    assert lines[-1] in [f"in Exclusive at Lease:17:45, for c = {c}, d = {3 - c}" for c in (1, 2)]
    asked = ("trace", parts.store.path, "--conjuncts")
    told = run_cli(*asked)
    lines = [line.strip() for line in told.stdout.splitlines()]
    assert lines[5:7] == [
        "1 of 1: last # 2  in Safe at Parts:13:59",
        "FALSE first in state 4 of point 1, trace 2, after Add",
    ]
    assert told.stderr.splitlines()[-1] == "3 of 3 runs of TLC"
    (row,) = run_cli(*asked, "--property", "Guarded", "--json").json
    assert (row["property"], row["count"], row["reasons"]) == ("Guarded", 1, {})
    (turn,) = row["conjuncts"]
    assert (turn["conjunct"], turn["count"], turn["state"]) == ("queue # <<>>", 1, 1)


@pytest.mark.parametrize(
    ("options", "code", "hint"),
    [
        (["--essential"], "point-missing", "lists the points that have one"),
        (["--conjuncts", "--only", "now"], "usage", "leave out --only"),
        (["--only", "now"], "point-missing", "lists the points that have one"),
        (["--conjuncts", "--state", "2"], "point-missing", "lists the points that have one"),
        (["--conjuncts", "--property", "Exclusiv"], "unknown-property", "did you mean Exclusive?"),
        (["1", "--conjuncts", "--only", "now"], "usage", "--only goes with --essential, --diff, --format"),
        (["1", "--conjuncts", "--diff", "1"], "usage", "leave out --diff"),
        (["1", "--property", "Exclusive"], "usage", "leave out --property"),
        (["1", "--json"], "usage", "--json goes with --why, --conjuncts"),
        (["1", "--conjuncts", "--state", "2"], "usage", "name the action"),
    ],
)
def test_options_that_do_not_go_together(
    lease: StoreView, run_cli: RunCli, options: list[str], code: str, hint: str
) -> None:
    ended = run_cli("trace", lease.store.path, *options)
    assert (ended.error.code, hint in ended.hint) == (code, True), ended


def test_a_shortest_trace_needs_all_its_steps(lease: StoreView, run_cli: RunCli) -> None:
    shown = run_cli("trace", lease.store.path, "1", "--essential").stdout
    assert shown.startswith("point 1, trace 1: every step is essential: 5 steps\n")


def test_a_simulated_trace_without_the_steps_it_does_not_need(tmp_path: Path, run_cli: RunCli) -> None:
    simulation = '[tlc]\nmode = "simulate"\nnum = 100\ndepth = 30\nseed = 5\n'
    view = swept(tmp_path, Lease=spec("Lease"), sweep=LEASE + simulation)
    asked = ("trace", "runs/sweep", "1", "--essential")
    shown = run_cli(*asked, cwd=tmp_path, code=0)
    steps = len(view.trace(1).states) - 1
    assert steps > 5
    lines = shown.stdout.splitlines()
    assert lines[0] == f"point 1, trace 1: {steps - 5} of {steps} steps can be left out"
    assert [line for line in lines if line.startswith("  6 ")] == ["  6 Grant"]
    assert f"step 1 of {steps}: " in shown.stderr
    hurried = run_cli(*asked, "--timeout", "1ms", cwd=tmp_path).stdout
    assert hurried.startswith(f"point 1, trace 1: no time for {steps} steps of {steps}, from state 2")


def test_a_deadlock_without_the_steps_it_does_not_need(tmp_path: Path) -> None:
    sweep = 'module = "Stuck.tla"\n[model]\nspecification = "Spec"\n[tlc]\nmode = "simulate"\nnum = 100\n'
    view = swept(tmp_path, Stuck=spec("questions/Stuck"), sweep=f"{sweep}depth = 60\nseed = 3\n")
    found = view.essential(1)
    assert len(found.trace.states) > 5
    assert [state.action for state in found.shortest.states[1:]] == ["Noise", "Take", "Noise", "Last"]
    assert found.undecided == ()


def stages(found: Enabledness) -> list[tuple[str, str]]:
    """The text of each conjunct, and whether the action is enabled up to it."""
    return [(row.conjunct.text, LETTERS[row.enabled]) for row in found.rows]


def test_conjuncts_of_an_action_with_parameters(lease: StoreView, run_cli: RunCli) -> None:
    asked = ("trace", lease.store.path, "1", "--conjuncts", "--action")
    lines = [" ".join(line.split()) for line in run_cli(*asked, "Grant", "--state", "3").stdout.splitlines()]
    assert lines[0] == "point 1, trace 1: Grant is not enabled in state 3"
    assert lines[2:5] == ["Lease:15:17 \\E c \\in Clients T", "Lease:10:16 Free F", "Lease:10:24 now < 20 -"]
    assert lines[-3:] == ["gets furthest for c = 1, then is FALSE:", "Free", "in Grant at Lease:10:16"]
    assert run_cli(*asked, "Tick").stdout.startswith("point 1, trace 1: Tick is enabled in state 6\n")
    error = run_cli(*asked, "Grunt").error
    assert (error.message, error.hint) == ("Next takes no action Grunt", "name one of Tick, Grant")
    assert run_cli(*asked, "Tick", "--state", "7").error.hint == "choose one from 1 to 6"
    assert run_cli("trace", lease.store.path, "1", "--action", "Tick").error.code == "usage"


@pytest.fixture(scope="module")
def actions(tmp_path_factory: pytest.TempPathFactory) -> StoreView:
    """A store of actions with disjunctions, an instance and a guard beside all of them."""
    return swept(shutil.copytree(SPECS / "questions/actions", tmp_path_factory.mktemp("store") / "actions"))


def test_the_binding_that_gets_furthest(actions: StoreView) -> None:
    found = actions.enabled("Take", 1, state=3)
    assert stages(found) == [
        ("x >= 0", "T"),
        ("x < 3", "T"),
        ("\\E n \\in {3, 2}", "T"),
        ("\\E m \\in sent", "T"),
        ("m > 0", "T"),
        ("m = n", "F"),
        ("sent' = {}", "-"),
        ("m + 1 = n", "T"),
        ("sent' = sent \\ {m}", "T"),
        ("FALSE", "F"),
        ("x' = next", "-"),
        ("x' > why", "-"),
    ]
    assert dict(found.binding) == {"n": "2", "why": "90", "m": "1"}
    assert found.stopped is found.rows[9].conjunct
    assert not found.enabled


def test_an_action_is_enabled_up_to_a_conjunct(actions: StoreView) -> None:
    assert stages(actions.enabled("Add", 1))[:3] == [("x >= 0", "T"), ("x < 3", "F"), ("x' = x + 1", "-")]
    first = actions.enabled("Add", 1, state=1)
    assert (first.enabled, {value for _, value in stages(first)}) == (True, {"T"})
    assert [row.conjunct.module for row in first.rows[3:]] == ["ActionsBox", "ActionsBox"]
    found = actions.enabled("Receive", 1, state=1)
    assert found.stopped is not None
    assert (found.stopped.text, found.stopped.line) == ("\\E m \\in sent", 17)
    assert found.binding == ()
    with pytest.raises(InputError, match="Next does not take Alone, so the values of n are not known"):
        actions.enabled("Alone", 1)


@pytest.mark.long
def test_actions_of_a_published_design(tmp_path: Path) -> None:
    system = SPECS.parent.parent / "specs" / "kip320"
    view = swept(
        tmp_path,
        sweep=f'module = "{system / "Kip320FirstTry.tla"}"\n'
        '[model]\nspecification = "Spec"\ninvariants = ["LeaderInIsr"]\ncheck_deadlock = false\n'
        '[constants]\nReplicas = "{b1, b2}"\nLogSize = 2\nMaxRecords = 2\nMaxLeaderEpoch = 1\n',
    )
    for action, text in (
        ("FollowerFetch", "ReplicaIsFollowing(follower, leader)"),
        ("ImprovedLeaderIncHighWatermark", "ReplicaPresumesLeadership(leader)"),
        ("BecomeFollower", "\\E request \\in leaderAndIsrRequests"),
    ):
        stopped = view.enabled(action, 1).stopped
        assert stopped is not None
        assert stopped.text == text
