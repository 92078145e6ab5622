"""Answers on logs that are easily wrong: branches that end early, other orders of lines, numbers, helpers of actions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunCli, spec

# The first line lets x become one of nine values; the next one tells which.
TRACE = spec("logs/Trace")


def line(e: str, n: int = 0) -> dict[str, object]:
    return {"e": e, "n": n}


GOOD = [line("any"), line("is", 3), line("is", 3), line("is", 3)]
BAD = [line("any"), line("is", 3), line("is", 4), line("is", 3)]


def folder(path: Path, text: str, config: str, **logs: Iterable[object]) -> Path:
    """A module with its config and logs; the path of the module."""
    module = path / f"{text.split()[2]}.tla"
    module.write_text(text)
    module.with_suffix(".cfg").write_text(config)
    for name, lines in logs.items():
        texts = (each if isinstance(each, str) else json.dumps(each) for each in lines)
        (path / f"{name}.ndjson").write_text("".join(f"{each}\n" for each in texts))
    return module


def answers(ended: Any) -> list[tuple[object, ...]]:
    keys = ("verdict", "matched", "first_unmatched", "violates")
    return [tuple(row[key] for key in keys) for row in ended.json]


def test_early_ends_are_no_answers_on_the_log(run_cli: RunCli, tmp_path: Path) -> None:
    module = folder(tmp_path, TRACE, "SPECIFICATION Spec\n", good=GOOD, bad=BAD)
    ended = run_cli("validate", module, tmp_path / "good.ndjson", tmp_path / "bad.ndjson", "--json")
    assert answers(ended) == [("holds", 4, None, []), ("violated", 2, 3, [])]
    module = folder(tmp_path, TRACE, "SPECIFICATION Spec\nINVARIANT Small\n", good=GOOD)
    asked = ("validate", module, tmp_path / "good.ndjson")
    assert answers(run_cli(*asked, "--json")) == [("violated", 1, None, ["Small"])]
    shown = run_cli(*asked).stdout
    assert ("violated " in shown, "is FALSE" in shown) == (True, False)
    # The count begins at the third entry.
    text = TRACE.replace("l = 1", "l = 3")
    module = folder(tmp_path, text, "SPECIFICATION Spec\n", bad=[line("any"), line("is"), *BAD])
    shown = run_cli("validate", module, tmp_path / "bad.ndjson").stdout
    for text in ("bad.ndjson:5, 4 of 6 lines explained", "   3 Next  ", "   4 Next  "):
        assert text in shown


@pytest.mark.jars
def test_a_search_that_ends_itself_elsewhere_is_no_answer(newer: RunCli, tmp_path: Path) -> None:
    reached = TRACE.replace("====", 'Reached == TLCGet("stats").diameter = Len(Log) + 1\n====')
    config = "SPECIFICATION Spec\nCONSTRAINT Exit\nPOSTCONDITION Reached\nCHECK_DEADLOCK FALSE\n"
    module = folder(tmp_path, reached, config, good=GOOD)
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(SWEEP.replace("Numbers", "Trace") + 'search = "bfs"\n')
    [row] = newer("validate", sweep, "--json").json
    assert (row["verdict"], row["first_unmatched"]) == ("inconclusive", None)
    assert "so that Reached is FALSE tells nothing of the log" in row["message"]
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPOSTCONDITION Reached\n")
    assert answers(newer("validate", sweep, "--json")) == [("holds", 4, None, [])]


@pytest.mark.parametrize("order", ["Final Safe", "Safe Final"])
def test_the_order_of_invariants_decides_nothing(run_cli: RunCli, tmp_path: Path, order: str) -> None:
    other = [line("any"), line("is", 4)]
    module = folder(tmp_path, TRACE, f"SPECIFICATION Spec\nINVARIANTS {order}\n", good=GOOD, other=other)
    ended = run_cli("validate", module, tmp_path / "good.ndjson", tmp_path / "other.ndjson", "--json")
    assert answers(ended) == [("violated", 4, None, ["Safe"]), ("holds", 2, None, [])]


def test_properties_are_checked_without_the_end_of_a_log(run_cli: RunCli, tmp_path: Path) -> None:
    config = "SPECIFICATION Spec\nINVARIANT Final\nPROPERTY Calm\n"
    other = [line("any"), line("is", 4)]
    module = folder(tmp_path, TRACE, config, good=GOOD, other=other)
    ended = run_cli("validate", module, tmp_path / "good.ndjson", tmp_path / "other.ndjson", "--json")
    assert [row[0] for row in answers(ended)] == ["violated", "holds"]
    assert answers(ended)[0][3] == ["Calm"]


ORDERED = spec("logs/Ordered")
BY_TIME = "SortSeq(All, LAMBDA a, b : a.t < b.t)"


@pytest.mark.parametrize(
    ("order", "lines", "found"),
    [
        (BY_TIME, [(3, 3), (1, 1), (2, 9)], (1, 3)),
        (BY_TIME, [(2, 9), (1, 1), (2, 9)], (1, None)),
        ("Reverse(All)", [(3, 3), (2, 9), (1, 1)], (1, 2)),
        ("Tail(All)", [(0, 1), (0, 1), (0, 1)], (2, 3)),
        ("SubSeq(All, 3, Len(All))", [(0, 1), (0, 5), (0, 1), (0, 5)], (3, 4)),
        ("SelectSeq(All, LAMBDA e : e.t > 0)", [(0, 1), (1, 1), (0, 1), (1, 1)], (3, 4)),
        ("Tail(SelectSeq(All, LAMBDA e : e.t > 0))", [(1, 9), (1, 1), (0, 9), (1, 9)], (1, None)),
        ("TLCEval(All)", [(0, 1), (0, 1), (0, 1)], (1, 2)),
    ],
)
def test_a_line_is_found_by_its_content(
    run_cli: RunCli, tmp_path: Path, order: str, lines: list[tuple[int, int]], found: tuple[int, int | None]
) -> None:
    log = [{"t": t, "x": x} for t, x in lines]
    module = folder(tmp_path, ORDERED.replace("ORDER", order, 1), "SPECIFICATION Spec\n", log=log)
    [row] = run_cli("validate", module, tmp_path / "log.ndjson", "--json").json
    assert (row["verdict"], row["matched"], row["first_unmatched"]) == ("violated", *found)
    if found[1] is None:
        same = [number for number, each in enumerate(lines, 1) if each == lines[-1]]
        assert "entry 2 of the log as the module reads it is the first" in row["message"]
        assert f"the same in lines {same[0]}, {same[1]}" in row["message"]


def test_a_postcondition_does_not_hide_lines_that_are_alike(newer: RunCli, tmp_path: Path) -> None:
    text = ORDERED.replace("ORDER", BY_TIME, 1).removesuffix("====\n")
    text += 'Done == TLCGet("stats").diameter - 1 = Len(Log)\n====\n'
    log = [{"t": t, "x": x} for t, x in ((2, 9), (1, 1), (2, 9))]
    module = folder(tmp_path, text, "SPECIFICATION Spec\nPOSTCONDITION Done\n", log=log)
    [row] = newer("validate", module, tmp_path / "log.ndjson", "--json").json
    assert (row["matched"], row["first_unmatched"], row["violates"]) == (1, None, ["Done"])
    assert row["message"].endswith("it is the same in lines 1, 3")


NUMBERED: dict[str, list[object]] = {
    "blank": [""],
    "fraction": [{"n": 1, "t": 1700000000123}, '{"deep": [{"n": 2.9}], "t": 1.5}'],
    "huge": ['{"n": 1e400}'],
    "large": [{"n": 2147483648}],
    "no_json": ["{x:2}"],
    "silent": [{"n": -2147483648, "t": 1700000000123, "s": '{"n": 1.5'}, '{"n": 2.0, "u": 1.5}'],
    "words": ["ended"],
}
SWEEP = 'module = "Numbers.tla"\nconfig = "Numbers.cfg"\n[logs]\nfiles = ["*.ndjson"]\n'


def numbers(run: RunCli, path: Path) -> None:
    """The answers on logs with numbers that TLC's JSON reader changes, and on files that are not logs."""
    module = folder(path, spec("logs/Numbers"), "SPECIFICATION Spec\n", **NUMBERED)
    ended = run("validate", module, *sorted(path.glob("*.ndjson")), "--json")
    rows = {Path(row["file"]).stem: row for row in ended.json}
    broken, unsure = ("blank", "no_json", "words"), ("fraction", "huge", "large")
    verdicts = {**dict.fromkeys(broken, "broken"), **dict.fromkeys(unsure, "inconclusive"), "silent": "holds"}
    assert {name: row["verdict"] for name, row in rows.items()} == verdicts
    large = "log-number n: n is 2147483648, which TLC reads as -2,147,483,648"
    assert rows["large"]["message"].startswith(large)
    assert "the log has no lines" in rows["blank"]["message"]
    shown = run("validate", module, path / "fraction.ndjson")
    assert shown.code == 3
    assert "fraction.ndjson:2:17: log-number n: n is 2.9, which TLC reads as 2" in shown.stdout
    for accepted, code in (("log-number.n", 0), ("log-number", 0), ("log-number.m", 3)):
        ended = run("validate", module, path / "fraction.ndjson", "--accept", accepted)
        assert ended.code == code, ended
        # An option that applies to nothing is reported as an entry of [accept] is.
        unused = [each for each in ended.findings if each[0] == "accept-unused"]
        assert unused == ([("accept-unused", str(module))] if code else []), ended
    sweep = path / "sweep.toml"
    accepted = SWEEP + '[accept]\nlog-number.n = "a counter that wraps"\n'
    none = 'log-number.m = "no such field"\n'
    for text, count in ((accepted, 0), (accepted + none, 1)):
        sweep.write_text(text)
        ended = run("validate", sweep, "--json")
        found = [each for each in ended.findings if each[0] == "accept-unused"]
        assert found == [("accept-unused", f"{sweep}:7:1")] * count
        expected = ["broken", "holds", "holds", "holds", "broken", "holds", "broken"]
        assert [row["verdict"] for row in ended.json] == expected


