"""Values of every kind, written by us, printed by TLC in a trace, and read back: they are what they were."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tla2py.store.foreign import read_file
from tla2py.tla.canonical import same_value
from tla2py.tla.value import Function, ModelValue, Opaque, Record, Value
from tla2py.tla.value_text import format_value, parse_value
from tla2py.tlc.tools.toolchain import find_toolchain

NAMES = ("a", "b_1", "node2", "Tx_1")
Make = Callable[[], Value]


def make_type(random: Random, depth: int) -> Make:
    """Makes values of one type, as the elements of a set have to be for TLC to compare them."""
    kind = random.choice(
        ("boolean", "integer", "string", "name")
        if depth == 0
        else ("set", "sequence", "record", "function", "set", "integer")
    )
    if kind == "boolean":
        return lambda: random.random() < 0.5
    if kind == "integer":
        return lambda: random.choice([0, 1, -1, random.randint(-99, 99), 2**31 - 1, -(2**31) + 1])
    if kind == "string":
        return lambda: "".join(
            random.choice("ab c\"\\\t\n\r\f<>{}[]()|,:@-/='") for _ in range(random.randint(0, 40))
        )
    if kind == "name":
        return lambda: ModelValue(random.choice(NAMES))
    inner = make_type(random, depth - 1)
    if kind == "set":
        return lambda: frozenset(inner() for _ in range(random.randint(0, 6)))
    if kind == "sequence":
        return lambda: tuple(inner() for _ in range(random.randint(0, 5)))
    if kind == "record":
        other, fields = (
            make_type(random, depth - 1),
            random.sample(["f", "node_id", "x1", "longerFieldName", "_u"], 3),
        )
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
    """What TLC prints of a module, in a file."""
    (folder / "Values.tla").write_text(
        f"---- MODULE Values ----\nEXTENDS Integers, Sequences, TLC\n{module}\n====\n"
    )
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
    cases = "\n    [] ".join(
        f"i = {number} -> {format_value(value)}" for number, value in enumerate(values, 1)
    )
    names = ", ".join(NAMES)
    (tmp_path / "Values.cfg").write_text(
        f"INIT Init NEXT Next INVARIANT Goes CONSTANTS {' '.join(f'{name} = {name}' for name in NAMES)}\n"
    )
    log = run_tlc(
        tmp_path,
        f"CONSTANTS {names}\nVARIABLES i, value, after\nPick == CASE {cases}\n"
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
