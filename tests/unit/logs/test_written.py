"""The log of a run as a module, and the numbers of its lines."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import COUNTER
from tla2py.logs.files import LogText, write_log_module
from tla2py.logs.observe import observed_module
from tla2py.model.logs import LogFile, LogInput, LogMap, Observed
from tla2py.model.model import Config, Inputs
from tla2py.tla.parse import load_modules

MAP = LogMap(clock="t", drop={"action": ("idle",)}, ignore=("u",))


def observed(folder: Path) -> Observed:
    (folder / "Counter.tla").write_text(COUNTER)
    module = observed_module(load_modules(folder / "Counter.tla"))
    assert module.vocabulary is not None
    return Observed(map=MAP, vocabulary=module.vocabulary)


def test_two_files_of_one_run(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"action": "Up", "t": 1}\n\n{"action": "idle", "u": 2}\n{"t": 5}\n')
    (tmp_path / "b.ndjson").write_text('{"action": "Up", "t": 3, "state": {"x": 2}, "host": 7}\n')
    names = ("a.ndjson", "b.ndjson")
    log = LogInput(
        path="run",
        files=tuple(LogFile(name, name) for name in names),
        lines=5,
        observed=observed(tmp_path),
    )
    remarks = write_log_module(Inputs(log=log), Config(), tmp_path)
    assert [(remark.file, remark.line, remark.refuses) for remark in remarks] == [("b.ndjson", 1, False)]
    assert "Tla2py_Count == 3\n" in (tmp_path / "Tla2pyLog.tla").read_text()
    text = LogText(log=log, files=[tmp_path / name for name in names])
    assert [(line.number, line.place) for line in text.lines()] == [
        (1, "a.ndjson:1"),
        (2, "b.ndjson:1"),
        (3, "a.ndjson:4"),
    ]
    (tmp_path / "b.ndjson").write_text('{"t": 3}\n{"t": 2}\n')
    [remark] = write_log_module(Inputs(log=log), Config(), tmp_path)
    assert (remark.file, remark.line, remark.refuses) == ("b.ndjson", 2, True)
    assert len(list(text.lines())) < 4
