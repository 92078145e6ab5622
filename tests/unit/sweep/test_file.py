"""Mistakes in the text of a sweep file, each reported with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import SPECS
from tests.raising import raises
from tla2py.errors import InputError
from tla2py.sweep.file import read_sweep_file
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.sweep.sections import KEYS
from tla2py.text import did_you_mean


def error_of(path: Path, text: str | bytes) -> InputError:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return raises(InputError, read_sweep_file, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sweep.toml"


def test_a_file_with_everything() -> None:
    path = SPECS / "sweep/everything.toml"
    file = read_sweep_file(path)
    sections = file.sections
    assert (sections.module, sections.model.symmetry) == (["A.tla", "B.tla"], ["R"])
    assert sections.constants == {"N": 2, "Flag": True, "Origin": "<<0, -1>>"}
    assert repr(sections.parameters["M"]) == "[1, 2, False]"
    assert (sections.substitutions["[B]Op"], sections.tlc.timeout) == ("MyOp", 90)
    assert sections.expect is not None
    assert sections.expect.point[0].match == {"M": 1}
    assert file.place("substitutions", "[B]Op") == f"{path}:24:1"


def test_defaults(path: Path) -> None:
    path.write_text('module = "A.tla"')
    file = read_sweep_file(path).sections
    # That deadlock is checked is for the config to deny.
    assert (file.name, file.model.check_deadlock, file.expect) == (None, None, None)
    assert (file.tlc.mode, file.tlc.find, file.tlc.workers) == ("check", "first", 1)
    # What is no file.
    assert raises(InputError, read_sweep_file, path.parent).code == "sweep-unreadable"
    path.write_text("")
    below = raises(InputError, read_sweep_file, path / "sweep.toml")
    assert below.code in ("sweep-missing", "sweep-unreadable")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('module = "A.tla"\nname = \n', ":2:8"),
        ('module = "A.tla"\n[model\n', ":2:7"),
        ('module = "A.tla"\n[parameters]\nN = [1, 2\nM = 3\n', ":4:1"),
        ('module = "A.tla"\nmodule = "B.tla"\n', ":2:17"),
        ('module = "A.tla"\n[model]\n[model]\n', ":3:7"),
        ('module = "A.tla"\nname = "no end', " (end of file)"),
    ],
)
def test_what_is_no_toml(path: Path, text: str, place: str) -> None:
    error = error_of(path, text)
    assert (error.code, error.where) == ("sweep-syntax", f"{path}{place}")
    assert "(at" not in error.message


AFTER = 'module = "A.tla"\n'
ROW = "[[expect.point]]\nmatch = {}\n"
NO_NUMBER = "expected a number, got a string"
SIMPLE = "a boolean or a number or a string"


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("[modell]", 2, "modell", "did you mean model?"),
        ("[model]\n\ninvariant = []", 4, "model.invariant", "invariants"),
        ("[grid]\nexcludes = []", 3, "grid.excludes", "did you mean exclude?"),
        ("[tlc]\n  time_out = 3", 3, "tlc.time_out", "did you mean timeout?"),
        ("[tlc]\nzzz = 3", 3, "tlc.zzz", "known here: mode, find"),
        ('[expect]\nverdit = "holds"', 3, "expect.verdit", "verdict"),
        (f"{ROW}{ROW}violate = []", 6, "expect.point.violate", "did you mean violates?"),
        ("model.invarants = []", 2, "model.invarants", "invariants"),
        ("model = { invarants = [] }", 2, "model.invarants", "invariants"),
    ],
)
def test_unknown_keys(path: Path, text: str, line: int, message: str, hint: str) -> None:
    error = error_of(path, AFTER + text)
    assert (error.code, error.message) == ("unknown-key", f"unknown key {message}")
    assert str(error.where).startswith(f"{path}:{line}:")
    assert hint in str(error.hint)


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        ('libraries = "lib"', 2, "libraries: expected a list, got a string"),
        ("model = 3", 2, "model: expected a table"),
        ("[model]\ninvariants = [1]", 3, "model.invariants: expected a string"),
        ("[model]\ncheck_deadlock = 0", 3, "model.check_deadlock: expected a boolean"),
        ("[tlc]\nworkers = true", 3, "tlc.workers: expected a number, got a boolean"),
        ("[constants]\nA = 1\nB = 1.5", 4, f"constants.B: expected {SIMPLE}, got a float"),
        ('[substitutions]\nA = "B"\nB = 1', 4, "substitutions.B: expected a string, got a number"),
        ("[parameters]\nN = [1]\nM = 3", 4, "parameters.M: expected a table or a list, got a number"),
        ("[parameters]\nN = [1]\nM = [[1]]", 4, f"parameters.M: expected {SIMPLE}, got a list"),
        ("[grid]\nexclude = [3]", 3, "grid.exclude: expected a table, got a number"),
        ('[grid]\nrepeat = "2"', 3, "grid.repeat: expected a number, got a string"),
        ("[logs.map]\naction = 3", 3, "logs.map.action: expected a string, got a number"),
        ("[logs.map]\nclock = 1\nargs = { n = 3 }", 3, "logs.map.clock: expected a string, got a number"),
        ('[logs.map]\nclock = "c"\nargs = { n = 3 }', 4, "logs.map.args: expected a string, got a number"),
        ('[logs.map]\ndrop = { level = "debug" }', 3, "logs.map.drop: expected a list, got a string"),
        ('[expect]\nverdict = "fine"', 3, "expect.verdict: invalid value 'fine'"),
        ('[[expect.point]]\nverdict = "holds"', 2, "expect.point: the key match is missing"),
        (f'{ROW}distinct = 1\n{ROW}distinct = "x"', 7, f"expect.point.distinct: {NO_NUMBER}"),
    ],
)
def test_wrong_types(path: Path, text: str, line: int, shown: str) -> None:
    error = error_of(path, AFTER + text)
    assert error.code == "wrong-type"
    assert str(error.where).startswith(f"{path}:{line}:")
    assert error.message.startswith(shown)
    assert "`" not in error.message


@pytest.mark.parametrize(
    ("text", "section", "key"),
    [
        ("[logs.map]\naction = 3", "logs.map", "action"),
        ("[logs.map]\nargs = { n = 3 }", "logs.map", "args"),
        ('[logs.unobserved]\nactions = "Tick"', "logs.unobserved", "actions"),
        ("[[expect.point]]\nmatch = 3", "expect", "match"),
        ("[constants]\nB = [1]", "", "constants"),
    ],
)
def test_a_wrong_type_is_answered_by_the_meaning_of_its_key(
    path: Path, text: str, section: str, key: str
) -> None:
    assert error_of(path, AFTER + text).hint == f"{key}: {KEYS[section][key]}"


def test_a_first_line_that_is_wrong_and_choices(path: Path) -> None:
    error = error_of(path, 'modul = "A.tla"')
    assert (error.where, error.message) == (f"{path}:1:1", "unknown key modul")
    assert error_of(path, "module = 3").message == "module: expected a string or a list, got a number"
    for text, choices in (
        ('[tlc]\nfind = "all"', "first, each"),
        ('[grid]\nsearch = "laws"', "law"),
        ('[logs]\nfiles = ["a"]\nsearch = "law"', "bfs, dfs"),
    ):
        assert error_of(path, f'module = "A"\n{text}').hint == f"one of: {choices}"


def test_the_place_of_a_value(path: Path) -> None:
    path.write_text('module = "A.tla"\n[model]\nview = "V"\ninvariants = [\n  "Inv",\n  "Investment",\n]\n')
    source = read_sweep_file(path).source
    assert source.place("model", "invariants") == f"{path}:4:1"
    assert source.place("model", "invariants", value="Investment") == f"{path}:6:4"
    assert source.place("model", "invariants", value="Inv") == f"{path}:5:4"
    assert source.place("model", "invariants", value="Absent") == f"{path}:4:1"
    assert source.place("model", "absent") == f"{path}:2:1"
    assert source.place("absent") == str(path)
    # Comments are not keys.
    path.write_text('module = "A.tla"\n# [tlc]\n# workers = 3\n[tlc]\nworkers = 1\n')
    source = read_sweep_file(path).source
    assert source.place("tlc", "workers") == f"{path}:5:1"
    # What strings of several lines hold is no key.
    path.write_text(LONG)
    source = read_sweep_file(path).source
    assert source.position("constants", "Max") == (8, 1)
    assert source.position("model", "invariants") == (10, 1)
    assert source.place("model", "invariants", value="Nope") == f"{path}:10:16"


def test_the_nearest_name() -> None:
    assert did_you_mean("Replica", ["Replicas", "Max"], "none") == "did you mean Replicas?"
    assert did_you_mean("zzz", ["Replicas", "Max"], "none") == "none"
    assert did_you_mean("zzz", ["Replicas", "Max"], None) is None


LONG = """\
module = "Spec.tla"
[constants]
Text = '''
Max = 1
[model]
invariants = ["Nope"]
'''
Max = "1 +"  # not '''
[model]
invariants = ["Nope"]
[grid]
where = ["Max > 0", '''
  Max > 1 /\\
     Max > ) 2''']
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_errors_inside_strings_of_several_lines_are_at_lines_of_the_file(path: Path, end: str) -> None:
    spec = "---- MODULE Spec ----\nCONSTANTS Max, Text\nVARIABLE x\nSpec == [][x' = x]_x\nNope == x = Max\n====\n"
    path.with_name("Spec.tla").write_text(spec)
    path.write_bytes(LONG.replace('"1 +"', "2").replace("\n", end).encode())
    raised = raises(InputError, load_sweep, path)
    assert (raised.code, raised.where) == ("expression-syntax", f"{path}:14:12")
    assert "line" not in raised.message
    text = LONG[: LONG.index("[grid]")].replace("Max = 1\n[model]\n", "  \\A y \\in {} :\n     y = }\n")
    path.write_text(text.replace('"1 +"', "2"))
    error = raises(InputError, lambda: plan_sweep(load_sweep(path), ""))
    assert (error.code, error.where) == ("expression-syntax", f"{path}:5:10")
    assert "line" not in error.message
