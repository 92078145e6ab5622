"""DuckDB's rows are Spark's, and what DuckDB does not answer goes to Spark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests import command
from tests.conftest import RunCli
from tests.spark.queries import BOTH, SPARK, statements
from tla2py.errors import InputError
from tla2py.query.query import Engine, answer_query
from tla2py.spark.frames import create_views, query_views
from tla2py.store.schema import TABLES
from tla2py.store.store import Store

pytestmark = [
    pytest.mark.java,
    pytest.mark.spark,
    # PySpark's own sockets and its JVM's pipe are closed by the interpreter's end.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


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
# Every column of every table as a name in all the places of a query.
COLUMNS = [
    f"SELECT {', '.join(names)}, count(*) AS n FROM {table} t WHERE {' OR '.join(f't.{name} IS NULL' for name in names)} "
    f"OR t.{names[-1]} IS NOT NULL GROUP BY {', '.join(names)} ORDER BY {', '.join(names)}, n"
    for table, columns in TABLES.items()
    if (names := [column.name for column in columns if column.name != "state"])
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("queries") / "store"
    done = command.run("sweep", HERE / "queries.toml", "--executor", "local", "-o", path, cwd=path.parent)
    assert done.code == 2, done.stderr
    return Store(path)


def comparable(statement: str, rows: list[list[object]]) -> list[str]:
    """Rows with the types of their values, in one order if the query gives none."""
    texts = [repr(row) for row in rows]
    last = statement.upper().rpartition(")")[2]
    return texts if "ORDER BY" in last else sorted(texts)


def test_most_of_the_queries_are_answered_by_duckdb() -> None:
    both, spark = statements(BOTH), statements(SPARK)
    assert len(both) + len(spark) > 150
    assert len(both) >= 0.8 * (len(both) + len(spark))
    assert len(DOCUMENTED) >= 5


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


@pytest.mark.parametrize("statement", [*statements(BOTH), *DOCUMENTED, *COLUMNS])
def test_rows_are_equal(statement: str, store: Store, views: SparkSession) -> None:
    by_spark = query_views(views, statement)
    by_duckdb = answer_query(store, statement, engine=Engine.DUCKDB)
    assert by_duckdb[0] == by_spark[0]
    assert comparable(statement, by_duckdb[1]) == comparable(statement, by_spark[1])


@pytest.mark.parametrize("statement", statements(SPARK))
def test_duckdb_leaves_the_rest_to_spark(statement: str, store: Store, views: SparkSession) -> None:
    assert query_views(views, statement)
    with pytest.raises(InputError) as caught:
        answer_query(store, statement, engine=Engine.DUCKDB)
    assert caught.value.code == "sql"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT CAST(verdict AS INT) AS i FROM runs", "a text that is not an integer"),
        ("SELECT array(1)[3] AS i", "an index outside the array"),
        ("SELECT upper('straße') AS u", "letters such as these in upper or lower case"),
        ("SELECT sum(verdict) AS s FROM runs", "this query: Binder Error: "),
    ],
)
def test_the_reason_is_one_that_the_user_reads(statement: str, reason: str, store: Store) -> None:
    with pytest.raises(InputError) as caught:
        answer_query(store, statement, engine=Engine.DUCKDB)
    assert caught.value.message.startswith(f"DuckDB does not support {reason}")


def test_spark_answers_the_rest(store: Store, session: SparkSession) -> None:
    said: list[str] = []
    _, rows = answer_query(store, "SELECT md5(verdict) AS m FROM runs", say=said.append)
    assert len(rows) == 4
    assert ["md5()" in line for line in said] == [True]


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
@pytest.mark.parametrize(
    ("statement", "right"),
    [
        ("SELECT pont FROM runs", "point"),
        ("SELECT point FROM run", "runs"),
        ("SELECT x.point FROM runs r", "FROM"),
        ("SELECT nothing FROM prints", "index"),
        ("SELECT point FROM runs WHERE (", None),
    ],
)
def test_mistakes_are_named(
    engine: str, statement: str, right: str | None, store: Store, run_cli: RunCli, session: SparkSession
) -> None:
    wrong = run_cli("query", store.path, "--engine", engine, statement)
    assert (wrong.code, wrong.error.code) == (2, "sql")
    assert len(wrong.errors) <= 2
    assert right is None or right in wrong.hint


def test_times_are_in_utc(
    store: Store, session: SparkSession, monkeypatch: pytest.MonkeyPatch, run_cli: RunCli
) -> None:
    import time

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        found = [
            run_cli("query", store.path, "--engine", engine, "SELECT max(started_at) AS at FROM runs").stdout
            for engine in ("spark", "duckdb")
        ]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found[0] == found[1]
    assert "T" in found[0]
