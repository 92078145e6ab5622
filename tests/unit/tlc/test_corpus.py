"""What TLC printed in every case of the corpus, read as it is written down there."""

from __future__ import annotations

import pytest

from tests.unit.tlc.corpus import Case, iter_cases, summary

CASES = list(iter_cases())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_reads_what_tlc_said(case: Case) -> None:
    assert summary(case.interpret()) == case.expected
