"""Errors in logs, and in the specifications that they are held against."""

from __future__ import annotations

import io

from tests.errors.provoke import Lab, provokes
from tla2py.logs.map import Mapper, merged
from tla2py.logs.observe import observed_module, write_observed
from tla2py.logs.read import LogLines
from tla2py.model.logs import LogMap
from tla2py.tla.parse import load_modules


def observe(lab: Lab, text: str | bytes, mapping: LogMap | None = None) -> None:
    mapper = Mapper(mapping or LogMap())
    module = observed_module(load_modules(lab.folder / "Counter.tla"))
    assert module.vocabulary is not None
    lines = LogLines(lab.write("run.ndjson", text), "run.ndjson", most_lines=2)
    write_observed(io.StringIO(), module.vocabulary, mapper.observations([lines]))


STILL = "---- MODULE Still ----\nN == 1\n====\n"


@provokes("log-clock", "run.ndjson:2")
def a_clock_that_runs_backwards(lab: Lab) -> None:
    lines = LogLines(lab.write("run.ndjson", '{"t": 2}\n{"t": 1}\n'), "run.ndjson")
    list(merged([lines], "t"))


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
    ("log-unordered", None, lambda lab: list(merged([[], []], None))),
    ("log-behavior", "Still.tla", lambda lab: observed_module(load_modules(lab.write("Still.tla", STILL)))),
)
