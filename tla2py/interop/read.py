"""What a file made elsewhere tells: which of the known formats it has, and what it means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from tla2py.errors import InputError
from tla2py.interop.dump import is_dump, trace_from_dump
from tla2py.interop.itf import is_itf, trace_from_itf
from tla2py.model.outcome import VERDICTS, CheckResult, Outcome, Violation
from tla2py.tlc.output.interpret import interpret_log
from tla2py.tlc.output.messages import iter_messages
from tla2py.tlc.output.plain import plain_to_messages
from tla2py.trace.trace import UNKNOWN, Trace
from tla2py.values import Json

_ACCEPTED = (
    "accepted are a store, a log of TLC with or without -tool, what TLC's -dumpTrace json writes, and ITF"
)
# A log that a JVM talked into begins with few lines of its own.
_LINES_LOOKED_AT = 1000
_FRAME = b"@!@!@STARTMSG "
# What GitHub Actions, among others, puts before each line.
_TIME = re.compile(rb"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)(?:[ \t]|(?=\r?\n|\Z))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a file tells: ``format`` is log, dump or itf; ``result`` is as if TLC had just been run."""

    format: str
    result: CheckResult


def read_file(path: Path) -> Found:
    """What the file at ``path`` tells.

    Raises InputError: ``trace-file-unreadable``, ``trace-file-syntax`` for JSON that is damaged, ``trace-file-unknown``
    for a file of none of the formats, and what the readers of the formats raise.
    """
    try:
        with path.open("rb") as lines:
            first = next((line for line in lines if line.strip()), b"").lstrip(b"\xef\xbb\xbf \t")
        if first.startswith((b"{", b"[")):
            return _read_json(path)
        with path.open("rb") as lines:
            result = read_log(_without_mark(lines))
    except OSError as error:
        raise InputError(
            "trace-file-unreadable", f"cannot read {path}: {error.strerror or error}", hint=_ACCEPTED
        ) from error
    if result.tlc_version is None and not (result.traces or result.violations or result.stats.generated):
        raise InputError("trace-file-unknown", f"{path} holds no trace", hint=_ACCEPTED)
    return Found(format="log", result=result)


def read_log(lines: Iterable[bytes]) -> CheckResult:
    """The meaning of a log of TLC, with or without ``-tool``, and with the time before each line or without."""
    rest = iter(lines)
    looked_at = list(islice(rest, _LINES_LOOKED_AT))
    framed = any(_FRAME in line for line in looked_at)
    everything: Iterable[bytes] = chain(looked_at, rest)
    if all(_TIME.match(line) for line in looked_at if line.strip()):
        everything = (_TIME.sub(b"", line, count=1) for line in everything)
    return interpret_log(iter_messages(everything) if framed else plain_to_messages(everything))


def _without_mark(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without the byte order mark that some editors put before the first."""
    for number, line in enumerate(lines):
        yield line if number else line.removeprefix(b"\xef\xbb\xbf")


def _read_json(path: Path) -> Found:
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise InputError(
            "trace-file-syntax", f"this is no JSON: {error.msg}", where=where, hint=_ACCEPTED
        ) from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            "trace-file-syntax", f"this is no JSON: {error}", where=str(path), hint=_ACCEPTED
        ) from error
    try:
        if is_itf(data):
            return Found(format="itf", result=_result(trace_from_itf(data), ok=_is_example(data)))
        if is_dump(data):
            return Found(format="dump", result=_result(trace_from_dump(data)))
    except InputError as error:
        raise InputError(
            error.code,
            error.message,
            where=f"{path}: {error.where}" if error.where else str(path),
            hint=error.hint,
        ) from error
    raise InputError("trace-file-unknown", f"{path} holds no trace", hint=_ACCEPTED)


def _is_example(data: dict[str, Json]) -> bool:
    """Whether a tool says that it made the behaviour as an example, not as a counterexample."""
    meta = data.get("#meta")
    return isinstance(meta, dict) and meta.get("status") == "ok"


# Every other kind is a violation of safety: most tools do not say what was violated, only that it was.
_OUTCOMES = {
    "temporal_property": Outcome.VIOLATION_LIVENESS,
    "action_property": Outcome.VIOLATION_LIVENESS,
    "deadlock": Outcome.VIOLATION_DEADLOCK,
    "assert": Outcome.VIOLATION_ASSERT,
    "evaluation": Outcome.FAILURE_SPEC_EVAL,
}


def _result(trace: Trace, *, ok: bool = False) -> CheckResult:
    outcome = Outcome.BOUNDED_SUCCESS if ok else _OUTCOMES.get(trace.kind, Outcome.VIOLATION_SAFETY)
    named = () if trace.kind in (UNKNOWN, "evaluation") else (Violation(kind=trace.kind, name=trace.name),)
    return CheckResult(outcome=outcome, verdict=VERDICTS[outcome], violations=named, traces=(trace,))
