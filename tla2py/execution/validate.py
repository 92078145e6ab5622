"""The validation of logs: a sweep whose points are logs, its answers, and which changes to logs that hold go unnoticed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from tla2py.errors import ExitCode, InputError, Place
from tla2py.execution.check import ModelOptions, given_variables
from tla2py.execution.executor import ExecutorFactory
from tla2py.execution.listener import SILENT, Listener
from tla2py.execution.preflight import GIVEN
from tla2py.execution.progress import SweepProgress
from tla2py.execution.result import SweepResult
from tla2py.execution.sweeps import SweepOptions, run_sweeps
from tla2py.logs.answer import line_numbers
from tla2py.logs.files import SweepLogs
from tla2py.logs.mutate import Target, change_logs, named_strings
from tla2py.logs.why import LogTrace, LogWhy, log_trace, read_log_why
from tla2py.model.logs import LogEdit, LogMutantRow, LogRow, SaidLines
from tla2py.model.outcome import Verdict
from tla2py.model.row import RunRow
from tla2py.store.address import Address, below
from tla2py.store.fragments import read_rows
from tla2py.store.read import unmatched_lines
from tla2py.store.refresh import table_files
from tla2py.store.store import Store
from tla2py.sweep.grid import Points
from tla2py.sweep.judge import code_of, worst
from tla2py.sweep.load import module_sections, relative_name, sweep_of_sections
from tla2py.sweep.options import given_files, given_values
from tla2py.sweep.sweep import Sweep
from tla2py.text import counted, cut, parameter_text
from tla2py.tlc.output.collector import REMARK
from tla2py.tlc.output.result import interpret_record
from tla2py.tlc.process.command import input_path
from tla2py.tlc.tools.toolchain import Toolchain

R = TypeVar("R", LogRow, LogMutantRow)
_EXAMPLE = "example: tla2py validate Trace.tla traces/*.ndjson"


def sweep_of_logs(
    files: Sequence[Path], model: ModelOptions, options: SweepOptions, *, listener: Listener = SILENT
) -> Sweep:
    """The sweep of a module over logs, or that of a sweep file with ``[logs]``.

    Raises InputError (``usage``, ``constant-syntax``, ``variable-name``), and as ``SweepOptions.load`` does.
    """
    module, *logs = files
    if module.suffix != ".tla":
        if logs or model != ModelOptions():
            raise InputError("usage", "a sweep file names its own logs and config", hint=_EXAMPLE)
        [sweep] = options.load([module], listener=listener)
        if not sweep.specification.logs.logs:
            raise InputError("usage", f"{module} names no logs", hint="write files = [...] under [logs]")
        return sweep
    if not logs:
        raise InputError("usage", f"no log for {module}", hint=_EXAMPLE)
    accepted: dict[str, Any] = {}
    # To accept all of a kind counts more than to accept one.
    for code, dot, name in (each.partition(".") for each in sorted(model.accept, reverse=True)):
        accepted[code] = {**accepted.get(code, {}), name: GIVEN} if dot else GIVEN
    beside = module.with_suffix(".cfg")
    config = model.config or (beside if beside.is_file() else None)
    named = relative_name(config, module) if config is not None else None
    tables = {
        "constants": given_values(model.constants),
        "environment": given_variables(model.environment),
        "logs": {"files": list(dict.fromkeys(relative_name(path, module) for path in logs))},
        "accept": accepted,
    }
    sections = {
        **module_sections(module, config=named, libraries=options.libraries),
        **{name: table for name, table in tables.items() if table},
    }
    how = replace(options.loading(listener), inputs=given_files(model.inputs, module))
    sweep = sweep_of_sections(module.with_suffix(".logs.toml"), sections, how)
    return options.apply(sweep)


def log_results(store: Store) -> list[LogRow]:
    """The rows of ``logs``, in grid order."""
    return _rows(store, "logs", LogRow)


def _rows(store: Store, table: str, row: type[R]) -> list[R]:
    names = [field.name for field in fields(row)]
    found = read_rows(table_files(store, table), names)
    return [msgspec.convert(dict(zip(names, each, strict=True)), row) for each in found]


def log_objects(rows: Sequence[LogRow], runs: Sequence[RunRow]) -> list[dict[str, object]]:
    """The rows as ``validate --json`` prints them, each with the message of its run."""
    return [
        asdict(row) | {"verdict": row.verdict.value, "message": run.message}
        for row, run in zip(rows, runs, strict=True)
    ]


def content_lines(counts: Iterable[SaidLines], logs: SweepLogs) -> Iterator[str]:
    """Yield how many lines of the logs say something, and which modules alone know what the lines say."""
    known = [(said, lines) for said, lines in counts if said is not None]
    if known:
        said = sum(count for count, _ in known)
        lines = sum(count for _, count in known)
        yield f"{said:,} of {counted(lines, 'line')} say{'s' * (lines == 1)} something"
    if logs.readers:
        for module in sorted(logs.readers):
            yield f"{module} reads the lines itself, so how many say something is not known"


def log_remarks(store: Store) -> list[tuple[Place, str]]:
    """The remarks on the lines of logs, each with its first place."""
    columns = ("code", "severity", "file", "line", "text")
    found: dict[str, Place] = {}
    for code, severity, file, line, text in read_rows(table_files(store, "diagnostics"), columns):
        if code == REMARK and severity == "warning":
            found.setdefault(text, Place(file=file, line=line))
    return [(place, text) for text, place in found.items()]


def log_why(store: Store, run_id: str) -> tuple[LogWhy | None, LogTrace | None]:
    """How TLC took the lines of a run's log, and a behaviour that gets furthest; None for a run that was not asked.

    Raises StoreError (``record-damaged``, ``input-lost``).
    """
    with store.archive(run_id) as archive:
        record = archive.record
        why, log = read_log_why(record, archive.stdout), record.inputs.log
        if why is None or log is None:
            return None, None
        progress = interpret_record(record, archive.stdout).progress
        # Imported on use, with Arrow.
        from tla2py.store.record_rows import log_text

        return why, log_trace(why, line_numbers(log, progress, log_text(log, store.storage, record)))


def coverage_of(store: Store, runs: Iterable[RunRow]) -> Mapping[str, int]:
    """How many lines each action of the specification explained, over all logs; empty if that of one is not known."""
    found, known = Counter[str](), set[str]()
    names = ("run_id", "kind", "name", "generated")
    for run_id, kind, name, lines in read_rows(table_files(store, "coverage"), names):
        if kind == "log":
            found[name] += lines
            known.add(run_id)
    answered = {row.run_id for row in runs if row.verdict in (Verdict.HOLDS, Verdict.VIOLATED)}
    return found if known >= answered else {}


def validation_code(rows: Sequence[LogRow]) -> ExitCode:
    """The exit code of a validation: as of a check, the worst of its logs."""
    return worst([ExitCode.OK, *(code_of(row.verdict) for row in rows if row.verdict is not Verdict.HOLDS)])


def log_lines(store: Store, run_id: str) -> dict[int, str]:
    """The lines of a run's log by number."""
    rows = read_rows(table_files(store, "log_lines"), ["run_id", "line", "text"])
    return {line: text for run, line, text in rows if run == run_id}


