"""Errors about mutants."""

from __future__ import annotations

import json

from tests.conftest import COUNTER_SWEEP
from tests.errors.provoke import Lab, provokes


def mutated(lab: Lab, *options: str, mutants: str | None = None) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    if mutants is not None:
        lab.write("mine.jsonl", mutants)
        options = (*options, "--from", "mine.jsonl")
    lab.run("mutate", "sweep.toml", "--dry-run", *options)


def given(**other: str | int | None) -> str:
    """A mutant on the second line; fields that are None are left out."""
    line = {"module": "Counter", "line": 7, "column": 1, "before": "x", "after": "y", **other}
    return "\n" + json.dumps({key: value for key, value in line.items() if value is not None}) + "\n"


WRONG = {
    "Wrong.tla": "---- MODULE Wrong ----\nVARIABLE x\nNever == x # 0\nSpec == x = 0 /\\ [][x = 0 /\\ x' = x]_x\n====\n",
    "sweep.toml": 'module = "Wrong.tla"\n[model]\ninvariants = ["Never"]\n[tlc]\nmemory = "256MiB"\n',
}
provokes.commands(("no-holding-point", None, "mutate sweep.toml -o store", WRONG))

provokes.rows(
    ("unknown-operator", None, lambda lab: mutated(lab, "--operators", "drop-all")),
    ("no-mutants", None, lambda lab: mutated(lab, "--operators", "drop-fairness")),
    ("unknown-definition", None, lambda lab: mutated(lab, "--actions", "Nothing")),
    ("no-point", None, lambda lab: mutated(lab, "--points", "99")),
    ("usage", None, lambda lab: mutated(lab, "--points", "first")),
    ("bad-mutant", "mine.jsonl:1", lambda lab: mutated(lab, mutants="x = 1\n")),
    ("bad-mutant", "mine.jsonl:2", lambda lab: mutated(lab, mutants=given(line=None))),
    ("bad-mutant", "mine.jsonl:2", lambda lab: mutated(lab, mutants=given(module="None"))),
    ("bad-mutant", "mine.jsonl:2", lambda lab: mutated(lab, mutants=given(line=99))),
    ("bad-mutant", "mine.jsonl:2", lambda lab: mutated(lab, mutants=given(after=""))),
    ("mutants-unreadable", None, lambda lab: mutated(lab, "--from", "none.jsonl")),
    ("usage", None, lambda lab: mutated(lab, "-L", ".")),
)
