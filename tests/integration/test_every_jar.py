"""Every kind of answer, from every TLC: equal where TLC does the same, and each difference written down."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests import command
from tests.stores import TIMES, table_rows
from tla2py.tlc.tools.jar import read_jar

pytestmark = pytest.mark.jars

MODULE = Path(__file__).resolve().parent.parent / "specs" / "Kinds.tla"
SWEEP = 'module = "Kinds.tla"\n[model]\ninvariants = ["Small"]\nproperties = ["Grows", "Ends"]\n'
Counts = tuple[int | None, int | None, int | None]
NONE: Counts = (None, None, None)


class Answer(NamedTuple):
    """What a run has to give: states generated, distinct states and depth; and the trace's actions and end."""

    outcome: str
    violated: str = ""
    counts: Counts = NONE
    trace: str | None = None
    loop_start: int | None = None
    stuttering: bool = False
    verdict: str = "violated"


ANSWERS = {
    "holds": Answer("success", "", (21, 13, 5), verdict="holds"),
    "assumption": Answer("violation_assumption", "assumption", verdict="excluded"),
    "assumption error": Answer("violation_assumption", verdict="broken"),
    "initial": Answer("violation_safety", "Small", trace=""),
    "invariant": Answer("violation_safety", "Small", (5, 5, 3), "Add Add"),
    "error": Answer("failure_safety_eval", "", (5, 5, 3), "Add Add", verdict="broken"),
    "assert": Answer("violation_assert", "Kinds:12", (5, 5, 3), "Add"),
    "deadlock": Answer("violation_deadlock", "deadlock", (13, 12, 4), "Add Add"),
    "action": Answer("violation_liveness", "Grows", (14, 13, 4), "Add Add Back"),
    "lasso": Answer("violation_liveness", "Ends", (50, 27, 8), "Add Add Add Add Back", 3),
    "stuttering": Answer("violation_liveness", "Ends", (21, 13, 5), "Add Add Add", None, stuttering=True),
}


Row = dict[str, Any]
Tables = Callable[[str], list[Row]]


def version(jar: Path) -> str:
    return read_jar(jar, "the test").version


def sweep(folder: Path, jar: Path, text: str) -> Tables:
    """The tables of a sweep on a jar, by name, as rows."""
    shutil.copy(MODULE, folder)
    (folder / "sweep.toml").write_text(text)
    options = ("-o", "store", "--executor", "local", "--tla2tools", jar)
    command.run("sweep", "sweep.toml", *options, cwd=folder)
    return lambda name: table_rows(folder / "store", name)


def kinds(names: Iterable[str]) -> str:
    """The parameter that asks for these kinds of answers."""
    texts = ", ".join(f"'\"{name}\"'" for name in names)
    return f"[parameters]\nKind = [{texts}]\n"


def answer(tables: Tables, row: Row) -> Answer:
    """The answer of a row of ``runs``, with its first trace."""
    trace = next((each for each in tables("traces") if each["run_id"] == row["run_id"]), None)
    states = [each for each in tables("states") if (each["run_id"], each["trace"]) == (row["run_id"], 1)]
    violated = " ".join(each["name"] or each["kind"] for each in row["violated"])
    counts = (row["generated"], row["distinct"], row["depth"])
    found = Answer(row["outcome"], violated, counts, verdict=row["verdict"])
    if trace is None:
        return found
    actions = " ".join(each["action"] for each in states if each["action"])
    return found._replace(trace=actions, loop_start=trace["loop_start"], stuttering=trace["stuttering"])


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory, jar: Path) -> Tables:
    """The answers of every kind, found in JVMs that several runs share."""
    text = SWEEP + kinds(ANSWERS) + "[tlc]\ncoverage = true\n"
    return sweep(tmp_path_factory.mktemp("answers"), jar, text)


def run_of(tables: Tables, kind: str) -> Row:
    return next(row for row in tables("runs") if row["Kind"] == f'"{kind}"')


@pytest.mark.core
@pytest.mark.parametrize("kind", ANSWERS)
def test_every_answer_is_the_same(answers: Tables, jar: Path, kind: str) -> None:
    wanted = ANSWERS[kind]
    if kind == "assert" and version(jar) == "2.15":
        # TLC 2.15 prints no trace to an Assert that fails in an action.
        wanted = wanted._replace(trace=None)
    assert answer(answers, run_of(answers, kind)) == wanted


@pytest.mark.core
def test_states_coverage_and_prints_are_the_same(answers: Tables, jar: Path) -> None:
    holds, lasso = run_of(answers, "holds")["run_id"], run_of(answers, "lasso")["run_id"]
    states = [each for each in answers("states") if each["run_id"] == lasso]
    assert [each["begin_line"] for each in states] == [None, 11, 11, 11, 11, 15]
    entries = [{"at": ["left", {"#bigint": "1"}], "from": {"#bigint": n}} for n in ("0", "1")]
    assert json.loads(states[2]["state"])["log"] == entries
    asked = [
        row for row in answers("coverage") if row["run_id"] == holds and row["kind"] in ("init", "action")
    ]
    counted = {row["name"]: (row["kind"], row["distinct"], row["generated"]) for row in asked}
    actions = {"Add": ("action", 12, 14), "Back": ("action", 0, 0), "Rest": ("action", 0, 6)}
    assert counted == {"Init": ("init", 1, 1), **actions}
    printed = [each["text"] for each in answers("prints") if each["run_id"] == holds]
    assert printed == ['<<"starts", "holds">>']


