"""The schema of every table, with a description of each column for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args, get_type_hints

from tla2py.model.mutant import Killer, MutantRow
from tla2py.model.outcome import Violation
from tla2py.model.row import RunRow
from tla2py.store.points import ManifestParameter

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


_TRACE = (
    Column("run_id", _TEXT, False, "the run that found it"),
    Column("trace", "int32", False, "number of the trace within its run, from 1"),
)
LOG_COLUMNS = (
    Column("file", _TEXT, False, "the log, as the sweep file or the command names it"),
    Column("verdict", _TEXT, False, "holds if some behaviour explains every line, violated if none does"),
    Column("lines", "int32", False, "number of its lines"),
    Column("matched", "int32", True, "lines before the first unexplained one; null if nothing counts them"),
    Column("first_unmatched", "int32", True, "the first line that no behaviour explains, from 1"),
    Column("place", _TEXT, True, "that line as file:line"),
    Column("violates", "strings", False, "what is violated, such as an invariant, besides the log"),
    Column("generated", "int64", True, "states generated"),
    Column("distinct", "int64", True, "distinct states"),
)
TABLES: dict[str, tuple[Column, ...]] = {
    "traces": (
        *_TRACE,
        Column(
            "kind",
            _TEXT,
            False,
            "kind of violation: invariant, action_property, temporal_property, deadlock, ...; evaluation if nothing is "
            "violated and the trace leads to an expression that TLC could not evaluate",
        ),
        Column("name", _TEXT, False, "the violated definition, or the assertion; empty if TLC names none"),
        Column("length", "int32", False, "number of states"),
        Column("loop_start", "int32", True, "index of the state to which the lasso returns"),
        Column("loop_action", _TEXT, True, "the action of the returning step, if TLC prints it"),
        Column("loop_action_args", "strings", True, "its arguments as TLA+ text, if TLC prints them"),
        Column("stuttering", "bool", False, "whether the trace ends in stuttering"),
        Column("cut_off", "bool", False, "whether an imported log ends within the trace"),
    ),
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
        *LOG_COLUMNS,
    ),
    "mutants": columns_of(MutantRow),
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
    "log_mutants": (
        _RUN,
        Column("file", _TEXT, False, "the log that was changed"),
        Column("line", "int32", False, "number of the line that was changed, from 1"),
        Column("change", _TEXT, False, "drop, double, swap (with the next line) or field"),
        Column("field", _TEXT, True, "the field that was changed, as in event.state.term"),
        Column("before", _TEXT, True, "its value, as JSON"),
        Column("after", _TEXT, True, "its other value, as JSON"),
        Column("action", _TEXT, True, "the action that the line names, if known"),
        Column(
            "status",
            _TEXT,
            False,
            "rejected, accepted, unknown (no answer within the limits) or broken (TLC could not evaluate the module)",
        ),
    ),
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


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """The columns' Arrow schema, their descriptions as field metadata."""
    import pyarrow as pa

    fields = (pa.field(c.name, c.type, nullable=c.nullable, metadata={"doc": c.doc}) for c in columns)
    return pa.schema(list(fields))


_ROWS = {
    "runs": "One row per point. Each parameter has a column under its own name, after `point`.",
    "traces": "One row per counterexample.",
    "states": "One row per state of a counterexample.",
    "changes": "One row for each innermost part of a variable that a step changed.",
    "diagnostics": "One row per error or warning that TLC or SANY printed.",
    "prints": (
        "One row per value that Print, PrintT or an Assert printed in a run's first execution, up to 1,000; `print_count` "
        "of `runs` counts all of them. `tla2py check` shows the values as they come."
    ),
    "simulations": (
        "One row per run that simulated, with the counts of its first execution. TLC 2.15 and 2.19 count behaviours only "
        "where all `num` were generated. The lengths are those of the behaviours that `behaviours = true` keeps; with "
        "coverage, TLC 2.20 also counts the states that each action generated (`generated` of `coverage`)."
    ),
    "logs": "One row per log that a point checks; empty unless the sweep has logs.",
    "mutants": "One row per mutant of the specification; empty unless `tla2py mutate` wrote the store.",
    "log_lines": (
        "One row per line of such a log. `actions` and `states` are null where the module that reads the log is the user's own."
    ),
    "log_mutants": "One row per changed log, in the store of `--mutate-logs`.",
    "graph_states": "One row per reachable state; empty unless the graph was requested.",
    "graph_edges": "One row per step between reachable states; empty unless the graph was requested. Parallel steps that TLC cannot tell apart, as those of TLC 2.15 and 1.7.4 without arguments, are one row.",
    "coverage": "One row per action or expression of TLC's last coverage report; empty unless coverage was requested.",
}


def tables_document() -> str:
    """The columns of every table, as Markdown."""
    parts = []
    for name, columns in {"runs": runs_columns(()), **TABLES}.items():
        parts += [f"### `{name}`", "", _ROWS[name], "", *_columns(columns), ""]
    return "\n".join(parts)


def _columns(columns: Iterable[Column]) -> list[str]:
    rows = [f"| `{c.name}` | {c.type}{', nullable' if c.nullable else ''} | {c.doc} |" for c in columns]
    return ["| column | type | description |", "|---|---|---|", *rows]
