"""The runs of Spark's tasks."""

from __future__ import annotations

import pytest

from tla2py.spark.executor import batched

pytestmark = pytest.mark.spark


def test_batches_shrink_towards_the_end() -> None:
    ids = [*map(str, range(20_000))]
    batches = batched(ids, frozenset(), slots=2)
    assert [place for batch in batches for place in batch] == [*range(20_000)]
    sizes = [*map(len, batches)]
    assert sizes == sorted(sizes, reverse=True)
    # Few tasks, and the last ones are so short that no slot waits for another.
    assert len(sizes) < 200
    assert (sizes[0], sizes[-8:]) == (200, [1] * 8)
    assert [*map(len, batched(ids[:6], frozenset(), slots=2))] == [1] * 6


def test_a_long_run_has_a_task_of_its_own() -> None:
    assert [*map(list, batched(["a", "b", "c", "d"], frozenset("bd"), slots=1))] == [[1], [3], [0], [2]]
