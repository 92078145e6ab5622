"""SQL over the tables of a store, by DuckDB in this process or by Spark, each in its own dialect."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, cast

import duckdb
import pyarrow as pa

from tla2py.analysis.engine import Engine
from tla2py.errors import InputError
from tla2py.store.read import pandas_frame
from tla2py.store.refresh import table_files
from tla2py.store.schema import TABLES, runs_columns
from tla2py.store.store import Store

if TYPE_CHECKING:
    import pandas as pd
    from duckdb.sqltypes import DuckDBPyType

Answer = tuple[list[str], list[list[object]]]
"""The names of the columns, and the rows as plain Python values."""


# The first words of statements that read.
_READING = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN")
# Comments, strings, quoted names, words and numbers; any other character is a token of its own.
_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"|`[^`]*`|[^\W\d]\w*|\d[\w.]*|[<>!|]{2}|<=|\S""",
    re.DOTALL,
)
# After one of these DISTINCT is the keyword, unless what follows cannot begin an expression.
_BEFORE_KEYWORD = {"SELECT", "(", "UNION", "INTERSECT", "EXCEPT"}
_AFTER_COLUMN = {
    *(")", ",", "=", "<", ">", "<=", ">=", "!=", "<>", "/", "%", "||", ";", ""),
    *("AND", "OR", "IS", "IN", "BETWEEN", "LIKE", "AS", "FROM"),
}
# What Spark's dialect has and DuckDB's writes otherwise; the left side as it stands in a statement.
_SPARK_WORDS = {
    r"\bLATERAL\s+VIEW\b": "unnest(...) after SELECT or FROM",
    r"\bLEFT\s+SEMI\s+JOIN\b": "SEMI JOIN",
    r"\bLEFT\s+ANTI\s+JOIN\b": "ANTI JOIN",
    r"\b(?:pos)?explode(?:_outer)?\s*\(": "unnest(...)",
    r"\b(?:size|cardinality)\s*\(": "len(...)",
    r"\bcollect_list\s*\(": "list(...)",
    r"\bcollect_set\s*\(": "list(DISTINCT ...)",
    r"\bget_json_object\s*\(": "json_extract_string(...)",
    r"\bvariant_get\s*\(": "state ->> '$.name'",
    r"\b(?:sort_array|array_sort)\s*\(": "list_sort(...)",
    r"\barray_join\s*\(": "array_to_string(...)",
    r"\b(?:transform|exists|forall)\s*\(": "list_transform(...), list_filter(...)",
    r"\baggregate\s*\(": "list_reduce(...)",
    r"\bsequence\s*\(": "generate_series(...)",
    r"\barray\s*\(": "[...]",
    r"\bnamed_struct\s*\(|\bstruct\s*\(": "{'name': ...}",
    r"\bdate_format\s*\(": "strftime(...)",
    r"\bRLIKE\b": "regexp_matches(...)",
    r"<=>": "IS NOT DISTINCT FROM",
    r"\bDIV\b": "//",
    r"\w:\w": "state ->> '$.name'",
}


def answer_query(
    store: Store, statement: str, *, engine: Engine = Engine.DUCKDB, master: str | None = None
) -> Answer:
    """The answer to a query in the engine's own dialect; ``master`` is Spark's.

    ``distinct``, a column of ``runs`` and a word of SQL, is quoted where it can only be the column. Raises InputError
    (``no-query``, ``sql``) and, for Spark, ToolchainError (``spark-missing``, ``spark-failed``).
    """
    _check_reads(statement)
    if engine is Engine.SPARK:
        from tla2py.spark.choice import require_pyspark

        require_pyspark()
        from tla2py.spark.frames import create_views, query_views
        from tla2py.spark.session import spark_session

        with spark_session(master, name="tla2py query") as session:
            create_views(session, store)
            return query_views(session, quote_distinct(statement, "`"))
    statement = quote_distinct(statement, '"')
    with _open_tables(store, statement) as connection:
        done = connection.execute(statement)
        columns = done.description or []
        kinds = [column[1] for column in columns]
        rows = [[*map(_to_json_data, kinds, row)] for row in done.fetchall()]
    return [_unquoted(column[0]) for column in columns], rows


def _unquoted(name: str) -> str:
    """The name of a column without the quotes that its statement got."""
    return re.sub('"(distinct)"', r"\1", name, flags=re.IGNORECASE)


def _check_reads(statement: str) -> None:
    """Raise InputError (``no-query``) for a statement that does not only read: its effect would be lost, or not."""
    words = [token[0].upper() for token in _tokens(statement) if token[0] != "("]
    if not words or words[0] not in _READING or "INSERT" in words:
        shown = " ".join(statement.split())[:100] or "nothing"
        hint = f"start with one of: {', '.join(_READING)}"
        raise InputError("no-query", f"not a query: {shown}", hint=hint)


def _tokens(statement: str) -> list[re.Match[str]]:
    """The tokens of a statement without its comments."""
    return [found for found in _TOKEN.finditer(statement) if not found[0].startswith(("--", "/*"))]


