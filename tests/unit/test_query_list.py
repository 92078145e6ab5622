"""DuckDB answers only what is on the list; names that are not there are found before an engine starts."""

from __future__ import annotations

import pytest
from sqlglot import exp
from sqlglot.expressions import ALL_FUNCTIONS
from sqlglot.parsers.databricks import DatabricksParser

from tla2py.errors import InputError
from tla2py.query.query import (
    ALLOWED,
    NotTranslated,
    check,
    check_columns,
    check_tables,
    parse_query,
    translate,
)
from tla2py.store.schema import TABLES, runs_columns

COLUMNS = {
    table: {column.name: column.type for column in columns}
    for table, columns in {"runs": runs_columns(()), **TABLES}.items()
}


def translated(statement: str) -> str:
    tree = parse_query(statement)
    return translate(tree, statement, COLUMNS).sql(dialect="duckdb", identify=True)


def test_every_function_that_is_not_on_the_list_is_refused() -> None:
    others = set(ALL_FUNCTIONS) - set(ALLOWED)
    assert len(others) > 300
    for kind in others:
        with pytest.raises(NotTranslated):
            check(exp.Select(expressions=[kind()]))


def test_every_part_that_is_not_on_the_list_is_refused() -> None:
    for kind, parts in ALLOWED.items():
        for part in set(kind.arg_types) - parts:
            with pytest.raises(NotTranslated):
                check(exp.Select(expressions=[kind(**{part: exp.Literal.number(1)})]))


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT unheard_of(point) FROM runs",
        "SELECT read_text('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT x.y FROM parquet.`/etc/passwd` x",
        "SELECT point FROM runs; SELECT 1",
        "DROP TABLE runs",
        "SELECT point FROM runs WHERE before = 1 AND verdict = point",
        "SELECT '\\d' AS d",
        "SELECT message RLIKE '(?=a)' FROM runs",
        "SELECT message RLIKE 'a++' FROM runs",
        "SELECT message RLIKE verdict FROM runs",
        "SELECT state:a = 1 FROM states",
        "SELECT count(*) FROM states GROUP BY state",
        "SELECT v FROM (SELECT state:a AS v FROM states) WHERE v = '1'",
        "SELECT sum(index) OVER (ORDER BY index), md5(path) FROM changes",
        "SELECT trim(BOTH 'x' FROM path) FROM changes",
        "SELECT CAST(point AS DECIMAL(4, 2)) FROM runs",
        "SELECT point FROM runs TABLESAMPLE (10 PERCENT)",
        "SELECT first(point) FROM runs",
        "SELECT current_timestamp() AS now",
        "SELECT * EXCEPT (point) FROM runs",
        "SELECT transform(violated, (v, i) -> i) AS i FROM runs",
    ],
)
def test_what_may_differ_is_refused(statement: str) -> None:
    with pytest.raises(NotTranslated):
        translated(statement)


def refused(statement: str) -> str:
    with pytest.raises(NotTranslated) as caught:
        translated(statement)
    return str(caught.value)


def test_every_function_is_refused_by_the_name_that_the_query_writes() -> None:
    found = {}
    for name in set(DatabricksParser.FUNCTIONS) - set(DatabricksParser.NO_PAREN_FUNCTION_PARSERS):
        for arguments in ("point", "point, point", "point, point, point"):
            try:
                tree = parse_query(f"SELECT {name}({arguments}) AS x FROM runs")
            except NotTranslated:
                continue
            if type(tree.selects[0].unalias()) not in ALLOWED:
                with pytest.raises(NotTranslated) as caught:
                    check(tree)
                found[name, arguments] = str(caught.value)
    assert len(found) > 500
    wrong = {each for each, reason in found.items() if not reason.startswith(f"{each[0].lower()}()")}
    assert not wrong


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("SELECT date_format(started_at, 'yyyy') AS y FROM runs", "date_format()"),
        ("SELECT Percentile(point, 0.5) AS p FROM runs", "percentile()"),
        ("SELECT string_agg(verdict, ',') AS v FROM runs", "string_agg()"),
        ("SELECT point & 1 AS b FROM runs", "&"),
        ("SELECT point FROM runs NATURAL JOIN traces", "NATURAL JOIN"),
        ("SELECT * EXCEPT (point) FROM runs", "* EXCEPT"),
        ("SELECT point FROM runs TABLESAMPLE (10 PERCENT)", "TABLESAMPLE"),
        ("SELECT * FROM runs PIVOT (count(point) FOR verdict IN ('holds'))", "PIVOT"),
        ("SELECT map(point) AS m FROM runs", "a function with this number of arguments"),
        ("show tables", "SHOW"),
        ("SELECT rank() OVER (ORDER BY point) FROM runs", "rank() OVER in a column without AS"),
        ("SELECT (SELECT max(point) FROM runs)", "a subquery in a column without AS"),
        ("SELECT array_sort(undecided) FROM runs", "array_sort() in a column without AS"),
    ],
)
def test_constructs_are_named_as_the_query_writes_them(statement: str, reason: str) -> None:
    assert refused(statement) == reason


def test_every_macro_takes_constants() -> None:
    """DuckDB reads the text of a macro when it is made."""
    import duckdb

    from tla2py.query.query import MACROS

    with duckdb.connect() as connection:
        for macro in MACROS:
            connection.execute(f"CREATE MACRO {macro}")


@pytest.mark.parametrize(
    ("statement", "message", "hint"),
    [
        ("SELECT pont FROM runs", "pont", "point"),
        ("SELECT point FROM rums", "rums", "runs"),
        ("SELECT zzz FROM prints", "zzz", "run_id, index, text"),
        ("SELECT t.point FROM runs r", "t", "FROM"),
    ],
)
def test_mistakes_name_what_would_be_right(statement: str, message: str, hint: str) -> None:
    tree = parse_query(statement)

    def checked() -> None:
        check_tables(tree, tuple(COLUMNS))
        check_columns(tree, COLUMNS)

    with pytest.raises(InputError) as caught:
        checked()
    assert caught.value.code == "sql"
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")
