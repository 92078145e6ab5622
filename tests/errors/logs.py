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


AS_A = 'as = "environment.A"\n'


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
    ("log-position", "sweep.toml:5:1", lambda lab: planned(lab, AS_A + 'position = "1 + 1"\n')),
    ("unknown-parameter", "sweep.toml:6:1", lambda lab: planned(lab, AS_A + "[parameters]\nlog = [1]\n")),
    ("log-unused", "sweep.toml:5:1", lambda lab: planned(lab, AS_A + "unobserved = 1\n")),
)

RUN = {"Trace.tla": TRACE, "run/a.ndjson": "1\n", "run/b.ndjson": "1\n"}

provokes.plans(
    "",
    ("log-files", "3:1", f'module = "Trace.tla"\n[logs]\nfiles = ["run"]\n{AS_A}', RUN),
    ("input-missing", "3:11", 'module = "Counter.tla"\n[logs]\nfiles = ["b.ndjson"]\n'),
)
