"""The state graph of ledger chaining answers the statement of its README as printed there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import RunCli

pytestmark = [pytest.mark.spark, pytest.mark.long]

FOLDER = Path(__file__).resolve().parent.parent.parent / "specs" / "ledger_chaining"


def test_the_statement_of_the_readme(tmp_path: Path, run_cli: RunCli) -> None:
    page = (FOLDER / "README.md").read_text()
    found = re.search(r'tla2py query runs/ledger-chaining-graph "(.*?)"\n(.*?)```', page, re.DOTALL)
    assert found
    command, answer = found.groups()
    store = tmp_path / "store"
    run_cli("sweep", FOLDER / "graph.toml", "--executor", "local", "-o", store, code=0)
    asked = run_cli("query", store, command, code=0)
    said = [line.split() for line in asked.stdout.splitlines()]
    assert said == [line.split() for line in answer.splitlines()]
    assert ["2", "0", "144"] in said
