"""Trace files of TLC and other tools, opened as stores and shown by the command line."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

import tla2py
from tests.conftest import RunCli
from tests.raising import raises
from tla2py.errors import InputError
from tla2py.model.trace import Trace
from tla2py.tla.value import Function, ModelValue, Record, same_value
from tla2py.tla.value_text import parse_value
from tla2py.tlc.tools.toolchain import find_toolchain

CORPUS = Path(__file__).resolve().parent.parent / "corpus" / "foreign"
a, b = ModelValue("a"), ModelValue("b")


def run_tlc(folder: Path, config: str, *options: str) -> Path:
    log = folder / f"{config}{''.join(options)}.log"
    log.write_bytes(logged(config, *options))
    return log


@functools.cache
def logged(config: str, *options: str) -> bytes:
    """What TLC prints about the module Relay; it runs once for all tests."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("Relay.tla", f"{config}.cfg"):
            # TLC 2.15 does not support CHECK_DEADLOCK in a config.
            text = (CORPUS / name).read_text().replace("CHECK_DEADLOCK FALSE\n", "")
            (Path(place) / name).write_text(text)
        return run_relay(Path(place), config, *options).read_bytes()


def run_relay(folder: Path, config: str, *options: str) -> Path:
    toolchain = find_toolchain()
    (folder / "tmp").mkdir(exist_ok=True)
    argv = [str(toolchain.java.path), "-XX:+UseParallelGC", "-Xmx256m", f"-Djava.io.tmpdir={folder / 'tmp'}"]
    argv += ["-cp", str(toolchain.jar.path), "tlc2.TLC", *options, "-deadlock", "-fp", "0", "-workers", "1"]
    # TLC names its folder after the time in seconds.
    argv += ["-metadir", f"states{len(list(folder.iterdir()))}", "-config", f"{config}.cfg", "Relay.tla"]
    log = folder / f"{config}{''.join(options)}.log"
    with log.open("wb") as sink:
        subprocess.run(argv, cwd=folder, stdout=sink, check=False, timeout=120)
    return log


def only_trace(path: Path) -> Trace:
    view = tla2py.open_store(str(path))
    assert len(view.traces) == 1
    return view.trace(1)


@pytest.mark.parametrize(
    ("config", "kind", "length", "ends"),
    [
        ("safety", ("invariant", "Short"), 5, (None, False)),
        ("lasso", ("temporal_property", ""), 8, (5, False)),
        ("stuttering", ("temporal_property", ""), 2, (None, True)),
    ],
)
def test_logs_of_tlc(
    tmp_path: Path, config: str, kind: tuple[str, str], length: int, ends: tuple[int | None, bool]
) -> None:
    framed, plain = (only_trace(run_tlc(tmp_path, config, *options)) for options in (["-tool"], []))
    assert framed == plain
    assert (framed.kind, framed.name) == kind
    assert len(framed.states) == length
    assert (framed.loop_start, framed.stuttering) == ends
    dumped = only_trace(CORPUS / f"dump-{config}.json")
    assert [state.action for state in dumped.states] == [state.action for state in framed.states]
    assert (dumped.loop_start, dumped.stuttering) == ends
    assert (framed.loop_action is None) == (ends[0] is None)
    assert dumped.loop_action == framed.loop_action


def test_a_log_fills_every_table(tmp_path: Path) -> None:
    view = tla2py.open_store(str(run_tlc(tmp_path, "safety", "-tool", "-coverage", "1")))
    (run,) = view.runs.to_dict("records")
    assert (run["outcome"], run["verdict"], run["trace_length"]) == ("violation_safety", "violated", 5)
    assert [dict(violated) for violated in run["violated"]] == [{"kind": "invariant", "name": "Short"}]
    assert (run["generated"], run["distinct"], run["depth"], run["tlc_version"]) == (5, 5, 5, "2.15")
    assert run["wall_seconds"] is None or run["wall_seconds"] != run["wall_seconds"]  # empty
    assert list(view.states["action"])[1:] == ["Take", "Pass", "Take", "Pass"]
    last = view.trace(1).states[-1].values
    assert same_value(last["busy"], Function({a: False, b: False}))
    seen = frozenset({a, b})
    assert same_value(last["log"], (Record({"from": a, "seen": seen}), Record({"from": b, "seen": seen})))
    assert set(view.changes["variable"]) == {"token", "log", "busy"}
    assert {"Init", "Take", "Pass"} <= set(view.coverage["name"])


