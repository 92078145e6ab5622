"""What the grammar lacks and SANY reads: it is read anyway, or SANY says what is declared and TLC runs it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import SPECS, RunCli
from tests.stores import record_ids, table_rows
from tla2py.store.store import Store


@pytest.fixture
def unread(tmp_path: Path) -> Path:
    """A module that only SANY reads: the grammar takes what stands to the right of a list for a part of it."""
    shutil.copytree(SPECS / "unread", tmp_path, dirs_exist_ok=True)
    return tmp_path / "Unread.tla"


SMALL = [{"kind": "invariant", "name": "Small"}]


FORMS = ("Arm", "Nested", "Labelled")


@pytest.mark.usefixtures("unread")
def test_forms_that_the_grammar_refuses_are_read(run_cli: RunCli) -> None:
    checks = [part for name in FORMS for part in ("--invariant", name)]
    ended = run_cli(
        "check", "Forms.tla", "--init", "Begin", "--next", "Step", "--no-deadlock", *checks, "--json"
    )
    # The note that only SANY reads the module is absent. TLC itself does not evaluate Tuples.
    assert (ended.code, ended.json["violated"], ended.json["distinct"]) == (0, [], 4)
    assert "only SANY" not in ended.stderr
    found = run_cli("inspect", "Forms.tla", "--json").json
    # Nothing but the texts of Begin and Step says what they are.
    assert (found["candidates"]["init"], found["candidates"]["next"]) == (["Begin"], ["Step"])
    places = {each["name"]: (each["level"], each["line"]) for each in found["operators"]}
    assert (places["Nested"], places["Labelled"], places["Tuples"]) == (
        ("state", 14),
        ("state", 19),
        ("state", 20),
    )


def test_a_mistake_behind_such_a_form_has_its_own_place(run_cli: RunCli, unread: Path) -> None:
    forms = unread.with_name("Forms.tla")
    forms.write_text(forms.read_text().replace("LOCAL Last == 1", "LOCAL Last == = 1"))
    error = run_cli("inspect", forms).error
    assert (error.code, error.where) == ("module-syntax", f"{forms}:24:17")
    assert error.hint is not None
    assert error.hint.startswith("TLC's parser, SANY, refuses it too: ")
    assert "line 24" in error.hint


def test_nothing_is_said_of_tlc_where_sany_was_not_asked(
    run_cli: RunCli, unread: Path, without_java: dict[str, str | None]
) -> None:
    unread.with_name("Odd.tla").write_text("---- MODULE Odd ----\nA == = 1\n====\n")
    error = run_cli("inspect", "Odd.tla").error
    assert error.hint is not None
    assert error.hint.startswith("TLC's parser, SANY, refuses it too: ")
    # The list would move with the arm, so this is left to SANY, which takes the form and not what it means.
    text = "---- MODULE Mean ----\nA(x) == CASE x -> /\\ TRUE [] ~x -> /\\ Missing\n====\n"
    unread.with_name("Mean.tla").write_text(text)
    error = run_cli("inspect", "Mean.tla").error
    assert error.hint is not None
    assert error.hint.startswith(
        "TLC's parser, SANY, finds no syntax error here, but rejects the specification for another reason: "
    )
    assert "Unknown operator: `Missing'" in error.hint
    alone = run_cli("inspect", "Odd.tla", env=without_java, process=True)
    assert "TLC's parser, SANY, was not run and may accept it" in alone.stderr


@pytest.mark.usefixtures("unread")
def test_what_the_grammar_lacks_is_read(run_cli: RunCli) -> None:
    ended = run_cli("check", "Fields.tla", "--invariant", "Typed", "--invariant", "Small", "--json")
    found = ended.json
    assert (ended.code, found["violated"], ended.stderr) == (1, SMALL, "")
    last = found["traces"][0]["states"][-1]["state"]["r"]
    assert (last["Nat"], last["BOOLEAN"], last["TRUE"]) == ({"#bigint": "6"}, True, {"#bigint": "3"})
    assert found["depth"] == 3
    # From the tests of TLC: operators without arguments as parts of others.
    assert run_cli("check", "Parts.tla", code=0).stderr == ""
    # Columns count in tabs of eight for SANY.
    ended = run_cli("check", "Tabs.tla", "--invariant", "One", "--json")
    assert (ended.code, ended.json["distinct"], ended.stderr) == (0, 1, "")
    declared = run_cli("inspect", "Tabs.tla", "--json").json["operators"]
    places = [(each["name"], each["line"], each["column"]) for each in declared]
    assert places == [("Init", 3, 1), ("Next", 7, 1), ("One", 8, 1), ("Spec", 9, 1)]
    # From the models of Farsite: what follows a comment stands to the right of the list above it.
    asked = ("check", "Led.tla", "--specification", "Spec", "--no-deadlock", "--invariant", "Small")
    ended = run_cli(*asked, "--json")
    assert (ended.code, ended.json["trace_length"], ended.stderr) == (1, 3, "")
    declared = run_cli("inspect", "Led.tla", "--json").json["operators"]
    found = [(each["name"], each["line"], each["column"], each["arity"]) for each in declared]
    first = [("Init", 4, 8, 0), ("Next", 6, 8, 0), ("Below", 9, 8, 2)]
    assert found == [*first, ("Small", 12, 8, 0), ("Spec", 13, 8, 0)]


def test_sany_says_what_is_declared(run_cli: RunCli, unread: Path) -> None:
    ended = run_cli("inspect", unread, "--json")
    found = ended.json
    assert "Unread.tla:5:9: only SANY can read module Unread, not tla2py" in ended.stderr
    levels = {each["name"]: (each["level"], each["arity"], each["line"]) for each in found["operators"]}
    assert levels["Part!Below"] == ("state", 1, 8)
    # Those of the standard modules that the instance brings are left out here.
    own = {name: levels[name] for name in levels if "!" not in name}
    assert own == {
        "Init": ("state", 0, 3), "Next": ("action", 0, 5), "Spec": ("temporal", 0, 9),
        "Small": ("state", 0, 12), "Live": ("temporal", 0, 14), "Aside": ("constant", 0, 15),
    }  # fmt: skip
    needed = [(each["name"], each["needs_value"]) for each in found["constants"]]
    assert needed == [("N", True), ("Other", True)]


def test_tlc_runs_what_only_sany_reads(run_cli: RunCli, unread: Path) -> None:
    model = ("--specification", "Spec", "--no-deadlock", "-c", "N=3", "-c", "Other=1")
    checked = ("check", "Unread.tla", *model)
    ended = run_cli(*checked, "--invariant", "Small", "--json", code=1)
    assert (ended.json["violated"], ended.json["trace_length"]) == (SMALL, 3)
    assert "Unread.tla:5:9: note[unread-module] only SANY can read module Unread" in ended.stderr
    # What SANY says is known: levels, arities, names.
    assert run_cli(*checked, "--invariant", "Live").error.code == "invariant-level"
    assert run_cli(*checked, "--invariant", "Smal").error.code == "unknown-definition"
    # What nothing says is not guessed.
    assert run_cli(*checked[:-2], "--invariant", "Small").error.code == "unassigned"
    # A further question about the trace has no answer; a mistake stays one, with the place that tla2py knows.
    assert run_cli("sweep", "s.toml", "--executor", "local").code == 0
    assert run_cli("trace", "runs/s", "1", "--verify").error.code == "not-confirmable"
    text = unread.read_text()
    for old, new in (("x = 0", "x = = 0"), ("Part!Below", "Part!Bellow")):
        unread.write_text(text.replace(old, new))
        assert run_cli(*checked).error.code == "module-syntax", new


def test_everything_that_is_read_counts(run_cli: RunCli, unread: Path) -> None:
    store = unread.parent / "runs/s"
    gate = ("gate", "s.toml", "--executor", "local")
    assert run_cli(*gate, "--record").code == 0
    [run_id] = record_ids(store)
    with Store(store).archive(run_id) as archive:
        names = [name for name, _ in archive.record.modules]
    assert names == ["Unread.tla", "Base.tla", "Inner.tla"]
    assert run_cli(*gate, "--no-trust").code == 0
    for name, old, new in (("Inner.tla", "y < n", "y < n + 0"), ("Unread.tla", "Aside == 1", "Aside == 2")):
        path = unread.with_name(name)
        text = path.read_text()
        path.write_text(text.replace(old, new))
        assert "has changed" in run_cli(*gate, code=1).stdout
        path.write_text(text)
    assert run_cli(*gate).code == 0
    assert len(table_rows(store, "runs")) == 1
