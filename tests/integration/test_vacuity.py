"""What holds of nothing: vacuous properties, and actions that never fired."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tla2py
from tests import command
from tests.command import CommandResult
from tests.conftest import SPECS, RunCli, spec
from tests.stores import loose_records
from tla2py.analysis.points import disabled_actions
from tla2py.model.finding import Finding
from tla2py.store.store import Store

# Antecedents in every place that the layout of TLA+ makes delicate, tabs included. What no reachable state satisfies says 9.
MAIL = spec("vacuity/Mail")
SWEEP = (SPECS / "vacuity/sweep.toml").read_text()


# One point with few checks, for what does not depend on them.
SMALL = re.sub(r"\[(\"\w+\").*\]", r"[\1]", SWEEP).replace("[2, 3]", "[3]")
UNASKED = SMALL.replace("vacuity = true\n", "")


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    return shutil.copytree(SPECS / "vacuity", tmp_path / "mail")


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module and a store of its sweep, which tests copy before they change it."""
    folder = shutil.copytree(SPECS / "vacuity", tmp_path_factory.mktemp("mail") / "mail")
    command.run("sweep", "sweep.toml", "--executor", "local", "-o", "store", cwd=folder, code=0)
    return folder


def run(folder: Path, run_cli: RunCli, *args: str) -> CommandResult:
    return run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "store", *args, cwd=folder)


def found(folder: Path, *codes: str) -> list[Finding]:
    return [each for each in Store.open(folder / "store").findings().open if each.code in codes]


def test_the_antecedents_that_nothing_satisfies_are_named(probed: Path) -> None:
    findings = found(probed, "vacuous-implication", "vacuity-unchecked", "no-behaviour")
    lines = MAIL.splitlines()
    named = [lines[each.place.line - 1][each.place.column - 1 :] for each in findings]  # type: ignore[operator]
    assert [(each.subject, text[:8]) for each, text in zip(findings, named, strict=True)] == [
        ("Lists", "/\\ x = 9"),
        ("Nested", "x = 9 =>"),
        ("Hidden", "x = 9 =>"),
        ("Quantified", "m.at = n"),
        ("Then", "x = 9 ~>"),
        ("Steps", "x = 9 =>"),
    ]
    # In(9) is vacuous, but In(0) is not; nothing uses Empty.
    assert all(each.place.file == "Mail.tla" for each in findings)


# What decides before TLC comes to an implication, by the definition that it is in.
NEVER_EVALUATED = {
    "Disjuncts": "x \\in 0..N, before it, was TRUE each time",
    "Conjuncts": "x < 0, before it, was FALSE each time",
    "Branches": "x >= 0 was TRUE each time",
    "Cases": "it took an arm of the CASE before it each time",
    "Quantified": "sent was empty each time",
    "Local": "it used no unused of the LET",
    "Arguments": "Chosen did not evaluate it",
    "Apart": "nothing that it evaluated uses Apart",
    "Third": "one of the 2 disjuncts before it was TRUE each time",
    "Filtered": "it looked at no element of sent",
    "Deep": "x >= 0, before it, was TRUE each time",
}
HOLDS_AT_ONCE = [
    ("Starts", "x = 0 is TRUE in every initial state"),
    ("Responds", "every reached state that satisfies x = 1 satisfies x > 0"),
    ("Each", "every reached state that satisfies x = i satisfies x < N"),
    ("Recurs", "x < N is TRUE in every reached state"),
    ("Recurs", "x \\in Nat is TRUE in every reached state"),
]
ALWAYS_TRUE = [
    ("Able", "Up has no guard"),
    ("Stutters", "a step that changes nothing is enabled in every state"),
    ("Empty", "no step changes <<>>"),
    ("Constant", "no step changes N"),
]


