"""Queries in DuckDB, over the Parquet files of a store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from tla2py.query.allowed import check
from tla2py.query.families import Families
from tla2py.query.macros import MACROS
from tla2py.query.names import name_columns
from tla2py.query.parse import NotTranslated
from tla2py.query.rewrite import rewrite
from tla2py.query.variants import check_variants

if TYPE_CHECKING:
    from duckdb.sqltypes import DuckDBPyType

Columns = Mapping[str, Mapping[str, pa.DataType]]
"""The columns of each table, by names in lower case."""


def translate(tree: exp.Query, statement: str, columns: Columns) -> exp.Query:
    """The tree of a statement for DuckDB. Raises NotTranslated if a construct is not on the list."""
    check(tree)
    check_variants(tree)
    found = tree.copy()
    name_columns(found, statement)
    rewrite(found, Families(tree, columns))
    return found


def duck_rows(
    tree: exp.Query, columns: Columns, files: Mapping[str, Sequence[Path]]
) -> tuple[list[str], list[list[object]]]:
    """The column names and rows of a query, as plain Python values. Raises NotTranslated if DuckDB cannot answer it."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for macro in MACROS:
            connection.execute(f"CREATE MACRO {macro}")
        for name, paths in files.items():
            connection.execute(f"CREATE VIEW {name} AS {_view(columns[name], paths)}")
        # A query reads nothing but the tables.
        connection.execute(
            "SET allowed_paths = $paths", {"paths": [str(path) for paths in files.values() for path in paths]}
        )
        connection.execute("SET enable_external_access = false")
        try:
            _check_set_operations(connection, tree)
            done = connection.execute(_sql(tree))
            found = done.description or []
            kinds = [column[1] for column in found]
            rows = [
                [_plain(kind, value) for kind, value in zip(kinds, row, strict=True)]
                for row in done.fetchall()
            ]
        except duckdb.Error as error:
            kind, _, reason = str(error).split("\n", 1)[0].partition(": ")
            # The macros raise errors of this class, with a reason as it is shown.
            shown = (
                reason if isinstance(error, duckdb.InvalidInputException) else f"this query: {kind}: {reason}"
            )
            raise NotTranslated(shown[:120]) from error
    return [column[0] for column in found], rows


_TYPES = {
    pa.string(): "VARCHAR",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.timestamp("ms", tz="UTC"): "TIMESTAMP",
}


def _view(columns: Mapping[str, pa.DataType], files: Sequence[Path]) -> str:
    shown = []
    # A store that cannot be written may have tables of an older version.
    there = set(pq.read_schema(files[0]).names) if files else set()
    for name, kind in columns.items():
        quoted = '"' + name.replace('"', '""') + '"'
        if name not in there:
            shown.append(f"CAST(NULL AS {_TYPES.get(kind, 'VARCHAR[]')}) AS {quoted}")
        elif name == "state":
            shown.append(f"CAST({quoted} AS JSON) AS {quoted}")
        elif pa.types.is_timestamp(kind):
            # Sessions of Spark are in UTC.
            shown.append(f"CAST({quoted} AS TIMESTAMP) AS {quoted}")
        else:
            shown.append(quoted)
    paths = ", ".join("'{}'".format(str(file).replace("'", "''")) for file in files)
    rows = f"FROM read_parquet([{paths}])" if files else "LIMIT 0"
    return f"SELECT {', '.join(shown)} {rows}"


def _sql(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb", identify=True)


def _check_set_operations(connection: duckdb.DuckDBPyConnection, tree: exp.Query) -> None:
    """Raise NotTranslated where the sides of a set operation have columns of different types: DuckDB makes texts of them."""
    for node in tree.find_all(exp.SetOperation):
        before = [
            each.sql(dialect="duckdb", identify=True)
            for outer in _ancestors(node)
            if isinstance(outer, exp.Query) and outer.args.get("with_")
            for each in outer.args["with_"].expressions
            if node not in list(each.walk())
        ]
        prefix = f"WITH {', '.join(before)} " if before else ""
        kinds = []
        for side in (node.this, node.expression):
            description = connection.execute(
                f"{prefix}SELECT * FROM ({_sql(side.unnest())}) LIMIT 0"  # noqa: S608 - the user's own query
            ).description
            kinds.append([_family(str(column[1])) for column in description or []])
        if kinds[0] != kinds[1]:
            raise NotTranslated("different types brought together by a set operation")


def _ancestors(node: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    at: exp.Expr | None = node
    while at is not None:
        found.insert(0, at)
        at = at.parent
    return found


def _family(kind: str) -> str:
    return "INTEGER" if kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT") else kind


def _plain(kind: DuckDBPyType, value: object) -> object:
    """A value of a type of DuckDB as JSON data, as ``tla2py.spark.query.plain`` makes it of Spark's."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    if str(kind) == "JSON":
        return _ordered(json.loads(str(value)))
    if isinstance(value, list):
        return [_plain(_child(kind, 0), each) for each in value]
    if isinstance(value, dict) and kind.id == "struct":
        return {name: _plain(_child(kind, place), each) for place, (name, each) in enumerate(value.items())}
    if isinstance(value, dict):
        return {
            str(_plain(_child(kind, 0), name)): _plain(_child(kind, 1), each) for name, each in value.items()
        }
    return value


def _child(kind: DuckDBPyType, place: int) -> DuckDBPyType:
    """The type of a part of a list, a struct or a map."""
    return cast("DuckDBPyType", kind.children[place][1])


def _ordered(value: object) -> object:
    """JSON data with the keys of objects in order, as in a VARIANT."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return [_ordered(each) for each in value] if isinstance(value, list) else value
