"""Each sentence of ``--why`` about drawn specifications is true, as an evaluator of the tests' own says.

``python -m tests.explained`` checks those of another seed, and prints its figures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command import tool
from tests.explained.trial import describe_false_sentences, describe_figures, explain_drawn
from tla2py.tlc.tools.jar import bundled_jar

ROOT = Path(__file__).resolve().parents[2]
SEED = 60
FEW, MANY = 6, 500


def test_sentences_about_a_few_drawn_specifications(tmp_path: Path) -> None:
    trials = list(explain_drawn(SEED, FEW, tmp_path, bundled_jar()))
    assert [describe_false_sentences(trial) for trial in trials if trial.false_sentences] == []
    assert any(trial.sentences for trial in trials)


def test_the_command_prints_its_figures() -> None:
    done = tool(sys.executable, "-m", "tests.explained", "--count", "1", cwd=ROOT, code=0)
    assert done.stdout.splitlines()[-1].startswith("1 specifications, ")


@pytest.mark.long
def test_sentences_about_many_drawn_specifications(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = list(explain_drawn(SEED, MANY, tmp_path, bundled_jar()))
    with capsys.disabled():
        sys.stdout.write(f"\n{describe_figures(trials)}\n")
    assert [describe_false_sentences(trial) for trial in trials if trial.false_sentences] == []
