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
    """Hold a log against the module Counter."""
    mapper = Mapper(mapping or LogMap())
    module = observed_module(load_modules(lab.folder / "Counter.tla"))
    assert module.vocabulary is not None
    lines = LogLines(lab.write("run.ndjson", text), "run.ndjson", most_lines=2)
    write_observed(io.StringIO(), module.vocabulary, mapper.observations([lines]))


@provokes("log-unreadable", "none.ndjson")
def no_log(lab: Lab) -> None:
    list(LogLines(lab.folder / "none.ndjson"))


@provokes("log-encoding", "run.ndjson:1")
def another_encoding(lab: Lab) -> None:
    observe(lab, b'{"action": "\xe9"}\n')


@provokes("log-syntax", "run.ndjson:2")
def no_json(lab: Lab) -> None:
    observe(lab, '{"action": "Up"}\nended\n')


@provokes("log-empty", "run.ndjson")
def no_lines(lab: Lab) -> None:
    observe(lab, "\n")


@provokes("log-large", "run.ndjson:3")
def too_many_lines(lab: Lab) -> None:
    observe(lab, "{}\n" * 3)


@provokes("log-value", "run.ndjson:1")
def no_integer(lab: Lab) -> None:
    observe(lab, '{"state": {"x": 1.5}}\n')


@provokes("log-field", "run.ndjson:1")
def no_object(lab: Lab) -> None:
    observe(lab, '{"state": 1}\n')


@provokes("log-action", "run.ndjson:1")
def no_action(lab: Lab) -> None:
    observe(lab, '{"action": "Upp"}\n')


@provokes("log-argument", "run.ndjson:1")
def no_argument(lab: Lab) -> None:
    observe(lab, '{"action": "Up", "args": {"by": 1}}\n')


@provokes("log-variable", "run.ndjson:1")
def no_variable(lab: Lab) -> None:
    observe(lab, '{"action": "Up", "state": {"y": 1}}\n')


@provokes("log-clock", "run.ndjson:2")
def a_clock_that_runs_backwards(lab: Lab) -> None:
    lines = LogLines(lab.write("run.ndjson", '{"t": 2}\n{"t": 1}\n'))
    list(merged([lines], "t"))


@provokes("log-unordered")
def files_without_a_clock(lab: Lab) -> None:
    list(merged([[], []], None))


@provokes("log-behavior", "Still.tla")
def no_behaviour(lab: Lab) -> None:
    observed_module(load_modules(lab.write("Still.tla", "---- MODULE Still ----\nN == 1\n====\n")))
