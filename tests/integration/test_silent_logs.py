"""Logs that say nothing, or too little: they are explained by any behaviour, so they are no evidence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import RunCli, spec
from tests.stores import table_rows
from tla2py.logs.content import ContentCounter, FieldHints, refusal
from tla2py.logs.formats import JsonValue, LogLine
from tla2py.logs.mapping import Mapper
from tla2py.model.logs import LogMap, Vocabulary

COUNTER = """---- MODULE Ct ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Inc == x' = x + 1
Add(n) == x' = x + n
Next == Inc \\/ \\E n \\in {2, 3} : Add(n)
====
"""
SAYING = '{"action": "Inc", "state": {"x": 1}}\n'
SILENT = '{"act": "Dec", "st": {"x": -7}}\n'
OTHER = '{"event": {"name": "Inc", "state": {"x": 1}}}\n'


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    (tmp_path / "Ct.tla").write_text(COUNTER)
    (tmp_path / "Ct.cfg").write_text("INIT Init\nNEXT Next\n")
    return tmp_path / "Ct.tla"


def write_logs(folder: Path, **logs: str) -> list[Path]:
    for name, text in logs.items():
        (folder / f"{name}.ndjson").write_text(text)
    return [folder / f"{name}.ndjson" for name in logs]


@pytest.mark.core
def test_a_log_that_says_nothing_is_broken(run_cli: RunCli, counter: Path) -> None:
    empty = '{"state": {}}\n{"state": {"x": {}}}\n{"args": {}, "action": null}\n'
    files = write_logs(counter.parent, capital='{"Action": "Inc", "State": {"x": 1}}\n', short=SILENT * 2)
    files += write_logs(counter.parent, other=OTHER, empty=empty)
    ended = run_cli("validate", counter, *files, "--json", code=2)
    assert [(row["verdict"], row["lines"], row["said"]) for row in ended.json] == [
        ("broken", lines, 0) for lines in (1, 2, 1, 3)
    ]
    shown = run_cli("validate", counter, *files, code=2).stdout
    assert "capital.ndjson:1: no line names an action, an argument or a part of the state" in shown
    for hint in (
        "Action: did you mean action?",
        "State: did you mean state?",
        "act: did you mean action?",
        "st: did you mean state?",
        'event.name: read it with action = "event.name" under [logs.map].',
        'event.state.x: read it with state = { x = "event.state.x" } under [logs.map].',
        "state is an empty object, which compares nothing.",
        "0 of 7 lines say something",
    ):
        assert hint in shown


@pytest.mark.core
def test_a_log_that_says_too_little_has_no_verdict(run_cli: RunCli, counter: Path) -> None:
    later = '{"action": "Inc", "state": {"x": 3}}\n'
    wrong = '{"action": "Inc", "state": {"x": 2}}\n'
    files = write_logs(
        counter.parent, partly=f"{SAYING}\n{SILENT}{later}", wrong=f"{wrong}{SILENT}", good=SAYING
    )
    ended = run_cli("validate", counter, *files, "--json", code=1)
    found = [(row["verdict"], row["lines"], row["said"], row["matched"]) for row in ended.json]
    # What lines before the silent one say is not explained, whatever that one means.
    assert found == [("inconclusive", 4, 2, 4), ("violated", 2, 1, 0), ("holds", 1, 1, 1)]
    assert run_cli("validate", counter, *files[::2], code=3).code == 3
    shown = " ".join(run_cli("validate", counter, files[0], code=3).stdout.split())
    assert "partly.ndjson:3: The line names no action, argument or part of the state" in shown
    assert "1 of 3 lines say nothing, and [logs] silent is 0." in shown
    assert "or write silent = 0.34 under [logs]" in shown
    assert "2 of 4 lines say something" in shown


def test_a_share_of_lines_may_say_nothing(run_cli: RunCli, counter: Path) -> None:
    write_logs(counter.parent, a=f"{SAYING}{SILENT}")
    sweep = counter.with_name("sweep.toml")
    text = 'module = "Ct.tla"\nconfig = "Ct.cfg"\n[logs]\nfiles = ["a.ndjson"]\n'
    for given, verdict, code in (
        ("", "inconclusive", 3),
        ("silent = 0.4\n", "inconclusive", 3),
        ("silent = 0.5\n", "holds", 0),
    ):
        sweep.write_text(text + given)
        ended = run_cli("validate", sweep, "-o", sweep.with_name("store"), "--json", code=code)
        assert [(row["verdict"], row["said"], row["lines"]) for row in ended.json] == [(verdict, 1, 2)]
        gated = run_cli("gate", sweep, "--store", sweep.with_name("store"), code=code)
        assert "1 of 2 lines say something" in gated.stdout
    [row] = table_rows(sweep.with_name("store"), "logs")
    assert (row["said"], row["lines"]) == (1, 2)
    # A changed log is not held against that share.
    mutated = run_cli("validate", sweep, "--mutate-logs", "--json").json
    assert "broken" not in {row["status"] for row in mutated["mutants"]}
    sweep.write_text(f"{text}silent = 5\n")
    assert str(run_cli("validate", sweep, code=2).error.where) == f"{sweep}:5:1"


def test_dropped_lines_and_mapped_fields_are_no_silence(run_cli: RunCli, counter: Path) -> None:
    sweep = counter.with_name("sweep.toml")
    sweep.write_text(
        'module = "Ct.tla"\nconfig = "Ct.cfg"\n[logs]\nfiles = ["run/"]\n[logs.map]\naction = "event.name"\n'
        'state = { x = "event.state.x" }\ndrop = { level = ["debug"] }\nclock = "t"\n'
    )
    run = counter.with_name("run")
    run.mkdir()
    (run / "a.ndjson").write_text(
        '{"t": 1, "event": {"name": "Inc", "state": {"x": 1}}}\n{"t": 2, "level": "debug"}\n'
    )
    (run / "b.ndjson").write_text('{"t": 3, "event": {"name": "Inc"}}\n')
    [row] = run_cli("validate", sweep, "--json").json
    assert (row["verdict"], row["lines"], row["said"]) == ("holds", 2, 2)
    (run / "b.ndjson").write_text('{"t": 3, "evnt": {"name": "Inc"}}\n')
    ended = run_cli("validate", sweep, "--json", code=3)
    assert (ended.json[0]["verdict"], ended.json[0]["said"]) == ("inconclusive", 1)
    assert "run/b.ndjson:1: The line names no action" in run_cli("validate", sweep, code=3).stdout


READING = spec("logs/ioenv/Trace")


def test_a_module_that_takes_no_line_compares_nothing(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Trace.tla").write_text(READING)
    (tmp_path / "Trace.cfg").write_text("SPECIFICATION Spec\n")
    files = write_logs(tmp_path, good='{"n": 1}\n{"n": 2}\n', other='{"N": 1}\n', known='{"x": {"LOG": 1}}\n')
    ended = run_cli("validate", tmp_path / "Trace.tla", *files, "--json", code=3)
    # The module reads the log itself, so how much it says is not known.
    found = [(row["verdict"], row["said"], row["matched"]) for row in ended.json]
    assert found == [("holds", None, 2), ("inconclusive", None, None), ("inconclusive", None, None)]
    shown = " ".join(run_cli("validate", tmp_path / "Trace.tla", *files, code=3).stdout.split())
    assert shown.count("The module takes none of the lines of the log, so nothing was compared.") == 2
    assert "Trace reads the lines itself, so how many say something is not known" in shown


# Takes a line with whatever fields, as published trace specifications do.
LENIENT = READING.replace('"n" \\in DOMAIN line', "TRUE").replace(
    "x' = Log[l].n", '(IF "n" \\in DOMAIN Log[l] THEN x\' = Log[l].n ELSE TRUE)'
)


def test_a_module_that_names_no_field_of_a_log_compares_nothing(run_cli: RunCli, tmp_path: Path) -> None:
    assert LENIENT.count('"n"') == 1
    (tmp_path / "Trace.tla").write_text(LENIENT)
    (tmp_path / "Trace.cfg").write_text("SPECIFICATION Spec\n")
    write_logs(tmp_path, a='{"N": 7}\n', b='{"N": 7}\n{"n": 2}\n')
    sweep = tmp_path / "sweep.toml"
    text = 'module = "Trace.tla"\nconfig = "Trace.cfg"\n[logs]\nfiles = ["*.ndjson"]\n'
    sweep.write_text(text)
    ended = run_cli("validate", sweep, "--json", code=3)
    assert [row["verdict"] for row in ended.json] == ["inconclusive", "holds"]
    assert "The module names none of the fields of the log, which are N" in ended.json[0]["message"]
    sweep.write_text(f"{text}silent = 1\n")
    assert [row["verdict"] for row in run_cli("validate", sweep, "--json").json] == ["holds", "holds"]


@pytest.mark.jars
def test_published_trace_specifications_are_not_blind_to_other_fields(
    newer: RunCli, published_logs: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "two-phase"
    shutil.copytree(published_logs / "two-phase", folder)
    lines = (folder / "logs/trace.ndjson.4RM.EA").read_text()
    (folder / "logs/blind.ndjson").write_text(lines.replace('"event', '"ev'))
    given = ["--env", "CONFIG_PATH=logs/conf.4RM.ndjson", "--input", str(folder / "logs/conf.4RM.ndjson")]
    log = folder / "logs/blind.ndjson"
    [row] = newer("validate", folder / "TwoPhaseTrace.tla", log, *given, "--json").json
    assert (row["verdict"], row["said"]) == ("inconclusive", None)
    assert "which are ev, ev_args" in row["message"]


VOCABULARY = Vocabulary(
    steps={}, arguments={"Send": ("to",), "Stop": ()}, state=("sent", "up"), init_names=("Init",)
)


@pytest.mark.parametrize(
    ("fields", "hints"),
    [
        (
            {"ev": "Send", "to": "n1"},
            [
                'ev: read it with action = "ev" under [logs.map].',
                'to: read it with args = { to = "to" } under [logs.map].',
            ],
        ),
        ({"params": {"to": "n1"}}, ["params: did you mean args?"]),
        ({"values": {"up": True}}, ["values: did you mean state?"]),
        ({"ACTION": 7, "up": 1}, ['up: read it with state = { up = "up" } under [logs.map].']),
        ({"time": 12, "text": "started"}, []),
    ],
)
def test_fields_that_were_probably_meant(fields: dict[str, JsonValue], hints: list[str]) -> None:
    counter, log_map = ContentCounter(), LogMap()
    lines = [LogLine(file="a", number=number, fields=fields) for number in (4, 5)]
    assert len([*counter.count(Mapper(log_map).observations([lines]))]) == 2
    assert FieldHints(log_map, VOCABULARY).find(counter.fields) == hints
    assert (counter.content.said, counter.content.first_silent, counter.content.silent) == (0, "a:4", 2)
    remark = refusal(counter, log_map, VOCABULARY)
    assert remark is not None
    assert remark.refuses
