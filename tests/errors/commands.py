"""Errors of the command line itself, and of what it writes."""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

import tla2py
import tla2py.cli.options
import tla2py.tlc.config.render
from tests.conftest import COUNTER_SWEEP
from tests.errors.provoke import Lab, provokes
from tla2py.gate.lock import lock_path


@provokes("unknown-command")
def misspelt_command(lab: Lab) -> None:
    lab.run("swep", "sweep.toml")


@provokes("usage")
def misspelt_option(lab: Lab) -> None:
    lab.run("sweep", "sweep.toml", "--paralel")


@provokes("usage")
def library_of_a_sweep_file(lab: Lab) -> None:
    lab.run("sweep", "sweep.toml", "-L", "lib")


@provokes("usage")
def two_sweep_files_of_which_one_is_printed(lab: Lab) -> None:
    lab.run("cfg", "a.toml", "b.toml")


@provokes("usage")
def trace_that_is_to_be_verified_and_compared(lab: Lab) -> None:
    lab.view("invariant")
    lab.run("trace", "store", "1", "--verify", "--diff", "2")


@provokes("usage")
def state_without_its_action(lab: Lab) -> None:
    lab.view("invariant")
    lab.run("trace", "store", "1", "--conjuncts", "--state", "2")


@provokes("usage")
def schema_beside_nothing(lab: Lab) -> None:
    lab.run("init", "Counter.tla", "--schema")


@provokes("usage")
def lint_of_what_is_none(lab: Lab) -> None:
    lab.run("lint", "readme.txt")


@provokes("no-query")
def statement_that_is_no_query(lab: Lab) -> None:
    lab.write("trace.itf.json", '{"vars": ["x"], "states": [{"x": 1}]}')
    lab.run("query", "trace.itf.json", "/* a comment */ DROP TABLE runs")


@provokes("sql")
def column_that_no_table_has(lab: Lab) -> None:
    lab.write("trace.itf.json", '{"vars": ["x"], "states": [{"x": 1}]}')
    lab.run("query", "trace.itf.json", "SELECT pont FROM runs")


@provokes("system")
def no_folder_for_temporary_files(lab: Lab) -> None:
    lab.patch.setattr(tempfile, "tempdir", str(lab.folder / "none"))
    lab.write("sweep.toml", COUNTER_SWEEP)
    lab.run("check", "sweep.toml", "--point", "1")


@provokes("file-exists")
def file_that_is_there_already(lab: Lab) -> None:
    lab.write("sweep.toml", "")
    lab.run("init", "Counter.tla", "-o", "sweep.toml")


@provokes("output-unwritable")
def file_in_a_folder_that_is_not_there(lab: Lab) -> None:
    lab.run("init", "Counter.tla", "-o", "none/sweep.toml")


@provokes("output-unwritable")
def report_in_a_folder_that_is_not_there(lab: Lab) -> None:
    lab.view("success")
    lab.run("report", "store", "-o", "none/page.html")


@provokes("output-is-input")
def report_in_place_of_a_module(lab: Lab) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    lab.run("gate", "sweep.toml", "--junit", "Counter.tla")


@provokes("notes-unreadable")
def notes_that_are_not_there(lab: Lab) -> None:
    lab.view("success")
    lab.run("report", "store", "--notes", "none.md")


@provokes("unknown-example")
def misspelt_example(lab: Lab) -> None:
    lab.run("examples", "copy", "kip3200", "mine")


@provokes("target-not-empty")
def example_into_a_folder_with_files(lab: Lab) -> None:
    lab.write("mine/file", "")
    lab.run("examples", "copy", "kip320", "mine")


@provokes("examples-missing")
def installation_without_examples(lab: Lab) -> None:
    lab.patch.setattr(tla2py.cli.options, "__file__", str(lab.folder / "tla2py" / "examples.py"))
    lab.run("examples", "list")


@provokes("template-missing")
def installation_without_templates(lab: Lab) -> None:
    tla2py.tlc.config.render.default_template.cache_clear()
    lab.patch.setattr(tla2py, "__file__", str(lab.folder / "tla2py" / "__init__.py"))
    lab.plan('module = "Counter.tla"\n[constants]\nMax = 1\n')


@provokes("unknown-executor")
def executor_that_is_none(lab: Lab) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    tla2py.run_sweep("sweep.toml", executor="threads")


@provokes("same-store")
def two_sweeps_of_one_name(lab: Lab) -> None:
    lab.write("a/sweep.toml", 'module = "../Counter.tla"\n[constants]\nMax = 1\n')
    lab.write("b/sweep.toml", 'module = "../Counter.tla"\n[constants]\nMax = 2\n')
    lab.run("sweep", "a/sweep.toml", "b/sweep.toml", "--dry-run")


# The gate


@provokes("no-lock")
def lock_that_is_missing(lab: Lab) -> None:
    lab.write("a.toml", 'module = "Counter.tla"\n[constants]\nMax = 1\n')
    lab.run("gate", "a.toml", "--locked")


@provokes("gate-store")
def store_to_be_run(lab: Lab) -> None:
    lab.view("success")
    lab.run("gate", "store", "--fresh")


@provokes("gate-sweep")
def sweep_file_for_a_sweep_file(lab: Lab) -> None:
    lab.run("gate", "a.toml", "--sweep", "b.toml")


@provokes("gate-reports")
def two_reports_in_one_file(lab: Lab) -> None:
    lab.run("gate", "a.toml", "--junit", "report", "--sarif", "./report")


@provokes("no-point")
def check_of_no_point(lab: Lab) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    lab.run("check", "sweep.toml", "--point", "9")


@provokes("lock-exists")
def lock_that_is_there_already(lab: Lab) -> None:
    path = lab.write("sweep.toml", COUNTER_SWEEP)
    lab.write(lock_path(Path(path.name)).name, "version = 1\n")
    lab.run("gate", "sweep.toml", "--record")


@provokes("lock-damaged", "sweep.lock")
def lock_that_is_none(lab: Lab) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    lab.write("sweep.lock", "version = \n")
    lab.run("gate", "sweep.toml")


@provokes("lock-too-new", "sweep.lock")
def lock_of_a_later_version(lab: Lab) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    lab.write("sweep.lock", "version = 99\n")
    lab.run("gate", "sweep.toml")


@provokes("lock-too-old", "sweep.lock")
def lock_of_the_first_version(lab: Lab) -> None:
    lab.write("sweep.toml", COUNTER_SWEEP)
    lab.write("sweep.lock", "version = 1\n")
    lab.run("gate", "sweep.toml")


@provokes("port-taken")
def explorer_on_a_port_that_is_in_use(lab: Lab) -> None:
    lab.view("invariant")
    with socket.create_server(("127.0.0.1", 0)) as server:
        lab.run("explore", "store", "--no-browser", "--port", str(server.getsockname()[1]))
