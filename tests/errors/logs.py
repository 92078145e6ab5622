"""Errors about logs and the modules that read them."""

from __future__ import annotations

from tests.errors.provoke import Lab, provokes

TRACE = """---- MODULE Trace ----
EXTENDS Naturals, Sequences
VARIABLE l
IOEnv == [A |-> "a", B |-> "b"]
ndJsonDeserialize(path) == <<path>>
Log == ndJsonDeserialize(IOEnv.A) \\o ndJsonDeserialize(IOEnv.B)
Spec == l = 1 /\\ [][l <= Len(Log) /\\ l' = l + 1]_l
====
"""


def planned(lab: Lab, keys: str, log: str = "1\n", module: str = TRACE) -> None:
    lab.write("Trace.tla", module)
    lab.write("a.ndjson", log)
    lab.plan(f'module = "Trace.tla"\n[logs]\nfiles = ["a.ndjson"]\n{keys}')


@provokes("log-reader", "sweep.toml:3:1")
def two_ways_to_a_log(lab: Lab) -> None:
    planned(lab, "")


@provokes("log-reader", "sweep.toml:4:1")
def an_unknown_way_to_a_log(lab: Lab) -> None:
    planned(lab, 'as = "Path"\n')


@provokes("log-reader", "Trace.tla")
def a_log_outside_of_the_folder(lab: Lab) -> None:
    planned(lab, "", module=TRACE.replace("IOEnv.A", '"/log"').replace("IOEnv.B", '"/log"'))


@provokes("log-position", "sweep.toml:5:1")
def a_position_without_a_variable(lab: Lab) -> None:
    planned(lab, 'as = "environment.A"\nposition = "1 + 1"\n')


@provokes("log-unused", "sweep.toml:5:1")
def a_step_unobserved_by_a_module_that_reads_its_log(lab: Lab) -> None:
    planned(lab, 'as = "environment.A"\nunobserved = 1\n')


@provokes("log-files", "sweep.toml:3:1")
def two_files_for_a_module_that_reads_its_log(lab: Lab) -> None:
    lab.write("Trace.tla", TRACE)
    lab.write("run/a.ndjson", "1\n")
    lab.write("run/b.ndjson", "1\n")
    lab.plan('module = "Trace.tla"\n[logs]\nfiles = ["run"]\nas = "environment.A"\n')


@provokes("log-action", "sweep.toml:5:19")
def a_map_to_an_unknown_action(lab: Lab) -> None:
    lab.write("a.ndjson", "{}\n")
    keys = '[logs.map]\nactions = { up = "Upp" }\n[constants]\nMax = 1\n'
    lab.plan(f'module = "Counter.tla"\n[logs]\nfiles = ["a.ndjson"]\n{keys}')


@provokes("input-missing", "sweep.toml:3:11")
def a_log_that_is_missing(lab: Lab) -> None:
    lab.plan('module = "Counter.tla"\n[logs]\nfiles = ["b.ndjson"]\n')


@provokes("usage")
def a_module_without_logs(lab: Lab) -> None:
    lab.run("validate", "Counter.tla")


@provokes("usage")
def a_sweep_file_without_logs(lab: Lab) -> None:
    lab.write("sweep.toml", 'module = "Counter.tla"\n[constants]\nMax = 1\n')
    lab.run("validate", "sweep.toml")


@provokes("usage")
def a_sweep_file_with_logs_beside_it(lab: Lab) -> None:
    lab.run("validate", "sweep.toml", "a.ndjson")
