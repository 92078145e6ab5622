"""What the explanations say of the code is what the code does."""

from __future__ import annotations

import re

from tests.docs.blocks import ROOT
from tla2py.model.outcome import VERDICTS


def test_the_page_on_verdicts_has_every_outcome() -> None:
    page = (ROOT / "docs" / "verdict.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.MULTILINE))
    assert rows == {outcome.value: verdict.value for outcome, verdict in VERDICTS.items()}