def quote_distinct(statement: str, quote: str) -> str:
    """The statement with ``distinct`` in quotes wherever it can only be the column of ``runs``."""
    found, parts, end = _tokens(statement), [], 0
    for place, token in enumerate(found):
        before = found[place - 1][0].upper() if place else ""
        after = found[place + 1][0].upper() if place + 1 < len(found) else ""
        if token[0].upper() == "DISTINCT" and _is_column(before, after):
            parts += [statement[end : token.start()], quote, token[0], quote]
            end = token.end()
    return "".join(parts) + statement[end:]


def _is_column(before: str, after: str) -> bool:
    if before in ("IS", "NOT"):
        return after != "FROM"
    return before not in _BEFORE_KEYWORD or after in _AFTER_COLUMN


@contextlib.contextmanager
def _open_tables(store: Store, statement: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to DuckDB that has the tables, for one statement. Raises InputError (``sql``)."""
    with duckdb.connect() as connection:
        _create_views(connection, store)
        try:
            if len(connection.extract_statements(statement)) != 1:
                raise InputError("sql", "more than one statement", hint="ask them one by one")
            yield connection
        except duckdb.Error as error:
            raise _refused(error, statement) from error


def query_frame(store: Store, statement: str) -> pd.DataFrame:
    """The answer of DuckDB to a query as a frame. Raises InputError (``no-query``, ``sql``, ``pandas-missing``)."""
    _check_reads(statement)
    statement = quote_distinct(statement, '"')
    with _open_tables(store, statement) as connection:
        table = connection.sql(statement).to_arrow_table()
    table = table.rename_columns([*map(_unquoted, table.column_names)])
    for place, field in enumerate(table.schema):
        # A sum of integers has 128 bits.
        if pa.types.is_decimal(field.type):
            plain = table.column(place).cast(pa.float64() if field.type.scale else pa.int64())
            table = table.set_column(place, field.name, plain)
    return pandas_frame(table)


def _create_views(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    """Make a view of each table, and close everything else: a query reads nothing but the tables."""
    connection.execute("SET TimeZone = 'UTC'")
    allowed = []
    for name, columns in {"runs": runs_columns(store.manifest().parameters), **TABLES}.items():
        files = [str(file.resolve()) for file in table_files(store, name)]
        allowed += files
        shown = [_select_column(column.name, column.type, there=bool(files)) for column in columns]
        paths = ", ".join("'{}'".format(file.replace("'", "''")) for file in files)
        rows = f"FROM read_parquet([{paths}])" if files else "LIMIT 0"
        connection.execute(f"CREATE VIEW {name} AS SELECT {', '.join(shown)} {rows}")
    connection.execute("SET allowed_paths = $paths", {"paths": allowed})
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _select_column(name: str, kind: pa.DataType, *, there: bool) -> str:
    """Return the SQL of a column in a view: states as JSON, times in UTC and without a zone; nulls of its type if no file has it."""
    quoted = '"' + name.replace('"', '""') + '"'
    if name == "state":
        made = "JSON"
    elif pa.types.is_timestamp(kind):
        made = "TIMESTAMP"
    elif there:
        return quoted
    else:
        # DuckDB knows Arrow's names of plain types.
        made = "VARCHAR[]" if pa.types.is_nested(kind) else str(kind)
    return f"CAST({quoted if there else 'NULL'} AS {made}) AS {quoted}"


def _refused(error: duckdb.Error, statement: str) -> InputError:
    """The error of a statement that DuckDB does not answer, with what it proposes itself."""
    first, _, rest = str(error).partition("\n")
    advice = " ".join(line for line in rest.split("\n\nLINE ")[0].splitlines() if line.strip())
    if advice.startswith("LINE "):
        advice = ""
    outside = re.sub(r"'(?:[^']|'')*'", "''", statement)
    instead = [words for sign, words in _SPARK_WORDS.items() if re.search(sign, outside, re.IGNORECASE)]
    if instead:
        advice = f"in DuckDB's dialect: {'; '.join(dict.fromkeys(instead))}; --engine spark reads Spark SQL"
    return InputError(
        "sql",
        first.partition(": ")[2] or first,
        hint=advice or f"tables: {', '.join(('runs', *TABLES))}; DESCRIBE runs lists columns",
    )


def _to_json_data(kind: DuckDBPyType, value: object) -> object:
    """Return a value of a type of DuckDB as JSON data, as ``tla2py.spark.frames.to_json_data`` makes it of Spark's."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    if str(kind) == "JSON":
        # With the keys of objects in order, as in a VARIANT of Spark.
        return json.loads(str(value), object_hook=lambda item: dict(sorted(item.items())))
    if isinstance(value, list):
        return [_to_json_data(_child(kind, 0), each) for each in value]
    if isinstance(value, Mapping) and kind.id == "struct":
        return {
            name: _to_json_data(_child(kind, place), each) for place, (name, each) in enumerate(value.items())
        }
    if isinstance(value, Mapping):
        return {
            str(_to_json_data(_child(kind, 0), name)): _to_json_data(_child(kind, 1), each)
            for name, each in value.items()
        }
    return value


def _child(kind: DuckDBPyType, place: int) -> DuckDBPyType:
    """The type of a part of a list, a struct or a map."""
    return cast("DuckDBPyType", kind.children[place][1])
