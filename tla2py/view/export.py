"""Counterexamples as ITF, JSON, CSV and TLA+; answers of queries as CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tla2py.analysis.view import StoreView
from tla2py.errors import InputError
from tla2py.model.trace import State, Trace, Variables
from tla2py.model.trace_text import action_text
from tla2py.store import rows
from tla2py.store.foreign import trace_to_itf
from tla2py.text import counted
from tla2py.tla.value import (
    MODEL_VALUE,
    OPAQUE,
    Record,
    Value,
    canonical,
    format_value,
    is_identifier,
    scalar_forms,
)
from tla2py.tla.value_text import ValueTextError, parse_value

FORMATS = ("text", "itf", "json", "csv", "tla")
"""The formats of ``tla2py trace --format``; text is not written here."""

_FORMULA = re.compile(r"[=+@\t\r].|-\D", re.DOTALL)
# What TLC prints of an expression, operator or lazy value instead of a value, as in ``<Operator F>``.
_DESCRIBED = re.compile(r"<(expression|Operator|Java Method|LAZY)|\{ <|\A(null|UNDEF|ANY)\Z")
_MARKUP = re.compile(r"([\\`*_\[<|])")
_COLUMNS = ("index", "action", "action_args", "in_loop", "variable", "value")
# Names defined in Integers, Sequences and TLC, and by the module itself.
_DEFINED = """
Nat Int STRING BOOLEAN TRUE FALSE
Seq Len Append Head Tail SubSeq SelectSeq
Print PrintT Assert JavaTime TLCGet TLCSet Permutations SortSeq RandomElement Any ToString TLCEval
Trace Actions LoopStart Stuttering
"""
_TAKEN = frozenset(_DEFINED.split())


def export_trace(
    trace: Trace, form: str, *, name: str = "Trace", parameters: Mapping[str, Value] | None = None
) -> str:
    """The text of a trace in the format itf, json, csv or tla, with a final newline.

    ``name`` is the name of the TLA+ module, ``parameters`` are the constants for ITF. JSON has the columns of ``traces``
    and the rows of ``states``; CSV has a row per state and variable with the value as TLA+. Both have the values of
    ``State.evaluated``. Raises InputError (``unknown-format``).
    """
    match form:
        case "itf":
            return _json_text(trace_to_itf(trace, parameters))
        case "json":
            return _json_text(rows.trace_object(None, 1, trace))
        case "csv":
            return csv_text(_COLUMNS, _csv_rows(trace))
        case "tla":
            return _tla(trace, name)
    raise InputError("unknown-format", f"no format {form!r}", hint=f"formats of traces: {', '.join(FORMATS)}")


def _json_text(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _csv_rows(trace: Trace) -> Iterator[tuple[object, ...]]:
    for state in trace.states:
        args = None if state.action_args is None else ", ".join(state.action_args)
        values = [(name, format_value(value)) for name, value in state.values.items()]
        for variable, value in (*values, *state.evaluated):
            yield state.index, state.action, args, trace.in_loop(state), variable, value


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV: null is empty, lists and objects are JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    # csv quotes a carriage return only if lines end with one.
    careful = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for row in rows:
        # A spreadsheet would run some texts as formulas; no TLC value looks like one.
        cells = [f"'{cell}" if _FORMULA.match(cell) else cell for cell in map(_content, row)]
        (careful if any("\r" in cell for cell in cells) else writer).writerow(cells)
    return text.getvalue()


def markdown_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as a table of Markdown, with the same cells as in CSV."""
    lines = [columns, ["---"] * len(columns), *rows]
    cells = ([_MARKUP.sub(r"\\\1", _content(value)).replace("\n", "<br>") for value in row] for row in lines)
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _content(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def _tla(trace: Trace, name: str) -> str:
    """A module that defines the trace as a sequence of records, its actions and its end.

    Model values are declared as constants. Values that TLC does not print, and model values whose names are not
    identifiers, become strings.
    """
    forms = scalar_forms(canonical(value) for state in trace.states for value in state.values.values())
    constants = sorted({content for rank, content in forms if rank == MODEL_VALUE and _declarable(content)})
    states = ",\n".join(_tla_state(state) for state in trace.states)
    actions = ", ".join(format_value(action_text(state)) for state in trace.states)
    head = f"---- MODULE {name} ----"
    title = f"The counterexample to {trace.label}, in {counted(len(trace.states), 'state')}."
    lines = [
        head,
        "\\* " + title.replace("\n", " "),
        "EXTENDS Integers, Sequences, TLC",
        *([f"CONSTANTS {', '.join(constants)}"] if constants else []),
        "",
        f"Trace == <<\n{states}\n>>",
        f"Actions == <<{actions}>>",
    ]
    if trace.loop_start is not None:
        lines.append(f"LoopStart == {trace.loop_start}")
    lines += [f"Stuttering == {format_value(trace.stuttering)}", "=" * len(head), ""]
    return "\n".join(lines)


def _tla_state(state: State) -> str:
    values = {variable: _writable(value) for variable, value in state.values.items()}
    if not all(is_identifier(variable) for variable in values) or not values:
        return f"  {format_value(Record(values))}"
    fields = ",\n    ".join(f"{variable} |-> {format_value(value)}" for variable, value in values.items())
    return f"  [ {fields} ]"


def _writable(value: Value) -> Value:
    """The value if all of it can be written in TLA+, otherwise its text as a string."""
    for rank, content in scalar_forms([canonical(value)]):
        described = rank == OPAQUE and _DESCRIBED.search(content)
        if described or (rank == MODEL_VALUE and not _declarable(content)):
            return format_value(value)
    return value


def _declarable(name: str) -> bool:
    return is_identifier(name) and name.isascii() and name not in _TAKEN


def export_stored(view: StoreView, point: int, number: int | None, format_: str, variables: Variables) -> str:
    """A point's trace with some variables, in one of ``FORMATS``.

    Raises InputError (``several-traces``, ``no-trace``, ``unknown-variable``).
    """
    count = len(view.trace_list(point))
    if number is None and count > 1:
        raise InputError(
            "several-traces",
            f"point {point} has {count} traces, but {format_} holds only one",
            hint=f"choose one, from --trace 1 to --trace {count}",
        )
    parameters = view.points[point].parameters
    name = "".join(char for char in view.manifest.name.title() if char.isascii() and char.isalnum())
    return export_trace(
        variables.part_of(view.trace(point, number or 1)),
        format_,
        name=f"{name.lstrip('0123456789')}Trace{point}",
        parameters={name: _value(text) for name, text in parameters.items()},
    )


def _value(text: str) -> Value:
    """A parameter's value, or its text if it is not a literal."""
    try:
        return parse_value(text)
    except ValueTextError:
        return text
