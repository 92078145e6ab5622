"""Specifications judged beside references: honest ones in other words, and those that only look right."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunCli

JUDGED = Path(__file__).parents[1] / "specs" / "judged"
ELECTION = "election/Election.tla --map Node=Servers --map vote=ballot --map leader=winners"
QUEUE, LEASE, COMMIT = "queue/Queue.tla", "lease/Lease.tla", "commit/Commit.tla"
# A specification, its reference, and the checks that fail; without any it is good.
PAIRS = [
    ("election/Ballots.tla", ELECTION, ""),
    ("queue/honest/Queue.tla", QUEUE, ""),
    ("lease/Leases.tla", LEASE, ""),
    ("commit/Decision.tla", COMMIT, ""),
    ("election/Election.tla", "election/Election.tla", ""),
    ("commit/Commit.tla", COMMIT, ""),
    # A bound that nothing reaches.
    ("election/Weakened.tla", ELECTION, "mutants strength"),
    # One server, where half is enough.
    ("election/TooSmall.tla", ELECTION, "size mutants strength"),
    # Nothing says that messages arrive, or in which order.
    ("queue/Deleted.tla", QUEUE, "strength"),
    # The search ends before the channel overflows.
    ("queue/Constrained.tla", QUEUE, "constraint strength"),
    # A premise that no state satisfies.
    ("lease/Vacuous.tla", LEASE, "vacuity mutants strength"),
    ("commit/TypesOnly.tla", COMMIT, "strength"),
]
CORE = ("election/Ballots.tla", "election/Weakened.tla")


def judged(run: RunCli, folder: Path, *args: str | Path) -> tuple[int, dict[str, Any]]:
    ended = run("judge", *args, "-o", folder / "judged", "--json")
    return ended.code, ended.json


def graded(judgement: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [each for each in judgement["checks"] if each["name"] == name]
    return dict(found)


@pytest.mark.parametrize(
    ("spec", "reference", "failing"),
    [
        pytest.param(*each, id=each[0], marks=getattr(pytest.mark, "core" if each[0] in CORE else "systems"))
        for each in PAIRS
    ],
)
def test_an_honest_specification_is_good_and_a_cheat_is_bad(
    run_cli: RunCli, tmp_path: Path, spec: str, reference: str, failing: str
) -> None:
    specs = shutil.copytree(JUDGED, tmp_path / "specs")
    file, *maps = reference.split()
    code, found = judged(run_cli, tmp_path, specs / spec, "--reference", specs / file, *maps)
    assert (code, found["verdict"]) == ((1, "bad") if failing else (0, "good")), found
    failed = {each["name"] for each in found["checks"] if each["verdict"] == "fail"}
    assert failed == {*failing.split()}, found
    if "strength" in failing:
        strength = graded(found, "strength")
        violated = strength["evidence"]["reference_on_candidate"]["violated"]
        assert violated or strength["evidence"]["mutants"]["proof"], strength
        # Its command runs what the proof names.
        repeated = run_cli(*strength["command"][1:], "--json", "-o", tmp_path / "again")
        rows = {each["mutant"]: each for each in repeated.json}
        for proof in strength["evidence"]["mutants"]["proof"]:
            assert rows[proof["mutant"]]["status"] == "killed"


# What is changed in a file, and to what.
VIEW = ["spec tla Win(c) == 2 *|Seen == vote\nWin(c) == 2 + 2 *", "spec cfg CHECK|VIEW Seen\nCHECK"]
RETYPED = "spec cfg T |T Consistent <- TypeOK\n"
REPLACED = ["spec tla Elected ==|Fine == TRUE\nElected ==", "spec cfg T |T Elected <- Fine\n"]


@pytest.mark.parametrize(
    ("name", "changes", "failing", "words"),
    [
        # Of the reference and the candidate, the candidate does not ask for deadlocks.
        ("commit/Commit", ["reference cfg CHECK_DEADLOCK FALSE|"], "strength", "noticed there by deadlock"),
        # Nobody wins, as the first would have to have won before.
        ("election/Election", ["spec tla Win(c) ==|Win(c) == leader # {} /\\"], "coverage", "enables Win"),
        # TLC takes a state in which somebody has won for the one before.
        ("election/Election", VIEW, "constraint", "Seen cuts off a violation of "),
        # The config puts another definition in the place of the property.
        ("election/Election", REPLACED, "vacuity", "Fine does not depend on the state"),
        ("commit/Commit", [RETYPED], "strength", "noticed there by Consistent"),
    ],
)
def test_a_cheat_outside_of_the_properties(
    run_cli: RunCli, tmp_path: Path, name: str, changes: list[str], failing: str, words: str
) -> None:
    folder, _, module = name.partition("/")
    for side in ("spec", "reference"):
        shutil.copytree(JUDGED / folder, tmp_path / side)
    for change in changes:
        side, kind, text = change.split(" ", 2)
        file = tmp_path / side / f"{module}.{kind}"
        old, new = text.split("|")
        file.write_text(file.read_text().replace(old, new, 1))
    spec, reference = (tmp_path / side / f"{module}.tla" for side in ("spec", "reference"))
    code, found = judged(run_cli, tmp_path, spec, "--reference", reference)
    check = graded(found, failing)
    assert (code, check["verdict"]) == (1, "fail"), found
    assert words in check["evidence"]["summary"], found


def test_a_module_that_extends_the_specification(run_cli: RunCli, tmp_path: Path) -> None:
    for side in ("spec", "reference"):
        shutil.copytree(JUDGED / "election", tmp_path / side)
        module = tmp_path / side / "MC.tla"
        module.write_text("---- MODULE MC ----\nEXTENDS Election\n====\n")
        (tmp_path / side / "Election.cfg").rename(module.with_suffix(".cfg"))
    file = tmp_path / "spec/Election.tla"
    file.write_text(file.read_text().replace("\\A a, b \\in leader : a = b", "Cardinality(leader) <= 1"))
    spec, reference = (tmp_path / side / "MC.tla" for side in ("spec", "reference"))
    code, found = judged(run_cli, tmp_path, spec, "--reference", reference, "--sample", "10")
    assert (code, found["verdict"]) == (0, "good"), found


def test_what_cannot_be_mapped_is_no_pass(run_cli: RunCli, tmp_path: Path) -> None:
    shutil.copytree(JUDGED / "election", tmp_path / "specs")
    spec, reference = tmp_path / "specs/Ballots.tla", tmp_path / "specs/Election.tla"
    code, found = judged(run_cli, tmp_path, spec, "--reference", reference)
    assert (code, found["verdict"]) == (3, "doubtful")
    for name in ("size", "behaviour", "strength"):
        check = graded(found, name)
        assert check["verdict"] == "doubtful"
        assert "--map vote=NAME" in check["evidence"]["summary"]
    ended = run_cli("judge", spec, "--reference", tmp_path / "specs/Other.tla")
    assert (ended.code, ended.error.code) == (2, "module-missing")
    assert run_cli("judge", spec, "--reference", reference, "--map", "vote", code=2).error.code == "usage"
    reference = tmp_path / "specs/MCElection.tla"
    text = '---- MODULE MCElection ----\nEXTENDS Election\nMCNode == {"a", "b", "c", "d"}\n====\n'
    reference.write_text(text)
    config = (JUDGED / "election/Election.cfg").read_text()
    reference.with_suffix(".cfg").write_text(config.replace('= {"a", "b", "c"}', "<- MCNode"))
    spec = tmp_path / "specs/Election.tla"
    code, found = judged(run_cli, tmp_path, spec, "--reference", reference, "--sample", "5")
    size = graded(found, "size")
    assert (code, size["verdict"], size["evidence"]["not_taken"]) == (3, "doubtful", ["Node"])
    assert "--sample" in size["command"]


def test_what_assumes_more_or_says_little_is_not_good(run_cli: RunCli, tmp_path: Path) -> None:
    for side in ("spec", "reference"):
        shutil.copytree(JUDGED / "commit", tmp_path / side)
    spec, reference = (tmp_path / side / "Commit.tla" for side in ("spec", "reference"))
    text = spec.read_text()
    # The behaviours without the fairness that it adds are those of the reference.
    spec.write_text(text.replace("[][Next]_vars", "[][Next]_vars /\\ WF_vars(Decide)", 1))
    code, found = judged(run_cli, tmp_path, spec, "--reference", reference, "--sample", "5")
    check = graded(found, "behaviour")
    assert (code, found["verdict"], check["verdict"]) == (3, "doubtful", "doubtful"), found
    assert check["evidence"]["fairness"] == {"candidate": ["WF_vars(Decide)"], "reference": []}
    # A subscript that no step changes, and so few mutants noticed that the line says how many should be.
    spec.write_text(text.replace("decision' = decision]_vars", "decision' = decision]_<<>>", 1))
    config = spec.with_suffix(".cfg")
    config.write_text(config.read_text().replace("INVARIANTS TypeOK Consistent", "INVARIANTS TypeOK"))
    code, found = judged(run_cli, tmp_path, spec)
    assert (code, graded(found, "vacuity")["verdict"]) == (1, "fail"), found
    assert "no step changes <<>>" in graded(found, "vacuity")["evidence"]["summary"]
    mutants = graded(found, "mutants")
    assert mutants["evidence"]["killed"] * 4 < mutants["evidence"]["of"], mutants
    assert mutants["verdict"] in ("doubtful", "fail")
    assert "at least a quarter should be" in mutants["evidence"]["summary"]


def test_logs_and_what_does_not_run(run_cli: RunCli, tmp_path: Path) -> None:
    shutil.copytree(JUDGED / "election", tmp_path / "specs")
    spec = tmp_path / "specs/Election.tla"
    vote = '{"action": "Vote", "args": {"n": "a", "c": "b"}}\n'
    for name, text in {"right": vote, "wrong": vote + '{"action": "Win", "args": {"c": "b"}}\n'}.items():
        (tmp_path / f"{name}.ndjson").write_text(text)
    for name, expected in (("right", (0, "good", "pass")), ("wrong", (1, "bad", "fail"))):
        code, found = judged(run_cli, tmp_path, spec, "--log", tmp_path / f"{name}.ndjson")
        assert (code, found["verdict"], graded(found, "logs")["verdict"]) == expected, name
    text = spec.read_text()
    spec.write_text(text.replace("Init ==", "Init =", 1))
    code, found = judged(run_cli, tmp_path, spec)
    assert (code, found["verdict"], graded(found, "parses")["verdict"]) == (2, "bad", "fail")
    assert {each["verdict"] for each in found["checks"]} == {"fail", "not_applicable"}
    # Nobody votes, so nobody wins.
    spec.write_text(text.replace('== vote[n] = "none"', '== vote[n] = "nobody"', 1))
    code, found = judged(run_cli, tmp_path, spec)
    assert (code, graded(found, "size")["verdict"]) == (1, "fail")
    shown = run_cli("judge", spec, "-o", tmp_path / "judged")
    assert shown.stdout.startswith(f"bad  {spec}\n")
    assert "nothing happens" in shown.stdout
