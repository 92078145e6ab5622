"""Rows made from results: one dict per row, keyed by column."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tla2py.errors import Place
from tla2py.model.cause import ViolationCauses
from tla2py.model.logs import LogEdit
from tla2py.model.outcome import Diagnostic, Verdict, left_open
from tla2py.model.row import RunRow, TraceRow
from tla2py.model.run import RunRecord, RunResult
from tla2py.model.trace import Location, State, Trace, label_of
from tla2py.store.schema import FIXED_RUNS_COLUMNS
from tla2py.tla.itf import state_text
from tla2py.tla.value import format_value
from tla2py.tla.value_changes import changes
from tla2py.tlc.output.codes import EXPLAINING
from tla2py.tlc.output.messages import UNEXPLAINED
from tla2py.tlc.output.prints import asserted_value

# Importing these takes a while, and only validating logs needs them.
if TYPE_CHECKING:
    from tla2py.logs.files import LogText
    from tla2py.logs.why import LogWhy

Row = dict[str, object]
# The columns of ``because`` that are JSON.
_JSON = ("args", "values", "states", "before", "after")
# What a verdict on a changed log means.
_STATUSES = {Verdict.HOLDS: "accepted", Verdict.INCONCLUSIVE: "unknown", Verdict.BROKEN: "broken"}
_NOWHERE: Row = dict.fromkeys(field.name for field in fields(Location))
_STATS = (
    "generated", "distinct", "queue", "depth", "behaviours", "collision_optimistic", "collision_observed",
)  # fmt: skip
_TRACE = tuple(field.name for field in fields(TraceRow))


def run_row(record: RunRecord, result: RunResult, point: int = 1) -> RunRow:
    """The row of ``runs`` for a point with this run."""
    first = record.executions[0]
    checked, held = _answers(record, result)
    return replace(
        found_row(record.run_id, result),
        point=point,
        checked=checked,
        held=held,
        print_count=result.print_count,
        wall_seconds=sum(e.wall_seconds for e in record.executions),
        cpu_seconds=sum(e.cpu_seconds for e in record.executions),
        peak_memory_bytes=max(e.peak_memory_bytes for e in record.executions),
        executions=record.answers,
        termination_reason=record.counted.termination_reason,
        exit_code=first.exit_code,
        jar_sha256=record.jar_sha256,
        timeout_seconds=record.limits.timeout_seconds,
        memory_bytes=record.limits.memory_bytes,
        disk_bytes=record.limits.disk_bytes,
        started_at=datetime.fromisoformat(first.started_at),
        executor=record.executor,
    )


def found_row(run_id: str, result: RunResult) -> RunRow:
    """The row of ``runs`` for a foreign file: one point without parameters; what describes the process is null."""
    errors = explaining_errors(result)
    place = errors[0].place if errors else None
    return RunRow(
        run_id=run_id,
        point=1,
        outcome=result.outcome,
        verdict=result.verdict,
        violated=result.violations,
        undecided=result.undecided,
        **{name: getattr(result.stats, name) for name in _STATS},
        trace_length=result.trace_length,
        suspect=any(trace.suspect for trace in result.traces),
        executions=0,
        message=errors[0].full_text if errors else None,
        message_place=str(place) if place else None,
        tlc_version=result.tlc_version,
        tlc_revision=result.tlc_revision,
    )


def row_columns(row: RunRow) -> Row:
    """A row of ``runs`` by column, as JSON has it, without parameters."""
    violated = [{"kind": each.kind, "name": each.name} for each in row.violated]
    return {**{name: getattr(row, name) for name in FIXED_RUNS_COLUMNS}, "violated": violated}


def violated_objects(row: RunRow) -> list[Row]:
    """``violated`` of a row as JSON has it; of an assertion with TLC's message, the module and the line, if known."""
    place = Place.parse(row.message_place or "")
    message, module = asserted_value(row.message or ""), Path(place.file).stem or None
    more: Row = {"message": message, "module": module, "line": place.line}
    return [
        {"kind": each.kind, "name": each.name, **(more if each.kind == "assert" else {})}
        for each in row.violated
    ]


