"""The runs of Spark's tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.test_inside import a_run
from tla2py.spark.executor import batched

pytestmark = pytest.mark.spark


def test_batches_shrink_towards_the_end(tmp_path: Path) -> None:
    runs = [a_run(tmp_path)] * 20_000
    sizes = [len(batch) for batch in batched(runs, frozenset(), slots=2)]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1], sum(sizes)) == (200, 1, 20_000)
    # Few tasks, and the last ones are so short that no slot waits for another.
    assert len(sizes) < 200
    assert sizes[-8:] == [1] * 8
    assert [len(batch) for batch in batched(runs[:6], frozenset(), slots=2)] == [1] * 6


def test_a_long_run_has_a_task_of_its_own(tmp_path: Path) -> None:
    runs = [a_run(tmp_path)] * 100
    batches = batched(runs, frozenset({runs[0].run_id}), slots=1)
    assert [len(batch) for batch in batches] == [1] * 100
