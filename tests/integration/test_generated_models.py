"""Small models drawn at random: tla2py agrees with an independent reading of each.

``python -m tests.generated`` compares more of them, or those of another seed, and says which differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.generated.trial import (
    KINDS,
    Trial,
    compare_models,
    describe_difference,
    describe_figures,
)
from tla2py.tlc.tools.jar import bundled_jar

SEED = 59
FEW, MANY = 12, 200


def differences(trials: Iterable[Trial]) -> list[str]:
    return [describe_difference(trial) for trial in trials if not trial.comparison.agrees]


def test_a_few_generated_models_agree_with_their_reading(tmp_path: Path) -> None:
    assert differences(compare_models(SEED, FEW, tmp_path, bundled_jar())) == []


@pytest.mark.long
def test_many_generated_models_agree_with_their_reading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = list(compare_models(SEED, MANY, tmp_path, bundled_jar()))
    with capsys.disabled():
        sys.stdout.write(f"\n{describe_figures(trials)}\n")
    assert differences(trials) == []


@pytest.mark.jars
def test_a_few_generated_models_agree_with_every_tlc(tmp_path: Path, jar: Path) -> None:
    assert differences(compare_models(SEED, len(KINDS), tmp_path, jar)) == []