@pytest.mark.parametrize("options", [["-tool"], []], ids=["framed", "plain"])
def test_a_log_that_breaks_off(tmp_path: Path, run_cli: RunCli, options: list[str]) -> None:
    whole = run_tlc(tmp_path, "lasso", *options).read_bytes()
    broken = tmp_path / "broken.log"
    broken.write_bytes(whole[: whole.index(b"Computing initial states")])
    view = tla2py.open_store(str(broken))
    assert list(view.runs["outcome"]) == ["killed"]
    assert list(view.runs["verdict"]) == ["inconclusive"]
    assert len(view.traces) == 0
    ended = run_cli("trace", broken, code=3)
    assert ended.stdout.splitlines()[-1] == "The log ends before TLC had finished, so there is no verdict."
    progress = re.search(rb"^Progress\(.*\n.*", whole, re.MULTILINE)
    assert progress is not None
    broken.write_bytes(whole[: progress.end()])
    ended = run_cli("trace", broken)
    counts = r"(\S+) states generated.*, (\S+) distinct .*, (\S+) states left"
    figures = re.search(counts, progress[0].decode())
    assert figures is not None
    told = "Last counts: {} states generated, {} distinct, {} left on queue.".format(*figures.groups())
    assert (ended.code, ended.stdout.splitlines()[-1].endswith(told)) == (3, True)


def test_logs_without_a_counterexample(tmp_path: Path, run_cli: RunCli) -> None:
    whole = run_tlc(tmp_path, "safety").read_bytes()
    broken = tmp_path / "broken.log"
    broken.write_bytes(whole[: whole.index(b"State 1:")])
    ends = "The log ends before TLC had finished, and has no counterexample."
    assert run_cli("trace", broken).stdout.splitlines()[1:] == ["Invariant Short is violated.", ends]
    (tmp_path / "Relay.tla").write_text((CORPUS / "Relay.tla").read_text())
    (tmp_path / "walk.cfg").write_text("CONSTANTS a = a b = b\nSPECIFICATION Spec\n")
    ended = run_cli("trace", run_relay(tmp_path, "walk", "-simulate", "num=2"), code=0)
    assert re.search(r": no violation in \d+ (states|behaviours)\n\Z", ended.stdout)


@pytest.mark.parametrize("options", [["-tool"], []], ids=["framed", "plain"])
def test_a_log_cut_off_in_mid_trace(tmp_path: Path, run_cli: RunCli, options: list[str]) -> None:
    log = run_tlc(tmp_path, "safety", *options)
    whole, text = only_trace(log), log.read_bytes()
    cut = tmp_path / "cut.log"
    # Inside a state, after its first variable.
    cut.write_bytes(text[: text.index(b"/\\ log", text.index(b"4: <Take"))])
    trace = only_trace(cut)
    assert trace.states == whole.states[:3]
    assert (trace.kind, trace.name, trace.cut_off) == ("invariant", "Short", True)
    assert not whole.cut_off
    shown = run_cli("trace", cut, code=0)
    assert shown.stdout.splitlines()[0] == "trace 1: Short is violated, incomplete trace of 3 states"
    assert shown.stdout.splitlines()[-1] == "and the log is cut off here"
    copy = tmp_path / "copy.itf.json"
    copy.write_text(run_cli("trace", cut, "--format", "itf").stdout)
    assert only_trace(copy) == trace
    (run,) = tla2py.open_store(str(cut)).run_rows
    assert (run.verdict, run.trace_length) == ("violated", None)


