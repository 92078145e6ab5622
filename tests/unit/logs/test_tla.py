"""JSON values and logs as TLA+."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla2py.errors import InputError
from tla2py.logs.files import write_log_module
from tla2py.logs.literal import tla_text
from tla2py.logs.read import JsonValue
from tla2py.model.logs import LogFile, LogInput
from tla2py.model.model import Config, GivenVariable, InputFile, Inputs


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
    with pytest.raises(InputError) as raised:
        tla_text(value, "run.ndjson:7")
    assert (raised.value.code, raised.value.where) == ("log-value", "run.ndjson:7")
    assert named in raised.value.message


def test_a_log_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "log.ndjson").write_text('{"n": 1}\n\n[2]\n')
    (tmp_path / "config.json").write_text('{"a":\n "b"}')
    (tmp_path / "broken.json").write_text("{")
    files = [InputFile(name, "") for name in ("broken.json", "config.json", "log.ndjson")]
    log = LogInput(
        path="x/log", files=(LogFile("x/log", "log.ndjson"),), lines=3, position="l", literal="line"
    )
    inputs = Inputs(files=tuple(files), log=log, environment=(GivenVariable("LOG", "log.ndjson"),))
    assert write_log_module(inputs, Config(), tmp_path) == ()
    text = (tmp_path / "Tla2pyLog.tla").read_text()
    assert "Tla2py_Lines_0 ==\n<<\n[n |-> 1],\n<<2>>\n>>\n" in text
    assert 'Tla2py_Lines(path) == CASE path = "log.ndjson" -> Tla2py_Lines_0 [] OTHER' in text
    assert 'Tla2py_Value(path) == CASE path = "config.json" -> Tla2py_Value_2 [] OTHER' in text
    assert '"LOG" :> "log.ndjson"' in text
    (tmp_path / "log.ndjson").write_text('{"n": -2147483648}\n{"n": 1.5, "m": 4294967298}\n{"n": 1e400}\n')
    # As the Java classes read them.
    assert write_log_module(inputs, Config(), tmp_path) == ()
    text = (tmp_path / "Tla2pyLog.tla").read_text()
    assert "<<\n[n |-> (-2147483647 - 1)],\n[n |-> 1, m |-> 2],\n[n |-> 0]\n>>" in text
    (tmp_path / "log.ndjson").write_text('{"n": 1}\n{"n": null}\n')
    [remark] = write_log_module(inputs, Config(), tmp_path)
    assert (remark.file, remark.line, remark.refuses) == ("x/log", 2, True)
