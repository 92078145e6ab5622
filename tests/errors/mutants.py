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


provokes.commands(
    (
        "no-holding-point",
        None,
        "mutate sweep.toml -o store",
        {
            "Wrong.tla": "---- MODULE Wrong ----\nVARIABLE x\nNever == x # 0\nSpec == x = 0 /\\ [][x = 0 /\\ x' = x]_x\n====\n",
            "sweep.toml": 'module = "Wrong.tla"\n[model]\ninvariants = ["Never"]\n[tlc]\nmemory = "256MiB"\n',
        },
    )
)

provokes.rows(
    ("unknown-operator", None, lambda lab: mutated(lab, "--operators", "drop-all")),
    ("no-mutants", None, lambda lab: mutated(lab, "--operators", "drop-fairness")),
    ("unknown-definition", None, lambda lab: mutated(lab, "--actions", "Nothing")),
    ("no-point", None, lambda lab: mutated(lab, "--points", "99")),
    ("usage", None, lambda lab: mutated(lab, "--points", "first")),
    ("bad-mutant", "mine.jsonl:1", lambda lab: mutated(lab, mutants="x = 1\n")),
    (
        "bad-mutant",
        "mine.jsonl:2",
        lambda lab: mutated(lab, mutants='\n{"module": "Counter", "before": "x", "after": "y"}\n'),
    ),
    (
        "bad-mutant",
        "mine.jsonl:1",
        lambda lab: mutated(
            lab, mutants='{"module": "None", "line": 1, "column": 1, "before": "x", "after": "y"}\n'
        ),
    ),
    (
        "bad-mutant",
        "mine.jsonl:1",
        lambda lab: mutated(
            lab, mutants='{"module": "Counter", "line": 99, "column": 1, "before": "x", "after": "y"}\n'
        ),
    ),
    (
        "bad-mutant",
        "mine.jsonl:1",
        lambda lab: mutated(
            lab, mutants='{"module": "Counter", "line": 7, "column": 1, "before": "x", "after": ""}\n'
        ),
    ),
    ("mutants-unreadable", None, lambda lab: mutated(lab, "--from", "none.jsonl")),
    ("usage", None, lambda lab: mutated(lab, "-L", ".")),
)
