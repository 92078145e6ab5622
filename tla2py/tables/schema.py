"""The schema of every table, with a line of prose per column from which the documentation is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from tla2py.store import ManifestParameter


class Column(NamedTuple):
    """A column: its name, its type, whether it may be null, and what it holds."""

    name: str
    type: pa.DataType
    nullable: bool
    doc: str


_TEXT = pa.string()
_VIOLATED = pa.list_(
    pa.struct([pa.field("kind", _TEXT, nullable=False), pa.field("name", _TEXT, nullable=False)])
)

_RUNS_HEAD = (
    Column("run_id", _TEXT, False, "digest of everything that can change the result"),
    Column("point", pa.int32(), False, "index of the point in grid order, from 1"),
)
_RUNS_TAIL = (
    Column("outcome", _TEXT, False, "what TLC said, by the name of its exit status"),
    Column("verdict", _TEXT, False, "holds, violated, inconclusive, broken or excluded"),
    Column("violated", _VIOLATED, False, "what was violated: kind and name"),
    Column("undecided", pa.list_(_TEXT), False, "what a further run under find = each could not settle"),
    Column("generated", pa.int64(), True, "states generated"),
    Column("distinct", pa.int64(), True, "distinct states found"),
    Column("queue", pa.int64(), True, "states left on the queue"),
    Column(
        "depth",
        pa.int32(),
        True,
        "depth of the state graph as TLC prints it; the diameter of a finished search",
    ),
    Column("trace_length", pa.int32(), True, "states of the shortest counterexample that TLC found"),
    Column("wall_seconds", pa.float64(), True, "wall-clock time of all executions of TLC for this point"),
    Column("cpu_seconds", pa.float64(), True, "user and system time of all executions"),
    Column("peak_memory_bytes", pa.int64(), True, "largest resident memory of any execution"),
    Column("executions", pa.int32(), False, "how many times TLC was started for this point"),
    Column(
        "termination_reason",
        _TEXT,
        True,
        "who ended it: timeout, memory, disk, output, killed; null if TLC itself",
    ),
    Column(
        "exit_code", pa.int32(), True, "TLC's exit status; negative for a signal, null if it was not started"
    ),
    Column(
        "message",
        _TEXT,
        True,
        "TLC's first error message, where the verdict is broken, excluded or inconclusive",
    ),
    Column("message_place", _TEXT, True, "where that is in what the user wrote: file:line:column"),
    Column("tlc_version", _TEXT, True, "TLC's version as it prints it"),
    Column("tlc_revision", _TEXT, True, "TLC's source revision as it prints it"),
    Column("jar_sha256", _TEXT, True, "digest of the tla2tools.jar"),
    Column("timeout_seconds", pa.float64(), True, "the time limit of one execution"),
    Column("memory_bytes", pa.int64(), True, "the memory limit of one execution"),
    Column("disk_bytes", pa.int64(), True, "the limit of what one execution may write, if one was set"),
    Column("started_at", pa.timestamp("ms", tz="UTC"), True, "when the first execution began"),
)

# Of many thousand points everything would be a third of a driver's memory.
FOUND_COLUMNS = [
    *("run_id", "point", "outcome", "verdict", "violated", "undecided", "generated", "distinct", "depth"),
    *("trace_length", "wall_seconds", "message", "message_place", "termination_reason"),
    *("tlc_version", "jar_sha256"),
]
"""The columns of ``runs`` that say what was found."""

TABLES: dict[str, tuple[Column, ...]] = {
    "traces": (
        Column("run_id", _TEXT, False, "the run that found it"),
        Column("trace", pa.int32(), False, "number of the trace within its run, from 1"),
        Column(
            "kind",
            _TEXT,
            False,
            "what it violates: invariant, action_property, temporal_property, deadlock, ...",
        ),
        Column("name", _TEXT, False, "the definition it violates; empty where TLC names none"),
        Column("length", pa.int32(), False, "number of states"),
        Column("loop_start", pa.int32(), True, "index of the state that the last state steps back to"),
        Column("loop_action", _TEXT, True, "the action of that step, where TLC tells"),
        Column(
            "loop_action_args", pa.list_(_TEXT), True, "its arguments as TLA+ text, where TLC prints them"
        ),
        Column("stuttering", pa.bool_(), False, "whether nothing happens after the last state"),
        Column("cut_off", pa.bool_(), False, "whether a log made elsewhere broke off within it"),
    ),
    "states": (
        Column("run_id", _TEXT, False, "the run that found it"),
        Column("trace", pa.int32(), False, "number of the trace within its run, from 1"),
        Column("index", pa.int32(), False, "number of the state within its trace, from 1, as TLC prints it"),
        Column("action", _TEXT, True, "the action that led here; null for the initial state"),
        Column(
            "action_args",
            pa.list_(_TEXT),
            True,
            "its arguments as TLA+ text, where the TLC at hand prints them",
        ),
        Column("module", _TEXT, True, "the module of the action"),
        Column("begin_line", pa.int32(), True, "where the action begins, from 1"),
        Column("begin_column", pa.int32(), True, "where the action begins, from 1"),
        Column("end_line", pa.int32(), True, "where the action ends"),
        Column("end_column", pa.int32(), True, "where the action ends"),
        Column("in_loop", pa.bool_(), False, "whether the state recurs for ever"),
        Column("state", _TEXT, False, "the state in ITF as JSON text; VARIANT in Spark's view"),
    ),
    "changes": (
        Column("run_id", _TEXT, False, "the run that found it"),
        Column("trace", pa.int32(), False, "number of the trace within its run, from 1"),
        Column("index", pa.int32(), False, "number of the state in which the new value holds first"),
        Column("action", _TEXT, True, "the action that changed it"),
        Column("variable", _TEXT, False, "the variable"),
        Column("path", _TEXT, False, "where in its value, as in [b1].hw; empty for the whole value"),
        Column("before", _TEXT, True, "the old value as TLA+ text; null where there was none"),
        Column("after", _TEXT, True, "the new value as TLA+ text; null where there is none"),
    ),
    "diagnostics": (
        Column("run_id", _TEXT, False, "the run"),
        Column("diagnostic", pa.int32(), False, "number of the diagnostic within its run, from 1"),
        Column("severity", _TEXT, False, "error or warning"),
        Column("code", pa.int32(), False, "TLC's number of the message; 0 where it has none, as SANY's"),
        Column("text", _TEXT, False, "the message as TLC words it, with the user's places and files in it"),
        Column(
            "file", _TEXT, True, "the module, config, sweep file or option it is about, as the user named it"
        ),
        Column("line", pa.int32(), True, "the line in it, from 1"),
        Column("column", pa.int32(), True, "the column in characters, from 1"),
        Column("excerpt", _TEXT, True, "the text of that line, or of the lines where it goes over several"),
    ),
    "graph_states": (
        Column("run_id", _TEXT, False, "the run"),
        Column("fingerprint", pa.int64(), False, "TLC's fingerprint of the state"),
        Column("initial", pa.bool_(), False, "whether it is an initial state"),
        Column("state", _TEXT, False, "the state in ITF as JSON text; VARIANT in Spark's view"),
    ),
    "graph_edges": (
        Column("run_id", _TEXT, False, "the run"),
        Column("source", pa.int64(), False, "fingerprint of the state before the step"),
        Column("target", pa.int64(), False, "fingerprint of the state after it"),
        Column("action", _TEXT, True, "the action"),
        Column(
            "action_args",
            pa.list_(_TEXT),
            True,
            "its arguments as TLA+ text, where the TLC at hand prints them",
        ),
    ),
    "coverage": (
        Column("run_id", _TEXT, False, "the run"),
        Column("kind", _TEXT, False, "init, action, property, constraint or expression"),
        Column("module", _TEXT, False, "the module"),
        Column("name", _TEXT, False, "the definition; empty for an expression"),
        Column("begin_line", pa.int32(), False, "where it begins, from 1"),
        Column("begin_column", pa.int32(), False, "where it begins, from 1"),
        Column("end_line", pa.int32(), False, "where it ends"),
        Column("end_column", pa.int32(), False, "where it ends"),
        Column("distinct", pa.int64(), True, "distinct states an action found"),
        Column(
            "generated",
            pa.int64(),
            True,
            "states an action generated, or how often an expression was evaluated",
        ),
    ),
}

PARAMETER_TYPES: dict[str, pa.DataType] = {"integer": pa.int64(), "boolean": pa.bool_(), "text": _TEXT}
FIXED_RUNS_COLUMNS = tuple(column.name for column in (*_RUNS_HEAD, *_RUNS_TAIL))
TABLE_NAMES = ("runs", *TABLES)


def runs_columns(parameters: Sequence[ManifestParameter]) -> tuple[Column, ...]:
    """The columns of ``runs``: the fixed ones with one column per parameter after the point."""
    own = tuple(Column(p.column, PARAMETER_TYPES[p.type], True, f"parameter {p.name}") for p in parameters)
    return (*_RUNS_HEAD, *own, *_RUNS_TAIL)


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """The Arrow schema of some columns, their prose as field metadata."""
    return pa.schema(
        [pa.field(c.name, c.type, nullable=c.nullable, metadata={"doc": c.doc}) for c in columns]
    )


def parameter_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of parameters: their own names, after ``parameter_`` where another column has that name already.

    Names that differ in case alone are one name to Spark.
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


def parameter_type(values: Sequence[str]) -> str:
    """``integer`` or ``boolean`` when every value is one, else ``text``."""
    if all(re.fullmatch(r"-?[0-9]{1,18}", value) for value in values):
        return "integer"
    return "boolean" if all(value in ("TRUE", "FALSE") for value in values) else "text"
