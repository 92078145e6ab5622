"""Names in a query that no table has, found before an engine starts."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from sqlglot import exp

from tla2py.errors import InputError

# Columns of explode() and posexplode() without names, and the fields of ``runs.violated``.
_GIVEN = {"col", "pos", "key", "value", "kind", "name"}


def check_tables(tree: exp.Query, tables: Sequence[str]) -> None:
    """Raise InputError (``sql``) for a table that neither the store nor the query has."""
    own = {each.alias.lower() for each in tree.find_all(exp.CTE)} | set(tables)
    for table in tree.find_all(exp.Table):
        plain = isinstance(table.this, exp.Identifier) and not table.args.get("db")
        if plain and table.name.lower() not in own:
            raise InputError(
                "sql",
                f"no table {table.name}",
                hint=_meant(table.name, tables, f"tables: {', '.join(tables)}"),
            )


def check_columns(tree: exp.Query, columns: Mapping[str, Mapping[str, pa.DataType]]) -> None:
    """Raise InputError (``sql``) for a column that neither the query's tables nor the query itself have.

    The constructs of the query must be on the list of those that DuckDB may answer.
    """
    used = used_tables(tree, columns)
    stored = [name for table in used for name in columns[table]]
    known = {name.lower() for name in (*stored, *_named(tree))} | _GIVEN
    sources = {
        node.alias_or_name.lower()
        for node in tree.find_all(exp.Table, exp.CTE, exp.Subquery, exp.Lateral, exp.Values)
    }
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue
        name, source = column.name, column.text("table").lower()
        if source and source not in sources | known:
            raise InputError(
                "sql",
                f"no table {column.text('table')} in this query",
                hint=_meant(source, sorted(sources), "add it after FROM or JOIN"),
            )
        if name.lower() not in known:
            shown = [f"columns of {table}: {', '.join(columns[table])}" for table in used]
            raise InputError("sql", f"no column {name}", hint=_meant(name, stored, "; ".join(shown)))


def used_tables(tree: exp.Query, tables: Mapping[str, object]) -> list[str]:
    """The tables of a store that a query names."""
    named = {table.name.lower() for table in tree.find_all(exp.Table)}
    return [name for name in tables if name in named]


def _named(tree: exp.Query) -> Iterator[str]:
    """The names that a query gives."""
    for node in tree.find_all(exp.Alias, exp.TableAlias, exp.Lambda, exp.Aliases, exp.PropertyEQ):
        if isinstance(node, exp.TableAlias):
            yield from (column.name for column in node.columns)
        elif isinstance(node, exp.Lambda | exp.Aliases):
            yield from (name.name for name in node.expressions)
        else:
            yield node.alias or node.name


def _meant(name: str, known: Sequence[str], otherwise: str) -> str:
    close = difflib.get_close_matches(name.lower(), [each.lower() for each in known], 1)
    return f"did you mean {next(each for each in known if each.lower() == close[0])}?" if close else otherwise
