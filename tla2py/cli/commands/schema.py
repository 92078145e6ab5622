"""``tla2py schema``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tla2py.cli.console import err
from tla2py.files.write import write_file

# The name of a schema beside a sweep file.
SCHEMA_NAME = "sweep.schema.json"
# The comment with which Taplo and editors find the schema of a TOML file.
SCHEMA_LINE = f"#:schema ./{SCHEMA_NAME}\n"


def schema_command(
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write here.")] = None,
) -> None:
    """Write the JSON Schema of sweep files, for editors to complete keys and mark mistakes.

    Without -o, print it. A sweep file beside it refers to it in its first line: #:schema ./sweep.schema.json

    Example:
      tla2py schema -o sweep.schema.json
    """
    if output is None:
        typer.echo(schema_text(), nl=False)
        return
    write_schema(output)
    err().print(f"wrote {output}; first line of a sweep file beside it: #:schema ./{output.name}")


def write_schema(path: Path) -> None:
    """Write the schema. Raises InputError (``output-unwritable``)."""
    write_file(path, schema_text())


def schema_text() -> str:
    """The schema as text."""
    from tla2py.cli.schema import sweep_schema

    return json.dumps(sweep_schema(), indent=2) + "\n"
