"""Collect the public surface of tla2py as lines of text, a list of lines per topic."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import tla2py
from scripts.reference.api import api_page
from scripts.reference.cli import cli_page
from scripts.reference.raised import raised_errors
from tla2py.cli.prepare import schema_text
from tla2py.lint.subject import RULES
from tla2py.store.schema import TABLES
from tla2py.sweep.load import load_sweep
from tla2py.sweep.plan import plan_sweep
from tla2py.tlc.tools.jar import bundled_jar, read_jar

_SPECS = Path(__file__).parents[2] / "specs"
# How the lines of the page on Python begin that hold a class's name, a signature, or an attribute.
_SIGNATURES = ("### ", "    ", "| `")
_SWEEP_FILES = ("*/sweep.toml", "kip320/variants.toml")


def help_lines() -> list[str]:
    """Return the help of every command: its words, then a line per argument and option."""
    return [line for line in cli_page().splitlines() if line]


def table_lines() -> list[str]:
    """Return a line per column of every table: its name, kind, and whether it may be null."""
    lines = []
    for table, columns in sorted(TABLES.items()):
        for column in columns:
            null = " or null" if column.nullable else ""
            lines.append(f"{table}.{column.name}: {column.kind}{null}")
    return lines


def error_lines() -> list[str]:
    """Return the class and code of every error, then the code of every lint rule with its severity."""
    errors = {f"{raised.error} {raised.code}" for raised in raised_errors()}
    rules = {f"finding {code} {severity}" for code, severity in RULES.items()}
    return [*sorted(errors), *sorted(rules)]


def sweep_file_lines() -> list[str]:
    """Return the path of every key of a sweep file, with its types."""
    return sorted(set(_schema_lines("", json.loads(schema_text()))))


def _schema_lines(path: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths below a schema, each with the type of its values."""
    if path and "type" in schema:
        yield f"{path}: {schema['type']}"
    for choice in schema.get("anyOf", ()):
        yield from _schema_lines(path, choice)
    for name, part in schema.get("properties", {}).items():
        yield from _schema_lines(f"{path}.{name}" if path else name, part)
    items = schema.get("items")
    if isinstance(items, dict):
        yield from _schema_lines(f"{path}[]", items)
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        yield from _schema_lines(f"{path}.*", others)
    for value in schema.get("enum", ()):
        yield f"{path} = {value}"


def python_lines() -> list[str]:
    """Return the names of the package, then the documented signatures, methods and attributes of its classes."""
    names = [f"tla2py.{name}" for name in sorted(tla2py.__all__)]
    documented = [line for line in api_page().splitlines() if line.startswith(_SIGNATURES)]
    return [*names, *documented]


def run_id_lines() -> list[str]:
    """Return the id of each run of the systems in ``specs``, by sweep file and point, with the bundled jar."""
    digest = read_jar(bundled_jar(), "bundled").sha256
    lines = []
    for pattern in _SWEEP_FILES:
        for path in sorted(_SPECS.glob(pattern)):
            plan = plan_sweep(load_sweep(path), digest)
            for number, run in enumerate(plan.runs, 1):
                lines.append(f"{path.relative_to(_SPECS)} {number}: {run.run_id}")
    return lines


TOPICS: dict[str, Callable[[], list[str]]] = {
    "help": help_lines,
    "tables": table_lines,
    "errors": error_lines,
    "sweep_file": sweep_file_lines,
    "python": python_lines,
    "run_ids": run_id_lines,
}
"""What is frozen without running TLC; ``answers.py`` adds the topic ``json``."""
