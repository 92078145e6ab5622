"""Reading of trace files in any of the known formats."""

from __future__ import annotations

import atexit
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tla2py import __version__
from tla2py.errors import InputError, StoreError
from tla2py.model.outcome import VERDICTS, Outcome, Violation
from tla2py.model.run import RunResult
from tla2py.model.trace import Trace, is_violation
from tla2py.store import rows
from tla2py.store.foreign_itf import is_dump, is_itf, trace_from_dump, trace_from_itf
from tla2py.store.fragments import read_list
from tla2py.store.points import Manifest, ManifestPoint, points_table
from tla2py.store.schema import TABLES, runs_columns
from tla2py.store.storage import Address, folder_of, is_remote
from tla2py.store.store import Store
from tla2py.store.write import Derive, derive_here, intact_files, refresh_tables, tables_current
from tla2py.tla.itf import Json
from tla2py.tlc.output.messages import iter_messages, plain_to_messages
from tla2py.tlc.output.result import interpret_log

if TYPE_CHECKING:
    import pyarrow as pa


_ACCEPTED = "accepted: a store, a log of TLC with or without -tool, a file of TLC's -dumpTrace json, or ITF"
# The JVM may print some lines before TLC's first message.
_SNIFFED_LINES = 1000
_FRAME = b"@!@!@STARTMSG "
# GitHub Actions, among others, puts a time before each line.
_TIME = re.compile(rb"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)(?:[ \t]|(?=\r?\n|\Z))")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFile:
    """The content of a file, with ``result`` as of a run of TLC."""

    format: Literal["log", "dump", "itf"]
    result: RunResult


def read_file(path: Path) -> TraceFile:
    """The content of the file at ``path``.

    Raises InputError: ``trace-file-unreadable``, ``trace-file-syntax`` for damaged JSON, ``trace-file-unknown`` for
    another format, and what the readers of the formats raise.
    """
    try:
        with path.open("rb") as lines:
            first = next((line for line in lines if line.strip()), b"").lstrip(b"\xef\xbb\xbf \t")
        if first.startswith((b"{", b"[")):
            return _read_json(path)
        with path.open("rb") as lines:
            result = read_log(_without_bom(lines))
    except OSError as error:
        raise InputError(
            "trace-file-unreadable", f"cannot read {path}: {error.strerror or error}", hint=_ACCEPTED
        ) from error
    if result.tlc_version is None and not (result.traces or result.violations or result.stats.generated):
        raise InputError("trace-file-unknown", f"{path} holds no trace", hint=_ACCEPTED)
    return TraceFile(format="log", result=result)


def read_log(lines: Iterable[bytes]) -> RunResult:
    """The result in a log of TLC, with or without ``-tool``, with or without a time before each line."""
    rest = iter(lines)
    sniffed = list(islice(rest, _SNIFFED_LINES))
    framed = any(_FRAME in line for line in sniffed)
    everything: Iterable[bytes] = chain(sniffed, rest)
    if all(_TIME.match(line) for line in sniffed if line.strip()):
        everything = (_TIME.sub(b"", line, count=1) for line in everything)
    return interpret_log(iter_messages(everything) if framed else plain_to_messages(everything))


def _without_bom(lines: Iterable[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        yield line if number else line.removeprefix(b"\xef\xbb\xbf")


def _read_json(path: Path) -> TraceFile:
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise InputError(
            "trace-file-syntax", f"not JSON: {error.msg}", where=where, hint=_ACCEPTED
        ) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            "trace-file-syntax", f"not JSON: {error}", where=str(path), hint=_ACCEPTED
        ) from error
    try:
        if is_itf(data):
            return TraceFile(format="itf", result=_result(trace_from_itf(data), ok=_is_example(data)))
        if is_dump(data):
            return TraceFile(format="dump", result=_result(trace_from_dump(data)))
    except InputError as error:
        raise InputError(
            error.code,
            error.message,
            where=f"{path}: {error.where}" if error.where else str(path),
            hint=error.hint,
        ) from error
    raise InputError("trace-file-unknown", f"{path} holds no trace", hint=_ACCEPTED)


def _is_example(data: dict[str, Json]) -> bool:
    """Whether the tool marked the behaviour as an example, not a counterexample."""
    meta = data.get("#meta")
    return isinstance(meta, dict) and meta.get("status") == "ok"


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
        from tla2py.store.sink import TableWriter

        super().__init__(path)
        self.file = read_file(path)
        # The tables outlive this object: Spark frames read them lazily.
        self.tables = Path(tempfile.mkdtemp(prefix="tla2py-foreign-"))
        atexit.register(shutil.rmtree, self.tables, ignore_errors=True)
        run_id = _run_id(path)
        self._manifest = Manifest(
            tla2py_version=__version__,
            name=path.stem,
            modules=[],
            sweep="",
            parameters=[],
        )
        self._points = points_table([], [ManifestPoint(point=1, run_id=run_id, parameters={})])
        result = self.file.result
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


def _run_id(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


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
