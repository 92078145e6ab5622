"""The public surface is as it was frozen, but for what is signed; a store of that day is read without a new run."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import COUNTER, COUNTER_SWEEP, RunCli
from tests.frozen.answers import json_lines
from tests.frozen.differences import FOLDER, Verdict, judge_topic, signed_lines
from tests.frozen.surface import TOPICS
from tests.stores import lasting_rows

AS_SIGNED = Verdict(unsigned=[], missing=[])
STORE: dict[str, Any] = json.loads((FOLDER / "store.json").read_text("utf-8"))


@pytest.mark.parametrize("topic", TOPICS)
def test_changes_of_the_surface_are_signed(topic: str) -> None:
    # When this fails: python -m tests.frozen
    assert judge_topic(topic, TOPICS[topic]()) == AS_SIGNED


def test_changes_of_json_answers_are_signed(tmp_path: Path) -> None:
    assert judge_topic("json", json_lines(tmp_path)) == AS_SIGNED


def test_an_unsigned_change_is_seen() -> None:
    lines = TOPICS["tables"]()
    verdict = judge_topic("tables", ["a.new: string", *lines[1:]])
    assert "+a.new: string" in verdict.unsigned
    assert f"-{lines[0]}" in verdict.unsigned


def test_signed_lines_belong_to_the_topic_named_above_them() -> None:
    text = "Why.\n```diff\n# help\n-old\n+new\n# tables\n+column\n```\n-prose\n"
    assert signed_lines("help", text) == ["-old", "+new"]
    assert signed_lines("tables", text) == ["+column"]


@pytest.fixture
def old_store(tmp_path: Path) -> Path:
    """The frozen store, without its tables, beside its sweep file."""
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "sweep.toml").write_text(COUNTER_SWEEP)
    folder = tmp_path / "runs" / "sweep"
    for name, encoded in STORE["files"].items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(encoded))
    return folder


def test_a_store_of_that_day_has_nothing_left_to_run(old_store: Path, run_cli: RunCli) -> None:
    answer = run_cli("sweep", "sweep.toml", "--executor", "local", code=1)
    assert (answer.executed, answer.cached) == (0, 3)


@pytest.mark.parametrize("table", STORE["rows"])
def test_a_store_of_that_day_has_the_same_rows(old_store: Path, table: str) -> None:
    rows = json.loads(json.dumps(lasting_rows(old_store, table), default=str))
    for before, now in zip(STORE["rows"][table], rows, strict=True):
        assert {name: now[name] for name in before} == before
