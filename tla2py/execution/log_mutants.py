"""The execution of changed logs: which changes to logs that hold go unnoticed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple, TypeVar

import msgspec

from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import Listener
from tla2py.execution.sweeps import SweepResult, run_sweeps
from tla2py.logs.mutate import Target, change_logs, named_strings
from tla2py.model.logs import LogEdit, LogMutantRow
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.fragments import read_rows
from tla2py.store.storage import Address, below
from tla2py.store.store import Store
from tla2py.store.write import table_files
from tla2py.sweep.grid import Points
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, cut, parameter_text
from tla2py.tlc.process.command import input_path
from tla2py.tlc.tools.toolchain import Toolchain

# Of a value in the name of a changed log.
_LONGEST_VALUE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMutants:
    """The changed logs that were checked, by file and line.

    ``left_out`` counts the changes outside of the sample, ``constant`` are the fields that have one value in all logs, so
    that they were not changed.
    """

    rows: Sequence[LogMutantRow] = ()
    left_out: int = 0
    constant: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """How many of the changed logs were accepted, and how many have no such answer."""
        if not self.rows:
            return "no log was changed"
        count = Counter(row.status for row in self.rows)
        answered = count["accepted"] + count["rejected"]
        parts = [
            f"{count['accepted']:,} of {counted(answered, 'changed log')} accepted",
            *([f"{count['unknown']:,} without an answer"] if count["unknown"] else []),
            *([f"{count['broken']:,} that TLC could not evaluate"] if count["broken"] else []),
            *([f"{counted(self.left_out, 'change')} left out"] if self.left_out else []),
        ]
        return "; ".join(parts)


class NoticedShare(NamedTuple):
    """How many changed logs were accepted, and of how many; those without an answer do not count."""

    accepted: int
    of: int

    def __str__(self) -> str:
        return f"{self.accepted:,} of {self.of:,}"


K = TypeVar("K")


def shares(rows: Iterable[LogMutantRow], key: Callable[[LogMutantRow], K | None]) -> dict[K, NoticedShare]:
    """The share of accepted changes for each key that is not None, the blindest first."""
    accepted, total = Counter[K](), Counter[K]()
    for row in rows:
        name = key(row)
        if name is not None and row.status in ("accepted", "rejected"):
            total[name] += 1
            accepted[name] += row.status == "accepted"
    found = ((name, NoticedShare(accepted[name], total[name])) for name in total)
    return dict(sorted(found, key=lambda each: (-each[1].accepted / each[1].of, -each[1].of)))


def general_field(row: LogMutantRow) -> str | None:
    """The field that a change is about, in whichever element of a list."""
    return None if row.field is None else re.sub(r"\[\d+\]", "[]", row.field)


@dataclass(frozen=True, slots=True, kw_only=True)
class MutateOptions:
    """How many changed logs to check at most, None for all, and the seed that chooses them."""

    sample: int | None = None
    seed: int = 0

    @classmethod
    def of(cls, sweep: Sweep, sample: int | None = None, seed: int | None = None) -> MutateOptions:
        """The given options, by default those of a sweep."""
        return cls(
            sample=sample or sweep.file.logs.mutate or None,
            seed=sweep.options.seed if seed is None else seed,
        )


def log_mutants_address(store: Address) -> Address:
    """The address of the store of changed logs within the store of the logs."""
    return below(store, "mutants")


def run_log_mutants(
    result: SweepResult,
    toolchain: Toolchain,
    executors: ExecutorFactory,
    options: MutateOptions,
    *,
    fresh: bool = False,
    listener: Listener,
) -> LogMutants:
    """The changed logs of a sweep's points that hold, checked in a store of their own.

    Raises InputError as ``run_sweeps`` does.
    """
    sweep, left_out, constant = mutated_sweep(result.sweep, result.runs, options)
    if sweep is None:
        return LogMutants(left_out=left_out, constant=constant)
    store = log_mutants_address(result.store.path)
    [mutated] = run_sweeps(
        [sweep], toolchain, executors, store=store, fresh=fresh, listener=_CourseListener(listener)
    )
    return LogMutants(rows=mutant_rows(mutated.store), left_out=left_out, constant=constant)


def mutant_rows(store: Store) -> list[LogMutantRow]:
    """The rows of ``log_mutants``, by file and line."""
    names = [field.name for field in fields(LogMutantRow)]
    rows = [
        LogMutantRow(**dict(zip(names, row, strict=True)))
        for row in read_rows(table_files(store, "log_mutants"), names)
    ]
    return sorted(rows, key=lambda row: (row.file, row.line, row.change, row.field or ""))


def mutated_sweep(
    sweep: Sweep, runs: Iterable[RunRow], options: MutateOptions
) -> tuple[Sweep | None, int, tuple[str, ...]]:
    """The sweep of the changed logs; None if no log holds. Also what ``LogMutants`` has besides rows."""
    logs, points, targets = sweep.logs.logs, [], []
    seen = set[object]()
    for row in runs:
        parameters = sweep.points[row.point - 1].parameters
        log = parameters.get("log", "")
        if row.verdict is not Verdict.HOLDS or log not in logs:
            continue
        contents = [file.sha256 for file in logs[log].files]
        same = (*contents, *(text for name, text in parameters.items() if name != "log"))
        if same in seen:
            continue
        seen.add(same)
        for file in logs[log].files:
            points.append(parameters)
            name = f"{parameter_text(parameters)} {file.path}"
            targets.append(Target(name, file.path, input_path(file.sha256)))
    files = [input_path(sha256) for sha256 in dict.fromkeys(each.sha256 for each in sweep.logs.kept)]
    names = frozenset[str]().union(*(named_strings(spec) for spec in sweep.specs.values()))
    ignore = sweep.logs.observed.map.ignore if sweep.logs.observed is not None else ()
    changes = change_logs(targets, files, names, ignore=ignore, sample=options.sample, seed=options.seed)
    if not changes.edits:
        return None, changes.left_out, changes.constant
    changed, rows = {}, []
    for place, edit in changes.edits:
        log = points[place]["log"]
        within = "" if len(logs[log].files) == 1 else f" {edit.file}"
        name = f"{log}{within}:{_edit_text(edit)}"
        changed[name] = replace(logs[log], edit=edit)
        rows.append({**points[place], "log": name})
    mutated = replace(
        sweep,
        name=f"{sweep.name} mutants",
        # What is expected of the logs is not expected of these.
        file=msgspec.structs.replace(sweep.file, expect=None),
        logs=replace(sweep.logs, logs=changed),
        points=Points.of(sweep.points.columns, rows),
        options=replace(sweep.options, coverage=False, graph=False),
        counted=frozenset(),
        vacuity=False,
    )
    return mutated, changes.left_out, changes.constant


def _edit_text(edit: LogEdit) -> str:
    if edit.change != "field":
        return f"{edit.line} {edit.change}"
    before, after = (cut(text or "", _LONGEST_VALUE) for text in (edit.before, edit.after))
    return f"{edit.line} {edit.field} {before} -> {after}"


class _CourseListener(Listener):
    """A listener that passes on the course of the runs; what concerns the sweep was reported with the logs."""

    def __init__(self, listener: Listener) -> None:
        for name in ("fewer_slots", "spark_failed", "executing", "interrupted", "finished"):
            setattr(self, name, getattr(listener, name))
