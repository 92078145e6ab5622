"""The state graph that TLC dumps, read in blocks."""

from __future__ import annotations

import itertools
import json
import re
import zipfile

import pytest

from tla2py.tla.itf import state_text
from tla2py.tlc.output.graph import GraphBlock, GraphReader
from tla2py.tlc.output.states import StateReader
from tla2py.tlc.tools.jar import bundled_jar

HEAD = 'strict digraph DiskGraph {\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor="white";\n'
TAIL = "{rank = same; 1;-2;}\n}\n}"
# Texts of one variable: plain, wrapped, with strings that look like something else, and what is not a value.
VALUES = [
    *("1", "{a, b}", '"a"', '[f |-> "b", g |-> <<>>]', "(a :> 1 @@\n  b :> 2)"),
    *(r'"ends with a backslash \\"', r'"\"quoted\" -> \\n/\\ x = 1"', '"1 -> 2 [label=\\"x\\"]"'),
    *("SUBSET {1, 2}", "\N{GREEK SMALL LETTER ALPHA}", "/\\ x = 2\n/\\ y", "fp: 12", "?", ""),
]
BODIES = [
    *(f"/\\ x = {one}\n/\\ y = {other}" for one, other in itertools.product(VALUES, repeat=2)),
    *(f"x = {value}" for value in VALUES),
    *("/\\ x = 1\n/\\ x = 2", "/\\ #set = 1\n/\\ y = 2", "/\\ x\n/\\ y = 2", "x = 1\n/\\ y = 2"),
    *("a!b = 1", "x = y = 1", "<<1, 2>>", ""),
]


def escaped(body: str) -> str:
    """A state's text as TLC writes it into a label."""
    return body.replace("\\", "\\\\").replace('"', '\\"').strip().replace("\n", "\\n")


def read(text: str, reader: GraphReader | None = None) -> GraphBlock:
    return (reader or GraphReader()).read(text.encode())


def steps(block: GraphBlock) -> list[tuple[int, int, str | None, tuple[str, ...] | None]]:
    rows = zip(block.sources, block.targets, block.actions, strict=True)
    return [(source, target, *block.labels[action]) for source, target, action in rows]


def test_every_state_reads_as_the_same_state_of_a_trace() -> None:
    reader = GraphReader()
    for start in (0, 1000):  # the second time from what the reader remembers
        lines = [f'{number} [label="{escaped(body)}"];' for number, body in enumerate(BODIES, start)]
        block = read("\n".join(lines), reader)
        assert block.fingerprints.tolist() == list(range(start, start + len(BODIES)))
        for body, state in zip(BODIES, block.states, strict=True):
            assert state == state_text(StateReader().read_values(body.strip())), body


def test_a_name_that_is_also_a_string_is_marked_in_each_state() -> None:
    bodies = (f'/\\ x = a\n/\\ y = "{text}"' for text in "bab")
    lines = [f'{number} [label="{escaped(body)}"];' for number, body in enumerate(bodies)]
    one, other, again = (json.loads(state)["#meta"] for state in read("\n".join(lines)).states)
    assert one == again == {"modelValues": ["a"]}
    assert other == {"modelValues": [], "ambiguousModelValues": ["a"]}


def test_the_steps_have_actions_and_arguments() -> None:
    block = read(
        HEAD + '-1 [label="x = 1",style = filled]\n'
        '-1 -> 2 [label="Add",color="black",fontcolor="black"];\n'
        '2 [label="x = 2"];\n'
        '2 -> -1 [label="Deliver(p1,\\"a, \\\\\\"b\\",<<1, 2>>)",color="2",fontcolor="2"];\n'
        '2 -> 2 [style="dashed"];\n'
        "2 -> 3;\n"
        '2 -> 3 [label="",color="black",fontcolor="black"];\n'
        '2 -> 4 [label="[style=\\"dashed\\"]"];\n' + TAIL
    )
    delivered = (2, -1, "Deliver", ("p1", '"a, \\"b"', "<<1, 2>>"))
    others = ((2, 3, None, None), (2, 4, '[style="dashed"]', None))
    assert steps(block) == [(-1, 2, "Add", None), delivered, *others]
    assert (list(block.fingerprints), block.initial) == ([-1, 2], [True, False])


def test_a_state_counts_once_also_in_a_later_block() -> None:
    reader = GraphReader()
    line = '7 [label="x = 1"];\n'
    assert len(read(line * 2, reader).states) == 1
    assert read(line + '8 [label="x = 2"];', reader).fingerprints.tolist() == [8]
    # Equal steps are one, also in the next block.
    reader = GraphReader()
    lines = '1 -> 2 [label="A",color="black"];\n1 -> 2 [label="A",color="2"];\n1 -> 2 [label="B"];\n'
    assert steps(read(lines, reader)) == [(1, 2, "A", None), (1, 2, "B", None)]
    assert steps(read(lines + "1 -> 3;\n", reader)) == [(1, 3, None, None)]
    assert steps(read(lines, reader)) == []
    # Their state has been left behind.
    read("5 -> 6;\n", reader)
    assert steps(read(lines, reader)) == [(1, 2, "A", None), (1, 2, "B", None)]


@pytest.mark.parametrize("number", [str((1 << 63) + 1), "9" * 25])
def test_a_number_that_is_no_fingerprint_is_left_out(number: str) -> None:
    edges = f"1 -> 2;\n{number} -> 2;\n1 -> -{number};\n"
    block = read(f'3 [label="x = 1"];\n{edges}{number} [label="x = 1"];')
    assert (steps(block), block.fingerprints.tolist()) == ([(1, 2, None, None)], [3])


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tla2py.tlc.output.graph._REMEMBERED", 3000)
    lines = "\n".join(f'{n} [label="/\\\\ x = {n % 50}\\n/\\\\ y = {n}"];' for n in range(200))
    reader = GraphReader()
    assert read(lines, reader).states == [state_text({"x": n % 50, "y": n}) for n in range(200)]
    assert len(reader._variables) < 10


# As class files write names.
_REACHES = re.compile(rb"java/(?:io/(?:File|RandomAccess)|nio/file/|net/|lang/(?:Process|Runtime\b))|getenv")


def test_no_module_of_the_bundled_tlc_knows_files_programs_or_the_network() -> None:
    with zipfile.ZipFile(bundled_jar()) as jar:
        # One class is not a module: its methods neither take nor return values.
        module = re.compile(r"tlc2/module/(?!BuiltInModuleHelper)\w+\.class")
        names = [name for name in jar.namelist() if module.fullmatch(name)]
        assert len(names) >= 10
        assert [name for name in names if _REACHES.search(jar.read(name))] == []
        # The check works: it finds that TLC itself opens files.
        assert _REACHES.search(jar.read("util/FileUtil.class"))
