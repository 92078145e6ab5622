"""Errors in logs, in the modules that read them, and in the specifications that they are held against."""

from __future__ import annotations

import io
import re

from tests.conftest import spec
from tests.errors.provoke import Lab, provokes
from tla2py.logs.formats import LogLines
from tla2py.logs.mapping import Mapper, merged
from tla2py.logs.observation import observed_module, write_observed
from tla2py.model.logs import LogMap
from tla2py.tla.parse import load_modules

TRACE = spec("logs/files/Trace")


AS_A = 'as = "environment.A"\n'


def planned(lab: Lab, keys: str, log: str = "1\n", module: str = TRACE) -> None:
    lab.write("Trace.tla", module)
    lab.write("a.ndjson", log)
    lab.plan(f'module = "Trace.tla"\n[logs]\nfiles = ["a.ndjson"]\n{keys}')


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
    ("log-reader", "Trace.tla", lambda lab: planned(lab, "", module=re.sub(r"IOEnv\.[AB]", '"/log"', TRACE))),
    ("expression-syntax", "sweep.toml:5:1", lambda lab: planned(lab, AS_A + 'position = "l +"\n')),
    ("log-position", "sweep.toml:5:1", lambda lab: planned(lab, AS_A + 'position = "1 + 1"\n')),
    ("unknown-parameter", "sweep.toml:6:1", lambda lab: planned(lab, AS_A + "[parameters]\nlog = [1]\n")),
    ("log-unused", "sweep.toml:5:1", lambda lab: planned(lab, AS_A + "unobserved = 1\n")),
)

MAPPED = '[logs]\nfiles = ["a.ndjson"]\n[logs.map]\nactions = { up = "Upp" }\n[constants]\nMax = 1\n'
ONE_LOG = '[logs]\nfiles = ["a.ndjson"]\n'
STEP_SHOWN = '[logs.map]\nstate = { "x\'" = "n" }\n[constants]\nMax = 1\n'
RUN = {"Trace.tla": TRACE, "run/a.ndjson": "1\n", "run/b.ndjson": "1\n"}

provokes.plans(
    "",
    ("log-files", "3:1", f'module = "Trace.tla"\n[logs]\nfiles = ["run"]\n{AS_A}', RUN),
    ("log-action", "5:19", f'module = "Counter.tla"\n{MAPPED}', {"a.ndjson": "{}\n"}),
    ("input-missing", "3:11", 'module = "Counter.tla"\n[logs]\nfiles = ["b.ndjson"]\n'),
    (
        "input-missing",
        "3:1",
        'module = "Counter.tla"\n[logs]\nfiles = [["a.ndjson"], []]\n',
        {"a.ndjson": "{}\n"},
    ),
    ("input-missing", "3:1", 'module = "Counter.tla"\n[logs]\nfiles = [[]]\n'),
    ("log-unused", "4:1", f'module = "Counter.tla"\n{ONE_LOG}position = "n"\n', {"a.ndjson": "{}\n"}),
    ("wrong-type", "4:1", f'module = "Counter.tla"\n{ONE_LOG}mutate = -1\n', {"a.ndjson": "{}\n"}),
    ("expression-fails", "5:12", f'module = "Counter.tla"\n{ONE_LOG}{STEP_SHOWN}', {"a.ndjson": "{}\n"}),
    (
        "wrong-type",
        "5:1",
        f'module = "Counter.tla"\n{ONE_LOG}[logs.map]\nargs = {{ n = 3 }}\n',
        {"a.ndjson": "{}\n"},
    ),
)


def observe(lab: Lab, text: str | bytes, mapping: LogMap | None = None) -> None:
    mapper = Mapper(mapping or LogMap())
    module = observed_module(load_modules(lab.folder / "Counter.tla"))
    assert module.vocabulary is not None
    lines = LogLines(lab.write("run.ndjson", text), "run.ndjson", most_lines=2)
    write_observed(io.StringIO(), module.vocabulary, mapper.observations([lines]))


BACKWARDS = '{"t": 2}\n{"t": 1}\n'
STILL = "---- MODULE Still ----\nN == 1\n====\n"


provokes.rows(
    ("log-unreadable", "none.ndjson", lambda lab: list(LogLines(lab.folder / "none.ndjson", "none.ndjson"))),
    ("log-encoding", "run.ndjson:1", lambda lab: observe(lab, b'{"action": "\xe9"}\n')),
    ("log-syntax", "run.ndjson:2", lambda lab: observe(lab, '{"action": "Up"}\nended\n')),
    ("log-empty", "run.ndjson", lambda lab: observe(lab, "\n")),
    ("log-large", "run.ndjson:3", lambda lab: observe(lab, "{}\n" * 3)),
    ("log-value", "run.ndjson:1", lambda lab: observe(lab, '{"state": {"x": 1.5}}\n')),
    ("log-field", "run.ndjson:1", lambda lab: observe(lab, '{"state": 1}\n')),
    ("log-action", "run.ndjson:1", lambda lab: observe(lab, '{"action": "Upp"}\n')),
    ("log-argument", "run.ndjson:1", lambda lab: observe(lab, '{"action": "Up", "args": {"by": 1}}\n')),
    ("log-variable", "run.ndjson:1", lambda lab: observe(lab, '{"action": "Up", "state": {"y": 1}}\n')),
    ("log-clock", "a:2", lambda lab: list(merged([LogLines(lab.write("a", BACKWARDS), "a")], "t"))),
    ("log-unordered", None, lambda lab: list(merged([[], []], None))),
    ("log-behavior", "Still.tla", lambda lab: observed_module(load_modules(lab.write("Still.tla", STILL)))),
)
