"""Errors about mutants."""

from __future__ import annotations

from tests.conftest import COUNTER_SWEEP
from tests.errors.provoke import Lab, provokes


def mutated(lab: Lab, *options: str, mutants: str | None = None) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    if mutants is not None:
        lab.write("mine.jsonl", mutants)
        options = (*options, "--from", "mine.jsonl")
    lab.run("mutate", "sweep.toml", "--dry-run", *options)


@provokes("unknown-operator")
def an_operator_that_there_is_not(lab: Lab) -> None:
    mutated(lab, "--operators", "drop-all")


@provokes("no-mutants")
def nothing_to_mutate(lab: Lab) -> None:
    mutated(lab, "--operators", "drop-fairness")


@provokes("unknown-definition")
def a_definition_that_no_mutant_changes(lab: Lab) -> None:
    mutated(lab, "--actions", "Nothing")


@provokes("no-point")
def a_point_that_the_sweep_does_not_have(lab: Lab) -> None:
    mutated(lab, "--points", "99")


@provokes("usage")
def points_that_are_no_numbers(lab: Lab) -> None:
    mutated(lab, "--points", "first")


@provokes("bad-mutant", "mine.jsonl:1")
def a_mutant_that_is_not_json(lab: Lab) -> None:
    mutated(lab, mutants="x = 1\n")


@provokes("bad-mutant", "mine.jsonl:2")
def a_mutant_without_a_place(lab: Lab) -> None:
    mutated(lab, mutants='\n{"module": "Counter", "before": "x", "after": "y"}\n')


@provokes("bad-mutant", "mine.jsonl:1")
def a_mutant_of_another_module(lab: Lab) -> None:
    mutated(lab, mutants='{"module": "None", "line": 1, "column": 1, "before": "x", "after": "y"}\n')


@provokes("bad-mutant", "mine.jsonl:1")
def a_mutant_elsewhere(lab: Lab) -> None:
    mutated(lab, mutants='{"module": "Counter", "line": 99, "column": 1, "before": "x", "after": "y"}\n')


@provokes("mutants-unreadable")
def a_file_of_mutants_that_is_missing(lab: Lab) -> None:
    mutated(lab, "--from", "none.jsonl")


@provokes("usage")
def a_library_for_a_sweep_file_with_mutants(lab: Lab) -> None:
    mutated(lab, "-L", ".")


@provokes("no-holding-point")
def an_original_that_is_violated_everywhere(lab: Lab) -> None:
    lab.write(
        "Wrong.tla",
        "---- MODULE Wrong ----\nVARIABLE x\nNever == x # 0\nSpec == x = 0 /\\ [][x = 0 /\\ x' = x]_x\n====\n",
    )
    lab.write(
        "sweep.toml", 'module = "Wrong.tla"\n[model]\ninvariants = ["Never"]\n[tlc]\nmemory = "256MiB"\n'
    )
    lab.run("mutate", "sweep.toml", "-o", "store")
