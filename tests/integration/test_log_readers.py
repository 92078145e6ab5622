"""Trace specifications in the ways that people write them: how they read a log, count its lines, and accept it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command import tool
from tests.conftest import RunCli
from tla2py.tlc.tools.java import find_java

pytestmark = pytest.mark.jars

LINES = ['{"max": 9}', '{"n": 1}', '{"n": 2}', '{"n": 3}']
# The first line has settings. The last one of the second log does not fit.
GOOD, BAD = "\n".join([*LINES, ""]), "\n".join([*LINES[:-1], '{"n": 9}', ""])
HEAD = r"""---- MODULE Trace ----
EXTENDS Naturals, Sequences, TLC, Json, IOUtils
VARIABLES x, l
vars == <<x, l>>
Step(n) == x' = x + 1 /\ x' = n
File == IF "LOG" \in DOMAIN IOEnv THEN IOEnv.LOG ELSE "trace.ndjson"
"""
READ = "All == ndJsonDeserialize(File)\nLog == Tail(All)\n"
INIT = "Init == x = 0 /\\ l = 1\n"
NEXT = "Next == l <= Len(Log) /\\ Step(Log[l].n) /\\ l' = l + 1\n"
SPEC = "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)\n"


class Way(NamedTuple):
    """A way to write a trace specification: its text after the head, and its config after the specification."""

    text: str
    config: str = ""


PLAIN = READ + INIT + NEXT + SPEC
REACHED = 'Done == TLCGet("stats").diameter - 1 = Len(Log)\n'
FITS = """Spec == Init /\\ [][x' = x + 1 /\\ l' = l]_vars
Fits == LET i == TLCGet("level") IN i <= Len(Log) /\\ Log[i].n = x'
"""
OWN = INIT + "Next == l <= Len(Log) /\\ Step(x + 1) /\\ l' = l + 1\n" + SPEC + "Fits == Log[l].n = x'\n"
FROM_0 = "Init == x = 0 /\\ l = 0\nNext == l < Len(Log) /\\ l' = l + 1 /\\ Step(Log[l'].n)\n" + SPEC
LENGTH = """Log == ndJsonDeserialize(File)
Count == Len(Log) - 1
Event == [i \\in 1..Count |-> Log[i + 1]]
"""
PARAMETER = """Read(path) == SelectSeq(ndJsonDeserialize(path), LAMBDA e : "n" \\in DOMAIN e)
Log == TLCEval(Read(File))
"""
CONSTANT = "CONSTANT Path\nAll == ndJsonDeserialize(Path)\nLog == Tail(All)\n" + INIT + NEXT + SPEC
TYPED = PLAIN + "Typed == l \\in 1..Len(Log) + 1 /\\ x \\in 0..All[1].max\n"
WAYS = {
    "property": Way(PLAIN + "Done == <>[](l > Len(Log))\n", "PROPERTY Done"),
    "postcondition": Way(PLAIN + REACHED, "POSTCONDITION Done"),
    "level": Way(READ + INIT + FITS + REACHED, "ACTION_CONSTRAINT Fits\nPOSTCONDITION Done"),
    # A step that another constraint rejects explains no line.
    "constraint": Way(READ + OWN, "ACTION_CONSTRAINT Fits"),
    # The end of the log violates the invariant.
    "inverse": Way(PLAIN + "NotDone == l <= Len(Log)\n", "INVARIANT NotDone"),
    # An invariant that any prefix of the log satisfies accepts nothing.
    "typed": Way(TYPED, "INVARIANT Typed"),
    "from-0": Way(READ + FROM_0),
    "from-2": Way("Log == ndJsonDeserialize(File)\nInit == x = 0 /\\ l = 2\n" + NEXT + SPEC),
    "length": Way(LENGTH + INIT + "Next == l <= Count /\\ Step(Event[l].n) /\\ l' = l + 1\n" + SPEC),
    "parameter": Way(PARAMETER + INIT + NEXT + SPEC),
    "constant": Way(CONSTANT, 'CONSTANT Path = "other.ndjson"'),
}


def write(folder: Path, way: Way) -> None:
    """A trace specification with a log that fits and one that does not."""
    (folder / "Trace.tla").write_text(f"{HEAD}{way.text}====\n")
    (folder / "Trace.cfg").write_text(f"SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n{way.config}\n")
    (folder / "good.ndjson").write_text(GOOD)
    (folder / "bad.ndjson").write_text(BAD)


@pytest.mark.parametrize("name", WAYS)
def test_a_log_is_read_and_counted(newer: RunCli, tmp_path: Path, name: str) -> None:
    write(tmp_path, WAYS[name])
    logs = [tmp_path / "good.ndjson", tmp_path / "bad.ndjson"]
    found = newer("validate", tmp_path / "Trace.tla", *logs, "--json").json
    answers = [(row["verdict"], row["matched"], row["first_unmatched"]) for row in found]
    assert answers == [("holds", 4, None), ("violated", 3, 4)]


SEARCH = "Next == l <= Len(Log) /\\ Log[l].n >= 0 /\\ x' \\in 4 * x..4 * x + 3 /\\ l' = l + 1\n"
END = 'End == l > Len(Log) => TLCSet("exit", TRUE)\n'
EXIT = Way(READ + INIT + SEARCH + SPEC + END, "CONSTRAINT End")


@pytest.mark.parametrize("search", [None, "bfs", "dfs"])
def test_a_module_that_ends_the_search_is_searched_depth_first(
    newer: RunCli, newer_tlc: Path, tmp_path: Path, search: str | None
) -> None:
    write(tmp_path, EXIT)
    written = f'search = "{search}"\n' if search else ""
    text = f'module = "Trace.tla"\nconfig = "Trace.cfg"\n[logs]\nfiles = ["good.ndjson"]\n{written}'
    (tmp_path / "sweep.toml").write_text(text)
    (row,) = newer("validate", tmp_path / "sweep.toml", "--json").json
    assert (row["verdict"], row["matched"]) == ("holds", 4)
    queue = [] if search == "bfs" else ["-Dtlc2.tool.queue.IStateQueue=StateDeque"]
    classes = f"{newer_tlc}{os.pathsep}{newer_tlc.with_name('CommunityModules.jar')}"
    options = (*queue, "-cp", classes, "tlc2.TLC", "-metadir", str(tmp_path / "m"), "Trace.tla")
    plain = tool(find_java().path, *options, cwd=tmp_path, env={**os.environ, "LOG": "good.ndjson"})
    counts = f"{row['generated']} states generated, {row['distinct']} distinct states found"
    assert counts in plain.stdout
    # Breadth first every state of the last but one line comes before the end.
    assert (row["distinct"] > 20) == (search == "bfs")


LACKING = """\
---- MODULE Lacking ----
EXTENDS Naturals, Sequences, Json, IOUtils
VARIABLE l
Log == ndJsonDeserialize(IOEnv.LOG)
Init == l = 1
Next == l <= Len(Log) /\\ {asks} /\\ l' = l + 1
Spec == Init /\\ [][Next]_l
====
"""


@pytest.mark.parametrize(
    ("asks", "says"),
    [
        ('Len(ndJsonDeserialize("other.ndjson")) > 0', "no such file of the run: other.ndjson"),
        ('JsonDeserialize("other.json").n = 1', "no such file of the run: other.json"),
        ('ToJson(l) # ""', "ToJson needs the Java classes of the CommunityModules"),
        ('IOExec(<<"date">>).exitValue = 0', "IOExec needs the Java classes of the CommunityModules"),
    ],
    ids=["lines", "value", "json", "program"],
)
def test_what_a_module_lacks_is_no_violation_by_the_log(
    asks: str, says: str, tmp_path: Path, run_cli: RunCli
) -> None:
    (tmp_path / "Lacking.tla").write_text(LACKING.format(asks=asks))
    (tmp_path / "a.ndjson").write_text('{"n": 1}\n')
    logs = '[logs]\nfiles = ["a.ndjson"]\nas = "environment.LOG"\n[tlc]\ntrust = true\n'
    (tmp_path / "sweep.toml").write_text(f'module = "Lacking.tla"\n{logs}')
    [row] = run_cli("validate", "sweep.toml", "--json", code=2).json
    assert row["verdict"] == "broken"
    assert says in row["message"]