def test_numbers_that_change(run_cli: RunCli, tmp_path: Path) -> None:
    numbers(run_cli, tmp_path)


@pytest.mark.jars
def test_numbers_that_change_with_the_java_classes(newer: RunCli, tmp_path: Path) -> None:
    numbers(newer, tmp_path)


def step(action: str, *waiting: str, **args: object) -> dict[str, object]:
    return {"action": action, "args": args, "state": {"waiting": waiting}}


def test_the_action_is_the_one_that_the_log_and_next_name(run_cli: RunCli, tmp_path: Path) -> None:
    log = [step("Get", "c1", t="c1"), step("Get", "c1", "c2", t="c2"), step("Put", "c1", "c2", t="p1", d=7)]
    other = [step("Get", "c1", t="c1"), step("Put", t="c1", d=7)]
    helper = [step("Get", "c1", t="c1"), step("Wait", "c1", "c2", w="c2"), {"state": {"buffer": [7]}}]
    # The buffer is full, so Put waits: its own text has no conjunct on the way.
    full = [step("Put", t="p1", d=7), step("Put", "c1", t="p2", d=7)]
    system = folder(tmp_path, spec("logs/Queue"), "", log=log, other=other, helper=helper, full=full)
    trace = folder(tmp_path, spec("logs/QueueTrace"), "SPECIFICATION TraceSpec\n")
    shown = run_cli("validate", system, tmp_path / "log.ndjson").stdout
    nearest = 'nearest: Put(t = "p1", d = 7), waiting {"c2"} instead of ["c1", "c2"]'
    assert nearest in " ".join(shown.split())
    assert "taken: Get 2" in shown
    # Both consumers wait, so that Put has one step for each that it notifies.
    assert "1 state possible before it; enabled: Put\n" in shown
    texts = [shown, run_cli("validate", system, tmp_path / "full.ndjson").stdout]
    assert "1 state possible before it; enabled: Put, Get\n" in texts[1]
    assert 'nearest: Put(t = "p2", d = 7), waiting {"p2"} instead of ["c1"]' in " ".join(texts[1].split())
    for text in texts:
        assert "  Put: waiting' = state.waiting is FALSE\n" in text
        # Helpers and what they bind are none, and a guard of Next does not make it one.
        assert not {"NotifyOther", "Wait", "Next"} & {*text.replace(":", " ").replace("(", " ").split()}
    assert nearest in " ".join(run_cli("validate", trace, tmp_path / "log.ndjson").stdout.split())
    # The t of the line is that of Put, not one that its helper binds.
    shown = run_cli("validate", system, tmp_path / "other.ndjson").stdout
    assert 'nearest: Put(t = "p1", d = 7), t "p1" instead of "c1"' in shown
    # A line that names a helper still means that one.
    shown = run_cli("validate", system, tmp_path / "helper.ndjson").stdout
    assert "1 of 1 log explained, with 3 lines" in shown