def _answers(record: RunRecord, result: RunResult) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the run checked, and what of it holds: nothing unless the search ended, or went on after each violation."""
    first = record.executions[0]
    if record.assumptions:
        # TLC stops at the first that is FALSE.
        labels = tuple(label_of("assumption", each.name) for each in record.assumptions)
        return labels, labels if result.verdict is Verdict.HOLDS else ()
    log = record.inputs.log
    checked = (
        *first.invariants,
        *first.properties,
        *(("deadlock",) if first.check_deadlock else ()),
        *((UNEXPLAINED.name,) if log is not None and log.decides else ()),
        *dict.fromkeys(label_of("assert", each.name) for each in record.assertions),
    )
    violated = {violation.label for violation in result.violations}
    if result.verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
        return checked, ()
    without = violated | left_open(violated, checked, result.undecided, record.options.find)
    return checked, tuple(name for name in checked if name not in without)


def explaining_errors(result: RunResult) -> list[Diagnostic]:
    """Return the errors that explain a verdict.

    Where something was violated, they are those of a postcondition, an Assert or a check that reads no variable.
    """
    errors = [each for each in result.diagnostics if each.severity == "error"]
    if result.verdict is Verdict.VIOLATED:
        return [each for each in errors if each.code in EXPLAINING or asserted_value(each.text) is not None]
    return [] if result.verdict is Verdict.HOLDS else errors


def diagnostic_rows(run_id: str, result: RunResult) -> Iterator[Row]:
    """A run's rows of ``diagnostics``."""
    for number, each in enumerate(result.diagnostics, 1):
        place, at = each.place, each.location
        if place is None and at is not None:
            # A foreign log gives only the module's name.
            place = Place(file=f"{at.module}.tla", line=at.begin_line, column=at.begin_column)
        yield {
            "run_id": run_id,
            "diagnostic": number,
            "severity": each.severity,
            "code": each.code,
            "text": each.full_text,
            **{key: getattr(place, key, None) for key in ("file", "line", "column", "excerpt")},
        }


def print_rows(run_id: str, result: RunResult) -> Iterator[Row]:
    """A run's rows of ``prints``."""
    for index, text in enumerate(result.prints, 1):
        yield {"run_id": run_id, "index": index, "text": text}


def log_mutant_rows(record: RunRecord, edit: LogEdit, result: RunResult) -> Iterator[Row]:
    """A run's row of ``log_mutants``."""
    # What cannot be read as steps of the specification is rejected before TLC runs.
    refused = any(each.refuses for each in record.remarks)
    status = "rejected" if refused else _STATUSES.get(result.verdict, "rejected")
    row = {"run_id": record.run_id, **asdict(edit), "status": status}
    del row["text"]
    yield row


def log_line_rows(
    run_id: str, text: LogText, why: LogWhy | None, numbers: Mapping[int, int], reached: Mapping[int, int]
) -> Iterator[Row]:
    """A run's rows of ``log_lines``; ``numbers`` are its lines by position, ``reached`` the states of its trace by line."""
    positions = {line: position for position, line in numbers.items()}
    for line in text.lines():
        position, actions, states = positions.get(line.number), None, None
        if why is not None and position is not None:
            actions, states = list(why.actions.get(position, ())), why.counts.get(position, 0)
        yield {
            "run_id": run_id,
            "line": line.number,
            "text": line.text.rstrip(b"\r\n").decode("utf-8", "replace"),
            "file": line.file,
            "file_line": line.file_line,
            "actions": actions,
            "states": states,
            "state": reached.get(line.number),
        }


def log_coverage_rows(run_id: str, why: LogWhy) -> Iterator[Row]:
    """A run's rows of ``coverage`` about the actions of the specification that take the lines of its log."""
    from tla2py.logs.why import BOTH

    taken = Counter(name for names in why.actions.values() for each in names for name in each.split(BOTH))
    for part in why.known:
        yield {
            "run_id": run_id,
            "kind": "log",
            "module": part.module,
            "name": part.action,
            **dict.fromkeys(("begin_line", "end_line"), part.line),
            **dict.fromkeys(("begin_column", "end_column"), part.column),
            "distinct": None,
            "generated": taken[part.action or ""],
        }


