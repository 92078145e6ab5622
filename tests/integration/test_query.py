"""Queries of one engine, and reports as files."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

import tla2py
from tests.conftest import RunCli
from tests.integration.test_sweep import counter_store as counter_store
from tests.pages import Page
from tests.raising import raises
from tla2py.analysis.query import answer_query, quote_distinct
from tla2py.errors import InputError
from tla2py.store.store import Store


@pytest.mark.parametrize(
    "quoted",
    [
        "SELECT <distinct> FROM runs",
        "SELECT <distinct>, verdict FROM runs",
        "SELECT <distinct> = 0 AS none",
        "SELECT <distinct> AS n FROM runs",
        "SELECT point, <distinct> FROM runs",
        "SELECT r.<distinct> FROM runs r",
        "select point from runs order by <DISTINCT> desc",
        "SELECT max(<distinct>) FROM runs",
        "WHERE <distinct> > 0 AND <distinct> IS NOT NULL",
        "SELECT DISTINCT <distinct> FROM runs",
        "SELECT count(DISTINCT <distinct>), sum(<distinct>)",
        "SELECT DISTINCT verdict FROM runs",
        "SELECT DISTINCT (verdict) FROM runs",
        "SELECT DISTINCT ON (verdict) * FROM runs",
        "SELECT DISTINCT * FROM runs",
        "SELECT count(DISTINCT verdict) FROM runs",
        "SELECT 1 UNION DISTINCT SELECT 2",
        "SELECT point IS NOT DISTINCT FROM 1, point IS DISTINCT FROM 2 FROM runs",
        "SELECT point IN (1, 2) AND NOT <distinct> > 3",
        "SELECT 'a, distinct' AS s, \"distinct\" FROM runs -- , distinct",
        "SELECT 'it''s, distinct' /* , distinct */ FROM runs",
    ],
)
@pytest.mark.parametrize("quote", ['"', "`"])
def test_distinct_is_quoted_where_it_is_a_column(quoted: str, quote: str) -> None:
    statement, expected = (re.sub("(?i)<(distinct)>", rf"{each}\1{each}", quoted) for each in ("", quote))
    assert quote_distinct(statement, quote) == expected


@pytest.mark.parametrize(
    ("statement", "message", "hint"),
    [
        ("SELECT pont FROM runs", "pont", "point"),
        ("SELECT point FROM rums", "rums", "runs"),
        ("SELECT t.point FROM runs r", '"t"', '"r"'),
        ("SELECT point FROM runs WHERE (", "syntax error", "DESCRIBE runs"),
        ("SELECT 1; SELECT 2", "more than one statement", "one by one"),
        ("SELECT explode(violated) FROM runs", "explode", "unnest(...)"),
        ("SELECT size(violated) FROM runs", "size", "len(...); --engine spark reads Spark SQL"),
        ("SELECT state:x::string FROM states", "x", "state ->> '$.name'"),
        ("SELECT * FROM read_csv('/etc/passwd')", "/etc/passwd", "tables: runs, traces"),
        ("SELECT * FROM '/etc/passwd'", "/etc/passwd", ""),
        ("SELECT getenv('HOME')", "getenv", ""),
    ],
)
def test_a_refusal_says_what_is_right(statement: str, message: str, hint: str, counter_store: Path) -> None:
    caught = raises(InputError, lambda: answer_query(Store(counter_store), statement))
    assert caught.code == "sql"
    assert message in caught.message
    assert hint in str(caught.hint)


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE runs",
        "COPY runs TO 'runs.csv'",
        "INSERT INTO runs SELECT * FROM runs",
        "WITH r AS (SELECT 1) INSERT INTO runs SELECT * FROM r",
        "FROM runs INSERT OVERWRITE DIRECTORY 'out' SELECT *",
        "SET lock_configuration = false",
        "/* SELECT */ ATTACH 'other.db'",
        "",
    ],
)
def test_a_query_only_reads(engine: str, statement: str, counter_store: Path, run_cli: RunCli) -> None:
    assert run_cli("query", counter_store, "--engine", engine, statement, code=2).error.code == "no-query"


def test_an_answer_as_a_frame_and_tables_without_rows_have_their_columns(counter_store: Path) -> None:
    store = tla2py.open_store(counter_store)
    found = store.query("SELECT point, distinct, trace_length, verdict FROM runs ORDER BY point DESC")
    assert list(found.columns) == ["point", "distinct", "trace_length", "verdict"]
    expected = store.runs[list(found.columns)].iloc[::-1].reset_index(drop=True)
    assert found.to_json(orient="records") == expected.to_json(orient="records")
    least = "SELECT min(distinct), max(DISTINCT distinct) FROM runs"
    names = ["min(distinct)", "max(DISTINCT distinct)"]
    assert (list(store.query(least).columns), answer_query(store.store, least)[0]) == (names, names)
    # Counts stay integers beside nulls, and where DuckDB adds them up.
    assert str(found["trace_length"].dtype) == "Int32"
    assert found["trace_length"].isna().any()
    total = store.query("SELECT sum(distinct) AS n, 1.5 AS half, min(started_at) AS first FROM runs")
    assert [str(kind) for kind in total.dtypes][:2] == ["Int64", "float64"]
    assert total["n"].tolist() == [int(store.runs["distinct"].sum())]
    assert str(total["first"].dtype).startswith("datetime64")
    assert list(store.query("FROM runs LIMIT 0").columns) == list(store.runs.columns)
    # No variable of the function that asks is a table.
    for statement, code in (("DROP TABLE runs", "no-query"), ("SELECT * FROM found", "sql")):
        assert raises(InputError, store.query, statement).code == code
    assert answer_query(store.store, "DESCRIBE simulations")[1]
    assert answer_query(store.store, "SELECT count(*) FROM simulations")[1] == [[0]]


def test_the_formats_of_an_answer(counter_store: Path, run_cli: RunCli) -> None:
    statement = (
        "SELECT point, verdict, violated, NULL AS none, true AS yes, '/\\ <<1, \"a|b\">>' || chr(10) || 'c_d' AS text, "
        "-1 AS low FROM runs WHERE point IN (1, 3) ORDER BY point"
    )
    done = run_cli("query", counter_store, statement, "--format", "csv")
    assert done.stderr == "answered by DuckDB\n"
    first, second = csv.DictReader(io.StringIO(done.stdout))
    text = '/\\ <<1, "a|b">>\nc_d'
    names = ("point", "verdict", "violated", "none", "yes", "text", "low")
    assert first == dict(zip(names, ("1", "holds", "[]", "", "true", text, "-1"), strict=True))
    kinds = [{"kind": "invariant", "name": name} for name in ("Below", "Small")]
    assert json.loads(second["violated"]) == kinds
    done = run_cli("query", counter_store, statement, "--format", "markdown")
    head, line, first_row, _ = done.stdout.splitlines()
    assert head == "| point | verdict | violated | none | yes | text | low |"
    assert line == "| --- | --- | --- | --- | --- | --- | --- |"
    assert first_row == '| 1 | holds | \\[] |  | true | /\\\\ \\<\\<1, "a\\|b">><br>c\\_d | -1 |'
    answer = run_cli("query", counter_store, statement, "--json")
    assert run_cli("query", counter_store, statement, "--format", "json") == answer
    assert answer.json[0]["text"] == text


def test_a_page_of_a_store_and_of_a_trace(run_cli: RunCli, tiny_sweep: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    run_cli("sweep", tiny_sweep, "--executor", "local", "-o", store, code=1)
    notes = tmp_path / "notes.md"
    notes.write_text("# Why it fails\n\nSee [the spec](Counter.tla).\n")
    page = tmp_path / "pages" / "counter.html"
    page.parent.mkdir()
    ended = run_cli("report", store, "-o", page, "--notes", notes)
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout == f"{page}: 0.1 MB\n"
    read = Page(page.read_text(encoding="utf-8"))
    assert "Why it fails" in read.words
    assert read.dead_links(page.parent) == []
    assert "\n4. " in read.words
    # A file beside the store, named after it, where no name is given; and the same to the byte.
    assert run_cli("report", store, "--notes", notes, cwd=page.parent).code == 0
    assert (page.parent / "sweep.html").read_bytes() == page.read_bytes()
    itf = tmp_path / "trace.itf.json"
    itf.write_text(run_cli("trace", store, "3", "--format", "itf").stdout)
    assert run_cli("report", itf, "-o", tmp_path / "itf.html").code == 0
    assert "\n4. " in Page((tmp_path / "itf.html").read_text(encoding="utf-8")).words