def line_texts(store: Store, runs: Iterable[RunRow]) -> list[str | None]:
    """For each run, the text of the first line of its log that no behaviour explains."""
    lines = unmatched_lines(table_files(store, "logs"), table_files(store, "log_lines"))
    return [lines[run.run_id].text if run.run_id in lines else None for run in runs]


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


def log_mutants_address(store: Address) -> Address:
    """The address of the store of changed logs within the store of the logs."""
    return below(store, "mutants")


def run_log_mutants(
    result: SweepResult,
    toolchain: Toolchain,
    executors: ExecutorFactory,
    *,
    sample: int | None = None,
    seed: int | None = None,
    fresh: bool = False,
    listener: Listener,
) -> LogMutants:
    """The changed logs of a sweep's points that hold, checked in a store of their own; see ``mutated_sweep``.

    Raises InputError as ``run_sweeps`` does.
    """
    sweep, mutants = mutated_sweep(result.sweep, result.runs, sample, seed)
    if sweep is None:
        return mutants
    store = log_mutants_address(result.store.path)
    [mutated] = run_sweeps(
        [sweep], toolchain, executors, store=store, fresh=fresh, listener=_CourseListener(listener)
    )
    return replace(mutants, rows=mutant_rows(mutated.store))


def mutant_rows(store: Store) -> list[LogMutantRow]:
    """The rows of ``log_mutants``, by file and line."""
    rows = _rows(store, "log_mutants", LogMutantRow)
    return sorted(rows, key=lambda row: (row.file, row.line, row.change, row.field or ""))


def mutated_sweep(
    sweep: Sweep, runs: Iterable[RunRow], sample: int | None = None, seed: int | None = None
) -> tuple[Sweep | None, LogMutants]:
    """The sweep of the changed logs, None if no log holds, and what is known of them before they are checked.

    At most ``sample`` of the changes, chosen by ``seed``; by default as the sweep says.
    """
    sample = sample or sweep.file.sections.logs.mutate or None
    seed = sweep.selection.options.seed if seed is None else seed
    logs, points, targets = sweep.specification.logs.logs, [], []
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
    files = [
        input_path(sha256) for sha256 in dict.fromkeys(each.sha256 for each in sweep.specification.logs.kept)
    ]
    names = frozenset[str]().union(*(named_strings(spec) for spec in sweep.specification.modules.values()))
    observed = sweep.specification.logs.observed
    ignore = observed.map.ignore if observed is not None else ()
    changes = change_logs(targets, files, names, ignore=ignore, sample=sample, seed=seed)
    mutants = LogMutants(left_out=changes.left_out, constant=changes.constant)
    if not changes.edits:
        return None, mutants
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
        file=sweep.file.with_sections(expect=None),
        points=Points.of(sweep.points.names, rows),
    )
    mutated = mutated.with_specification(logs=replace(sweep.specification.logs, logs=changed))
    options = replace(sweep.selection.options, coverage=False, graph=False)
    return mutated.select(options=options, counted=frozenset(), vacuity=False), mutants


def _edit_text(edit: LogEdit) -> str:
    if edit.change != "field":
        return f"{edit.line} {edit.change}"
    before, after = (cut(text or "", _LONGEST_VALUE) for text in (edit.before, edit.after))
    return f"{edit.line} {edit.field} {before} -> {after}"


class _CourseListener(Listener):
    """A listener that passes on the course of the runs; what concerns the sweep was reported with the logs."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def executing(
        self, sweep: Sweep, missing: int, cached: int
    ) -> AbstractContextManager[Callable[[SweepProgress], None]]:
        """Pass it on."""
        return self._listener.executing(sweep, missing, cached)

    def interrupted(self, left: int) -> None:
        """Pass it on."""
        self._listener.interrupted(left)

    def finished(self, result: SweepResult) -> None:
        """Pass it on."""
        self._listener.finished(result)