def check_short(folder: Path) -> None:
    """Check the findings on ``Short.tla``, each with what it has to say."""
    for code, expected in (
        (
            "vacuous-implication",
            [
                *NEVER_EVALUATED.items(),
                ("Nested", "no reachable state satisfies x = 9"),
                ("Within", "x > 0 was FALSE"),
            ],
        ),
        ("vacuous-liveness", HOLDS_AT_ONCE),
        ("vacuous-property", ALWAYS_TRUE),
    ):
        findings = found(folder, code)
        assert [each.subject for each in findings] == [name for name, _ in expected]
        for finding, (_, words) in zip(findings, expected, strict=True):
            assert words in finding.message
            assert ("TLC never evaluated" in finding.message) == (finding.subject in NEVER_EVALUATED)
    assert found(folder, "vacuity-unchecked", "no-behaviour") == []


def test_what_decides_before_an_implication_and_what_holds_at_once(mail: Path, run_cli: RunCli) -> None:
    run_cli("sweep", "short.toml", "--executor", "local", "-o", "store", cwd=mail, code=0)
    check_short(mail)


@pytest.mark.jars
def test_every_tlc_reports_alike_what_decides(mail: Path, run_cli: RunCli, jar: Path) -> None:
    sweep = ("sweep", "short.toml", "--executor", "local", "-o", "store", "--tla2tools", jar)
    run_cli(*sweep, cwd=mail, code=0)
    check_short(mail)


SYMMETRIC = """---- MODULE Symmetric ----
EXTENDS TLC
CONSTANTS P, p
VARIABLE done
Init == done = {}
Next == \\E q \\in P : done' = {q}
Spec == Init /\\ [][Next]_done /\\ WF_done(Next)
Perms == Permutations(P)
Mine == p \\in done => done = {p}
Again == []<>(done \\subseteq P)
====
"""


