"""Trace files as stores of one point: logs of TLC, its JSON dumps, and ITF."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import msgspec

from tla2py.errors import InputError, StoreError
from tla2py.model.outcome import VERDICTS, Outcome, Violation
from tla2py.model.run import RunResult
from tla2py.model.trace import UNKNOWN, Location, State, Trace, is_trace_kind, is_violation
from tla2py.store import rows
from tla2py.store.address import Address, folder_of, is_remote
from tla2py.store.fragments import file_digest, read_list
from tla2py.store.manifest import Manifest
from tla2py.store.refresh import Derive, derive_here, intact_files, refresh_tables, tables_current
from tla2py.store.schema import TABLES, runs_columns
from tla2py.store.store import ManifestPoint, Store, points_table
from tla2py.tla.itf import ITF_PAGE, Json, state_from_itf, state_to_itf
from tla2py.tla.value import Record, Value, format_value
from tla2py.tlc.output.messages import iter_messages, plain_to_messages
from tla2py.tlc.output.result import interpret_log
from tla2py.tlc.process.reaper import process_folder
from tla2py.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa


def read_location(data: Json, keys: Sequence[str]) -> Location | None:
    """The location in an object with a ``module`` and these keys for begin line, begin column, end line, end column."""
    found = [data.get(key) for key in ("module", *keys)] if isinstance(data, dict) else []
    if list(map(type, found)) != [str, int, int, int, int]:
        return None
    return Location(*found)  # type: ignore[arg-type]


Object = dict[str, Json]
# Quint stores the name of the action in this variable.
_QUINT_ACTION = "mbt::actionTaken"
_LOCATION = ("begin_line", "begin_column", "end_line", "end_column")


def is_itf(data: object) -> TypeGuard[Object]:
    """Whether JSON looks like a trace in ITF."""
    return isinstance(data, dict) and isinstance(data.get("states"), list) and "vars" in data


def trace_to_itf(trace: Trace, parameters: Mapping[str, Value] | None = None) -> Object:
    """A trace in ITF; ``parameters`` become its ``params``, with their values in the first state.

    Stuttering becomes a loop from the last state to itself.
    """
    constants = dict(parameters or {})
    states: list[Json] = []
    for position, state in enumerate(trace.states):
        values = {**constants, **state.values} if position == 0 else state.values
        written = state_to_itf(values)
        at = state.location
        place = None if at is None else {key: getattr(at, key) for key in ("module", *_LOCATION)}
        step: Object = {"action": state.action, "actionArgs": _list(state.action_args), "location": place}
        meta = {"index": position, **_known(step), **_meta(written)}
        written.pop("#meta", None)
        states.append({"#meta": meta, **written})
    variables = list(dict.fromkeys(name for state in trace.states for name in state.values))
    made = {
        "format": "ITF",
        "kind": trace.kind,
        "name": trace.name,
        "stuttering": trace.stuttering,
        "loopAction": trace.loop_action,
        "loopActionArgs": _list(trace.loop_action_args),
        "cutOff": trace.cut_off or None,
        "suspect": trace.suspect or None,
    }
    itf: Object = {"#meta": _known(made), "params": [*constants], "vars": [*variables], "states": states}
    start = len(trace.states) if trace.stuttering else trace.loop_start
    if start is not None:
        itf["loop"] = start - 1
    return itf


def _known(data: Mapping[str, Json]) -> Object:
    return {key: value for key, value in data.items() if value is not None}


def _list(texts: Sequence[str] | None) -> list[Json] | None:
    return None if texts is None else [*texts]


def _meta(data: Object) -> Object:
    meta = data.get("#meta")
    return meta if isinstance(meta, dict) else {}


def _texts(data: Json) -> tuple[str, ...] | None:
    return tuple(map(str, data)) if isinstance(data, list) else None


def trace_from_itf(data: Object) -> Trace:
    """The trace of an ITF file. Only ``#meta`` can name what it violates. Raises InputError (``itf-syntax``)."""
    about, listed = _meta(data), data["states"]
    assert isinstance(listed, list)
    constants = frozenset(_texts(data.get("params")) or ())
    states = [_state(position, item, constants) for position, item in enumerate(listed)]
    if not states:
        raise _bad("it has no states")
    loop = data.get("loop")
    if loop is not None and not (isinstance(loop, int) and 0 <= loop < len(states)):
        raise _bad(f"its loop starts at {loop!r}, which is not a state")
    stuttering = about.get("stuttering") is True
    kind, name, action = about.get("kind"), about.get("name"), about.get("loopAction")
    return Trace(
        kind=kind if is_trace_kind(kind) else UNKNOWN if loop is None else "temporal_property",
        name=name if isinstance(name, str) else "",
        states=tuple(states),
        loop_start=int(str(loop)) + 1 if loop is not None and not stuttering else None,
        loop_action=action if isinstance(action, str) else None,
        loop_action_args=_texts(about.get("loopActionArgs")),
        stuttering=stuttering,
        cut_off=about.get("cutOff") is True,
        suspect=about.get("suspect") is True,
    )


