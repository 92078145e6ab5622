"""What the sentences of ``--why`` say of formulas without a name, of fairness that is met, and of choices that come and go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunCli

# A counter without a name in Next, fairness of a choice, and a step that a property forbids without naming it.
MODULE = """---- MODULE Turns ----
EXTENDS Integers
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Flip == x' = 1 - x /\\ y' = y
Raise(i) == x' = x /\\ y' = i
Twice(Act) == Act
Next == Flip \\/ (x = 2 /\\ y' = 1 /\\ x' = x) \\/ (\\E i \\in {x + 1} : y = 2 /\\ Raise(i))
Choosing == Flip \\/ (\\E i \\in {x + 1} : Raise(i))
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Flip)
Fair == Init /\\ [][Choosing]_vars /\\ WF_vars(Flip) /\\ (\\A k \\in {2, 3} : WF_vars(k > 4 /\\ Raise(k)))
Once == x = 0 /\\ x' = 1 /\\ y' = y
Moves == Twice(Once)
Stops == x = 0 /\\ y = 0 /\\ [][Moves]_vars
Bare == x = 0 /\\ y = 0 /\\ [][x = 0 /\\ x' = 1 /\\ y' = y]_vars
Rises == <>(y = 1)
NotFair == ~WF_vars(Flip)
Idle == WF_vars(y > 0 /\\ Flip) => <>(y = 3)
Climb == x' = x /\\ y < 2 /\\ y' = y + 1
Begin == x = 0 /\\ y = 0 /\\ Flip
Ascend == x = 1 /\\ Climb
Either == Begin \\/ Ascend
Climbing == x = 0 /\\ y = 0 /\\ [][Either]_vars
OnlyFirst == x = 0 /\\ y' = y + 1
Later == [][Flip \\/ (y = 0 /\\ Climb) \\/ OnlyFirst]_vars
Stays == [][y' = y /\\ x' # 1]_vars
====
"""


def find_sentences(run_cli: RunCli, folder: Path, config: str) -> list[Any]:
    """Return the sentences about the counterexample that TLC finds with a config."""
    (folder / "Turns.tla").write_text(MODULE)
    (folder / "Turns.cfg").write_text(config)
    answer = run_cli("check", "Turns.tla", "--json", cwd=folder, code=1).json
    [found] = answer["why"]
    return [cause["says"] for cause in found["because"]]


def of_property(specification: str, name: str) -> str:
    return f"SPECIFICATION {specification}\nPROPERTY {name}\nCHECK_DEADLOCK FALSE\n"


def test_a_disjunct_without_a_name_is_not_called_by_that_of_next(run_cli: RunCli, tmp_path: Path) -> None:
    sentences = find_sentences(run_cli, tmp_path, of_property("Spec", "Rises"))
    assert "the part x = 2 /\\ y' = 1 /\\ x' = x of Next is never enabled in the loop; it sets y" in sentences
    assert not any(each.startswith("Next is") for each in sentences)


def test_an_action_that_only_some_states_offer_is_a_step_of_its_choice(
    run_cli: RunCli, tmp_path: Path
) -> None:
    sentences = find_sentences(run_cli, tmp_path, of_property("Fair", "Rises"))
    assert any(each.startswith("Raise(1), as a step of Choosing, is enabled in ") for each in sentences)


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (
            "NotFair",
            "WF_vars(Flip): the loop takes <<Flip>>_vars from states 1 to 2, so the condition is TRUE",
        ),
        (
            "Idle",
            (
                "WF_vars(y > 0 /\\ Flip): <<y > 0 /\\ Flip>>_vars is enabled in no state of the loop, "
                "so the condition is TRUE"
            ),
        ),
    ],
)
def test_why_a_loop_meets_fairness(run_cli: RunCli, tmp_path: Path, check: str, sentence: str) -> None:
    assert sentence in find_sentences(run_cli, tmp_path, of_property("Spec", check))


def test_an_action_that_only_applies_another_is_opened(run_cli: RunCli, tmp_path: Path) -> None:
    assert find_sentences(run_cli, tmp_path, "SPECIFICATION Stops\n")[0].startswith(
        "Twice(Once) is not enabled: FALSE is x = 0"
    )


def test_a_step_that_no_definition_names_is_not_called_by_its_specification(
    run_cli: RunCli, tmp_path: Path
) -> None:
    [sentence] = find_sentences(run_cli, tmp_path, "SPECIFICATION Bare\n")
    assert sentence.startswith("no step is possible: FALSE is x = 0")


def test_a_property_without_an_action_does_not_allow_a_step(run_cli: RunCli, tmp_path: Path) -> None:
    sentences = find_sentences(run_cli, tmp_path, of_property("Spec", "Stays"))
    assert "the property does not allow this step: FALSE is x' # 1" in sentences


def test_the_step_that_last_changed_what_a_conjunct_reads(run_cli: RunCli, tmp_path: Path) -> None:
    sentences = find_sentences(run_cli, tmp_path, of_property("Climbing", "Later"))
    assert "OnlyFirst is not this step: FALSE is x = 0; x last changed in state 2, by Begin" in sentences