def test_no_claim_about_states_that_others_stand_for(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Symmetric.tla").write_text(SYMMETRIC)
    (tmp_path / "sweep.toml").write_text(
        'module = "Symmetric.tla"\n[model]\ninvariants = ["Mine"]\nproperties = ["Again"]\nsymmetry = "Perms"\n'
        '[constants]\nP = "{c1, c2, c3}"\np = "c3"\n[tlc]\nvacuity = true\n'
    )
    run(tmp_path, run_cli)
    findings = found(tmp_path, "vacuous-implication", "vacuous-liveness")
    assert all("no reachable state" not in each.message for each in findings)
    assert all(each.code == "vacuous-implication" for each in findings)


def test_a_specification_without_behaviour_is_named(mail: Path, run_cli: RunCli) -> None:
    text = SMALL.replace("Strong = false\n", "")
    (mail / "sweep.toml").write_text(text.replace("N = [3]\n", "Strong = [false, true]\nN = [3]\n"))
    assert run(mail, run_cli).code == 0
    [finding] = found(mail, "no-behaviour")
    assert (finding.subject, finding.place.file, finding.place.line) == ("Spec", "Mail.tla", 12)
    assert "Strong = TRUE" in finding.message


def test_probes_are_kept_until_a_change(probed: Path, tmp_path: Path, run_cli: RunCli) -> None:
    mail = shutil.copytree(probed, tmp_path / "mail")
    records = Store.open(mail / "store").recorded()
    before = found(mail, "vacuous-implication")
    assert run(mail, run_cli).code == 0
    assert Store.open(mail / "store").recorded() == records
    assert found(mail, "vacuous-implication") == before
    (mail / "Mail.tla").write_text(MAIL.replace('"nack9") => n = 0', '"ack") => n < 9'))
    assert run(mail, run_cli).code == 0
    after = found(mail, "vacuous-implication")
    assert {each.subject for each in before} - {each.subject for each in after} == {"Quantified"}
    # The runs of the module before the change go, those that ask about the changed one stay.
    pruned = run_cli("prune", mail / "store")
    assert pruned.stdout.startswith(f"removed {len(records)} records, "), pruned
    again = run(mail, run_cli)
    assert (again.code, again.executed) == (0, 0)
    assert found(mail, "vacuous-implication") == after


def test_an_unanswered_probe_is_named(probed: Path, tmp_path: Path, run_cli: RunCli) -> None:
    mail = shutil.copytree(probed, tmp_path / "mail")
    points = Store.open(mail / "store").points().run_ids()
    for record in loose_records(mail / "store"):
        if record.stem not in points:
            record.unlink()
    ended = run_cli("gate", "store", cwd=mail)
    assert [each.code for each in ended.reported.gated[0].found.findings.open] == ["vacuity-unchecked"]


def test_what_is_not_vacuous_is_not_named(mail: Path, run_cli: RunCli) -> None:
    (mail / "sweep.toml").write_text(UNASKED)
    assert run(mail, run_cli).code == 0
    assert found(mail, "vacuous-implication") == []
    assert len(Store.open(mail / "store").recorded()) == 1
    (mail / "Mail.tla").write_text(MAIL.replace("x = 9 => FALSE \\* not", "x = 3 => FALSE \\* not"))
    (mail / "sweep.toml").write_text(SMALL.replace('["Lists"]', '["Quantified"]').replace("[3]", "[2, 3]"))
    assert run(mail, run_cli).code == 1
    assert "Hidden" not in [each.subject for each in found(mail, "vacuous-implication")]


def test_a_first_lock_asks_and_an_accepted_finding_is_listed(mail: Path, run_cli: RunCli) -> None:
    accepted = '[accept.vacuous-implication]\nLists = "a guard"\n'
    gate = ("gate", "sweep.toml", "--strict", "--executor", "local")
    (mail / "sweep.toml").write_text(UNASKED + accepted)
    [gated] = run_cli(*gate, "--record", cwd=mail, code=0).reported.gated
    assert [each.finding.subject for each in gated.found.findings.accepted].count("Lists") == 1
    # Later gates ask again.
    assert "\nvacuity = true\n" in (mail / "sweep.lock").read_text()
    (mail / "sweep.toml").write_text(UNASKED)
    assert {each.reason.value for each in run_cli(*gate, cwd=mail, code=1).problems} == {"finding"}
    (mail / "sweep.lock").unlink()
    run_cli(*gate, "--record", cwd=mail, code=1)


def test_the_last_antecedent_ends_the_search(mail: Path, run_cli: RunCli) -> None:
    run_cli("sweep", "count.toml", "--executor", "local", "-o", "store", cwd=mail, code=0)
    store = Store.open(mail / "store")
    assert store.findings().open == ()
    [point] = store.points()
    [probe] = store.recorded() - {point.run_id}
    with store.archive(probe) as archive:
        assert b"\n4 states generated" in archive.stdout(1).read()


def test_an_interrupt_says_how_many_probes_are_left(mail: Path, run_cli: RunCli) -> None:
    asked = ("sweep", "grid.toml", "--executor", "local", "-o", "store")
    argv = [sys.executable, "-m", "tla2py", *asked]
    with subprocess.Popen(argv, cwd=mail, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("grid vacuity: 2 runs to execute"):
                break
        # Each takes a second, as the points have, and JVMs start first.
        process.send_signal(signal.SIGINT)
        told = process.stderr.read().splitlines()
    assert process.returncode == 130
    assert told[-1] == "interrupted with 2 runs left; repeat the command to run them"
    again = run_cli(*asked, cwd=mail)
    assert (again.code, again.executed, again.cached) == (0, 2, 2)


def test_actions_that_never_fired_are_named(mail: Path, run_cli: RunCli) -> None:
    ended = run_cli("sweep", "steps.toml", "--executor", "local", "-o", "store", cwd=mail, code=0)
    said = [line.strip() for line in ended.stdout.partition("Actions that never fired")[2].splitlines()]
    assert said[1:3] == ["Never  Steps:8  at any point", "Jump  Steps:7  at points 1, 2"]
    # Either fires as Either(0), if not as Either(100).
    assert "Either" not in ended.stdout
    view = tla2py.open_store(mail / "store")
    told = [(one.name, one.disabled, one.never_enabled) for one in disabled_actions(view)]
    assert told == [("Never", (1, 2, 3), True), ("Jump", (1, 2), False)]
