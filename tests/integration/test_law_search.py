"""``sweep --search`` runs the points that decide the laws; a gate expects them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import SPECS, RunCli, spec
from tla2py.analysis.view import open_view
from tla2py.store.store import Store

# Small is violated where Max > Least, and deadlock is always checked.
MODULE = spec("laws/Count")
SWEEP = (SPECS / "laws/sweep.toml").read_text()


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    shutil.copytree(SPECS / "laws", tmp_path, dirs_exist_ok=True)
    return tmp_path / "sweep.toml"


def chosen(store: Path) -> Mapping[int, str | None]:
    return {row.point: row.chosen_for for row in open_view(store).run_rows}


def test_a_search_settles_what_a_gate_expects(sweep: Path, tmp_path: Path, run_cli: RunCli) -> None:
    store = tmp_path / "store"
    search = ("sweep", sweep, "--search", "--executor", "local", "-o", store, "--within", "50%")
    # A point that ran before is seen, but nothing chose it.
    run_cli("sweep", sweep, "--executor", "local", "-o", store, "--points", "3")
    run_cli(*search, "--budget", "6", code=3)
    before = chosen(store)
    assert (len(before), before[3]) == (7, None)
    laws = {each["property"]: each for each in run_cli("explain", store, "--json").json}
    assert (laws["Small"]["run"], laws["Small"]["of"], laws["Small"]["settled"]) == (7, 60, False)

    ended = run_cli(*search, code=1)
    # What is smallest is so among the points that ran, and the smallest of the law has run: Max = 2, Least = 1.
    assert f"no smaller point of the {len(chosen(store))} that ran violates the same" in ended.stdout
    ran = {point.point: point.parameters for point in open_view(store).points if point.point in chosen(store)}
    assert any((each["Max"], each["Least"]) == ("2", "1") for each in ran.values())
    # A violation is unexpected, as in any sweep.
    after = chosen(store)
    assert before.items() <= after.items()
    assert {*after.values()} <= {None, "corner", "refute", "draw", "smallest"}
    laws = {each["property"]: each for each in run_cli("explain", store, "--json").json}
    small = laws["Small"]
    assert (small["law"], small["settled"], small["confidence"]) == ("Max > Least", True, 0.95)
    assert (small["run"], small["bound"] <= 0.5, small["silent_draws"]) == (len(after), True, 0)
    assert len(after) < 50
    text = run_cli("explain", store).stdout
    law = f"violated iff Max > Least  {len(after)} of 60 points run, no exception; 95 % sure that fewer than "
    assert law in text
    assert f"of the other {60 - len(after)} contradict it" in text
    # Nothing is left to run.
    assert (run_cli(*search).code, chosen(store)) == (1, after)

    def gate(code: int, expected: str, *options: str | Path) -> str:
        sweep.write_text(f'{SWEEP}[grid]\nsearch = "law"\nwithin = "50%"\n[expect]\n{expected}\n')
        ended = run_cli("gate", sweep, "--executor", "local", "-o", store, *options, code=code)
        return ended.stdout + ended.stderr

    junit = tmp_path / "junit.xml"
    text = gate(0, 'law.Small = "Max > Least"', "--junit", junit)
    assert f"{len(after)} of 60 points run, {60 - len(after)} predicted, as expected" in text
    assert junit.read_text().count("predicted") == 60 - len(after)
    # A stricter rule is not met by these draws.
    sweep.write_text(sweep.read_text().replace("50%", "5%"))
    assert run_cli("gate", store, "--sweep", sweep).code == 3
    # A run contradicts this law.
    gate(1, 'law.Small = "Max >= Least"')
    # Without a law nothing is predicted.
    assert "the point has no result" in gate(2, 'verdict = "holds"')
    assert "no point checks it" in gate(2, 'law.Other = "Max > Least"')
    assert "unknown name: Other" in gate(2, 'law.Small = "Max > Least + Other"')


def test_a_search_predicts_the_states_left(sweep: Path, tmp_path: Path, run_cli: RunCli) -> None:
    text = SWEEP.replace("to = 6", "to = 12").replace("from = 1, to = 5", "from = 12, to = 12")
    sweep.write_text(text.replace("[1, 2]", "[1]"))
    asked = ("sweep", sweep, "--search", "--budget", "4", "--executor", "local")
    ended = run_cli(*asked, "-o", tmp_path / "store")
    found = re.search(r"the other 8 would take .* and have (\d+) to (\d+) states", ended.stderr)
    assert found, ended.stderr
    # A point has Max + 1.
    left = sum(n + 1 for n in range(1, 13) if n not in chosen(tmp_path / "store"))
    assert int(found[1]) < left < int(found[2])
    # Rounds are short, and share JVMs.
    store, hosts = Store(tmp_path / "store"), set()
    for row in open_view(store.path).run_rows:
        with store.archive(row.run_id) as archive:
            argv = archive.record.executions[0].argv
            hosts |= {part for part in argv if "tla2py-host-" in part and "tmpdir" in part}
    assert 1 <= len(hosts) < 4


def test_a_search_refuses_what_it_cannot_mean(sweep: Path, tmp_path: Path, run_cli: RunCli) -> None:
    for options in (("--budget", "soon"), ("--within", "0"), ("--points", "3"), ("--fresh",)):
        run_cli("sweep", sweep, "--search", "--executor", "local", "-o", tmp_path / "none", *options, code=2)
        assert not (tmp_path / "none").exists()


def test_no_point_is_suggested_where_an_assumption_is_false(tmp_path: Path, run_cli: RunCli) -> None:
    (tmp_path / "Count.tla").write_text(MODULE.replace("VARIABLE x", "ASSUME Least \\in 1..Max\nVARIABLE x"))
    text = SWEEP.replace("to = 6", "to = 3").replace("to = 5", "to = 3").replace("[1, 2]", "[1]")
    file = tmp_path / "sweep.toml"
    file.write_text(f'{text}[grid]\nwhere = "Least <= Max"\n')
    run_cli("sweep", file, "--executor", "local", "-o", tmp_path / "store", code=1)
    rows = run_cli("explain", tmp_path / "store", "--suggest", "20", "--json").json
    suggested = next(row["suggest"] for row in rows if row["property"] == "Small")
    pairs = [(int(each["Least"]), int(each["Max"])) for each in suggested]
    assert pairs
    assert all(least <= most for least, most in pairs)
