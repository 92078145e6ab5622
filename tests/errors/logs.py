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


@provokes("log-action", "sweep.toml:5:19")
def a_map_to_an_unknown_action(lab: Lab) -> None:
    lab.write("a.ndjson", "{}\n")
    keys = '[logs.map]\nactions = { up = "Upp" }\n[constants]\nMax = 1\n'
    lab.plan(f'module = "Counter.tla"\n[logs]\nfiles = ["a.ndjson"]\n{keys}')


provokes.commands(
    ("usage", None, "validate Counter.tla"),
    ("usage", None, "validate sweep.toml", {"sweep.toml": 'module = "Counter.tla"\n[constants]\nMax = 1\n'}),
    ("usage", None, "validate sweep.toml a.ndjson"),
    ("unknown-constant", "-c Mx=...", "validate Counter.tla a.ndjson -c Mx=1", {"a.ndjson": "{}\n"}),
    ("library-missing", "-L none", "validate Counter.tla a.ndjson -L none", {"a.ndjson": "{}\n"}),
)

provokes.rows(
    ("log-reader", "sweep.toml:3:1", lambda lab: planned(lab, "")),
    ("log-reader", "sweep.toml:4:1", lambda lab: planned(lab, 'as = "Path"\n')),
    (
        "log-reader",
        "Trace.tla",
        lambda lab: planned(lab, "", module=TRACE.replace("IOEnv.A", '"/log"').replace("IOEnv.B", '"/log"')),
    ),
    (
        "log-position",
        "sweep.toml:5:1",
        lambda lab: planned(lab, 'as = "environment.A"\nposition = "1 + 1"\n'),
    ),
    (
        "unknown-parameter",
        "sweep.toml:6:1",
        lambda lab: planned(lab, 'as = "environment.A"\n[parameters]\nlog = [1]\n'),
    ),
    ("log-unused", "sweep.toml:5:1", lambda lab: planned(lab, 'as = "environment.A"\nunobserved = 1\n')),
    (
        "log-files",
        "sweep.toml:3:1",
        lambda lab: (
            lab.having("Trace.tla", TRACE)
            .having("run/a.ndjson", "1\n")
            .having("run/b.ndjson", "1\n")
            .plan('module = "Trace.tla"\n[logs]\nfiles = ["run"]\nas = "environment.A"\n')
        ),
    ),
    (
        "input-missing",
        "sweep.toml:3:11",
        lambda lab: lab.plan('module = "Counter.tla"\n[logs]\nfiles = ["b.ndjson"]\n'),
    ),
)
