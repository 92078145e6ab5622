"""Errors in modules, in configs, in folders and about mutants."""

from __future__ import annotations

import json

from tests.conftest import COUNTER_SWEEP
from tests.errors.provoke import Lab, provokes
from tla2py.execution.preflight import check_facts
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep


@provokes("config-proves-nothing", "sweep.toml")
def config_that_checks_nothing(lab: Lab) -> None:
    text = 'module = "Counter.tla"\n[model]\ncheck_deadlock = false\n[constants]\nMax = 1\n'
    path = lab.write("sweep.toml", text)
    sweep = load_sweep(path)
    check_facts(path, sweep, plan_sweep(sweep, ""))


@provokes("outside-folder", "out")
def folder_with_nothing_but_a_link(lab: Lab) -> None:
    (lab.folder / "models").mkdir()
    (lab.folder / "models" / "out").symlink_to(lab.folder)
    lab.run("gate models")


STEP = "VARIABLE x\nSpec == x = 1 /\\ [][x' = x]_x\n====\n"
DEEP = f"---- MODULE Spec ----\nA == {'(' * 4000}\n====\n"
CUT = "SPECIFICATION Spec\nCONSTANT Max ="
EXTENDING = f"---- MODULE Spec ---- EXTENDS TLCExt\n{STEP}"
UNICODE = f"---- MODULE Spec ----\nA ≜ 1 ∈ {{1}}\n{STEP}"
NO_SUCH_OPTION = {"sweep.toml": COUNTER_SWEEP + 'options = ["-nosuch"]\n'}

provokes.commands(
    ("module-unreadable", "Spec.tla", "inspect Spec.tla", {"Spec.tla/file": ""}),
    ("module-missing", "None.tla", "inspect None.tla"),
    ("module-syntax", "Spec.tla:1:1", "inspect Spec.tla", {"Spec.tla": ""}),
    ("module-syntax", "Spec.tla:3:1", "init Spec.tla", {"Spec.tla": DEEP}),
    ("module-missing", "None.tla", "sweep --configs '*.cfg' None.tla --dry-run", {"Own.cfg": ""}),
    ("module-name", "Spec.tla:1:14", "inspect Spec.tla", {"Spec.tla": "---- MODULE  Other ----\n====\n"}),
    ("unicode", "Spec.tla:2:3", "check Spec.tla", {"Spec.tla": UNICODE}),
    ("tlc-lacks", "Spec.tla:1:31", "check Spec.tla", {"Spec.tla": EXTENDING}),
    ("tlc-lacks", "sweep.toml:9:13", "sweep sweep.toml", NO_SUCH_OPTION),
    ("config-missing", None, "check Counter.tla --config None.cfg"),
    ("config-missing", None, "lint None.tla"),
    ("module-syntax", "Spec.tla:1:1", "inspect Spec.tla", {"Spec.tla": b"\x00\xff\xfe"}),
    ("config-missing", None, "sweep --configs '*.cfg' Counter.tla --dry-run"),
    ("config-unreadable", None, "check Counter.tla --config ."),
    ("config-syntax", "Counter.cfg:1:1", "check Counter.tla", {"Counter.cfg": "Small\n"}),
    ("config-syntax", "Counter.cfg", "check Counter.tla", {"Counter.cfg": CUT}),
    ("constant-syntax", None, "check Counter.tla -c Max"),
    ("unknown-constant", None, "check Counter.tla -c Mex=1"),
    ("unknown-definition", None, "check Counter.tla -c Max=1 --invariant Smal"),
    ("folder-file", None, "gate .", {"models.toml": 'module = "Spec.tla"\n'}),
    ("manifest", None, "gate manifest.json", {"manifest.json": "{}"}),
    ("manifest", None, "sweep manifest.json --no-trust", {"manifest.json": "{}"}),
)

OTHER = "---- MODULE Other ---- EXTENDS Spec\n====\n"
VICTORY = {"Counter.cfg": "\\* EXPECT Victory\nSPECIFICATION Spec\nCONSTANT Max = 1\n"}
ALGORITHM = "(* --algorithm a\nbegin\n  x := ;\nend algorithm *)"

provokes.plans(
    'module = "Counter.tla"\n',
    ("config-missing", "2:11", 'config = "models/*.cfg"\n'),
    ("config-expect", "Counter.cfg:1:4", 'config = "Counter.cfg"\n', VICTORY),
)

provokes.rows(
    ("module-missing", "Spec.tla:2:9", lambda lab: lab.module("EXTENDS Elsewhere")),
    ("module-cycle", "Other.tla:1:32", lambda lab: lab.having("Other.tla", OTHER).module("EXTENDS Other")),
    ("pluscal-syntax", "Spec.tla:4:5", lambda lab: lab.module(ALGORITHM)),
)


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
