"""Mutants of a module, and the figures about them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import SPECS, spec
from tests.unit.rows import mutant_row, run_row
from tla2py.errors import InputError
from tla2py.model.model import Config
from tla2py.model.mutant import Killer, MutantReport
from tla2py.model.outcome import Outcome, Verdict
from tla2py.mutation import plan
from tla2py.mutation.generate import Mutant
from tla2py.mutation.operators import OPERATORS
from tla2py.mutation.run import killers_of, status_of
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import load_modules, read_text

ROOT = Path(__file__).parents[3]
CONFIG = Config(specification="Spec", invariants=("Safe",))
CASE = "CASE n \\in acks -> acks' = acks \\ {n}\n                 [] OTHER -> UNCHANGED acks"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SPECS / "mutants", tmp_path / "mutants"), "Main.tla")


def mutants(path: Path, config: Config = CONFIG, **replaced: str) -> list[Mutant]:
    return plan.model_mutants(load_modules(path), config, replaced)


def changes(found: list[Mutant], operator: str) -> set[tuple[str, str, str]]:
    return {(m.definition, m.edit.before, m.edit.after) for m in found if m.operator == operator}


def test_guards_and_updates_are_told_apart_through_definitions_and_instances(main: Path) -> None:
    found = mutants(main)
    guards = changes(found, "drop-guard")
    assert {(d, before) for d, before, _ in guards} == {
        ("Write", r"\A n \in acks : ~state[n].busy"),
        ("Ack", r"\E q \in {Nodes, {n}} : Cardinality(q) > Cardinality(acks)"),
        ("Ack", "end > 0"),
        ("Append", "Free"),
        ("Free", "log < 9"),
        ("Free", "log >= 0"),
    }
    assert {(d, b, f"~({b})") for d, b, _ in guards} == changes(found, "negate-guard")
    assert changes(found, "drop-update") == {
        ("Append", "log' = log + n", "log' = log"),
        ("Write", "L!Append(1)", "end' = end"),
        ("Write", "Clear", "UNCHANGED <<acks, state>>"),
        ("Clear", "acks' = {}", "acks' = acks"),
        ("Ack", r"acks' = acks \cup {n}", "acks' = acks"),
        ("Ack", "state' = [state EXCEPT ![n].busy = TRUE]", "state' = state"),
        ("Leave", CASE, "acks' = acks"),
    }


@pytest.mark.parametrize(
    ("operator", "wanted"),
    [
        ("drop-disjunct", {("Next", "Write", "FALSE"), ("Next", "Ack(n)", "FALSE"), ("Next", "Leave(n)", "FALSE"),
                           ("Next", r"\E n \in Nodes : Ack(n) \/ Leave(n)", "FALSE")}),
        ("swap-comparison", {("Ack", ">", ">="), ("Free", "<", "<="), ("Free", ">=", ">")}),
        ("swap-arithmetic", set()),
        ("swap-set-operator", {("Ack", r"\cup", r"\cap")}),
        ("drop-difference", {("Leave", r" \ {n}", "")}),
        ("swap-quantifier", {("Write", r"\A", r"\E"), ("Ack", r"\E", r"\A")}),
        ("weaken-majority", {("Ack", "Cardinality(q)", "(Cardinality(q) + 1)")}),
        ("drop-element", {("Ack", "Nodes, ", ""), ("Ack", ", {n}", ""), ("Ack", "n", ""), ("Leave", "n", "")}),
        ("drop-branch", {("Ack", r"n \in acks", "TRUE"), ("Ack", r"n \in acks", "FALSE"), ("Leave", r"n \in acks", "FALSE")}),
        ("change-initial-value", {("Start", "0", "1"), ("Init", "Nodes", "{}"), ("Init", "FALSE", "TRUE"), ("Init", '"on"', '"off"')}),
        ("weaken-fairness", {("Spec", "SF", "WF")}),
        ("drop-fairness", {("Spec", "WF_vars(Write)", "TRUE"), ("Spec", r"SF_vars(\E n \in Nodes : Ack(n))", "TRUE")}),
        ("drop-check", {("Safe", "end >= 0", "TRUE"), ("Safe", r"\A n \in Nodes : state[n].mode \in Modes /\ acks \subseteq Nodes", "TRUE"),
                        ("Safe", r"state[n].mode \in Modes", "TRUE"), ("Safe", r"acks \subseteq Nodes", "TRUE")}),
    ],
)  # fmt: skip
def test_an_operator(main: Path, operator: str, wanted: set[tuple[str, str, str]]) -> None:
    assert changes(mutants(main), operator) == wanted


def test_each_mutant_is_one_span_that_parses_and_keeps_the_lines(main: Path) -> None:
    found = mutants(main)
    assert {m.operator for m in found} | {"given", "swap-arithmetic"} == set(OPERATORS)
    assert len({m.mutant for m in found}) == len(found)
    for each in found:
        text = (main.parent / f"{each.module}.tla").read_text()
        changed = each.edit.apply(text)
        assert read_text(changed).syntax_error is None, each
        assert len(changed.split("\n")) == len(text.split("\n"))
        head = text.split("\n")[each.edit.span.begin_line - 1][: each.edit.span.begin_column - 1]
        offset = len("\n".join(text.split("\n")[: each.edit.span.begin_line - 1])) + 1 + len(head)
        assert text[offset:].startswith(each.edit.before)
        assert changed.startswith(text[:offset] + each.edit.after)
        # But for white space, the rest is as it was.
        rest, before = changed[offset + len(each.edit.after) :], text[offset + len(each.edit.before) :]
        assert "".join(rest.split()) == "".join(before.split())


def test_all_mutants_of_the_systems_parse() -> None:
    for name in ("kip320/Kip320FirstTry", "bookkeeper/BookKeeperProtocol", "compaction/compaction"):
        graph = load_modules(ROOT / f"specs/{name}.tla", [ROOT / "specs/lib"])
        texts = {module.name: module.text for module in graph.modules}
        found = plan.model_mutants(graph, Config(specification="Spec"), {})
        assert len(found) > 80
        common = {"drop-guard", "negate-guard", "drop-update", "drop-disjunct", "change-initial-value"}
        assert {m.operator for m in found} >= common
        for each in found[::7]:
            changed = each.edit.apply(texts[each.module])
            assert read_text(changed).syntax_error is None, each
            assert len(changed.split("\n")) == len(texts[each.module].split("\n"))


def test_a_list_after_a_change_stays_aligned(tmp_path: Path) -> None:
    text = (
        "---- MODULE Wide ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Next == IF x < 3 THEN /\\ x' = x + 1\n                      /\\ x < 5\n        ELSE x' = 0\n====\n"
    )

    def made(text: str) -> list[Mutant]:
        (tmp_path / "Wide.tla").write_text(text)
        return mutants(tmp_path / "Wide.tla", Config(init="Init", next="Next"))

    def changed(text: str, after: str) -> list[str]:
        mutant = next(m for m in made(text) if m.edit.after == after and m.line == 5)
        return mutant.edit.apply(text).split("\n")

    assert all(read_text(m.edit.apply(text)).syntax_error is None for m in made(text))
    moved = ["Next == IF x <=", "               3 THEN /\\ x' = x + 1", "                      /\\ x < 5"]
    assert changed(text, "<=")[4:7] == moved
    assert changed(text, "TRUE")[4] == "Next == IF TRUE  THEN /\\ x' = x + 1"
    # A comment hides no list.
    assert changed(text.replace("x + 1\n", "x + 1\n \\* why\n"), "<=")[5] == moved[1]


def test_replaced_definitions_stay(main: Path) -> None:
    assert {m.definition for m in mutants(main)} >= {"Free", "Clear"}
    assert not {m.definition for m in mutants(main, Free="TRUE", Clear="Idle")} & {"Free", "Clear"}
    # An id depends on the definition alone.
    before = {m.mutant for m in mutants(main)}
    main.write_text(main.read_text().replace("Idle ==", "\n\\* new\nIdle =="))
    assert {m.mutant for m in mutants(main)} == before
    main.write_text(main.read_text().replace("acks' = {}", "acks' = Nodes \\ Nodes"))
    assert {m.definition for m in mutants(main) if m.mutant not in before} == {"Clear"}


def test_samples_are_reproducible_and_choices_are_checked(main: Path) -> None:
    found = mutants(main)
    some, same, others = (plan.chosen_mutants(found, sample=5, seed=seed) for seed in (3, 3, 4))
    assert some == same != others
    assert len(some) == 5
    assert {m.definition for m in plan.chosen_mutants(found, actions=["Ack"])} == {"Ack"}
    assert {m.operator for m in plan.chosen_mutants(found, operators=["drop-guard"])} == {"drop-guard"}
    with pytest.raises(InputError, match="no mutation operator"):
        plan.chosen_mutants(found, operators=["drop-gard"])
    # Given mutants are places and texts.
    line = {"module": "Main", "line": 11, "column": 10, "before": "acks' = {}", "after": "acks' = Nodes"}
    [given] = plan.given_mutants([load_modules(main)], ["", json.dumps(line)], "mine.jsonl")
    assert (given.operator, given.definition, given.edit.after) == ("given", "Clear", "acks' = Nodes")
    assert "Clear == acks' = Nodes /\\ UNCHANGED state" in given.edit.apply(main.read_text())


def test_a_translation_shows_the_line_of_the_algorithm() -> None:
    module = read_text(spec("mutants/Loop"), Path("Loop.tla"))
    graph = ModuleGraph(root=module, modules=(module,), standard=("Naturals",))
    found = plan.model_mutants(graph, Config(specification="Spec"), {})
    places = {(m.line, m.algorithm) for m in found if m.definition == "Step"}
    assert places == {(13, 6), (14, 6), (15, 6)}


REPORT = MutantReport(
    sweep="s",
    mutants=(
        mutant_row("1", "killed", "Safe", point=1),
        mutant_row("2", "killed", "Safe", "Typed", point=2),
        mutant_row("3", "killed", killed_by=(Killer("mutant", "other"),), point=2, definition="Safe"),
        mutant_row("4", "survived", definition="B"),
        mutant_row("5", "equivalent"),
        mutant_row("6", "stillborn", definition="C"),
    ),
    points=(1, 2),
    checks={"Safe": 5, "Typed": 5, "deadlock": 3},
)


def test_figures() -> None:
    assert plan.status_counts(REPORT) == {"killed": 3, "survived": 1, "equivalent": 1, "stillborn": 1}
    assert (plan.score(REPORT).killed, plan.score(REPORT).of) == (3, 4)
    shares = [(s.name, s.killed, s.of) for s in plan.definition_shares(REPORT)]
    assert shares == [("A", 2, 2), ("Safe", 1, 1), ("B", 0, 1)]
    figures = [(c.check, c.asked, c.kills, c.alone) for c in plan.check_figures(REPORT)]
    assert figures == [("Safe", 5, 2, 1), ("Typed", 5, 1, 0), ("deadlock", 3, 0, 0)]
    assert plan.sizes(REPORT) == [(1, 1), (2, 1)]


@pytest.mark.parametrize(
    ("outcome", "verdict", "distinct", "kinds", "status"),
    [
        (Outcome.SUCCESS, Verdict.HOLDS, 9, (), None),
        (Outcome.SUCCESS, Verdict.HOLDS, 10, (), "unknown"),
        (Outcome.SUCCESS, Verdict.HOLDS, 0, (), "stillborn"),
        (Outcome.ERROR_SPEC_PARSE, Verdict.BROKEN, None, (), "stillborn"),
        (Outcome.NOT_STARTED, Verdict.BROKEN, None, (), "unknown"),
        (Outcome.FAILURE_SPEC_EVAL, Verdict.BROKEN, None, (), "killed"),
        (Outcome.VIOLATION_ASSUMPTION, Verdict.EXCLUDED, None, (), "killed"),
        (Outcome.TIMEOUT, Verdict.INCONCLUSIVE, 5, (), "unknown"),
        (Outcome.VIOLATION_SAFETY, Verdict.VIOLATED, 12, ("invariant",), "killed"),
        (Outcome.VIOLATION_LIVENESS, Verdict.VIOLATED, 12, ("temporal_property",), "unknown"),
        (Outcome.VIOLATION_LIVENESS, Verdict.VIOLATED, 9, ("temporal_property",), "killed"),
    ],
)
def test_a_status(
    outcome: Outcome, verdict: Verdict, distinct: int | None, kinds: tuple[str, ...], status: str | None
) -> None:
    names = (f"{kind}:P" for kind in kinds)
    result = run_row(verdict.value, *names, outcome=outcome, distinct=distinct)
    assert status_of(result, 10) == status
    if status == "killed":
        word = {Verdict.BROKEN: "evaluation", Verdict.EXCLUDED: "assumption"}.get(verdict)
        assert [each.kind for each in killers_of(result)] == ([word] if word else list(kinds))


def test_a_budget_is_in_the_last_line_of_the_first_module() -> None:
    text = "---- MODULE A ----\n---- MODULE B ----\n====\nx == 1\n  =====\n---- MODULE C ----\n====\n"
    lines = plan.with_budget(text, 7).split("\n")
    assert lines[4].startswith("tla2pyBudget == LET ")
    assert lines[4].endswith('TLCGet("distinct"), 7) =====')
    assert [n for n, line in enumerate(lines) if line != text.split("\n")[n]] == [4]
