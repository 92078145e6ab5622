"""Logs read and mapped, and the modules that read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import spec
from tests.raising import raises
from tla2py.errors import InputError
from tla2py.logs.file_reads import LogReader, SourceTexts, find_reader
from tla2py.logs.files import write_log_module
from tla2py.logs.formats import JsonValue, LogLine, LogLines
from tla2py.logs.literal import tla_text
from tla2py.logs.mapping import Mapper, merged
from tla2py.model.logs import LogFile, LogInput, LogMap
from tla2py.model.model import LEVEL, Config, GivenVariable, InputFile, Inputs, Position
from tla2py.tla.graph import ModuleGraph
from tla2py.tla.parse import load_modules

LOG = "Log == ndJsonDeserialize(IOEnv.JSON)"
NEXT = r"Next == l <= Len(Log) /\ l' = l + 1 /\ x' = Log[l]"


def reading(folder: Path, *definitions: str) -> ModuleGraph:
    text = spec("logs/Reading").replace("Init ==", "\n".join([*definitions, "Init =="]))
    (folder / "Reading.tla").write_text(text)
    return load_modules(folder / "Reading.tla")


def reader(folder: Path, *definitions: str, given: tuple[SourceTexts, ...] = (), **asked: str) -> LogReader:
    module, reads, position = reading(folder, *definitions), asked.get("reads"), asked.get("position")
    found = find_reader(module, given, reads=reads, position=position, place=lambda key: f"sweep.toml:{key}")
    assert found is not None
    return found


JSON = SourceTexts("environment", "JSON")
EXAMPLE = r'File == IF "JSON" \in DOMAIN IOEnv THEN IOEnv.JSON ELSE "./example.ndjson"'
FIXED = 'Log == ndJsonDeserialize("trace.ndjson")'
NAMED = r"Named(name, other) == IF name \in DOMAIN IOEnv THEN IOEnv[name] ELSE other"
TAGGED = "Read(tag, path) == SelectSeq(ndJsonDeserialize(path), LAMBDA e: e = tag)"


@pytest.mark.parametrize(
    ("definitions", "source"),
    [
        ([LOG], JSON),
        (['Log == ndJsonDeserialize(IOEnv["JSON"])'], JSON),
        ([EXAMPLE, "Log == SelectSeq(ndJsonDeserialize(File), LAMBDA e: e # 0)"], JSON),
        (['File == "trace.ndjson"', "Log == ndJsonDeserialize(File)"], SourceTexts("definition", "File")),
        (["CONSTANT File", "Log == ndJsonDeserialize(File)"], SourceTexts("definition", "File")),
        ([FIXED], SourceTexts("file", "trace.ndjson")),
        # Through operators with parameters, LET and CASE.
        (["Read(path) == ndJsonDeserialize(path)", "Log == Read(IOEnv.JSON)"], JSON),
        ([TAGGED, "ReadAll(path) == Read(1, path)", "Log == ReadAll(IOEnv.JSON)"], JSON),
        ([NAMED, 'Log == ndJsonDeserialize(Named("JSON", "trace.ndjson"))'], JSON),
        (['Log == LET f == CASE TRUE -> IOEnv.JSON [] OTHER -> "a" IN Tail(ndJsonDeserialize(f))'], JSON),
        (['Log == ndJsonDeserialize(Print("reading", IOEnv.JSON))'], JSON),
        # Only one of them is compared with what counts.
        ([LOG, "Config == ndJsonDeserialize(IOEnv.CONFIG)"], JSON),
        ([FIXED, "Config == JsonDeserialize(IOEnv.CONFIG)"], SourceTexts("file", "trace.ndjson")),
    ],
)
def test_the_way_to_the_log_is_found(tmp_path: Path, definitions: list[str], source: SourceTexts) -> None:
    found = reader(tmp_path, *definitions, NEXT)
    assert found.source == source
    assert found.position == Position(expression="l", entries="Log")
    assert found.reach.named("Next").log
    assert not found.reach.named("Typed").log


def test_one_of_two_ways_is_left_where_the_other_is_given(tmp_path: Path) -> None:
    more = r"Other == l <= Len(Config)"
    definitions = (LOG, "Config == ndJsonDeserialize(IOEnv.CONFIG)", more, NEXT)
    ways = "several ways: environment.CONFIG, environment.JSON"
    assert raises(InputError, reader, tmp_path, *definitions, match=ways).code == "log-reader"
    given = (SourceTexts("environment", "CONFIG"),)
    assert reader(tmp_path, *definitions, given=given).source.name == "JSON"
    assert reader(tmp_path, *definitions, reads="environment.JSON").source.name == "JSON"
    raises(InputError, reader, tmp_path, *definitions, reads="Lgo", match="no definition Lgo")


def test_a_module_may_read_no_log(tmp_path: Path) -> None:
    module = reading(tmp_path, "Next == x' = l /\\ l' = l")
    assert find_reader(module, (), reads=None, position=None, place=lambda _: None) is None


@pytest.mark.parametrize(
    ("next_", "position"),
    [
        (r"Next == l \in 1..Len(Log) /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == l' <= Len(Log) + 1 /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == l \in DOMAIN Log /\ l' = l + 1 /\ x' = 0", "l"),
        # Two variables: that which steps counts, neither for certain if both do.
        (r"Next == l <= Len(Log) /\ x < Len(Log) /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == l <= Len(Log) /\ x < Len(Log) /\ l' = l + 1 /\ x' = x + 1", None),
        # It ends at the length, one beyond, or two.
        (r"Next == l < Len(Log) /\ l' = l + 1 /\ x' = Log[l']", "l + 1"),
        (r"Next == l + 1 \in DOMAIN Log /\ l' = l + 1 /\ x' = Log[l']", "l + 1"),
        (r"Next == l - 1 <= Len(Log) /\ l' = l + 1 /\ x' = 0", "l - 1"),
        (r"Next == ~(l > Len(Log)) /\ l' = l + 1 /\ x' = 0", "l"),
        (r"Next == Len(Log) + 1 # l /\ l' = l + 1 /\ x' = 0", "l"),
        # Most comparisons decide, and in doubt the module begins at 1.
        (r"Next == l < Len(Log) /\ l' = l + 1 /\ x' = (IF l <= Len(Log) THEN Log[l] ELSE 0)", "l"),
        # Under other names.
        ("Size == Len(Log) - 1\nNext == l <= Size /\\ l' = l + 1 /\\ x' = Log[l + 1]", "l + 1"),
        (r"Next == LET i == l IN i <= Len(Log) /\ l' = l + 1 /\ x' = Log[i]", "l"),
        ("Next == LET i == TLCGet(\"level\") IN i <= Len(Log) /\\ l' = l /\\ x' = Log[i]", LEVEL),
        (r"Next == l' = l + 1 /\ x' = 0", None),
        (r"Next == Len(<<x>>) < l /\ l' = l + 1 /\ x' = 0", None),
    ],
)
def test_what_counts_the_lines_is_found(tmp_path: Path, next_: str, position: str | None) -> None:
    found = reader(tmp_path, LOG, next_).position
    assert (found.expression if found else None) == position


def test_a_position_is_an_expression_over_variables(tmp_path: Path) -> None:
    # It is that of the next entry.
    found = reader(tmp_path, LOG, r"Next == l < Len(Log) /\ l' = l + 1 /\ x' = 0", position="l")
    assert found.position == Position(expression="l + 1", entries="Log")
    assert reader(tmp_path, LOG, NEXT, position="x + 1").position == Position(expression="x + 1")
    error = raises(InputError, reader, tmp_path, LOG, NEXT, position="1 + 2", match="depends on no variable")
    assert (error.code, error.where) == ("log-position", "sweep.toml:position")


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "run.ndjson"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    reader = LogLines(written(tmp_path, '\ufeff{"a": 1}\n\n  \r\n{"a": 2}'), "run.ndjson")
    read = {line.where: line.fields for line in reader}
    assert read == {"run.ndjson:1": {"a": 1}, "run.ndjson:4": {"a": 2}}
    assert reader.remarks == []
    # A field of several types is reported once.
    text = '{"a": 1, "s": {"x": 1}}\n{"a": "1"}\n{"a": "2", "s": {"x": "2"}}\n{"a": null}\n'
    reader = LogLines(written(tmp_path, text), "run.ndjson")
    assert len(list(reader)) == 4
    told = "is a string here and an integer in line 1"
    assert [(each.line, each.text) for each in reader.remarks] == [(2, f"a {told}"), (3, f"s.x {told}")]


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ('{"a": 1}\nstarted\n', "log-syntax", ":2"),
        ('{"a": 1}\n{"a": \n', "log-syntax", ":2"),
        ('{"a": 1}\n[1, 2]\n', "log-syntax", ":2"),
        ("null\n", "log-syntax", ":1"),
        ("[" * 100_000 + "\n", "log-syntax", ":1"),
        ("", "log-empty", ""),
        ("\n\n", "log-empty", ""),
        (b'{"a": 1}\n{"a": "\xe9"}\n', "log-encoding", ":2"),
        ('{"a": 1}\n'.encode("utf-16"), "log-encoding", ":1"),
    ],
)
def test_a_log_that_cannot_be_read(tmp_path: Path, text: str | bytes, code: str, where: str) -> None:
    raised = raises(InputError, lambda: list(LogLines(written(tmp_path, text), "run.ndjson")))
    assert (raised.code, raised.where) == (code, f"run.ndjson{where}")
    assert raised.hint
    if code == "log-encoding":
        assert ("UTF-16" in raised.hint) is (text[:1] == b"\xff")


def lines(*fields: dict[str, JsonValue], file: str = "run") -> list[LogLine]:
    return [LogLine(file=file, number=number, fields=each) for number, each in enumerate(fields, 1)]


def test_fields_become_actions_arguments_and_state() -> None:
    mapper = Mapper(
        LogMap(
            action="event.name",
            actions={"prepare": "RMPrepare"},
            args={"r": "node", "n": "given.1"},
            state={"Len(queue)": "event.queued"},
            drop={"level": ("debug",)},
            ignore=("pid",),
        )
    )
    read = lines(
        {"level": "debug", "event": {"name": "tick"}},
        {"event": {"name": "prepare", "queued": 2}, "node": "rm1", "pid": 7},
        {"event": {"name": "Commit"}, "time": 3},
        {"event": {}, "time": 4, "args": {"r": "rm2"}, "given": ["a", 5]},
    )
    found = list(mapper.observations([read]))
    assert [(each.action, dict(each.args), dict(each.state)) for each in found] == [
        ("RMPrepare", {"r": "rm1"}, {"Len(queue)": 2}),
        ("Commit", {}, {}),
        (None, {"r": "rm2", "n": 5}, {}),
    ]
    assert [(remark.file, remark.line) for remark in mapper.remarks] == [("run", 3)]
    assert "time" in mapper.remarks[0].text


@pytest.mark.parametrize("fields", [{"action": 3}, {"args": ["rm1"]}, {"state": "x"}])
def test_fields_of_another_form(fields: dict[str, JsonValue]) -> None:
    raised = raises(InputError, lambda: list(Mapper().observations([lines({}, fields)])))
    assert (raised.code, raised.where) == ("log-field", "run:2")
    dropped = Mapper(LogMap(drop={"a": (1,)})).observations([lines({"a": 1})])
    assert raises(InputError, lambda: list(dropped)).code == "log-empty"


def test_files_of_one_run_are_merged_by_their_clock() -> None:
    first, second = lines({"t": 1}, {"t": 4}, file="a"), lines({"t": 1}, {"t": 2}, {"t": 4.5}, file="b")
    assert [line.where for line in merged([first, second], "t")] == ["a:1", "b:1", "b:2", "a:2", "b:3"]
    # Without a clock there is one file.
    assert len(list(merged([lines({}, {})], None))) == 2
    assert raises(InputError, lambda: list(merged([lines({}), lines({})], None))).code == "log-unordered"
    # A clock that gives no order.
    wrong: list[list[dict[str, JsonValue]]] = [[{"t": 2}, {"t": 1}], [{"t": 1}, {}], [{"t": 1}, {"t": "1"}]]
    for fields in wrong:
        raised = raises(InputError, list, merged([lines(*fields)], "t"))
        assert (raised.code, raised.where) == ("log-clock", "run:2")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (-(2**31) + 1, "-2147483647"),
        (True, "TRUE"),
        ('a"b\\\té', '"a\\"b\\\\\\té"'),
        ([], "<<>>"),
        ([1, [2]], "<<1, <<2>>>>"),
        ({}, "<<>>"),
        ({"a": 1, "_b": {"c": "x"}}, '[a |-> 1, _b |-> [c |-> "x"]]'),
        ({"a": 1, "b-c": 2}, '("a" :> 1 @@ "b-c" :> 2)'),
        ({"IF": 1}, '("IF" :> 1)'),
        ({"to": ["a"], "of": {"ids": [[1]]}}, '[to |-> <<"a">>, of |-> [ids |-> <<<<1>>>>]]'),
    ],
)
def test_values(value: JsonValue, text: str) -> None:
    assert tla_text(value, "run:1") == text


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"a": {"b": None}}, "a.b is null"),
        ({"a": 1.5}, "a is 1.5"),
        ({"a": 2**31}, "a is 2147483648"),
        ("a\x00", "U+0000"),
    ],
)
def test_values_that_tla_does_not_have(value: JsonValue, named: str) -> None:
    raised = raises(InputError, tla_text, value, "run.ndjson:7")
    assert (raised.code, raised.where) == ("log-value", "run.ndjson:7")
    assert named in raised.message


def test_a_log_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "log.ndjson").write_text('{"n": 1}\n\n[2]\n')
    (tmp_path / "config.json").write_text('{"a":\n "b"}')
    (tmp_path / "broken.json").write_text("{")
    files = tuple(InputFile(name, "") for name in ("broken.json", "config.json", "log.ndjson"))
    read = (LogFile("x/log", "log.ndjson"),)
    log = LogInput(path="x/log", files=read, lines=3, position="l", literal="line")
    inputs = Inputs(files=files, log=log, environment=(GivenVariable("LOG", "log.ndjson"),))
    assert write_log_module(inputs, Config(), tmp_path).remarks == ()
    text = (tmp_path / "Tla2pyLog.tla").read_text()
    assert "Tla2py_Lines_0 ==\n<<\n[n |-> 1],\n<<2>>\n>>\n" in text
    assert 'Tla2py_Lines(path) == CASE path = "log.ndjson" -> Tla2py_Lines_0 [] OTHER' in text
    assert 'Tla2py_Value(path) == CASE path = "config.json" -> Tla2py_Value_2 [] OTHER' in text
    assert '"LOG" :> "log.ndjson"' in text
    (tmp_path / "log.ndjson").write_text('{"n": -2147483648}\n{"n": 1.5, "m": 4294967298}\n{"n": 1e400}\n')
    # As the Java classes read them.
    assert write_log_module(inputs, Config(), tmp_path).remarks == ()
    text = (tmp_path / "Tla2pyLog.tla").read_text()
    assert "<<\n[n |-> (-2147483647 - 1)],\n[n |-> 1, m |-> 2],\n[n |-> 0]\n>>" in text
    (tmp_path / "log.ndjson").write_text('{"n": 1}\n{"n": null}\n')
    [remark] = write_log_module(inputs, Config(), tmp_path).remarks
    assert (remark.file, remark.line, remark.refuses) == ("x/log", 2, True)