def simulation_rows(record: RunRecord, result: RunResult, lengths: Counter[int]) -> Iterator[Row]:
    """A run's row of ``simulations``, if it simulated; ``lengths`` counts the behaviours kept by their length."""
    options, kept = record.options, lengths.total()
    if options.mode != "check":
        yield {
            "run_id": record.run_id,
            "mode": options.mode,
            "seed": options.seed,
            "workers": options.workers,
            "depth_limit": options.depth,
            "behaviours": result.stats.behaviours,
            "initial": result.stats.initial,
            "generated": result.stats.generated,
            "kept": kept,
            "shortest": min(lengths, default=None),
            "longest": max(lengths, default=None),
            "mean_length": sum(length * count for length, count in lengths.items()) / kept if kept else None,
        }


def because_rows(run_id: str, number: int | None, found: ViolationCauses) -> Iterator[Row]:
    """The rows of ``because`` about what a run violates; one without a rank, if there is no cause."""
    about: Row = {"run_id": run_id, "trace": number, **found.to_json()}
    del about["because"]
    if not found.causes:
        yield {**about, "says": found.first}
    for rank, cause in enumerate(found.causes, 1):
        row = cause.to_json(rank)
        texts = {name: json.dumps(row[name], ensure_ascii=False) for name in _JSON if row[name] is not None}
        yield {**about, **row, **texts}


def trace_row(run_id: str, number: int, trace: Trace) -> Row:
    """A counterexample's row of ``traces``."""
    own: Row = {"run_id": run_id, "trace": number, "length": len(trace.states)}
    return {name: own[name] if name in own else getattr(trace, name) for name in _TRACE}


def state_row(run_id: str, number: int, trace: Trace, state: State) -> Row:
    """A state's row of ``states``."""
    place = state.location
    return {
        "run_id": run_id,
        "trace": number,
        "index": state.index,
        "action": state.action,
        "action_args": state.action_args,
        **(_place(place) if place else _NOWHERE),
        "in_loop": trace.in_loop(state),
        "state": state_text(state.values),
    }


def trace_object(run_id: str | None, number: int, trace: Trace) -> Row:
    """A counterexample's row of ``traces`` with its rows of ``states``, each state as ITF.

    If ``run_id`` is None, the rows have neither the run id nor the trace's number.
    """
    rows = [trace_row(run_id or "", number, trace)]
    for state in trace.states:
        row = state_row(run_id or "", number, trace, state)
        evaluated = {"evaluated": dict(state.evaluated)} if state.evaluated else {}
        rows.append({**row, "state": json.loads(str(row["state"])), **evaluated})
    for row in rows if run_id is None else ():
        del row["run_id"], row["trace"]
    return {**rows[0], "states": rows[1:]}


def change_rows(run_id: str, number: int, before: State, after: State) -> Iterator[Row]:
    """A step's rows of ``changes``: the innermost parts of each variable that differ."""
    for variable, value in after.values.items():
        if variable not in before.values:
            continue
        for change in changes(before.values[variable], value):
            yield {
                "run_id": run_id,
                "trace": number,
                "index": after.index,
                "action": after.action,
                "variable": variable,
                "path": change.path,
                "before": None if change.before is None else format_value(change.before),
                "after": None if change.after is None else format_value(change.after),
            }


def coverage_rows(run_id: str, result: RunResult) -> Iterator[Row]:
    """A run's rows of ``coverage``."""
    for item in result.coverage:
        yield {
            "run_id": run_id,
            "kind": item.kind,
            "name": item.name,
            **_place(item.location),
            "distinct": item.distinct,
            "generated": item.generated,
        }


def _place(location: Location) -> Row:
    # ``asdict`` copies each value deeply.
    return {name: getattr(location, name) for name in _NOWHERE}
