"""The values that Print, PrintT and Assert print: shown by a check as they come, kept in a table."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import RunCli
from tla2py.analysis.view import open_view

TALK = r"""---- MODULE Talk ----
EXTENDS Naturals, TLC
CONSTANT Max
VARIABLE x
Init == x = 0 /\ PrintT(<<"starts with", Max>>)
Next == x < Max /\ x' = x + 1 /\ PrintT(<<"leaves", x>>)
Stop == x = Max /\ UNCHANGED x
Spec == Init /\ [][Next \/ Stop]_x
Small == x < 2000 \/ Assert(FALSE, "never")
Few == PrintT(<<"distinct", TLCGet("distinct")>>) /\ TLCGet("distinct") < 3
Asserted == Assert(TLCGet("distinct") < 3, <<"too many", TLCGet("distinct")>>)
Wrong == TLCGet("distinct") < "three"
====
"""


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "Talk.tla"
    path.write_text(TALK)
    return path


def with_postcondition(talk: Path, name: str) -> Path:
    path = talk.with_name(f"{name}.cfg")
    path.write_text(f"SPECIFICATION Spec\nCONSTANT Max = 3\nPOSTCONDITION {name}\n")
    return path


def test_a_check_shows_what_is_printed(run_cli: RunCli, talk: Path) -> None:
    ended = run_cli("check", talk, "-c", "Max=2", code=0)

    *printed, verdict = ended.stdout.splitlines()
    assert printed == ['<<"starts with", 2>>', '<<"leaves", 0>>', '<<"leaves", 1>>']
    assert verdict.startswith("holds")


def test_a_check_shows_it_while_tlc_runs(talk: Path) -> None:
    """The first value is there long before the last state."""
    talk.write_text(TALK.replace("x' = x + 1", r"x' = x + 1 /\ (\A n \in 1..300000 : n + x > 0)"))
    argv = [sys.executable, "-m", "tla2py", "check", str(talk), "-c", "Max=20"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b'<<"starts with", 20>>\n'
        first = time.monotonic()
        assert process.stdout.read().splitlines()[-1].startswith(b"holds")
        assert time.monotonic() - first > 0.5


def test_json_has_the_values_and_their_number(run_cli: RunCli, talk: Path) -> None:
    found = json.loads(run_cli("check", talk, "-c", "Max=1500", "--json").stdout)

    assert found["print_count"] == 1501
    assert len(found["prints"]) == 1000
    assert found["prints"][-1] == '<<"leaves", 998>>'


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
    config = with_postcondition(talk, name)
    ended = run_cli("check", talk, "--config", config, "--tla2tools", newer_tlc, code=code)
    assert [text for text in printed if text not in ended.stdout] == []
    # An Assert in a postcondition violates the postcondition, not an assumption.
    assert code == 2 or not re.search("[Aa]ssumption|ASSUME", ended.stdout)


def test_a_sweep_and_a_gate_name_the_postcondition_and_what_was_printed(
    run_cli: RunCli, talk: Path, newer_tlc: Path
) -> None:
    sweep = talk.with_name("sweep.toml")
    sweep.write_text(
        'module = "Talk.tla"\n[model]\npostconditions = ["Few"]\n[parameters]\nMax = [1, 2]\n[tlc]\nwarm = false\n'
    )
    options = ("-o", talk.with_name("store"), "--executor", "local", "--tla2tools", newer_tlc)

    ended = run_cli("sweep", sweep, *options, code=1)
    assert "violated: Few" in ended.stdout
    assert '<<"distinct", 3>>' in ended.stdout

    gated = run_cli("gate", sweep, *options, code=1)
    assert "Postcondition Few" in gated.stdout
    assert '<<"distinct", 3>>' in gated.stdout
