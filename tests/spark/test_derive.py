"""Tables that Spark's tasks make of a store's records."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tla2py
from tests import command
from tests.integration.test_object_storage import answers
from tests.spark.test_jobs import local_store
from tla2py.spark import tasks as derive
from tla2py.spark.frames import fragments_frame, stored_frame
from tla2py.spark.tasks import split
from tla2py.store.fragments import read_list
from tla2py.store.schema import TABLE_NAMES
from tla2py.store.store import Store

__all__ = ["local_store"]

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]


def test_groups_are_split_for_all_slots() -> None:
    groups = [{f"{group}-{number}": "" for number in range(1000)} for group in range(3)]
    parts = [*split(groups, tasks=16)]
    assert {key for part in parts for key in part} == {key for group in groups for key in group}
    assert {len(part) for part in parts} <= {188, 60}
    # A fragment of few runs costs more than it saves.
    assert [len(part) for part in split([dict.fromkeys(map(str, range(120)), "")], tasks=16)] == [50, 50, 20]


def test_tasks_make_the_rows_that_the_driver_makes(
    local_store: Path, session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(tla2py.open_store(local_store))
    monkeypatch.setattr(derive, "_MANY_RECORDS", 0)
    monkeypatch.setattr(derive, "_LEAST_RUNS", 2)
    store = Store.open(local_store)
    # The command uses the context of this process.
    command.run("tables", local_store, "--master", "local[2]", cwd=local_store.parent, code=0)
    assert answers(tla2py.open_store(local_store)) == before
    tables = read_list(store.storage)
    assert tables is not None
    [fragment] = tables.fragments
    assert {file.rows for file in fragment.files["results"]} == {2}
    # Tasks that read the files themselves see the same rows.
    for name in TABLE_NAMES:
        wanted = stored_frame(session, store, name)
        found = fragments_frame(session, store, tables, name, wanted.schema)
        assert found.schema == wanted.schema
        assert sorted(map(str, found.collect())) == sorted(map(str, wanted.collect()))
