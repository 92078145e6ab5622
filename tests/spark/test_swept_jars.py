"""TLC's jar as a parameter of a sweep on Spark."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.conftest import COUNTER, RunCli
from tests.jars import remade_jar
from tests.stores import table_rows
from tla2py.tlc.tools.jar import bundled_jar

pytestmark = [pytest.mark.java, pytest.mark.spark]


def test_tasks_run_each_point_with_its_jar(run_cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    other = remade_jar(bundled_jar(), tmp_path / "other.jar", version="Version 2.99")
    digest = hashlib.sha256(other.read_bytes()).hexdigest()
    (tmp_path / "s.toml").write_text(
        'module = "Counter.tla"\n[model]\ninvariants = ["Small"]\n[parameters]\n'
        f'jar = ["bundled", {{ path = "other.jar", sha256 = "{digest}" }}]\nMax = [1, 2]\n'
    )
    run_cli("sweep", "s.toml", "--master", "local[2]", cwd=tmp_path, process=True, code=0)
    rows = table_rows(tmp_path / "runs/s", "runs")
    assert {row["executor"] for row in rows} == {"spark"}
    found = [(row["jar"], row["tlc_version"], row["jar_sha256"] == digest) for row in rows]
    assert found == [("bundled", "2.15", False)] * 2 + [("other.jar", "2.99", True)] * 2