def _state(position: int, item: Json, constants: frozenset[str]) -> State:
    if not isinstance(item, dict):
        raise _bad(f"state {position} is not an object")
    about = _meta(item)
    values = {name: value for name, value in state_from_itf(item).items() if name not in constants}
    action = about.get("action")
    if action is None and position and isinstance(taken := values.get(_QUINT_ACTION), str):
        action = taken
    return State(
        index=position + 1,
        action=action if isinstance(action, str) else None,
        action_args=_texts(about.get("actionArgs")),
        location=read_location(about.get("location"), _LOCATION),
        values=values,
    )


def _bad(message: str) -> InputError:
    return InputError("itf-syntax", f"not a trace in ITF: {message}", hint=ITF_PAGE)


_DUMP_LOCATION = ("beginLine", "beginColumn", "endLine", "endColumn")


class _DumpAction(msgspec.Struct):
    """An action of a dump, with the values of its parameters."""

    name: str | None = None
    location: Any = None
    parameters: list[str] = []
    context: dict[str, Any] = {}

    def arguments(self) -> tuple[str, ...] | None:
        values = [self.context.get(parameter) for parameter in self.parameters]
        texts = (each if isinstance(each, str) else format_value(_value(each)) for each in values)
        return tuple(texts) if values else None


_DumpState = tuple[int, dict[str, Any]]


class _Dump(msgspec.Struct):
    """The numbered states of a dump, and the steps between them."""

    state: list[_DumpState]
    action: list[tuple[_DumpState, _DumpAction, _DumpState]] = []


def is_dump(data: object) -> TypeGuard[Object]:
    """Whether JSON looks like a dump of a trace."""
    return isinstance(data, dict) and isinstance(_behaviour(data).get("state"), list)


def trace_from_dump(data: Object) -> Trace:
    """The trace of a dump, which does not name what it violates. Raises InputError (``dump-syntax``)."""
    try:
        dump = msgspec.convert(_behaviour(data), _Dump)
    except msgspec.ValidationError as error:
        raise _dump_bad(str(error)) from error
    count = len(dump.state)
    # A backward edge closes a lasso; a self-loop is stuttering.
    ends = [(source, target, action) for (source, _), action, (target, _) in dump.action if target <= source]
    actions = {target: action for (source, _), action, (target, _) in dump.action if target > source}
    if [index for index, _ in dump.state] != list(range(1, count + 1)) or not count:
        raise _dump_bad("its states are not numbered from 1")
    if max(actions, default=1) > count:
        raise _dump_bad("an action leads to a missing state")
    if ends and not ends[-1][1] <= ends[-1][0] == count:
        raise _dump_bad("its lasso does not close at the last state")
    lasso = ends[-1] if ends and ends[-1][1] < count else None
    return Trace(
        kind="temporal_property" if ends else UNKNOWN,
        name="",
        states=tuple(_dump_state(*state, actions.get(state[0], _DumpAction())) for state in dump.state),
        loop_start=lasso[1] if lasso else None,
        loop_action=lasso[2].name if lasso else None,
        loop_action_args=lasso[2].arguments() if lasso else None,
        stuttering=bool(ends) and lasso is None,
    )


def _behaviour(data: Object) -> Object:
    """The object with states and actions; the objects around it differ between versions."""
    inner = data.get("counterexample")
    return inner if isinstance(inner, dict) else data


def _dump_state(index: int, values: Object, action: _DumpAction) -> State:
    return State(
        index=index,
        action=action.name,
        action_args=action.arguments(),
        location=read_location(action.location, _DUMP_LOCATION),
        values={variable: _value(value) for variable, value in values.items()},
    )


def _value(json: Json) -> Value:
    if isinstance(json, list):
        return tuple(_value(part) for part in json)
    if isinstance(json, dict):
        return Record({name: _value(part) for name, part in json.items()})
    if isinstance(json, (bool, int, str)):
        return json
    raise _dump_bad(f"not a value: {json!r}")


def _dump_bad(message: str) -> InputError:
    return InputError(
        "dump-syntax", f"not a TLC trace dump: {message}", hint="TLC writes one with -dumpTrace json FILE"
    )


_ACCEPTED = "accepted: a store, a log of TLC with or without -tool, a file of TLC's -dumpTrace json, or ITF"
# The JVM may print some lines before TLC's first message.
_SNIFFED_LINES = 1000
_FRAME = b"@!@!@STARTMSG "
_BOM = b"\xef\xbb\xbf"
# GitHub Actions, among others, puts a time before each line.
_TIME = re.compile(rb"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)(?:[ \t]|(?=\r?\n|\Z))")


