"""A module's declarations as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tla2py.text import cut

# The JSON of ``inspect --json``.
Item = Mapping[str, Any]
# Hides the operators of named instances: there are many, and a config cannot name them.
_HIDDEN_MARK = "!"


def inspection_text(inspection: Item) -> RenderableType:
    """The non-empty sections of what ``inspect_spec`` returns, and the command to type next."""
    parts: list[RenderableType] = [
        Text.assemble((str(inspection["module"]), "bold"), f"  {inspection['file']}"),
        *_modules(inspection),
    ]
    parts += _section("Constants", _constants(inspection["constants"]))
    parts += _section("Variables", _variables(inspection["variables"]))
    parts += _section("Assumptions", _assumptions(inspection["assumptions"]))
    parts += _section("Operators", _operators(inspection["operators"]))
    parts += _section("Candidates", _candidates(inspection["candidates"]))
    parts += [
        "",
        Text.assemble(
            ("Next   ", "bold"), f"tla2py init {shlex.quote(str(inspection['file']))} -o sweep.toml"
        ),
    ]
    return Group(*parts)


def _section(title: str, table: Table | None) -> list[RenderableType]:
    return [] if table is None else ["", Text(title, "bold"), table]


def _modules(inspection: Item) -> Iterable[RenderableType]:
    """A line per module with a file, and one line for the standard modules."""
    extends = inspection["extends"]
    for each in extends:
        if not each["standard"]:
            yield Text.assemble(("  extends  ", "dim"), f"{each['module']}  ", (str(each["file"]), "dim"))
    standard = [str(each["module"]) for each in extends if each["standard"]]
    if standard:
        yield Text.assemble(("  extends  ", "dim"), ", ".join(standard), ("  (standard)", "dim"))
    for each in inspection["instances"]:
        if not each["standard"]:
            named = f"{each['name']} = " if each["name"] else ""
            shown = (f"{named}{each['module']}  ", (str(each["file"]), "dim"))
            yield Text.assemble(("  instance ", "dim"), *shown)
    if inspection["pluscal"]:
        yield Text("  has a PlusCal algorithm", "dim")


def _table(rows: Iterable[Sequence[Text | str]], *, wide: int) -> Table | None:
    """A table without a header, whose column ``wide`` takes the rest of the line; None if there are no rows."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for index, row in enumerate(rows):
        if index == 0:
            for column in range(len(row)):
                table.add_column(overflow="fold", no_wrap=column != wide)
        # The module's text must not be read as markup.
        table.add_row("", *(cell if isinstance(cell, Text) else Text(cell) for cell in row[1:]))
    return table if table.row_count else None


def _constants(items: Sequence[Item]) -> Table | None:
    def kind(item: Item) -> Text:
        shown = Text(str(item["kind"]), "green" if item["needs_value"] else "dim")
        return shown.append("" if item["certain"] or not item["needs_value"] else " ?", "yellow")

    rows = [("", _head(i), kind(i), _words(i["comment"]), _where(i)) for i in items]
    return _table(rows, wide=3)


def _variables(items: Sequence[Item]) -> Table | None:
    return _table([("", _head(i), _words(i["comment"]), _where(i)) for i in items], wide=2)


def _assumptions(items: Sequence[Item]) -> Table | None:
    return _table([("", _words(i["text"]), _where(i)) for i in items], wide=1)


def _operators(items: Sequence[Item]) -> Table | None:
    shown = [item for item in items if _HIDDEN_MARK not in str(item["name"])]
    rows = [("", _head(i), Text(str(i["level"]), "dim"), _words(i["comment"]), _where(i)) for i in shown]
    if len(shown) < len(items):
        rest = f"and {len(items) - len(shown)} of named instances, such as {next(i['name'] for i in items if i not in shown)}"
        rows.append(("", Text(rest, "dim"), Text(), Text(), Text()))
    return _table(rows, wide=3)


def _candidates(candidates: Mapping[str, Sequence[str]]) -> Table | None:
    rows = [
        ("", Text(key.replace("_", " ")), Text(", ".join(names)))
        for key, names in candidates.items()
        if names
    ]
    return _table(rows, wide=2)


def _head(item: Item) -> Text:
    """A name with its parameters, as declared."""
    parameters = item.get("parameters") or ["_"] * item.get("arity", 0)
    text = Text(str(item["name"]), "cyan")
    return text.append(f"({', '.join(parameters)})" if parameters else "", "not bold default")


def _words(value: str | None) -> Text:
    return Text(cut(" ".join((value or "").split()), 200))


def _where(item: Item) -> Text:
    """Module and line; ``--json`` gives the whole place."""
    line = str(item["where"]).rsplit(":", 2)[1]
    return Text(f"{item['module']}:{line}", "dim")
