"""Test suites with hostile names and values: what is generated compiles, and has the texts that went in."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command import tool
from tests.raising import raises
from tla2py.cases.cases import Cases
from tla2py.cases.cover import CoverOptions, make_cover
from tla2py.cases.graph import Graph, Label
from tla2py.cases.render import TEMPLATES, literal, quoted, render_adapter, render_suite
from tla2py.errors import InputError

HOSTILE = (
    "a\"b'c\\",
    "line\nend\r\u2028\u2029",
    '*/ """ ${x} {{ 1 }} {% raw %} \\u0022 \\N{BULLET} // #{y} %s',
    "\x00\x1b[31m\x7f\x85",
    "é\u202e😀\ufeff",
    "",
)
VALUES: list[Any] = [
    *({"#bigint": str(2**200)}, {"#bigint": "-3"}, [], {}, [False, [True]]),
    *({"#set": []}, {"#set": [{"#set": []}, {"#set": [True]}]}, {"#unserializable": "{1} \\cup Nat"}),
    {"#map": [[{"#bigint": "0"}, "x"], [[1, 2], {"#set": [{"a": 1}]}]]},
]


def hostile(inputs: frozenset[str] = frozenset()) -> Cases:
    """Cases whose actions, arguments and variables have all these texts."""
    values = [*HOSTILE, *VALUES]
    states = [json.dumps({f"v {text}": value for text in HOSTILE}) for value in values]
    count = len(values)
    graph = Graph(
        point=1,
        states=pa.array(states),
        initial=[0],
        sources=list(range(count - 1)),
        targets=list(range(1, count)),
        names=[number % len(HOSTILE) for number in range(count - 1)],
        labels=tuple(Label(action=text or "A", args={f"p {text}": text, "class": 1}) for text in HOSTILE),
    )
    return Cases(graph=graph, cover=make_cover(graph, CoverOptions()), inputs=inputs)


@given(st.text(st.characters(codec="utf-8")))
def test_texts_are_what_went_in(text: str) -> None:
    """Decoded by the rules of each language, whose compilers are not on every machine."""
    assert ast.literal_eval(quoted("python", text)) == text
    for language in TEMPLATES.values():
        written = quoted(language, text)
        assert re.fullmatch(r'"([ !#-\[\]-~]|\\["\\]|\\u[0-9a-f]|\\U[0-9a-f])*"', written)
    # Go: \u has four digits and \U eight, neither of a surrogate.
    go = re.sub(r"\\(?:u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", _decoded, quoted("go", text)[1:-1])
    assert go == text


def _decoded(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code is None:
        return found[3]
    assert not 0xD800 <= int(code, 16) < 0xE000
    return chr(int(code, 16))


def test_half_a_pair_becomes_a_character_and_a_number_that_does_not_fit_text() -> None:
    assert {quoted(language, "\ud800") for language in TEMPLATES.values()} == {'"\\ufffd"'}
    big: dict[str, str] = {"#bigint": str(2**63)}
    assert literal("go", big) == '"9223372036854775808"'
    assert literal("go", {"#bigint": str(2**63 - 1)}) == "int64(9223372036854775807)"
    assert literal("python", big) == "9223372036854775808"


def test_a_pytest_suite_passes_and_fails(tmp_path: Path) -> None:
    """The adapter as it is written, with a few lines filled in, against hostile names."""
    cases = hostile()
    suite, adapter = render_suite(cases, "pytest"), render_adapter(cases)
    ast.parse(adapter)
    (tmp_path / "test_suite.py").write_text(suite)
    filled = re.sub(r"raise NotImplementedError\(.*\)", "self.taken = getattr(self, 'taken', 0) + 1", adapter)
    for answer, code in (("return {}", 0), ("return {'nosuch': 1}", 1), ("return {'v ': self.taken}", 1)):
        (tmp_path / "adapter.py").write_text(filled.replace("return {}", answer))
        options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")
        done = tool(sys.executable, "-m", "pytest", *options, tmp_path, cwd=tmp_path)
        assert done.returncode == code, done.stdout
    assert len(re.findall("def do_|def [A-Za-z_]+\\(self, \\*\\*args", adapter)) == len(HOSTILE)


def test_a_go_suite_holds_every_case() -> None:
    """No literal is left open: without its strings, the text has as many brackets of each kind that open as close."""
    for inputs in (frozenset[str](), frozenset({"A"})):
        cases = hostile(inputs)
        text = render_suite(cases, "go")
        assert text.isascii()
        bare = re.sub(r'"(\\.|[^"\\\n])*"|//.*', "", text)
        assert '"' not in bare
        assert all(bare.count(left) == bare.count(right) for left, right in ("()", "[]", "{}"))
        assert all(case.case in text for case in cases)


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("x\n{{ nosuch }}", "template-fails", ":2"),
        ("{% for %}", "template-fails", ":1"),
        ("{{ cases.__class__.__mro__ }}", "template-fails", ":1"),
        ("{% include 'adapter.j2' %}", "template-fails", ":1"),
        ("{{ 1 // 0 }}", "template-fails", ":1"),
        (None, "template-unreadable", None),
    ],
)
def test_a_template_that_fails(tmp_path: Path, text: str | None, code: str, where: str | None) -> None:
    file = tmp_path / "own.j2"
    if text is not None:
        file.write_text(text)
    raised = raises(InputError, lambda: render_suite(hostile(), str(file)))
    assert raised.code == code
    assert (raised.where or "")[len(str(file)) :] == (where or "")


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(
        "{% for case in cases %}{{ case.actions[0].name | go_text }} {{ variables | length }}{% endfor %}\n"
    )
    assert render_suite(hostile(), str(file)) == '"a\\"b\'c\\\\" 6'


@pytest.mark.parametrize("template", ["rust", "java"])
def test_a_removed_template_names_its_replacement(template: str) -> None:
    with pytest.raises(InputError, match=f"there is no template {template} any more") as refused:
        render_suite(hostile(), template)
    assert refused.value.code == "template-unreadable"
    assert "--template FILE" in str(refused.value.hint)
    assert "JSON lines" in str(refused.value.hint)
