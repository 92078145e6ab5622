"""What SANY and TLC complain of comes back at the user's own line: of a module, a config, a sweep file, an option."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.command import CommandResult
from tests.conftest import SPECS, RunCli, spec
from tests.stores import table_rows
from tla2py.gate.reasons import Reason
from tla2py.model.outcome import Verdict
from tla2py.sweep.judge import ALL_EXCLUDED, NO_STATES, ONLY_DEADLOCK

LIMITED = spec("places/Limited")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("Limited", "Nested"):
        shutil.copy(SPECS / f"places/{name}.tla", tmp_path)
    return tmp_path


def told(ended: CommandResult) -> list[str]:
    """The lines on standard output; none of them names a folder of ours."""
    assert "tla2py-" not in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stdout.splitlines()


def caret_of(lines: list[str], place: str) -> str:
    """What stands above the caret that belongs to a place, from the caret on."""
    begin = next(number for number, line in enumerate(lines) if line.startswith(f"{place}: "))
    caret = next(number for number in range(begin, len(lines)) if lines[number].strip(" |") == "^")
    return lines[caret - 1][lines[caret].index("^") :]


def test_what_sany_does_not_know_in_two_folders(run_cli: RunCli, folder: Path) -> None:
    (folder / "lib").mkdir()
    parts = "---- MODULE Parts ----\nF(a) == a\n\tG(a) == (* \U0001d538 *)\tBar\n====\n"
    (folder / "lib" / "Parts.tla").write_text(parts)
    text = "---- MODULE Whole ----\nEXTENDS Parts\nVARIABLE x\nInit == x = Foo(1)\nSpec == Init /\\ [][F(1, 2)]_x\n====\n"
    (folder / "Whole.tla").write_text(text)
    lines = told(run_cli("check", "Whole.tla", "-L", "lib", code=2))
    # SANY counts a tab as up to eight columns, and a letter beyond the first plane as two.
    assert caret_of(lines, "lib/Parts.tla:3:18") == "Bar"
    assert caret_of(lines, "Whole.tla:4:13") == "Foo(1)"
    # Of a wrong number of arguments it tells where they begin.
    assert caret_of(lines, "Whole.tla:5:21").startswith("(1, 2)")


def test_what_cannot_be_evaluated_is_at_its_line(run_cli: RunCli, folder: Path) -> None:
    lines = told(run_cli("check", "Limited.tla", "-c", "N=1", "--invariant", "Inv", code=2))
    assert "Limited.tla:9:1: Evaluating invariant Inv failed." in lines
    assert "to integer 3 which is out of domain." in lines
    found = run_cli("check", "Limited.tla", "-c", "N=1", "--invariant", "Inv", "--json").json
    assert found["message_place"] == "Limited.tla:9:1"
    (row,) = found["diagnostics"]
    assert (row["file"], row["line"], row["column"]) == ("Limited.tla", 9, 1)
    assert row["excerpt"] == LIMITED.splitlines()[8]
    (folder / "Lacking.cfg").write_text("SPECIFICATION Spec\n")
    ended = run_cli("check", "Limited.tla", "--config", "Lacking.cfg")
    assert (ended.code, "Limited.tla:5:8" in ended.stderr + ended.stdout) == (2, True)
    (folder / "Zero.cfg").write_text("CONSTANT N = 0\nSPECIFICATION Spec\n")
    ended = run_cli("check", "Limited.tla", "--config", "Zero.cfg", code=1)
    assert caret_of(told(ended), "Limited.tla:5:8") == "N > 0"
    lines = told(run_cli("check", "Limited.tla", "-c", "N=1 + {}", "--invariant", "Low", code=2))
    assert lines[0].startswith("-c N=...: The configuration file substitutes constant N")
    assert lines[1] == "      | 1 + {}"
    (folder / "Limited.tla").write_text(LIMITED.replace("Spec ==", "Some == {N}\nSpec =="))
    lines = told(run_cli("check", "Limited.tla", "-c", "N=1", "--invariant", "Some", code=2))
    assert lines[0] == "Limited.tla:11:1: The invariant of Some is equal to {1}"
    assert lines[-1].startswith("broken (TLC refuses the config)")


def test_an_action_is_at_the_innermost_call_or_itself(run_cli: RunCli, folder: Path) -> None:
    lines = told(run_cli("check", folder / "Nested.tla"))
    file = folder / "Nested.tla"
    assert caret_of(lines, f"{file}:5:32") == 'n + "a" ELSE n'
    stack = [line.split(" ", 1)[1] for line in lines if line[:1].isdigit()]
    assert stack == [f"{file}:{at}" for at in ("7:9", "7:9", "7:18", "6:12", "6:17", "5:18", "5:32")]
    text = "---- MODULE Half ----\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' = 1\nSpec == Init /\\ [][Next]_<<x, y>>\n====\n"
    (folder / "Half.tla").write_text(text)
    assert caret_of(told(run_cli("check", "Half.tla")), "Half.tla:4:9") == "x' = 1"


def test_initial_predicates_without_states(run_cli: RunCli, folder: Path) -> None:
    text = "---- MODULE All ----\nEXTENDS Integers\nVARIABLE x\nInit == x \\in [{1} -> Int]\nSpec == Init /\\ [][FALSE]_x\n====\n"
    (folder / "All.tla").write_text(text)
    (folder / "sweep.toml").write_text('module = "All.tla"\n')
    ended = run_cli("sweep", "sweep.toml", "--executor", "local")
    assert caret_of(told(ended), "All.tla:4:15") == "[{1} -> Int]"
    text = "---- MODULE No ----\nVARIABLE x\nInit == x \\in {}\nSpec == Init /\\ [][FALSE]_x\nSafe == x = 1\n====\n"
    (folder / "No.tla").write_text(text)
    (folder / "sweep.toml").write_text('module = "No.tla"\n')
    assert NO_STATES in told(run_cli("check", "No.tla", "--invariant", "Safe"))[-1]
    ended = run_cli("sweep", "sweep.toml", "--executor", "local")
    assert [result.empty_points for result in ended.reported.results] == [(1,)]
    assert f"sweep, point 1: {NO_STATES}" in ended.stderr
    gated = run_cli("gate", "sweep.toml", "--executor", "local")
    assert (gated.code, gated.reasons) == (2, {(Reason.NO_STATES, 1)})
    assert ONLY_DEADLOCK in gated.reported.gated[0].decision.notices


def test_an_invariant_that_fails_in_an_initial_state(run_cli: RunCli, folder: Path) -> None:
    text = '---- MODULE Odd ----\nVARIABLE x\nInit == x = 0\nNext == x\' = x\nOdd == x = "a"\n====\n'
    (folder / "Odd.tla").write_text(text)
    shown = told(run_cli("check", "Odd.tla", "--init", "Init", "--next", "Next", "--invariant", "Odd"))
    assert caret_of(shown, "Odd.tla:5:8") == 'x = "a"'
    # Where it was found out is told once, with the calls that led there.
    assert [line for line in shown if line.endswith("Odd.tla:5:8")] == ["1. Odd.tla:5:8"]
    assert sum(line.startswith("Odd.tla:5:8: ") for line in shown) == 1
    # Of what is made of a value that knows its place, TLC tells that place and not where it was used.
    text = (
        "---- MODULE Odd ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = [k \\in {1} |-> <<>>]\nNext == x' = x\n"
        "Odd == x[1][1] > 0\nFine == 1 \\in DOMAIN x\n====\n"
    )
    (folder / "Odd.tla").write_text(text)
    checked = ("check", "Odd.tla", "--init", "Init", "--next", "Next", "--invariant", "Odd")
    shown = told(run_cli(*checked))
    assert caret_of(shown, "Odd.tla:6:1") == "Odd == x[1][1] > 0"
    assert not any("TLC gives no location" in line for line in shown)
    shown = told(run_cli(*checked, "--invariant", "Fine"))
    assert caret_of(shown, "Odd.tla:4:1").startswith("Init == ")
    assert any("or in one of Odd, Fine, which TLC evaluates on this state." in line for line in shown)


@pytest.mark.parametrize(
    "behaviour",
    [
        "Init == x = 0\nNext == x' = x /\\ y' = y\nSpec == Init /\\ [][Next]_<<x, y>>\n",
        "Init == x = 0\nAll == WF_x(TRUE) /\\ Init /\\ [][x' = y /\\ y' = x]_x\nSpec == All\n",
        "Spec == x = 0 /\\ [][x' = y /\\ y' = x]_x\n",
    ],
    ids=["named", "through", "unnamed"],
)
def test_an_initial_state_that_lacks_a_variable(run_cli: RunCli, folder: Path, behaviour: str) -> None:
    (folder / "Half.tla").write_text(f"---- MODULE Half ----\nVARIABLES x, y\n{behaviour}====\n")
    (folder / "sweep.toml").write_text('module = "Half.tla"\n')
    ended = run_cli("sweep", "sweep.toml", "--executor", "local", code=2)
    assert "\nNext   fix what is broken and repeat the command" in ended.stdout
    assert "Half.tla:3:1: The initial predicate assigns no value to y." in told(ended)
    [run] = ended.reported.results[0].runs
    assert (run.verdict, run.message_place) == (Verdict.BROKEN, "Half.tla:3:1")
    asked = run_cli("trace", "runs/sweep", "1", "--arguments")
    assert (asked.code, asked.error.code) == (2, "not-confirmable")
    assert "y " in asked.error.message
    verified = run_cli("trace", "runs/sweep", "1", "--verify")
    assert (verified.code, verified.stdout.startswith("point 1, trace 1: ")) == (0, True)
    assert "confirmed: " not in verified.stdout
    assert " (cannot be evaluated)" in run_cli("trace", "runs/sweep").stdout


def test_what_is_written_over_several_lines_is_shown_whole(run_cli: RunCli, folder: Path) -> None:
    conjuncts = [f"  /\\ N > {number}" for number in range(12)]
    head = ("---- MODULE Long ----", "EXTENDS Naturals", "CONSTANT N", "ASSUME")
    text = "\n".join([*head, *conjuncts, "===="])
    (folder / "Long.tla").write_text(text)
    (folder / "Three.tla").write_text(text.replace("Long", "Three").replace("\n".join(conjuncts[3:]), ""))
    ended = run_cli("check", "Three.tla", "-c", "N=2", code=1)
    shown = [line for line in told(ended) if " | " in line or "^" in line]
    assert shown == [f"{number:>5} | {line}" for number, line in enumerate(conjuncts[:3], 5)]
    shown = [line for line in told(run_cli("check", "Long.tla", "-c", "N=2")) if " | " in line]
    assert shown[9:] == [f"   14 | {conjuncts[9]}", "      | ..."]


def test_a_value_is_at_its_place_in_the_sweep_file(run_cli: RunCli, folder: Path) -> None:
    shutil.copy(SPECS / "places/limited.toml", folder / "sweep.toml")
    lines = told(run_cli("sweep", "sweep.toml", "--executor", "local", code=2))
    assert caret_of(lines, "sweep.toml:7:8") == 'Head(<<>>)",'
    assert caret_of(lines, "sweep.toml:8:7").startswith("CHOOSE")
    assert caret_of(lines, "sweep.toml:9:3") == "LET a == 1"
    rows = table_rows(folder / "runs/sweep", "diagnostics")
    errors = [row for row in rows if row["severity"] == "error"]
    found = {(row["file"], row["line"], row["column"]) for row in errors}
    assert found == {("sweep.toml", 7, 8), ("sweep.toml", 8, 7), ("sweep.toml", 9, 3)}
    assert not any("/tmp" in row["text"] or "tla2py-" in row["text"] for row in rows)
    places = ["sweep.toml:7:8", None, "sweep.toml:8:7", "sweep.toml:9:3"]
    assert [row["message_place"] for row in table_rows(folder / "runs/sweep", "runs")] == places
    asked = ("gate", "sweep.toml", "-o", "runs/sweep", "--executor", "local", "--sarif", "found.sarif")
    gate = run_cli(*asked, code=2)
    assert "sweep.toml:9:3: " in gate.stdout + gate.stderr
    assert run_cli("report", "runs/sweep", "-o", "page.html").code == 0
    page = (folder / "page.html").read_text()
    assert '<section id="errors">' in page
    assert "<pre>sweep.toml:9:3: The configuration file substitutes constant N" in page
    sarif = json.loads((folder / "found.sarif").read_text())
    where = [result["locations"][0]["physicalLocation"] for result in sarif["runs"][0]["results"]]
    told_at = {(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in where}
    assert told_at == {("sweep.toml", 7), ("sweep.toml", 8), ("sweep.toml", 9)}


ASSUMED = (
    "---- MODULE Assumed ----\nEXTENDS Naturals\nCONSTANT N\nASSUME N > 0\nVARIABLE x\n"
    "Spec == x = 0 /\\ [][(x < N \\/ N = 3) /\\ x' = x + 1]_x\n====\n"
)


def test_why_a_point_was_excluded_or_has_no_answer(run_cli: RunCli, folder: Path) -> None:
    (folder / "Assumed.tla").write_text(ASSUMED)
    (folder / "sweep.toml").write_text(
        'module = "Assumed.tla"\n[parameters]\nN = [0, 1, 3]\n[model]\ncheck_deadlock = false\n[tlc]\ntimeout = "4s"\n'
    )
    lines = told(run_cli("sweep", "sweep.toml", "--executor", "local", code=3))
    place = next(line for line in lines if line.startswith("Assumed.tla:4:8: Assumption "))
    assert lines[lines.index(place) - 1] == "Point 1 is excluded"
    assert caret_of(lines, "Assumed.tla:4:8") == "N > 0"
    assert "--timeout" in lines[lines.index("Point 3 is inconclusive: timeout") + 1]
    assert run_cli("report", "runs/sweep", "-o", "page.html").code == 0
    assert "<li>Point 1 is excluded<pre>Assumed.tla:4:8: Assumption" in (folder / "page.html").read_text()
    zero = (folder / "sweep.toml").read_text().replace("N = [0, 1, 3]", "N = [0]")
    (folder / "sweep.toml").write_text(zero)
    ended = run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "none", code=2)
    assert ended.reported.results[0].unchecked
    assert ALL_EXCLUDED in ended.stderr
    (folder / "sweep.toml").write_text(f'{zero}[expect]\nverdict = "excluded"\n')
    # As with its gate, no expectation makes an answer of that.
    assert run_cli("sweep", "sweep.toml", "--executor", "local", "-o", "none").code == 2


def test_a_fault_of_tlc_comes_with_a_way_around_it(run_cli: RunCli, tmp_path: Path) -> None:
    text = "---- MODULE One ----\nEXTENDS TLC\nCONSTANT Procs\nVARIABLE x\nInit == x \\in Procs\n"
    (tmp_path / "One.tla").write_text(f"{text}Next == x' \\in Procs\nPerms == Permutations(Procs)\n====\n")
    config = "CONSTANT Procs = {p1}\nINIT Init\nNEXT Next\nSYMMETRY Perms\n"
    (tmp_path / "One.cfg").write_text(config)
    assert "TLC 1.7.4 and newer do not" in " ".join(run_cli("check", "One.tla", code=2).stdout.split())


def test_places_do_not_depend_on_when_and_where_rows_are_derived(run_cli: RunCli, folder: Path) -> None:
    (folder / "One.cfg").write_text("\\* The bound.\nSPECIFICATION Spec\nINVARIANT Nat\n")
    one = 'module = "Limited.tla"\nconfig = "One.cfg"\n[parameters]\nN = [1, 2]\n'
    (folder / "sweep.toml").write_text(one)

    def places() -> list[tuple[object, ...]]:
        rows = table_rows(folder / "store", "diagnostics")
        return [(row["file"], row["line"], row["column"], row["excerpt"]) for row in rows]

    sweep = ("sweep", "sweep.toml", "--no-lint", "--executor", "local", "-o", "store")
    before = [("One.cfg", 3, 11, "INVARIANT Nat")] * 2
    run_cli(*sweep, code=2)
    assert places() == before
    # A worker on another machine has none of the user's files, and later they may have changed.
    config = folder / "One.cfg"
    text = config.read_text()
    config.write_text("INVARIANT Nat\n")
    run_cli("tables", "store", code=0)
    assert places() == before
    run_cli("prune", "store", code=0)
    for file in ("One.cfg", "sweep.toml", "Limited.tla"):
        (folder / file).rename(folder / f"{file}.old")
    run_cli("tables", "store", code=0)
    assert places() == before
    for file in ("sweep.toml", "Limited.tla"):
        (folder / f"{file}.old").rename(folder / file)
    config.write_text(f"\n{text}")
    run_cli(*sweep, code=2)
    assert places() == [("One.cfg", 4, 11, "INVARIANT Nat")] * 2
