"""Values, prints and properties: what TLC shows and takes apart goes by the user's names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

import pytest

import tla2py
from tests.conftest import RunCli, spec
from tla2py.analysis.view import open_view
from tla2py.store.foreign import read_file
from tla2py.tla.value import Function, ModelValue, Opaque, Record, Value, format_value, same_value
from tla2py.tla.value_text import parse_value
from tla2py.tlc.tools.toolchain import find_toolchain

NAMES = ("a", "b_1", "node2", "Tx_1")
Make = Callable[[], Value]


def make_type(random: Random, depth: int) -> Make:
    """Makes values of one type, as the elements of a set have to be for TLC to compare them."""
    flat = ("boolean", "integer", "string", "name")
    kind = random.choice(("set", "sequence", "record", "function", "set", "integer") if depth else flat)
    if kind == "boolean":
        return lambda: random.random() < 0.5
    if kind == "integer":
        return lambda: random.choice([0, 1, -1, random.randint(-99, 99), 2**31 - 1, -(2**31) + 1])
    if kind == "string":
        letters = "ab c\"\\\t\n\r\f<>{}[]()|,:@-/='"
        return lambda: "".join(random.choice(letters) for _ in range(random.randint(0, 40)))
    if kind == "name":
        return lambda: ModelValue(random.choice(NAMES))
    inner = make_type(random, depth - 1)
    if kind == "set":
        return lambda: frozenset(inner() for _ in range(random.randint(0, 6)))
    if kind == "sequence":
        return lambda: tuple(inner() for _ in range(random.randint(0, 5)))
    if kind == "record":
        other = make_type(random, depth - 1)
        fields = random.sample(["f", "node_id", "x1", "longerFieldName", "_u"], 3)
        return lambda: Record({name: (inner if name < "g" else other)() for name in fields})
    # TLC compares functions of one domain only.
    keys = make_type(random, random.randint(0, 1))
    domain = {keys() for _ in range(random.randint(1, 4))}
    return lambda: Function({key: inner() for key in domain})


# What TLC writes out and what it does not, as it prints it.
EXPRESSIONS: dict[str, Value] = {
    "SUBSET (1..9)": Opaque("SUBSET 1..9"),
    "Nat": Opaque("Nat"),
    "Seq({1, 2})": Opaque("Seq({1, 2})"),
    "[1..9 -> 1..9]": Opaque("[1..9 -> 1..9]"),
    "[f: 1..99, g: 0..99]": Opaque("[f: 1..99, g: 0..99]"),
    "SUBSET {1, 2}": frozenset(map(frozenset, ([], [1], [2], [1, 2]))),
    "{1, 2} \\X {3}": frozenset({(1, 3), (2, 3)}),
    "[{1, 2} -> {3}]": frozenset({(3, 3)}),
    "[j \\in 2..3 |-> j * j]": Function({2: 4, 3: 9}),
    "UNION {{1}, {2, 3}}": frozenset({1, 2, 3}),
    "3..1": frozenset(),
    "-2..2": frozenset({-2, -1, 0, 1, 2}),
    "[f |-> Nat, g |-> <<SUBSET (1..9), {}>>]": Record(
        {"f": Opaque("Nat"), "g": (Opaque("SUBSET 1..9"), frozenset())}
    ),
}


def run_tlc(folder: Path, module: str, *options: str) -> Path:
    text = f"---- MODULE Values ----\nEXTENDS Integers, Sequences, TLC\n{module}\n====\n"
    (folder / "Values.tla").write_text(text)
    (folder / "tmp").mkdir(exist_ok=True)
    tools = find_toolchain()
    argv = [str(tools.java.path), "-XX:+UseParallelGC", "-Xss16m", f"-Djava.io.tmpdir={folder / 'tmp'}"]
    argv += ["-cp", str(tools.jar.path), "tlc2.TLC", *options, "-fp", "0", "-metadir", "states", "Values.tla"]
    log = folder / "tlc.log"
    with log.open("wb") as sink:
        subprocess.run(argv, cwd=folder, stdout=sink, check=False, timeout=120)
    return log


@pytest.mark.parametrize("options", [["-tool"], []], ids=["framed", "plain"])
def test_tlc_prints_what_we_read(tmp_path: Path, options: list[str]) -> None:
    random = Random(20)  # any seed will do; a fixed one makes a failure come again
    values = [make_type(random, random.randint(0, 3))() for _ in range(250)]
    cases = "\n    [] ".join(f"i = {n} -> {format_value(value)}" for n, value in enumerate(values, 1))
    constants = " ".join(f"{name} = {name}" for name in NAMES)
    (tmp_path / "Values.cfg").write_text(f"INIT Init NEXT Next INVARIANT Goes CONSTANTS {constants}\n")
    log = run_tlc(
        tmp_path,
        f"CONSTANTS {', '.join(NAMES)}\nVARIABLES i, value, after\nPick == CASE {cases}\n"
        'Init == i = 1 /\\ value = Pick /\\ after = "end"\n'
        f"Next == i < {len(values)} /\\ i' = i + 1 /\\ value' = Pick' /\\ UNCHANGED after\n"
        f"Goes == i < {len(values)}",
        *options,
    )
    result = read_file(log)
    assert [violation.name for violation in result.violations] == ["Goes"], log.read_text()[-2000:]
    states = result.traces[0].states
    assert len(states) == len(values)
    for state, value in zip(states, values, strict=True):
        assert state.values.keys() == {"i", "value", "after"}
        assert same_value(state.values["value"], value), format_value(value)
        assert state.values["after"] == "end"


def test_expressions_that_tlc_prints(tmp_path: Path) -> None:
    (tmp_path / "Values.cfg").write_text("")
    log = run_tlc(tmp_path, "\n".join(f'ASSUME PrintT(<<"it", {text}>>)' for text in EXPRESSIONS))
    printed = [parse_value(line) for line in log.read_text().splitlines() if line.startswith('<<"it"')]
    assert len(printed) == len(EXPRESSIONS), log.read_text()
    for value, (text, expected) in zip(printed, EXPRESSIONS.items(), strict=True):
        assert same_value(value, ("it", expected)), text


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "Talk.tla"
    path.write_text(spec("values/Talk"))
    return path


def test_a_check_shows_what_is_printed(run_cli: RunCli, talk: Path) -> None:
    *printed, verdict = run_cli("check", talk, "-c", "Max=2", code=0).stdout.splitlines()
    assert printed == ['<<"starts with", 2>>', '<<"leaves", 0>>', '<<"leaves", 1>>']
    assert verdict.startswith("holds")
    found = run_cli("check", talk, "-c", "Max=1500", "--json").json
    assert found["print_count"] == 1501
    assert len(found["prints"]) == 1000
    assert found["prints"][-1] == '<<"leaves", 998>>'


def test_a_check_shows_it_while_tlc_runs(talk: Path) -> None:
    talk.write_text(talk.read_text().replace("x' = x + 1", r"x' = x + 1 /\ (\A n \in 1..300000 : n + x > 0)"))
    argv = [sys.executable, "-m", "tla2py", "check", str(talk), "-c", "Max=20"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b'<<"starts with", 20>>\n'
        first = time.monotonic()
        assert process.stdout.read().splitlines()[-1].startswith(b"holds")
        assert time.monotonic() - first > 0.5


def test_a_store_has_the_values_also_of_records_of_before(run_cli: RunCli, talk: Path) -> None:
    sweep = talk.with_name("sweep.toml")
    sweep.write_text('module = "Talk.tla"\n[parameters]\nMax = [1, 2]\n')
    store = talk.with_name("store")
    assert run_cli("sweep", sweep, "-o", store, "--executor", "local").code == 0
    # As a version that had no such table left it.
    for file in (store / "tables" / "prints").iterdir():
        file.unlink()
    view = open_view(store)
    runs = view.runs
    assert list(runs["print_count"]) == [2, 3]
    second = view.prints[view.prints["run_id"] == runs["run_id"][1]]
    assert list(second["index"]) == [1, 2, 3]
    assert list(second["text"]) == ['<<"starts with", 2>>', '<<"leaves", 0>>', '<<"leaves", 1>>']


@pytest.mark.parametrize(
    ("name", "code", "printed"),
    [
        ("Few", 1, ['<<"distinct", 4>>', "Talk.tla:10:8: Postcondition Few ", "\nviolated: Few;"]),
        ("Asserted", 1, ['<<"too many", 4>>', "\nviolated: Asserted;"]),
        ("Wrong", 2, ["Evaluating postcondition Wrong"]),
    ],
)
def test_a_postcondition_is_named(
    name: str, code: int, printed: list[str], run_cli: RunCli, talk: Path, newer_tlc: Path
) -> None:
    config = talk.with_name(f"{name}.cfg")
    config.write_text(f"SPECIFICATION Spec\nCONSTANT Max = 3\nPOSTCONDITION {name}\n")
    ended = run_cli("check", talk, "--config", config, "--tla2tools", newer_tlc, code=code)
    assert [text for text in printed if text not in ended.stdout] == []
    # An Assert in a postcondition violates the postcondition, not an assumption.
    assert code == 2 or not re.search("[Aa]ssumption|ASSUME", ended.stdout)


def test_a_postcondition_and_prints_are_reported(run_cli: RunCli, talk: Path, newer_tlc: Path) -> None:
    sweep = talk.with_name("sweep.toml")
    model = '[model]\npostconditions = ["Few"]\n[parameters]\nMax = [1, 2]\n'
    sweep.write_text(f'module = "Talk.tla"\n{model}[tlc]\nwarm = false\n')
    options = ("-o", talk.with_name("store"), "--executor", "local", "--tla2tools", newer_tlc)
    for command, said in (("sweep", "violated: Few"), ("gate", "Postcondition Few")):
        shown = run_cli(command, sweep, *options, code=1).stdout
        assert said in shown
        assert '<<"distinct", 3>>' in shown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Parts.tla").write_text(spec("values/Parts"))
    return tmp_path


def write(
    file: Path, properties: str, found: str, invariants: str = "Low", broken: str = "step", find: str = "each"
) -> None:
    """A sweep file of Parts; names are separated by spaces."""
    model = f"invariants = {invariants.split()}\nproperties = {properties.split()}\ncheck_deadlock = false\n"
    values = [f'"{each}"' for each in broken.split()]
    model += f'[parameters]\nBroken = {values}\n[tlc]\nfind = "{find}"\n[expect]\n'
    text = f'module = "Parts.tla"\n[model]\nspecification = "Spec"\n{model}violates = {found.split()}\n'
    file.write_text(text)


def violated(folder: Path) -> list[list[str]]:
    """What the JUnit report says is violated as expected, by point."""
    said = [case.findtext("system-out", "") for case in ET.parse(folder / "junit.xml").iter("testcase")]
    return [sorted(re.findall(r"(?m)^(.*) is violated in .*, as expected$", text)) for text in said]


@pytest.mark.parametrize(
    ("properties", "broken"),
    [("Both", "step"), pytest.param("Grows Both", "init state step", marks=pytest.mark.long)],
)
def test_conjuncts_go_by_property(run_cli: RunCli, folder: Path, properties: str, broken: str) -> None:
    """With one property there is nothing to choose from; of several each is checked alone. Then the search goes on."""
    write(folder / "s.toml", properties, "Both Low", broken=broken)
    points = len(broken.split())
    run_cli("gate", "s.toml", "--executor", "local", "--junit", "junit.xml", cwd=folder, code=0)
    store = tla2py.open_store(folder / "runs" / "s")
    rows = store.arrow("runs").sort_by("point").to_pylist()
    found = [[violation["name"] for violation in row["violated"]] for row in rows]
    assert found == [["Both", "Low"]] * points
    assert {trace["name"] for trace in store.arrow("traces").to_pylist()} == {"Both", "Low"}
    assert violated(folder) == [["invariant Low", "property Both"]] * points
    verified = run_cli("trace", "runs/s", "--verify", cwd=folder, code=0).stdout
    assert verified.count("confirmed") == 2 * points


@pytest.mark.parametrize("find", ["each", "first"])
def test_a_named_conjunct_goes_by_its_property(run_cli: RunCli, folder: Path, find: str) -> None:
    """Though it is an invariant of its own too, and others are violated besides."""
    if find == "first":
        write(folder / "s.toml", "Named", "Named", invariants="", find=find)
    else:
        write(folder / "s.toml", "Grows Named Both", "Both Named Low")
    run_cli("gate", "s.toml", "--executor", "local", "--junit", "junit.xml", cwd=folder, code=0)
    [found] = violated(folder)
    assert {*found} == {"property Named"} | ({"property Both", "invariant Low"} if find == "each" else set())


def test_a_property_of_every_state_is_confirmed_as_one(run_cli: RunCli, folder: Path) -> None:
    write(folder / "s.toml", "Always", "Always Low")
    run_cli("gate", "s.toml", "--executor", "local", cwd=folder, code=0)
    assert run_cli("trace", "runs/s", "--verify", cwd=folder, code=0).stdout.count("confirmed") == 2


def test_nothing_is_said_of_what_a_search_that_ended_left_open(run_cli: RunCli, folder: Path) -> None:
    """An Assert cannot be left out of a config, so that the search for each violation ends with it."""
    write(folder / "s.toml", "", "", invariants="Stops Low")
    text = (folder / "s.toml").read_text().replace("violates = []", 'verdict = "holds"')
    (folder / "s.toml").write_text(text)
    run_cli("gate", "s.toml", "--executor", "local", "--junit", "junit.xml", cwd=folder, code=1)
    [failure] = ET.parse(folder / "junit.xml").findall(".//testcase/*")
    assert "no answer on invariant Low" in str(failure.text)


def test_the_table_of_several_sweeps_says_what_is_open(run_cli: RunCli, folder: Path) -> None:
    """Where the first violation ended the search, of what else was checked nobody knows."""
    for name, find in (("all", "each"), ("one", "first")):
        write(folder / f"{name}.toml", "", "Low", invariants="Low Fine", broken="none", find=find)
    ended = run_cli("sweep", "all.toml", "one.toml", "--executor", "local", cwd=folder, code=0)
    fine = [line.split()[-4:] for line in ended.stdout.splitlines() if "Fine" in line]
    assert [("holds" in line, "undecided" in line) for line in fine] == [(True, False), (False, True)], ended