@pytest.mark.parametrize("options", [["-tool"], []], ids=["framed", "plain"])
def test_a_log_with_times(tmp_path: Path, options: list[str]) -> None:
    log = run_tlc(tmp_path, "lasso", *options)
    lines = log.read_text().splitlines()
    timed = tmp_path / "timed.log"
    before = [f"2026-11-22T05:33:{n % 60:02}.1234567Z {line}".rstrip() for n, line in enumerate(lines)]
    timed.write_text("\ufeff" + "\n".join(before) + "\n")
    assert only_trace(timed) == only_trace(log)
    if not options:
        # A single line without a time means that the log has none.
        timed.write_text("\n".join(["make check", *before]))
        assert raises(InputError, lambda: tla2py.open_store(str(timed))).code == "trace-file-unknown"


@pytest.mark.parametrize("options", [["-tool"], []], ids=["framed", "plain"])
@pytest.mark.parametrize(
    ("old", "new", "said", "traces"),
    [
        ("Len(log) < 2\nRests", "log[1] = 0\nRests", "to integer 1 which is out of domain", 1),
        ("Short ==", "Short == /", "Was expecting", 0),
    ],
    ids=["invariant", "syntax"],
)
def test_a_log_of_a_check_that_failed(
    tmp_path: Path, run_cli: RunCli, options: list[str], old: str, new: str, said: str, traces: int
) -> None:
    text = (CORPUS / "Relay.tla").read_text()
    (tmp_path / "Relay.tla").write_text(text.replace(old, new))
    (tmp_path / "safety.cfg").write_text("CONSTANTS a = a b = b\nSPECIFICATION Spec\nINVARIANT Short\n")
    ended = run_cli("trace", run_relay(tmp_path, "safety", *options), code=2)
    assert said in ended.stdout
    assert ("no counterexample" in ended.stdout) == (not traces)
    assert ("1 state" in ended.stdout) == bool(traces)


def test_the_command_line_shows_exports_and_compares(tmp_path: Path, run_cli: RunCli) -> None:
    log = run_tlc(tmp_path, "lasso")
    shown = run_cli("trace", log, code=0)
    assert "and back to state 5 by Pass, for ever" in shown.stdout
    assert run_cli("trace", log, "1").stdout == shown.stdout
    exported = run_cli("trace", log, "1", "--format", "itf").json
    copy = tmp_path / "copy.itf.json"
    copy.write_text(json.dumps(exported))
    assert exported["loop"] == 4
    assert only_trace(copy) == only_trace(log)
    log = run_tlc(tmp_path, "safety")
    ended = run_cli("trace", log, "--diff", CORPUS / "dump-lasso.json", code=0)
    assert "the traces diverge here" in ended.stdout
    assert run_cli("trace", log, "--diff", log).stdout.splitlines()[-1] == "both take the same steps"


@pytest.mark.parametrize("name", ["apalache.itf.json", "quint.itf.json", "dump-safety.json"])
def test_traces_of_others(name: str, run_cli: RunCli) -> None:
    view = tla2py.open_store(str(CORPUS / name))
    assert list(view.runs["verdict"]) == ["violated"]
    assert list(view.traces["kind"]) == ["unknown"]
    shown = run_cli("trace", CORPUS / name, code=0)
    assert f"{len(view.states)} states" in shown.stdout


def test_tlc_reads_the_exported_module_as_the_same_states(tmp_path: Path, run_cli: RunCli) -> None:
    log = run_tlc(tmp_path, "safety", "-tool")
    exported = run_cli("trace", log, "--format", "tla").stdout
    name = exported.split()[2]
    (tmp_path / f"{name}.tla").write_text(exported)
    (tmp_path / "Relay.tla").write_text(
        f"---- MODULE Relay ----\nEXTENDS {name}\n"
        "ASSUME \\A i \\in DOMAIN Trace : PrintT(<<i, Trace[i].token, Trace[i].log, Trace[i].busy>>)\n====\n"
    )
    (tmp_path / "empty.cfg").write_text("CONSTANTS a = a b = b\n")
    printed = run_relay(tmp_path, "empty").read_text()
    read = [parse_value(text) for text in re.findall(r"^<<.*(?:\n .*)*", printed, re.MULTILINE)]
    states = only_trace(log).states
    assert len(read) == len(states) == 5
    for value, state in zip(read, states, strict=True):
        expected = (state.index, *(state.values[variable] for variable in ("token", "log", "busy")))
        assert same_value(value, expected)