def read_file(path: Path) -> RunResult:
    """The content of the file at ``path``, as of a run of TLC.

    Raises InputError: ``trace-file-unreadable``, ``trace-file-syntax`` for damaged JSON, ``trace-file-unknown`` for
    another format, and what the readers of the formats raise.
    """
    try:
        with path.open("rb") as lines:
            first = next((line for line in lines if line.strip()), b"").lstrip(_BOM + b" \t")
        if first.startswith((b"{", b"[")):
            return _read_json(path)
        with path.open("rb") as lines:
            result = read_log(chain([lines.readline().removeprefix(_BOM)], lines))
    except OSError as error:
        reason = error.strerror or error
        raise InputError("trace-file-unreadable", f"cannot read {path}: {reason}", hint=_ACCEPTED) from error
    if result.tlc_version is None and not (result.traces or result.violations or result.stats.generated):
        raise InputError("trace-file-unknown", f"{path} holds no trace", hint=_ACCEPTED)
    return result


def read_log(lines: Iterable[bytes]) -> RunResult:
    """The result in a log of TLC, with or without ``-tool``, with or without a time before each line."""
    rest = iter(lines)
    sniffed = list(islice(rest, _SNIFFED_LINES))
    framed = any(_FRAME in line for line in sniffed)
    everything: Iterable[bytes] = chain(sniffed, rest)
    if all(_TIME.match(line) for line in sniffed if line.strip()):
        everything = (_TIME.sub(b"", line, count=1) for line in everything)
    return interpret_log(iter_messages(everything) if framed else plain_to_messages(everything))


def _read_json(path: Path) -> RunResult:
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        where, reason = str(path), str(error)
        if isinstance(error, json.JSONDecodeError):
            where, reason = f"{path}:{error.lineno}:{error.colno}", error.msg
        raise InputError("trace-file-syntax", f"not JSON: {reason}", where=where, hint=_ACCEPTED) from error
    try:
        if is_itf(data):
            # The tool marks a behaviour that is an example, not a counterexample.
            ok = _meta(data).get("status") == "ok"
            return _result(trace_from_itf(data), ok=ok)
        if is_dump(data):
            return _result(trace_from_dump(data))
    except InputError as error:
        where = f"{path}: {error.where}" if error.where else str(path)
        raise InputError(error.code, error.message, where=where, hint=error.hint) from error
    raise InputError("trace-file-unknown", f"{path} holds no trace", hint=_ACCEPTED)


# Every other kind is a safety violation: most tools do not name what was violated.
_OUTCOMES = {
    "temporal_property": Outcome.VIOLATION_LIVENESS,
    "action_property": Outcome.VIOLATION_LIVENESS,
    "deadlock": Outcome.VIOLATION_DEADLOCK,
    "assert": Outcome.VIOLATION_ASSERT,
    "evaluation": Outcome.FAILURE_SPEC_EVAL,
}


def _result(trace: Trace, *, ok: bool = False) -> RunResult:
    outcome = Outcome.BOUNDED_SUCCESS if ok else _OUTCOMES.get(trace.kind, Outcome.VIOLATION_SAFETY)
    violations = (Violation(kind=trace.kind, name=trace.name),) if is_violation(trace.kind) else ()
    return RunResult(outcome=outcome, verdict=VERDICTS[outcome], violations=violations, traces=(trace,))


class ForeignStore(Store):
    """A store of one point made from ``file``.

    Raises InputError as ``read_file`` does.
    """

    def __init__(self, path: Path) -> None:
        # Imported on use, with Arrow: most commands read no such file.
        from tla2py.store.parquet import TableWriter

        super().__init__(path)
        self.result = result = read_file(path)
        # The tables outlive this object: Spark frames read them lazily.
        self.tables = process_folder("tla2py-foreign-")
        run_id = file_digest(path)[:32]
        self._manifest = Manifest(
            tla2py_version=__version__, name=path.stem, modules=[], sweep="", parameters=[]
        )
        self._points = points_table([], [ManifestPoint(point=1, run_id=run_id, parameters={})])
        with TableWriter(self.tables, "foreign", {"runs": runs_columns(()), **TABLES}) as tables:
            tables.add("runs", [rows.row_columns(rows.found_row(run_id, result))])
            tables.add_traces(run_id, result.traces)
            tables.add("coverage", rows.coverage_rows(run_id, result))
            tables.add("diagnostics", rows.diagnostic_rows(run_id, result))

    def manifest(self) -> Manifest:
        """A manifest without parameters."""
        return self._manifest

    def points_table(self) -> pa.Table:
        """One point without parameters."""
        return self._points


def open_tables(path: Address, derive: Derive = derive_here) -> Store:
    """The store at ``path``, with its tables brought up to date; a trace file becomes a store of one point.

    ``derive`` makes the rows that are missing. Raises StoreError as ``Store.manifest`` does, and ``records-lost`` if there
    are rows of records that are missing; InputError for a file without a trace.
    """
    if not is_remote(path) and folder_of(path).is_file():
        return ForeignStore(folder_of(path))
    store = Store.open(path)
    if not tables_current(store):
        try:
            with store.lock():
                refresh_tables(store, derive=derive)
        except StoreError as error:
            # A sweep is writing, or the store is read-only: read the tables as they are if all exist.
            if error.code == "records-lost" or intact_files(store, "runs") is None:
                raise
    store.moment = read_list(store.storage)
    return store
