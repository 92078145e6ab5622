"""Logs against a specification alone, as docs/logs.md has them: the real TLC takes the steps that agree."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.command import tool
from tests.conftest import spec
from tla2py.errors import InputError
from tla2py.logs.files import write_log_module
from tla2py.logs.formats import JsonValue, LogLine
from tla2py.logs.literal import MODULES
from tla2py.logs.mapping import Mapper
from tla2py.logs.observation import POSITION, observed_module, write_observed
from tla2py.model.logs import LogFile, LogInput, LogMap
from tla2py.model.model import Config, Extension, Inputs
from tla2py.tla.parse import load_modules
from tla2py.tlc.tools.toolchain import find_toolchain

TWO_PHASE = Path(__file__).parents[2] / "specs" / "two_phase" / "TwoPhase.tla"
Log: TypeAlias = list[dict[str, JsonValue]]

LENGTH = "Len(log[CHOOSE n \\in Node : n = owner])"


def tlc(folder: Path, root: str) -> str:
    tools = find_toolchain()
    java = [str(tools.java.path), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"]
    argv = [*java, "-cp", str(tools.jar.path), "tlc2.TLC", "-deadlock", "-workers", "1", f"{root}.tla"]
    return tool(*argv, cwd=folder, code=0).stdout


def logged(log: Log) -> list[LogLine]:
    return [LogLine(file="run", number=number, fields=fields) for number, fields in enumerate(log, 1)]


def matched(
    folder: Path,
    module: Extension,
    logs: Sequence[Log],
    constants: str,
    model_values: Sequence[str] = (),
    mapping: LogMap | None = None,
) -> list[int]:
    """How many lines of each log some behaviour explains. One TLC checks all: a variable tells which log it follows."""
    mapping = mapping or LogMap()
    assert module.vocabulary is not None
    texts = []
    for log in logs:
        file = io.StringIO()
        found = Mapper(mapping).observations([logged(log)])
        write_observed(file, module.vocabulary, found, model_values=model_values, null=mapping.null)
        texts.append(file.getvalue().partition("Tla2py_Log ==")[2].partition("\nTla2py_Count")[0])
    for name, text in module.modules.items():
        (folder / name).write_text(text)
    numbers = f"1..{len(logs)}"
    (folder / "Tla2pyLog.tla").write_text(
        "---- MODULE Tla2pyLog ----\nLOCAL INSTANCE Integers\nLOCAL INSTANCE TLC\nLOCAL INSTANCE Sequences\n"
        f"VARIABLE run\nLogs == <<\n{','.join(texts)}\n>>\nTla2py_Log == Logs[run]\nTla2py_Count == Len(Logs[run])\n====\n"
    )
    (folder / "All.tla").write_text(
        f"---- MODULE All ----\nEXTENDS {module.extends[0]}\nLOCAL INSTANCE TLC\nLOCAL INSTANCE Integers\n"
        f"ASSUME \\A i \\in {numbers} : TLCSet(i, 0)\n"
        f"AllInit == run \\in {numbers} /\\ Tla2py_Init\nAllNext == Tla2py_Next /\\ UNCHANGED run\n"
        f"Told == IF TLCGet(run) < {POSITION} THEN TLCSet(run, {POSITION}) /\\ "
        f'PrintT(<<"position", run, {POSITION}>>) ELSE TRUE\n====\n'
    )
    (folder / "All.cfg").write_text(f"INIT AllInit\nNEXT AllNext\nCONSTRAINT Told\n{constants}\n")
    positions = dict.fromkeys(range(1, len(logs) + 1), 1)
    for run, position in re.findall(r'<<"position", (\d+), (\d+)>>', tlc(folder, "All")):
        positions[int(run)] = max(positions[int(run)], int(position))
    return [position - 1 for position in positions.values()]


def step(action: str, r: str = "", **state: JsonValue) -> dict[str, JsonValue]:
    return {"action": action, "args": {"r": r} if r else {}, "state": state}


def prepared(*names: str) -> Log:
    return [step("RMPrepare", name, rmState={name: "prepared"}) for name in names]


def heard(*names: str) -> Log:
    return [step("TMRcvPrepared", name, tmState="init") for name in names]


def ended(action: str, state: str, *names: str) -> Log:
    return [step(action, name, rmState={name: state}) for name in names]


RMS = ("rm1", "rm2", "rm3")
COMMIT = step("TMCommit", tmState="committed")
ABORT = step("TMAbort", tmState="aborted")
GIVEN_UP = step("RMChooseToAbort", "rm3", rmState={"rm3": "aborted"})
RIGHT: list[Log] = [
    [*prepared(*RMS), *heard(*RMS), COMMIT, *ended("RMRcvCommitMsg", "committed", *RMS)],
    [*prepared("rm1"), GIVEN_UP, *heard("rm1"), ABORT, *ended("RMRcvAbortMsg", "aborted", "rm1")],
]
# One RM votes twice, in place of another.
WRONG: list[Log] = [
    [*prepared("rm1", "rm2"), GIVEN_UP, *heard("rm1", "rm2", "rm1"), COMMIT],
    [*prepared(*RMS), *heard("rm1", "rm1", "rm2"), COMMIT, *ended("RMRcvCommitMsg", "committed", *RMS)],
    [*prepared("rm1"), ABORT, *ended("RMRcvCommitMsg", "committed", "rm1")],
]


def without(logs: list[Log], part: str) -> list[Log]:
    return [[{name: value for name, value in line.items() if name != part} for line in log] for log in logs]


@pytest.mark.long
def test_two_phase_commit(tmp_path: Path) -> None:
    spec = load_modules(TWO_PHASE)
    (tmp_path / "TwoPhase.tla").write_text(spec.root.text)
    logs = [*RIGHT, *WRONG]
    lost = [log[:3] + log[4:] for log in logs]
    # The argument of a step may be a string or a model value.
    some = [*logs, *without(logs, "state"), *without(logs, "args"), *lost[:1]]
    found = matched(tmp_path, observed_module(spec), some, "CONSTANT RM = {rm1, rm2, rm3}", RMS)
    # Without arguments the votes may be those of three RMs.
    assert found == [*[10, 5, 6, 6, 2] * 2, *[10, 5, 6, 10, 2], 5]
    # With one step that no line reports each of the right logs may lose a line.
    strings = 'CONSTANT RM = {"rm1", "rm2", "rm3"}'
    assert matched(tmp_path, observed_module(spec, unobserved=1), lost, strings)[:2] == [9, 4]
    free = observed_module(spec, unobserved=1, actions=["RMPrepare"])
    assert matched(tmp_path, free, lost[:1], strings) == [5]


def write(n: str, **state: JsonValue) -> dict[str, JsonValue]:
    return {"action": "Write", "args": {"n": n}, "state": state}


MESSAGE: JsonValue = {"from": "n1", "to": "n2", "kind": 2, "body": ["x", 1]}
FITTING: Log = [
    {"action": "Init", "state": {"log": {"n1": [], "n2": []}, "owner": "Nil", "msgs": []}},
    write("n1", log={"n1": [1]}, owner="n1"),
    {"action": "Send", "args": {"self": "n1"}},
    {"action": "Receive", "args": {"m": {"from": "n1"}}, "state": {"msgs": []}},
    {"action": "Stop", "state": {"owner": None}},
]
# Logs of Nodes, each with the number of lines that fit.
NODE_LOGS: list[tuple[int, Log]] = [
    (5, FITTING),
    (0, [{"action": "Init", "state": {"log": {"n1": [1]}}}, write("n1")]),
    (1, [write("n1"), write("n2")]),
    (0, [write("n3")]),
    (4, [write("n1"), {"action": "NodeNext", "state": {"log": {"n1": [1, 2]}}}, {}, {"args": {"n": "n1"}}]),
    (2, [write("n1"), {"action": "Stop"}, {"action": "Stop"}]),
    (0, [write("n1", log={"n1": [2]})]),
    (0, [write("n1", log={"n1": "x"})]),
    (0, [write("n1", log=5)]),
    (0, [write("n1", owner=7)]),
    (0, [write("n1", owner=["n1"])]),
    (0, [write("n1", msgs={})]),
]


@pytest.mark.long
def test_actions_through_definitions_instances_and_quantifiers(tmp_path: Path) -> None:
    for name in ("Nodes", "Outer", "Odd"):
        (tmp_path / f"{name}.tla").write_text(spec(f"observed/{name}"))
    constants, values = "CONSTANTS Node = {n1, n2}\nNil = Nil", ("n1", "n2", "Nil")
    further: list[tuple[int, Log]] = [
        (2, [write("n1"), {"action": "Send", "args": {"kind": 2}, "state": {"msgs": [MESSAGE]}}]),
        (1, [write("n1"), {"action": "Send", "args": {"self": "n1", "kind": 3}}]),
        (1, [write("n1"), {"args": {"to": "n1"}}]),
        (1, [write("n1", **{LENGTH: 1})]),
        (0, [write("n1", **{LENGTH: 2})]),
    ]
    expected, logs = zip(*NODE_LOGS, *further, strict=True)
    module = observed_module(load_modules(tmp_path / "Nodes.tla"), expressions=[LENGTH])
    assert matched(tmp_path, module, logs, constants, values, LogMap(null="Nil")) == list(expected)
    expected, logs = zip(*NODE_LOGS, strict=True)
    texts = json.dumps(logs).replace('"msgs"', '"net"').replace('"Write"', '"I!Write"')
    module = observed_module(load_modules(tmp_path / "Outer.tla"))
    assert module.vocabulary is not None
    assert set(module.vocabulary.steps.values()) == {"I!Write", "I!Send", "I!Receive", "I!Stop", "Tick"}
    found = matched(tmp_path, module, json.loads(texts), constants, values, LogMap(null="Nil"))
    assert found == list(expected)
    odd: list[Log] = [
        [{"action": "A"}, {"action": "Next", "state": {"x": 5}}, {"action": "B", "args": {"k": 7}}],
        [{"action": "Next"}],
        [{"action": "B", "args": {"a": 2, "k": 3}}],
        [{"action": "B", "args": {"k": 2}}],
    ]
    assert matched(tmp_path, observed_module(load_modules(tmp_path / "Odd.tla")), odd, "") == [3, 0, 1, 0]


@pytest.mark.long
def test_a_log_as_values(tmp_path: Path) -> None:
    line: dict[str, JsonValue] = {"s": 'a"\\\té', "n": -3, "q": [True, {}], "f": {"a-b": 1, "IF": "x"}}
    (tmp_path / "a.json").write_text(f'{json.dumps(line)}\n{{"n": 0}}\n')
    log = LogInput(path="a", files=(LogFile("a", "a.json"),), lines=2, position="Tla2py_line", literal="line")
    assert write_log_module(Inputs(log=log), Config(), tmp_path).remarks == ()
    for name in ("Json.tla", "IOUtils.tla"):
        shutil.copy(MODULES / name, tmp_path)
    (tmp_path / "Uses.tla").write_text(spec("observed/Uses"))
    (tmp_path / "Uses.cfg").write_text("INIT Init\nNEXT Next\n")
    tlc(tmp_path, "Uses")


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ({"action": "RMPrepaer"}, "log-action", "did you mean RMPrepare?"),
        ({"action": "RMPrepare", "args": {"rm": "rm1"}}, "log-argument", "did you mean r?"),
        ({"state": {"rmstate": {}}}, "log-variable", "did you mean rmState?"),
        ({"action": "Init"}, "log-action", None),
        ({"state": {"tmState": None}}, "log-value", None),
    ],
)
def test_lines_of_another_specification(line: dict[str, JsonValue], code: str, hint: str | None) -> None:
    vocabulary = observed_module(load_modules(TWO_PHASE)).vocabulary
    assert vocabulary is not None
    lines = logged([step("TMAbort"), line])
    with pytest.raises(InputError) as raised:
        write_observed(io.StringIO(), vocabulary, Mapper().observations([lines]))
    assert (raised.value.code, raised.value.where) == (code, "run:2")
    assert hint is None or raised.value.hint == hint
