"""Typed rows of ``runs``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from tla2py.model.outcome import Outcome, Verdict, Violation, unfinished
from tla2py.model.point import PointResult
from tla2py.tables.read import Files, read_rows, read_table

_LISTS = ("checked", "held", "undecided")
# What is equal in most rows.
_SHARED = (
    *_LISTS,
    "violated",
    "message",
    "message_place",
    "termination_reason",
    "tlc_version",
    "tlc_revision",
    "jar_sha256",
)

FIRST_COUNTS = "counts of the first of several executions"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow(PointResult):
    """A row of ``runs``: a point's result, and the TLC that found it.

    ``message`` is TLC's first error message if the verdict is broken, excluded or inconclusive; ``message_place`` is
    its ``file:line:column``. ``executions`` counts how often TLC was started. ``held`` are the definitions of those
    ``checked`` that hold.
    """

    run_id: str
    checked: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    message: str | None = None
    message_place: str | None = None
    termination_reason: str | None = None
    tlc_version: str | None = None
    tlc_revision: str | None = None
    jar_sha256: str | None = None
    executions: int = 1

    @property
    def counts_first(self) -> bool:
        """Whether the counts are those of the first of several executions."""
        return self.executions > 1

    @property
    def tlc(self) -> str | None:
        """TLC's version and revision."""
        revision = f" (rev: {self.tlc_revision})" if self.tlc_revision else ""
        return f"{self.tlc_version}{revision}" if self.tlc_version else None

    @property
    def unfinished(self) -> bool:
        """Whether TLC stopped early, which makes its counts lower bounds."""
        return unfinished(self.outcome, self.termination_reason)


def run_rows(files: Files) -> list[RunRow]:
    """The rows of ``runs``, in order."""
    # With many thousand points, the other columns would double the memory.
    columns = [field.name for field in fields(RunRow)]
    shared: dict[object, Any] = {}
    rows = []
    for values in read_rows(files, columns):
        row = dict(zip(columns, values, strict=True))
        row["outcome"], row["verdict"] = Outcome(row["outcome"]), Verdict(row["verdict"])
        row["violated"] = tuple(Violation(kind=each["kind"], name=each["name"]) for each in row["violated"])
        for name in _LISTS:
            row[name] = tuple(row[name])
        for name in _SHARED:
            row[name] = shared.setdefault(row[name], row[name])
        rows.append(RunRow(**row))
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsRow:
    """A run's outcome and the limits it ran under."""

    run_id: str
    outcome: Outcome
    verdict: Verdict
    timeout_seconds: float
    memory_bytes: int
    disk_bytes: int | None


def limits_rows(files: Files) -> Iterator[LimitsRow]:
    """The limits of the runs in ``runs``; skips outcomes that this version does not know.

    Raises OSError and ValueError if the file is not such a table.
    """
    columns = tuple(field.name for field in fields(LimitsRow))
    known = set(Outcome)
    for run_id, outcome, verdict, timeout, memory, disk in read_rows(files, columns):
        if outcome in known:
            yield LimitsRow(
                run_id=run_id,
                outcome=Outcome(outcome),
                verdict=Verdict(verdict),
                timeout_seconds=timeout,
                memory_bytes=memory,
                disk_bytes=disk,
            )


def run_seconds(files: Files) -> dict[str, tuple[float, float]]:
    """The known CPU and wall-clock times of the runs in ``runs``, by run id.

    Raises OSError and ValueError if the file is not such a table.
    """
    columns = ("run_id", "cpu_seconds", "wall_seconds")
    return {run_id: (cpu, wall) for run_id, cpu, wall in read_rows(files, columns) if None not in (cpu, wall)}


def run_numbers(files: Files) -> list[Mapping[str, float | None]]:
    """The numeric values of each row of ``runs``, parameters included, by column."""
    import pyarrow.parquet as pq
    from pyarrow import types

    schema = pq.read_schema(files[0])
    names = [field.name for field in schema if types.is_integer(field.type) or types.is_floating(field.type)]
    return [dict(zip(names, values, strict=True)) for values in read_rows(files, names)]


def start_days(files: Files) -> list[str]:
    """The days on which the runs of ``runs`` began, as YYYY-MM-DD in UTC."""
    days = read_table(files, ["started_at"])["started_at"].cast("date32").to_pylist()
    return [day.isoformat() for day in days if day is not None]
