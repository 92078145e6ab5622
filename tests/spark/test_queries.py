"""The tables of both engines give the same rows, each in its own dialect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests import command
from tests.conftest import RunCli
from tests.raising import raises
from tla2py.analysis.engine import Engine
from tla2py.analysis.query import answer_query, quote_distinct
from tla2py.errors import InputError
from tla2py.spark.frames import create_views, query_views
from tla2py.store.schema import TABLES
from tla2py.store.store import Store

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore::ResourceWarning")]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Right in both dialects.
PORTABLE = (HERE / "queries.sql").read_text("utf-8").strip().split(";\n")


def documented() -> Iterator[str]:
    """The queries of the pages and of the notebooks; the ten questions have a test of their own."""
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("specs/**/*.md")):
        text = page.read_text(encoding="utf-8")
        for found in re.findall(r'tla2py query [\w./-]+ "([^"]*)"', text):
            if "..." not in found:
                yield found.strip()
    for book in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(book.read_text(encoding="utf-8"))["cells"]:
            yield from re.findall(r'spark\.sql\("""(.*?)"""\)', "".join(cell["source"]), re.DOTALL)


DOCUMENTED = sorted(set(documented()))
# Every column of every table as a name in all the places of a query; DuckDB has a word "column".
COLUMNS = [
    f"SELECT {', '.join(names)}, count(*) AS n FROM {table} t WHERE {' OR '.join(f't.{name} IS NULL' for name in names)} "
    f"OR t.{names[-1]} IS NOT NULL GROUP BY {', '.join(names)} ORDER BY {', '.join(names)}, n"
    for table, columns in TABLES.items()
    if (names := [f'"{column.name}"' for column in columns if column.name != "state"])
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("queries") / "store"
    command.run("sweep", HERE / "queries.toml", "--executor", "local", "-o", path, cwd=path.parent, code=2)
    return Store(path)


def comparable(statement: str, rows: list[list[object]]) -> list[str]:
    """Rows with the types of their values, in one order if the query gives none."""
    texts = [repr(row) for row in rows]
    last = statement.upper().rpartition(")")[2]
    return texts if "ORDER BY" in last else sorted(texts)


@pytest.fixture(scope="module")
def views(store: Store, session: SparkSession) -> SparkSession:
    # Compiling each query takes longer than its few rows.
    for name, value in (
        ("spark.sql.shuffle.partitions", "1"),
        ("spark.sql.codegen.wholeStage", "false"),
        ("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
        ("spark.sql.adaptive.enabled", "false"),
    ):
        session.conf.set(name, value)
    create_views(session, store)
    return session


@pytest.mark.parametrize(
    "statement", [*PORTABLE, *(each for each in DOCUMENTED if "json_" not in each), *COLUMNS]
)
def test_rows_are_equal(statement: str, store: Store, views: SparkSession) -> None:
    of_spark = statement.replace('"', "`") if statement in COLUMNS else statement
    by_spark = query_views(views, quote_distinct(of_spark, "`"))
    by_duckdb = answer_query(store, statement)
    assert [name.lower() for name in by_duckdb[0]] == [name.lower() for name in by_spark[0]]
    if statement in COLUMNS:  # ordered by columns with nulls, which each engine places elsewhere
        assert sorted(map(repr, by_duckdb[1])) == sorted(map(repr, by_spark[1]))
    else:
        assert comparable(statement, by_duckdb[1]) == comparable(statement, by_spark[1])


@pytest.mark.parametrize("statement", DOCUMENTED)
def test_duckdb_answers_what_the_pages_ask(statement: str, store: Store) -> None:
    answer_query(store, statement)


def test_each_engine_reads_its_own_dialect(store: Store, session: SparkSession) -> None:
    of_spark = "SELECT state:quorumState.leader::string AS leader FROM states ORDER BY trace, index"
    of_duckdb = "SELECT state ->> '$.quorumState.leader' AS leader FROM states ORDER BY trace, index"
    assert answer_query(store, of_spark, engine=Engine.SPARK) == answer_query(store, of_duckdb)
    for statement, engine in ((of_spark, Engine.DUCKDB), (of_duckdb, Engine.SPARK)):
        assert raises(InputError, answer_query, store, statement, engine=engine).code == "sql"


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
@pytest.mark.parametrize(
    ("statement", "right"),
    [
        ("SELECT pont FROM runs", "point"),
        ("SELECT point FROM run", "runs"),
        ("SELECT x.point FROM runs r", "x"),
        ("SELECT nothing FROM prints", "run_id"),
        ("SELECT point FROM runs WHERE (", None),
    ],
)
def test_mistakes_are_named(
    engine: str, statement: str, right: str | None, store: Store, run_cli: RunCli, session: SparkSession
) -> None:
    wrong = run_cli("query", store.path, "--engine", engine, statement)
    assert (wrong.code, wrong.error.code) == (2, "sql")
    assert len(wrong.errors) <= 2
    assert right is None or right in wrong.stderr


def test_times_are_in_utc(
    store: Store, session: SparkSession, monkeypatch: pytest.MonkeyPatch, run_cli: RunCli
) -> None:
    import time

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        asked = ("query", store.path, "SELECT max(started_at) AS at FROM runs", "--engine")
        found = [run_cli(*asked, engine).stdout for engine in ("spark", "duckdb")]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found[0] == found[1]
    assert "T" in found[0]