@pytest.mark.core
def test_arguments_are_those_that_tlc_prints(answers: Tables, jar: Path) -> None:
    """From 2.20 each state has them; before, ``trace --arguments`` derives them."""
    run = run_of(answers, "invariant")["run_id"]
    found = [each["action_args"] for each in answers("states") if each["run_id"] == run]
    printed = [None, ["1", '<<"left", 1>>'], ["2", '<<"right", 2>>']]
    assert found == ([None] * 3 if version(jar) in ("2.15", "2.19") else printed)


def test_processes_answer_as_shared_jvms(answers: Tables, tmp_path: Path, jar: Path) -> None:
    some = ("holds", "error", "deadlock", "lasso")
    text = SWEEP + kinds(some) + "[tlc]\ncoverage = true\nwarm = false\ntrust = true\n"
    own = sweep(tmp_path, jar, text)

    def rows(tables: Tables, name: str) -> list[Row]:
        runs = {run["run_id"]: run["Kind"] for run in tables("runs") if run["Kind"].strip('"') in some}
        found = [row | {"run_id": runs[row["run_id"]]} for row in tables(name) if row["run_id"] in runs]
        return [{key: value for key, value in row.items() if key not in {"point", *TIMES}} for row in found]

    for table in ("runs", "traces", "states", "changes", "diagnostics", "prints", "coverage"):
        assert rows(own, table) == rows(answers, table), table


def test_all_violations_and_the_graph_are_the_same(tmp_path: Path, jar: Path) -> None:
    checks = SWEEP.replace('["Small"]', '["Small", "Low", "Even"]')
    text = checks + "[constants]\nKind = '\"action\"'\n[tlc]\n"
    each = sweep(tmp_path, jar, text + 'find = "each"\n')
    [row] = each("runs")
    assert (row["executions"], row["undecided"]) == (4, [])
    traces = [(trace["name"], trace["length"]) for trace in each("traces")]
    assert traces == [("Even", 3), ("Low", 3), ("Grows", 4)]
    assert answer(each, row).counts == (5, 5, 3)
    further = sweep(tmp_path, jar, text + 'options = ["-continue"]\ngraph = true\n')
    [row] = further("runs")
    assert answer(further, row).violated == "Even Low Grows"
    assert answer(further, row).counts == (50, 27, 8)
    assert len(further("traces")) == 20
    edges = Counter(edge["action"] for edge in further("graph_edges"))
    assert (len(further("graph_states")), edges) == (27, {"Add": 34, "Rest": 10, "Back": 5})
    assert all(note["code"] > 0 for note in further("diagnostics"))


def test_a_simulation_answers_the_same(tmp_path: Path, jar: Path) -> None:
    simulated = '[tlc]\nmode = "simulate"\nnum = 50\ndepth = 6\nbehaviours = true\n'
    text = SWEEP + kinds(["holds", "invariant"]) + simulated
    walks = sweep(tmp_path, jar, text)
    holds, violated = (answer(walks, row) for row in walks("runs"))
    counts = (301, None, None)
    assert (holds.outcome, holds.verdict, holds.counts) == ("bounded_success", "inconclusive", counts)
    assert walks("runs")[0]["behaviours"] == 50
    first, second = walks("simulations")
    # From 2.20 the behaviours kept have no stuttering steps.
    old = version(jar) in ("2.15", "2.19")
    shortest, longest = (6, 6) if old else (3, 5)
    assert shortest <= first.pop("mean_length") <= longest
    ran = {"run_id": walks("runs")[0]["run_id"], "mode": "simulate", "seed": 0, "workers": 1}
    counted = {"depth_limit": 6, "behaviours": 50, "initial": 1, "generated": 301, "kept": 50}
    assert first == ran | counted | {"shortest": shortest, "longest": longest}
    # Only newer versions count the behaviours up to a violation.
    assert (second["behaviours"] is None) == old
    assert (violated.outcome, violated.violated) == ("violation_safety", "Small")
    assert violated.trace is not None


def test_what_cannot_be_run_is_named_the_same(tmp_path: Path, jar: Path) -> None:
    shutil.copy(MODULE, tmp_path)
    text = (tmp_path / "Kinds.tla").read_text()
    config = tmp_path / "Kinds.cfg"
    config.write_text('SPECIFICATION Spec\nCONSTANT Kind = "holds"\nINVARIANT Lower\n')
    check = ("check", "Kinds.tla", "--config", "Kinds.cfg", "--no-lint", "--tla2tools", jar, "--json")
    found = command.run(*check, cwd=tmp_path).json
    assert (found["outcome"], found["verdict"]) == ("error_config_parse", "broken")
    config.write_text('SPECIFICATION Spec\nCONSTANT Kind = "holds"\n')
    (tmp_path / "Kinds.tla").write_text(text.replace("Low == x < 4", "Low == x < Four"))
    found = command.run(*check, cwd=tmp_path).json
    assert (found["outcome"], found["verdict"]) == ("error_spec_parse", "broken")


def test_a_timeout_is_the_same(tmp_path: Path, jar: Path) -> None:
    shutil.copy(MODULE, tmp_path)
    module = tmp_path / "Kinds.tla"
    module.write_text(module.read_text().replace(" /\\ Len(log) < 2", ""))
    check = ("check", module, "-c", 'Kind="lasso"', "--invariant", "Small", "--timeout", "2s")
    found = command.run(*check, "--tla2tools", jar, "--json", cwd=tmp_path, code=3).json
    assert (found["outcome"], found["verdict"]) == ("timeout", "inconclusive")
