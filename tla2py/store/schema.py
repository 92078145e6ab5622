"""The schema of every table, with a description of each column for the documentation."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args, get_type_hints

from tla2py.model.logs import LogMutantRow, LogRow
from tla2py.model.mutant import Killer, MutantRow
from tla2py.model.outcome import Violation
from tla2py.model.row import DriveRow, RunRow, TraceRow
from tla2py.store.manifest import ManifestParameter

if TYPE_CHECKING:
    import pyarrow as pa


Kind = Literal["bool", "float64", "int32", "int64", "string", "strings", "time", "violations"]


class Column(NamedTuple):
    """A column of a table; ``doc`` describes what it holds."""

    name: str
    kind: Kind
    nullable: bool
    doc: str

    @property
    def type(self) -> pa.DataType:
        """Its Arrow type."""
        # Imported on use: many commands know the tables by name only.
        import pyarrow as pa

        text = pa.string()
        named = {
            "strings": pa.list_(text),
            "time": pa.timestamp("ms", tz="UTC"),
            "violations": pa.list_(
                pa.struct([pa.field("kind", text, nullable=False), pa.field("name", text, nullable=False)])
            ),
        }
        return named[self.kind] if self.kind in named else pa.type_for_alias(self.kind)


_TEXT: Kind = "string"

_KINDS: dict[object, Kind] = {
    bool: "bool",
    float: "float64",
    int: "int64",
    datetime: "time",
    tuple[str, ...]: "strings",
    tuple[Violation, ...]: "violations",
    tuple[Killer, ...]: "violations",
}


def columns_of(row: type) -> tuple[Column, ...]:
    """The columns of a table whose rows are of a class, from its annotated fields.

    A field is annotated with a description, and before it with a kind if it is not the one of its type.
    """
    found = []
    for name, hint in get_type_hints(row, include_extras=True).items():
        types = [kind for kind in get_args(hint.__origin__) if kind is not type(None)]
        nullable = type(None) in get_args(hint.__origin__)
        *kind, doc = hint.__metadata__
        plain = types[0] if nullable else hint.__origin__
        found.append(Column(name, kind[0] if kind else _KINDS.get(plain, _TEXT), nullable, doc))
    return tuple(found)


_RUNS = columns_of(RunRow)
_RUN = Column("run_id", _TEXT, False, "the run")
_ACTION_ARGS = Column("action_args", "strings", True, "its arguments as TLA+ text, if this TLC prints them")
_STATE = Column("state", _TEXT, False, "the state in ITF as JSON text; VARIANT in Spark's view")


def _extent(thing: str, *, nullable: bool) -> tuple[Column, ...]:
    """The columns of the place where a thing begins and ends."""
    return (
        Column("begin_line", "int32", nullable, f"line where {thing} begins, from 1"),
        Column("begin_column", "int32", nullable, f"column where {thing} begins, from 1"),
        Column("end_line", "int32", nullable, f"line where {thing} ends"),
        Column("end_column", "int32", nullable, f"column where {thing} ends"),
    )


_TRACE = columns_of(TraceRow)[:2]
TABLES: dict[str, tuple[Column, ...]] = {
    "traces": columns_of(TraceRow),
    "states": (
        *_TRACE,
        Column("index", "int32", False, "number of the state within its trace, from 1, as in TLC's output"),
        Column("action", _TEXT, True, "the action that led to the state; null for the initial state"),
        _ACTION_ARGS,
        Column("module", _TEXT, True, "the module of the action"),
        *_extent("the action", nullable=True),
        Column("in_loop", "bool", False, "whether the state repeats forever"),
        _STATE,
    ),
    "changes": (
        *_TRACE,
        Column("index", "int32", False, "number of the state after the step"),
        Column("action", _TEXT, True, "the action that changed it"),
        Column("variable", _TEXT, False, "the variable"),
        Column(
            "path",
            _TEXT,
            False,
            "the part of its value, as in [b1].hw; empty for the whole value; {} ends it for an element of a set or bag, [] for one that left the front of a sequence or was appended",
        ),
        Column("before", _TEXT, True, "the old value as TLA+ text; null if the part is new"),
        Column("after", _TEXT, True, "the new value as TLA+ text; null if the part was removed"),
    ),
    "diagnostics": (
        _RUN,
        Column("diagnostic", "int32", False, "number of the diagnostic within its run, from 1"),
        Column("severity", _TEXT, False, "error or warning"),
        Column(
            "code",
            "int32",
            False,
            "TLC's message code; 0 for messages without one, such as SANY's; negative for tla2py's own notes on a run",
        ),
        Column("text", _TEXT, False, "TLC's message, with its places and files replaced by the user's"),
        Column("file", _TEXT, True, "the module, config, sweep file or option, as the user named it"),
        Column("line", "int32", True, "line in the file, from 1"),
        Column("column", "int32", True, "column in characters, from 1"),
        Column("excerpt", _TEXT, True, "the text of that line, or of all lines if the place spans several"),
    ),
    "prints": (
        _RUN,
        Column("index", "int32", False, "number of the value within its run, from 1 to at most 1,000"),
        Column("text", _TEXT, False, "the value as TLC prints it, up to 10,000 characters"),
    ),
    "simulations": (
        _RUN,
        Column("mode", _TEXT, False, "simulate or generate"),
        Column("seed", "int64", False, "the seed of the first worker's random choices"),
        Column("workers", "int32", False, "number of workers, which generate behaviours side by side"),
        Column("depth_limit", "int32", True, "limit on the length of a behaviour, if set; TLC's own is 100"),
        Column("behaviours", "int64", True, "number of behaviours that all workers began, if known"),
        Column("initial", "int64", True, "number of initial states"),
        Column(
            "generated",
            "int64",
            True,
            "states generated: the initial ones, and all successors by each action taken, of which a behaviour follows one",
        ),
        Column("kept", "int64", False, "number of behaviours kept in traces"),
        Column("shortest", "int32", True, "number of states of the shortest behaviour kept"),
        Column("longest", "int32", True, "number of states of the longest behaviour kept"),
        Column("mean_length", "float64", True, "number of states of a behaviour kept, on average"),
    ),
    "logs": (
        _RUN,
        Column("point", "int32", False, "number of the point in grid order, from 1"),
        *columns_of(LogRow),
    ),
    "mutants": columns_of(MutantRow),
    "because": (
        _RUN,
        Column("trace", "int32", True, "the counterexample's number in its run, from 1; null without one"),
        Column("kind", _TEXT, False, "what is violated, as in traces"),
        Column("name", _TEXT, False, "the violated definition"),
        Column("suspect", "bool", False, "whether this TLC is known to report such a behaviour by mistake"),
        Column("reason", _TEXT, True, "why there is no cause; null if there is one"),
        Column("rank", "int32", True, "from 1, the nearest cause first; null without a cause"),
        Column("role", _TEXT, True, "conjunct, action, fairness, mapping, part or expression"),
        Column("action", _TEXT, True, "the action, if it is about one"),
        Column("args", _TEXT, True, "the action's arguments by name, in ITF as JSON text"),
        Column("text", _TEXT, True, "the expression"),
        Column("says", _TEXT, False, "the cause in a sentence, or why no cause is known"),
        Column("value", "bool", True, "the expression's value in the state"),
        Column("values", _TEXT, True, "the values of the names in it, in ITF as JSON text"),
        Column("state", "int32", True, "number of the state, from 1"),
        Column("states", _TEXT, True, "the states in which it is TRUE or enabled, as a JSON list"),
        Column("module", _TEXT, True, "the module of the expression"),
        Column("line", "int32", True, "its line, from 1"),
        Column("column", "int32", True, "its column, from 1"),
        Column("fairness", _TEXT, True, "WF or SF: the strongest condition on the action"),
        Column(
            "before", _TEXT, True, "the old value of a variable that the step changes, in ITF as JSON text"
        ),
        Column("after", _TEXT, True, "the new value"),
    ),
    "log_lines": (
        _RUN,
        Column("line", "int32", False, "number of the line, from 1"),
        Column("text", _TEXT, False, "the line"),
        Column("file", _TEXT, False, "the file it comes from"),
        Column("file_line", "int32", False, "its number there, which differs if a log has several files"),
        Column("actions", "strings", True, "the actions that explained it, if known"),
        Column("states", "int64", True, "number of distinct states before it, if known"),
        Column("state", "int32", True, "the state of the run's trace that it leads to, if it is in one"),
    ),
    "log_mutants": columns_of(LogMutantRow),
    "drives": columns_of(DriveRow),
    "graph_states": (
        _RUN,
        Column("fingerprint", "int64", False, "TLC's fingerprint of the state"),
        Column("initial", "bool", False, "whether it is an initial state"),
        _STATE,
    ),
    "graph_edges": (
        _RUN,
        Column("source", "int64", False, "fingerprint of the state before the step"),
        Column("target", "int64", False, "fingerprint of the state after the step"),
        Column("action", _TEXT, True, "the action"),
        _ACTION_ARGS,
    ),
    "coverage": (
        _RUN,
        Column(
            "kind", _TEXT, False, "init, action, property, constraint, expression, or log: an action on a log"
        ),
        Column("module", _TEXT, False, "the module"),
        Column("name", _TEXT, False, "the definition; empty for an expression"),
        *_extent("it", nullable=False),
        Column("distinct", "int64", True, "distinct states the action found"),
        Column("generated", "int64", True, "states generated, evaluations, or lines of a log explained"),
    ),
}

PARAMETER_TYPES: dict[str, Kind] = {"integer": "int64", "boolean": "bool", "text": _TEXT}
FIXED_RUNS_COLUMNS = tuple(column.name for column in _RUNS)
TABLE_NAMES = ("runs", *TABLES)


def runs_columns(parameters: Sequence[ManifestParameter]) -> tuple[Column, ...]:
    """The columns of ``runs``: the fixed ones, with one column per parameter after ``point``."""
    own = tuple(Column(p.column, PARAMETER_TYPES[p.type], True, f"parameter {p.name}") for p in parameters)
    return (*_RUNS[:2], *own, *_RUNS[2:])


def parameter_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The parameters' columns: their own names, prefixed with ``parameter_`` while the name is taken.

    Spark ignores case, so names that differ only in case collide.
    """
    taken = {column.lower() for column in FIXED_RUNS_COLUMNS}
    columns = []
    for name in names:
        column = name
        while column.lower() in taken:
            column = f"parameter_{column}"
        taken.add(column.lower())
        columns.append(column)
    return tuple(columns)


def parameter_type(values: Collection[str]) -> str:
    """``integer`` or ``boolean`` if every value is one, otherwise ``text``."""
    if all(re.fullmatch(r"-?[0-9]{1,18}", value) for value in values):
        return "integer"
    return "boolean" if all(value in ("TRUE", "FALSE") for value in values) else "text"


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """The columns' Arrow schema, their descriptions as field metadata."""
    import pyarrow as pa

    fields = (pa.field(c.name, c.type, nullable=c.nullable, metadata={"doc": c.doc}) for c in columns)
    return pa.schema(list(fields))
