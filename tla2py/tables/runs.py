"""The rows of ``runs``, typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tla2py.model.outcome import Outcome, Verdict, Violation, unfinished
from tla2py.model.point import PointResult
from tla2py.tables.read import Source, read_rows, read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow(PointResult):
    """A row of ``runs``: what was found at a point, and by which TLC.

    ``message`` is TLC's first error message where the verdict is no answer, ``message_place`` its ``file:line:column``.
    """

    run_id: str
    message: str | None = None
    message_place: str | None = None
    termination_reason: str | None = None
    tlc_version: str | None = None
    jar_sha256: str | None = None

    @property
    def unfinished(self) -> bool:
        """Whether TLC was stopped early, so that its counts are lower bounds."""
        return unfinished(self.outcome, self.termination_reason)


def run_rows(source: Source) -> list[RunRow]:
    """The rows of ``runs``, in order."""
    # A store may have many thousand points; the other columns would take as much memory again.
    columns = [field.name for field in fields(RunRow)]
    # Most texts and lists are the same in every row.
    shared: dict[object, Any] = {}
    rows = []
    for values in read_rows(source, columns):
        row = {
            name: shared.setdefault(value, value) if isinstance(value, str) else value
            for name, value in zip(columns, values, strict=True)
        }
        violated = tuple(Violation(kind=each["kind"], name=each["name"]) for each in row["violated"])
        undecided = tuple(row["undecided"])
        row |= {
            "outcome": Outcome(row["outcome"]),
            "verdict": Verdict(row["verdict"]),
            "violated": shared.setdefault(violated, violated),
            "undecided": shared.setdefault(undecided, undecided),
        }
        rows.append(RunRow(**row))
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsRow:
    """The outcome of a run and the limits under which it came about."""

    run_id: str
    outcome: Outcome
    verdict: Verdict
    timeout_seconds: float
    memory_bytes: int
    disk_bytes: int | None


def limits_rows(source: Source) -> Iterator[LimitsRow]:
    """The limits of the runs in ``runs``; outcomes that this version does not know are left out.

    Raises OSError and ValueError for a file that is no such table.
    """
    columns = tuple(field.name for field in fields(LimitsRow))
    known = set(Outcome)
    for run_id, outcome, verdict, timeout, memory, disk in read_rows(source, columns):
        if outcome in known:
            yield LimitsRow(
                run_id=run_id,
                outcome=Outcome(outcome),
                verdict=Verdict(verdict),
                timeout_seconds=timeout,
                memory_bytes=memory,
                disk_bytes=disk,
            )


def cpu_seconds(source: Source) -> dict[str, float]:
    """The CPU time of each run in ``runs``, by run id; without runs of which it is not known.

    Raises OSError and ValueError for a file that is no such table.
    """
    columns = ("run_id", "cpu_seconds")
    return {run_id: took for run_id, took in read_rows(source, columns) if took is not None}


def run_numbers(source: Source) -> list[Mapping[str, float | None]]:
    """The columns of numbers of each row of ``runs``, parameters included, by column."""
    schema = pq.read_schema(source)
    names = [
        field.name for field in schema if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
    ]
    return [dict(zip(names, values, strict=True)) for values in read_rows(source, names)]


def start_days(source: Source) -> list[str]:
    """The days on which the runs of ``runs`` began, as YYYY-MM-DD in UTC."""
    days = read_table(source, ["started_at"])["started_at"].cast(pa.date32()).to_pylist()
    return [day.isoformat() for day in days if day is not None]
