"""Errors in modules, in configs and in folders."""

from __future__ import annotations

from tests.conftest import COUNTER_SWEEP
from tests.errors.provoke import Lab, provokes


@provokes("module-unreadable", "Spec.tla")
def module_that_is_a_folder(lab: Lab) -> None:
    (lab.folder / "Spec.tla").mkdir()
    lab.run("inspect Spec.tla")


# Configs


@provokes("config-proves-nothing", "sweep.toml")
def config_that_checks_nothing(lab: Lab) -> None:
    from tla2py.execution.preflight import check_facts
    from tla2py.sweep.load import load_sweep
    from tla2py.sweep.plan import plan_sweep

    path = lab.write(
        "sweep.toml", 'module = "Counter.tla"\n[model]\ncheck_deadlock = false\n[constants]\nMax = 1\n'
    )
    sweep = load_sweep(path)
    check_facts(path, sweep, plan_sweep(sweep, ""))


# Folders


@provokes("manifest")
def manifest(lab: Lab) -> None:
    lab.write("manifest.json", "{}")
    lab.run("gate manifest.json")


@provokes("outside-folder", "out")
def folder_with_nothing_but_a_link(lab: Lab) -> None:
    (lab.folder / "models").mkdir()
    (lab.folder / "models" / "out").symlink_to(lab.folder)
    lab.run("gate models")


provokes.commands(
    ("module-missing", "None.tla", "inspect None.tla"),
    ("module-syntax", "Spec.tla:1:1", "inspect Spec.tla", {"Spec.tla": ""}),
    (
        "module-syntax",
        "Spec.tla:3:1",
        "init Spec.tla",
        {"Spec.tla": f"---- MODULE Spec ----\nA == {'(' * 4000}\n====\n"},
    ),
    ("module-missing", "None.tla", "sweep --configs '*.cfg' None.tla --dry-run", {"Own.cfg": ""}),
    ("module-name", "Spec.tla:1:14", "inspect Spec.tla", {"Spec.tla": "---- MODULE  Other ----\n====\n"}),
    (
        "unicode",
        "Spec.tla:2:3",
        "check Spec.tla",
        {
            "Spec.tla": "---- MODULE Spec ----\nA ≜ 1 ∈ {1}\nVARIABLE x\nSpec == x = 1 /\\ [][x' = x]_x\n====\n"
        },
    ),
    (
        "tlc-lacks",
        "Spec.tla:1:31",
        "check Spec.tla",
        {
            "Spec.tla": "---- MODULE Spec ---- EXTENDS TLCExt\nVARIABLE x\nSpec == x = 1 /\\ [][x' = x]_x\n====\n"
        },
    ),
    (
        "tlc-lacks",
        "sweep.toml:9:13",
        "sweep sweep.toml",
        {"sweep.toml": COUNTER_SWEEP + 'options = ["-nosuch"]\n'},
    ),
    ("config-missing", None, "check Counter.tla --config None.cfg"),
    ("config-missing", None, "lint None.tla"),
    ("module-syntax", "Spec.tla:1:1", "inspect Spec.tla", {"Spec.tla": b"\x00\xff\xfe"}),
    ("config-missing", None, "sweep --configs '*.cfg' Counter.tla --dry-run"),
    ("config-unreadable", None, "check Counter.tla --config ."),
    ("config-syntax", "Counter.cfg:1:1", "check Counter.tla", {"Counter.cfg": "Small\n"}),
    (
        "config-syntax",
        "Counter.cfg",
        "check Counter.tla",
        {"Counter.cfg": "SPECIFICATION Spec\nCONSTANT Max ="},
    ),
    ("constant-syntax", None, "check Counter.tla -c Max"),
    ("unknown-constant", None, "check Counter.tla -c Mex=1"),
    ("unknown-definition", None, "check Counter.tla -c Max=1 --invariant Smal"),
    ("folder-file", None, "gate .", {"models.toml": 'module = "Spec.tla"\n'}),
    ("manifest", None, "sweep manifest.json --no-trust", {"manifest.json": "{}"}),
)

provokes.rows(
    ("module-missing", "Spec.tla:2:9", lambda lab: lab.module("EXTENDS Elsewhere")),
    (
        "module-cycle",
        "Other.tla:1:32",
        lambda lab: lab.having("Other.tla", "---- MODULE Other ---- EXTENDS Spec\n====\n").module(
            "EXTENDS Other"
        ),
    ),
    (
        "pluscal-syntax",
        "Spec.tla:4:5",
        lambda lab: lab.module("(* --algorithm a\nbegin\n  x := ;\nend algorithm *)"),
    ),
    (
        "config-missing",
        "sweep.toml:2:11",
        lambda lab: lab.plan('module = "Counter.tla"\nconfig = "models/*.cfg"\n'),
    ),
    (
        "config-expect",
        "Counter.cfg:1:4",
        lambda lab: lab.having(
            "Counter.cfg", "\\* EXPECT Victory\nSPECIFICATION Spec\nCONSTANT Max = 1\n"
        ).plan('module = "Counter.tla"\nconfig = "Counter.cfg"\n'),
    ),
)
