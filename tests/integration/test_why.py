"""Why counterexamples violate what they do, for each kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tests.conftest import JARS, SPECS, RunCli, spec
from tests.integration.test_trace_questions import LEASE
from tests.stores import swept
from tla2py.analysis.view import StoreView, open_view
from tla2py.model.cause import ViolationCauses

# Others answer in the group of the jars.
OTHERS = [pytest.param(JARS[each], marks=pytest.mark.jars, id=each) for each in JARS if each != "bundled"]
EVERY_JAR = pytest.mark.parametrize("jar", [None, *OTHERS])


def asked(view: StoreView, point: int = 1, number: int = 1, jar: Path | None = None) -> ViolationCauses:
    found = view.why(point, number, tla2tools=jar)
    assert bool(found.causes) is (found.reason is None)
    return found


def tools(jar: Path | None) -> list[str | Path]:
    return ["--tla2tools", jar] if jar is not None else []


def told(found: ViolationCauses) -> list[tuple[str, str | None, str]]:
    """The role, the action and the text of each cause."""
    return [(each.role, each.action, each.text) for each in found.causes]


def relay(folder: Path, jar: Path | None, specification: str, *properties: str, deadlock: bool) -> StoreView:
    model = f'specification = "{specification}"\nproperties = {json.dumps(properties)}\n'
    model += f"check_deadlock = {json.dumps(deadlock)}\n"
    more = '[constants]\nNodes = "{n1, n2}"\n[tlc]\nfind = "each"\n'
    sweep = f'module = "Relay.tla"\n[model]\n{model}{more}'
    return swept(folder, jar, Relay=spec("why/Relay"), Jobs=spec("why/Jobs"), sweep=sweep)


@EVERY_JAR
def test_a_deadlock_names_each_action_the_nearest_first(tmp_path: Path, jar: Path | None) -> None:
    found = asked(relay(tmp_path, jar, "Spec", deadlock=True), jar=jar)
    first = found.causes[0]
    assert (first.role, first.action, first.text) == ("action", "Take", "Head(inbox[n]).size < 1")
    # In the same state another inbox may be empty, where Head has no value.
    assert {each.text for each in found.causes} <= {
        "Head(inbox[n]).size < 1", "inbox[n] # <<>>", "hops < 2", "inbox[n] = <<>>"
    }  # fmt: skip
    assert (first.module, first.line, first.column) == ("Relay", 15, 6)
    sent = next(each for each in found.causes if each.text == "hops < 2")
    assert (sent.states, sent.says.partition(", since ")[2]) == ((1, 2), "state 3, after Send")
    assert {"n", "inbox"} <= first.values.keys()
    assert first.state == len(open_view(tmp_path / "runs/sweep").trace(1).states)


@EVERY_JAR
def test_a_step_that_refines_no_action(tmp_path: Path, jar: Path | None) -> None:
    found = asked(relay(tmp_path, jar, "Spec", "Refines", deadlock=False), jar=jar)
    assert found.kind == "action_property"
    assert told(found)[:2] == [("action", "Send", "Send"), ("action", "Begin", "open = 0")]
    begin = found.causes[1]
    assert (begin.value, begin.module, begin.line, begin.column) == (False, "Jobs", 6, 13)
    assert dict(begin.values) == {"open": 1}
    mapping = {each.text: (each.before, each.after) for each in found.causes if each.role == "mapping"}
    assert (mapping["open"], mapping["finished"]) == ((1, 2), (frozenset(), frozenset()))


def test_an_action_property_of_conditions_and_fairness_of_more_than_an_action(tmp_path: Path) -> None:
    found = asked(relay(tmp_path, None, "Spec", "Grows", deadlock=False))
    assert told(found)[0] == ("action", "Send", "Send")
    assert {each.text for each in found.causes[1:]} == {"hops' = 1"}
    assert found.causes[1].values["hops'"] == 2
    found = asked(relay(tmp_path, None, "Fair", "Always", deadlock=False))
    # Nothing is enabled where the second job waits for ever: what could end that is never enabled.
    assert {each.role for each in found.causes} == {"action", "part"}
    assert told(found)[0][:2] == ("action", "Take")
    assert found.causes[0].value is False
    assert told(found)[-1] == ("part", None, "done = Nodes")


@EVERY_JAR
def test_leads_to_without_fairness(tmp_path: Path, jar: Path | None) -> None:
    found = asked(relay(tmp_path, jar, "Weak", "Served", deadlock=False), jar=jar)
    first = found.causes[0]
    assert (first.role, first.action, first.fairness) == ("fairness", "Take", None)
    assert first.says.endswith("the specification has no fairness for it")
    parts = [(each.text, each.value) for each in found.causes if each.role == "part"]
    assert parts == [("inbox[n] # <<>>", True), ("n \\in done", False)]


IDLE = spec("why/Idle")


@EVERY_JAR
def test_actions_that_change_nothing_or_are_never_enabled(tmp_path: Path, jar: Path | None) -> None:
    sweep = 'module = "Idle.tla"\n[model]\nspecification = "Spec"\nproperties = ["Arrives"]\n'
    found = asked(swept(tmp_path, jar, Idle=IDLE, sweep=sweep), jar=jar)
    assert [(each.action, each.fairness) for each in found.causes[:2]] == [("Send", None), ("See", "WF")]
    assert "changes nothing, so its steps are stuttering" in found.causes[0].says
    assert (
        found.causes[1].says
        == "See is enabled in no state of the behaviour, so WF_vars(See) asks for nothing"
    )
    # What is written to change nothing does.
    assert "Rest" not in {each.action for each in found.causes}


def test_a_relation_that_the_specification_writes_out(tmp_path: Path) -> None:
    sweep = 'module = "Walk.tla"\n[model]\nspecification = "RoundSpec"\nproperties = ["Settles"]\n[constants]\nLast = 3\n'
    assert told(asked(swept(tmp_path, Walk=spec("Walk"), sweep=sweep)))[0] == ("action", "Walk", "Walk(1)")


@EVERY_JAR
def test_a_constraint_that_cuts_all_initial_states(tmp_path: Path, jar: Path | None) -> None:
    (tmp_path / "sweep.toml").write_text(
        'module = "Idle.tla"\n[model]\nspecification = "Spec"\nconstraints = ["turns < 2", "Low"]\n'
    )
    (tmp_path / "Idle.tla").write_text(IDLE)
    command.run("sweep", "sweep.toml", "--executor", "local", *tools(jar), cwd=tmp_path)
    found = open_view(tmp_path / "runs/sweep").why_all(1, tla2tools=jar)[None]
    assert (found.kind, found.name) == ("constraint", "Low")
    assert told(found) == [("conjunct", None, "sent > turns")]
    assert dict(found.causes[0].values) == {"sent": 0, "seen": 0, "turns": 0}


@pytest.mark.parametrize(("name", "text"), [("Always", "done = Nodes"), ("Ends", "hops = 1")])
def test_nested_temporal_operators(tmp_path: Path, name: str, text: str) -> None:
    found = asked(relay(tmp_path, None, "Weak", name, deadlock=False))
    assert [(each.text, each.value) for each in found.causes if each.role == "part"] == [(text, False)]


NESTED = {
    "Sealed": [("ver = 1", False, "Write"), ("lock /\\ ver = 1", True, None)],
    "Given": [("~(lock /\\ ver = 2)", False, "Write"), ("ver = 0", True, None)],
    "Denied": [("lock /\\ ver = 2", True, "Write")],
    "Each": [("ver # n + 1", False, "Write"), ("ver = n", True, None)],
    # Only one of its parts is refuted by a beginning.
    "Mixed": [("ver < 2", False, "Write"), ("lock", True, None)],
}


@EVERY_JAR
@pytest.mark.parametrize(("specification", "names"), [("Rounds", ["Sealed", "Mixed"]), ("Round", [*NESTED])])
def test_the_step_at_which_a_box_turns_false(
    tmp_path: Path, jar: Path | None, specification: str, names: list[str]
) -> None:
    """However the behaviour goes on, with its fairness: TLC ends it there, in a loop or by stuttering (tlaplus#710)."""
    model = f'specification = "{specification}"\ncheck_deadlock = false\n[parameters]\n'
    sweep = f'module = "Nest.tla"\n[model]\n{model}properties = {json.dumps([*names, "Comes"])}\n'
    view = swept(tmp_path, jar, Nest=spec("why/Nest"), sweep=sweep)
    for point, name in enumerate(names, 1):
        trace, found = view.trace(point), asked(view, point, jar=jar)
        assert (found.name, found.suspect) == (name, False)
        assert [(each.text, each.value, each.action) for each in found.causes] == NESTED[name]
        assert {(each.role, each.module) for each in found.causes} == {("part", "Nest")}
        ends = trace.loop_start is None and not trace.stuttering
        assert trace.suspect is (name == "Mixed" and ends)
    if specification == "Round":
        assert [each.role for each in asked(view, len(names) + 1, jar=jar).causes] == ["fairness", "part"]


@pytest.mark.parametrize(
    ("specification", "name", "action", "fairness", "end"),
    [
        # The fairness is that of a definition of the same name in an instance.
        ("Spec", "Live", "Step", None, "the specification has no fairness for it"),
        # The fairness is that of the same definition under another substitution.
        ("Only", "Live", "Flip", None, "the specification has no fairness for it"),
        # No step of the action changes what the subscript has.
        ("Kept", "Moves", "Held", "WF", "WF_x(Held) asks for nothing there: no step of it changes x"),
    ],
)
def test_fairness_is_that_of_one_definition_and_its_subscript(
    tmp_path: Path, specification: str, name: str, action: str, fairness: str | None, end: str
) -> None:
    model = f'specification = "{specification}"\nproperties = ["{name}"]\ncheck_deadlock = false\n'
    sweep = f'module = "Names.tla"\n[model]\n{model}'
    view = swept(tmp_path, Names=spec("why/Names"), NamesIn=spec("why/NamesIn"), sweep=sweep)
    first = asked(view).causes[0]
    assert (first.role, first.action, first.fairness) == ("fairness", action, fairness)
    assert first.says.endswith(f"never taken there; {end}")


def test_a_negation_is_read_to_its_end(tmp_path: Path) -> None:
    """What is below a negation, however that is written, keeps TLC from no part after it."""
    names = ["First", "Spelled", "Inside"]
    model = f'specification = "Spec"\n[parameters]\nproperties = {json.dumps(names)}\n'
    view = swept(tmp_path, Deny=spec("why/Deny"), sweep=f'module = "Deny.tla"\n[model]\n{model}')
    for point, name in enumerate(names, 1):
        found = asked(view, point)
        parts = [(each.text, each.value) for each in found.causes if each.role == "part"]
        assert (found.name, parts) == (name, [("y = 1", True)])


def test_a_response_below_a_negation(tmp_path: Path) -> None:
    """It names the condition with its response, or that the condition never is."""
    parts = {"Answered": {("x = 1", True), ("y = 1", True)}, "Unasked": {("x = 7", False)}}
    model = f'specification = "Spec"\n[parameters]\nproperties = {json.dumps(list(parts))}\n'
    view = swept(tmp_path, Deny=spec("why/Deny"), sweep=f'module = "Deny.tla"\n[model]\n{model}')
    for point, expected in enumerate(parts.values(), 1):
        assert {
            (each.text, each.value) for each in asked(view, point).causes if each.role == "part"
        } == expected


def test_an_action_whose_arguments_come_and_go(tmp_path: Path) -> None:
    """Only some states have the message that is received."""
    sweep = 'module = "Mail.tla"\n[model]\nspecification = "Spec"\nproperties = ["Arrives"]\ncheck_deadlock = false\n'
    first = asked(swept(tmp_path, Mail=spec("why/Mail"), sweep=sweep)).causes[0]
    assert (first.role, first.action, first.states) == ("fairness", "Receive", (3,))
    assert first.says.endswith("the specification has no fairness for it")


def test_an_invariant_as_conjuncts_say(tmp_path: Path) -> None:
    view = swept(tmp_path, Lease=spec("Lease"), sweep=LEASE)
    found, conjuncts = asked(view), view.conjuncts(1)
    turning = conjuncts.turning
    assert turning is not None
    assert told(found)[0] == ("conjunct", "Grant", turning.conjunct.text)
    assert dict(found.causes[0].values) == {name: int(value) for name, value in conjuncts.witness}


def test_check_shows_the_nearest_cause(run_cli: RunCli) -> None:
    asked = ("check", SPECS / "Ring.tla", "-c", "Nodes={1, 2}", "-c", 'Broken="stop"')
    assert 'because Reset is not enabled: FALSE is Broken # "stop"' in run_cli(*asked).stdout.splitlines()
    assert "because" not in run_cli(*asked, "--no-why").stdout
    [why] = run_cli(*asked, "--json").json["why"]
    assert (why["trace"], why["kind"], why["because"][0]["action"]) == (1, "deadlock", "Reset")


def test_a_sweep_keeps_why_its_kinds_are_violated_and_readers_tell(tmp_path: Path, run_cli: RunCli) -> None:
    view = relay(tmp_path, None, "Spec", "Refines", deadlock=True)
    rows = view.arrow("because").to_pylist()
    asked = {(row["kind"], row["trace"]): row["action"] for row in rows if row["rank"] == 1}
    assert asked.keys() == {(row.kind, row.trace) for row in view.trace_rows}
    assert {row["run_id"] for row in rows} == {view.trace_rows[0].run_id}
    begin = next(row for row in rows if row["action"] == "Begin")
    assert (json.loads(begin["values"]), begin["line"]) == ({"open": {"#bigint": "1"}}, 6)
    line = view.why_line(1, 2)
    assert line.startswith("because ")
    assert line in str(view.explain())
    junit, sarif = tmp_path / "junit.xml", tmp_path / "sarif.json"
    gated = run_cli("gate", view.store.path, "--junit", junit, "--sarif", sarif, cwd=tmp_path)
    [trace] = [row.trace for row in view.trace_rows if row.kind == "action_property"]
    because = view.why_line(1, trace)
    assert (gated.code, because in gated.stdout) == (1, True)
    assert because in junit.read_text("utf-8")
    assert because in str(json.loads(sarif.read_text("utf-8")))
    run_cli("report", view.store.path, "-o", tmp_path / "report.html")
    assert "the step to state" in (tmp_path / "report.html").read_text("utf-8")
    rows = run_cli("trace", view.store.path, "1", "--why", "--json").json
    assert [(row["point"], row["trace"], row["suspect"], row["reason"]) for row in rows] == [
        (1, number, False, None) for number in range(1, len(rows) + 1)
    ]
    kinds = {row["kind"]: row["because"] for row in rows}
    assert kinds.keys() == {"deadlock", "action_property"}
    begin = next(each for each in kinds["action_property"] if each["action"] == "Begin")
    assert begin["values"] == {"open": {"#bigint": "1"}}
    assert [each["rank"] for each in kinds["deadlock"]] == [*range(1, len(kinds["deadlock"]) + 1)]
    shown = run_cli("trace", view.store.path, "1", "--why", "--trace", "2").stdout
    assert "FALSE is Head(inbox[n]).size < 1; inbox last changed in state 4, by Take  Relay:15:6" in shown
    assert run_cli("trace", view.store.path, "--why").error.code == "point-missing"


def test_readers_name_the_command_where_nothing_was_asked(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Ring.tla").write_text(spec("Ring"))
    text = 'module = "Ring.tla"\n[constants]\nNodes = "{1, 2}"\nBroken = "\\"stop\\""\n'
    (tmp_path / "sweep.toml").write_text(text)
    assert run_cli("sweep", "sweep.toml", "--executor", "local", "--no-why", cwd=tmp_path).code == 1
    assert open_view(tmp_path / "runs/sweep").arrow("because").num_rows == 0
    gated = run_cli("gate", "sweep.toml", "--executor", "local", "--no-why", cwd=tmp_path)
    assert "why: tla2py trace runs/sweep 1 --why" in gated.stdout
    assert "because Reset is not enabled" in run_cli("gate", "sweep.toml", cwd=tmp_path).stdout


def failing(run_cli: RunCli, jar: Path | None, kind: str, most: int = 2) -> list[Any]:
    """What ``check --json`` says of a way to fail."""
    model = ["-c", f'Kind="{kind}"', "-c", f"Most={most}", "--no-deadlock", "--invariant", "First"]
    [why] = run_cli("check", SPECS / "why/Failing.tla", *model, "--json", *tools(jar)).json["why"]
    assert bool(why["because"]) is (why["reason"] is None)
    return list(why["because"])


@EVERY_JAR
def test_what_has_no_value_or_is_false(run_cli: RunCli, jar: Path | None) -> None:
    [found] = failing(run_cli, jar, "invariant")
    # TLC prints the states before the one in which it fails.
    assert (found["text"], found["state"], found["values"]) == ("Head(queue) > 0", 3, {"queue": []})
    [found] = failing(run_cli, jar, "", most=9)
    assert (found["text"], found["values"]) == ("Most < 9", {"Most": {"#bigint": "9"}})


@pytest.mark.parametrize(
    ("kind", "text", "state"),
    [
        ("assert", 'Kind = "assert" => Assert(count < 1, "too many")', 2),
        ("next", 'queue\' = IF queue = <<>> /\\ Kind # "next" THEN queue ELSE Tail(queue)', 3),
    ],
)
def test_a_step_that_tlc_cannot_evaluate(
    run_cli: RunCli, newer_tlc: Path, kind: str, text: str, state: int
) -> None:
    [found] = failing(run_cli, newer_tlc, kind)
    assert (found["text"], found["state"], found["action"]) == (text, state, "Take")
    assert {"n", "count"} <= found["values"].keys()


def test_an_assertion_before_which_tlc_prints_no_state(run_cli: RunCli) -> None:
    assert failing(run_cli, None, "assert") == []


def test_a_postcondition_names_what_is_false(run_cli: RunCli, newer_tlc: Path) -> None:
    [why] = run_cli("check", SPECS / "why/Searched.tla", "--json", "--tla2tools", newer_tlc).json["why"]
    [found] = why["because"]
    assert (found["says"], found["line"]) == ("TLCGet(7) > Most is FALSE at the end of the search", 8)
    assert found["values"] == {"TLCGet(7)": {"#bigint": "3"}, "Most": {"#bigint": "3"}}


def test_a_model_value_in_the_place_of_a_definition(run_cli: RunCli) -> None:
    [why] = run_cli("check", SPECS / "why/Slot.tla", "--json").json["why"]
    [found] = why["because"]
    assert (found["text"], found["state"], found["action"]) == ("held = None", 2, "Put")


def test_more_than_tlc_tells(tmp_path: Path) -> None:
    sweep = 'module = "Many.tla"\n[model]\nspecification = "Spec"\n'
    found = asked(swept(tmp_path, Many=spec("why/Many"), sweep=sweep))
    assert found.causes[0].action == "Step"
    assert "others may be nearer" in found.causes[-1].says


@EVERY_JAR
def test_an_action_that_keeps_a_variable_does_not_set_it(tmp_path: Path, jar: Path | None) -> None:
    model = 'properties = ["Live"]\ncheck_deadlock = false\n[parameters]\nspecification = ["Spec", "Inner"]\n'
    files = {name: spec(f"why/{name}") for name in ("Keeps", "KeepsIn")}
    view = swept(tmp_path, jar, **files, sweep=f'module = "Keeps.tla"\n[model]\n{model}')
    # In the instance a variable of another name stands for it.
    for point in (1, 2):
        says = [each.says for each in asked(view, point, jar=jar).causes]
        assert says == ["Set is never enabled in the loop; it sets x", "x = 1 is never TRUE"], point


@EVERY_JAR
def test_the_conjunct_of_an_action_that_is_an_argument(tmp_path: Path, jar: Path | None) -> None:
    model = 'check_deadlock = true\n[parameters]\nspecification = ["Spec", "Within"]\n'
    view = swept(tmp_path, jar, Given=spec("why/Given"), sweep=f'module = "Given.tla"\n[model]\n{model}')
    first, *others = asked(view, 1, jar=jar).causes
    assert first.says == "Do(Add) is not enabled: FALSE is x < 2, since state 3, after Do"
    assert [each.says for each in others] == ["Both(P(1), 4) is not enabled: FALSE is y > i"]
    assert others[0].values["i"] == 1
    causes = {
        each.says.partition(" is not enabled: FALSE is ")[::2]: each
        for each in asked(view, 2, jar=jar).causes
    }
    assert causes.keys() >= {("Do(Add)", "x < 2, since state 3, after Do")}
    # With q = 0 it is FALSE since the step before.
    chosen = next(each for (call, _), each in causes.items() if call == "Some(P(1) /\\ y' = y)")
    assert chosen.text == "x = q"
    since = {0: "state 2", 1: "state 3"}[chosen.values["q"]]  # type: ignore[index]
    assert chosen.says.endswith(f", since {since}, after Do")


@EVERY_JAR
def test_fairness_of_an_action_that_has_an_action_as_argument(tmp_path: Path, jar: Path | None) -> None:
    model = 'specification = "Loose"\nproperties = ["Lives"]\ncheck_deadlock = false\n'
    view = swept(tmp_path, jar, Given=spec("why/Given"), sweep=f'module = "Given.tla"\n[model]\n{model}')
    call, _, end = (
        asked(view, jar=jar).causes[0].says.partition(" is enabled in state 1, which recurs for ever, ")
    )
    assert (call, end) == ("Do(Add)", "and never taken there; the specification has no fairness for it")


@EVERY_JAR
def test_a_choice_among_temporal_formulas_that_constants_decide(tmp_path: Path, jar: Path | None) -> None:
    texts = {"Chosen": "x = 5", "Local": "x = 8", "Each": "x = 9"}
    names = json.dumps(list(texts))
    model = f'specification = "Spec"\ncheck_deadlock = false\n[constants]\nStrict = 1\n[parameters]\nproperties = {names}\n'
    view = swept(tmp_path, jar, Choice=spec("why/Choice"), sweep=f'module = "Choice.tla"\n[model]\n{model}')
    for point, text in enumerate(texts.values(), 1):
        parts = [each.text for each in asked(view, point, jar=jar).causes if each.role == "part"]
        assert text in parts, point
        assert "x = 0" not in parts
