"""Errors of the command line itself, and of what it writes."""

from __future__ import annotations

import socket
import tempfile

import tla2py
import tla2py.cli.options
import tla2py.tlc.config.render
from tests.conftest import COUNTER_SWEEP
from tests.errors.provoke import ITF, Lab, provokes


@provokes("system")
def no_folder_for_temporary_files(lab: Lab) -> None:
    lab.patch.setattr(tempfile, "tempdir", str(lab.folder / "none"))
    lab.write(*SWEPT)
    lab.run("check sweep.toml --point 1")


@provokes("examples-missing")
def installation_without_examples(lab: Lab) -> None:
    lab.patch.setattr(tla2py.cli.options, "__file__", str(lab.folder / "tla2py" / "examples.py"))
    lab.run("examples list")


@provokes("template-missing")
def installation_without_templates(lab: Lab) -> None:
    tla2py.tlc.config.render.default_template.cache_clear()
    lab.patch.setattr(tla2py, "__file__", str(lab.folder / "tla2py" / "__init__.py"))
    lab.plan(ONE.format(""))


@provokes("port-taken")
def explorer_on_a_port_that_is_in_use(lab: Lab) -> None:
    lab.view("invariant")
    with socket.create_server(("127.0.0.1", 0)) as server:
        lab.run("explore", "store", "--no-browser", "--port", str(server.getsockname()[1]))


SWEPT = ("sweep.toml", COUNTER_SWEEP)
SWEEP = {"sweep.toml": COUNTER_SWEEP}
LOCKED = {**SWEEP, "sweep.lock": "version = 1\n"}
ONE = 'module = "{}Counter.tla"\n[constants]\nMax = 1\n'
SAME = {f"{name}/sweep.toml": ONE.format("../") for name in "ab"}

provokes.commands(
    ("unknown-command", None, "swep sweep.toml"),
    ("usage", None, "sweep sweep.toml --paralel"),
    ("usage", None, "sweep sweep.toml -L lib"),
    ("usage", None, "cfg a.toml b.toml"),
    ("usage", None, "init Counter.tla --schema"),
    ("usage", None, "lint readme.txt"),
    ("usage", None, "lint Own.cfg Counter.tla Other.tla", {"Own.cfg": ""}),
    ("usage", None, "sweep --configs '*.cfg' sweep.toml"),
    ("no-query", None, "query trace.itf.json '/* a comment */ DROP TABLE runs'", ITF),
    ("sql", None, "query trace.itf.json 'SELECT pont FROM runs'", ITF),
    ("file-exists", None, "init Counter.tla -o sweep.toml", {"sweep.toml": ""}),
    ("output-unwritable", None, "init Counter.tla -o none/sweep.toml"),
    ("output-unwritable", None, "cfg sweep.toml -o Counter.tla/new", SWEEP),
    ("store-unwritable", None, "sweep sweep.toml --executor local -o Counter.tla/new", SWEEP),
    ("not-a-store", None, "sweep sweep.toml --executor local -o mine", {**SWEEP, "mine/a.tex": "x"}),
    ("output-is-input", None, "gate sweep.toml --junit Counter.tla", SWEEP),
    ("unknown-example", None, "examples copy kip3200 mine"),
    ("target-not-empty", None, "examples copy kip320 mine", {"mine/file": ""}),
    ("same-store", None, "sweep a/sweep.toml b/sweep.toml --dry-run", SAME),
    ("no-lock", None, "gate a.toml --locked", {"a.toml": ONE.format("")}),
    ("gate-sweep", None, "gate a.toml --sweep b.toml"),
    ("gate-reports", None, "gate a.toml --junit report --sarif ./report"),
    ("no-point", None, "check sweep.toml --point 9", SWEEP),
    ("lock-exists", None, "gate sweep.toml --record", LOCKED),
    *(
        (code, "sweep.lock", "gate sweep.toml", {**LOCKED, "sweep.lock": f"version = {n}\n"})
        for code, n in (("lock-damaged", ""), ("lock-too-new", "99"), ("lock-too-old", "1"))
    ),
)

provokes.rows(
    ("unknown-executor", None, lambda lab: tla2py.run_sweep(lab.write(*SWEPT), executor="threads")),
    ("usage", None, lambda lab: lab.viewed("invariant").run("trace store 1 --verify --diff 2")),
    ("usage", None, lambda lab: lab.viewed("invariant").run("trace store 1 --conjuncts --state 2")),
    ("output-unwritable", None, lambda lab: lab.viewed("success").run("report store -o none/page.html")),
    ("notes-unreadable", None, lambda lab: lab.viewed("success").run("report store --notes none.md")),
    ("gate-store", None, lambda lab: lab.viewed("success").run("gate store --fresh")),
)
